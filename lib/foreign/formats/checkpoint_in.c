/* checkpoint_in.c - Opens a file as a Varve file, or else in another format.
 *
 * SPDX-License-Identifier: MIT
 */
#include "formats.h"

#include "data_in.h"
#include "failure.h"
#include "file.h"
#include "format_in.h"
#include "magic_bytes.h"
#include "signature.h"
#include "unreadable_format.h"
#include "try.h"

struct look {
    struct vv_candidate candidate;
    unsigned char head[VV_CANDIDATE_HEAD];
    unsigned char tail[64];
};

static varve_status checkpoint_in_look_at(const struct vv_context *context,
    const char *path, struct look *look, varve_error *error)
{
    struct vv_candidate *c = &look->candidate;
    int file;
    *c = (struct vv_candidate){
        .path = path, .head = look->head, .tail = look->tail
    };
    VV_TRY(vv_file_open(context, path, &file, &c->size, error));
    c->head_size =
        c->size < sizeof look->head ? (size_t)c->size : sizeof look->head;
    c->tail_size =
        c->size < sizeof look->tail ? (size_t)c->size : sizeof look->tail;
    varve_status status =
        vv_file_read(context, file, path, look->head, c->head_size, 0, error);
    if (!status)
        status = vv_file_read(context, file, path, look->tail, c->tail_size,
            c->size - c->tail_size, error);
    vv_file_close(context, file);
    return status;
}

/* Names of managers and listings have this extension: a file with such a name
 * is opened only in Varve's own format. */
static varve_status refuse_name(
    const struct vv_candidate *candidate, varve_error *error)
{
    const char *what = vv_format_recognize(candidate);
    if (!what)
        return VARVE_OK;
    return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
        "%s: the name ends with " VARVE_SUFFIX
        ", but the file is %s: rename it to read it",
        candidate->path, what);
}

/* Opens a file that is not in Varve's format, for which opening failed with
 * `reason`. */
static varve_status open_other(struct vv_opened *o,
    const struct vv_context *context, const char *path,
    const varve_error *reason, varve_error *error)
{
    struct look look;
    varve_status status = reason->status;
    bool is_known = false;
    if (status == VARVE_NOT_A_CHECKPOINT) {
        VV_TRY(checkpoint_in_look_at(context, path, &look, error));
        if (vv_is_lfs_pointer(look.head, look.candidate.head_size))
            return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
                "%s: expected a checkpoint, found a Git LFS pointer: run `git "
                "lfs pull` to fetch the file",
                path);
        if (vv_has_our_ending(path))
            VV_TRY(refuse_name(&look.candidate, error));
        else
            VV_TRY(
                vv_format_open(o, context, &look.candidate, &is_known, error));
        if (is_known)
            return VARVE_OK;
        VV_TRY(vv_unreadable_format_file(context, path, error));
    }
    if (error)
        *error = *reason;
    return status;
}

varve_status vv_checkpoint_open_far(struct vv_opened *o,
    const struct vv_context *context, const char *path, uint64_t most,
    varve_error *error)
{
    varve_error reason = { 0 };
    varve_status status = vv_data_in_open_far(o, context, path, most, &reason);
    return status ? open_other(o, context, path, &reason, error) : VARVE_OK;
}

varve_status vv_checkpoint_open(struct vv_opened *o,
    const struct vv_context *context, const char *path, varve_error *error)
{
    return vv_checkpoint_open_far(o, context, path, UINT64_MAX, error);
}
