/* report.h - findings behind the handle, compact until they are asked for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REPORT_H
#define VV_REPORT_H

#include "arena.h"
#include "restoration.h"

/* A finding without what can be looked up by its value. Strings and tensors are
 * in the report's arena; NULL where there are none. */
struct vv_finding {
    varve_finding_kind kind;
    bool is_cast;
    bool is_excused;
    bool is_restored; /* the program's node has a value: only the file's has no
                         home */
    bool is_pattern;  /* of the options, that stood for nothing */
    const char *program_path;
    const char *file_path;
    const char *reason;
    const char *nearest;
    const varve_tensor *saved;
    const varve_tensor *wanted;
    uint64_t size;
    uint64_t offset;
    uint64_t misfits;
};

struct varve_report {
    varve_allocator allocator;
    struct vv_arena arena;
    const char *path; /* of the file, in the arena */
    struct vv_buffer findings[VARVE_FINDING_KINDS]; /* of struct vv_finding */
    size_t counts[VARVE_FINDING_KINDS]; /* also those that are left out */
    size_t value_count;    /* saved values that the restoration is about */
    size_t variable_count; /* values that the program has now */
    struct vv_buffer text;
};

/* The report; without those that matched if they are not wanted, which only
 * counts them. */
varve_report *vv_report_make(
    struct varve_restoration *r, bool with_matched, varve_error *error);

#endif
