/* test.c - Implements the counting allocator, the test's directory, and the
 * checks at its end.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <dirent.h>
#include <ftw.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static struct {
    atomic_long blocks;
    atomic_size_t bytes;
    atomic_size_t peak;
    atomic_long tried;
    atomic_long failing; /* -1: none */
    atomic_bool sticky;
    int descriptors;
    char directory[256];
    pid_t owner; /* of the directory: a child does not remove it */
} test = { .failing = -1 };

/* Mapped, since LeakSanitizer reads every page of an array at each exit. */
static unsigned char *lasting_room(size_t size)
{
    static _Atomic(unsigned char *) room;
    unsigned char *found = room, *mapped;
    if (found)
        return found;
    mapped = mmap(NULL, size, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    cr_assert_neq((void *)mapped, MAP_FAILED);
    if (atomic_compare_exchange_strong(&room, &found, mapped))
        return mapped;
    munmap(mapped, size);
    return found;
}

void *test_lasting_copy(const void *bytes, size_t size)
{
    static const size_t most = (size_t)1 << 26;
    static atomic_size_t used;
    size_t at = atomic_fetch_add(&used, (size + 63) / 64 * 64);
    cr_assert_leq(at + size, most);
    return memcpy(lasting_room(most) + at, bytes, size);
}

static void *allocate(void *user, void *old, size_t old_size, size_t new_size)
{
    (void)user;
    if (new_size > 0) {
        long number = atomic_fetch_add(&test.tried, 1);
        long failing = atomic_load(&test.failing);
        if (failing >= 0 &&
            (number == failing || (test.sticky && number > failing)))
            return NULL;
        void *block = realloc(old, new_size);
        cr_assert(block, "the machine is out of memory");
        /* Fills new memory, so that reads of uninitialized memory are
         * noticed. */
        if (new_size > old_size)
            memset((char *)block + old_size, 0xbe, new_size - old_size);
        test.blocks += old == NULL;
        size_t bytes = atomic_fetch_add(&test.bytes, new_size - old_size);
        bytes += new_size - old_size;
        if (bytes > test.peak)
            test.peak = bytes;
        return block;
    }
    test.blocks -= old != NULL;
    test.bytes -= old_size;
    free(old);
    return NULL;
}

const varve_allocator *test_allocator(void)
{
    static const varve_allocator allocator = { .function = allocate };
    return &allocator;
}

void test_fail_allocation(long number, bool sticky)
{
    test.tried = 0;
    test.failing = number;
    test.sticky = sticky;
}

long test_allocation_count(void) { return test.tried; }
long test_block_count(void) { return test.blocks; }
size_t test_byte_count(void) { return test.bytes; }
size_t test_peak_bytes(void) { return test.peak; }
void test_reset_peak(void) { test.peak = atomic_load(&test.bytes); }

static int count_names(const char *directory)
{
    DIR *stream = opendir(directory);
    if (!stream)
        return 0;
    int count = -2; /* . and .. */
    while (readdir(stream))
        count++;
    closedir(stream);
    return count;
}

int test_descriptor_count(void)
{
    return count_names("/proc/self/fd") - 1; /* excludes its own descriptor */
}

static int remove_one(
    const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)info;
    (void)type;
    (void)walk;
    return remove(path);
}

static void remove_directory(void)
{
    if (test.directory[0] && test.owner == getpid())
        nftw(test.directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    test.directory[0] = '\0';
}

/* Created by the test itself, so that child processes do not get their own. A
 * failing test does not reach its end, but its process exits and removes the
 * directory. */
static void make_directory(void)
{
    const char *place = getenv("TMPDIR");
    snprintf(test.directory, sizeof test.directory, "%s/varve-test-XXXXXX",
        place && *place ? place : "/tmp");
    cr_assert(mkdtemp(test.directory), "%s: cannot be made", test.directory);
    test.owner = getpid();
    atexit(remove_directory);
}

const char *test_path(const char *name)
{
    static char paths[4][512];
    static unsigned turn;
    if (!test.directory[0])
        make_directory();
    char *path = paths[turn++ % 4];
    snprintf(path, sizeof paths[0], "%s/%s", test.directory, name);
    return path;
}

int test_file_count(void)
{
    return test.directory[0] ? count_names(test.directory) : 0;
}

void test_begin(void)
{
    test.descriptors = test_descriptor_count();
    make_directory();
}

void test_end(void)
{
    test.failing = -1;
    remove_directory();
    cr_assert_eq(test.blocks, 0, "%ld blocks were not freed",
        (long)test.blocks);
    cr_assert_eq(test.bytes, 0, "%zu bytes: sizes given to free are wrong",
        (size_t)test.bytes);
    cr_assert_eq(test_descriptor_count(), test.descriptors,
        "descriptors were left open");
}

void *test_read_file(const char *path, size_t *size)
{
    FILE *stream = fopen(path, "rb");
    cr_assert(stream, "%s: cannot be opened", path);
    fseek(stream, 0, SEEK_END);
    *size = (size_t)ftell(stream);
    rewind(stream);
    void *bytes = malloc(*size + 1);
    cr_assert_eq(fread(bytes, 1, *size, stream), *size);
    fclose(stream);
    return bytes;
}

void test_write_file(const char *path, const void *bytes, size_t size)
{
    FILE *stream = fopen(path, "wb");
    cr_assert(stream, "%s: cannot be opened", path);
    cr_assert_eq(fwrite(bytes, 1, size, stream), size);
    cr_assert_eq(fclose(stream), 0);
}
