/* saver_save.c - Saves and restores the tree of a saver.
 *
 * All memory that a save needs is allocated before the file is written, so that
 * each file on disk is also in the list.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/saver.h>

#include <string.h>

#include "allocator.h"
#include "background.h"
#include "comm_collectives.h"
#include "formats.h"
#include "checksum.h"
#include "failure.h"
#include "job_together.h"
#include "numbered.h"
#include "read_all.h"
#include "restoration.h"
#include "save.h"
#include "saver.h"
#include "saver_find.h"
#include "saver_list.h"
#include "saver_together.h"
#include "try.h"
#include "save_together.h"
#include "write_options.h"

/* --- Saving ------------------------------------------------------------- */

/* Makes a string. Returns NULL without memory. */
static char *saver_save_make_path(const varve_allocator *a, const char *prefix,
    const varve_saver_save_options *options)
{
    struct vv_buffer path;
    vv_buffer_init(&path, a);
    vv_buffer_add_string(&path, prefix);
    if (options->has_step)
        vv_numbered_add(&path, options->step, options->pad_step, VARVE_SUFFIX);
    else if (!vv_has_our_ending(prefix))
        vv_buffer_add_string(&path, VARVE_SUFFIX);
    const char *text = vv_buffer_string(&path);
    char *copy = path.failed ? NULL : vv_copy_string(a, text);
    vv_buffer_clear(&path);
    return copy;
}

/* Takes over the path, which may be NULL after a failure. */
static void saver_save_conclude(
    varve_saver *saver, char *path, varve_status status, bool is_durable)
{
    int64_t when =
        vv_is_alone(saver->options.comm) ? vv_saver_now(saver) : saver->begun;
    if (status && status != VARVE_UNKNOWN_OUTCOME) {
        vv_release_string(&saver->context.allocator, path);
        return;
    }
    vv_saver_note(saver, path, when);
    if (!status && is_durable)
        vv_saver_retire(saver);
}

void vv_saver_land(varve_saver *saver)
{
    varve_error reason = { 0 };
    if (!saver->job)
        return;
    varve_status status = varve_job_wait(saver->job, &reason);
    varve_job_free(saver->job);
    saver->job = NULL;
    saver_save_conclude(saver, saver->pending_path, status, saver->is_durable);
    if (status)
        saver->failure = reason;
}

varve_status varve_saver_wait(varve_saver *saver, varve_error *error)
{
    if (!saver)
        return vv_fail_none(error, "saver", "varve_saver_new");
    vv_saver_land(saver);
    varve_status status = saver->failure.status;
    if (status)
        vv_fail_because(error, &saver->failure, "asynchronous save failed");
    saver->failure.status = VARVE_OK;
    return status;
}

/* Takes ownership of the path, which is NULL if `status` is an error. The
 * program can change its values when an asynchronous save has started. */
static varve_status saver_save_carry_out(varve_saver *saver, char *path,
    varve_write_options *own, varve_status status, varve_error *error)
{
    const varve_comm *comm = saver->options.comm;
    struct vv_save_request request = vv_write_request(saver->root, path, own);
    request.is_private = true;
    if (!saver->options.async) {
        status = vv_save_now_together(comm, status, &request, error);
        saver_save_conclude(saver, path, status, !own->no_sync);
        return status;
    }
    own->async.zero_copy = false;
    saver->job = vv_save_start_together(comm, status, &request, error);
    saver->pending_path = path;
    saver->is_durable = !own->no_sync;
    if (saver->job)
        return VARVE_OK;
    vv_release_string(&saver->context.allocator, path);
    return error->status;
}

static varve_status saver_save_check_save(varve_saver *saver,
    const char *prefix, const varve_saver_save_options *options, bool *is_empty,
    varve_error *error)
{
    VV_TRY(vv_saver_check_map(saver, is_empty, error));
    if (!prefix)
        return vv_fail(error, VARVE_MISUSE, "prefix is NULL");
    VV_TRY(vv_check_prefix_name(prefix, error));
    VV_TRY(VV_CHECK_OPTIONS(options, error));
    if (options) {
        VV_TRY(vv_write_options_check(options->write, error));
        VV_TRY(
            vv_check_numbered(options->write, "write.format", prefix, error));
    }
    return *is_empty ? VARVE_OK : varve_saver_wait(saver, error);
}

/* Returns the same status on all ranks if all save under the same name. */
static uint64_t saver_save_digest_of(
    const char *prefix, const varve_saver_save_options *options, bool is_empty)
{
    const uint64_t words[] = { prefix ? vv_hash_of(prefix, strlen(prefix)) : 0,
        options->has_step, options->has_step ? options->step : 0,
        options->pad_step, is_empty };
    return vv_hash_of(words, sizeof words);
}

