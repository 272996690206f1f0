/* layer_folder.c - Opens the folder of layers with its lock, syncs it, and
 * chooses random names for layers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "layer_folder.h"

#include <errno.h>

#include "directory.h"
#include "failure.h"
#include "file.h"
#include "layers_in.h"
#include "layout.h"
#include "publish.h"
#include "retry.h"
#include "system.h"
#include "try.h"

#define A_MILLISECOND ((int64_t)1000000)
#define LONGEST_WAIT (10000 * A_MILLISECOND) /* for pruning to end */

static varve_status layer_folder_share(const struct vv_context *context,
    int folder, const char *path, varve_error *error)
{
    const struct vv_system *system = context->system;
    int64_t deadline = system->uptime(system->state) + LONGEST_WAIT;
    for (;;) {
        int result = system->share_lock(system->state, folder);
        if (result != -EWOULDBLOCK)
            return VARVE_OK; /* or locks are not supported, and layers are
                                not deleted */
        if (system->uptime(system->state) >= deadline)
            return vv_fail(error, VARVE_TIMEOUT,
                "%s: its data files are locked by a process that deletes "
                "unreferenced ones",
                path);
        system->sleep(system->state, A_MILLISECOND);
    }
}

/* Returns whether the folder `path` is a symbolic link; false where it is
 * missing. */
static bool folder_is_link(const struct vv_context *context, const char *path)
{
    const struct vv_system *system = context->system;
    int opened =
        system->open_real_directory(system->state, VV_WORKING_DIRECTORY, path);
    vv_file_close(context, opened);
    return opened == -ENOTDIR;
}

/* Creates the file that prevents the deletion of layers in the folder. A
 * process that prunes the directory to which the link leads cannot see the
 * checkpoints of this directory. */
static varve_status mark_shared(const struct vv_context *context, int folder,
    const char *path, varve_error *error)
{
    const struct vv_system *system = context->system;
    unsigned tries = 0;
    int file;
    do
        file = system->create_file(system->state, folder, VV_LAYER_SHARED);
    while (vv_try_again(file, &tries));
    if (file < 0 && file != -EEXIST)
        return vv_fail_system(error, -file,
            "creating the file \"" VV_LAYER_SHARED
            "\" in the directory of data "
            "files",
            path);
    vv_file_close(context, file);
    return VARVE_OK;
}

varve_status vv_layer_folder_open(const struct vv_context *context,
    const char *path, int flags, struct vv_buffer *inside, int *folder,
    varve_error *error)
{
    struct vv_context other = *context;
    other.durable = context->durable_layers;
    size_t begin = inside->size;
    vv_layer_folder(inside, path);
    const char *link = vv_buffer_string(inside);
    bool is_link = !inside->failed && folder_is_link(context, link + begin);
    vv_buffer_add8(inside, '/');
    const char *text = vv_buffer_string(inside);
    if (inside->failed)
        return vv_fail_memory(error, "the path of a layer");
    int opened;
    VV_TRY(vv_directory_make_parent(
        &other, text, (flags & VV_PUBLISH_NO_SYNC) != 0, &opened, error));
    varve_status status = layer_folder_share(context, opened, path, error);
    if (!status && is_link)
        status = mark_shared(context, opened, path, error);
    if (status)
        vv_file_close(context, opened);
    else
        *folder = opened;
    return status;
}

varve_status vv_layer_folder_sync(const struct vv_context *context, int folder,
    const char *path, varve_error *error)
{
    const struct vv_system *system = context->system;
    int result = system->sync(system->state, folder);
    return result < 0 ? vv_fail_system(error, -result,
                            "sync of the directory of data files", path)
                      : VARVE_OK;
}

varve_status vv_layer_choose(const struct vv_context *context, const char *path,
    uint8_t *nonce, struct vv_buffer *inside, varve_error *error)
{
    char name[VV_LAYER_NAME_SIZE];
    VV_TRY(vv_file_random(context, nonce, VV_NONCE_SIZE, path, error));
    vv_layer_name(nonce, name);
    vv_buffer_add_string(inside, name);
    vv_buffer_string(inside);
    return inside->failed ? vv_fail_memory(error, "the path of a layer")
                          : VARVE_OK;
}
