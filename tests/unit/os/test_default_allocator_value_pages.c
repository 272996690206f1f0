/* test_default_allocator_value_pages.c - Tests the allocation of values in
 * pages.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "allocator.h"
#include "default_allocator.h"

enum { VALUES = 24, ROUNDS = 300, THREADS = 4 };

static const size_t sizes[] = { 128 << 10, (128 << 10) + 1, 300001, 512 << 10,
    1 << 20, (2 << 20) - 7, 2 << 20, 5 << 20, 8 << 20, (8 << 20) + 1,
    (16 << 20) + 5 };

enum { SIZES = sizeof sizes / sizeof *sizes };

struct value {
    unsigned char *bytes;
    size_t size;
    unsigned char mark;
};

static void take(struct value *v, const varve_allocator *a, unsigned random)
{
    v->size = sizes[random % SIZES];
    v->mark = (unsigned char)(1 + random % 255);
    v->bytes = vv_allocate_zeros(a, v->size);
    cr_assert_not_null(v->bytes);
    cr_assert_eq((uintptr_t)v->bytes % VV_MEMORY_ALIGNMENT, 0);
    for (size_t i = 0; i < v->size; i += 4000)
        cr_assert_eq(v->bytes[i], 0);
    cr_assert_eq(v->bytes[v->size - 1], 0);
    memset(v->bytes, v->mark, v->size);
}

static void give(struct value *v, const varve_allocator *a)
{
    for (size_t i = 0; i < v->size; i += 4000)
        cr_assert_eq(v->bytes[i], v->mark);
    cr_assert_eq(v->bytes[v->size - 1], v->mark);
    vv_release_value(a, v->bytes, v->size);
    *v = (struct value){ 0 };
}

/* Allocates and frees values in random order, and checks each. */
static void *take_and_give(void *seed)
{
    varve_allocator a = vv_allocator_or_default(NULL);
    struct value values[VALUES] = { { 0 } };
    unsigned random = *(const unsigned *)seed;
    for (int i = 0; i < ROUNDS; i++) {
        random = random * 1103515245u + 12345u;
        struct value *v = &values[(random >> 8) % VALUES];
        if (v->bytes)
            give(v, &a);
        else
            take(v, &a, random >> 16);
    }
    for (int i = 0; i < VALUES; i++) {
        if (values[i].bytes)
            give(&values[i], &a);
    }
    return NULL;
}

TEST(value_pages, are_zeroed_and_not_shared)
{
    take_and_give(&(unsigned){ 1 });
}

TEST(value_pages, are_used_by_one_thread_each)
{
    pthread_t threads[THREADS];
    unsigned seeds[THREADS];
    for (unsigned i = 0; i < THREADS; i++) {
        seeds[i] = i + 2;
        cr_assert_eq(
            pthread_create(&threads[i], NULL, take_and_give, &seeds[i]), 0);
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
}

TEST(value_pages, are_not_shared_with_a_child_process)
{
    varve_allocator a = vv_allocator_or_default(NULL);
    struct value before, after;
    int status;
    take(&before, &a, 3);
    pid_t child = fork();
    cr_assert_geq(child, 0);
    if (child == 0) {
        take_and_give(&(unsigned){ 9 });
        give(&before, &a);
        _exit(0);
    }
    take(&after, &a, 3);
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    give(&after, &a);
    give(&before, &a);
}

static size_t count_touched(const void *value, size_t size)
{
    static unsigned char pages[(16 << 20) / 4096 + 2];
    size_t unit = (size_t)sysconf(_SC_PAGESIZE), touched = 0;
    cr_assert_eq(mincore((void *)(uintptr_t)value, size, pages), 0);
    for (size_t i = 0; i < (size + unit - 1) / unit; i++)
        touched += pages[i] & 1;
    return touched;
}

/* The thread that fills values must be the first to touch them; otherwise the
 * kernel would clear them on a single thread. Only a separate region shares no
 * huge page with a neighbor. */
TEST(value_pages, are_not_touched_before_they_are_filled)
{
    varve_allocator a = vv_allocator_or_default(NULL);
    for (size_t i = 0; i < SIZES && vv_has_value_pages(); i++) {
        if (sizes[i] <= 8 << 20)
            continue;
        unsigned char *value = vv_allocate_zeros(&a, sizes[i]);
        cr_assert_eq(count_touched(value, sizes[i]), 0, "%zu", sizes[i]);
        vv_release_value(&a, value, sizes[i]);
    }
}

TEST(value_pages, refuse_too_large_sizes)
{
    varve_allocator a = vv_allocator_or_default(NULL);
    cr_assert_null(vv_allocate_zeros(&a, 0));
    if (!vv_has_value_pages()) /* a sanitizer would end the test */
        return;
    cr_assert_null(vv_allocate_value(&a, SIZE_MAX));
    cr_assert_null(vv_allocate_value(&a, SIZE_MAX - 4096));
    cr_assert_null(vv_allocate_value(&a, SIZE_MAX / 2));
}
