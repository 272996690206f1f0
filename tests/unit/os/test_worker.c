/* test_worker.c - Tests worker threads.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/test.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "support/faulty_system.h"
#include "support/test_context.h"
#include "worker.h"

enum { ITEMS = 1000 };

/* Work items that threads take one after the other. */
struct job {
    atomic_int next;
    atomic_int done[ITEMS];
    atomic_int calls[VV_MAX_WORKERS];
    pthread_t caller;
};

static void do_items(void *user, unsigned worker)
{
    struct job *job = user;
    job->calls[worker]++;
    if (worker == 0)
        job->caller = pthread_self();
    for (int i; (i = atomic_fetch_add(&job->next, 1)) < ITEMS;)
        job->done[i]++;
}

static void check_all_done(const struct job *job)
{
    for (int i = 0; i < ITEMS; i++)
        cr_assert_eq(job->done[i], 1);
}

TEST(worker, count_is_between_one_and_the_limit)
{
    struct vv_context context = test_context(&vv_posix_system);
    unsigned all = vv_worker_count(&context, 0);
    cr_assert_geq(all, 1);
    cr_assert_leq(all, VV_MAX_WORKERS);
    cr_assert_eq(vv_worker_count(&context, 1), 1);
    cr_assert_eq(vv_worker_count(&context, 3), 3);
    cr_assert_eq(vv_worker_count(&context, 1000), VV_MAX_WORKERS);
}

static unsigned many_processors(void *state)
{
    (void)state;
    return 5000;
}

TEST(worker, count_follows_the_processors_up_to_a_limit)
{
    struct vv_system system = vv_posix_system;
    system.processors = many_processors;
    struct vv_context context = test_context(&system);
    cr_assert_eq(vv_worker_count(&context, 0), VV_MAX_WORKERS);
}

static unsigned asked;

static unsigned count_questions(void *state)
{
    (void)state;
    asked++;
    return 4;
}

TEST(worker, count_is_determined_only_for_several_parts)
{
    struct vv_system system = vv_posix_system;
    system.processors = count_questions;
    struct vv_context context = test_context(&system);
    asked = 0;
    cr_assert_eq(vv_worker_count_for(&context, 0, 0), 1);
    cr_assert_eq(vv_worker_count_for(&context, 0, 1), 1);
    cr_assert_eq(vv_worker_count_for(&context, 8, 1), 1);
    cr_assert_eq(asked, 0);
    cr_assert_eq(vv_worker_count_for(&context, 0, 3), 3);
    cr_assert_eq(vv_worker_count_for(&context, 0, UINT64_MAX), 4);
    cr_assert_eq(vv_worker_count_for(&context, 2, 1000), 2);
}

TEST(worker, all_workers_run_and_share_the_work)
{
    struct faulty *faulty = faulty_new(&vv_posix_system);
    struct vv_context context = test_context(faulty_system(faulty));
    for (unsigned workers = 1; workers <= VV_MAX_WORKERS; workers++) {
        struct job job = { 0 };
        vv_run_workers(&context, workers, do_items, &job);
        check_all_done(&job);
        for (unsigned i = 0; i < VV_MAX_WORKERS; i++)
            cr_assert_eq(job.calls[i], i < workers);
        cr_assert(pthread_equal(job.caller, pthread_self()));
        cr_assert_eq(faulty_open_count(faulty), 0, "not joined");
    }
    faulty_free(faulty);
}

/* Each worker waits for the other, so both must run at the same time. */
static void meet(void *user, unsigned worker)
{
    (void)worker;
    atomic_int *there = user;
    (*there)++;
    struct timespec moment = { 0, 1000000 };
    for (int i = 0; i < 10000 && *there < 2; i++)
        nanosleep(&moment, NULL);
}

TEST(worker, workers_run_at_the_same_time)
{
    struct vv_context context = test_context(&vv_posix_system);
    atomic_int there = 0;
    time_t begin = time(NULL);
    vv_run_workers(&context, 2, meet, &there);
    cr_assert_eq(there, 2);
    cr_assert_lt(time(NULL) - begin, 8);
}

