/* test_manager_lock.c - Tests the lock of a manager.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "manage_world.h"
#include "system.h"

static void remove_directory(struct world *w)
{
    const struct vv_system *system = memory_system(w->memory);
    while (memory_file_count(w->memory) > 0)
        cr_assert_eq(system->remove(system->state, VV_WORKING_DIRECTORY,
            memory_file_path(w->memory, 0)), 0);
    cr_assert_eq(
        system->remove(system->state, VV_WORKING_DIRECTORY, "run"), 0);
}

TEST(manager_lock, locks_a_directory_that_was_recreated)
{
    struct world w;
    varve_error error;
    world_begin(&w, NULL);
    world_save(&w, 10);
    remove_directory(&w);
    varve_manager *other = varve_manager_new(w.root, "run", NULL, &error);
    cr_assert(other, "%s", error.message);
    cr_assert_ok(varve_manager_save(other, 20, &error), error);
    varve_checkpoint_info managed;
    cr_assert(varve_manager_at(w.manager, 0, &managed));
    cr_assert_eq(varve_manager_save(w.manager, 30, &error), VARVE_EXISTS);
    cr_assert_str_eq(managed.path, "run/ckpt-1.varve");
    cr_assert_eq(varve_manager_prune(w.manager, &error), VARVE_EXISTS);
    remove_directory(&w);
    world_save(&w, 40);
    cr_assert_eq(varve_manager_count(w.manager), 1);
    cr_assert_eq(varve_manager_save(other, 50, &error), VARVE_EXISTS);
    varve_manager_free(w.manager);
    w.manager = other;
    world_save(&w, 60);
    cr_assert_eq(varve_manager_count(other), 2);
    world_end(&w);
}

/* --- Locks that nodes do not share ---------------------------------------- */

static struct {
    struct vv_system system;
    bool has_locks; /* each manager gets one */
} nodes;

static int local_lock(void *state, int file)
{
    (void)state;
    (void)file;
    return nodes.has_locks ? 0 : -ENOSYS;
}

/* Creates two managers of one directory, as on two nodes. */
static void begin_nodes(
    struct world *w, bool has_locks, const varve_manager_options *options)
{
    world_begin(w, NULL);
    world_stop(w);
    nodes.system = *w->context.system;
    nodes.system.lock = nodes.system.share_lock = local_lock;
    nodes.has_locks = has_locks;
    w->context.system = &nodes.system;
    w->may_warn = !has_locks;
    world_start(w, options);
}

static varve_manager *other_node(
    struct world *w, varve_graph **graph, const varve_manager_options *options)
{
    static float value;
    varve_error error = { 0 };
    *graph = vv_graph_new_in(&w->context);
    varve_add_variable(
        varve_graph_root(*graph), "value", varve_scalar(&value));
    varve_manager *other = varve_manager_new(
        varve_graph_root(*graph), "run", options, &error);
    cr_assert(other, "%s", error.message);
    return other;
}

static void end_nodes(
    struct world *w, varve_manager *other, varve_graph *graph)
{
    varve_manager_free(other);
    varve_graph_free(graph);
    world_end(w);
}

static bool has_file(const struct world *w, const char *path)
{
    for (size_t i = 0; i < memory_file_count(w->memory); i++)
        if (strcmp(memory_file_path(w->memory, i), path) == 0)
            return true;
    return false;
}

static void is_taken_over(varve_status status, const varve_error *error)
{
    cr_assert_eq(status, VARVE_EXISTS, "%s", error->message);
    cr_assert(strstr(error->message, "has taken over ckpt-N.varve"), "%s",
        error->message);
}

TEST(manager_lock, that_is_not_shared_stops_the_older_of_two_managers)
{
    for (int has_locks = 0; has_locks < 2; has_locks++) {
        struct world w;
        varve_graph *graph;
        varve_error error = { 0 };
        begin_nodes(&w, has_locks, NULL);
        world_save(&w, 10);
        varve_manager *other = other_node(&w, &graph, NULL);
        world_save(&w, 20);
        cr_assert_ok(varve_manager_resume(other, &error), error);
        is_taken_over(varve_manager_save(w.manager, 30, &error), &error);
        is_taken_over(varve_manager_prune(w.manager, &error), &error);
        cr_assert_ok(varve_manager_save(other, 30, &error), error);
        end_nodes(&w, other, graph);
    }
}

/* Otherwise it would report a checkpoint that the other one does not
 * continue. */
TEST(manager_lock, taken_over_during_a_save_fails_the_save)
{
    struct world w;
    varve_graph *graph;
    varve_error error = { 0 };
    const varve_manager_options options = { .async = true, .keep_last = 1 };
    begin_nodes(&w, true, &options);
    world_save(&w, 10);
    cr_assert_ok(varve_manager_wait(w.manager, &error), error);
    cr_assert_ok(varve_manager_save(w.manager, 20, &error), error);
    varve_manager *other = other_node(&w, &graph, NULL);
    cr_assert_ok(varve_manager_resume(other, &error), error);
    is_taken_over(varve_manager_wait(w.manager, &error), &error);
    cr_assert(has_file(&w, "run/ckpt-1.varve"));
    is_taken_over(varve_manager_save(w.manager, 30, &error), &error);
    end_nodes(&w, other, graph);
}

