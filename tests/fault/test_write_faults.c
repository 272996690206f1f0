/* test_write_faults.c - a write that fails anywhere leaves the older file, and
 * no other.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "fault/world.h"
#include "graph.h"
#include "reader.h"

static varve_status write_it(struct world *w, varve_error *error)
{
    varve_write_options options = everything_options();
    return varve_write(
        varve_graph_root(w->graph), w->scenario->made, &options, error);
}

static varve_status save_it(struct world *w, varve_error *error)
{
    varve_write_options options = everything_options();
    return varve_save(varve_graph_root(w->graph), "run/a", &options, error);
}

/* The new file holds what the program holds. */
static void read_back_from(struct world *w, const char *path)
{
    varve_error error = { 0 };
    struct everything copy = { .big = w->model.big };
    varve_graph *graph = vv_graph_new_in(&w->context);
    varve_node *root = varve_graph_root(graph);
    everything_build(&copy, graph);
    varve_restoration *r = varve_restore(root, path, NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_ok(varve_assert_consumed(r, &error), error);
    cr_assert_null(everything_differs(&copy, NOW));
    varve_restoration_free(r);
    varve_graph_free(graph);
    cr_assert(everything_digest(&w->model) == w->before);
}

static void read_back(struct world *w)
{
    read_back_from(w, w->scenario->made);
}

TEST(fault, a_first_write_is_done_or_leaves_nothing)
{
    try_all(&(struct scenario){ .name = "first write",
        .file = "run", .made = "run/deep/a.varve",
        .act = write_it, .check = read_back });
}

TEST(fault, an_overwrite_is_done_or_leaves_the_older_file)
{
    try_all(&(struct scenario){ .name = "overwrite", .file = "run",
        .path = "run/a.varve", .made = "run/a.varve",
        .act = write_it, .check = read_back });
}

/* The new number, or after an unknown outcome the one behind it. */
static void find_the_newest(struct world *w)
{
    uint64_t counter = varve_save_counter(varve_graph_root(w->graph));
    cr_assert(counter == 2 || counter == 3);
    read_back_from(w, "run/a");
}

TEST(fault, a_numbered_save_is_done_or_uses_no_number)
{
    try_all(&(struct scenario){ .name = "numbered save", .file = "run",
        .path = "run/a-1.varve", .made = "run/a-2.varve", .act = save_it,
        .check = find_the_newest });
}
