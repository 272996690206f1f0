/* test_inflated.c - Tests random access to compressed files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "sources.h"

#include "compressed.h"
#include "file.h"
#include "inflated.h"
#include "support/proof.h"

enum { MILLION = 1000000, MOST_MEMBERS = 300 };

struct world {
    struct memory *memory;
    struct vv_context context;
    int file;
    struct vv_inflated *inflated;
};

static void begin(struct world *w, const unsigned char *bytes, size_t size)
{
    varve_error error = { 0 };
    uint64_t found;
    w->memory = memory_new();
    w->context = test_context(memory_system(w->memory));
    memory_put(w->memory, "file", bytes, size);
    cr_assert_ok(vv_file_open(&w->context, "file", &w->file, &found, &error),
        error);
    w->inflated =
        vv_inflated_new(&w->context, w->file, "file", found, VV_GZIP);
}

static void end(struct world *w)
{
    vv_inflated_free(w->inflated);
    vv_file_close(&w->context, w->file);
    memory_free(w->memory);
}

/* Repeats the same million bytes `count` times, each in a separate member. */
static void begin_millions(struct world *w, size_t count)
{
    size_t size;
    unsigned char *bytes = read_compressed("million.gz", &size, 0);
    unsigned char *all = malloc(count * size);
    for (size_t i = 0; i < count; i++)
        memcpy(all + i * size, bytes, size);
    begin(w, all, count * size);
    free(all);
    free(bytes);
}

static unsigned char byte_at(uint64_t at)
{
    uint64_t number = at % 1000;
    return (unsigned char)(number * number >> 7);
}

static void check_at(struct world *w, uint64_t at, size_t size)
{
    static unsigned char bytes[4096];
    varve_error error = { 0 };
    size_t got;
    cr_assert_ok(
        vv_inflated_read(w->inflated, at, bytes, size, &got, &error), error);
    cr_assert_eq(got, size);
    for (size_t i = 0; i < size; i++)
        cr_assert_eq(bytes[i], byte_at(at + i), "at %llu",
            (unsigned long long)(at + i));
}

TEST(inflated, reads_any_offset_with_few_saved_states)
{
    struct world w;
    uint64_t random = 5;
    if (!vv_inflater_exists())
        return;
    begin_millions(&w, MOST_MEMBERS);
    test_reset_peak();
    size_t before = test_peak_bytes();
    check_at(&w, (uint64_t)MOST_MEMBERS * MILLION - 4096, 4096);
    size_t kept = vv_inflated_kept(w.inflated);
    cr_assert_gt(kept, VV_INFLATED_STATES / 2 - 2);
    for (int i = 0; i < 60; i++) {
        size_t size = 1 + proof_next(&random) % 4096;
        check_at(&w,
            proof_next(&random) % ((uint64_t)MOST_MEMBERS * MILLION - 4096),
            size);
        cr_assert_leq(vv_inflated_kept(w.inflated), VV_INFLATED_STATES);
    }
    cr_assert_lt(test_peak_bytes() - before, VV_INFLATED_STATES * (64 << 10));
    end(&w);
}

TEST(inflated, continues_at_its_current_offset)
{
    struct world w;
    if (!vv_inflater_exists())
        return;
    begin_millions(&w, 3);
    uint64_t packed = 0;
    for (uint64_t at = 0; at + 1000 <= 3 * MILLION; at += 1000) {
        check_at(&w, at, 1000);
        cr_assert_geq(vv_inflated_packed(w.inflated), packed);
        packed = vv_inflated_packed(w.inflated);
    }
    cr_assert_gt(packed, 0);
    end(&w);
}

TEST(inflated, returns_fewer_bytes_only_at_the_end)
{
    struct world w;
    varve_error error = { 0 };
    static unsigned char bytes[2 * MILLION];
    size_t got;
    if (!vv_inflater_exists())
        return;
    begin_millions(&w, 2);
    for (int i = 0; i < 2; i++) {
        cr_assert_ok(vv_inflated_read(w.inflated, 5, bytes, sizeof bytes, &got,
                         &error), error);
        cr_assert_eq(got, sizeof bytes - 5);
        cr_assert_ok(vv_inflated_read(w.inflated, sizeof bytes, bytes, 1, &got,
                         &error), error);
        cr_assert_eq(got, 0);
        check_at(&w, 0, 10);
    }
    end(&w);
}

/* A wrong checksum is reported each time, and the data before it can be
 * read. */
TEST(inflated, reports_damage_each_time)
{
    struct world w;
    size_t size;
    unsigned char *bytes = read_compressed("million.gz", &size, 0);
    unsigned char *all = malloc(3 * size);
    if (!vv_inflater_exists())
        return;
    for (size_t i = 0; i < 3; i++)
        memcpy(all + i * size, bytes, size);
    all[2 * size - 5] ^= 1; /* the checksum of the second member */
    begin(&w, all, 3 * size);
    for (int i = 0; i < 3; i++) {
        varve_error error = { 0 };
        unsigned char one;
        size_t got;
        check_at(&w, 2 * MILLION - 5000, 4096);
        cr_assert_eq(vv_inflated_read(w.inflated, 2 * MILLION + 5, &one, 1,
                         &got, &error), VARVE_CORRUPT);
        cr_assert(strstr(error.message, "invalid GZIP data: corrupt bytes"),
            "%s", error.message);
    }
    end(&w);
    free(all);
    free(bytes);
}

/* A state that cannot be kept only costs time. */
TEST(inflated, requires_memory_for_one_state_only)
{
    struct world w;
    varve_error error = { 0 };
    unsigned char one;
    size_t got;
    if (!vv_inflater_exists())
        return;
    begin_millions(&w, 4);
    check_at(&w, 0, 10);
    test_fail_allocation(0, true);
    check_at(&w, 3 * MILLION, 10);
    cr_assert_eq(vv_inflated_kept(w.inflated), 0);
    cr_assert_eq(vv_inflated_read(w.inflated, 0, &one, 1, &got, &error),
        VARVE_NO_MEMORY);
    test_fail_allocation(-1, false);
    check_at(&w, 0, 10);
    check_at(&w, 3 * MILLION, 10);
    cr_assert_gt(vv_inflated_kept(w.inflated), 0);
    end(&w);
}
