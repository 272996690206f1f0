/* test_other_faults.c - Injects faults into building graphs, dry runs, queries,
 * readers and in-memory snapshots.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>
#include <string.h>

#include "fault/sweep.h"
#include "graph.h"
#include "reader.h"
#include "save.h"

/* --- Building ------------------------------------------------------------- */

static varve_status build(struct world *w, varve_error *error)
{
    varve_graph *graph = vv_graph_new_in(&w->context);
    struct everything model = { .big = w->model.big };
    everything_build(&model, graph);
    varve_status status = varve_graph_check(graph, error);
    everything_fill(&model, OLD);
    varve_graph_free(graph);
    everything_fill(&w->model, NOW);
    return status;
}

TEST(fault, building_a_graph_continues_and_reports_failed_allocations)
{
    try_all(&(struct scenario){ .name = "building", .file = "", .act = build });
}

/* --- Plans, reports, assertions ------------------------------------------- */

static varve_status plan(struct world *w, varve_error *error)
{
    varve_restoration *r = varve_dry_run(varve_graph_root(w->graph),
        w->scenario->path, NULL, error);
    if (!r)
        return error->status;
    varve_report *report = varve_report_new(r, error);
    varve_status status = report ? VARVE_OK : error->status;
    if (report)
        cr_assert_eq(varve_report_count(report, VARVE_FINDING_MISMATCHED), 0);
    varve_report_free(report);
    varve_restoration_free(r);
    return status;
}

TEST(fault, a_dry_run_succeeds_or_fails_and_changes_nothing)
{
    try_all(&(struct scenario){ .name = "plan", .file = "run/a-1.varve",
        .path = "run/a-1.varve", .act = plan });
}

/* Reads into a model that lacks one name and has an additional one. */
static void read_a_part(struct world *w)
{
    static float spare[2];
    varve_error error;
    varve_node *root = varve_graph_root(w->graph);
    varve_untrack(root, "words");
    varve_add_variable(root, "wordz", varve_array(spare, 2));
    w->restoration = varve_read(root, w->scenario->path, NULL, &error);
    cr_assert(w->restoration, "%s", error.message);
}

/* Returns the status of a call that must either find something or report that
 * memory is exhausted. */
static varve_status finds(varve_status status, varve_error *error)
{
    if (status != VARVE_UNMATCHED)
        return status;
    cr_assert(strstr(error->message, "words") ||
        strstr(error->message, "wordz"), "%s", error->message);
    *error = (varve_error){ 0 };
    return VARVE_OK;
}

static varve_status ask(struct world *w, varve_error *error)
{
    varve_restoration *r = w->restoration;
    varve_report *report = varve_report_new(r, error);
    if (!report)
        return error->status;
    cr_assert_eq(varve_report_count(report, VARVE_FINDING_PENDING), 1);
    cr_assert_eq(varve_report_count(report, VARVE_FINDING_MISSING), 1);
    cr_assert(strstr(varve_report_text(report), "wordz"));
    varve_report_free(report);
    varve_status status = finds(varve_assert_consumed(r, error), error);
    if (!status)
        status = finds(
            varve_assert_existing_objects_matched(r, error), error);
    if (!status)
        status = varve_assert_nontrivial_match(r, error);
    return status ? status : varve_restoration_verify(r, error);
}

TEST(fault, reports_and_assertions_succeed_or_fail)
{
    try_all(&(struct scenario){ .name = "report and assertions",
        .file = "run/a-1.varve", .path = "run/a-1.varve",
        .prepare = read_a_part, .act = ask });
}

/* --- Readers -------------------------------------------------------------- */

static varve_status read_all(varve_reader *reader, varve_error *error)
{
    varve_saved_node node;
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++) {
        if (!node.has_value)
            continue;
        void *bytes = malloc((size_t)node.size + 1);
        varve_status status =
            varve_reader_read(reader, i, bytes, (size_t)node.size, error);
        free(bytes);
        if (status)
            return status;
    }
    return varve_reader_verify(reader, NULL, error);
}

static varve_status look_inside(struct world *w, varve_error *error)
{
    varve_reader *reader =
        vv_reader_open_in(&w->context, w->scenario->path, error);
    if (!reader)
        return error->status;
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "network/layers/1/kernel", &node));
    varve_status status = read_all(reader, error);
    varve_reader_free(reader);
    return status;
}

TEST(fault, a_reader_opens_verifies_and_reads_or_reports_an_error)
{
    try_all(&(struct scenario){ .name = "reader", .file = "run/a-1.varve",
        .path = "run/a-1.varve", .act = look_inside });
}

/* --- The newest file ------------------------------------------------------ */

static varve_status look_for_newest(struct world *w, varve_error *error)
{
    struct vv_buffer found;
    vv_buffer_init(&found, &w->context.allocator);
    varve_status status =
        vv_find_checkpoint(&w->context, "run/a", true, &found, error);
    if (!status)
        cr_assert_str_eq((const char *)found.data, "run/a-1.varve");
    vv_buffer_clear(&found);
    return status;
}

TEST(fault, the_newest_file_is_found_or_an_error_is_reported)
{
    try_all(&(struct scenario){ .name = "latest", .file = "run",
        .path = "run/a-1.varve", .act = look_for_newest });
}

/* --- Snapshots ------------------------------------------------------------ */

static varve_status snapshot(struct world *w, varve_error *error)
{
    if (!w->snapshot)
        w->snapshot =
            varve_snapshot_new(varve_graph_root(w->graph), error);
    return w->snapshot ? VARVE_OK : error->status;
}

TEST(fault, a_snapshot_is_taken_completely_or_not)
{
    try_all(&(struct scenario){ .name = "snapshot", .file = "",
        .act = snapshot });
}

/* Takes a snapshot of OLD and fills the program with NOW. */
static void keep_old(struct world *w)
{
    varve_error error;
    everything_fill(&w->model, OLD);
    cr_assert_ok(snapshot(w, &error), error);
    everything_fill(&w->model, NOW);
}

static varve_status go_back(struct world *w, varve_error *error)
{
    return varve_snapshot_restore(w->snapshot, error);
}

static void holds_old(struct world *w)
{
    const char *wrong = everything_differs(&w->model, OLD);
    cr_assert_null(wrong, "%s is not as in the snapshot", wrong);
}

TEST(fault, restoring_a_snapshot_needs_no_memory)
{
    try_all(&(struct scenario){ .name = "snapshot restored", .file = "",
        .prepare = keep_old, .act = go_back, .check = holds_old });
}

static varve_status retake(struct world *w, varve_error *error)
{
    varve_status status = varve_snapshot_retake(w->snapshot, error);
    if (!status)
        return VARVE_OK;
    test_fail_allocation(-1, false); /* the snapshot still contains OLD */
    varve_error second;
    cr_assert_ok(varve_snapshot_restore(w->snapshot, &second), second);
    holds_old(w);
    everything_fill(&w->model, NOW);
    return status;
}

static void holds_now(struct world *w)
{
    varve_error error;
    everything_fill(&w->model, OLD);
    cr_assert_ok(varve_snapshot_restore(w->snapshot, &error), error);
    const char *wrong = everything_differs(&w->model, NOW);
    cr_assert_null(wrong, "%s is not as in the snapshot", wrong);
}

TEST(fault, a_retaken_snapshot_has_the_new_or_the_old_values)
{
    try_all(&(struct scenario){ .name = "snapshot retaken", .file = "",
        .prepare = keep_old, .act = retake, .check = holds_now });
}
