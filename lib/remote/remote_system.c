/* remote_system.c - The local system with remote stores: calls with a URL, or
 * with a descriptor of a store, are handled here; all others are passed to the
 * local system.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "remote_ahead.h"
#include "remote_credentials.h"
#include "remote_file.h"
#include "remote_lock_file.h"
#include "remote_pool.h"
#include "remote_publish.h"
#include "remote_upload.h"
#include "remote_url.h"

/* Guarded by the lock of the module. Only one thread at a time may call enable.
 */
static struct vv_remote_settings *newest;
static struct vv_system machine; /* set once, by the first enable */
static struct vv_system stores;  /* likewise */

static const struct vv_remote_settings *settings(void)
{
    vv_remote_lock();
    const struct vv_remote_settings *found = newest;
    vv_remote_unlock();
    return found;
}

static bool is_remote(int directory, const char *name)
{
    return vv_remote_is_ours(directory) ||
           vv_remote_scheme_of(name) != VV_REMOTE_NONE;
}

/* --- Opening ----------------------------------------------------------------
 */

typedef int path_function(const struct vv_remote_settings *, const char *);

/* Returns the path, to be freed; NULL if there is no memory. */
static char *remote_system_path_of(int directory, const char *name)
{
    return vv_remote_scheme_of(name) != VV_REMOTE_NONE
               ? strdup(name)
               : vv_remote_path_in(directory, name);
}

static int on_path(int directory, const char *name, path_function *call)
{
    char *path = remote_system_path_of(directory, name);
    int result = path ? call(settings(), path) : -ENOMEM;
    free(path);
    return result;
}

static int remote_system_open_file(void *state, int directory, const char *name)
{
    return is_remote(directory, name)
               ? on_path(directory, name, vv_remote_look_up)
               : machine.open_file(state, directory, name);
}

/* Fails for "..", because there is no parent to sync, and for other names,
 * because a store has no way to check that a name is a directory. */
static int remote_system_open_directory(
    void *state, int directory, const char *name)
{
    if (vv_remote_is_ours(directory))
        return strcmp(name, "..") == 0 ? -ENOENT : -ENOTDIR;
    return is_remote(directory, name)
               ? on_path(directory, name, vv_remote_open_directory)
               : machine.open_directory(state, directory, name);
}

static int remote_system_open_real_directory(
    void *state, int directory, const char *name)
{
    return is_remote(directory, name)
               ? remote_system_open_directory(state, directory, name)
               : machine.open_real_directory(state, directory, name);
}

static int close_either(void *state, int descriptor)
{
    return vv_remote_is_ours(descriptor) ? vv_remote_end(descriptor)
                                         : machine.close(state, descriptor);
}

static int remote_system_look(
    void *state, int directory, const char *name, struct vv_file_look *look)
{
    return is_remote(directory, name)
               ? -ENOSYS
               : machine.look(state, directory, name, look);
}

/* --- Reading ----------------------------------------------------------------
 */

static int info_of(void *state, int descriptor, struct vv_file_info *info)
{
    return vv_remote_is_ours(descriptor)
               ? vv_remote_info(descriptor, info)
               : machine.info(state, descriptor, info);
}

static int64_t remote_system_read_at(
    void *state, int file, void *bytes, size_t size, uint64_t offset)
{
    return vv_remote_is_ours(file)
               ? vv_remote_read_at(file, bytes, size, offset)
               : machine.read_at(state, file, bytes, size, offset);
}

static int remote_system_will_read(
    void *state, int file, uint64_t offset, uint64_t size)
{
    return vv_remote_is_ours(file)
               ? vv_remote_will_read(file, offset, size)
               : machine.will_read(state, file, offset, size);
}

static void remote_system_plan(
    void *state, int file, const void *owner, uint64_t offset, uint64_t size)
{
    (void)state;
    if (vv_remote_is_ours(file))
        vv_remote_plan(file, owner, offset, size);
}

static void drop_plan(void *state, const void *owner)
{
    (void)state;
    vv_remote_drop_plan(owner);
}

static int remote_system_each_name(
    void *state, int directory, vv_each_name *each, void *user)
{
    return vv_remote_is_ours(directory)
               ? vv_remote_each_name(directory, each, user)
               : machine.each_name(state, directory, each, user);
}

