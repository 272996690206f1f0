/* subject.h - what is saved: a model of a thousand numbers, whose values are
 * the older or the newer ones.
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

/* How a checkpoint was found. */
enum subject_finding {
    FOUND_NOTHING,
    FOUND_OLDER,
    FOUND_NEWER,
    FOUND_REFUSED, /* there, but it cannot be read */
    FOUND_WRONG,   /* read without an error, but neither of the two */
    FINDINGS,
};

struct vv_system;

/* Writes `path`, in the format that its ending says, or where it has none saves
 * under it as a prefix. */
varve_status subject_save(const struct vv_system *system, const char *path,
    unsigned seed, varve_error *error);

/* The same in the background, of values at rest, which change once they are
 * copied. */
varve_status subject_save_behind(const struct vv_system *system,
    const char *path, unsigned seed, varve_error *error);

/* Restores `path`, a file or a prefix, and compares every value. */
enum subject_finding subject_find(
    const struct vv_system *system, const char *path);

const char *subject_finding_name(enum subject_finding finding);

#endif
