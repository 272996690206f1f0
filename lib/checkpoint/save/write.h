/* write.h - Defines the request of a save, and saves with one process.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WRITE_H
#define VV_WRITE_H

#include <varve/job.h>

#include "save_plan.h"

/* Performs the checks that all calls that write or read a file need: the graph
 * has no error, `root` is one of its nodes, structs match the program's memory
 * (struct_look.h updates them), values do not overlap (overlap.h), and `path`
 * is not NULL. `what` is the name of the argument `path` for messages. */
varve_status vv_check_call(
    varve_node *root, const char *path, const char *what, varve_error *error);

/* As vv_check_call, for a save that waits for the saves in flight. Returns
 * their failures, too. */
varve_status vv_begin_save(
    varve_node *root, const char *path, const char *what, varve_error *error);

/* --- Requests ------------------------------------------------------------- */

/* A save. All calls that save make one of these. */
struct vv_save_request {
    /* to fill in */
    varve_node *root;
    const char *target; /* a path, or the prefix of a numbered checkpoint */
    const varve_write_options *options; /* may be NULL */
    bool is_numbered;  /* `target` is a prefix; the number is above the counter
                          of the root */
    bool sets_counter; /* set the counter of the root */
    uint64_t counter;  /* to store in the file; 0: none. Not if numbered */
    bool is_private;   /* asynchronous: the next save does not report its
                          failure */
    bool is_swept;     /* there are no left-over temporary files for `target` */
    enum vv_save_plan_of of; /* the values to save: VV_OF_ONE or VV_OF_PARTS */
};

/* Return the requests of varve_write and varve_save. The arguments need not be
 * valid. */
struct vv_save_request vv_write_request(
    varve_node *root, const char *path, const varve_write_options *options);
struct vv_save_request vv_numbered_request(
    varve_node *root, const char *prefix, const varve_write_options *options);

/* Reserves memory for the counter, and gathers the save plan of a request. On
 * failure there is nothing to clear. */
varve_status vv_request_gather(const struct vv_save_request *request,
    struct vv_save_plan *save_plan, varve_error *error);

/* Saves with this process. */
varve_status vv_save_now(
    const struct vv_save_request *request, varve_error *error);

/* Starts an asynchronous save. Writes it before returning if no thread can be
 * started. Returns NULL on failure; then nothing has changed. */
varve_job *vv_save_start(
    const struct vv_save_request *request, varve_error *error);

/* --- Writing -------------------------------------------------------------- */

/* How the ranks of a save by many processes write a file. Both functions are
 * collective: `status` is the result of the earlier steps of this rank, and all
 * ranks return the same. */
struct vv_collective_write {
    /* Sets *number to its value on rank 0. */
    varve_status (*agree)(
        void *user, varve_status status, uint64_t *number, varve_error *error);
    /* May be called again with another path after VARVE_EXISTS. */
    varve_status (*write)(
        void *user, varve_status status, const char *path, varve_error *error);
};

/* A gathered save plan, and the name of its file. */
struct vv_saving {
    /* to fill in */
    struct vv_save_plan *save_plan;
    const char *target; /* a path, or the prefix of a numbered checkpoint */
    bool is_numbered;
    bool sets_counter; /* of `root` */
    bool is_follower;  /* another rank chooses the number */
    varve_node *root;  /* its graph is held while values are written; NULL: the
                          save plan is detached, or was not gathered */
    struct vv_buffer *path; /* set to the path of the file; or NULL */
    const struct vv_collective_write *way; /* NULL: one process */
    void *user;                            /* of `way` */
};

/* Writes a save plan. If it is numbered, writes it under the next number of the
 * prefix, higher than its counter, sets the counter to that number, and writes
 * the name to PREFIX.latest. `status` is the result of the earlier steps. May
 * be called on any thread if `root` is NULL. */
varve_status vv_saving_write(
    const struct vv_saving *saving, varve_status status, varve_error *error);

/* Writes the file of a save plan to a path. */
varve_status vv_saving_write_to(const struct vv_saving *saving,
    varve_status status, const char *path, varve_error *error);

#endif
