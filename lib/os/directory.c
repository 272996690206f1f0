/* directory.c - Opens, makes and lists the directory of a path, and checks
 * links out of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "directory.h"

#include <errno.h>
#include <string.h>

#include "allocator.h"
#include "buffer.h"
#include "failure.h"
#include "file.h"
#include "path_text.h"
#include "retry.h"
#include "store.h"
#include "try.h"

/* --- Directories ---------------------------------------------------------- */

/* Opens, makes and lists the directory of a path. */

const char *vv_path_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Copies the part before the last '/', without that slash unless it is the root
 * or belongs to the scheme; "." for a bare name. */
static varve_status copy_parent(const struct vv_context *context,
    const char *path, char **parent, varve_error *error)
{
    size_t size = (size_t)(vv_path_name(path) - path);
    size_t scheme = vv_url_scheme(path);
    while (size > 1 && size > scheme && path[size - 1] == '/')
        size--;
    if (size == 0) {
        path = ".";
        size = 1;
    }
    char *copy = vv_allocate(&context->allocator, size + 1);
    if (!copy)
        return vv_fail_memory(error, "the path of a directory");
    memcpy(copy, path, size);
    copy[size] = '\0';
    *parent = copy;
    return VARVE_OK;
}

/* Returns a descriptor or a negative errno. */
static int directory_open_directory(
    const struct vv_context *context, int directory, const char *name)
{
    const struct vv_system *system = context->system;
    unsigned tries = 0;
    int result;
    do
        result = system->open_directory(system->state, directory, name);
    while (vv_try_again(result, &tries));
    return result;
}

static varve_status fail_open(
    varve_error *error, int result, const char *parent)
{
    return vv_fail_system(error, -result, "opening the directory", parent);
}

varve_status vv_directory_open_parent(const struct vv_context *context,
    const char *path, int *directory, varve_error *error)
{
    char *parent = NULL;
    VV_TRY(copy_parent(context, path, &parent, error));
    int result =
        directory_open_directory(context, VV_WORKING_DIRECTORY, parent);
    varve_status status = VARVE_OK;
    if (result < 0)
        status = fail_open(error, result, parent);
    else
        *directory = result;
    vv_release_string(&context->allocator, parent);
    return status;
}

/* Returns true if a parent directory is inaccessible; then another user made
 * it, and it counts as durable. */
static bool directory_is_foreign(int result)
{
    return result == -EACCES || result == -EPERM || result == -ENOENT;
}

/* Syncs the parent directory, so that the name of a directory is durable. A
 * killed save may have made it without this sync. */
static varve_status sync_above(const struct vv_context *context, int directory,
    const char *path, varve_error *error)
{
    const struct vv_system *system = context->system;
    int above = directory_open_directory(context, directory, "..");
    if (directory_is_foreign(above))
        return VARVE_OK;
    if (above < 0)
        return vv_fail_system(
            error, -above, "opening its parent directory", path);
    int result = system->sync(system->state, above);
    vv_file_close(context, above);
    if (result < 0 && result != -EINVAL)
        return vv_fail_system(
            error, -result, "sync of its parent directory", path);
    return VARVE_OK;
}

/* Makes one directory. If the sync fails, removes it again, because the next
 * attempt would take it for durable. Also syncs if another process made it just
 * now and may not have synced yet. */
static varve_status directory_make_directory(const struct vv_context *context,
    int above, const char *name, bool no_sync, const char *so_far,
    varve_error *error)
{
    const struct vv_system *system = context->system;
    unsigned tries = 0;
    int result;
    do
        result = system->make_directory(system->state, above, name);
    while (vv_try_again(result, &tries));
    if (result < 0 && result != -EEXIST)
        return vv_fail_system(error, -result, "creating the directory", so_far);
    bool is_ours = result == 0;
    if (no_sync || (result = system->sync(system->state, above)) == 0)
        return VARVE_OK;
    if (is_ours)
        system->remove(system->state, above, name);
    return vv_fail_system(
        error, -result, "sync of its parent directory", so_far);
}

/* Replaces *directory by its subdirectory `name`, which is made if missing. On
 * failure *directory is closed. `so_far` is for messages. */
static varve_status directory_enter(const struct vv_context *context,
    int *directory, const char *name, bool no_sync, const char *so_far,
    varve_error *error)
{
    int above = *directory;
    varve_status status = VARVE_OK;
    int result = directory_open_directory(context, above, name);
    if (result == -ENOENT) {
        if (!no_sync)
            status = sync_above(context, above, so_far, error);
        if (!status)
            status = directory_make_directory(
                context, above, name, no_sync, so_far, error);
        if (!status)
            result = directory_open_directory(context, above, name);
    }
    if (!status && result < 0)
        status = fail_open(error, result, so_far);
    vv_file_close(context, above);
    *directory = result;
    return status;
}

/* Enters the components of `parent` one by one. Each is terminated temporarily,
 * so that `parent` is the path so far in messages. */
