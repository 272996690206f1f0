/* report.h - findings behind the handle, compact until they are asked for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REPORT_H
#define VV_REPORT_H

#include <varve/restoration.h>

#include "arena.h"
#include "delivery.h"

/* A finding without what can be looked up by its value. Strings and tensors are
 * in the report's arena; NULL where there are none. */
struct vv_finding {
    /* to read */
    varve_finding_kind kind;
    bool is_cast;
    bool is_excused;
    bool is_restored; /* the program's node has a value: only the file's has no
                         home */
    uint32_t file_node; /* that of the file, plus 1; 0: none */
    const char *option; /* of a pattern that stood for nothing */
    const char *program_path;
    const char *file_path;
    const char *reason;
    const char *nearest;
    const varve_tensor *saved;
    const varve_tensor *wanted;
    uint64_t size;
    uint64_t offset;
    uint64_t inexact;
};

/* A part of the file that its reader left out (varve_reader_left_out_at). */
struct vv_report_part {
    /* to read */
    const char *path, *what;
};

struct varve_report {
    /* to read */
    varve_allocator allocator;
    bool is_dry;    /* of a plan */
    uint8_t passes; /* varve_passes */
    /* own */
    struct vv_arena arena;
    const char *path; /* of the file, in the arena */
    struct vv_buffer findings[VARVE_FINDING_KINDS]; /* of struct vv_finding */
    size_t counts[VARVE_FINDING_KINDS]; /* also those that are left out */
    struct vv_buffer left_out;          /* struct vv_report_part */
    size_t value_count;    /* saved values that the restoration is about */
    size_t variable_count; /* values that the program has now */
    struct vv_buffer text;
    struct vv_buffer json; /* empty until it is asked for */
};

/* What a report is asked for. */
enum {
    VV_WITH_MATCHED = 1, /* what matched is listed as well, not only counted */
    VV_AS_PLANNED = 2,   /* what is due counts as matched */
};

/* The report; the pairing of the delivery is ready for it
 * (vv_prepare_report). */
varve_report *vv_report_make(
    const struct vv_delivery *d, unsigned asked, varve_error *error);

#endif
