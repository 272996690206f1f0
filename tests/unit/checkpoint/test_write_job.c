/* test_write_job.c - Tests the handle of an asynchronous save.
 *
 * SPDX-License-Identifier: MIT
 */
#include "backgrounds.h"

#include <sched.h>

TEST(job, has_the_values_of_its_call)
{
    begin_gate();
    struct text_state state = { .text = "before" };
    char text[] = "before", name[] = "step";
    varve_string string = { text, 6 };
    varve_metadata metadata = { name, VARVE_METADATA_STRING, .string = text };
    varve_write_options options = { .metadata = &metadata,
        .metadata_count = 1 };
    varve_add_state(gate.root, "s", &text_callbacks, &state);
    varve_add_variable(gate.root, "t", varve_array(&string, 1));
    write_root(gate.root);
    size_t size, other_size;
    varve_error error = { 0 };
    cr_assert_ok(varve_write(gate.root, "sync", &options, &error), error);
    close_gate();
    varve_job *first = begin_write("first", NULL);
    wait_at_gate(); /* the thread is busy and cannot copy later */
    varve_job *job = begin_write("async", &options);
    set_values(7);
    strcpy(text, "after!");
    strcpy(name, "xxxx");
    string.size = 2;
    strcpy(state.text, "after");
    metadata.kind = VARVE_METADATA_INTEGER;
    cr_assert(!varve_job_is_done(job));
    cr_assert_null(varve_job_path(job));
    open_gate(0);
    cr_assert_ok(varve_job_wait(job, &error), error);
    cr_assert(varve_job_is_done(job));
    cr_assert_str_eq(varve_job_path(job), "async");
    unsigned char *bytes = memory_bytes(world.memory, "sync", &size);
    unsigned char *others = memory_bytes(world.memory, "async", &other_size);
    cr_assert_eq(size, other_size);
    cr_assert_eq(memcmp(bytes, others, size), 0);
    varve_job_free(first);
    varve_job_free(job);
    end_gate();
}

/* The first save keeps the thread busy, so the second one is copied by the next
 * call that needs it. */
static varve_job *begin_at_rest(varve_job **first)
{
    static const varve_write_options zero_copy = { .async.zero_copy = true };
    close_gate();
    *first = begin_write("first", NULL);
    wait_at_gate();
    return begin_write("second", &zero_copy);
}

static void end_at_rest(varve_job *first, varve_job *second)
{
    open_gate(0);
    finish_job(first);
    finish_job(second);
    check_file("second", 1);
}

TEST(job, of_immutable_values_is_staged_before_they_change)
{
    varve_error error = { 0 };
    varve_job *first;
    begin_gate();
    varve_job *second = begin_at_rest(&first);
    cr_assert_ok(varve_job_wait_staged(second, &error), error);
    set_values(7);
    end_at_rest(first, second);
    end_gate();
}

/* Changes by the library itself must wait too. */
static void restore_snapshot(varve_snapshot *snapshot)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_snapshot_restore(snapshot, &error), error);
}

TEST(job, of_immutable_values_is_staged_before_a_rollback)
{
    varve_error error = { 0 };
    varve_job *first;
    begin_gate();
    set_values(7);
    varve_snapshot *snapshot = varve_snapshot_new(gate.root, &error);
    cr_assert(snapshot, "%s", error.message);
    set_values(1);
    varve_job *second = begin_at_rest(&first);
    restore_snapshot(snapshot);
    cr_assert_eq(gate.values[0][0], 7);
    end_at_rest(first, second);
    varve_snapshot_free(snapshot);
    end_gate();
}

TEST(job, of_immutable_values_is_staged_before_a_read)
{
    varve_job *first;
    begin_gate();
    set_values(7);
    write_root(gate.root);
    set_values(1);
    varve_job *second = begin_at_rest(&first);
    varve_restoration_free(read_root(gate.root, NULL));
    cr_assert_eq(gate.values[0][0], 7);
    end_at_rest(first, second);
    end_gate();
}

static void remove_it(void) { varve_remove(gate.nodes[0]); }
static void untrack_it(void) { varve_untrack(gate.root, "a"); }
static void rebind_it(void)
{
    static float other[MANY];
    varve_rebind(gate.nodes[0], varve_array(other, MANY));
}
static void replace_it(void)
{
    static float other[MANY];
    varve_replace(gate.root, "a",
        varve_add_detached_variable(
            varve_node_graph(gate.root), varve_array(other, MANY)));
}

