/* background.c - Runs the asynchronous saves of a graph on one background
 * thread, and keeps the blocks for their copies.
 *
 * SPDX-License-Identifier: MIT
 */
#include "background.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "monitor.h"
#include "poison.h"
#include "save.h"
#include "save_plan_copy.h"
#include "save_plan_write.h"

/* --- Blocks --------------------------------------------------------------- */

/* Keeps a list of free blocks, each with its size in front. */

enum { PAGE = 4096 };

/* The header of a block. It occupies the first page. */
struct vv_block {
    struct vv_block *next;
    size_t size; /* without the header */
};

static void block_pool_release(const varve_allocator *a, struct vv_block *block)
{
    vv_release_aligned(a, block, block->size + PAGE, PAGE);
}

void vv_block_pool_clear(struct vv_block_pool *pool)
{
    while (pool->free) {
        struct vv_block *block = pool->free;
        pool->free = block->next;
        block_pool_release(pool->allocator, block);
    }
}

struct vv_block *vv_block_take(struct vv_block_pool *pool, size_t size)
{
    struct vv_block **link = &pool->free;
    while (*link && (*link)->size < size)
        link = &(*link)->next;
    struct vv_block *block = *link;
    if (block) {
        *link = block->next;
        return block;
    }
    vv_block_pool_clear(pool);
    if (size > SIZE_MAX - PAGE)
        return NULL;
    block = vv_allocate_aligned(pool->allocator, size + PAGE, PAGE);
    if (block)
        block->size = size;
    return block;
}

void vv_block_give(struct vv_block_pool *pool, struct vv_block *block)
{
    if (!block)
        return;
    __asan_unpoison_memory_region(vv_block_bytes(block), block->size);
    block->next = pool->free;
    pool->free = block;
}

void *vv_block_bytes(struct vv_block *block)
{
    return (unsigned char *)block + PAGE;
}

/* --- Saves ---------------------------------------------------------------- */

/* The queue is an observer of the graph. Data that both threads access is
 * guarded by the monitor, with one exception: the save plan and the path of a
 * job. They belong to the program's thread before the job is queued, to the
 * background thread while the job is written, and to the program's thread again
 * once the job is done. Only the program's thread accesses the graph. */

/* --- Writing -------------------------------------------------------------- */

int vv_background_progress(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    varve_job *job = user;
    atomic_store(&job->written, done);
    atomic_store(&job->total, total);
    if (atomic_load(&job->is_cancelled))
        return 1;
    return job->progress ? job->progress(job->progress_user, done, total, what)
                         : 0;
}

struct vv_save_plan *vv_job_save_plan(varve_job *job, size_t number)
{
    if (number == 0)
        return &job->save_plan;
    return job->part ? job->part->save_plan(job->part, number - 1) : NULL;
}

/* Writes a job. Must be called without the monitor held. */
static varve_status write_job(varve_job *job, varve_error *error)
{
    varve_status status = VARVE_OK;
    if (atomic_load(&job->is_cancelled))
        status = vv_fail(error, VARVE_CANCELLED,
            "%s: cancelled before it started", job->target);
    if (job->part)
        return job->part->write(job->part, job, status, error);
    return vv_saving_write(&(struct vv_saving){ .save_plan = &job->save_plan,
                               .target = job->target,
                               .is_numbered = job->is_numbered,
                               .path = &job->path },
        status, error);
}

/* Raises the counters of later saves of the same root, which must be above the
 * counter of this one. */
static void raise_counters(const varve_job *job)
{
    for (varve_job *later = job->next; later; later = later->next) {
        if (later->root == job->root && later->is_numbered &&
            later->save_plan.counter < job->counter)
            later->save_plan.counter = job->counter;
    }
}

static bool background_is_in_place(const varve_job *job)
{
    return !job->error.status || job->error.status == VARVE_UNKNOWN_OUTCOME;
}

static void background_end_part(struct vv_background *b, varve_job *job)
{
    varve_status status = job->error.status;
    b->is_cut_off |= status == VARVE_DISCONNECTED || status == VARVE_TIMEOUT;
    b->ended++;
    job->part->free(job->part);
    job->part = NULL;
}

/* Stores the result of a job and frees its save plan. The caller holds the
 * monitor if there is a thread. */
