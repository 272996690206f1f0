/* subject.h - Declares the saved state: a model of a thousand numbers with the
 * older or the newer values.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CRASH_SUBJECT_H
#define CRASH_SUBJECT_H

#include <varve/varve.h>

enum { SUBJECT_OLDER = 1, SUBJECT_NEWER = 2 };

struct subject {
    float weights[1000];
    double rates[20];
    int64_t step;
};

/* The result of restoring a checkpoint. */
enum subject_finding {
    FOUND_NOTHING,
    FOUND_OLDER,
    FOUND_NEWER,
    FOUND_REFUSED, /* exists, but cannot be read */
    FOUND_WRONG,   /* read without an error, but has other values */
    FINDINGS,
};

struct vv_system;

/* Writes `path` in the format of its extension, or saves with it as a prefix if
 * there is no extension. */
varve_status subject_save(const struct vv_system *system, const char *path,
    unsigned seed, varve_error *error);

/* Saves asynchronously without copying the values first; changes them once they
 * are staged. */
varve_status subject_save_behind(const struct vv_system *system,
    const char *path, unsigned seed, varve_error *error);

/* Restores `path`, a file or a prefix, and compares every value. */
enum subject_finding subject_find(
    const struct vv_system *system, const char *path);

const char *subject_finding_name(enum subject_finding finding);

#endif