static varve_status directory_make_all(const struct vv_context *context,
    char *parent, bool no_sync, int *directory, varve_error *error)
{
    const char *start = *parent == '/' ? "/" : ".";
    int at = directory_open_directory(context, VV_WORKING_DIRECTORY, start);
    if (at < 0)
        return fail_open(error, at, start);
    char *name = parent + strspn(parent, "/");
    while (*name) {
        char *end = name + strcspn(name, "/");
        char cut = *end;
        *end = '\0';
        varve_status status =
            directory_enter(context, &at, name, no_sync, parent, error);
        *end = cut;
        if (status)
            return status;
        name = end + strspn(end, "/");
    }
    *directory = at;
    return VARVE_OK;
}

/* Sets *found to the identity of an open directory. */
static varve_status identify(const struct vv_context *context, int directory,
    const char *path, struct vv_durable *found, varve_error *error)
{
    const struct vv_system *system = context->system;
    struct vv_file_info info = { 0 };
    int result = system->info(system->state, directory, &info);
    if (result < 0)
        return vv_fail_system(
            error, -result, "identifying the directory", path);
    *found = (struct vv_durable){ info.device, info.serial };
    return VARVE_OK;
}

/* Syncs the name of an existing directory unless it is known to be durable.
 * Sets *seen to its identity if the context remembers a durable directory. */
static varve_status sync_found(const struct vv_context *context, int directory,
    const char *path, struct vv_durable *seen, varve_error *error)
{
    const struct vv_durable *known = context->durable;
    struct vv_durable found = { 0 };
    if (known)
        VV_TRY(identify(context, directory, path, &found, error));
    *seen = found;
    if (known && known->serial) {
        if (found.device == known->device && found.serial == known->serial)
            return VARVE_OK;
    }
    return sync_above(context, directory, path, error);
}

varve_status vv_directory_go_to_parent(const struct vv_context *context,
    const char *path, bool no_sync, int *directory, varve_error *error)
{
    char *parent = NULL;
    VV_TRY(copy_parent(context, path, &parent, error));
    int result = directory_open_directory(context, *directory, parent);
    varve_status status = VARVE_OK;
    if (result < 0)
        status = fail_open(error, result, parent);
    else if (!no_sync)
        status = sync_above(context, result, parent, error);
    if (status && result >= 0)
        vv_file_close(context, result);
    vv_release_string(&context->allocator, parent);
    if (status)
        return status;
    vv_file_close(context, *directory);
    *directory = result;
    return VARVE_OK;
}

/* Opens a directory, or makes it, and remembers it as durable after its sync.
 */
static varve_status open_or_make(const struct vv_context *context, char *parent,
    bool no_sync, int *directory, varve_error *error)
{
    struct vv_durable seen = { 0 };
    varve_status status = VARVE_OK;
    int result =
        directory_open_directory(context, VV_WORKING_DIRECTORY, parent);
    if (result < 0 && result != -ENOENT)
        return fail_open(error, result, parent);
    if (result == -ENOENT)
        VV_TRY(directory_make_all(context, parent, no_sync, &result, error));
    else if (!no_sync)
        status = sync_found(context, result, parent, &seen, error);
    if (!status && !no_sync && context->durable && !seen.serial)
        status = identify(context, result, parent, &seen, error);
    if (!status && !no_sync && context->durable)
        *context->durable = seen;
    if (status)
        vv_file_close(context, result);
    else
        *directory = result;
    return status;
}

varve_status vv_directory_make_parent(const struct vv_context *context,
    const char *path, bool no_sync, int *directory, varve_error *error)
{
    char *parent = NULL;
    VV_TRY(vv_store_refuse(path, error));
    VV_TRY(copy_parent(context, path, &parent, error));
    varve_status status =
        open_or_make(context, parent, no_sync, directory, error);
    vv_release_string(&context->allocator, parent);
    return status;
}

varve_status vv_directory_each_in(const struct vv_context *context,
    int directory, const char *path, vv_each_name *each, void *user,
    varve_error *error)
{
    const struct vv_system *system = context->system;
    int result = system->each_name(system->state, directory, each, user);
    return result < 0 ? vv_fail_system(error, -result, "listing", path)
                      : VARVE_OK;
}

varve_status vv_directory_each(const struct vv_context *context,
    const char *path, vv_each_name *each, void *user, varve_error *error)
{
    char *parent = NULL;
    VV_TRY(copy_parent(context, path, &parent, error));
    varve_status status = VARVE_OK;
    int result =
        directory_open_directory(context, VV_WORKING_DIRECTORY, parent);
    if (result >= 0) {
        status =
            vv_directory_each_in(context, result, parent, each, user, error);
        vv_file_close(context, result);
    } else if (result != -ENOENT) {
        status = fail_open(error, result, parent);
    }
    vv_release_string(&context->allocator, parent);
    return status;
}

/* --- Links ---------------------------------------------------------------- */

/* Follows symbolic links step by step, and compares the directories of the
 * targets. */

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
    int directory = -1;
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