static void background_finish(
    struct vv_background *b, varve_job *job, const varve_error *error)
{
    job->error = *error;
    job->counter = job->save_plan.counter;
    if (job->sets_counter && background_is_in_place(job))
        raise_counters(job);
    if (!background_is_in_place(job))
        job->path.size = 0;
    if (job->part)
        background_end_part(b, job);
    vv_save_plan_clear(&job->save_plan);
    vv_block_give(&b->pool, job->block);
    job->block = NULL;
    job->stage = VV_COPIED;
    job->is_done = true;
}

void vv_job_copy(varve_job *job)
{
    struct vv_save_plan *save_plan;
    if (job->part && job->part->before_copy)
        job->part->before_copy(job->part);
    for (size_t i = 0; (save_plan = vv_job_save_plan(job, i)); i++)
        vv_save_plan_copy(save_plan);
}

/* Copies the values of a job, or waits until another thread has copied them.
 * The caller holds the monitor, which is released while copying. */
static void background_copy(struct vv_background *b, varve_job *job)
{
    if (job->stage == VV_TO_COPY) {
        job->stage = VV_COPYING;
        vv_monitor_leave(b->worker.monitor);
        vv_job_copy(job);
        vv_monitor_enter(b->worker.monitor);
        job->stage = VV_COPIED;
        vv_monitor_wake(b->worker.monitor);
    }
    while (job->stage != VV_COPIED)
        vv_monitor_wait(b->worker.monitor, -1);
}

static varve_job *first_in_flight(const struct vv_background *b)
{
    varve_job *job = b->jobs;
    while (job && job->is_done)
        job = job->next;
    return job;
}

static bool background_work(void *user)
{
    struct vv_background *b = user;
    varve_job *job = first_in_flight(b);
    varve_error error = { 0 };
    if (!job)
        return false;
    background_copy(b, job);
    vv_monitor_leave(b->worker.monitor);
    varve_status status = write_job(job, &error);
    vv_monitor_enter(b->worker.monitor);
    error.status = status;
    background_finish(b, job, &error);
    vv_monitor_wake(b->worker.monitor);
    return true;
}

/* --- The program's thread ------------------------------------------------- */

/* The caller holds the monitor. */
static void background_wait_for(struct vv_background *b, const varve_job *job)
{
    while (!job->is_done)
        vv_monitor_wait(b->worker.monitor, -1);
}

/* Sets the counters of roots whose jobs are done. The caller holds the
 * monitor. */
static void update_counters(struct vv_background *b)
{
    for (varve_job *job = b->jobs; job && job->is_done; job = job->next) {
        if (job->is_noticed)
            continue;
        job->is_noticed = true;
        job->is_reported = !job->error.status || job->is_private ||
                           job->error.status == VARVE_CANCELLED;
        if (job->root && job->sets_counter && background_is_in_place(job) &&
            vv_save_counter(job->root) < job->counter)
            vv_set_save_counter(job->root, job->counter);
    }
}

static void add_failure(
    varve_error *all, const varve_error *failure, const char *target)
{
    if (!all->status)
        vv_fail_because(all, failure, "asynchronous save%s%s failed",
            target ? " to " : "", target ? target : "");
    else
        vv_error_add_line(all, "asynchronous save%s%s failed: %s",
            target ? " to " : "", target ? target : "", failure->message);
}

static void background_remember(varve_error *all, varve_job *job)
{
    if (!job->is_noticed || job->is_reported)
        return;
    job->is_reported = true;
    add_failure(all, &job->error, job->target);
}

/* Reports the failures that were not reported yet. The caller holds the monitor
 * and has called update_counters(). */
static varve_status background_report(
    struct vv_background *b, varve_error *error)
{
    varve_error all = b->unreported;
    b->unreported = (varve_error){ 0 };
    for (varve_job *job = b->jobs; job; job = job->next)
        background_remember(&all, job);
    if (all.status && error)
        *error = all;
    return all.status;
}

varve_status vv_background_report(struct vv_background *b, varve_error *error)
{
    vv_monitor_enter(b->worker.monitor);
    update_counters(b);
    varve_status status = background_report(b, error);
    vv_monitor_leave(b->worker.monitor);
    return status;
}

bool vv_background_wait_for_oldest(struct vv_background *b)
{
    vv_monitor_enter(b->worker.monitor);
    const varve_job *oldest = first_in_flight(b);
    if (oldest)
        background_wait_for(b, oldest);
    vv_monitor_leave(b->worker.monitor);
    return oldest != NULL;
}

