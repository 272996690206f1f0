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
static varve_status write_file(varve_saver *saver, char *path,
    const varve_write_options *options, varve_error *error)
{
    varve_write_options own = options ? *options : (varve_write_options){ 0 };
    if (!own.base)
        own.base = varve_saver_latest(saver);
    varve_status status = varve_write(saver->root, path, &own, error);
    bool is_there = !status || status == VARVE_UNKNOWN_OUTCOME;
    bool is_durable = !status && !(options && options->no_sync);
    if (!is_there) {
        vv_release_string(&saver->context.allocator, path);
        return status;
    }
    vv_saver_note(saver, path);
    if (is_durable)
        vv_saver_retire(saver);
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
