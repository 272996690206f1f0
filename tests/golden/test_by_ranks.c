/* test_by_ranks.c - Tests that several processes can restore foreign sharded or
 * multi-file checkpoints, each its own rows.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/test.h"
#include "support/thread_comm.h"

enum { MOST_RANKS = 5, MOST_SLICES = 256 };

/* A shard, and the node of the file that contains its value. */
struct slice {
    varve_node *node;
    uint32_t id;
};

/* The objects of a rank. */
struct rank {
    const varve_comm *comm;
    varve_reader *reader;
    varve_graph *graph;
    struct slice slices[MOST_SLICES];
    size_t count;
    const char *trouble;
    varve_error error;
};

static struct run {
    const char *path;
    size_t counts[MOST_RANKS];
    char troubles[MOST_RANKS][sizeof((varve_error *)0)->message];
} run;

/* Returns the rows of a rank, none if the value has too few. */
static varve_box rows_of(const varve_comm *comm, const varve_tensor *value)
{
    varve_box box = { .start = { 0 } };
    memcpy(box.extents, value->shape, sizeof box.extents);
    uint64_t end = value->shape[0] * (comm->rank + 1) / comm->size;
    box.start[0] = value->shape[0] * comm->rank / comm->size;
    box.extents[0] = end - box.start[0];
    return box;
}

static void add(struct rank *r, varve_node *parent, const char *name,
    const varve_saved_node *saved)
{
    bool is_cut = saved->kind == VARVE_VARIABLE && saved->has_value &&
                  saved->value.dtype != VARVE_STRING && saved->value.rank > 0;
    if (!is_cut || r->count == MOST_SLICES)
        return;
    varve_box box = rows_of(r->comm, &saved->value);
    varve_shape shape =
        varve_shape_of(saved->value.rank, saved->value.shape);
    r->slices[r->count++] = (struct slice){
        .node = varve_add_allocated_slice(
            parent, name, saved->value.dtype, shape, &box, NULL, NULL),
        .id = saved->id,
    };
}

/* Builds each node once, at the first edge that leads to it. */
static void build(struct rank *r, varve_node *parent, uint32_t id, bool *seen)
{
    const char *name;
    uint32_t child;
    for (size_t i = 0;
         varve_reader_edge_at(r->reader, id, i, &name, &child); i++) {
        varve_saved_node saved;
        if (seen[child] || !varve_reader_node_at(r->reader, child, &saved))
            continue;
        seen[child] = true;
        add(r, parent, name, &saved);
        if (saved.edge_count > 0 && saved.kind != VARVE_VARIABLE)
            build(r, varve_add_object(parent, name), child, seen);
    }
}

static void compare(struct rank *r)
{
    for (size_t i = 0; i < r->count && !r->trouble; i++) {
        const varve_tensor *now = varve_value(r->slices[i].node);
        size_t size = (size_t)varve_tensor_size(now);
        varve_box box = { .start = { 0 } };
        memcpy(box.start, varve_slice_of(r->slices[i].node)->start,
            sizeof box.start);
        memcpy(box.extents, now->shape, now->rank * sizeof *now->shape);
        void *wanted = malloc(size + 1);
        if (varve_reader_read_box(r->reader, r->slices[i].id, &box, wanted,
                size, &r->error))
            r->trouble = r->error.message;
        else if (size && memcmp(wanted, now->data, size) != 0)
            r->trouble = "another value";
        free(wanted);
    }
}

static void restore(const varve_comm *comm, void *user)
{
    struct rank *r = calloc(1, sizeof *r);
    (void)user;
    r->comm = comm;
    r->reader = varve_reader_open(run.path, NULL, &r->error);
    r->graph = varve_graph_new(NULL);
    bool *seen = calloc(varve_reader_node_count(r->reader) + 1, 1);
    build(r, varve_graph_root(r->graph), 0, seen);
    varve_restoration *found = varve_read_all(
        comm, varve_graph_root(r->graph), run.path, NULL, &r->error);
    if (!found ||
        varve_assert_existing_objects_matched(found, &r->error) != VARVE_OK)
        r->trouble = r->error.message;
    if (found)
        compare(r);
    snprintf(run.troubles[comm->rank], sizeof run.troubles[0], "%s",
        r->trouble ? r->trouble : "");
    run.counts[comm->rank] = r->count;
    varve_restoration_free(found);
    varve_graph_free(r->graph);
    varve_reader_free(r->reader);
    free(seen);
    free(r);
}

/* Partitioned variables and shards of TensorFlow, sharded safetensors. */
TEST(by_ranks, files_of_other_libraries_are_restored_by_ranks)
{
    static const char *const files[] = { "partitioned.index",
        "merged_shards.index", "shards_of_size.index", "shards_by_task.index",
        "st_sharded.safetensors.index.json", "st_all_types.safetensors",
        "keras_adam.index" };
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        for (uint32_t size = 1; size <= MOST_RANKS; size++) {
            char path[512];
            snprintf(path, sizeof path, GOLDEN "foreign/%s", files[i]);
            run = (struct run){ .path = path };
            thread_comm_run(size, 0, -1, restore, NULL);
            for (uint32_t rank = 0; rank < size; rank++) {
                cr_assert_str_eq(run.troubles[rank], "",
                    "%s, rank %u of %u: %s", files[i], rank, size,
                    run.troubles[rank]);
                cr_assert_gt(run.counts[rank], 0, "%s", files[i]);
            }
        }
    }
}
