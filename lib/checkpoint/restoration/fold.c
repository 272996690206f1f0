/* fold.c - Calls the merge callbacks of rank-local nodes with a reader of the
 * file. The reader is open only while callbacks run.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fold.h"

#include <varve/rank_local.h>

#include "failure.h"
#include "private_skip.h"
#include "own_part.h"
#include "private.h"
#include "reader.h"
#include "try.h"

static varve_status fold_fail(const char *path, varve_status status,
    const varve_error *reason, varve_error *error)
{
    if (reason->message[0] != '\0')
        vv_fail_because(error, reason, "%s: its merge callback failed", path);
    else
        vv_fail(error, VARVE_PARTIALLY_RESTORED,
            "%s: its merge callback failed with %s", path,
            varve_status_name(status));
    if (error)
        error->status = VARVE_PARTIALLY_RESTORED;
    vv_error_add_line(
        error, "partially restored: other variables have new values");
    return VARVE_PARTIALLY_RESTORED;
}

struct folding {
    struct varve_restoration *r;
    varve_reader *reader;
    struct vv_saved_paths paths;
    struct vv_buffer path;
};

static varve_status fold_fold(
    struct folding *f, const struct vv_pair *pair, varve_error *error)
{
    const varve_rank_local_options *o = &vv_private_of(pair->node)->options;
    varve_error reason = { 0 };
    vv_saved_path(&f->paths, pair->file, vv_emptied(&f->path));
    const char *path = vv_buffer_string(&f->path);
    if (f->path.failed)
        return vv_fail_memory(error, "the path of a private node");
    varve_node *mine = vv_private_mine(pair->node);
    if (!mine)
        return VARVE_OK; /* the program has removed it */
    varve_status status = o->merge(o->merge_user, mine, f->reader, path,
        vv_own_count(vv_index_of(&f->r->pairing), pair->file), &reason);
    return status ? fold_fail(path, status, &reason, error) : VARVE_OK;
}

static varve_status fold_each(struct folding *f, varve_error *error)
{
    struct vv_pair pair;
    varve_status status = VARVE_OK;
    while (!status && vv_take_fold(&f->r->delivery, &pair)) {
        status = fold_fold(f, &pair, error);
        if (status)
            vv_put_fold(&f->r->delivery, &pair);
    }
    return status;
}

static varve_status fold_all(struct varve_restoration *r, varve_error *error)
{
    const struct vv_context *context = &r->pairing.context;
    struct folding f = { .r = r };
    VV_TRY(vv_saved_paths_begin(
        &f.paths, &context->allocator, vv_index_of(&r->pairing), 0, error));
    vv_buffer_init(&f.path, &context->allocator);
    f.reader = vv_reader_over(context, &r->file, error);
    varve_status status = f.reader ? fold_each(&f, error) : VARVE_NO_MEMORY;
    varve_reader_free(f.reader);
    vv_buffer_clear(&f.path);
    vv_saved_paths_end(&f.paths);
    return status;
}

varve_status vv_fold(struct varve_restoration *r, varve_error *error)
{
    if (r->delivery.folds.pairs.size == 0)
        return VARVE_OK;
    VV_TRY(vv_ask_others(&r->delivery, VARVE_OK, error));
    return fold_all(r, error);
}