TEST(job, of_immutable_values_is_staged_before_a_node_releases_them)
{
    static void (*const ways[])(void) = { remove_it, untrack_it, rebind_it,
        replace_it };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        varve_job *first;
        begin_gate();
        varve_job *second = begin_at_rest(&first);
        ways[i]();
        set_values(7); /* the memory belongs to the program again */
        end_at_rest(first, second);
        end_gate();
    }
}

TEST(job, of_immutable_values_is_staged_before_memory_is_freed)
{
    for (int i = 0; i < 2; i++) {
        varve_error error = { 0 };
        varve_job *first;
        begin_gate();
        varve_node *node = varve_add_allocated_variable(gate.root, "c",
            VARVE_FLOAT32, VARVE_SHAPE(MANY), NULL, NULL);
        float *data = varve_data(node);
        data[MANY - 1] = 5;
        varve_job *second = begin_at_rest(&first);
        if (i == 0)
            varve_remove(node);
        else
            cr_assert_ok(
                varve_retype(node, VARVE_FLOAT64, NULL, &error), error);
        end_at_rest(first, second);
        static float read[MANY];
        varve_node *root = new_root();
        varve_add_variable(root, "c", varve_array(read, MANY));
        varve_restoration *r = varve_read(root, "second", NULL, &error);
        cr_assert(r, "%s", error.message);
        varve_restoration_free(r);
        free_root(root);
        cr_assert_eq(read[MANY - 1], 5);
        end_gate();
    }
}

TEST(job, completes_before_its_graph_is_freed)
{
    static const varve_write_options zero_copy = { .async.zero_copy = true };
    begin_gate();
    varve_job *jobs[2] = { begin_write("x", NULL),
        begin_write("y", &zero_copy) };
    free_root(gate.root);
    set_values(7);
    for (int i = 0; i < 2; i++) {
        cr_assert(varve_job_is_done(jobs[i]));
        cr_assert_str_eq(varve_job_path(jobs[i]), i ? "y" : "x");
        finish_job(jobs[i]);
    }
    check_file("x", 1);
    check_file("y", 1);
    gate.root = new_root();
    end_gate();
}

TEST(job, determines_its_number_when_it_runs)
{
    varve_error error = { 0 };
    varve_job *jobs[4];
    varve_write_options options = { .async.in_flight = 9 };
    begin_gate();
    close_gate();
    for (int i = 0; i < 4; i++) {
        set_values((float)i);
        jobs[i] = varve_save_async(gate.root, "n", &options, &error);
        cr_assert(jobs[i], "%s", error.message);
    }
    wait_at_gate();
    cr_assert_eq(varve_save_counter(gate.root), 0);
    varve_job_cancel(jobs[1]);
    open_gate(0);
    cr_assert_ok(varve_job_wait(jobs[3], &error), error);
    cr_assert_eq(varve_job_wait(jobs[1], &error), VARVE_CANCELLED);
    cr_assert_eq(varve_save_counter(gate.root), 3);
    cr_assert_str_eq(varve_job_path(jobs[0]), "n-1.varve");
    cr_assert_null(varve_job_path(jobs[1]));
    cr_assert_str_eq(varve_job_path(jobs[2]), "n-2.varve");
    check_file("n-1", 0);
    check_file("n-2", 2);
    check_file("n-3", 3);
    for (int i = 0; i < 4; i++)
        varve_job_free(jobs[i]);
    end_gate();
}

/* Under another prefix the directory does not contain the first number. */
TEST(job, continues_the_counter_of_earlier_jobs)
{
    varve_error error = { 0 };
    begin_gate();
    varve_job *a = varve_save_async(gate.root, "a", NULL, &error);
    varve_job *b = varve_save_async(gate.root, "b", NULL, &error);
    cr_assert_ok(varve_save(gate.root, "c", NULL, &error), error);
    cr_assert_str_eq(varve_job_path(a), "a-1.varve");
    cr_assert_str_eq(varve_job_path(b), "b-2.varve");
    cr_assert_eq(varve_save_counter(gate.root), 3);
    varve_job_free(a);
    varve_job_free(b);
    end_gate();
}

/* A state that waits for the end of the first save when the second one
 * starts.
 */
static varve_status wait_for_first(void *self, varve_sink *sink)
{
    varve_job *const *first = self;
    (void)sink;
    if (!*first)
        return VARVE_OK;
    open_gate(0);
    while (!varve_job_is_done(*first))
        sched_yield();
    return VARVE_OK;
}

static varve_status load_nothing(void *self, const void *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    (void)size;
    return VARVE_OK;
}

