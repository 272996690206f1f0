/* pack_line.c - Compresses jobs on several threads, in a ring that keeps their
 * order.
 *
 * Each thread takes the next job that is to be compressed. The calling thread
 * passes on the oldest one.
 *
 * Only the calling thread adds and passes on jobs, allocates memory and starts
 * threads. It does so depending on what was added, never on what the other
 * threads have finished: so system calls are made in a deterministic order.
 * While it waits it compresses jobs as well. With one thread the algorithm is
 * the same without the others.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pack_line.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "monitor.h"
#include "system.h"
#include "try.h"
#include "worker.h"

enum {
    BLOCKS_PER_WORKER = 2, /* one is being compressed, another is ready or
                              waits */
    MOST_BLOCKS = BLOCKS_PER_WORKER * VV_MAX_WORKERS,
    MOST_JOBS = 256,              /* small jobs share a block */
    BYTES_PER_WORKER = 256 * 1024 /* with less, another thread is not
                                     worthwhile */
};

/* The bytes of a chunk, or of several jobs that are not compressed. */
struct block {
    unsigned jobs; /* number of jobs that have bytes in it */
    size_t used;
    uint8_t bytes[VV_CHUNK_SIZE];
    uint8_t frame[VV_CHUNK_SIZE];
};

enum stage { WAITING, TAKEN, READY };

struct step {
    struct vv_chunk_job job;
    struct block *block; /* or NULL */
    enum stage stage;    /* guarded by the monitor */
};

struct packing_thread {
    struct vv_pack_line *line;
    struct vv_packer *packer;
    uintptr_t number;
};

struct vv_pack_line {
    struct vv_context context;
    int level;
    vv_hand_on *hand_on;
    void *user;
    struct vv_monitor *monitor;
    struct step steps[MOST_JOBS]; /* a ring; positions count up without
                                        wrapping */
    size_t first; /* the oldest that was not passed on; calling thread only */
    size_t next;  /* all before it are taken; guarded by the monitor */
    size_t end;   /* position of the next one added; guarded by the monitor */
    bool is_over; /* guarded by the monitor */
    struct block *blocks[MOST_BLOCKS];
    unsigned block_count;
    struct block *open; /* for small jobs, not full; or NULL */
    uint64_t begun;     /* bytes added for compression */
    unsigned workers;   /* limit; 0: not determined yet */
    unsigned started;   /* including the calling thread */
    struct packing_thread all[VV_MAX_WORKERS];
};

static struct step *step_at(struct vv_pack_line *line, size_t number)
{
    return &line->steps[number % MOST_JOBS];
}

/* --- Compressing ---------------------------------------------------------- */

/* Takes the next job that no thread has taken; returns NULL if there is none.
 * The caller holds the monitor. */
static struct step *pack_line_take(struct vv_pack_line *line)
{
    while (line->next < line->end) {
        struct step *step = step_at(line, line->next++);
        if (step->stage != WAITING)
            continue;
        step->stage = TAKEN;
        return step;
    }
    return NULL;
}

/* Compresses a job. The caller holds the monitor, which is released
 * meanwhile. */
static void pack(const struct packing_thread *thread, struct step *step)
{
    struct vv_chunk_job *job = &step->job;
    struct vv_pack found = { .planes = (uint8_t)job->planes };
    vv_monitor_leave(thread->line->monitor);
    if (vv_packer_pack(thread->packer, job->bytes, (size_t)job->size,
            step->block->frame, &found)) {
        job->frame = step->block->frame;
        job->place.pack = found;
    }
    vv_monitor_enter(thread->line->monitor);
    step->stage = READY;
    vv_monitor_wake(thread->line->monitor);
}

static void *pack_line_work(void *argument)
{
    const struct packing_thread *thread = argument;
    struct vv_pack_line *line = thread->line;
    vv_monitor_enter(line->monitor);
    while (!line->is_over) {
        struct step *step = pack_line_take(line);
        if (step)
            pack(thread, step);
        else
            vv_monitor_wait(line->monitor, -1);
    }
    vv_monitor_leave(line->monitor);
    return NULL;
}

/* --- Threads -------------------------------------------------------------- */

static varve_status pack_line_start(
    struct vv_pack_line *line, varve_error *error)
{
    const struct vv_system *system = line->context.system;
    struct packing_thread *thread = &line->all[line->started];
    thread->line = line;
    thread->packer = vv_packer_new(&line->context.allocator, line->level);
    if (!thread->packer)
        return vv_fail_memory(error, "compressing values");
    if (line->started > 0 && system->start_thread(system->state, pack_line_work,
                                 thread, &thread->number) != 0) {
        vv_packer_free(thread->packer);
        line->workers = line->started; /* continue with the threads that were
                                          started */
        return VARVE_OK;
    }
    line->started++;
    return VARVE_OK;
}

/* Starts another thread if that is worthwhile for `size` more bytes. */
static varve_status add_worker(
    struct vv_pack_line *line, uint64_t size, varve_error *error)
{
    line->begun += size;
    if (line->started == 0)
        return pack_line_start(line, error);
    if (line->begun <= (uint64_t)line->started * BYTES_PER_WORKER)
        return VARVE_OK;
    if (line->workers == 0)
        line->workers = vv_worker_count(&line->context, 0);
    return line->started < line->workers ? pack_line_start(line, error)
                                         : VARVE_OK;
}

/* --- Passing on ----------------------------------------------------------- */

/* Waits until the step, which is the first one, is ready. Compresses other jobs
 * meanwhile. */
