/* store.c - Loads the module for remote stores, and selects it as the system.
 *
 * SPDX-License-Identifier: MIT
 */
#include "store.h"

#include <stdatomic.h>
#include <string.h>

#include <varve/remote.h>

#include "buffer.h"
#include "default_allocator.h"
#include "directory.h"
#include "failure.h"
#include "module.h"
#include "store_module.h"
#include "try.h"

#ifndef VV_MODULES
#define VV_MODULES "" /* directory of installed modules */
#endif

static const struct vv_system *_Atomic current = &vv_posix_system;

const struct vv_system *vv_default_system(void)
{
    return atomic_load_explicit(&current, memory_order_acquire);
}

bool vv_is_of_store(const char *path)
{
    static const char *const schemes[] = { "s3://", "https://", "http://" };
    bool is_known = vv_default_system() != &vv_posix_system;
    for (size_t i = 0; is_known && i < sizeof schemes / sizeof *schemes; i++) {
        if (strncmp(path, schemes[i], strlen(schemes[i])) == 0)
            return true;
    }
    return false;
}

varve_status vv_store_refuse_any(
    const char *path, const char *reason, varve_error *error)
{
    if (!vv_is_of_store(path))
        return VARVE_OK;
    return vv_fail(error, VARVE_MISUSE,
        "%s: a local path is required: the store %s", path, reason);
}

varve_status vv_store_refuse(const char *path, varve_error *error)
{
    if (strncmp(path, "s3://", 5) != 0)
        return vv_store_refuse_any(path, "is read only", error);
    const char *slash = strchr(path + 5, '/');
    if (!vv_is_of_store(path) || (slash && slash > path + 5 && slash[1]))
        return VARVE_OK;
    return vv_fail(error, VARVE_MISUSE,
        "%s: no bucket or no key: expected s3://BUCKET/KEY", path);
}

varve_status vv_store_refuse_named(
    const char *from, const char *path, varve_error *error)
{
    if (vv_is_of_store(from) || !vv_is_of_store(path))
        return VARVE_OK;
    return vv_fail(error, VARVE_CORRUPT,
        "%s: refers to a file of a store, %s, instead of a file beside it",
        from, path);
}

/* --- Names ------------------------------------------------------------------
 */

struct naming {
    varve_on_name *on_name;
    void *user;
    varve_status status;
};

static int give_name(
    void *user, const char *name, const struct vv_file_info *info)
{
    struct naming *n = user;
    (void)info;
    n->status = n->on_name(n->user, name);
    return n->status != VARVE_OK;
}

varve_status varve_remote_each(const char *directory, varve_on_name *on_name,
    void *user, varve_error *error)
{
    const struct vv_context context = {
        .allocator = vv_allocator_or_default(NULL),
        .system = vv_default_system(),
    };
    struct naming naming = { .on_name = on_name, .user = user };
    struct vv_buffer path;
    if (!directory || !on_name)
        return vv_fail(error, VARVE_MISUSE, "directory or callback is NULL");
    if (!vv_is_of_store(directory) || strncmp(directory, "s3://", 5) != 0)
        return vv_fail(error, VARVE_MISUSE,
            "%s: expected s3://BUCKET or s3://BUCKET/DIRECTORY, after "
            "varve_remote_enable",
            directory);
    vv_buffer_init(&path, &context.allocator);
    vv_buffer_add(&path, directory, strlen(directory));
    while (path.size > 5 && path.data[path.size - 1] == '/')
        path.size--;
    vv_buffer_add(&path, "/-", 3); /* any name in the directory */
    varve_status status =
        path.failed ? vv_fail_memory(error, "a path")
                    : vv_directory_each(&context, vv_buffer_string(&path),
                          give_name, &naming, error);
    vv_buffer_clear(&path);
    if (!status && naming.status)
        return vv_fail(error, VARVE_CALLBACK, "%s: the callback returned %s",
            directory, varve_status_name(naming.status));
    return status;
}

/* --- The module -------------------------------------------------------------
 */

#ifdef VV_HAVE_REMOTE

static varve_status store_find(
    const struct vv_store_calls **calls, varve_error *error)
{
    const varve_allocator allocator = vv_allocator_or_default(NULL);
    struct vv_buffer reason;
    varve_status status = VARVE_OK;
    vv_buffer_init(&reason, &allocator);
    *calls =
        vv_module_find("varve-remote.so", VV_STORE_SYMBOL, VV_MODULES, &reason);
    if (reason.failed)
        status = vv_fail_memory(error, "the name of a module");
    else if (!*calls)
        status = vv_fail(error, VARVE_NOT_FOUND,
            "stores: the module varve-remote cannot be loaded: %s",
            vv_buffer_string(&reason));
    else if ((*calls)->version != VV_STORE_VERSION ||
             (*calls)->system_size != sizeof(struct vv_system))
        status = vv_fail(error, VARVE_TOO_NEW,
            "stores: the module varve-remote belongs to another version of "
            "this library");
    vv_buffer_clear(&reason);
    return status;
}

varve_status varve_remote_enable(
    const varve_remote_options *options, varve_error *error)
{
    static const varve_remote_options none;
    const struct vv_store_calls *calls;
    const char *why = "";
    VV_TRY(VV_CHECK_OPTIONS(options, error));
    VV_TRY(store_find(&calls, error));
    const struct vv_system *system =
        calls->enable(options ? options : &none, &vv_posix_system, &why);
    if (!system)
        return vv_fail(error, VARVE_IO, "stores: libcurl: %s", why);
    vv_failure_register(&calls->words);
    atomic_store_explicit(&current, system, memory_order_release);
    return VARVE_OK;
}

#else

varve_status varve_remote_enable(
    const varve_remote_options *options, varve_error *error)
{
    VV_TRY(VV_CHECK_OPTIONS(options, error));
    return vv_fail(error, VARVE_TOO_NEW,
        "stores: this build has no remote stores: build with -Dremote=enabled");
}

#endif
