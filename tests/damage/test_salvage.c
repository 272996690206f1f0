/* test_salvage.c - Tests `salvage`: if the index and one end of a damaged file
 * are intact, exactly the damaged values are lost and reported, and all others
 * are correct.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "damage/bench.h"

/* Checks that the lost values are those in the report, each once. */
static void check_named(struct bench *b, varve_restoration *r,
    const bool *is_lost, size_t place)
{
    varve_error error = { 0 };
    varve_report *report = varve_report_new(r, &error);
    cr_assert(report, "%s", error.message);
    size_t lost = 0;
    for (size_t i = 0; i < b->saved.count; i++) {
        bool is_named = false;
        varve_finding f;
        for (size_t k = 0;
             varve_report_at(report, VARVE_FINDING_DAMAGED, k, &f); k++)
            is_named |= f.offset == b->saved.values[i].offset &&
                        bench_names(f.file_path, &b->saved.values[i]);
        cr_assert_eq(is_named, is_lost[i], "at %zu: %s: lost %d, named %d",
            place, b->saved.values[i].path, is_lost[i], is_named);
        lost += is_lost[i];
    }
    cr_assert_eq(varve_report_count(report, VARVE_FINDING_DAMAGED), lost);
    varve_report_free(report);
    cr_assert_eq(varve_assert_consumed(r, &error),
        lost ? VARVE_UNMATCHED : VARVE_OK, "at %zu", place);
}

/* Returns true if the damaged file can be opened. */
static bool try_salvage(struct bench *b, uint64_t staging_size, size_t place)
{
    varve_read_options options = { .salvage.on = true,
        .resources = { .staging_size = staging_size,
        .threads = 1 } };
    varve_error error = { 0 };
    unsigned found[BENCH_VALUES];
    bool is_lost[BENCH_VALUES] = { false };
    b->tried++;
    varve_restoration *r = varve_read(
        varve_graph_root(b->graph), BENCH_PATH, &options, &error);
    if (!r) {
        bench_check_error(&error, place);
        b->refused++;
        return false;
    }
    b->right++;
    const unsigned char *bytes = bench_bytes(b);
    for (size_t i = 0; i < b->saved.count; i++) {
        const struct image_value *v = &b->saved.values[i];
        is_lost[i] = memcmp(bytes + v->offset, b->saved.bytes + v->offset,
                         (size_t)v->size) != 0;
    }
    check_named(b, r, is_lost, place);
    varve_restoration_free(r);
    bench_look(b, found);
    for (size_t i = 0; i < b->saved.count; i++)
        cr_assert(found[i] & (is_lost[i] ? IS_NOW : IS_SAVED),
            "at %zu: %s is wrong", place, b->saved.values[i].path);
    everything_fill(&b->model, BENCH_NOW);
    return true;
}

TEST(damage, costs_only_its_value_in_a_salvage)
{
    struct bench b;
    bench_begin(&b, false);
    for (size_t place = 0; place < b.saved.size; place++) {
        bench_bytes(&b)[place] ^= (unsigned char)(1 << place % 8);
        bool opens = try_salvage(&b, place % 2, place);
        bool is_index = place >= b.saved.data_end &&
                        place < b.saved.size - BENCH_FOOTER;
        cr_assert_eq(opens, !is_index,
            "at %zu: expected that %s is salvaged", place,
            is_index ? "no damaged index" : "what is not the index");
        bench_repair(&b);
    }
    proof_count("damage.salvaged", b.tried);
    bench_end(&b, "salvaged files");
}

/* One chunk with several values, and many damaged values at once. */
TEST(damage, of_many_values_costs_only_these_in_a_salvage)
{
    struct bench b;
    bench_begin(&b, true);
    uint64_t most = proof_size(60, 2000);
    for (uint64_t i = 0; i < most; i++) {
        uint64_t count = 1 + bench_random(&b, 8);
        size_t place = 0;
        for (uint64_t k = 0; k < count; k++) {
            const struct image_value *value =
                &b.saved.values[bench_random(&b, b.saved.count)];
            if (value->size == 0)
                continue;
            place = (size_t)(value->offset + bench_random(&b, value->size));
            bench_bytes(&b)[place] ^= (unsigned char)(1 << k % 8);
        }
        cr_assert(try_salvage(&b, i % 2, place));
        bench_repair(&b);
    }
    proof_count("damage.salvaged_many", b.tried);
    bench_end(&b, "files with many damages salvaged");
}
