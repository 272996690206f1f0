/* test_structure_in_file.c - Tests graphs whose large values stay in their
 * file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "graph.h"
#include "structure.h"
#include "support/faulty_system.h"
#include "support/memory_system.h"
#include "support/memory_tracker.h"
#include "support/test_context.h"

/* More than two chunks, and not a multiple of their size. */
enum { LARGE = 300007, SMALL = 3 };

/* Compressed values are tested too, if this build supports them. */
#ifdef VV_HAVE_ZSTD
enum { PACKED = 1 };
#else
enum { PACKED = 0 };
#endif

static float large[LARGE], slot[LARGE];
static int64_t small[SMALL];
static varve_string texts[1];

struct world {
    struct memory *disk;
    struct faulty *faulty;
    struct vv_context context;
};

static void fill(float begin)
{
    for (size_t i = 0; i < LARGE; i++) {
        large[i] = begin + (float)i;
        slot[i] = begin - (float)i;
    }
    for (size_t i = 0; i < SMALL; i++)
        small[i] = (int64_t)i + 7;
    texts[0] = (varve_string){ "text", 4 };
}

static varve_node *build(varve_graph *graph)
{
    varve_node *root = varve_graph_root(graph);
    varve_node *v =
        varve_add_variable(root, "large", varve_array(large, LARGE));
    varve_add_variable(root, "small", varve_array(small, SMALL));
    varve_add_variable(root, "texts", varve_array(texts, 1));
    varve_node *adam = varve_add_object(root, "adam");
    varve_add_slot(adam, v, "m", varve_array(slot, LARGE));
    return root;
}

static void begin(struct world *w, const char *path, int compress)
{
    varve_error error;
    w->disk = memory_new();
    w->faulty = faulty_new(memory_system(w->disk));
    w->context = test_context(faulty_system(w->faulty));
    varve_graph *graph = vv_graph_new_in(&w->context);
    fill(1);
    cr_assert_ok(varve_write(build(graph), path,
                     &(varve_write_options){ .compress = compress }, &error),
        error);
    varve_graph_free(graph);
}

static void end(struct world *w)
{
    cr_assert_eq(faulty_open_count(w->faulty), 0);
    faulty_free(w->faulty);
    memory_free(w->disk);
}

static varve_graph *over(
    struct world *w, const char *path, const varve_read_options *options)
{
    varve_error error = { 0 };
    varve_graph *graph = vv_graph_over_in(&w->context, path, options, &error);
    cr_assert(graph, "%s", error.message);
    return graph;
}

static void check_same_bytes(
    struct world *w, const char *one, const char *other)
{
    size_t size, other_size;
    unsigned char *bytes = memory_bytes(w->disk, one, &size);
    unsigned char *others = memory_bytes(w->disk, other, &other_size);
    cr_assert(bytes && others);
    cr_assert_eq(size, other_size);
    cr_assert_arr_eq(bytes, others, size);
}

/* Uncompressed and compressed. */
TEST(in_file, large_values_stay_in_the_file_and_can_be_written)
{
    for (int compress = 0; compress <= PACKED; compress++) {
        struct world w;
        varve_error error;
        begin(&w, "a.varve", compress);
        varve_graph *graph = over(&w, "a.varve", NULL);
        varve_node *root = varve_graph_root(graph);
        varve_node *v = varve_find(root, "large");
        cr_assert_null(varve_data(v));
        cr_assert_not_null(varve_value(v)->memory);
        cr_assert_eq(varve_state_of(v), VARVE_RESTORED);
        cr_assert_null(
            varve_data(varve_find_slot(varve_find(root, "adam"), v, "m")));
        const int64_t *read = varve_data(varve_find(root, "small"));
        cr_assert(read && read[2] == 9);
        cr_assert_not_null(varve_data(varve_find(root, "texts")));
        cr_assert_ok(
            varve_write(root, "b.varve",
                &(varve_write_options){ .compress = compress }, &error),
            error);
        check_same_bytes(&w, "a.varve", "b.varve");
        varve_graph_free(graph);
        end(&w);
    }
}

