/* background.h - Queues the asynchronous saves of a graph and writes them in
 * order on one thread.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BACKGROUND_H
#define VV_BACKGROUND_H

#include <stdatomic.h>

#include <varve/allocator.h>
#include <varve/comm.h>
#include <varve/job.h>

#include "graph.h"
#include "worker.h"
#include "write.h"

/* --- Blocks --------------------------------------------------------------- */

/* Keeps memory blocks for copies of all values of a graph.
 *
 * Blocks are reused by later saves, so that the system does not have to provide
 * zeroed pages for each save. */

struct vv_block;

struct vv_block_pool {
    /* to fill in */
    const varve_allocator *allocator;
    /* own */
    struct vv_block *free;
};

/* Returns a block of at least `size` bytes. If no free block is large enough,
 * frees all of them and allocates a new one. Returns NULL if out of memory. */
struct vv_block *vv_block_take(struct vv_block_pool *pool, size_t size);

/* Returns a block to the pool. `block` may be NULL. */
void vv_block_give(struct vv_block_pool *pool, struct vv_block *block);

/* Frees all free blocks. */
void vv_block_pool_clear(struct vv_block_pool *pool);

/* Returns the memory of a block, aligned to a page. */
void *vv_block_bytes(struct vv_block *block);

/* --- Saves ---------------------------------------------------------------- */

/* Also keeps the memory blocks for the copies of values, which are reused by
 * later saves. */

/* The progress of copying the values of a job. */
enum vv_copy_stage { VV_TO_COPY, VV_COPYING, VV_COPIED };

/* The part of one process in a save by many processes. */
struct vv_job_part {
    /* to fill in */
    /* Returns the additional save plan with this number (from 0), or NULL if
     * there are no more. */
    struct vv_save_plan *(*save_plan)(struct vv_job_part *part, size_t number);
    /* Called once before the values are copied, on any thread. May be NULL. */
    void (*before_copy)(struct vv_job_part *part);
    /* Writes the part of this process and sets the path of the job. Called on
     * the background thread, also if an earlier step failed: `status` is the
     * result so far. */
    varve_status (*write)(struct vv_job_part *part, varve_job *job,
        varve_status status, varve_error *error);
    /* Called on any thread before the save plan of the job is cleared. */
    void (*free)(struct vv_job_part *part);
};

/* An asynchronous save. `error`, `counter`, `block`, `next`, `root`, `stage`
 * and the flags are guarded by the monitor of the queue. `save_plan` and `path`
 * belong to one thread at a time (background.c). */
struct varve_job {
    /* to fill in */
    struct vv_job_part *part; /* NULL: a save by this process alone, or done */
    /* to read */
    struct vv_context context;
    struct vv_background *background; /* NULL: done, and the graph was freed */
    struct varve_job *next; /* the job that was started after this one */
    varve_node *root;       /* NULL: the node was removed */
    struct vv_save_plan save_plan;
    size_t detached; /* number of its save plans that are detached */
    struct vv_block *block;
    char *target;          /* a path, or the prefix of a numbered checkpoint */
    bool is_numbered;      /* the number is chosen when the job is written */
    bool sets_counter;     /* sets the counter of the root */
    bool is_private;       /* the caller that started it reports its failure */
    uint64_t counter;      /* that the root gets */
    struct vv_buffer path; /* path of the file that was written */
    varve_error error;     /* valid once the job is done */
    varve_progress *progress; /* callback of the program */
    void *progress_user;
    enum vv_copy_stage stage;
    bool is_done;
    bool is_lost;     /* in a forked child: the job belongs to the parent */
    bool is_noticed;  /* the counter of its root was updated */
    bool is_reported; /* its failure was reported to the program */
    atomic_bool is_cancelled;
    _Atomic uint64_t written, total;
};

/* Waits until all jobs in flight are done, and returns the failures that were
 * not reported yet. Called by a save that must come after them. */
varve_status vv_background_settle(varve_graph *graph, varve_error *error);

/* Stores the failure of a private job whose owner ends before reporting it. The
 * next save reports it. */
void vv_background_keep_failure(varve_graph *graph, const varve_error *failure);

/* Sets the counters of roots whose jobs are done. */
void vv_background_update_counters(const varve_graph *graph);

/* --- Saves by many processes ---------------------------------------------- */

struct vv_background;

