/* link_check.c - Follows symbolic links step by step, and compares the
 * directories of the targets.
 *
 * SPDX-License-Identifier: MIT
 */
#include "link_check.h"

#include <errno.h>

#include "buffer.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "try.h"

enum { MOST_LINKS = 40 }; /* as in Linux */

/* Replaces a link in a path by its target. */
static void link_check_enter(struct vv_buffer *path, const char *target)
{
    const char *text = vv_buffer_string(path);
    path->size = *target == '/' ? 0 : (size_t)(vv_path_name(text) - text);
    vv_buffer_add_string(path, target);
}

/* Sets `end` to the final target of a path. If a name cannot be examined, stops
 * there; opening the file reports the error. */
static varve_status link_check_follow(const struct vv_context *context,
    const char *path, struct vv_buffer *end, bool *is_link, varve_error *error)
{
    const struct vv_system *system = context->system;
    struct vv_file_look look;
    *is_link = false;
    vv_buffer_add_string(end, path);
    for (int i = 0; system->look; i++) {
        const char *text = vv_buffer_string(end);
        if (end->failed)
            return vv_fail_memory(error, "a path");
        if (system->look(system->state, VV_WORKING_DIRECTORY, text, &look) ||
            !look.is_link)
            break;
        if (i == MOST_LINKS)
            return vv_fail_system(error, ELOOP, "following its links", path);
        *is_link = true;
        link_check_enter(end, look.target);
    }
    return VARVE_OK;
}

static varve_status link_check_directory(const struct vv_context *context,
    const char *path, struct vv_file_info *info, varve_error *error)
{
    int directory;
    VV_TRY(vv_directory_open_parent(context, path, &directory, error));
    varve_status status = vv_file_info(context, directory, path, info, error);
    vv_file_close(context, directory);
    return status;
}

static bool is_one(const struct vv_file_info *a, const struct vv_file_info *b)
{
    return a->device == b->device && a->serial == b->serial;
}

/* Sets *stays to true if the directory of `end` is that of `path` or, if
 * `naming` is a link, of its target. */
static varve_status link_check_compare(const struct vv_context *context,
    const char *naming, const char *path, const char *end, bool *stays,
    varve_error *error)
{
    struct vv_file_info home, there, other;
    struct vv_buffer real;
    bool is_link = false;
    VV_TRY(link_check_directory(context, path, &home, error));
    VV_TRY(link_check_directory(context, end, &there, error));
    *stays = is_one(&home, &there);
    if (*stays)
        return VARVE_OK;
    vv_buffer_init(&real, &context->allocator);
    varve_status status =
        link_check_follow(context, naming, &real, &is_link, error);
    if (!status && is_link)
        status = link_check_directory(
            context, vv_buffer_string(&real), &other, error);
    *stays = !status && is_link && is_one(&other, &there);
    vv_buffer_clear(&real);
    return status;
}

varve_status vv_file_check_directory(const struct vv_context *context,
    const char *naming, const char *path, varve_error *error)
{
    struct vv_buffer end;
    bool is_link = false, stays = true;
    if (context->follows_links)
        return VARVE_OK;
    vv_buffer_init(&end, &context->allocator);
    varve_status status =
        link_check_follow(context, path, &end, &is_link, error);
    if (!status && is_link)
        status = link_check_compare(
            context, naming, path, vv_buffer_string(&end), &stays, error);
    if (!status && !stays)
        status = vv_fail(error, VARVE_NO_PERMISSION,
            "%s: a symbolic link to a file outside this directory, %s: copy "
            "the file, or set `foreign.follow_links`",
            path, vv_buffer_string(&end));
    vv_buffer_clear(&end);
    return status;
}
