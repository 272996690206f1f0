/* test_set_levels.c - Tests tiers of managers with a directory for each rank.
 *
 * SPDX-License-Identifier: MIT
 */
#include "node_levels.h"

#include <errno.h>

TEST(set_levels, have_a_file_of_each_rank)
{
    const varve_level level = {
        .directory = "far", .every_steps = 2, .keep_last = 1
    };
    begin_far(&level);
    cr_assert_ok(save_steps(1, 5), nodes.errors[0]);
    cr_assert_eq(count_files("far/", ".varve"), 4);
    cr_assert_eq(count_far(4), 4);
    cr_assert_eq(count_files("far/", ".parity"), 0);
    cr_assert_eq(count_files("far/", ".tmp"), 0);
    lose_all_nodes();
    cr_assert_eq(resume_all(), 4);
    end_nodes();
}

/* The next manager continues the copies of the last one, on all ranks. */
TEST(set_levels, receive_copies_left_by_an_earlier_manager)
{
    const varve_level level = { .directory = "far", .every_steps = 2 };
    begin_far(&level);
    nodes.options.level_count = 0;
    cr_assert_ok(save_steps(1, 3), nodes.errors[0]);
    nodes.options.level_count = 1;
    nodes.from = nodes.to = 4;
    cr_assert_ok(run_life(), nodes.errors[0]);
    cr_assert_eq(count_far(3), 4);
    cr_assert_eq(count_far(4), 4);
    cr_assert_eq(count_files("far/", ".varve"), 8);
    end_nodes();
}

/* Ranks that lack a set, and ranks that have an additional one, keep the same
 * sets from the next one on. */
TEST(set_levels, keep_the_same_sets_on_each_rank)
{
    const varve_level level = { .directory = "far", .keep_last = 2 };
    begin_far(&level);
    cr_assert_ok(save_steps(1, 3), nodes.errors[0]);
    cr_assert_eq(count_far(2), 4);
    cr_assert_eq(count_far(3), 4);
    lose_path("far/rank-2/ckpt-3.varve");
    lose_all_nodes();
    nodes.from = nodes.to = 9;
    /* set 4, and three ranks have 3 */
    cr_assert_ok(run_life(), nodes.errors[0]);
    cr_assert_eq(nodes.steps[0], 2);
    cr_assert_eq(count_far(2), 4);
    cr_assert_eq(count_far(3), 0);
    cr_assert_eq(count_far(4), 4);
    end_nodes();
}

/* The tier has later checkpoints of a job that is not an ancestor of the
 * present one. */
TEST(set_levels, do_not_delete_own_sets_for_another_lineage)
{
    const varve_level level = { .directory = "far" };
    begin_far(&level);
    cr_assert_ok(save_steps(1, 6), nodes.errors[0]);
    cr_assert_eq(count_far(6), 4);
    lose_all_nodes();
    nodes.options.level_count = 0;
    cr_assert_ok(save_steps(1, 3), nodes.errors[0]);
    nodes.options.level_count = 1;
    lose_node(2);
    cr_assert_eq(resume_all(), 3);
    for (uint32_t i = 0; i < 4; i++)
        cr_assert(strstr(nodes.passed_over[i],
                      i == 2 ? "ckpt-6.varve: skipped: it"
                             : "ckpt-6.varve: skipped: it belongs to run "),
            "%s", nodes.passed_over[i]);
    end_nodes();
}

static int64_t stand_still(void *state)
{
    (void)state;
    return 1;
}

/* Each call returns a time one minute later. */
static int64_t rush(void *state)
{
    static _Thread_local int64_t now;
    (void)state;
    return now += INT64_C(60000000000);
}

