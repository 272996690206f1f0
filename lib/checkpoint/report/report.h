/* report.h - The report behind the public handle. Findings are stored in a
 * compact form.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REPORT_H
#define VV_REPORT_H

#include <varve/restoration.h>

#include "allocator.h"
#include "delivery.h"

/* A finding. Data that can be looked up by its value is not stored. Strings and
 * tensors are in the arena of the report, or NULL. */
struct vv_finding {
    /* to read */
    varve_finding_kind kind;
    bool is_cast;
    bool is_excused;
    bool is_restored;   /* the node of the program has another value; only the
                           value of the file is unused */
    bool is_unused;     /* a rename or pattern that matched nothing */
    uint32_t file_node; /* number of the node of the file plus 1; 0: none */
    const char *option; /* the option of a pattern that matched nothing */
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

/* A part of the file that the reader left out (varve_reader_left_out_at). */
struct vv_report_part {
    /* to read */
    const char *path, *what;
};

struct varve_report {
    /* to read */
    varve_allocator allocator;
    bool is_dry;    /* made by a dry run */
    uint8_t passes; /* enum varve_passes */
    /* own */
    struct vv_arena arena;
    const char *path; /* path of the file, in the arena */
    struct vv_buffer findings[VARVE_FINDING_KINDS]; /* struct vv_finding */
    size_t counts[VARVE_FINDING_KINDS]; /* including those that are not
                                           stored */
    struct vv_buffer left_out;          /* struct vv_report_part */
    size_t value_count;    /* saved values in the scope of the restoration */
    size_t variable_count; /* values that the program has now */
    struct vv_buffer text;
    struct vv_buffer json; /* empty until requested */
};

/* Options of vv_report_make. */
enum {
    VV_WITH_MATCHED = 1, /* matches are stored as well, not only counted */
    VV_AS_PLANNED = 2,   /* due values count as matched */
    /* the nearest names are searched */
    VV_NEAREST_OF_FILE = 4,    /* for values of the file */
    VV_NEAREST_OF_PROGRAM = 8, /* for variables of the program */
    VV_NEAREST_OF_PATTERNS = 16,
    VV_ALL_NEAREST = 28,
    VV_FOR_MESSAGE = 32 /* only for as many findings of each side as the message
                           of an error has lines; not for expected ones */
};

/* Makes a report, or returns NULL. vv_prepare_report must have been called
 * before. */
varve_report *vv_report_make(
    const struct vv_delivery *d, unsigned asked, varve_error *error);

#endif
