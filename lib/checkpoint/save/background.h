/* background.h - the saves of a graph that are in flight: one thread, which
 * writes them in order, and memory for copies, which is used again.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_BACKGROUND_H
#define VV_BACKGROUND_H

#include <stdatomic.h>

#include <varve/comm.h>
#include <varve/job.h>

#include "block_pool.h"
#include "save_plan.h"
#include "graph.h"

struct vv_monitor;

/* How far the copy of a job's values is. */
enum vv_copy_stage { VV_TO_COPY, VV_COPYING, VV_COPIED };

/* What is otherwise of a job by many processes: the part of this one. */
struct vv_job_part {
    /* to fill in */
    /* A save plan beside that of the job, from 0; NULL: there are no more. */
    struct vv_save_plan *(*save_plan)(struct vv_job_part *part, size_t number);
    /* Before the values are copied, once, on any thread; may be NULL. */
    void (*look)(struct vv_job_part *part);
    /* Called whatever became of it before (`status`), on the thread of the
     * background; sets the job's path. */
    varve_status (*write)(struct vv_job_part *part, varve_job *job,
        varve_status status, varve_error *error);
    /* Before the save plan of the job is cleared, on any thread. */
    void (*free)(struct vv_job_part *part);
};

struct varve_job {
    /* to fill in */
    struct vv_job_part *part; /* NULL: it is by this process alone, or done */
    /* to read */
    struct vv_context context;
    struct vv_background *background; /* NULL: it is over, and has no graph */
    struct varve_job *next;           /* called later */
    varve_node *root;                 /* NULL once it is gone */
    struct vv_save_plan save_plan;
    size_t detached; /* so many of all its save plans are */
    struct vv_block *block;
    char *target;             /* a path, or the prefix of a numbered one */
    bool is_numbered;         /* its number is found when it is written */
    bool sets_counter;        /* of the root */
    bool is_private;          /* whoever started it tells of its failure */
    uint64_t counter;         /* that the root gets */
    struct vv_buffer path;    /* of what was written */
    varve_error error;        /* once it is done */
    varve_progress *progress; /* the program's */
    void *progress_user;
    enum vv_copy_stage stage;
    bool is_done;
    bool is_lost;    /* in a fork: it is the parent's */
    bool is_noticed; /* the graph knows of its end */
    bool is_told;    /* the program knows of its failure */
    atomic_bool is_cancelled;
    _Atomic uint64_t written, total;
};

struct vv_job_request {
    /* to fill in */
    varve_node *root;
    const char *target; /* copied */
    const varve_write_options *options;
    bool is_numbered;  /* `target` is a prefix */
    bool sets_counter; /* the root's, to... */
    uint64_t counter;  /* ... this, which is in the file; of a numbered one,
                          what it is above at least. 0: none */
    bool is_private;   /* failures are not told by the next save */
    enum vv_save_plan_of
        of; /* whose values they are; VV_OF_ONE or VV_OF_PARTS */
};

/* Starts one; or writes it before it returns, where there is no thread. NULL on
 * failure; then nothing has changed. */
varve_job *vv_job_start(
    const struct vv_job_request *request, varve_error *error);

/* Waits for all that are in flight, and tells failures that nobody knows. For
 * a save that comes after them. */
varve_status vv_background_settle(varve_graph *graph, varve_error *error);

/* What a private one failed with, for the next save to tell: whoever started it
 * ends before telling. */
void vv_background_keep(varve_graph *graph, const varve_error *failure);

/* Sets the counters of roots whose jobs are done. */
void vv_background_notice(const varve_graph *graph);

/* --- Jobs of many processes ----------------------------------------------- */

struct vv_background;

/* The steps of vv_job_start, for whoever has others between them: what is known
 * before anything is gathered; ... */
varve_job *vv_job_new(const struct vv_job_request *request, varve_error *error);
/* ... its save plan has been; all values are held still, and it can be added,
 * or dropped. */
void vv_job_request(varve_job *job, const struct vv_job_request *request);
varve_status vv_job_hold_still(
    struct vv_background *b, varve_job *job, varve_error *error);

/* One that was not added, and whose save plan is cleared. */
void vv_job_drop(struct vv_background *b, varve_job *job);

/* --- For job.c ------------------------------------------------------------ */

struct vv_background {
    /* own */
    struct vv_observer observer;
    struct vv_context context;
    varve_graph *graph;
    struct vv_monitor *monitor;
    struct vv_block_pool pool;
    varve_job *jobs; /* all that are not freed, in the order of their calls */
    varve_error untold; /* of those that are */
    uint64_t ended;     /* jobs of many, so far */
    bool is_cut_off;    /* one of them lost the others */
    uintptr_t thread;
    int64_t process; /* whose thread it is */
    bool has_thread;
    bool ends;
    /* to fill in */
    const varve_comm *comm; /* that the last job of many was for, */
    varve_comm *copy;       /* and the copy that its thread calls; or NULL */
};

/* That of a graph, made where there is none; NULL without memory. */
struct vv_background *vv_background_of(varve_graph *graph);

/* That of a job; NULL where nothing is to be waited for any more. */
struct vv_background *vv_background_of_job(varve_job *job);

/* Takes notice of all that is done, and tells failures that nobody knows. */
varve_status vv_background_tell(struct vv_background *b, varve_error *error);

/* Takes a job over: the last of the queue. Where there is no thread, and none
 * can be started, it is written at once; so values need not be copied where
 * vv_background_start says false. */
bool vv_background_start(struct vv_background *b);
void vv_background_add(struct vv_background *b, varve_job *job);

/* Waits while `most` jobs or more are in flight; and for the oldest, if there
 * is one. */
void vv_background_wait_for_room(struct vv_background *b, unsigned most);
bool vv_background_wait_for_oldest(struct vv_background *b);
bool vv_background_is_idle(struct vv_background *b);

/* Until it is done, and noticed. */
void vv_background_wait(struct vv_background *b, varve_job *job);

/* Until its values are copied; or it copies them. */
void vv_background_wait_copied(struct vv_background *b, varve_job *job);

bool vv_background_has_done(struct vv_background *b, const varve_job *job);

/* All save plans of a job, from its own on; NULL past the end. */
struct vv_save_plan *vv_job_save_plan(varve_job *job, size_t number);

/* Copies what they lend of large values; once. */
void vv_job_copy(varve_job *job);

/* How many jobs of many processes have ended; waits until so many have. */
uint64_t vv_background_ended(struct vv_background *b);
void vv_background_wait_for_end(struct vv_background *b, uint64_t count);

/* Whether its copy of a communicator is not that of `comm`, or of no use. */
bool vv_background_lacks_copy(struct vv_background *b, const varve_comm *comm);

/* Lets go of the copy of a communicator, if there is one. */
void vv_background_release_copy(struct vv_background *b);

/* Blocks of the pool. */
struct vv_block *vv_background_take(struct vv_background *b, size_t size);
void vv_background_give(struct vv_background *b, struct vv_block *block);

/* A job that is done is freed: its failure is kept. */
void vv_background_part(struct vv_background *b, varve_job *job);

/* What is set as the progress of a job, which is `user`. */
int vv_background_watch(
    void *user, uint64_t done, uint64_t total, const char *what);

#endif