/* The clock of rank 0 decides, regardless of those of other ranks. */
TEST(set_levels, use_the_clock_of_rank_0)
{
    const varve_level level = { .directory = "far", .every_seconds = 30 };
    struct vv_system still = { 0 }, rushing = { 0 };
    begin_far(&level);
    still = rushing = *memory_system(nodes.memory);
    still.uptime = stand_still;
    rushing.uptime = rush;
    nodes.contexts[0].system = &still;
    for (uint32_t i = 1; i < 4; i++)
        nodes.contexts[i].system = &rushing;
    cr_assert_ok(save_steps(1, 3), nodes.errors[0]);
    cr_assert_eq(count_far(1), 4);
    cr_assert_eq(count_files("far/", ".varve"), 4);
    nodes.contexts[0].system = &rushing;
    cr_assert_ok(save_more_steps(4, 5), nodes.errors[0]);
    cr_assert_eq(count_far(4), 4);
    cr_assert_eq(count_far(5), 4);
    end_nodes();
}

/* --- One rank is slow or fails ------------------------------------------ */

static _Thread_local bool is_program;

/* A gate for files created by threads other than the program's. */
static struct {
    struct vv_system system;
    const struct vv_system *under;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_closed;
    int error;
} door = { .lock = PTHREAD_MUTEX_INITIALIZER,
    .changed = PTHREAD_COND_INITIALIZER };

static int create_behind_door(void *state, int directory, const char *name)
{
    int error = 0;
    if (!is_program && !strstr(name, ".lock")) {
        pthread_mutex_lock(&door.lock);
        while (door.is_closed)
            pthread_cond_wait(&door.changed, &door.lock);
        error = door.error;
        pthread_mutex_unlock(&door.lock);
    }
    return error ? -error : door.under->create_file(state, directory, name);
}

static void set_door(bool is_closed, int error)
{
    pthread_mutex_lock(&door.lock);
    door.is_closed = is_closed;
    door.error = error;
    pthread_cond_broadcast(&door.changed);
    pthread_mutex_unlock(&door.lock);
}

static void put_door_before(uint32_t rank)
{
    door.under = memory_system(nodes.memory);
    door.system = *door.under;
    door.system.create_file = create_behind_door;
    nodes.contexts[rank].system = &door.system;
}

/* Records the program's thread before a save. */
static void note_program(uint32_t rank, int64_t step)
{
    (void)rank;
    (void)step;
    is_program = true;
}

static void save_six_and_drain(const varve_comm *comm, void *user)
{
    struct node_rank r;
    uint32_t i = comm->rank;
    (void)user;
    is_program = true;
    cr_assert(build_node(&r, comm));
    for (int64_t s = 1; s <= 6; s++) {
        set_values(&r, s);
        cr_assert_ok(
            varve_manager_save(r.manager, s, &nodes.errors[i]),
            nodes.errors[i]);
    }
    if (i == 1)
        set_door(false, 0);
    nodes.got[i] = drain_node(&r, 6);
    varve_manager_free(r.manager);
    varve_graph_free(r.graph);
}

/* No rank waits for the slow one or continues without it, and all skip the same
 * sets. */
TEST(set_levels, skip_the_same_sets_if_one_rank_is_slow)
{
    const varve_level level = { .directory = "far", .max_pending = 2 };
    begin_far(&level);
    put_door_before(1);
    set_door(true, 0);
    thread_comm_run(4, 1, -1, save_six_and_drain, NULL);
    for (int i = 0; i < 4; i++) {
        cr_assert_ok(nodes.got[i], nodes.errors[i]);
        cr_assert_eq(nodes.left_out[i], 3);
    }
    cr_assert_eq(count_far(1), 4);
    cr_assert_eq(count_far(5), 4);
    cr_assert_eq(count_far(6), 4);
    cr_assert_eq(count_files("far/", ".varve"), 12);
    end_nodes();
}

/* While one rank cannot write, the others keep their files. */
TEST(set_levels, lose_nothing_if_one_disk_is_full)
{
    const varve_level level = { .directory = "far", .keep_last = 1 };
    begin_far(&level);
    cr_assert_ok(save_steps(1, 1), nodes.errors[0]);
    put_door_before(1);
    nodes.before_save = note_program;
    nodes.drains = false;
    set_door(false, ENOSPC);
    nodes.from = 2;
    nodes.to = 5;
    cr_assert_ok(run_life(), nodes.errors[0]);
    cr_assert_eq(count_far(1), 4);
    cr_assert_eq(count_far(5), 0);
    lose_all_nodes();
    cr_assert_eq(resume_all(), 1);
    end_nodes();
}