static int remote_system_map(
    void *state, int file, uint64_t offset, size_t size, void **address)
{
    if (vv_remote_is_ours(file))
        return vv_remote_fail(
            EOPNOTSUPP, "a file in a store cannot be memory-mapped");
    return machine.map(state, file, offset, size, address);
}

/* --- Writing ----------------------------------------------------------------
 */

static int create_remote(
    const struct vv_remote_settings *options, const char *path)
{
    return vv_remote_scheme_of(path) == VV_REMOTE_S3 &&
                   vv_remote_is_lock_file(path)
               ? vv_remote_open_lock_file(options, path)
               : vv_remote_create(options, path);
}

static int remote_system_create_file(
    void *state, int directory, const char *name)
{
    return is_remote(directory, name)
               ? on_path(directory, name, create_remote)
               : machine.create_file(state, directory, name);
}

static int remote_system_open_to_write(
    void *state, int directory, const char *name)
{
    if (is_remote(directory, name))
        return vv_remote_fail(EOPNOTSUPP,
            "a file in a store must be written as a whole by one process");
    return machine.open_to_write(state, directory, name);
}

static int remote_system_make_directory(
    void *state, int directory, const char *name)
{
    return is_remote(directory, name) /* keys contain the whole path */
               ? 0
               : machine.make_directory(state, directory, name);
}

static int remote_system_remove_name(
    void *state, int directory, const char *name)
{
    return is_remote(directory, name)
               ? on_path(directory, name, vv_remote_remove)
               : machine.remove(state, directory, name);
}

static int rename_remote(
    int directory, const char *from, const char *to, bool is_new)
{
    char *one = remote_system_path_of(directory, from),
         *other = remote_system_path_of(directory, to);
    int result = one && other ? vv_remote_rename(settings(), one, other, is_new)
                              : -ENOMEM;
    free(one);
    free(other);
    return result;
}

static int rename_either(
    void *state, int directory, const char *from, const char *to)
{
    return is_remote(directory, from) || is_remote(directory, to)
               ? rename_remote(directory, from, to, false)
               : machine.rename(state, directory, from, to);
}

static int remote_system_rename_new(
    void *state, int directory, const char *from, const char *to)
{
    return is_remote(directory, from) || is_remote(directory, to)
               ? rename_remote(directory, from, to, true)
               : machine.rename_new(state, directory, from, to);
}

/* Bytes that are written to a lock are the identity of its owner's run. */
static int64_t remote_system_write_at(
    void *state, int file, const void *bytes, size_t size, uint64_t offset)
{
    if (!vv_remote_is_ours(file))
        return machine.write_at(state, file, bytes, size, offset);
    struct vv_remote_lock_file *locked = vv_remote_lock_file_of(file);
    if (!locked)
        return vv_remote_write_at(file, bytes, size, offset);
    vv_remote_lock_file_set_run(locked, bytes, size);
    return (int64_t)size;
}

static int remote_system_reserve(void *state, int file, uint64_t size)
{
    return vv_remote_is_ours(file) ? vv_remote_reserve(file, size)
                                   : machine.reserve(state, file, size);
}

static int remote_system_start_write_back(
    void *state, int file, uint64_t offset, uint64_t size)
{
    return vv_remote_is_ours(file)
               ? 0
               : machine.start_write_back(state, file, offset, size);
}

static int sync_either(void *state, int descriptor)
{
    return vv_remote_is_ours(descriptor) ? vv_remote_sync(descriptor)
                                         : machine.sync(state, descriptor);
}

static int no_locks(void)
{
    return vv_remote_fail(EOPNOTSUPP,
        "a store has no locks except those of managers, `.PREFIX.lock`");
}

static int remote_system_lock(void *state, int file)
{
    if (!vv_remote_is_ours(file))
        return machine.lock(state, file);
    struct vv_remote_lock_file *found = vv_remote_lock_file_of(file);
    return found ? vv_remote_lock_file_take(found) : no_locks();
}

static int remote_system_share_lock(void *state, int file)
{
    return vv_remote_is_ours(file) ? no_locks()
                                   : machine.share_lock(state, file);
}