static void pack_line_wait_for(struct vv_pack_line *line, struct step *step)
{
    vv_monitor_enter(line->monitor);
    while (step->stage != READY) {
        struct step *other = pack_line_take(line);
        if (other)
            pack(&line->all[0], other);
        else
            vv_monitor_wait(line->monitor, -1);
    }
    if (line->next <= line->first)
        line->next = line->first + 1;
    vv_monitor_leave(line->monitor);
}

static varve_status hand_on_first(struct vv_pack_line *line, varve_error *error)
{
    struct step *step = step_at(line, line->first);
    pack_line_wait_for(line, step);
    varve_status status = line->hand_on(line->user, &step->job, error);
    struct block *block = step->block;
    if (block && --block->jobs == 0)
        block->used = 0;
    line->first++;
    return status;
}

varve_status vv_pack_line_end(struct vv_pack_line *line, varve_error *error)
{
    while (line->first < line->end)
        VV_TRY(hand_on_first(line, error));
    return VARVE_OK;
}

/* --- Adding --------------------------------------------------------------- */

/* With one thread there is one block: its job is passed on before the next one
 * is added. */
static unsigned most_blocks(const struct vv_pack_line *line)
{
    return line->started == 1 ? 1 : BLOCKS_PER_WORKER * line->started;
}

static struct block *pack_line_find_block(const struct vv_pack_line *line)
{
    for (unsigned i = 0; i < line->block_count; i++) {
        if (line->blocks[i]->jobs == 0)
            return line->blocks[i];
    }
    return NULL;
}

/* Sets *block to an empty block. Passes on jobs until there is one. */
static varve_status get_block(
    struct vv_pack_line *line, struct block **block, varve_error *error)
{
    while (!(*block = pack_line_find_block(line)) &&
           line->block_count >= most_blocks(line))
        VV_TRY(hand_on_first(line, error));
    if (*block)
        return VARVE_OK;
    *block = vv_allocate(&line->context.allocator, sizeof **block);
    if (!*block)
        return vv_fail_memory(error, "compressing values");
    (*block)->jobs = 0;
    (*block)->used = 0;
    line->blocks[line->block_count++] = *block;
    return VARVE_OK;
}

/* Copies the bytes of a job to a block of its own or, if it is not compressed,
 * to the block that such jobs share. */
static varve_status pack_line_keep_bytes(struct vv_pack_line *line,
    struct step *step, bool is_packed, varve_error *error)
{
    struct vv_chunk_job *job = &step->job;
    struct block *block = is_packed ? NULL : line->open;
    if (!block || VV_CHUNK_SIZE - block->used < job->size)
        VV_TRY(get_block(line, &block, error));
    if (!is_packed)
        line->open = block;
    else if (line->open == block)
        line->open = NULL;
    uint8_t *to = block->bytes + block->used;
    if (!is_packed || !job->stays) {
        memcpy(to, job->bytes, (size_t)job->size);
        job->bytes = to;
    }
    block->used = is_packed ? VV_CHUNK_SIZE : block->used + (size_t)job->size;
    block->jobs++;
    step->block = block;
    return VARVE_OK;
}

static varve_status pack_line_keep(struct vv_pack_line *line,
    const struct vv_chunk_job *job, bool is_packed, varve_error *error)
{
    struct step step = { .job = *job, .stage = is_packed ? WAITING : READY };
    if (line->end - line->first == MOST_JOBS)
        VV_TRY(hand_on_first(line, error));
    if (job->bytes && job->size > 0)
        VV_TRY(pack_line_keep_bytes(line, &step, is_packed, error));
    *step_at(line, line->end) = step;
    vv_monitor_enter(line->monitor);
    line->end++;
    if (is_packed)
        vv_monitor_wake(line->monitor);
    vv_monitor_leave(line->monitor);
    return VARVE_OK;
}

varve_status vv_pack_line_add(struct vv_pack_line *line,
    const struct vv_chunk_job *job, varve_error *error)
{
    bool is_packed =
        job->bytes && job->planes > 0 && vv_pack_is_worth(job->size);
    if (is_packed)
        VV_TRY(add_worker(line, job->size, error));
    else if (job->bytes && job->size > VV_CHUNK_SIZE)
        VV_TRY(vv_pack_line_end(line, error));
    if (!is_packed && line->first == line->end)
        return line->hand_on(line->user, job, error);
    return pack_line_keep(line, job, is_packed, error);
}

/* --- Creating and freeing ------------------------------------------------- */

struct vv_pack_line *vv_pack_line_new(const struct vv_context *context,
    int level, vv_hand_on *hand_on, void *user)
{
    const varve_allocator *a = &context->allocator;
    struct vv_pack_line *line = vv_allocate_zeroed(a, sizeof *line);
    if (!line)
        return NULL;
    line->context = *context;
    line->level = level;
    line->hand_on = hand_on;
    line->user = user;
    line->monitor = vv_monitor_new(a);
    if (line->monitor)
        return line;
    vv_pack_line_free(line);
    return NULL;
}

void vv_pack_line_free(struct vv_pack_line *line)
{
    if (!line)
        return;
    const varve_allocator a = line->context.allocator;
    const struct vv_system *system = line->context.system;
    if (line->monitor) {
        vv_monitor_enter(line->monitor);
        line->is_over = true;
        vv_monitor_wake(line->monitor);
        vv_monitor_leave(line->monitor);
    }
    for (unsigned i = 0; i < line->started; i++) {
        if (i > 0)
            system->join_thread(system->state, line->all[i].number);
        vv_packer_free(line->all[i].packer);
    }
    for (unsigned i = 0; i < line->block_count; i++)
        vv_release(&a, line->blocks[i], sizeof *line->blocks[i]);
    vv_monitor_free(&a, line->monitor);
    vv_release(&a, line, sizeof *line);
}