static void drain_at_full(const varve_comm *comm, void *user)
{
    struct node_rank r;
    uint32_t i = comm->rank;
    (void)user;
    is_program = true;
    cr_assert(build_node(&r, comm));
    set_values(&r, 1);
    cr_assert_eq(varve_manager_save(r.manager, 1, NULL), VARVE_OK);
    nodes.got[i] = drain_node(&r, 1);
    if (i == 1)
        set_door(false, 0);
    set_values(&r, 2);
    cr_assert_eq(varve_manager_save(r.manager, 2, NULL), VARVE_OK);
    cr_assert_eq(drain_node(&r, 2), VARVE_OK);
    varve_manager_free(r.manager);
    varve_graph_free(r.graph);
}

TEST(set_levels, report_on_all_ranks_a_failed_copy_of_one)
{
    const varve_level level = { .directory = "far" };
    begin_far(&level);
    put_door_before(1);
    set_door(false, ENOSPC);
    thread_comm_run(4, 1, -1, drain_at_full, NULL);
    for (int i = 0; i < 4; i++)
        cr_assert_eq(nodes.got[i], VARVE_NO_SPACE);
    cr_assert(strstr(nodes.errors[3].message, "rank 1: far/rank-1: copy of "),
        "%s", nodes.errors[3].message);
    cr_assert_eq(count_far(1), 4);
    cr_assert_eq(count_far(2), 4);
    end_nodes();
}

static varve_status save_and_drain(struct node_rank *r, int64_t step)
{
    set_values(r, step);
    cr_assert_eq(varve_manager_save(r->manager, step, NULL), VARVE_OK);
    return drain_node(r, step);
}

static void lose_what_is_copied(const varve_comm *comm, void *user)
{
    struct node_rank r;
    (void)user;
    is_program = true;
    cr_assert(build_node(&r, comm));
    cr_assert_eq(save_and_drain(&r, 1), VARVE_OK);
    if (comm->rank == 1)
        set_door(false, ENOENT); /* as if the source of the copy were gone */
    cr_assert_eq(save_and_drain(&r, 2), VARVE_NOT_FOUND);
    cr_assert_eq(save_and_drain(&r, 3), VARVE_NOT_FOUND);
    varve_manager_free(r.manager);
    varve_graph_free(r.graph);
}

/* A set that lost a file is never complete: the older one is kept until another
 * is complete. */
TEST(set_levels, keep_the_older_set_if_one_rank_lost_the_newer)
{
    const varve_level level = {
        .directory = "far", .every_steps = 1, .keep_last = 1
    };
    begin_far(&level);
    put_door_before(1);
    set_door(false, 0);
    thread_comm_run(4, 1, -1, lose_what_is_copied, NULL);
    cr_assert_eq(count_far(1), 4);
    cr_assert_eq(count_far(2), 3);
    nodes.contexts[1] = nodes.contexts[0];
    nodes.from = nodes.to = 4;
    cr_assert_ok(run_life(), nodes.errors[0]);
    cr_assert_eq(count_far(4), 4);
    cr_assert_eq(count_files("far/", ".varve"), 4);
    end_nodes();
}

static void put_another_file(uint32_t rank, const char *path)
{
    float value = 1;
    varve_graph *graph = vv_graph_new_in(&nodes.contexts[rank]);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "other", varve_scalar(&value));
    cr_assert_eq(varve_write(root, path, NULL, NULL), VARVE_OK);
    varve_graph_free(graph);
}