TEST(worker, threads_that_do_not_start_are_not_needed)
{
    struct faulty *faulty = faulty_new(&vv_posix_system);
    struct vv_context context = test_context(faulty_system(faulty));
    for (long n = 0; n < VV_MAX_WORKERS - 1; n++)
        for (int sticky = 0; sticky < 2; sticky++) {
            struct job job = { 0 };
            faulty_plan(faulty, &(struct faulty_plan){ .number = n,
                .sticky = sticky, .error = EAGAIN,
                .kinds = FAULTY_START_THREAD });
            vv_run_workers(&context, VV_MAX_WORKERS, do_items, &job);
            cr_assert(faulty_hit(faulty));
            check_all_done(&job);
            cr_assert_eq(job.calls[0], 1);
            cr_assert_eq(job.calls[n + 1], 0);
            cr_assert_eq(faulty_open_count(faulty), 0);
        }
    faulty_free(faulty);
}

static void look_at_mask(void *user, unsigned worker)
{
    if (worker != 0)
        pthread_sigmask(SIG_SETMASK, NULL, user);
}

TEST(worker, threads_block_all_signals_except_their_own_faults)
{
    struct vv_context context = test_context(&vv_posix_system);
    sigset_t before, inside, after;
    sigemptyset(&inside);
    pthread_sigmask(SIG_SETMASK, NULL, &before);
    vv_run_workers(&context, 2, look_at_mask, &inside);
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    static const int blocked[] = { SIGINT, SIGTERM, SIGALRM, SIGUSR1, SIGCHLD,
        SIGPIPE, SIGHUP };
    for (size_t i = 0; i < sizeof blocked / sizeof *blocked; i++) {
        cr_assert(sigismember(&inside, blocked[i]));
        cr_assert_eq(sigismember(&before, blocked[i]),
            sigismember(&after, blocked[i]), "the caller's mask changed");
    }
    cr_assert_not(sigismember(&inside, SIGSEGV));
    cr_assert_not(sigismember(&inside, SIGBUS));
}

static unsigned no_processors(void *state)
{
    (void)state;
    return 0;
}

TEST(worker, count_is_1_if_the_number_of_processors_is_unknown)
{
    struct vv_system system = vv_posix_system;
    system.processors = no_processors;
    struct vv_context context = test_context(&system);
    cr_assert_eq(vv_worker_count(&context, 0), 1);
}

/* --- Parts -------------------------------------------------------------- */

enum { PARTS = 5, MUCH = 1 << 30 };

struct parts {
    atomic_int calls[PARTS];
    size_t order[PARTS];
    atomic_uint taken;
    pthread_t caller;
    bool is_alone; /* all on that thread */
};

static void do_part(void *user, size_t part)
{
    struct parts *p = user;
    p->calls[part]++;
    p->order[p->taken++] = part;
    if (!pthread_equal(pthread_self(), p->caller))
        p->is_alone = false;
}

TEST(worker, small_parts_run_in_order_on_the_calling_thread)
{
    struct vv_system system = vv_posix_system;
    system.processors = count_questions;
    struct vv_context context = test_context(&system);
    struct parts p = { .caller = pthread_self(), .is_alone = true };
    asked = 0;
    vv_run_parts(&context, 1000, PARTS, do_part, &p);
    for (size_t i = 0; i < PARTS; i++)
        cr_assert_eq(p.order[i], i);
    cr_assert(p.is_alone && asked == 0);
    vv_run_parts(&context, MUCH, 0, do_part, &p);
    cr_assert_eq(p.taken, PARTS);
}

TEST(worker, large_parts_run_once_with_any_number_of_threads)
{
    struct vv_system system = vv_posix_system;
    system.processors = many_processors;
    struct faulty *faulty = faulty_new(&system);
    struct vv_context context = test_context(faulty_system(faulty));
    for (long n = 0; n < PARTS; n++) {
        struct parts p = { .caller = pthread_self() };
        faulty_plan(faulty, &(struct faulty_plan){ .number = n,
            .sticky = true, .error = EAGAIN, .kinds = FAULTY_START_THREAD });
        vv_run_parts(&context, MUCH, PARTS, do_part, &p);
        cr_assert_eq(faulty_hit(faulty), n < PARTS - 1);
        for (size_t i = 0; i < PARTS; i++)
            cr_assert_eq(p.calls[i], 1);
        cr_assert_eq(faulty_open_count(faulty), 0);
    }
    faulty_free(faulty);
}

static void meet_in_part(void *user, size_t part)
{
    meet(user, (unsigned)part);
}

TEST(worker, large_parts_run_at_the_same_time)
{
    struct vv_system system = vv_posix_system;
    system.processors = count_questions;
    struct vv_context context = test_context(&system);
    atomic_int there = 0;
    time_t begin = time(NULL);
    vv_run_parts(&context, MUCH, 2, meet_in_part, &there);
    cr_assert_eq(there, 2);
    cr_assert_lt(time(NULL) - begin, 8);
}
