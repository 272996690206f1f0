/* test.h - how every test begins and ends.
 *
 *     TEST(buffer, grows_by_doubling) { ... cr_assert(...); }
 *
 * The body has an allocator that counts its blocks and can fail, and a
 * directory of its own. When it ends, nothing it took may be left: no block,
 * no descriptor, under AddressSanitizer no leak.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_TEST_H
#define SUPPORT_TEST_H

#include <criterion/criterion.h>

#include <varve/varve.h>

#define TEST(suite, name)                                                      \
    static void suite##_##name##_body(void);                                   \
    Test(suite, name)                                                          \
    {                                                                          \
        test_begin();                                                          \
        suite##_##name##_body();                                               \
        test_end();                                                            \
    }                                                                          \
    static void suite##_##name##_body(void)

void test_begin(void);
void test_end(void);

/* Allocates by realloc, counts blocks and bytes, fails on demand; the same
 * pointer always. Safe for several threads. */
const varve_allocator *test_allocator(void);

/* Lets the allocation with this number (from 0, counted from now on) fail, and
 * with `sticky` all after it; -1: none. Growing counts, freeing does not. */
void test_fail_allocation(long number, bool sticky);

/* Allocations tried since test_fail_allocation was called last. */
long test_allocation_count(void);

/* Blocks and bytes allocated and not freed; the most bytes there ever were
 * since test_reset_peak. */
long test_block_count(void);
size_t test_byte_count(void);
size_t test_peak_bytes(void);
void test_reset_peak(void);

/* A copy of `size` bytes that lasts as long as the process. */
void *test_lasting_copy(const void *bytes, size_t size);

/* A copy of an array, of what a pointer is at, or of `count` elements there, as
 * the memory of one more node: no two nodes may have the same. */
#define COPY_OF(array)                                                         \
    ((__typeof__(&(array)[0]))test_lasting_copy((array), sizeof(array)))
#define COPY_AT(pointer)                                                       \
    ((__typeof__(pointer))test_lasting_copy((pointer), sizeof *(pointer)))
#define COPY_N(pointer, count)                                                 \
    ((__typeof__(pointer))test_lasting_copy(                                   \
        (pointer), (count) * sizeof *(pointer)))

/* Open descriptors of this process. */
int test_descriptor_count(void);

/* A path inside this test's own directory, which is made where temporary files
 * go (TMPDIR) and removed with all that is in it at the end, also of a test
 * that fails. Static storage, four calls deep. */
const char *test_path(const char *name);

/* How many files (of any name) stand in the test's directory. */
int test_file_count(void);

/* The whole content of a file, to be freed with free; asserts that it can be
 * read. */
void *test_read_file(const char *path, size_t *size);
void test_write_file(const char *path, const void *bytes, size_t size);

/* Asserts a status and shows the message when it is another. */
#define cr_assert_ok(call, error)                                              \
    do {                                                                       \
        varve_status test_status = (call);                                     \
        cr_assert(test_status == VARVE_OK, "%s: %s",                           \
            varve_status_name(test_status), (error).message);                  \
    } while (0)

#endif
