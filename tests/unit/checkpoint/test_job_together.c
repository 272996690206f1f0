/* test_job_together.c - Tests asynchronous collective saves.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "backgrounds.h"
#include "guarded_comm.h"
#include "together_world.h"

#include <errno.h>
#include <pthread.h>

#include <varve/rank_local.h>
#include <varve/reader.h>
#include <varve/remote.h>

#include "background.h"
#include "directory.h"
#include "reader.h"
#include "worker.h"

enum { MOST = 4 };

/* --- Ranks ---------------------------------------------------------------- */

/* The calls of the ranks and their results. */
struct run {
    void (*body)(struct run *run, struct part *p, const varve_comm *comm);
    const struct vv_system *odd; /* the system of rank 1; or NULL */
    varve_write_options options;
    varve_status statuses[MOST];
    varve_error errors[MOST];
    uint64_t copied[MOST]; /* bytes of large values */
    bool is_wrong[MOST];
    bool is_shared[MOST]; /* its communicator was called by another thread */
};

/* Creates a rank, whose system may differ from that of the others. */
static struct part *begin_part(const struct run *run, const varve_comm *comm)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    const struct vv_system *usual = world.context.system;
    if (run->odd && comm->rank == 1)
        world.context.system = run->odd;
    struct part *p = new_part(comm, 1, true);
    world.context.system = usual;
    pthread_mutex_unlock(&lock);
    return p;
}

static void run_rank(const varve_comm *comm, void *user)
{
    struct run *run = user;
    struct guarded g;
    struct part *p = begin_part(run, comm);
    guard(&g, comm);
    run->body(run, p, &g.comm);
    free_part(p);
    run->is_shared[comm->rank] |= g.is_wrong;
}

static long run_until(struct run *run, uint32_t size, long calls)
{
    long made = thread_comm_run(size, 2, calls, run_rank, run);
    for (uint32_t i = 0; i < size; i++) {
        cr_assert_not(
            run->is_shared[i], "rank %u: its communicator was called", i);
        cr_assert_not(run->is_wrong[i], "rank %u: not as it was", i);
    }
    return made;
}

static void run_all(struct run *run, uint32_t size)
{
    run_until(run, size, -1);
}

static void check_all(
    const struct run *run, uint32_t size, varve_status wanted, const char *text)
{
    for (uint32_t i = 0; i < size; i++) {
        cr_assert_eq(run->statuses[i], wanted, "%s", run->errors[i].message);
        cr_assert_str_eq(run->errors[i].message, run->errors[0].message);
        cr_assert(strstr(run->errors[i].message, text), "%s",
            run->errors[i].message);
    }
}

static void wait_for(struct run *run, const varve_comm *comm, varve_job *job)
{
    varve_error *error = &run->errors[comm->rank];
    run->statuses[comm->rank] = job ? varve_job_wait(job, error)
                                    : error->status;
    varve_job_free(job);
}

static varve_job *start(
    struct run *run, const struct part *p, const varve_comm *comm)
{
    return varve_write_all_async(comm, p->root, FILE_NAME, &run->options,
        &run->errors[comm->rank]);
}

/* --- Saved values --------------------------------------------------------- */

static void read_back(struct run *run, struct part *p, const varve_comm *comm)
{
    varve_error *error = &run->errors[comm->rank];
    varve_restoration *r =
        varve_read_all(comm, p->root, FILE_NAME, NULL, error);
    run->statuses[comm->rank] = r ? VARVE_OK : error->status;
    varve_restoration_free(r);
    run->is_wrong[comm->rank] |=
        !run->statuses[comm->rank] && values_of(p) != HAS_ALL;
}

static uint64_t copied_of(const varve_job *job)
{
    const struct vv_buffer *copied = &job->save_plan.copied;
    const struct vv_piece *all =
        (const struct vv_piece *)(const void *)copied->data;
    uint64_t size = 0;
    for (size_t i = 0; i < copied->size / sizeof *all; i++)
        size += all[i].size;
    return size;
}

/* Changes values as soon as that is allowed, while the disk waits. */
static void change_behind(
    struct run *run, struct part *p, const varve_comm *comm)
{
    bool zero_copy = run->options.async.zero_copy;
    varve_job *job = start(run, p, comm);
    run->copied[comm->rank] = copied_of(job);
    if (zero_copy)
        run->is_wrong[comm->rank] |= varve_job_wait_staged(job, NULL) != 0;
    set_part(p, false);
    run->is_wrong[comm->rank] |= varve_any(comm, false);
    if (comm->rank == 0) {
        run->is_wrong[0] |= varve_job_is_done(job);
        open_gate(0);
    }
    wait_for(run, comm, job);
    if (!run->statuses[comm->rank])
        read_back(run, p, comm);
}