static unsigned count_in_flight(struct vv_background *b)
{
    unsigned count = 0;
    vv_monitor_enter(b->worker.monitor);
    for (const varve_job *job = b->jobs; job; job = job->next)
        count += !job->is_done;
    vv_monitor_leave(b->worker.monitor);
    return count;
}

void vv_background_wait_below(struct vv_background *b, unsigned most)
{
    while (count_in_flight(b) >= most)
        vv_background_wait_for_oldest(b);
}

bool vv_background_is_idle(struct vv_background *b)
{
    return count_in_flight(b) == 0;
}

void vv_background_wait(struct vv_background *b, varve_job *job)
{
    vv_monitor_enter(b->worker.monitor);
    background_wait_for(b, job);
    update_counters(b);
    vv_monitor_leave(b->worker.monitor);
}

void vv_background_wait_copied(struct vv_background *b, varve_job *job)
{
    vv_monitor_enter(b->worker.monitor);
    background_copy(b, job);
    vv_monitor_leave(b->worker.monitor);
}

bool vv_background_has_done(struct vv_background *b, const varve_job *job)
{
    vv_monitor_enter(b->worker.monitor);
    bool is_done = job->is_done;
    update_counters(b);
    vv_monitor_leave(b->worker.monitor);
    return is_done;
}

struct vv_block *vv_background_take(struct vv_background *b, size_t size)
{
    vv_monitor_enter(b->worker.monitor);
    struct vv_block *block = vv_block_take(&b->pool, size);
    vv_monitor_leave(b->worker.monitor);
    return block;
}

void vv_background_give(struct vv_background *b, struct vv_block *block)
{
    vv_monitor_enter(b->worker.monitor);
    vv_block_give(&b->pool, block);
    vv_monitor_leave(b->worker.monitor);
}

bool vv_background_start(struct vv_background *b)
{
    return vv_worker_thread_start(&b->worker) == 0;
}

/* Raises the counter of a job that is being added: an earlier job may have
 * ended since the call began. The caller holds the monitor. */
static void count_on(struct vv_background *b, varve_job *job)
{
    update_counters(b);
    uint64_t counter = vv_save_counter(job->root);
    if (job->is_numbered && job->save_plan.counter < counter)
        job->save_plan.counter = counter;
}

void vv_background_add(struct vv_background *b, varve_job *job)
{
    vv_monitor_enter(b->worker.monitor);
    varve_job **link = &b->jobs;
    while (*link)
        link = &(*link)->next;
    *link = job;
    job->background = b;
    count_on(b, job);
    vv_monitor_wake(b->worker.monitor);
    if (!b->worker.is_started) {
        varve_error error = { 0 };
        error.status = write_job(job, &error);
        background_finish(b, job, &error);
        update_counters(b);
    }
    vv_monitor_leave(b->worker.monitor);
}

void vv_background_remove(struct vv_background *b, varve_job *job)
{
    vv_monitor_enter(b->worker.monitor);
    varve_job **link = &b->jobs;
    while (*link != job)
        link = &(*link)->next;
    *link = job->next;
    background_remember(&b->unreported, job);
    vv_monitor_leave(b->worker.monitor);
}

/* --- Callbacks of the graph ----------------------------------------------- */

/* Detaches all jobs in the child process of a fork. The thread exists only in
 * the parent, which continues the jobs. The jobs that are in flight may have
 * been in the middle of a change when the process forked, so their memory is
 * not freed. Neither is the monitor, which may be held. */
static void background_detach(struct vv_background *b)
{
    for (varve_job *job = b->jobs, *next; job; job = next) {
        next = job->next;
        job->next = NULL;
        job->background = NULL;
        if (job->is_done)
            continue;
        vv_buffer_init(&job->path, &job->context.allocator);
        vv_fail(&job->error, VARVE_CANCELLED,
            "%s: cannot finish this save in a forked child process; the parent "
            "continues it",
            job->target);
        job->stage = VV_COPIED;
        job->is_lost = true;
        job->is_done = true;
    }
}

uint64_t vv_background_ended(struct vv_background *b)
{
    vv_monitor_enter(b->worker.monitor);
    uint64_t count = b->ended;
    vv_monitor_leave(b->worker.monitor);
    return count;
}

void vv_background_wait_for_end(struct vv_background *b, uint64_t count)
{
    vv_monitor_enter(b->worker.monitor);
    while (b->ended < count && first_in_flight(b))
        vv_monitor_wait(b->worker.monitor, -1);
    vv_monitor_leave(b->worker.monitor);
}

