/* foreign_format.h - what a format that is read has to give: a bid for a file,
 * and a draft of what it holds.
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

/* What there is to see before a file is opened. */
struct vv_candidate {
    /* to fill in */
    const char *path;
    uint64_t size;
    const unsigned char *head; /* its first bytes, VV_CANDIDATE_HEAD at most */
    size_t head_size;
    const unsigned char *tail; /* its last bytes, 64 at most */
    size_t tail_size;
};

enum vv_bid {
    VV_BID_NONE = 0,
    VV_BID_NAME = 1, /* called like one of these, but does not look so: opening
                        will say what is wrong with it */
    VV_BID_LIKELY = 2, /* looks like one */
    VV_BID_SURE = 3,   /* begins or ends with the format's own mark */
};

struct vv_foreign_format {
    /* to fill in */
    varve_format format;
    enum vv_bid (*bid)(const struct vv_candidate *candidate);
    /* Reads what the file holds into the draft, and sets what `foreign` needs.
     * file 0 of `foreign` is the one that was bid for. */
    varve_status (*open)(
        struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error);
};

#endif