/* The call that completes the save need not be the one that returns the
 * error. */
TEST(manager_lock, taken_over_is_reported_by_the_next_wait_or_save)
{
    struct world w;
    varve_graph *graph;
    varve_error error = { 0 };
    const varve_manager_options options = { .async = true };
    for (int frees = 0; frees < 2; frees++) {
        begin_nodes(&w, true, &options);
        cr_assert_ok(varve_manager_save(w.manager, 10, &error), error);
        varve_manager *other = other_node(&w, &graph, NULL);
        cr_assert_ok(varve_manager_resume(other, &error), error);
        cr_assert_ok(varve_manager_refresh(w.manager, &error), error);
        cr_assert_null(varve_manager_saved(w.manager));
        if (frees) {
            varve_manager_free(w.manager);
            w.manager = NULL;
            is_taken_over(
                varve_write(w.root, "after.varve", NULL, &error), &error);
        } else {
            is_taken_over(varve_manager_wait(w.manager, &error), &error);
            cr_assert_ok(varve_manager_wait(w.manager, &error), error);
        }
        end_nodes(&w, other, graph);
    }
}

/* As the command does while a run is active. */
TEST(manager_lock, that_is_not_shared_can_be_taken_to_prune)
{
    struct world w;
    varve_graph *graph;
    varve_error error = { 0 };
    begin_nodes(&w, true, NULL);
    world_save(&w, 10);
    varve_manager *other = other_node(&w, &graph, NULL);
    cr_assert_ok(varve_manager_prune(other, &error), error);
    world_save(&w, 20);
    end_nodes(&w, other, graph);
}

/* A real child process, such as a forked data loader. */
TEST(manager_lock, is_released_although_a_child_has_the_file_open)
{
    varve_error error = { 0 };
    struct vv_context context = test_context(&vv_posix_system);
    varve_graph *graph = vv_graph_new_in(&context);
    varve_node *root = varve_graph_root(graph);
    float value = 1;
    varve_add_variable(root, "value", varve_scalar(&value));
    const char *directory = test_path("run");
    varve_manager *first = varve_manager_new(root, directory, NULL, &error);
    cr_assert(first, "%s", error.message);
    pid_t child = fork();
    if (child == 0) {
        pause();
        _exit(0);
    }
    varve_manager_free(first);
    varve_manager *second =
        varve_manager_new(root, test_path("run"), NULL, &error);
    kill(child, SIGKILL);
    cr_assert_eq(waitpid(child, NULL, 0), child);
    cr_assert(second, "%s", error.message);
    varve_manager_free(second);
    varve_graph_free(graph);
}

/* Another child, which ends: the lock stays with the parent. */
TEST(manager_lock, remains_with_the_parent_if_a_child_frees_its_manager)
{
    varve_error error = { 0 };
    struct vv_context context = test_context(&vv_posix_system);
    varve_graph *graph = vv_graph_new_in(&context);
    varve_node *root = varve_graph_root(graph);
    varve_manager *first =
        varve_manager_new(root, test_path("run"), NULL, &error);
    cr_assert(first, "%s", error.message);
    pid_t child = fork();
    if (child == 0) {
        varve_manager_free(first);
        _exit(0);
    }
    cr_assert_eq(waitpid(child, NULL, 0), child);
    cr_assert_null(varve_manager_new(root, test_path("run"), NULL, &error));
    cr_assert_eq(error.status, VARVE_EXISTS);
    varve_manager_free(first);
    varve_graph_free(graph);
}

/* Time advances only in the sleep function of the world. */
static struct {
    struct vv_system system;
    const struct vv_system *under;
    varve_manager *holder;
} waiting;

static void sleep_and_free(void *state, int64_t nanoseconds)
{
    waiting.under->sleep(state, nanoseconds);
    varve_manager_free(waiting.holder);
    waiting.holder = NULL;
}

TEST(manager_lock, waits_for_the_lock_of_another)
{
    struct world w;
    varve_error error = { 0 };
    world_begin(&w, NULL);
    waiting.under = w.context.system;
    waiting.system = *waiting.under;
    waiting.system.sleep = sleep_and_free;
    waiting.holder = w.manager;
    struct vv_context context = test_context(&waiting.system);
    varve_graph *graph = vv_graph_new_in(&context);
    w.manager = varve_manager_new(varve_graph_root(graph), "run",
        &(varve_manager_options){ .lock_seconds = 60 }, &error);
    cr_assert(w.manager, "%s", error.message);
    varve_manager_free(w.manager);
    w.manager = NULL;
    varve_graph_free(graph);
    world_end(&w);
}

static int no_lock(void *state, int file)
{
    (void)state;
    (void)file;
    return -ENOLCK;
}

TEST(manager_lock, that_is_not_supported_is_reported_once)
{
    struct world w;
    varve_error error = { 0 };
    world_begin(&w, NULL);
    world_stop(&w);
    struct vv_system system = *w.context.system;
    system.lock = no_lock;
    w.context.system = &system;
    world_start(&w, NULL);
    cr_assert(strstr(varve_manager_warning(w.manager), "has no locks"), "%s",
        varve_manager_warning(w.manager));
    world_save(&w, 10);
    cr_assert_ok(varve_manager_resume(w.manager, &error), error);
    world_end(&w);
}