TEST(in_file, any_range_can_be_read)
{
    struct world w;
    begin(&w, "a.varve", PACKED);
    varve_graph *graph = over(&w, "a.varve", NULL);
    const varve_memory *m =
        varve_value(varve_find(varve_graph_root(graph), "large"))->memory;
    static float range[1 << 18];
    for (size_t at = 0; at + 1000 < LARGE; at += 99991) {
        for (size_t n = 1; n <= 1 << 18 && at + n <= LARGE; n *= 4) {
            memset(range, 0, sizeof range);
            cr_assert_eq(m->copy_out(m->self, at * 4, range, n * 4), VARVE_OK);
            cr_assert_eq(range[0], large[at]);
            cr_assert_eq(range[n - 1], large[at + n - 1]);
        }
    }
    cr_assert(!m->copy_in, "it is only read");
    varve_graph_free(graph);
    end(&w);
}

static uint64_t stays_from(const uint64_t *sizes, size_t count)
{
    struct vv_index index = { .value_count = (uint32_t)count };
    unsigned char *stored = calloc(count + 1, 8);
    for (size_t i = 0; i < count; i++)
        vv_store64(stored + 8 * i, sizes[i]);
    index.value_sizes = stored;
    uint64_t from = vv_in_file_from(&index);
    free(stored);
    return from;
}

TEST(in_file, small_values_are_loaded_up_to_a_limit)
{
    enum { MOST = 40000 };
    static uint64_t sizes[MOST];
    cr_assert_eq(stays_from(NULL, 0), 65536);
    for (size_t i = 0; i < MOST; i++)
        sizes[i] = 65536;
    cr_assert_eq(stays_from(sizes, MOST), 65536, "they stay anyway");
    for (size_t i = 0; i < MOST; i++)
        sizes[i] = i < 256 ? 32768 : 0;
    cr_assert_eq(stays_from(sizes, MOST), 65536, "8 MiB exactly");
    sizes[256] = 1;
    cr_assert_eq(stays_from(sizes, MOST), 32768);
    for (size_t i = 0; i < MOST; i++)
        sizes[i] = 1023;
    cr_assert_eq(stays_from(sizes, MOST), 512);
    for (size_t i = 0; i < MOST; i++)
        sizes[i] = 250;
    cr_assert_eq(stays_from(sizes, MOST), 256);
}

/* 16 MiB in values of 8 KiB. */
TEST(in_file, many_small_values_stay_in_the_file)
{
    enum { COUNT = 2048, EACH = 2048, MOST = 6 << 20 };
    struct world w;
    varve_error error = { 0 };
    begin(&w, "a.varve", 0);
    varve_graph *graph = vv_graph_new_in(&w.context);
    static float numbers[COUNT][EACH];
    for (size_t i = 0; i < COUNT; i++) {
        for (size_t j = 0; j < EACH; j++)
            numbers[i][j] = (float)(i + j);
        char name[16];
        snprintf(name, sizeof name, "%zu", i);
        varve_add_variable(
            varve_graph_root(graph), name, varve_array(numbers[i], EACH));
    }
    cr_assert_ok(
        varve_write(varve_graph_root(graph), "a.varve", NULL, &error), error);
    varve_graph_free(graph);
    test_reset_peak();
    size_t before = test_peak_bytes();
    graph = over(&w, "a.varve", NULL);
    varve_node *root = varve_graph_root(graph);
    cr_assert_ok(varve_write(root, "b.varve", NULL, &error), error);
    cr_assert_lt(test_peak_bytes() - before, MOST);
    check_same_bytes(&w, "a.varve", "b.varve");
    varve_node *last = varve_find(root, "2047");
    cr_assert(last && !varve_data(last));
    const varve_memory *m = varve_value(last)->memory;
    cr_assert(m);
    float part[2];
    cr_assert_eq(m->copy_out(m->self, 400, part, sizeof part), VARVE_OK);
    cr_assert_eq(part[1], (float)(COUNT - 1 + 101));
    varve_graph_free(graph);
    end(&w);
}