/* Each rank copies only the part of replicated values that it writes. */
static void check_copied(const struct run *run, uint32_t size)
{
    uint64_t alike = WEIGHTS * sizeof(float), all = 0;
    for (uint32_t i = 0; i < size; i++)
        all += run->copied[i];
    cr_assert_geq(all, alike);
    cr_assert_leq(all, alike + ROWS * COLUMNS * sizeof(float));
}

TEST(job_together, has_the_values_of_its_call)
{
    static const varve_write_options ways[] = { { .incremental = false },
        { .async.zero_copy = true }, { .collective.files = 3 },
        { .incremental = true },
#ifdef VV_HAVE_ZSTD
        { .incremental = true, .compress = 1, .async.zero_copy = true },
#endif
    };
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        for (uint32_t size = 1; size <= MOST; size++) {
            struct run run = { .body = change_behind, .options = ways[i] };
            begin_gate();
            close_gate();
            run_all(&run, size);
            check_all(&run, size, VARVE_OK, "");
            check_copied(&run, size);
            end_gate();
        }
    }
}

/* Rank-local values are copied as well. */
static void change_own(struct run *run, struct part *p, const varve_comm *comm)
{
    static double large[MOST][5000];
    double *own = large[comm->rank];
    int64_t small = 100 + comm->rank;
    varve_node *mine = varve_add_rank_local(p->root, "own", comm, NULL);
    varve_add_variable(mine, "small", varve_scalar(&small));
    varve_add_variable(mine, "large", varve_array(own, 5000));
    for (int i = 0; i < 5000; i++)
        own[i] = 10 * (int)comm->rank + i;
    varve_job *job = start(run, p, comm);
    small = 0;
    memset(own, 0, sizeof large[0]);
    set_part(p, false);
    wait_for(run, comm, job);
    if (run->statuses[comm->rank])
        return;
    read_back(run, p, comm);
    if (run->statuses[comm->rank])
        return;
    run->is_wrong[comm->rank] |= small != 100 + comm->rank;
    for (int i = 0; i < 5000; i++)
        run->is_wrong[comm->rank] |= own[i] != 10 * (int)comm->rank + i;
}

TEST(job_together, copies_rank_local_values)
{
    struct run run = { .body = change_own };
    begin_world();
    run_all(&run, 3);
    check_all(&run, 3, VARVE_OK, "");
    end_world();
}

/* Two pending saves, and one that waits for them. */
static void save_three(struct run *run, struct part *p, const varve_comm *comm)
{
    varve_error *error = &run->errors[comm->rank];
    varve_job *jobs[2];
    for (int i = 0; i < 2; i++) {
        p->step = i;
        jobs[i] = varve_save_all_async(
            comm, p->root, "run/m", &run->options, error);
    }
    p->step = 42;
    varve_status status =
        varve_save_all(comm, p->root, "run/m", &run->options, error);
    bool *is_wrong = &run->is_wrong[comm->rank];
    for (int i = 0; i < 2; i++) {
        char path[32];
        snprintf(path, sizeof path, "run/m-%d.varve", i + 1);
        *is_wrong |= !varve_job_is_done(jobs[i]);
        *is_wrong |= varve_job_wait(jobs[i], NULL) != VARVE_OK;
        *is_wrong |= strcmp(varve_job_path(jobs[i]), path) != 0;
        varve_job_free(jobs[i]);
    }
    *is_wrong |= varve_save_counter(p->root) != 3;
    run->statuses[comm->rank] = status;
}