/* These functions are the steps of vv_save_start, for callers that have other
 * steps between them.
 *
 * vv_job_new allocates the job. It needs nothing that is gathered. */
varve_job *vv_job_new(
    const struct vv_save_request *request, varve_error *error);
/* vv_job_fill fills in the job once its save plan was gathered.
 * vv_job_stage makes the job independent of later changes of the values.
 * After that the job can be added or dropped. */
void vv_job_fill(varve_job *job, const struct vv_save_request *request);
varve_status vv_job_stage(
    struct vv_background *b, varve_job *job, varve_error *error);

/* Frees a job that was not added. Its save plan must be cleared. */
void vv_job_drop(struct vv_background *b, varve_job *job);

/* --- For write.c ------------------------------------------------------------
 */

/* The queue of a graph. `pool`, `jobs`, `unreported`, `ended` and `is_cut_off`
 * are guarded by the monitor of the worker; `is_cut_off` is reset without it
 * while no job is in flight. The other members are constant, or used only by
 * the thread of the graph. */
struct vv_background {
    /* own */
    struct vv_observer observer;
    struct vv_context context;
    varve_graph *graph;
    struct vv_worker_thread worker;
    struct vv_block_pool pool;
    varve_job *jobs; /* all jobs that are not freed, in order of their calls */
    varve_error unreported; /* failures of jobs that are freed */
    uint64_t ended;         /* number of finished jobs of many processes */
    bool is_cut_off; /* one of those jobs lost the connection to the others */
    /* to fill in */
    const varve_comm *comm; /* the communicator of the last job of many */
    varve_comm *copy;       /* its copy, used by the thread; or NULL */
};

/* Returns the queue of a graph, and creates it if necessary. Returns NULL if
 * out of memory. */
struct vv_background *vv_background_of(varve_graph *graph);

/* Returns the queue of a job, or NULL if there is nothing to wait for any
 * more. */
struct vv_background *vv_background_of_job(varve_job *job);

/* Sets the counters of roots whose jobs are done, and returns the failures that
 * were not reported yet. */
varve_status vv_background_report(struct vv_background *b, varve_error *error);

/* vv_background_start starts the thread if necessary. Returns false if there is
 * none: then vv_background_add writes the job at once, and the values need not
 * be copied.
 *
 * vv_background_add takes over a job and appends it to the queue. */
bool vv_background_start(struct vv_background *b);
void vv_background_add(struct vv_background *b, varve_job *job);

/* vv_background_wait_below waits while `most` or more jobs are in flight.
 * vv_background_wait_for_oldest waits for the oldest job in flight; it returns
 * false if there is none. */
void vv_background_wait_below(struct vv_background *b, unsigned most);
bool vv_background_wait_for_oldest(struct vv_background *b);
bool vv_background_is_idle(struct vv_background *b);

/* Waits until the job is done, and sets the counter of its root. */
void vv_background_wait(struct vv_background *b, varve_job *job);

/* Waits until the values of the job are copied. Copies them itself if the
 * thread has not begun to. */
void vv_background_wait_copied(struct vv_background *b, varve_job *job);

bool vv_background_has_done(struct vv_background *b, const varve_job *job);

/* Returns the save plan with this number; number 0 is that of the job itself.
 * Returns NULL past the last one. */
struct vv_save_plan *vv_job_save_plan(varve_job *job, size_t number);

/* Copies the large values that the save plans borrow from the program. Called
 * once. */
void vv_job_copy(varve_job *job);

/* The first returns the number of finished jobs of many processes; the second
 * waits until it has reached `count` or no job is in flight. */
uint64_t vv_background_ended(struct vv_background *b);
void vv_background_wait_for_end(struct vv_background *b, uint64_t count);

/* Returns true if there is no usable copy of the communicator `comm`. */
bool vv_background_lacks_copy(struct vv_background *b, const varve_comm *comm);

/* Releases the copy of a communicator, if there is one. */
void vv_background_release_copy(struct vv_background *b);

/* Take a block from the pool, and return it. */
struct vv_block *vv_background_take(struct vv_background *b, size_t size);
void vv_background_give(struct vv_background *b, struct vv_block *block);

/* Removes a finished job from the queue before it is freed. Keeps its
 * failure. */
void vv_background_remove(struct vv_background *b, varve_job *job);

/* The progress callback of each job; `user` is the job. */
int vv_background_progress(
    void *user, uint64_t done, uint64_t total, const char *what);

#endif
