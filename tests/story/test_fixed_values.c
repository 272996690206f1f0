/* test_fixed_values.c - Tests that a fixed value that differs from the recorded
 * one is not saved.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/job.h>
#include <varve/memory.h>
#include <varve/slice.h>
#include <varve/snapshot.h>
#include <varve/struct.h>
#include <varve/collective.h>

#include "support/thread_comm.h"

static varve_graph *graph;
static varve_node *root;
static varve_error error;

static void begin(void)
{
    graph = story_graph();
    root = varve_graph_root(graph);
}

/* Checks that every kind of save in one process fails with the path. */
static void refused(const char *path)
{
    const char *file = test_path("refused");
    cr_assert_eq(varve_write(root, file, NULL, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, path), "%s", error.message);
    cr_assert(story_says(&error, "varve_tag"), "%s", error.message);
    cr_assert(story_is_one_line(&error), "%s", error.message);
    cr_assert_null(varve_write_async(root, file, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert(story_says(&error, path), "%s", error.message);
    cr_assert_eq(varve_save(root, file, NULL, &error), VARVE_MISUSE);
    cr_assert_null(varve_snapshot_new(root, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert(story_says(&error, path), "%s", error.message);
    cr_assert_eq(varve_read(root, file, NULL, NULL), NULL); /* not written */
}

static void restored(const char *name)
{
    varve_restoration *r = story_read(root, name, NULL);
    story_consumed(r);
    varve_restoration_free(r);
}

struct net {
    int inputs;
    char kind[8];
    double weight[4];
};
static const varve_field net_fields[] = {
    VARVE_FIELD(struct net, inputs, .is_fixed = true),
    VARVE_FIELD_TEXT(struct net, kind, .is_fixed = true),
    VARVE_FIELD_ARRAY(struct net, weight),
    VARVE_FIELDS_END,
};

TEST(fixed_values, of_a_freed_struct_are_not_saved)
{
    struct net net = { 4, "dense", { 1, 2, 3, 4 } };
    begin();
    varve_add_struct(root, "net", net_fields, &net);
    /* memory is used for something else */
    memset(&net.inputs, 0x5a, sizeof net.inputs);
    refused("net/inputs: a fixed value has changed since it was recorded, "
            "found 1515870810");
    net.inputs = 4;
    story_write(root, "a");
    strcpy(net.kind, "sparse");
    refused("net/kind: ");
    varve_graph_free(graph);
}

TEST(fixed_values, are_compared_when_a_snapshot_is_updated)
{
    int size = 16;
    begin();
    varve_add_fixed_variable(root, "size", varve_scalar(&size));
    varve_snapshot *s = varve_snapshot_new(root, &error);
    cr_assert_not_null(s, "%s", error.message);
    size = 17;
    cr_assert_eq(varve_snapshot_retake(s, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "size: "), "%s", error.message);
    varve_snapshot_free(s);
    varve_graph_free(graph);
}

TEST(fixed_values, are_recorded_again_when_they_are_tagged_again)
{
    int size = 16;
    begin();
    varve_node *node =
        varve_add_fixed_variable(root, "size", varve_scalar(&size));
    story_write(root, "a");
    size = 32;
    refused("size: ");
    varve_tag(node, "another");
    refused("size: ");
    varve_tag(node, VARVE_TAG_FIXED);
    story_write(root, "b");
    varve_untag(node, VARVE_TAG_FIXED);
    size = 64;
    story_write(root, "c");
    restored("c");
    varve_graph_free(graph);
}

TEST(fixed_values, are_recorded_again_when_a_file_has_the_same)
{
    int size = 16;
    begin();
    varve_add_fixed_variable(root, "size", varve_scalar(&size));
    story_write(root, "a");
    varve_graph_free(graph);
    begin();
    size = 0;
    varve_add_fixed_variable(root, "size", varve_scalar(&size));
    size = 16; /* as if read from a configuration */
    restored("a");
    story_write(root, "b");
    size = 17;
    refused("size: ");
    varve_graph_free(graph);
}

TEST(fixed_values, in_library_memory_are_recorded_when_it_is_restored)
{
    begin();
    varve_node *node = varve_add_allocated_variable(
        root, "size", VARVE_INT32, VARVE_SHAPE(2), NULL, NULL);
    int *size = varve_data(node);
    size[0] = size[1] = 3;
    story_write(root, "a");
    varve_graph_free(graph);

    begin();
    varve_defer_initializers(graph, true);
    node = varve_add_allocated_variable(
        root, "size", VARVE_INT32, VARVE_SHAPE(2), NULL, NULL);
    varve_tag(node, VARVE_TAG_FIXED);
    restored("a");
    size = varve_data(node);
    cr_assert_eq(size[1], 3);
    story_write(root, "b");
    size[1] = 4;
    refused("size: ");
    varve_tag(node, VARVE_TAG_FIXED);
    cr_assert_ok(varve_retype(node, VARVE_INT64, NULL, &error), error);
    story_write(root, "b");
    varve_graph_free(graph);
}

TEST(fixed_values, may_move_but_not_change)
{
    float here[6] = { 1, 2, 3, 4, 5, 6 }, there[6], apart[12] = { 0 };
    begin();
    varve_node *node =
        varve_add_fixed_variable(root, "table", varve_array(here, 3, 2));
    memcpy(there, here, sizeof here);
    memset(here, 0, sizeof here);
    refused("table: a fixed value has changed since it was recorded, found "
            "another one");
    varve_rebind(node, varve_array(there, 3, 2));
    story_write(root, "a");
    for (int i = 0; i < 6; i++)
        apart[2 * i] = there[i];
    varve_rebind(node,
        varve_strided(
            apart, VARVE_STRIDES(4 * sizeof *apart, 2 * sizeof *apart), 3, 2));
    story_write(root, "a");
    apart[10] = 7;
    refused("table: ");
    apart[10] = 6;
    story_write(root, "a");
    varve_rebind(node, varve_array(there, 2, 3));
    refused("table: ");
    varve_graph_free(graph);
}

TEST(fixed_values, of_many_chunks_are_compared_to_the_last_byte)
{
    enum { COUNT = 200001 };
    uint8_t *here = calloc(COUNT, 1);
    begin();
    varve_add_fixed_variable(root, "walls", varve_array(here, COUNT));
    story_write(root, "a");
    here[COUNT - 1] = 1;
    refused("walls: ");
    here[COUNT - 1] = 0;
    here[1 << 16] = 1;
    refused("walls: ");
    varve_graph_free(graph);
    free(here);
}

TEST(fixed_values, that_are_strings_are_compared_by_content)
{
    char name[] = "dense", same[] = "dense";
    varve_string words[2] = { { name, 5 }, { "b", 1 } };
    begin();
    varve_add_fixed_variable(root, "words", varve_array(words, 2));
    words[0].data = same;
    story_write(root, "a");
    same[0] = 'f';
    refused("words: ");
    varve_graph_free(graph);
}

static int device[2] = { 5, 6 };

static varve_status copy_out(
    void *self, uint64_t offset, void *bytes, size_t size)
{
    memcpy(bytes, (char *)self + offset, size);
    return VARVE_OK;
}

static varve_status copy_in(
    void *self, uint64_t offset, const void *bytes, size_t size)
{
    memcpy((char *)self + offset, bytes, size);
    return VARVE_OK;
}

TEST(fixed_values, with_access_functions_are_recorded_by_the_first_save)
{
    const varve_memory far = {
        .copy_out = copy_out, .copy_in = copy_in, .self = device
    };
    begin();
    varve_add_fixed_variable(
        root, "size", varve_far(&far, VARVE_INT32, VARVE_SHAPE(2)));
    device[1] = 7; /* no access function was called */
    story_write(root, "a");
    device[1] = 8;
    refused("size: ");
    device[1] = 6;
    varve_graph_free(graph);
}

static char letter = 'a';

static varve_status save_letter(void *self, varve_sink *sink)
{
    varve_put(sink, self, 1);
    return VARVE_OK;
}

static varve_status load_letter(void *self, const void *bytes, size_t size)
{
    memcpy(self, bytes, size);
    return VARVE_OK;
}

TEST(fixed_values, of_states_are_recorded_by_the_first_save)
{
    static const varve_state_callbacks calls = { save_letter, load_letter };
    begin();
    varve_node *node = varve_add_state(root, "state", &calls, &letter);
    varve_tag(node, VARVE_TAG_FIXED);
    letter = 'b';
    story_write(root, "a");
    letter = 'c';
    refused("state: ");
    varve_tag(node, VARVE_TAG_FIXED);
    story_write(root, "a");
    letter = 'a';
    varve_graph_free(graph);
}

struct grid {
    int rows, columns, count;
    double *cells;
    float *more;
};
static const varve_field grid_fields[] = {
    VARVE_FIELD(struct grid, rows, .is_fixed = true),
    VARVE_FIELD(struct grid, columns),
    VARVE_FIELD(struct grid, count),
    VARVE_FIELD_POINTER_2D(
        struct grid, cells, rows, columns, .room = calloc),
    VARVE_FIELD_POINTER(struct grid, more, count),
    VARVE_FIELDS_END,
};

TEST(fixed_values, that_are_counts_change_with_their_array)
{
    float more[3] = { 1, 2, 3 };
    double cells[6] = { 1, 2, 3, 4, 5, 6 };
    struct grid grid = { 2, 3, 2, cells, more }, other = { 0 };
    begin();
    varve_add_struct(root, "grid", grid_fields, &grid);
    story_write(root, "a");
    grid.count = 3; /* is fixed as a count, but the program has set it */
    story_write(root, "b");
    grid.count = 0, grid.more = NULL;
    story_write(root, "a");
    varve_graph_free(graph);

    begin();
    varve_add_struct(root, "grid", grid_fields, &other);
    restored("a"); /* the library has set the count */
    cr_assert(other.rows == 2 && other.columns == 3 && other.cells[5] == 6);
    story_write(root, "c");
    other.rows = 1;
    refused("grid/rows: ");
    varve_graph_free(graph);
    free(other.cells);
}

enum { RANKS = 3 };

static void save_slices(const varve_comm *comm, void *user)
{
    int rows[2] = { (int)comm->rank, 5 };
    const uint64_t start[] = { (uint64_t)comm->rank * 2 };
    varve_error told = { 0 };
    varve_graph *own = varve_graph_new(NULL);
    varve_node *top = varve_graph_root(own);
    varve_node *slice = varve_add_slice(top, "rows", varve_array(rows, 2),
        VARVE_SHAPE(RANKS * 2), start);
    varve_tag(slice, VARVE_TAG_FIXED);
    varve_status first = varve_write_all(comm, top, user, NULL, &told);
    rows[1] += comm->rank == 1;
    varve_status second = varve_write_all(comm, top, user, NULL, &told);
    cr_assert(first == VARVE_OK && second == VARVE_MISUSE);
    cr_assert(story_says(&told, "rows: "), "%s", told.message);
    varve_graph_free(own);
}

TEST(fixed_values, that_changed_on_one_rank_fail_the_save_of_all)
{
    char path[512];
    snprintf(path, sizeof path, "%s", test_path("all"));
    thread_comm_run(RANKS, 0, -1, save_slices, path);
}
