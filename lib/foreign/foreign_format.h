/* foreign_format.h - Defines the interface of a readable format: a function
 * that recognizes a file, and one that reads it into a draft.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_FOREIGN_FORMAT_H
#define VV_FOREIGN_FORMAT_H

#include <varve/checkpoint.h>
#include <varve/error.h>

#include "draft.h"
#include "foreign.h"

/* As many bytes as determine any of the formats. */
enum { VV_CANDIDATE_HEAD = 1536 };

/* The properties of a file that are known before a format opens it. */
struct vv_candidate {
    /* to fill in */
    const char *path;
    uint64_t size;
    const unsigned char *head; /* its first bytes, VV_CANDIDATE_HEAD at most */
    size_t head_size;
    const unsigned char *tail; /* its last bytes, 64 at most */
    size_t tail_size;
};

enum vv_probe_result {
    VV_PROBE_NONE = 0,
    VV_PROBE_NAME = 1, /* has a name of the format, but other contents; opening
                        it reports the error */
    VV_PROBE_LIKELY = 2, /* looks like this format */
    VV_PROBE_SURE = 3,   /* contains the signature of the format */
};

struct vv_foreign_format {
    /* to fill in */
    varve_format format;
    enum vv_probe_result (*probe)(const struct vv_candidate *candidate);
    /* Reads the file into the draft and sets the fields of `foreign` that the
     * format needs. File 0 of `foreign` is the candidate. */
    varve_status (*open)(
        struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error);
};

#endif