TEST(job, continues_the_counter_of_a_job_that_ends_meanwhile)
{
    static const varve_state_callbacks callbacks = { wait_for_first,
        load_nothing };
    varve_error error = { 0 };
    varve_job *first = NULL;
    begin_gate();
    varve_add_state(gate.root, "state", &callbacks, &first);
    close_gate();
    first = varve_save_async(gate.root, "a", NULL, &error);
    cr_assert(first, "%s", error.message);
    wait_at_gate();
    varve_job *second = varve_save_async(gate.root, "b", NULL, &error);
    cr_assert(second, "%s", error.message);
    cr_assert_ok(varve_job_wait(second, &error), error);
    cr_assert_str_eq(varve_job_path(second), "b-2.varve");
    varve_job_free(first);
    varve_job_free(second);
    end_gate();
}

TEST(job, completes_before_a_later_save)
{
    begin_gate();
    varve_job *job = begin_write(FILE_NAME, NULL);
    set_values(2);
    write_root(gate.root);
    cr_assert(varve_job_is_done(job));
    check_file(FILE_NAME, 2);
    varve_job_free(job);
    end_gate();
}

TEST(job, completes_before_a_later_write_of_a_snapshot)
{
    varve_error error = { 0 };
    begin_gate();
    set_values(2);
    varve_snapshot *snapshot = varve_snapshot_new(gate.root, &error);
    cr_assert(snapshot, "%s", error.message);
    set_values(1);
    varve_job *job = begin_write(FILE_NAME, NULL);
    cr_assert_ok(
        varve_snapshot_write(snapshot, FILE_NAME, NULL, &error), error);
    cr_assert(varve_job_is_done(job));
    check_file(FILE_NAME, 2);
    varve_job_free(job);
    varve_snapshot_free(snapshot);
    end_gate();
}

TEST(job, failure_is_returned_once_by_the_next_save)
{
    for (int i = 0; i < 6; i++) {
        varve_error error = { 0 };
        bool is_freed = i % 2, is_waited_for = i >= 4;
        begin_gate();
        write_root(gate.root);
        open_gate(ENOSPC);
        set_values(7);
        varve_job *job = begin_write(FILE_NAME, NULL);
        if (is_waited_for)
            cr_assert_eq(varve_job_wait(job, &error), VARVE_NO_SPACE);
        if (is_freed)
            varve_job_free(job);
        else
            while (!varve_job_is_done(job))
                continue;
        open_gate(0);
        varve_status wanted = is_waited_for ? VARVE_OK : VARVE_NO_SPACE;
        error.message[0] = '\0';
        if (i / 2 == 0) {
            varve_job *next = varve_save_async(gate.root, "n", NULL, &error);
            cr_assert_null(next);
        } else {
            cr_assert_eq(
                varve_write(gate.root, "next", NULL, &error), wanted);
        }
        cr_assert_eq(strstr(error.message, "asynchronous save to a.varve "
                                           "failed: a.varve: sync") != NULL,
            wanted != VARVE_OK, "%s", error.message);
        cr_assert_eq(memory_file_count(world.memory), wanted ? 1 : 2);
        check_file(FILE_NAME, 1);
        write_root(gate.root);
        if (!is_freed)
            varve_job_free(job);
        end_gate();
    }
}

static int count_calls(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    int *calls = user;
    (void)what;
    cr_assert_leq(done, total);
    return ++*calls == 2;
}

TEST(job, leaves_no_file_when_cancelled)
{
    varve_error error = { 0 };
    int calls = 0;
    begin_gate();
    write_root(gate.root);
    set_values(7);
    varve_write_options options = { .progress = count_calls,
        .progress_user = &calls };
    varve_job *job = begin_write(FILE_NAME, &options);
    cr_assert_eq(varve_job_wait(job, &error), VARVE_CANCELLED);
    cr_assert_eq(calls, 2);
    varve_job_free(job);
    close_gate();
    varve_job *first = begin_write("first", NULL);
    job = begin_write(FILE_NAME, NULL);
    varve_job_cancel(job);
    open_gate(0);
    finish_job(first);
    varve_job_free(job);
    cr_assert_eq(memory_file_count(world.memory), 2);
    check_file(FILE_NAME, 1);
    write_root(gate.root); /* and its error is not returned */
    end_gate();
}

TEST(job, reports_progress)
{
    uint64_t done = 1, total = 1;
    begin_gate();
    close_gate();
    varve_job *job = begin_write(FILE_NAME, NULL);
    varve_job_progress(job, &done, &total);
    cr_assert_gt(total, sizeof gate.values);
    cr_assert_leq(done, total);
    open_gate(0);
    while (!varve_job_is_done(job))
        continue;
    varve_job_progress(job, &done, &total);
    cr_assert_eq(done, total);
    varve_job_progress(job, NULL, NULL);
    varve_job_progress(NULL, &done, &total);
    cr_assert(done == 0 && total == 0);
    finish_job(job);
    end_gate();
}