static varve_status saver_save_save(varve_saver *saver, const char *prefix,
    const varve_saver_save_options *options, varve_error *error)
{
    static const varve_saver_save_options defaults;
    const varve_saver_save_options *o = options ? options : &defaults;
    int64_t when = vv_saver_now(saver);
    bool is_empty = false;
    char *path = NULL;
    saver->warning.status = VARVE_OK;
    varve_status status =
        saver_save_check_save(saver, prefix, options, &is_empty, error);
    VV_TRY(vv_saver_compare(saver, status, prefix,
        saver_save_digest_of(prefix, o, is_empty), &when, error));
    if (is_empty)
        return VARVE_OK;
    status = vv_saver_reserve(saver, error);
    if (!status)
        path = saver_save_make_path(&saver->context.allocator, prefix, o);
    if (!status && !path)
        status = vv_fail_memory(error, "the name of a checkpoint");
    varve_write_options own = { 0 };
    if (o->write)
        own = *o->write;
    if (own.incremental && !own.increment.base)
        own.increment.base = varve_saver_latest(saver);
    saver->begun = when;
    return saver_save_carry_out(saver, path, &own, status, error);
}

varve_status varve_saver_save(varve_saver *saver, const char *prefix,
    const varve_saver_save_options *options, varve_error *error)
{
    varve_error reason = { 0 };
    if (!saver)
        return vv_saver_check(NULL, error);
    return vv_hand_over(
        saver_save_save(saver, prefix, options, &reason), &reason, error);
}

/* --- Restoring ---------------------------------------------------------- */

/* Sets `path` to the file to restore. */
static varve_status saver_save_find_file(const struct vv_context *context,
    const char *name, struct vv_buffer *path, varve_error *error)
{
    varve_error reason = { 0 };
    varve_status status =
        vv_find_checkpoint(context, name, false, path, &reason);
    bool may_be_prefix =
        status == VARVE_NOT_FOUND || status == VARVE_IS_DIRECTORY;
    if (may_be_prefix && !vv_has_our_ending(name))
        return vv_numbered_newest(context, name, path, error);
    if (status && error)
        *error = reason;
    return status;
}

/* Rank 0 finds the file and broadcasts its path. */
static varve_restoration *saver_save_open_file(varve_saver *saver,
    const char *name, const varve_read_options *options, varve_error *error)
{
    struct vv_buffer path;
    varve_restoration *r = NULL;
    varve_status status = VARVE_OK;
    vv_buffer_init(&path, &saver->context.allocator);
    if (vv_saver_leads(saver))
        status = saver_save_find_file(&saver->context, name, &path, error);
    status = vv_saver_broadcast(saver, status, &path, error);
    struct vv_opening opening = {
        .path = (const char *)path.data,
        .is_by_label = true,
        .options = options,
        .is_whole = true,
    };
    if (!status)
        r = vv_read_together(
            saver->options.comm, saver->root, VARVE_OK, &opening, error);
    vv_buffer_clear(&path);
    return r;
}

static varve_status saver_save_restore(varve_saver *saver, const char *path,
    const varve_read_options *options, varve_restoration **restoration,
    varve_error *error)
{
    bool is_empty = false;
    varve_status status = vv_saver_check_map(saver, &is_empty, error);
    if (!status && !path)
        status = vv_fail(error, VARVE_MISUSE, "path is NULL");
    const uint64_t words[] = { path ? vv_hash_of(path, strlen(path)) : 0,
        is_empty };
    VV_TRY(vv_saver_compare(
        saver, status, path, vv_hash_of(words, sizeof words), NULL, error));
    if (is_empty)
        return VARVE_OK;
    vv_saver_land(saver);
    *restoration = saver_save_open_file(saver, path, options, error);
    return *restoration ? VARVE_OK : error->status;
}

varve_status varve_saver_restore(varve_saver *saver, const char *path,
    const varve_read_options *options, varve_restoration **restoration,
    varve_error *error)
{
    varve_error reason = { 0 };
    varve_restoration *r = NULL;
    if (restoration)
        *restoration = NULL;
    if (!saver)
        return vv_saver_check(NULL, error);
    varve_status status = saver_save_restore(saver, path, options, &r, &reason);
    if (restoration)
        *restoration = r;
    else
        varve_restoration_free(r);
    return vv_hand_over(status, &reason, error);
}