static int remote_system_unlock(void *state, int file)
{
    if (!vv_remote_is_ours(file))
        return machine.unlock(state, file);
    struct vv_remote_lock_file *found = vv_remote_lock_file_of(file);
    if (!found)
        return no_locks();
    vv_remote_lock_file_release(found);
    return 0;
}

static int link_either(
    void *state, int directory, const char *from, const char *to)
{
    if (is_remote(directory, from) || is_remote(directory, to))
        return vv_remote_fail(EOPNOTSUPP, "a store has no links");
    return machine.link(state, directory, from, to);
}

/* --- Installation -----------------------------------------------------------
 */

static unsigned or_default(unsigned value, unsigned usual)
{
    return value ? value : usual;
}

/* Adds settings for files that are opened from now on. Earlier settings are
 * kept, because open files use them. */
static bool remote_system_add_settings(const varve_remote_options *options)
{
    struct vv_remote_settings *s = calloc(1, sizeof *s);
    if (!s)
        return false;
    s->machine = &machine;
    s->attempts = or_default(options->attempts, 6);
    s->wait_ms = or_default(options->wait_ms, 100);
    s->connect_timeout_ms = or_default(options->connect_timeout_ms, 10000);
    s->stall_timeout_s = or_default(options->stall_timeout_s, 30);
    s->operation_timeout_s = or_default(options->operation_timeout_s, 600);
    s->redirects = options->redirects;
    s->allow_unversioned = options->allow_unversioned;
    s->lock_period_ms = VV_REMOTE_LOCK_PERIOD_MS;
    s->part_size = options->part_size ? options->part_size : VV_REMOTE_PART;
    s->concurrency = or_default(options->concurrency, VV_REMOTE_CONCURRENCY);
    if (s->concurrency > VV_REMOTE_MOST_CONCURRENCY)
        s->concurrency = VV_REMOTE_MOST_CONCURRENCY;
    s->range_size = options->range_size ? options->range_size : VV_REMOTE_RANGE;
    if (s->range_size < VV_REMOTE_LEAST_RANGE)
        s->range_size = VV_REMOTE_LEAST_RANGE;
    if (options->certificates) {
        s->certificates = strdup(options->certificates);
        if (!s->certificates) {
            free(s);
            return false;
        }
    }
    vv_remote_credentials_use(s);
    vv_remote_lock();
    s->older = newest;
    newest = s;
    vv_remote_unlock();
    return true;
}

static void stand_on(const struct vv_system *below)
{
    machine = *below;
    stores = *below;
    stores.open_file = remote_system_open_file;
    stores.create_file = remote_system_create_file;
    stores.open_to_write = remote_system_open_to_write;
    stores.open_directory = remote_system_open_directory;
    stores.open_real_directory = remote_system_open_real_directory;
    stores.close = close_either;
    stores.look = remote_system_look;
    stores.info = info_of;
    stores.read_at = remote_system_read_at;
    stores.write_at = remote_system_write_at;
    stores.reserve = remote_system_reserve;
    stores.start_write_back = remote_system_start_write_back;
    stores.will_read = remote_system_will_read;
    stores.plan = remote_system_plan;
    stores.drop_plan = drop_plan;
    stores.sync = sync_either;
    stores.lock = remote_system_lock;
    stores.share_lock = remote_system_share_lock;
    stores.unlock = remote_system_unlock;
    stores.rename = rename_either;
    stores.rename_new = remote_system_rename_new;
    stores.link = link_either;
    stores.remove = remote_system_remove_name;
    stores.make_directory = remote_system_make_directory;
    stores.each_name = remote_system_each_name;
    stores.map = remote_system_map;
}

static const struct vv_system *enable(const varve_remote_options *options,
    const struct vv_system *below, const char **why)
{
    *why = vv_remote_pool_start();
    if (*why)
        return NULL;
    if (!newest)
        stand_on(below);
    if (!remote_system_add_settings(options)) {
        *why = "no memory";
        return NULL;
    }
    return &stores;
}

extern const struct vv_store_calls vv_store_calls;

const struct vv_store_calls vv_store_calls = {
    .version = VV_STORE_VERSION,
    .system_size = sizeof(struct vv_system),
    .words = { .reason = vv_remote_reason },
    .enable = enable,
};