TEST(job, is_written_by_the_call_without_a_thread)
{
    varve_error error = { 0 };
    begin_gate();
    gate.no_threads = true;
    varve_job *job = varve_save_async(gate.root, "n", NULL, &error);
    cr_assert(job, "%s", error.message);
    set_values(7);
    cr_assert(varve_job_is_done(job));
    cr_assert_str_eq(varve_job_path(job), "n-1.varve");
    cr_assert_eq(varve_save_counter(gate.root), 1);
    finish_job(job);
    check_file("n-1", 1);
    open_gate(EIO);
    varve_job_free(begin_write("x", NULL));
    cr_assert_eq(varve_write(gate.root, "y", NULL, &error), VARVE_IO);
    open_gate(0);
    end_gate();
}

#ifdef VV_HAVE_FORMATS
TEST(job, writes_other_formats)
{
    varve_write_options options = { .format = VARVE_FORMAT_NPZ };
    begin_gate();
    varve_job *job = begin_write("x.npz", &options);
    set_values(7);
    finish_job(job);
    check_file("x.npz", 1);
    end_gate();
}
#endif

TEST(job, writes_only_changes_with_the_option)
{
    varve_error error = { 0 };
    varve_write_options options = { .incremental = true };
    begin_gate();
    for (int i = 1; i < 4; i++) {
        set_values((float)i);
        gate.values[0][7] = 1;
        varve_job *job = varve_save_async(gate.root, "n", &options, &error);
        cr_assert(job, "%s", error.message);
        set_values(9);
        gate.values[0][7] = 9;
        varve_job_free(job);
    }
    for (int i = 1; i < 4; i++) {
        char path[20];
        snprintf(path, sizeof path, "n-%d", i);
        varve_restoration *r = varve_read(gate.root, path, NULL, &error);
        cr_assert(r, "%s", error.message);
        cr_assert_eq(gate.values[0][7], 1);
        cr_assert_eq(gate.values[1][7], (float)i + 0.5f);
        varve_restoration_free(r);
    }
    end_gate();
}

TEST(job, refuses_the_same_arguments_as_a_save)
{
    varve_error error = { 0 };
    struct text_state state = { .save_status = VARVE_IO };
    varve_metadata bad = { .name = "" };
    varve_write_options options = { .metadata = &bad, .metadata_count = 1 };
    begin_gate();
    cr_assert_null(varve_write_async(NULL, "x", NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_save_async(gate.root, NULL, NULL, &error));
    cr_assert_eq(error.status, VARVE_MISUSE);
    cr_assert_null(varve_write_async(gate.root, "x", &options, &error));
    cr_assert_eq(error.status, VARVE_BAD_NAME);
    varve_node *node =
        varve_add_state(gate.root, "s", &text_callbacks, &state);
    cr_assert_null(varve_write_async(gate.root, "x", NULL, &error));
    cr_assert_eq(error.status, VARVE_CALLBACK);
    varve_remove(node);
    varve_untrack(gate.root, "nothing");
    cr_assert_null(varve_write_async(gate.root, "x", NULL, &error));
    cr_assert_eq(varve_graph_clear_error(varve_node_graph(gate.root), NULL),
        error.status);
    error.status = VARVE_OK;
    cr_assert_eq(varve_job_wait(NULL, &error), VARVE_MISUSE);
    cr_assert_eq(varve_job_wait_staged(NULL, &error), VARVE_MISUSE);
    cr_assert(varve_job_is_done(NULL));
    cr_assert_null(varve_job_path(NULL));
    varve_job_cancel(NULL);
    varve_job_free(NULL);
    cr_assert_eq(memory_file_count(world.memory), 0);
    end_gate();
}

TEST(job, leaks_nothing_without_memory)
{
    for (int zero_copy = 0; zero_copy < 2; zero_copy++) {
        varve_write_options options = { .async.zero_copy = zero_copy };
        varve_status status = VARVE_NO_MEMORY;
        begin_gate();
        struct text_state state = { .text = "state" };
        varve_add_state(gate.root, "s", &text_callbacks, &state);
        for (long n = 0; status; n++) {
            varve_error error = { 0 };
            test_fail_allocation(n, false);
            varve_job *job =
                varve_save_async(gate.root, "n", &options, &error);
            status = job ? varve_job_wait(job, &error) : error.status;
            test_fail_allocation(-1, false);
            cr_assert_eq(error.status, status);
            cr_assert(!status || status == VARVE_NO_MEMORY);
            varve_job_free(job);
            cr_assert_eq(memory_file_count(world.memory) > 0, !status);
        }
        check_file("n-1", 1);
        end_gate();
    }
}
