/* test.h - Declares how every test begins and ends.
 *
 *     TEST(buffer, grows_by_doubling) { ... cr_assert(...); }
 *
 * The body has an allocator that counts its blocks and can fail, and its own
 * directory. At its end nothing may be leaked: no block, no descriptor, and
 * under AddressSanitizer no memory.
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

/* Returns an allocator based on realloc that counts blocks and bytes and fails
 * on request; always the same pointer. Thread-safe. */
const varve_allocator *test_allocator(void);

/* Lets the allocation with this number (from 0, counted from now on) fail, and
 * with `sticky` all later ones; -1: none. Growing a block counts, freeing does
 * not. */
void test_fail_allocation(long number, bool sticky);

/* Returns the number of attempted allocations since the last call of
 * test_fail_allocation. */
long test_allocation_count(void);

/* Return the number of allocated blocks and bytes, and the maximum number of
 * bytes since test_reset_peak. */
long test_block_count(void);
size_t test_byte_count(void);
size_t test_peak_bytes(void);
void test_reset_peak(void);

/* Returns a copy of `size` bytes that is valid until the process ends. */
void *test_lasting_copy(const void *bytes, size_t size);

/* Return a copy of an array, of the target of a pointer, or of `count`
 * elements, as memory for another node: two nodes must not share memory. */
#define COPY_OF(array)                                                         \
    ((__typeof__(&(array)[0]))test_lasting_copy((array), sizeof(array)))
#define COPY_AT(pointer)                                                       \
    ((__typeof__(pointer))test_lasting_copy((pointer), sizeof *(pointer)))
#define COPY_N(pointer, count)                                                 \
    ((__typeof__(pointer))test_lasting_copy(                                   \
        (pointer), (count) * sizeof *(pointer)))

/* Returns the number of open descriptors of this process. */
int test_descriptor_count(void);

/* Returns a path inside the test's own directory, which is created in TMPDIR
 * and removed with its content at the end, also after a failure. The static
 * storage is reused after four calls. */
const char *test_path(const char *name);

/* Returns the number of files (of any name) in the test's directory. */
int test_file_count(void);

/* Returns the whole content of a file, to be freed with free. Asserts that it
 * can be read. */
void *test_read_file(const char *path, size_t *size);
void test_write_file(const char *path, const void *bytes, size_t size);

/* Asserts that the status is VARVE_OK and prints the message otherwise. */
#define cr_assert_ok(call, error)                                              \
    do {                                                                       \
        varve_status test_status = (call);                                     \
        cr_assert(test_status == VARVE_OK, "%s: %s",                           \
            varve_status_name(test_status), (error).message);                  \
    } while (0)

#endif