bool vv_background_lacks_copy(struct vv_background *b, const varve_comm *comm)
{
    vv_monitor_enter(b->worker.monitor);
    bool lacks = b->comm != comm || !b->copy || b->is_cut_off;
    vv_monitor_leave(b->worker.monitor);
    return lacks;
}

void vv_background_release_copy(struct vv_background *b)
{
    if (b->copy)
        b->copy->release(b->copy->self);
    b->copy = NULL;
    b->is_cut_off = false;
}

static void background_graph_freed(struct vv_observer *self)
{
    struct vv_background *b = (struct vv_background *)self;
    if (!vv_worker_thread_end(&b->worker)) {
        background_detach(b);
        return;
    }
    for (varve_job *job = b->jobs; job; job = job->next)
        job->background = NULL;
    vv_background_release_copy(b);
    const varve_allocator a = b->context.allocator;
    vv_block_pool_clear(&b->pool);
    vv_release(&a, b, sizeof *b);
}

/* Only a background has `values_change`. */
static struct vv_background *background_find(const varve_graph *graph)
{
    if (!graph->watching_values)
        return NULL;
    struct vv_background *b = (struct vv_background *)vv_graph_observer(
        graph, background_graph_freed);
    if (!b || !vv_worker_thread_is_lost(&b->worker))
        return b;
    vv_graph_forget(b->graph, &b->observer);
    background_detach(b);
    return NULL;
}

static void wait_for_copies(struct vv_observer *self)
{
    struct vv_background *b = (struct vv_background *)self;
    if (vv_worker_thread_is_lost(&b->worker))
        return;
    vv_monitor_enter(b->worker.monitor);
    for (varve_job *job = b->jobs; job; job = job->next)
        background_copy(b, job);
    vv_monitor_leave(b->worker.monitor);
}

static void background_node_removed(struct vv_observer *self, varve_node *node)
{
    struct vv_background *b = (struct vv_background *)self;
    if (vv_worker_thread_is_lost(&b->worker))
        return;
    vv_monitor_enter(b->worker.monitor);
    for (varve_job *job = b->jobs; job; job = job->next) {
        background_copy(b, job);
        if (job->root == node)
            job->root = NULL;
    }
    vv_monitor_leave(b->worker.monitor);
}

static void background_edge_removed(struct vv_observer *self, varve_node *child)
{
    (void)child;
    wait_for_copies(self);
}

struct vv_background *vv_background_of(varve_graph *graph)
{
    const varve_allocator *a = &graph->context.allocator;
    struct vv_background *b = background_find(graph);
    if (b)
        return b;
    b = vv_allocate_zeroed(a, sizeof *b);
    if (!b)
        return NULL;
    b->context = graph->context;
    b->graph = graph;
    b->pool.allocator = &b->context.allocator;
    if (!vv_worker_thread_init(&b->worker, &b->context, background_work, b)) {
        vv_release(a, b, sizeof *b);
        return NULL;
    }
    b->observer.values_change = wait_for_copies;
    b->observer.node_removed = background_node_removed;
    b->observer.edge_removed = background_edge_removed;
    b->observer.graph_freed = background_graph_freed;
    vv_graph_observe(graph, &b->observer);
    return b;
}

struct vv_background *vv_background_of_job(varve_job *job)
{
    return job->background ? background_find(job->background->graph) : NULL;
}

varve_status vv_background_settle(varve_graph *graph, varve_error *error)
{
    struct vv_background *b = background_find(graph);
    while (b && vv_background_wait_for_oldest(b))
        continue;
    return b ? vv_background_report(b, error) : VARVE_OK;
}

void vv_background_keep_failure(varve_graph *graph, const varve_error *failure)
{
    struct vv_background *b = background_find(graph);
    if (!b || !failure->status || failure->status == VARVE_CANCELLED)
        return;
    vv_monitor_enter(b->worker.monitor);
    add_failure(&b->unreported, failure, NULL);
    vv_monitor_leave(b->worker.monitor);
}

void vv_background_update_counters(const varve_graph *graph)
{
    struct vv_background *b = background_find(graph);
    if (!b)
        return;
    vv_monitor_enter(b->worker.monitor);
    update_counters(b);
    vv_monitor_leave(b->worker.monitor);
}
