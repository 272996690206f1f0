/* test_carry.c - Tests that saves carry over pending values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <varve/job.h>
#include <varve/incremental.h>
#include <varve/snapshot.h>

/* A run: it always has `w`. Created later are an object with a variable,
 * strings, a state, a list, and a slot for each of two variables. */
struct run {
    varve_node *root;
    varve_node *w;
    varve_node *late;
    float weight[2];
    float average[3];
    varve_string names[2];
    float items[2];
    float slots[2];
    char state[8];
    size_t state_size;
};

static varve_status save_bytes(void *self, varve_sink *sink)
{
    const struct run *run = self;
    varve_put(sink, run->state, run->state_size);
    return VARVE_OK;
}

static varve_status load_bytes(void *self, const void *bytes, size_t size)
{
    struct run *run = self;
    memcpy(run->state, bytes, size);
    run->state_size = size;
    return VARVE_OK;
}

static void begin_run(struct run *run)
{
    *run = (struct run){ .root = new_root() };
    run->w = varve_add_variable(run->root, "w", varve_array(run->weight, 2));
}

static void build_late(struct run *run)
{
    static const varve_state_callbacks callbacks = { save_bytes, load_bytes };
    run->late = varve_add_object(run->root, "late");
    varve_node *average =
        varve_add_variable(run->late, "average", varve_array(run->average, 3));
    varve_tag(average, "ema");
    varve_add_variable(run->late, "names",
        varve_view(run->names, VARVE_STRING, VARVE_SHAPE(2)));
    varve_add_state(run->late, "state", &callbacks, run);
    varve_node *list = varve_add_list(run->late, "list");
    varve_add_variable(list, VARVE_APPEND, varve_array(&run->items[0], 1));
    varve_add_variable(list, VARVE_APPEND, varve_array(&run->items[1], 1));
    varve_add_slot(run->late, run->w, "m", varve_array(&run->slots[0], 1));
    varve_add_slot(run->late, average, "m", varve_array(&run->slots[1], 1));
    varve_track(run->late, "weight", run->w);
}

static void set_values(struct run *run, float base)
{
    for (int i = 0; i < 2; i++) {
        run->weight[i] = base + (float)i;
        run->items[i] = base + 10 + (float)i;
        run->slots[i] = base + 20 + (float)i;
    }
    for (int i = 0; i < 3; i++)
        run->average[i] = base + 30 + (float)i;
    run->names[0] = (varve_string){ "one", 3 };
    run->names[1] = (varve_string){ "", 0 };
    memcpy(run->state, "\1\2\3", 3);
    run->state_size = 3;
}

static void check_late(const struct run *run, float base)
{
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(run->items[i], base + 10 + (float)i);
        cr_assert_eq(run->slots[i], base + 20 + (float)i);
    }
    for (int i = 0; i < 3; i++)
        cr_assert_eq(run->average[i], base + 30 + (float)i);
    cr_assert_eq(run->names[0].size, 3);
    cr_assert_arr_eq(run->names[0].data, "one", 3);
    cr_assert_eq(run->names[1].size, 0);
    cr_assert_eq(run->state_size, 3);
    cr_assert_arr_eq(run->state, "\1\2\3", 3);
}

/* Writes a file of all nodes, and restores it to a run without the later
 * nodes. */
static varve_restoration *begin_resumed(struct run *run)
{
    struct run first;
    begin_run(&first);
    build_late(&first);
    set_values(&first, 100);
    write_root(first.root);
    free_root(first.root);
    begin_run(run);
    varve_restoration *r = read_root(run->root, NULL);
    cr_assert_eq(varve_pending_count(r), 7);
    cr_assert_eq(run->weight[1], 101);
    return r;
}

