/* saver_together.h - a saver of many processes: rank 0 looks for files, reads
 * the clock and deletes; the others are told, and keep the same list.
 *
 * With a communicator each of these is called by all ranks, whatever went wrong
 * at one of them, and returns the same status everywhere; of a saver of this
 * process alone they return `status`. `error` is not NULL.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVER_TOGETHER_H
#define VV_SAVER_TOGETHER_H

#include "hand_over.h"
#include "saver.h"

/* Whether this process acts on the directory: rank 0, or the only one. */
bool vv_saver_leads(const varve_saver *saver);

/* The first meeting: whether all ranks have made theirs, which is NULL where
 * `status` says why it is not, with the same options. */
varve_status vv_saver_meet(varve_saver *saver, const varve_comm *comm,
    varve_status status, varve_error *error);

/* Whether all call for the same, of which `digest` is one; `name` is what the
 * message names. Sets *when, unless it is NULL, to the time of rank 0. */
varve_status vv_saver_compare(const varve_saver *saver, varve_status status,
    const char *name, uint64_t digest, int64_t *when, varve_error *error);

/* Sets the text everywhere to what it is at rank 0, with its NUL. */
varve_status vv_saver_tell(const varve_saver *saver, varve_status status,
    struct vv_buffer *text, varve_error *error);

/* Sets an empty list everywhere to what it is at rank 0; on failure it is
 * cleared. */
varve_status vv_saver_tell_list(const varve_saver *saver, varve_status status,
    struct vv_saver_files *files, varve_error *error);

#endif
