/* writes.c - Defines the scenarios that write.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fault/writes.h"
#include "graph.h"
#include "reader.h"

static varve_status write_with(struct world *w,
    const varve_write_options *options, varve_error *error)
{
    return varve_write(
        varve_graph_root(w->graph), w->scenario->made, options, error);
}

static varve_status write_it(struct world *w, varve_error *error)
{
    varve_write_options options = everything_options();
    return write_with(w, &options, error);
}

static varve_status write_unsynced(struct world *w, varve_error *error)
{
    varve_write_options options = everything_options();
    options.no_sync = true;
    return write_with(w, &options, error);
}

/* Writes without replacing. After an unknown outcome the file exists and must
 * not be replaced. */
static varve_status write_beside_it(struct world *w, varve_error *error)
{
    varve_write_options options = everything_options();
    options.no_replace = true;
    varve_status status = write_with(w, &options, error);
    if (status != VARVE_EXISTS || !w->is_unknown)
        return status;
    *error = (varve_error){ 0 };
    return VARVE_OK;
}

static varve_status save_it(struct world *w, varve_error *error)
{
    varve_write_options options = everything_options();
    return varve_save(varve_graph_root(w->graph), "run/a", &options, error);
}

/* Checks that the new file has the values of the program. */
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

/* Checks the number of the newest file: the new one, or after an unknown
 * outcome the one after it. */
static void find_the_newest(struct world *w)
{
    uint64_t counter = varve_save_counter(varve_graph_root(w->graph));
    cr_assert(counter == 2 || counter == 3);
    read_back_from(w, "run/a");
}

const struct scenario first_write = {
    .name = "first write", .file = "run", .made = "run/deep/a.varve",
    .act = write_it, .check = read_back,
};

const struct scenario overwrite = {
    .name = "overwrite", .file = "run", .path = "run/a.varve",
    .made = "run/a.varve", .act = write_it, .check = read_back,
};

const struct scenario write_beside = {
    .name = "write without replacing", .file = "run", .path = "run/a.varve",
    .made = "run/b.varve", .act = write_beside_it, .check = read_back,
};

const struct scenario unsynced = {
    .name = "write without syncs", .file = "run", .path = "run/a.varve",
    .made = "run/a.varve", .act = write_unsynced, .check = read_back,
};

const struct scenario numbered_save = {
    .name = "numbered save", .file = "run", .path = "run/a-1.varve",
    .made = "run/a-2.varve", .act = save_it, .check = find_the_newest,
};
