/* test_options.c - Tests the options that reduce verification.
 *
 * no_verify: values are not verified; everything else is. Intact values are
 * correct, and varve_restoration_verify reports damaged ones. streaming: damage
 * is detected, but variables may already have new values. The error lists them;
 * all other variables are unchanged. map: like no_verify for mapped variables.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "damage/bench.h"

static varve_restoration *read_with(struct bench *b,
    const varve_read_options *options, varve_error *error)
{
    *error = (varve_error){ 0 };
    b->tried++;
    varve_restoration *r = varve_read(
        varve_graph_root(b->graph), BENCH_PATH, options, error);
    b->right += r != NULL;
    b->refused += r == NULL;
    return r;
}

static void check_verify_finds(varve_restoration *r,
    const struct image_value *damaged, size_t place)
{
    varve_error error = { 0 };
    cr_assert_eq(varve_restoration_verify(r, &error), VARVE_CORRUPT,
        "damage at %zu passes for good", place);
    cr_assert(bench_names(error.message, damaged), "%s", error.message);
}

/* Strings whose lengths do not match their bytes are always rejected. */
static void try_no_verify(struct bench *b, size_t place)
{
    const struct image_value *damaged = image_find(&b->saved, place);
    varve_read_options options = { .no_verify = true, .resources.threads = 1 };
    varve_error error;
    unsigned found[BENCH_VALUES];
    uint64_t before = everything_digest(&b->model);
    varve_restoration *r = read_with(b, &options, &error);
    if (!r) {
        bench_check_error(&error, place);
        cr_assert(everything_digest(&b->model) == before);
        cr_assert(!damaged || bench_names(error.message, damaged), "%s",
            error.message);
        return;
    }
    cr_assert(place >= BENCH_HEADER && place < b->saved.data_end);
    bench_look(b, found);
    for (size_t i = 0; i < b->saved.count; i++)
        cr_assert(&b->saved.values[i] == damaged || (found[i] & IS_SAVED),
            "at %zu: %s is wrong", place, b->saved.values[i].path);
    if (damaged)
        check_verify_finds(r, damaged, place);
    else
        cr_assert_ok(varve_restoration_verify(r, &error), error);
    varve_restoration_free(r);
    everything_fill(&b->model, BENCH_NOW);
}

TEST(damage, without_verification_affects_only_damaged_values)
{
    struct bench b;
    bench_begin(&b, false);
    for (size_t place = 0; place < b.saved.size; place++) {
        bench_bytes(&b)[place] ^= (unsigned char)(1 << place % 8);
        try_no_verify(&b, place);
        bench_repair(&b);
    }
    cr_assert(b.right > 0 && b.refused > 0);
    proof_count("damage.no_verify", b.tried);
    bench_end(&b, "reads that do not verify");
}

/* The lines after the first list the variables with new bytes. */
static void check_half(struct bench *b, const struct image_value *damaged,
    const varve_error *error, size_t place)
{
    unsigned found[BENCH_VALUES];
    cr_assert(bench_names(error->message, damaged), "at %zu: %s", place,
        error->message);
    const char *names = strchr(error->message, '\n');
    bench_look(b, found);
    for (size_t i = 0; i < b->saved.count; i++) {
        const struct image_value *value = &b->saved.values[i];
        bool is_named = names && bench_names(names, value);
        cr_assert(found[i] & IS_NOW || is_named,
            "at %zu: %s changed and is not named: %s", place, value->path,
            error->message);
        cr_assert(found[i] || value == damaged, "at %zu: %s is neither old "
            "nor new", place, value->path);
    }
}

TEST(damage, of_a_streaming_read_is_reported_with_changed_values)
{
    struct bench b;
    uint64_t half = 0;
    varve_read_options options = { .passes = VARVE_ONE_PASS,
        .resources.threads = 1 };
    bench_begin(&b, false);
    for (size_t place = 0; place < b.saved.size; place++) {
        varve_error error;
        const struct image_value *damaged = image_find(&b.saved, place);
        bench_bytes(&b)[place] ^= (unsigned char)(1 << place % 8);
        varve_restoration *r = read_with(&b, &options, &error);
        if (r)
            cr_assert(!damaged && place < b.saved.data_end &&
                !everything_differs(&b.model, BENCH_SAVED), "at %zu", place);
        else if (damaged)
            check_half(&b, damaged, &error, place);
        else
            bench_check_error(&error, place);
        half += error.status == VARVE_PARTIALLY_RESTORED;
        varve_restoration_free(r);
        everything_fill(&b.model, BENCH_NOW);
        bench_repair(&b);
    }
    cr_assert_gt(half, 0);
    proof_count("damage.streaming", b.tried);
    bench_end(&b, "streaming reads");
}

/* Adds the mapped variable after the read; it uses the pages of the file. */
static void try_mapped(struct bench *b, size_t place)
{
    const struct image_value *damaged = image_find(&b->saved, place);
    varve_read_options options = { .map = true, .resources.threads = 1 };
    varve_error error;
    varve_graph *graph = vv_graph_new_in(&b->context);
    varve_restoration *r = varve_read(
        varve_graph_root(graph), BENCH_PATH, &options, &error);
    cr_assert(r, "at %zu: %s", place, error.message);
    varve_node *paged = varve_add_allocated_variable(varve_graph_root(graph),
        "paged", VARVE_UINT8, VARVE_SHAPE(EVERYTHING_PAGED), NULL, NULL);
    const struct image_value *value = NULL;
    for (size_t i = 0; i < b->saved.count; i++)
        if (strcmp(b->saved.values[i].path, "paged") == 0)
            value = &b->saved.values[i];
    cr_assert_eq(varve_state_of(paged), VARVE_RESTORED, "at %zu", place);
    cr_assert_eq(memcmp(varve_data(paged), bench_bytes(b) + value->offset,
        EVERYTHING_PAGED), 0);
    if (damaged == value)
        check_verify_finds(r, value, place);
    else
        cr_assert_ok(varve_restoration_verify(r, &error), error);
    varve_restoration_free(r);
    varve_graph_free(graph);
    b->tried++;
}

TEST(damage, of_a_mapped_variable_is_found_by_verify)
{
    struct bench b;
    bench_begin(&b, true);
    uint64_t most = proof_size(200, 20000);
    for (uint64_t i = 0; i < most; i++) {
        const struct image_value *value =
            &b.saved.values[bench_random(&b, b.saved.count)];
        if (i % 2)
            while (strcmp(value->path, "paged") != 0)
                value = &b.saved.values[bench_random(&b, b.saved.count)];
        if (value->size == 0)
            continue;
        size_t place =
            (size_t)(value->offset + bench_random(&b, value->size));
        bench_bytes(&b)[place] ^= (unsigned char)(1 << i % 8);
        try_mapped(&b, place);
        bench_repair(&b);
    }
    proof_count("damage.mapped", b.tried);
    bench_end(&b, "mapped reads");
}
