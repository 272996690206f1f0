/* temporary.h - Temporary files that are written before they get their final
 * name. Detects which are still being written and which are left over.
 *
 * A killed process leaves its temporary file. The next writer of the same name
 * removes it. A lock shows whether a file is in use: a writer holds the lock of
 * its file until it is renamed, and the lock ends with the process. On file
 * systems without locks nothing is removed.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_TEMPORARY_H
#define VV_TEMPORARY_H

#include <stdbool.h>

#include <varve/error.h>

#include "context.h"
#include "system.h"

/* ".<name>.<16 hex digits>.tmp"; the name is cut so that the whole has at most
 * 255 bytes. */
struct vv_temporary {
    const struct vv_context *context;
    int directory; /* borrowed */
    /* to fill in */
    int file; /* to be written and closed by the caller */
    /* to read */
    char name[256];
    /* own */
    int guard; /* a second descriptor that holds the lock; -1: no locks here */
};

/* Size of the name without the original: ".", ".", the digits, ".tmp". */
enum { VV_TEMPORARY_OVERHEAD = 2 + 16 + 4 };

/* Returns true if `candidate` is the name of a temporary file for `name`. */
bool vv_temporary_is_of(const char *name, const char *candidate);

/* Makes a new, empty, locked file in the directory of `name`; `path` is for
 * messages. A private file is accessible only to its owner; the system must
 * have `create_private` then. On failure nothing remains. */
varve_status vv_temporary_make(struct vv_temporary *temporary,
    const struct vv_context *context, int directory, const char *name,
    const char *path, bool is_private, varve_error *error);

/* Releases the lock after the file was renamed or removed. */
void vv_temporary_release(struct vv_temporary *temporary);

/* Removes and releases the file. Retries, to avoid left-over files. */
void vv_temporary_remove(struct vv_temporary *temporary);

/* Removes one temporary file unless it is being written. */
void vv_temporary_sweep_one(
    const struct vv_context *context, int directory, const char *candidate);

/* Removes all temporary files for `name` that are not being written. Errors are
 * ignored. */
void vv_temporary_sweep(
    const struct vv_context *context, int directory, const char *name);

#endif
