/* source.h - a checkpoint of any format, opened for reading.
 *
 * Every format looks at the first bytes of a file and bids; the highest opens
 * it. What it opens is the same for all: a struct vv_data_in, whose index was
 * checked by the same rules and whose values are read, checked and mapped by
 * the same calls.
 *
 * To add a format: one file with a struct vv_source_format, and one line in the
 * table of source.c.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SOURCE_H
#define VV_SOURCE_H

#include <varve/checkpoint.h>
#include <varve/error.h>

#include "data_in.h"
#include "draft.h"
#include "foreign.h"

/* What there is to see before a file is opened. */
struct vv_candidate {
    const char *path;
    uint64_t size;
    const unsigned char *head; /* its first bytes, 512 at most */
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

struct vv_source_format {
    varve_format format;
    enum vv_bid (*bid)(const struct vv_candidate *candidate);
    /* Reads what the file holds into the draft, and sets what `foreign` needs.
     * file 0 of `foreign` is the one that was bid for. */
    varve_status (*open)(
        struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error);
};

/* Opens a file of any format; the path is one that vv_source_find gave. On
 * failure nothing is open. End with vv_data_in_close. */
varve_status vv_source_open(struct vv_data_in *in,
    const struct vv_context *context, const char *path, varve_error *error);

/* The same as a file of this format, whoever else would bid. */
varve_status vv_source_open_as(struct vv_data_in *in,
    const struct vv_context *context, const char *path,
    const struct vv_source_format *format, varve_error *error);

/* What the format of an opened file keeps of its nodes, to be moved; NULL of a
 * file of ours. */
struct vv_kept *vv_source_kept(const struct vv_data_in *in);

/* Which format an opened file has. */
varve_format vv_source_format_of(const struct vv_data_in *in);

#endif
