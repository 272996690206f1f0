/* set_aside.c - Renames a file of another set within its directory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "set_aside.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "buffer.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "publish.h"
#include "system.h"
#include "try.h"

enum { MOST_SET_ASIDE = 100 }; /* number of names that are tried */

static const char *set_aside_name(
    struct vv_buffer *text, const char *name, uint64_t mark)
{
    char digits[18];
    const char *ending = strrchr(name, '.');
    size_t stem = ending ? (size_t)(ending - name) : strlen(name);
    snprintf(digits, sizeof digits, ".%016" PRIx64, mark);
    text->size = 0;
    vv_buffer_add(text, name, stem);
    vv_buffer_add_string(text, digits);
    vv_buffer_add_string(text, name + stem);
    return vv_buffer_string(text);
}

static varve_status set_aside_rename(const struct vv_redundancy *r,
    int directory, const char *path, uint64_t mark, struct vv_buffer *text,
    varve_error *message, varve_error *error)
{
    const struct vv_system *system = r->context->system;
    const char *name = vv_path_name(path), *to = NULL;
    int result = -EEXIST;
    for (unsigned i = 0; i < MOST_SET_ASIDE && result == -EEXIST; i++) {
        to = set_aside_name(text, name, mark + i);
        if (text->failed)
            return vv_fail_memory(error, "the name of a checkpoint");
        result = vv_rename_new(r->context, directory, name, to);
    }
    if (result == -ENOENT)
        return VARVE_OK;
    /* The old name must be durably gone before the rebuilt file takes it. */
    if (result == 0 && !r->no_sync)
        result = system->sync(system->state, directory);
    if (result < 0)
        return vv_fail_system(error, -result,
            "renaming a file of another checkpoint before the rebuild", path);
    vv_fail(message, VARVE_EXISTS,
        "%s: another run saved this file than the checkpoint with this number "
        "that was rebuilt; it was renamed to %s",
        path, to);
    return VARVE_OK;
}

varve_status vv_set_aside(const struct vv_redundancy *r, const char *path,
    uint64_t mark, varve_error *message, varve_error *error)
{
    struct vv_buffer text;
    int directory;
    VV_TRY(vv_directory_make_parent(
        r->context, path, r->no_sync, &directory, error));
    vv_buffer_init(&text, &r->context->allocator);
    varve_status status =
        set_aside_rename(r, directory, path, mark, &text, message, error);
    vv_buffer_clear(&text);
    vv_file_close(r->context, directory);
    return status;
}
