/* test_background.c - Tests the queue of asynchronous saves, its memory, and
 * forks.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "backgrounds.h"

#include "background.h"

static void *wait_and_open(void *user)
{
    const struct timespec moment = { .tv_nsec = 20000000 };
    (void)user;
    nanosleep(&moment, NULL);
    open_gate(0);
    return NULL;
}

TEST(background, waits_at_the_limit_of_pending_saves)
{
    varve_write_options one = { .async.in_flight = 1 };
    for (int i = 0; i < 2; i++) {
        pthread_t opener;
        begin_gate();
        close_gate();
        varve_job *first = begin_write("first", NULL);
        varve_job *second = i ? begin_write("second", NULL) : NULL;
        wait_at_gate();
        cr_assert_eq(pthread_create(&opener, NULL, wait_and_open, NULL), 0);
        set_values(2);
        varve_job *last = begin_write("last", i ? NULL : &one);
        set_values(3);
        cr_assert(varve_job_is_done(first));
        finish_job(first);
        if (second)
            finish_job(second);
        finish_job(last);
        check_file("first", 1);
        check_file("last", 2);
        pthread_join(opener, NULL);
        end_gate();
    }
}

/* The total memory available for copies of values. */
static atomic_size_t left;

static bool is_block(size_t size)
{
    return size >= sizeof gate.values && size < 2 * sizeof gate.values;
}

static void *bounded(void *user, void *old, size_t old_size, size_t new_size)
{
    (void)user;
    bool is_taken = is_block(new_size);
    if (is_taken && new_size > atomic_load(&left))
        return NULL;
    left += is_block(old_size) ? old_size : 0;
    left -= is_taken ? new_size : 0;
    return test_allocator()->function(NULL, old, old_size, new_size);
}

TEST(background, waits_for_memory_of_pending_saves_and_then_fails)
{
    varve_error error = { 0 };
    pthread_t opener;
    atomic_store(&left, 1 << 30);
    begin_gate();
    free_root(gate.root);
    world.context.allocator.function = bounded;
    gate.root = new_root();
    world.context.allocator = *test_allocator();
    varve_add_variable(gate.root, "a", varve_array(gate.values[0], MANY));
    varve_add_variable(gate.root, "b", varve_array(gate.values[1], MANY));
    close_gate();
    varve_job *first = begin_write("first", NULL);
    wait_at_gate();
    atomic_store(&left, 100);
    cr_assert_eq(pthread_create(&opener, NULL, wait_and_open, NULL), 0);
    set_values(2);
    varve_job *second = begin_write("second", NULL);
    pthread_join(opener, NULL);
    finish_job(first);
    finish_job(second);
    check_file("second", 2);
    varve_node *large = varve_add_allocated_variable(
        gate.root, "c", VARVE_INT8, VARVE_SHAPE(12000), NULL, NULL);
    cr_assert_neq(varve_data(large), NULL);
    cr_assert_null(varve_write_async(gate.root, "third", NULL, &error));
    cr_assert_eq(error.status, VARVE_NO_MEMORY);
    cr_assert_eq(memory_file_count(world.memory), 2);
    end_gate();
}

TEST(background, reuses_its_memory)
{
    begin_gate();
    finish_job(begin_write(FILE_NAME, NULL));
    size_t bytes = test_byte_count();
    test_reset_peak();
    for (int i = 0; i < 3; i++)
        finish_job(begin_write(FILE_NAME, NULL));
    cr_assert_eq(test_byte_count(), bytes);
    end_gate();
}

static int64_t process_now;

static int64_t process(void *state, char *machine, size_t size)
{
    (void)state;
    (void)machine;
    (void)size;
    return process_now;
}

/* A child has no background thread, and its parent's thread may have held the
 * monitor. */
static void be_the_child(varve_job *job)
{
    varve_error error = { 0 };
    if (!varve_job_is_done(job) ||
        varve_job_wait(job, &error) != VARVE_CANCELLED ||
        !strstr(error.message, "forked") || varve_job_path(job) ||
        varve_job_wait_staged(job, &error))
        _exit(1);
    varve_job_free(job);
    open_gate(0);
    varve_job *own = varve_write_async(gate.root, "own", NULL, &error);
    if (!own || varve_job_wait(own, &error) ||
        varve_write(gate.root, "own", NULL, &error))
        _exit(2);
    varve_job_free(own);
    free_root(gate.root);
    _exit(0);
}

TEST(background, belongs_to_the_parent_after_a_fork)
{
    for (int i = 0; i < 2; i++) {
        int status = 0;
        begin_gate();
        process_now = 1;
        gate.system.process = process;
        close_gate();
        varve_job *job = begin_write("x", NULL);
        wait_at_gate();
        pid_t child = fork();
        cr_assert_geq(child, 0);
        if (child == 0) {
            process_now = 2;
            if (i == 0)
                be_the_child(job);
            free_root(gate.root);
            _exit(varve_job_is_done(job) ? 0 : 3);
        }
        cr_assert_eq(waitpid(child, &status, 0), child);
        cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%d", status);
        open_gate(0);
        finish_job(job);
        check_file("x", 1);
        end_gate();
    }
}

TEST(background, accepts_a_graph_without_pending_saves)
{
    varve_error error = { 0 };
    begin_gate();
    varve_graph *graph = varve_node_graph(gate.root);
    vv_background_update_counters(graph);
    cr_assert_ok(vv_background_settle(graph, &error), error);
    end_gate();
}
