/* temporary.h - files written aside until they are complete: what they are
 * called, who is still writing one, and which were left behind.
 *
 * A process that is killed leaves its temporary file. The next one that writes
 * the same name removes it; that it may, it knows from the lock, which a writer
 * holds on its file until that has its name, and which ends with the process.
 * Where the file system has no locks, nothing is removed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TEMPORARY_H
#define VV_TEMPORARY_H

#include <stdbool.h>

#include <varve/error.h>

#include "context.h"
#include "system.h"

/* ".<name>.<16 hex digits>.tmp", the name cut so that the whole fits 255
 * bytes. */
struct vv_temporary {
    const struct vv_context *context;
    int directory; /* borrowed */
    /* to fill in */
    int file; /* to be written, and closed by the writer */
    /* to read */
    char name[256];
    /* own */
    int guard; /* a second descriptor, with the lock; -1: no locks here */
};

/* What such a name has besides: ".", ".", the digits, ".tmp". */
enum { VV_TEMPORARY_OVERHEAD = 2 + 16 + 4 };

/* Whether `candidate` is the name of a temporary file for `name`. */
bool vv_temporary_is_of(const char *name, const char *candidate);

/* A new, empty, locked file beside `name`; `path` is for messages. A private
 * one is for its owner alone; the system has `create_private` then. On failure
 * nothing is left. */
varve_status vv_temporary_make(struct vv_temporary *temporary,
    const struct vv_context *context, int directory, const char *name,
    const char *path, bool is_private, varve_error *error);

/* Once it was renamed, or removed. */
void vv_temporary_release(struct vv_temporary *temporary);

/* Removes and releases it. A stray file is worth more than one try. */
void vv_temporary_remove(struct vv_temporary *temporary);

/* Removes one of these, unless somebody is writing it. */
void vv_temporary_sweep_one(
    const struct vv_context *context, int directory, const char *candidate);

/* Removes temporary files for `name` that nobody is writing. What cannot be
 * listed or removed stays, and nobody is told. */
void vv_temporary_sweep(
    const struct vv_context *context, int directory, const char *name);

#endif
