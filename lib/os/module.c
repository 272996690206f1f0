/* module.c - Loads modules with dlopen, by full path only.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE /* for dladdr and secure_getenv */
#include "module.h"

#if defined(VV_HAVE_HDF5) || defined(VV_HAVE_REMOTE)
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

static const char *wish(void)
{
#ifdef __linux__
    return secure_getenv("VARVE_MODULES");
#else
    return NULL; /* there is no way to detect elevated privileges */
#endif
}

/* Adds the directory of the library with its '/', and returns true if it is a
 * shared library. The directory of a program may be writable by others. */
static bool own_directory(struct vv_buffer *path)
{
    Dl_info info;
    static const char here;
    if (!dladdr(&here, &info) || !info.dli_fname)
        return false;
    const char *slash = strrchr(info.dli_fname, '/');
    if (!slash || !strstr(slash, "varve.so"))
        return false;
    vv_buffer_add(path, info.dli_fname, (size_t)(slash + 1 - info.dli_fname));
    return true;
}

/* Opens a module in a directory. Adds the error to `reason`; a missing module
 * may be in the next directory. */
static const void *open_in(const char *directory, const char *name,
    const char *symbol, struct vv_buffer *reason)
{
    size_t begin = reason->size;
    vv_buffer_add_string(reason, directory);
    vv_buffer_add8(reason, '/');
    vv_buffer_add_string(reason, name);
    const char *path = vv_buffer_string(reason) + begin;
    void *module = reason->failed ? NULL : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const void *found = module ? dlsym(module, symbol) : NULL;
    const char *why = found || reason->failed ? NULL : dlerror();
    reason->size = begin;
    if (why)
        vv_buffer_add_string(reason, why);
    return found;
}

static const void *open_in_directory(const char *name, const char *symbol,
    const char *folder, struct vv_buffer *reason)
{
    struct vv_buffer path;
    const void *found = NULL;
    vv_buffer_init(&path, reason->allocator);
    if (own_directory(&path)) {
        vv_buffer_add_string(&path, folder);
        reason->size = 0;
        if (!path.failed)
            found = open_in(vv_buffer_string(&path), name, symbol, reason);
    }
    reason->failed |= path.failed;
    vv_buffer_clear(&path);
    return found;
}

/* Opens a module in a build tree, where each is in a folder of its own:
 * varve-hdf5.so in hdf5. */
static const void *open_in_build(
    const char *name, const char *symbol, struct vv_buffer *reason)
{
    char folder[16];
    const char *room = strchr(name, '-');
    size_t size = room ? strcspn(++room, ".") : 0;
    if (size == 0 || size >= sizeof folder)
        return NULL;
    memcpy(folder, room, size);
    folder[size] = '\0';
    return open_in_directory(name, symbol, folder, reason);
}

const void *vv_module_find(const char *name, const char *symbol,
    const char *installed, struct vv_buffer *reason)
{
    const char *wished = wish();
    reason->size = 0;
    if (wished && *wished)
        return open_in(wished, name, symbol, reason);
    const void *found = open_in_directory(name, symbol, "varve", reason);
    if (!found)
        found = open_in_build(name, symbol, reason);
    reason->size = 0;
    return found ? found : open_in(installed, name, symbol, reason);
}

#else

const void *vv_module_find(const char *name, const char *symbol,
    const char *installed, struct vv_buffer *reason)
{
    (void)symbol;
    (void)installed;
    reason->size = 0;
    vv_buffer_add_string(reason, name);
    vv_buffer_add_string(reason, ": this build has no modules");
    return NULL;
}

#endif
