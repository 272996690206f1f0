/* test_untouched.c - Tests that intact values can be read and damaged ones are
 * reported.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "damage/bench.h"

static bool is_below(const char *path, const char *above)
{
    size_t size = strlen(above);
    return strncmp(path, above, size) == 0 &&
           (path[size] == '\0' || path[size] == '/');
}

/* Checks that all values except those below `damaged` are those of the file. */
static void check_others(
    struct bench *b, const struct image_value *damaged, size_t place)
{
    unsigned found[BENCH_VALUES];
    bench_look(b, found);
    for (size_t i = 0; i < b->saved.count; i++) {
        const char *path = b->saved.values[i].path;
        unsigned expected =
            is_below(path, damaged->path) ? IS_NOW : IS_SAVED;
        cr_assert(found[i] & expected, "at %zu: %s, without %s: found %u",
            place, path, damaged->path, found[i]);
    }
}

static void restore_others(struct bench *b,
    const varve_read_options *options, const struct image_value *damaged,
    size_t place)
{
    varve_error error = { 0 };
    varve_restoration *r = varve_read(
        varve_graph_root(b->graph), BENCH_PATH, options, &error);
    cr_assert(r, "at %zu, all but %s: %s", place, damaged->path,
        error.message);
    check_others(b, damaged, place);
    varve_restoration_free(r);
    everything_fill(&b->model, BENCH_NOW);
}

/* Writes "a|b|c" for all values except one. Returns false if the value is below
 * another one, whose pattern includes it. */
static bool name_others(const struct bench *b,
    const struct image_value *damaged, char *patterns)
{
    *patterns = '\0';
    for (size_t i = 0; i < b->saved.count; i++) {
        const char *path = b->saved.values[i].path;
        if (is_below(path, damaged->path))
            continue;
        if (is_below(damaged->path, path))
            return false;
        if (*patterns)
            strcat(patterns, "|");
        strcat(patterns, path);
    }
    return true;
}

static void expect_refusal(struct bench *b,
    const varve_read_options *options, const struct image_value *damaged,
    size_t place)
{
    char range[64];
    varve_error error = { 0 };
    uint64_t before = everything_digest(&b->model);
    varve_restoration *r = varve_read(
        varve_graph_root(b->graph), BENCH_PATH, options, &error);
    cr_assert_null(r, "at %zu: %s was restored", place, damaged->path);
    cr_assert_eq(error.status, VARVE_CORRUPT);
    snprintf(range, sizeof range, "bytes %llu to ",
        (unsigned long long)damaged->offset);
    cr_assert(strstr(error.message, BENCH_PATH) &&
        bench_names(error.message, damaged) && strstr(error.message, range),
        "at %zu: %s", place, error.message);
    cr_assert(everything_digest(&b->model) == before, "at %zu", place);
}

/* Returns patterns for all paths of a value; one value is shared. */
static const char *paths_of(const struct image_value *value)
{
    static const char shared[] = "a%2Fb%25c|network/gr\xc3\xb6\xc3\x9f" "e";
    return strcmp(value->path, "a%2Fb%25c") == 0 ? shared : value->path;
}

static void damage_value(struct bench *b, size_t place)
{
    static char others[BENCH_VALUES * 80];
    const struct image_value *damaged = image_find(&b->saved, place);
    bench_bytes(b)[place] ^= (unsigned char)(1 << place % 8);
    bench_check(b, &b->saved, place);
    expect_refusal(b, NULL, damaged, place);
    expect_refusal(
        b, &(varve_read_options){ .only = damaged->path }, damaged, place);
    restore_others(b, &(varve_read_options){ .except = paths_of(damaged) },
        damaged, place);
    if (name_others(b, damaged, others))
        restore_others(b, &(varve_read_options){ .only = others }, damaged,
            place);
    bench_repair(b);
}

TEST(damage, of_a_value_leaves_the_others_readable)
{
    struct bench b;
    bench_begin(&b, false);
    for (size_t place = 0; place < b.saved.size; place++)
        if (image_find(&b.saved, place))
            damage_value(&b, place);
    cr_assert_gt(b.tried, b.saved.count);
    proof_count("damage.untouched", b.tried);
    bench_end(&b, "damaged values");
}

/* A restore does not read padding; verifying does. */
TEST(damage, of_padding_leaves_all_values_readable)
{
    struct bench b;
    bench_begin(&b, false);
    for (size_t place = BENCH_HEADER; place < b.saved.data_end; place++) {
        if (image_find(&b.saved, place))
            continue;
        bench_bytes(&b)[place] = (unsigned char)(1 + place % 255);
        bench_check(&b, &b.saved, place);
        cr_assert(bench_read(&b, NULL, place));
        bench_repair(&b);
    }
    cr_assert_gt(b.right, 0);
    proof_count("damage.padding", b.tried);
    bench_end(&b, "padding");
}

/* For a value of several chunks, the message contains the range of the damaged
 * one. */
TEST(damage, of_a_chunk_is_reported_with_its_range)
{
    struct bench b;
    bench_begin(&b, true);
    uint64_t most = proof_size(200, 5000);
    for (uint64_t i = 0; i < most; i++) {
        size_t place;
        do
            place = (size_t)bench_random(&b, b.saved.data_end);
        while (!image_find(&b.saved, place));
        const struct image_value *value = image_find(&b.saved, place);
        struct image_value chunk = *value;
        chunk.offset += (place - value->offset) >> 20 << 20;
        bench_bytes(&b)[place] ^= 0x40;
        bench_check(&b, &b.saved, place);
        expect_refusal(&b, NULL, &chunk, place);
        bench_repair(&b);
    }
    proof_count("damage.chunks", b.tried);
    bench_end(&b, "chunks");
}
