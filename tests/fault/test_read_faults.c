/* test_read_faults.c - Tests that a read that fails at any point changes
 * nothing and succeeds once the fault is removed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fault/sweep.h"
#include "graph.h"

static void holds_the_file(struct world *w)
{
    const char *wrong = everything_differs(&w->model, OLD);
    cr_assert_null(wrong, "%s is not as in the file", wrong);
}

static varve_status keep(
    struct world *w, varve_restoration *r, varve_error *error)
{
    w->restoration = r;
    return r ? VARVE_OK : error->status;
}

static varve_status read_with(
    struct world *w, const varve_read_options *options, varve_error *error)
{
    return keep(w, varve_read(varve_graph_root(w->graph), w->scenario->path,
        options, error), error);
}

static varve_status read_plainly(struct world *w, varve_error *error)
{
    return read_with(w, NULL, error);
}

TEST(fault, a_read_is_complete_or_changes_nothing)
{
    try_all(&(struct scenario){ .name = "read", .file = "run/a-1.varve",
        .path = "run/a-1.varve", .act = read_plainly,
        .check = holds_the_file });
}

static varve_status restore_it(struct world *w, varve_error *error)
{
    return keep(w, varve_restore(
        varve_graph_root(w->graph), "run/a", NULL, error), error);
}

static void holds_the_counter(struct world *w)
{
    holds_the_file(w);
    cr_assert_eq(varve_save_counter(varve_graph_root(w->graph)), 1);
}

TEST(fault, a_restore_of_the_latest_is_complete_or_changes_nothing)
{
    try_all(&(struct scenario){ .name = "restore", .file = "run",
        .path = "run/a-1.varve", .act = restore_it,
        .check = holds_the_counter });
}

static varve_status read_twice(struct world *w, varve_error *error)
{
    return read_with(w,
        &(varve_read_options){
            .passes = VARVE_TWO_PASSES, .resources.staging_size = 4096 },
        error);
}

TEST(fault, a_read_in_two_passes_is_partial_only_in_the_second)
{
    try_all(&(struct scenario){ .name = "two passes", .file = "run/a-1.varve",
        .path = "run/a-1.varve", .may_half = true, .act = read_twice,
        .check = holds_the_file });
}

static varve_status read_streaming(struct world *w, varve_error *error)
{
    return read_with(
        w, &(varve_read_options){ .passes = VARVE_ONE_PASS }, error);
}

TEST(fault, a_streaming_read_reports_a_partial_restore)
{
    try_all(&(struct scenario){ .name = "streaming", .file = "run/a-1.varve",
        .path = "run/a-1.varve", .may_half = true, .act = read_streaming,
        .check = holds_the_file });
}

/* --- Deferred ------------------------------------------------------------- */

static void open_first(struct world *w)
{
    varve_error error;
    cr_assert_ok(read_with(w, NULL, &error), error);
}

/* Builds nodes after a read. Nodes that could not be built remain missing;
 * values that could not be restored remain pending. */
static varve_status build_late(struct world *w, varve_error *error)
{
    varve_status status;
    if (w->model.kernels[0]) {
        status = varve_restoration_retry(w->restoration, error);
    } else {
        everything_build(&w->model, w->graph);
        status = VARVE_OK;
    }
    if (!status)
        status = varve_graph_check(w->graph, error);
    w->is_stuck = w->graph->mistake.status != VARVE_OK;
    return status;
}

TEST(fault, a_failed_late_value_is_restored_by_the_next_attempt)
{
    try_all(&(struct scenario){ .name = "late arrival",
        .file = "run/a-1.varve", .path = "run/a-1.varve", .is_empty = true,
        .prepare = open_first, .act = build_late, .check = holds_the_file });
}

/* Opens the file for mapping. Only memory that the program has not accessed can
 * be replaced by pages of the file. */
static void open_mapped(struct world *w)
{
    varve_error error;
    cr_assert_ok(
        read_with(w, &(varve_read_options){ .map = true }, &error), error);
}

static long maps; /* runs that mapped a variable */

static varve_status build_mapped(struct world *w, varve_error *error)
{
    varve_status status = build_late(w, error);
    size_t at = faulty_log_find(w->faulty, FAULTY_MAP, 0);
    maps += at < faulty_log_size(w->faulty);
    return status;
}

/* If memory could not be mapped during matching, a variable is filled by
 * reading. */
TEST(fault, a_failed_mapping_is_restored_by_the_next_attempt)
{
    try_all(&(struct scenario){ .name = "mapped", .file = "run/a-1.varve",
        .path = "run/a-1.varve", .is_empty = true, .prepare = open_mapped,
        .act = build_mapped, .check = holds_the_file });
    cr_assert(maps > 50, "only %ld acts mapped anything", maps);
}

/* --- Other types and shapes ----------------------------------------------- */

static struct {
    int64_t whole[6];
    double real[6];
    float bias[5];
} wide;

static void build_wide(struct world *w)
{
    varve_node *root = varve_graph_root(w->graph);
    varve_node *numbers = varve_add_dict(root, "numbers");
    varve_add_variable(numbers, "int16", varve_array(wide.whole, 6));
    varve_add_variable(numbers, "float32", varve_array(wide.real, 3, 2));
    varve_node *layers =
        varve_add_list(varve_add_object(root, "network"), "layers");
    varve_add_variable(varve_add_object(layers, VARVE_APPEND), "bias",
        varve_array(wide.bias, 5));
    for (int i = 0; i < 6; i++)
        wide.real[i] = (double)(wide.whole[i] = 77);
    for (int i = 0; i < 5; i++)
        wide.bias[i] = 78;
}

static varve_status read_wide(struct world *w, varve_error *error)
{
    for (int i = 0; i < 6 && !w->restoration; i++)
        cr_assert(wide.whole[i] == 77 && wide.real[i] == 77);
    varve_status status = read_with(w, &(varve_read_options){
        .cast = VARVE_CAST_WIDEN, .reshape = true,
        .resize = "network/layers/*/bias" }, error);
    for (int i = 0; i < 6 && status; i++)
        cr_assert(wide.whole[i] == 77 && wide.real[i] == 77);
    return status;
}

/* The model filled with OLD contains the values before widening. */
static void holds_wide_values(struct world *w)
{
    (void)w;
    struct everything old = { 0 };
    everything_fill(&old, OLD);
    for (int i = 0; i < 6; i++) {
        const short *whole = (const void *)old.numbers[VARVE_INT16 - 1];
        const float *real = (const void *)old.numbers[VARVE_FLOAT32 - 1];
        cr_assert_eq(wide.whole[i], whole[i]);
        cr_assert(wide.real[i] == (double)real[i]);
    }
    for (int i = 0; i < 3; i++)
        cr_assert(wide.bias[i] == old.bias[0][i]);
    cr_assert(wide.bias[3] == 78 && wide.bias[4] == 78);
}

TEST(fault, a_read_with_casts_is_complete_or_changes_nothing)
{
    try_all(&(struct scenario){ .name = "cast and resize",
        .file = "run/a-1.varve", .path = "run/a-1.varve", .is_empty = true,
        .prepare = build_wide, .act = read_wide,
        .check = holds_wide_values });
}