/* Values are verified at each access, not only when the graph is created. */
TEST(in_file, later_damage_fails_the_copy)
{
    struct world w;
    varve_error error = { 0 };
    size_t size;
    begin(&w, "a.varve", 0);
    varve_graph *graph = over(&w, "a.varve", NULL);
    memory_bytes(w.disk, "a.varve", &size)[64 + 4096 * 30] ^= 1;
    cr_assert_eq(varve_write(varve_graph_root(graph), "b.varve", NULL, &error),
        VARVE_CALLBACK);
    cr_assert(strstr(error.message, "VARVE_CORRUPT"), "%s", error.message);
    varve_graph_free(graph);
    cr_assert_null(vv_graph_over_in(&w.context, "a.varve", NULL, &error));
    cr_assert_eq(error.status, VARVE_CORRUPT);
    end(&w);
}

TEST(in_file, excluded_values_are_not_available)
{
    struct world w;
    varve_error error = { 0 };
    size_t size;
    begin(&w, "a.varve", 0);
    memory_bytes(w.disk, "a.varve", &size)[64 + 4096 * 30] ^= 1;
    varve_graph *graph =
        over(&w, "a.varve", &(varve_read_options){ .salvage.on = true });
    varve_node *root = varve_graph_root(graph);
    varve_node *v = varve_find(root, "large");
    varve_node *m = varve_find_slot(varve_find(root, "adam"), v, "m");
    cr_assert_neq(varve_state_of(v) == VARVE_DECLARED,
        varve_state_of(m) == VARVE_DECLARED, "one of them is damaged");
    cr_assert_ok(varve_write(root, "b.varve", NULL, &error), error);
    varve_graph_free(graph);
    graph = over(&w, "b.varve", &(varve_read_options){ .except = "large" });
    root = varve_graph_root(graph);
    cr_assert_eq(varve_state_of(varve_find(root, "large")), VARVE_DECLARED);
    cr_assert_eq(varve_state_of(varve_find(root, "small")), VARVE_RESTORED);
    varve_graph_free(graph);
    end(&w);
}

TEST(in_file, a_restoration_requires_equal_values)
{
    struct world w;
    varve_error error = { 0 };
    begin(&w, "a.varve", 0);
    varve_graph *graph = over(&w, "a.varve", NULL);
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = varve_read(root, "a.varve", NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    varve_restoration_free(r);
    varve_graph *other = vv_graph_new_in(&w.context);
    fill(2);
    cr_assert_ok(varve_write(build(other), "b.varve", NULL, &error), error);
    varve_graph_free(other);
    cr_assert_null(varve_read(root, "b.varve", NULL, &error));
    cr_assert_eq(error.status, VARVE_MISMATCH);
    cr_assert(strstr(error.message, "large"), "%s", error.message);
    varve_graph_free(graph);
    end(&w);
}

/* A copied subgraph has the value in its own memory. */
TEST(in_file, a_graft_outlives_the_file)
{
    struct world w;
    varve_error error = { 0 };
    begin(&w, "a.varve", PACKED);
    varve_graph *graph = over(&w, "a.varve", NULL);
    varve_graph *other = vv_graph_new_in(&w.context);
    varve_node *copy = varve_copy_subgraph(varve_graph_root(other), "copy",
        varve_find(varve_graph_root(graph), "large"), &error);
    cr_assert(copy, "%s", error.message);
    varve_graph_free(graph);
    const float *values = varve_data(copy);
    cr_assert_arr_eq(values, large, sizeof large);
    varve_graph_free(other);
    end(&w);
}

/* Every system call and every allocation fails once; nothing may be leaked. */
TEST(in_file, a_failure_leaks_nothing)
{
    struct world w;
    varve_error error;
    begin(&w, "a.varve", 0);
    for (int way = 0; way < 2; way++) {
        for (long n = 0;; n++) {
            faulty_plan(w.faulty,
                &(struct faulty_plan){ .number = way ? -1 : n, .error = EIO });
            test_fail_allocation(way ? n : -1, false);
            error.status = VARVE_OK;
            varve_graph *graph =
                vv_graph_over_in(&w.context, "a.varve", NULL, &error);
            bool hit = way ? test_allocation_count() > n : faulty_hit(w.faulty);
            test_fail_allocation(-1, false);
            cr_assert(graph || error.status);
            varve_graph_free(graph);
            if (!hit)
                break;
        }
    }
    faulty_plan(w.faulty, NULL);
    end(&w);
}
