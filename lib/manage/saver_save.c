/* saver_save.c - the tree of a saver to a file and back.
 *
 * Everything that a save needs memory for is there before the file is, so that
 * what is on disk is also in the list.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/saver.h>

#include <string.h>

#include "allocator.h"
#include "background.h"
#include "failure.h"
#include "name.h"
#include "restoration.h"
#include "save.h"
#include "saver.h"
#include "saver_find.h"
#include "saver_list.h"
#include "try.h"

enum { PADDED_SIZE = 8 };

/* --- Saving ------------------------------------------------------------- */

static void add_step(
    struct vv_buffer *path, const varve_saver_save_options *options)
{
    char decimal[24];
    size_t size = vv_decimal(options->step, decimal);
    vv_buffer_add8(path, '-');
    for (; options->pad_step && size < PADDED_SIZE; size++)
        vv_buffer_add8(path, '0');
    vv_buffer_add_string(path, decimal);
}

/* A new string; NULL without memory. */
static char *make_path(const varve_allocator *a, const char *prefix,
    const varve_saver_save_options *options)
{
    struct vv_buffer path;
    vv_buffer_init(&path, a);
    vv_buffer_add_string(&path, prefix);
    if (options->has_step)
        add_step(&path, options);
    if (options->has_step || !vv_ends_in_suffix(prefix))
        vv_buffer_add_string(&path, VARVE_SUFFIX);
    const char *text = vv_buffer_string(&path);
    char *copy = path.failed ? NULL : vv_copy_string(a, text);
    vv_buffer_clear(&path);
    return copy;
}

/* Takes over the path. */
static void conclude(
    varve_saver *saver, char *path, varve_status status, bool is_durable)
{
    if (status && status != VARVE_UNKNOWN_OUTCOME) {
        vv_release_string(&saver->context.allocator, path);
        return;
    }
    vv_saver_note(saver, path);
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
    conclude(saver, saver->flying, status, saver->is_durable);
    if (status)
        saver->failure = reason;
}

varve_status varve_saver_wait(varve_saver *saver, varve_error *error)
{
    if (!saver)
        return vv_fail(error, VARVE_MISUSE, "saver: expected one, found NULL");
    vv_saver_land(saver);
    varve_status status = saver->failure.status;
    if (status)
        vv_fail(error, status, "background save failed: %s",
            saver->failure.message);
    saver->failure.status = VARVE_OK;
    return status;
}

/* Values are the program's again when the call returns. */
static varve_status start_job(varve_saver *saver, char *path,
    const varve_write_options *options, varve_error *error)
{
    varve_error reason = { 0 };
    varve_write_options copied = *options;
    copied.at_rest = false;
    saver->job = vv_job_start(
        &(struct vv_job_request){
            .root = saver->root,
            .target = path,
            .options = &copied,
            .counter =
                copied.keep_counter ? varve_save_counter(saver->root) : 0,
            .is_private = true,
        },
        &reason);
    saver->flying = path;
    saver->is_durable = !copied.no_sync;
    if (saver->job)
        return VARVE_OK;
    vv_release_string(&saver->context.allocator, path);
    if (error)
        *error = reason;
    return reason.status;
}

/* Takes over the path. */
static varve_status write_file(varve_saver *saver, char *path,
    const varve_write_options *options, varve_error *error)
{
    varve_write_options own = options ? *options : (varve_write_options){ 0 };
    if (!own.base)
        own.base = varve_saver_latest(saver);
    if (saver->options.async)
        return start_job(saver, path, &own, error);
    varve_status status = varve_write(saver->root, path, &own, error);
    conclude(saver, path, status, !own.no_sync);
    return status;
}

varve_status varve_saver_save(varve_saver *saver, const char *prefix,
    const varve_saver_save_options *options, varve_error *error)
{
    static const varve_saver_save_options defaults;
    bool is_empty;
    VV_TRY(vv_saver_check_map(saver, &is_empty, error));
    if (!prefix)
        return vv_fail(error, VARVE_MISUSE, "expected a prefix, found none");
    VV_TRY(VV_CHECK_OPTIONS(options, error));
    if (is_empty)
        return VARVE_OK;
    if (!options)
        options = &defaults;
    VV_TRY(varve_saver_wait(saver, error));
    VV_TRY(vv_saver_reserve(saver, error));
    char *path = make_path(&saver->context.allocator, prefix, options);
    if (!path)
        return vv_fail_memory(error, "the name of a checkpoint");
    return write_file(saver, path, options->write, error);
}

/* --- Restoring ---------------------------------------------------------- */

static varve_status find_highest(const struct vv_context *context,
    const char *prefix, struct vv_buffer *path, varve_error *error)
{
    struct vv_saver_files found;
    VV_TRY(vv_saver_scan(context, prefix, &found, error));
    const struct vv_saver_file *highest = vv_saver_highest(&found);
    path->size = 0;
    if (highest)
        vv_buffer_add_string(path, highest->path);
    vv_saver_files_clear(&context->allocator, &found);
    if (!highest)
        return vv_fail(error, VARVE_NOT_FOUND,
            "%s: expected a checkpoint of this name or %s-N%s, found none",
            prefix, prefix, VARVE_SUFFIX);
    return VARVE_OK;
}

/* Sets `path` to the file that is meant. */
static varve_status find_file(const struct vv_context *context,
    const char *name, struct vv_buffer *path, varve_error *error)
{
    varve_error reason = { 0 };
    varve_status status =
        vv_find_checkpoint(context, name, false, path, &reason);
    bool may_be_prefix =
        status == VARVE_NOT_FOUND || status == VARVE_IS_DIRECTORY;
    if (may_be_prefix && !vv_ends_in_suffix(name))
        return find_highest(context, name, path, error);
    if (status && error)
        *error = reason;
    return status;
}

static varve_restoration *open_file(varve_saver *saver, const char *name,
    const varve_read_options *options, varve_error *error)
{
    struct vv_buffer path;
    varve_restoration *r = NULL;
    vv_buffer_init(&path, &saver->context.allocator);
    if (!find_file(&saver->context, name, &path, error)) {
        struct vv_opening opening = {
            .path = vv_buffer_string(&path),
            .options = options,
            .is_whole = true,
        };
        if (path.failed)
            vv_fail_memory(error, "a path");
        else
            r = vv_restoration_open(saver->root, &opening, error);
    }
    vv_buffer_clear(&path);
    return r;
}

varve_status varve_saver_restore(varve_saver *saver, const char *path,
    const varve_read_options *options, varve_restoration **restoration,
    varve_error *error)
{
    varve_error reason = { 0 };
    bool is_empty;
    if (restoration)
        *restoration = NULL;
    VV_TRY(vv_saver_check_map(saver, &is_empty, error));
    if (!path)
        return vv_fail(error, VARVE_MISUSE, "expected a path, found none");
    if (is_empty)
        return VARVE_OK;
    vv_saver_land(saver);
    varve_restoration *r = open_file(saver, path, options, &reason);
    if (!r) {
        if (error)
            *error = reason;
        return reason.status;
    }
    if (restoration)
        *restoration = r;
    else
        varve_restoration_free(r);
    return VARVE_OK;
}