/* Checks that the file contains all values, by a run that creates all nodes. */
static void check_file(const char *path)
{
    struct run run;
    varve_error error = { 0 };
    begin_run(&run);
    varve_restoration *r = varve_read(run.root, path, NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(varve_pending_count(r), 7);
    build_late(&run);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    check_late(&run, 100);
    varve_restoration_free(r);
    free_root(run.root);
}

static size_t edges_and_nodes(const struct run *run)
{
    return varve_edge_count(run->root) + run->root->graph->number_limit;
}

TEST(carry, saves_pending_values_until_their_nodes_exist)
{
    struct run run;
    varve_error error = { 0 };
    begin_world();
    varve_restoration *r = begin_resumed(&run);
    size_t before = varve_edge_count(run.root);
    for (int i = 0; i < 3; i++) {
        cr_assert_ok(varve_write(run.root, "next", NULL, &error), error);
        cr_assert_eq(varve_edge_count(run.root), before);
        cr_assert_eq(varve_pending_count(r), 7);
        cr_assert_null(varve_find(run.root, "late"));
        check_file("next");
    }
    size_t limit = edges_and_nodes(&run);
    cr_assert_ok(varve_write(run.root, "next", NULL, &error), error);
    cr_assert_eq(edges_and_nodes(&run), limit, "nodes are given back");
    build_late(&run);
    check_late(&run, 100);
    cr_assert_eq(varve_pending_count(r), 0);
    run.average[0] = 5;
    cr_assert_ok(varve_write(run.root, "next", NULL, &error), error);
    varve_restoration_free(r);
    free_root(run.root);
    begin_run(&run);
    build_late(&run);
    r = varve_read(run.root, "next", NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    cr_assert_eq(run.average[0], 5, "the program's own by then");
    varve_restoration_free(r);
    free_root(run.root);
    end_world();
}

/* The file must be identical to that of a program with all nodes. */
TEST(carry, writes_the_same_bytes_as_a_complete_program)
{
    struct run run;
    varve_error error = { 0 };
    begin_world();
    varve_restoration *r = begin_resumed(&run);
    cr_assert_ok(varve_write(run.root, "carried", NULL, &error), error);
    build_late(&run);
    cr_assert_ok(varve_write(run.root, "whole", NULL, &error), error);
    varve_reader *a = open_world("carried");
    varve_reader *b = open_world("whole");
    cr_assert_eq(varve_reader_node_count(a), varve_reader_node_count(b));
    for (size_t i = 0; i < varve_reader_node_count(a); i++) {
        varve_saved_node x, y;
        varve_reader_node_at(a, i, &x);
        varve_reader_node_at(b, i, &y);
        cr_assert_str_eq(x.path, y.path);
        cr_assert_eq(x.tag_count, y.tag_count);
        cr_assert_arr_eq(x.digest, y.digest, sizeof x.digest);
    }
    varve_reader_free(a);
    varve_reader_free(b);
    varve_restoration_free(r);
    free_root(run.root);
    end_world();
}

TEST(carry, does_not_save_dropped_values)
{
    struct run run;
    varve_error error = { 0 };
    begin_world();
    varve_restoration *r = begin_resumed(&run);
    cr_assert_ok(varve_drop_pending(r, NULL, &error), error);
    cr_assert_ok(varve_write(run.root, "next", NULL, &error), error);
    varve_reader *reader = open_world("next");
    cr_assert_eq(varve_reader_node_count(reader), 2);
    varve_reader_free(reader);
    varve_restoration_free(r);
    free_root(run.root);
    end_world();
}

TEST(carry, follows_the_option)
{
    struct run run;
    varve_error error = { 0 };
    begin_world();
    varve_restoration *r = begin_resumed(&run);
    varve_write_options options = { .pending = VARVE_PENDING_FAIL };
    cr_assert_eq(varve_write(run.root, "next", &options, &error), VARVE_MISUSE);
    cr_assert(strstr(error.message, "late/average"), "%s", error.message);
    cr_assert_eq(varve_edge_count(run.root), 1);
    options.pending = VARVE_PENDING_OMIT;
    cr_assert_ok(varve_write(run.root, "next", &options, &error), error);
    varve_reader *reader = open_world("next");
    cr_assert_eq(varve_reader_node_count(reader), 2);
    varve_reader_free(reader);
    options.pending = (varve_pending_policy)3;
    cr_assert_eq(varve_write(run.root, "next", &options, &error), VARVE_MISUSE);
    build_late(&run);
    options.pending = VARVE_PENDING_FAIL;
    cr_assert_ok(varve_write(run.root, "next", &options, &error), error);
    varve_restoration_free(r);
    free_root(run.root);
    end_world();
}

TEST(carry, works_with_every_kind_of_save)
{
    struct run run;
    varve_error error = { 0 };
    begin_world();
    varve_restoration *r = begin_resumed(&run);
    cr_assert_ok(varve_save(run.root, "run", NULL, &error), error);
    check_file("run-1");
    varve_job *job = varve_write_async(run.root, "async", NULL, &error);
    cr_assert(job, "%s", error.message);
    cr_assert_ok(varve_job_wait(job, &error), error);
    varve_job_free(job);
    check_file("async");
    const varve_write_options rest = { .async.zero_copy = true };
    job = varve_save_async(run.root, "run", &rest, &error);
    cr_assert_ok(varve_job_wait(job, &error), error);
    varve_job_free(job);
    check_file("run-2");
    varve_snapshot *snapshot = varve_snapshot_new(run.root, &error);
    cr_assert_ok(
        varve_snapshot_write(snapshot, "snapshot", NULL, &error), error);
    varve_snapshot_free(snapshot);
    check_file("snapshot");
    varve_restoration_free(r);
    free_root(run.root);
    end_world();
}

TEST(carry, works_with_incremental_saves)
{
    struct run run;
    varve_error error = { 0 };
    begin_world();
    varve_restoration *r = begin_resumed(&run);
    varve_write_options options = { .incremental = true };
    for (int i = 1; i <= 3; i++) {
        run.weight[0] += 1;
        varve_mark_dirty(run.w);
        options.increment.only_dirty = i == 3;
        cr_assert_ok(varve_save(run.root, "run", &options, &error), error);
        char path[16];
        snprintf(path, sizeof path, "run-%d", i);
        check_file(path);
    }
    varve_restoration_free(r);
    free_root(run.root);
    end_world();
}

/* Pending values outside the saved subtree are not saved and cause no
 * failure. */
TEST(carry, applies_only_below_the_saved_node)
{
    float x = 1, y = 2;
    varve_error error = { 0 };
    begin_world();
    varve_node *root = new_root();
    varve_node *a = varve_add_object(root, "a");
    varve_node *b = varve_add_object(root, "b");
    varve_add_variable(a, "x", varve_scalar(&x));
    varve_add_variable(b, "y", varve_scalar(&y));
    write_root(root);
    free_root(root);
    root = new_root();
    a = varve_add_object(root, "a");
    b = varve_add_object(root, "b");
    varve_restoration *r = read_root(root, NULL);
    const varve_write_options options = { .pending = VARVE_PENDING_FAIL };
    varve_add_variable(a, "x", varve_scalar(&x));
    cr_assert_ok(varve_write(a, "a", &options, &error), error);
    cr_assert_eq(varve_write(b, "b", &options, &error), VARVE_MISUSE);
    cr_assert_ok(varve_write(b, "b", NULL, &error), error);
    varve_reader *reader = open_world("b");
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "y", &node) && node.has_value);
    cr_assert_not(varve_reader_find(reader, "x", &node));
    varve_reader_free(reader);
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* A value that exceeds the buffer of a save. */
TEST(carry, streams_large_values)
{
    enum { COUNT = 1500000 };
    varve_error error = { 0 };
    begin_world();
    double *large = malloc(COUNT * sizeof *large);
    for (int i = 0; i < COUNT; i++)
        large[i] = i * 0.5;
    varve_node *root = new_root();
    varve_add_variable(root, "large", varve_array(large, COUNT));
    varve_write_options packed = { 0 };
#ifdef VV_HAVE_ZSTD
    packed.compress = 1;
#endif
    cr_assert_ok(varve_write(root, FILE_NAME, &packed, &error), error);
    free_root(root);
    root = new_root();
    varve_restoration *r = read_root(root, NULL);
    cr_assert_ok(varve_write(root, "next", NULL, &error), error);
    varve_restoration_free(r);
    free_root(root);
    memset(large, 0, COUNT * sizeof *large);
    root = new_root();
    varve_add_variable(root, "large", varve_array(large, COUNT));
    r = varve_read(root, "next", NULL, &error);
    cr_assert(r, "%s", error.message);
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(large[i], i * 0.5);
    varve_restoration_free(r);
    free_root(root);
    free(large);
    end_world();
}

/* If any allocation fails, the save fails, and the graph and the pending values
 * are unchanged. */
TEST(carry, changes_nothing_without_memory)
{
    struct run run;
    begin_world();
    varve_restoration *r = begin_resumed(&run);
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = varve_write(run.root, "next", NULL, &error);
        test_fail_allocation(-1, false);
        cr_assert(
            !status || status == VARVE_NO_MEMORY, "%ld: %s", n, error.message);
        cr_assert_eq(varve_edge_count(run.root), 1);
        cr_assert_eq(varve_pending_count(r), 7);
        cr_assert_ok(varve_graph_check(run.root->graph, &error), error);
    }
    check_file("next");
    varve_restoration_free(r);
    free_root(run.root);
    end_world();
}

#ifdef VV_HAVE_FORMATS
/* A format that cannot represent a pending value refuses it, and the older file
 * remains. */
TEST(carry, writes_other_formats_or_is_refused)
{
    struct run run;
    varve_error error = { 0 };
    begin_world();
    varve_restoration *r = begin_resumed(&run);
    varve_write_options options = { .format = VARVE_FORMAT_SAFETENSORS };
    cr_assert_eq(
        varve_write(run.root, "x.safetensors", &options, &error), VARVE_MISUSE);
    cr_assert(strstr(error.message, "late/"), "%s", error.message);
    varve_reader *none =
        vv_reader_open_in(&world.context, "x.safetensors", &error);
    cr_assert_null(none, "nothing was published");
    cr_assert_ok(varve_drop_pending(r, "late/state|late/names", &error), error);
    cr_assert_ok(
        varve_write(run.root, "x.safetensors", &options, &error), error);
    varve_reader *reader = open_world("x.safetensors");
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "late/average", &node));
    cr_assert(node.has_value);
    varve_reader_free(reader);
    varve_restoration_free(r);
    free_root(run.root);
    end_world();
}
#endif