static void find_another_file(const varve_comm *comm, void *user)
{
    struct node_rank r;
    (void)user;
    is_program = true;
    cr_assert(build_node(&r, comm));
    if (comm->rank == 1)
        put_another_file(1, "far/rank-1/ckpt-1.varve");
    cr_assert_eq(save_and_drain(&r, 1), VARVE_EXISTS);
    set_values(&r, 2);
    cr_assert_eq(varve_manager_save(r.manager, 2, NULL), VARVE_OK);
    nodes.got[comm->rank] = drain_node(&r, 2);
    varve_manager_free(r.manager);
    varve_graph_free(r.graph);
}

/* A name that is taken by another file on one rank belongs to no set, and does
 * not block the queue: the next set is copied. */
TEST(set_levels, continue_if_a_name_is_used_by_another_file)
{
    const varve_level level = { .directory = "far" };
    begin_far(&level);
    thread_comm_run(4, 1, -1, find_another_file, NULL);
    for (int i = 0; i < 4; i++)
        cr_assert_ok(nodes.got[i], nodes.errors[i]);
    cr_assert_eq(count_far(2), 4);
    lose_all_nodes();
    cr_assert_eq(resume_all(), 2);
    end_nodes();
}

/* --- Ends --------------------------------------------------------------- */

/* All node disks are lost: sets reported by a flush are at the tier. */
static void check_far_survives(const char *when, long n)
{
    int64_t drained = nodes.drained, saved = nodes.saved;
    lose_all_nodes();
    int64_t step = resume_all();
    cr_assert(step >= drained && step <= saved + 1,
        "%s %ld: expected step %d, found %d\n%s", when, n, (int)drained,
        (int)step, nodes.passed_over[0]);
}

TEST(set_levels, keep_drained_sets_if_all_processes_end)
{
    const varve_level level = { .directory = "far", .keep_last = 1 };
    uint64_t tried = 0;
    bool is_whole = false;
    for (long n = 0; !is_whole; n += (long)proof_size(17, 1), tried++) {
        begin_far(&level);
        cr_assert_ok(save_steps(1, 2), nodes.errors[0]);
        nodes.from = 3;
        nodes.to = 5;
        is_whole = run_life_until(n) <= n;
        if (n % 2) { /* another life, which continues */
            nodes.from = nodes.to = 6;
            cr_assert_ok(run_life(), nodes.errors[0]);
        }
        check_far_survives("all ended at call", n);
        end_nodes();
    }
    proof_count("nodes.level_ends", tried);
}

TEST(set_levels, keep_drained_sets_if_a_disk_fails)
{
    const varve_level level = { .directory = "far", .keep_last = 1 };
    uint64_t tried = 0;
    for (long n = 0;; n += (long)proof_size(13, 1), tried++) {
        begin_far(&level);
        cr_assert_ok(save_steps(1, 2), nodes.errors[0]);
        struct faulty *faulty = faulty_new(memory_system(nodes.memory));
        nodes.contexts[2].system = faulty_system(faulty);
        faulty_plan(faulty, &(struct faulty_plan){
                                .number = n, .sticky = true, .error = EIO });
        nodes.from = 3;
        nodes.to = 4;
        run_life_until(-1);
        bool was_hit = faulty_hit(faulty);
        nodes.contexts[2].system = memory_system(nodes.memory);
        faulty_free(faulty);
        check_far_survives("a disk ended at call", n);
        end_nodes();
        if (!was_hit)
            break;
    }
    proof_count("nodes.level_disks", tried);
}

TEST(set_levels, fail_on_all_ranks_if_one_has_no_memory)
{
    const varve_level level = { .directory = "far", .keep_last = 1 };
    uint64_t tried = 0;
    for (long n = 0;; n += (long)proof_size(97, 5), tried++) {
        begin_far(&level);
        cr_assert_ok(save_steps(1, 2), nodes.errors[0]);
        nodes.from = nodes.to = 3;
        test_fail_allocation(n, false);
        run_life_until(-1);
        bool was_hit = test_allocation_count() > n;
        test_fail_allocation(-1, false);
        check_far_survives("memory ran out at", n);
        end_nodes();
        if (!was_hit)
            break;
    }
    proof_count("nodes.level_memory", tried);
}
