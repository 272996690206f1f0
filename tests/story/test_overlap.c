/* test_overlap.c - Tests that two values are never restored into the same
 * memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include "support/thread_comm.h"

static varve_error error;

static void check_refused(varve_status status)
{
    cr_assert_eq(status, VARVE_MISUSE);
    cr_assert_eq(
        strncmp(error.message, "b: shares memory with a: ", 25) != 0 &&
            strncmp(error.message, "b: has the same memory as a: ", 29) != 0,
        0, "%s", error.message);
}

TEST(overlap, is_refused_before_anything_is_restored_or_saved)
{
    float one[4] = { 1, 2, 3, 4 }, two[4] = { 5, 6, 7, 8 };
    float m[6] = { 0 }, none[6] = { 0 };
    const char *path = test_path("a.varve");
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "a", varve_array(one, 4));
    varve_add_variable(root, "b", varve_array(two, 4));
    cr_assert_ok(varve_write(root, path, NULL, &error), error);
    varve_graph_free(graph);
    graph = varve_graph_new(test_allocator());
    root = varve_graph_root(graph);
    varve_add_variable(root, "a", varve_array(m, 4));
    varve_node *b = varve_add_variable(root, "b", varve_array(m + 2, 4));
    cr_assert_null(varve_read(root, path, NULL, &error));
    check_refused(error.status);
    cr_assert_null(varve_dry_run(root, path, NULL, &error));
    check_refused(error.status);
    cr_assert_eq(memcmp(m, none, sizeof m), 0);
    check_refused(varve_save(root, test_path("n"), NULL, &error));
    check_refused(varve_write(root, path, NULL, &error));
    cr_assert_null(varve_write_async(root, path, NULL, &error));
    check_refused(error.status);
    cr_assert_null(varve_save_async(root, test_path("n"), NULL, &error));
    check_refused(error.status);
    cr_assert_eq(test_file_count(), 1, "no save has begun");
    varve_manager *manager =
        varve_manager_new(root, test_path("run"), NULL, &error);
    check_refused(varve_manager_save(manager, 1, &error));
    varve_rebind(b, varve_array(two, 4));
    cr_assert_ok(varve_manager_save(manager, 1, &error), error);
    varve_manager_free(manager);
    varve_graph_free(graph);
}

TEST(overlap, of_a_variable_added_later_is_found_by_an_assertion)
{
    float one[4] = { 1, 2, 3, 4 }, two[4] = { 5, 6, 7, 8 }, m[6];
    const char *path = test_path("a.varve");
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "a", varve_array(one, 4));
    varve_add_variable(root, "b", varve_array(two, 4));
    cr_assert_ok(varve_write(root, path, NULL, &error), error);
    varve_graph_free(graph);
    graph = varve_graph_new(test_allocator());
    root = varve_graph_root(graph);
    varve_restoration *r = varve_read(root, path, NULL, &error);
    cr_assert(r);
    varve_add_variable(root, "a", varve_array(m, 4));
    varve_add_variable(root, "b", varve_array(m + 2, 4));
    check_refused(varve_assert_consumed(r, &error));
    check_refused(varve_assert_existing_objects_matched(r, &error));
    varve_restoration_free(r);
    varve_graph_free(graph);
}

enum { RANKS = 3 };

struct together {
    const char *path;
    bool is_background, is_numbered;
    varve_status statuses[RANKS];
    varve_error errors[RANKS];
};

/* Only the values of the last rank overlap. */
static void save_together(const varve_comm *comm, void *user)
{
    struct together *t = user;
    uint32_t i = comm->rank;
    float m[8] = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "a", varve_array(m, 4));
    varve_add_variable(
        root, "b", varve_array(m + (i == RANKS - 1 ? 3 : 4), 4));
    if (t->is_background) {
        varve_job *job =
            (t->is_numbered ? varve_save_all_async : varve_write_all_async)(
                comm, root, t->path, NULL, &t->errors[i]);
        t->statuses[i] = job ? VARVE_OK : t->errors[i].status;
        varve_job_free(job);
    } else {
        t->statuses[i] = (t->is_numbered ? varve_save_all : varve_write_all)(
            comm, root, t->path, NULL, &t->errors[i]);
    }
    varve_graph_free(graph);
}

TEST(overlap, on_one_rank_is_refused_before_any_rank_saves)
{
    for (int way = 0; way < 4; way++) {
        struct together t = { .path = test_path("t"),
            .is_background = way & 1, .is_numbered = way & 2 };
        thread_comm_run(RANKS, 0, -1, save_together, &t);
        for (int i = 0; i < RANKS; i++) {
            cr_assert_eq(t.statuses[i], VARVE_MISUSE, "way %d", way);
            cr_assert_not_null(
                strstr(t.errors[i].message, "rank 2: b: shares memory"),
                "%s", t.errors[i].message);
        }
        cr_assert_eq(test_file_count(), 0);
    }
}

/* Only the snapshot detects it: it has the values of one point in time. */
TEST(overlap, is_restored_and_written_by_a_snapshot)
{
    float m[6] = { 1, 2, 3, 4, 5, 6 };
    const float before[6] = { 1, 2, 3, 4, 5, 6 };
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "a", varve_array(m, 4));
    varve_add_variable(root, "b", varve_array(m + 2, 4));
    varve_snapshot *s = varve_snapshot_new(root, &error);
    cr_assert(s, "%s", error.message);
    memset(m, 0, sizeof m);
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    cr_assert_eq(memcmp(m, before, sizeof m), 0);
    const char *path = test_path("s.varve");
    cr_assert_ok(varve_snapshot_write(s, path, NULL, &error), error);
    varve_snapshot_free(s);
    varve_graph_free(graph);
}

/* A saver saves synchronously and asynchronously. */
TEST(overlap, is_refused_before_a_saver_saves)
{
    for (int i = 0; i < 2; i++) {
        float m[6] = { 0 };
        const varve_saver_options options = { .async = i };
        varve_graph *graph = varve_graph_new(test_allocator());
        varve_node *root = varve_graph_root(graph);
        varve_node *a = varve_add_variable(root, "a", varve_array(m, 4));
        varve_node *b = varve_add_variable(root, "b", varve_array(m + 2, 4));
        varve_saver *saver = varve_saver_new(graph, &options, &error);
        cr_assert_ok(varve_saver_add(saver, "a", a, &error), error);
        cr_assert_ok(varve_saver_add(saver, "b", b, &error), error);
        varve_status status =
            varve_saver_save(saver, test_path("s"), NULL, &error);
        if (!status)
            status = varve_saver_wait(saver, &error);
        check_refused(status);
        cr_assert_null(varve_saver_latest(saver));
        varve_saver_free(saver);
        varve_graph_free(graph);
    }
}