static varve_reader *open_saved(const char *path)
{
    varve_error error = { 0 };
    varve_reader *reader = vv_reader_open_in(&world.context, path, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    return reader;
}

TEST(job_together, saves_in_the_order_of_the_calls)
{
    struct run run = { .body = save_three, .options = { .incremental = true } };
    begin_world();
    run_all(&run, 3);
    check_all(&run, 3, VARVE_OK, "");
    for (int i = 1; i <= 3; i++) {
        char path[32];
        snprintf(path, sizeof path, "run/m-%d.varve", i);
        varve_reader_free(open_saved(path));
    }
    end_world();
}

/* A graph is used with another communicator, and freed with a pending save. */
static void change_comm(struct run *run, struct part *p, const varve_comm *comm)
{
    varve_comm *other = NULL;
    struct guarded g;
    bool *is_wrong = &run->is_wrong[comm->rank];
    *is_wrong |= comm->duplicate(comm->self, &other) != VARVE_OK;
    varve_job *job = start(run, p, comm);
    guard(&g, other);
    varve_job *last = varve_write_all_async(&g.comm, p->root, "b.varve",
        &run->options, &run->errors[comm->rank]);
    *is_wrong |= !last || varve_job_wait(job, NULL) != VARVE_OK;
    varve_job_free(job);
    varve_graph_free(p->graph);
    p->graph = NULL;
    *is_wrong |= !last || varve_job_wait(last, NULL) != VARVE_OK;
    varve_job_free(last);
    *is_wrong |= g.is_wrong;
    other->release(other->self);
}

TEST(job_together, continues_with_another_communicator)
{
    struct run run = { .body = change_comm };
    begin_world();
    run_all(&run, 3);
    varve_reader_free(open_saved(FILE_NAME));
    varve_reader_free(open_saved("b.varve"));
    end_world();
}

/* --- Failures ------------------------------------------------------------- */

static void start_and_wait(
    struct run *run, struct part *p, const varve_comm *comm)
{
    wait_for(run, comm, start(run, p, comm));
}

static void fail_state(struct run *run, struct part *p, const varve_comm *comm)
{
    p->state.save_status = comm->rank == 1 ? VARVE_CANCELLED : VARVE_OK;
    run->is_wrong[comm->rank] = start(run, p, comm) != NULL;
    run->statuses[comm->rank] = run->errors[comm->rank].status;
}

static void start_at_none(
    struct run *run, struct part *p, const varve_comm *comm)
{
    varve_node *root = comm->rank == 2 ? NULL : p->root;
    run->is_wrong[comm->rank] =
        varve_write_all_async(comm, root, FILE_NAME, &run->options,
            &run->errors[comm->rank]) != NULL;
    run->statuses[comm->rank] = run->errors[comm->rank].status;
}

TEST(job_together, does_not_start_if_one_rank_cannot)
{
    begin_world();
    struct run run = { .body = fail_state };
    run_all(&run, 3);
    check_all(&run, 3, VARVE_CALLBACK, "rank 1: ");
    run = (struct run){ .body = start_at_none };
    run_all(&run, 3);
    check_all(&run, 3, VARVE_MISUSE, "rank 2: node or");
    run = (struct run){ .body = start_at_none,
        .options.format = VARVE_FORMAT_NPZ };
    run_all(&run, 2);
    check_all(&run, 2, VARVE_MISUSE, "rank 0: `format` must be");
    cr_assert_eq(memory_file_count(world.memory), 0);
    end_world();
}

#ifdef VV_HAVE_REMOTE

static void write_to_store(
    struct run *run, struct part *p, const varve_comm *comm)
{
    varve_error *error = &run->errors[comm->rank];
    const char *path = "s3://bucket/a.varve";
    varve_job *job =
        varve_write_all_async(comm, p->root, path, &run->options, error);
    run->is_wrong[comm->rank] =
        job || varve_write_all(comm, p->root, path, &run->options, NULL) !=
                   VARVE_MISUSE;
    varve_job_free(job);
    run->statuses[comm->rank] = error->status;
}

TEST(job_together, refuses_a_store)
{
    varve_error error = { 0 };
    struct run run = { .body = write_to_store };
    setenv("VARVE_MODULES", REMOTE_MODULES, 1);
    cr_assert_ok(varve_remote_enable(NULL, &error), error);
    begin_world();
    run_all(&run, 3);
    check_all(&run, 3, VARVE_MISUSE, "takes a file from one process");
    cr_assert_eq(memory_file_count(world.memory), 0);
    end_world();
}

#endif

static varve_status refuse_duplicate(void *self, varve_comm **copy)
{
    (void)self, (void)copy;
    return VARVE_MISUSE;
}

static void start_without(
    struct run *run, struct part *p, const varve_comm *comm)
{
    varve_comm *own = (varve_comm *)comm;
    own->duplicate = run->options.no_sync ? refuse_duplicate : NULL;
    run->is_wrong[comm->rank] = start(run, p, comm) != NULL;
    run->statuses[comm->rank] = run->errors[comm->rank].status;
}

TEST(job_together, requires_a_communicator_for_its_thread)
{
    begin_world();
    struct run run = { .body = start_without };
    run_all(&run, 3);
    check_all(&run, 3, VARVE_MISUSE,
        "asynchronous saves need a communicator with `duplicate`");
    run = (struct run){ .body = start_without, .options.no_sync = true };
    run_all(&run, 3);
    check_all(&run, 3, VARVE_MISUSE, "MPI_THREAD_MULTIPLE");
    end_world();
}

static int refuse_to_open(void *state, int directory, const char *path)
{
    (void)state, (void)directory, (void)path;
    return -EACCES;
}

/* An error that was not returned is returned by the next collective save. */
static void wait_later(struct run *run, struct part *p, const varve_comm *comm)
{
    varve_error *error = &run->errors[comm->rank];
    varve_job *job = start(run, p, comm);
    run->is_wrong[comm->rank] |= !job;
    varve_job *next = start(run, p, comm);
    varve_status status = error->status;
    if (next)
        status = varve_write_all(comm, p->root, "b.varve", NULL, error);
    run->is_wrong[comm->rank] |= status != VARVE_NO_PERMISSION ||
        !strstr(error->message, "asynchronous save to a.varve failed: rank "
            "1: ");
    if (next)
        run->is_wrong[comm->rank] |=
            varve_job_wait(next, NULL) != VARVE_NO_PERMISSION;
    varve_job_free(next);
    run->statuses[comm->rank] = varve_job_wait(job, error);
    varve_job_free(job);
}

TEST(job_together, fails_on_all_ranks_if_one_cannot_write)
{
    begin_world();
    struct vv_system refusing = *world.context.system;
    refusing.open_to_write = refuse_to_open;
    struct run run = { .body = start_and_wait, .odd = &refusing };
    run_all(&run, 3);
    check_all(&run, 3, VARVE_NO_PERMISSION, "rank 1: ");
    run = (struct run){ .body = wait_later, .odd = &refusing };
    run_all(&run, 3);
    check_all(&run, 3, VARVE_NO_PERMISSION, "rank 1: ");
    cr_assert_eq(memory_file_count(world.memory), 0);
    end_world();
}

static int start_no_thread(void *state, void *(*function)(void *),
    void *argument, uintptr_t *handle)
{
    (void)state, (void)function, (void)argument, (void)handle;
    return -EAGAIN;
}

TEST(job_together, works_if_one_rank_has_no_threads)
{
    begin_world();
    struct vv_system alone = *world.context.system;
    alone.start_thread = start_no_thread;
    struct run run = { .body = start_and_wait, .odd = &alone };
    run_all(&run, 3);
    check_all(&run, 3, VARVE_OK, "");
    varve_reader_free(open_saved(FILE_NAME));
    end_world();
}

/* One rank cancels a save that waits for another. */
static void cancel_second(
    struct run *run, struct part *p, const varve_comm *comm)
{
    varve_job *first = start(run, p, comm);
    varve_job *job = varve_write_all_async(comm, p->root, "b.varve",
        &run->options, &run->errors[comm->rank]);
    if (comm->rank == 2)
        varve_job_cancel(job);
    varve_any(comm, false);
    if (comm->rank == 0)
        open_gate(0);
    run->is_wrong[comm->rank] |= varve_job_wait(first, NULL) != VARVE_OK;
    varve_job_free(first);
    wait_for(run, comm, job);
}

TEST(job_together, is_cancelled_on_all_ranks_by_one)
{
    struct run run = { .body = cancel_second };
    begin_gate();
    close_gate();
    run_all(&run, 3);
    check_all(&run, 3, VARVE_CANCELLED, "rank 2: b.varve: cancelled");
    end_gate();
}

static void differ(struct run *run, struct part *p, const varve_comm *comm)
{
    p->step += comm->rank == 1;
    start_and_wait(run, p, comm);
}

TEST(job_together, reports_the_ranks_whose_values_differ)
{
    struct run run = { .body = differ };
    begin_world();
    run_all(&run, 3);
    check_all(&run, 3, VARVE_MISUSE,
        "a replicated variable differs from that of rank 0 at rank");
    cr_assert_eq(memory_file_count(world.memory), 0);
    end_world();
}

/* No rank waits forever, and existing files are complete. */
TEST(job_together, ends_on_every_rank_after_a_lost_rank)
{
    struct run run = { .body = start_and_wait };
    begin_world();
    long calls = run_until(&run, 3, -1);
    end_world();
    for (long i = 0; i < calls; i++) {
        begin_world();
        run_until(&run, 3, i);
        for (int k = 0; k < 3; k++)
            cr_assert_eq(run.statuses[k], VARVE_DISCONNECTED, "%ld: %s", i,
                run.errors[k].message);
        size_t size;
        if (memory_bytes(world.memory, FILE_NAME, &size))
            varve_reader_free(open_saved(FILE_NAME));
        end_world();
    }
}

TEST(job_together, fails_on_all_ranks_if_one_has_no_memory)
{
    bool is_over = false;
    for (long number = 0; !is_over; number += 3) {
        struct run run = { .body = change_own };
        begin_world();
        run.options.incremental = number % 2;
        test_fail_allocation(number, number % 4 > 1);
        run_all(&run, 3);
        is_over = test_allocation_count() <= number;
        test_fail_allocation(-1, false);
        check_all(&run, 3, run.statuses[0], "");
        cr_assert(
            run.statuses[0] == VARVE_OK || run.statuses[0] == VARVE_NO_MEMORY,
            "%ld: %s", number, run.errors[0].message);
        end_world();
    }
}
