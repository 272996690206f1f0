/* remote_file.c - Manages a table of open files, and reads from them.
 *
 * Opening a file requests its first block; the response contains its size and
 * identifies its content. Small reads use cached blocks; large ones are read
 * directly into the caller's memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "remote_ahead.h"
#include "remote_cache.h"
#include "remote_identity.h"
#include "remote_list.h"
#include "remote_lock_file.h"
#include "remote_pool.h"
#include "remote_upload.h"
#include "remote_url.h"

#define A_SECOND ((int64_t)1000000000)

enum {
    FIRST_DESCRIPTOR = 1 << 28, /* beyond the descriptors of the local system */
    MOST_OPEN = 1 << 20,
    DIRECT = 128 << 10, /* reads of at least this size are not cached */
    MOST_AT_ONCE = 8 << 20
};

struct file {
    bool is_directory;
    char *path;
    const struct vv_remote_settings *settings;
    struct vv_remote_place place;
    struct vv_remote_validator mark;
    struct vv_remote_cache cache;     /* guarded by the lock of the module */
    struct vv_remote_fetching *ahead; /* NULL until a range is planned */
    /* the upload, for a file that is written; or NULL */
    struct vv_remote_upload *upload;
    struct vv_remote_lock_file *lock; /* owned; or NULL */
};

/* Indexed by descriptor; NULL: unused. Guarded by the lock of the module. */
static struct file **files;
static int file_room;

bool vv_remote_is_ours(int descriptor)
{
    return descriptor >= FIRST_DESCRIPTOR;
}

/* --- Descriptors ------------------------------------------------------------
 */

static int remote_file_fail_memory(void)
{
    return vv_remote_fail(ENOMEM, "no memory for a file");
}

static bool remote_file_reserve(void)
{
    int room = file_room ? 2 * file_room : 16;
    if (room > MOST_OPEN)
        return false;
    struct file **more = realloc(files, (size_t)room * sizeof *files);
    if (!more)
        return false;
    for (int i = file_room; i < room; i++)
        more[i] = NULL;
    files = more;
    file_room = room;
    return true;
}

/* Adds a file to the table, which then owns it, and returns its descriptor. */
static int remote_file_enter(struct file *file)
{
    int at = 0;
    vv_remote_lock();
    while (at < file_room && files[at])
        at++;
    bool good = at < file_room || remote_file_reserve();
    if (good)
        files[at] = file;
    vv_remote_unlock();
    return good ? FIRST_DESCRIPTOR + at : remote_file_fail_memory();
}

static struct file *file_at(int descriptor, bool leaves)
{
    int at = descriptor - FIRST_DESCRIPTOR;
    struct file *file = NULL;
    vv_remote_lock();
    if (at < file_room)
        file = files[at];
    if (file && leaves)
        files[at] = NULL;
    vv_remote_unlock();
    return file;
}

static void free_file(struct file *file)
{
    if (!file)
        return;
    vv_remote_ahead_free(file->ahead);
    vv_remote_place_clear(&file->place);
    vv_remote_cache_clear(&file->cache);
    vv_remote_lock_file_free(file->lock);
    free(file->path);
    free(file);
}

static struct file *new_file(
    const struct vv_remote_settings *settings, const char *path)
{
    struct file *file = calloc(1, sizeof *file);
    if (file) {
        file->settings = settings;
        file->path = strdup(path);
    }
    if (file && !file->path) {
        free(file);
        file = NULL;
    }
    return file;
}

/* --- Opening ----------------------------------------------------------------
 */

/* Returns true if a file without an ETag was changed in the second of the
 * response. It may change again within that second without a new date. */
static bool is_just_changed(const struct vv_remote_answer *a)
{
    return !*a->mark.tag && *a->mark.date && *a->clock &&
           strcmp(a->mark.date, a->clock) == 0;
}

/* Repeats the request after a second if the file was changed just before: the
 * content then is that at the end of the second in its date. If the date is
 * again that of the response, it is not used for identification. */
static int request_until_settled(struct file *file,
    struct vv_remote_range *range, unsigned char *bytes, size_t *size,
    struct vv_remote_answer *answer)
{
    const struct vv_system *machine = file->settings->machine;
    int result = vv_remote_get_range(
        file->settings, &file->place, range, bytes, size, answer);
    if (result || !is_just_changed(answer) || file->settings->allow_unversioned)
        return result;
    machine->sleep(machine->state, A_SECOND);
    result = vv_remote_get_range(
        file->settings, &file->place, range, bytes, size, answer);
    if (!result && is_just_changed(answer))
        *answer->mark.date = '\0';
    return result;
}

static int request_mark(struct file *file)
{
    struct vv_remote_range range = { .last = VV_REMOTE_BLOCK - 1 };
    struct vv_remote_answer answer;
    size_t size;
    unsigned char *bytes = malloc(VV_REMOTE_BLOCK);
    if (!bytes)
        return remote_file_fail_memory();
    int result = request_until_settled(file, &range, bytes, &size, &answer);
    if (!result) {
        file->mark = answer.mark;
        file->mark.size = answer.has_range ? answer.mark.size : 0;
        vv_remote_cache_put(&file->cache, 0, bytes, size);
    }
    free(bytes);
    return result;
}

int vv_remote_open_file(
    const struct vv_remote_settings *settings, const char *path)
{
    struct file *file = new_file(settings, path);
    if (!file)
        return remote_file_fail_memory();
    int result = vv_remote_place_of(path, &file->place);
    if (!result)
        result = request_mark(file);
    if (!result)
        result = remote_file_enter(file);
    if (result < 0)
        free_file(file);
    return result;
}

int vv_remote_open_directory(
    const struct vv_remote_settings *settings, const char *path)
{
    if (vv_remote_scheme_of(path) != VV_REMOTE_S3)
        return vv_remote_fail(
            ENOENT, "a web server cannot be listed: give the name of a file");
    struct file *file = new_file(settings, path);
    if (!file)
        return remote_file_fail_memory();
    file->is_directory = true;
    int result = remote_file_enter(file);
    if (result < 0)
        free_file(file);
    return result;
}

int vv_remote_open_upload(struct vv_remote_upload *upload)
{
    struct file *file = new_file(upload->settings, upload->path);
    if (!file)
        return remote_file_fail_memory();
    file->upload = upload;
    int result = remote_file_enter(file);
    if (result < 0)
        free_file(file);
    return result;
}

struct vv_remote_upload *vv_remote_upload_of(int descriptor)
{
    const struct file *file = file_at(descriptor, false);
    return file ? file->upload : NULL;
}

int vv_remote_open_lock_file(
    const struct vv_remote_settings *settings, const char *path)
{
    struct file *file = new_file(settings, path);
    if (file)
        file->lock = vv_remote_lock_file_new(settings, path);
    int result = file && file->lock ? remote_file_enter(file)
                                    : remote_file_fail_memory();
    if (result < 0)
        free_file(file);
    return result;
}

struct vv_remote_lock_file *vv_remote_lock_file_of(int descriptor)
{
    const struct file *file = file_at(descriptor, false);
    return file ? file->lock : NULL;
}

int vv_remote_close(int descriptor)
{
    free_file(file_at(descriptor, true));
    return 0;
}

/* --- Information ------------------------------------------------------------
 */

int vv_remote_info(int descriptor, struct vv_file_info *info)
{
    const struct file *file = file_at(descriptor, false);
    if (!file)
        return -EBADF;
    *info = (struct vv_file_info){
        .kind = file->is_directory ? VV_DIRECTORY : VV_REGULAR_FILE,
        .size = file->upload ? file->upload->size : file->mark.size,
        .modified = vv_remote_header_time(file->mark.date),
        .device = VV_REMOTE_DEVICE,
        .serial = vv_remote_serial(file->path, file->mark.tag, file->mark.size),
    };
    return 0;
}

int vv_remote_each_name(int descriptor, vv_each_name *each, void *user)
{
    const struct file *file = file_at(descriptor, false);
    if (!file || !file->is_directory)
        return -ENOTDIR;
    return vv_remote_list(file->settings, file->path, each, user);
}

char *vv_remote_path_in(int directory, const char *name)
{
    const struct file *file = file_at(directory, false);
    struct vv_remote_text path = { .at = NULL };
    vv_remote_add(&path, file ? file->path : "");
    vv_remote_add(&path, "/");
    vv_remote_add(&path, name);
    return vv_remote_take(&path);
}

/* --- Reading ----------------------------------------------------------------
 */

/* Fails unless a replacement of the file between two requests can be
 * detected. */
static int check_versioned(const struct file *file)
{
    if (*file->mark.tag || *file->mark.date ||
        file->settings->allow_unversioned)
        return 0;
    return vv_remote_fail(EIO,
        "the server sends neither an ETag nor a Last-Modified older than "
        "its response, so a replaced file could not be detected: download "
        "the file, or set `allow_unversioned`");
}

/* Signs with current credentials, because those used for opening may have
 * expired. */
static int request_range(struct file *file, uint64_t first, unsigned char *to,
    size_t size, const atomic_bool *stop)
{
    int versioned = check_versioned(file);
    if (versioned)
        return versioned;
    struct vv_remote_answer answer;
    const struct vv_remote_range range = { .first = first,
        .last = first + size - 1,
        .mark = &file->mark,
        .stop = stop };
    struct vv_remote_place fresh = { .url = NULL };
    size_t got = 0;
    int result =
        file->place.is_signed ? vv_remote_place_of(file->path, &fresh) : 0;
    if (!result)
        result = vv_remote_get_range(file->settings,
            fresh.url ? &fresh : &file->place, &range, to, &got, &answer);
    vv_remote_place_clear(&fresh);
    if (!result && got != size)
        result = vv_remote_fail(EIO, "the response is truncated");
    return result;
}

/* Requests the blocks of a small range with readahead, caches them, and copies
 * the range. */
static int64_t remote_file_read_blocks(
    struct file *file, unsigned char *to, size_t size, uint64_t offset)
{
    uint64_t first;
    vv_remote_lock();
    unsigned count =
        vv_remote_reach(&file->cache, file->mark.size, size, offset, &first);
    vv_remote_unlock();
    uint64_t begin = first * VV_REMOTE_BLOCK;
    uint64_t left = file->mark.size - begin;
    size_t all = (size_t)count * VV_REMOTE_BLOCK;
    all = left < all ? (size_t)left : all;
    unsigned char *bytes = malloc(all);
    if (!bytes)
        return remote_file_fail_memory();
    int64_t result = request_range(file, begin, bytes, all, NULL);
    if (!result) {
        size_t inside = (size_t)(offset - begin);
        size_t part = size < all - inside ? size : all - inside;
        memcpy(to, bytes + inside, part);
        vv_remote_lock();
        vv_remote_cache_put(&file->cache, first, bytes, all);
        vv_remote_unlock();
        result = (int64_t)part;
    }
    free(bytes);
    return result;
}

int64_t vv_remote_read_at(
    int descriptor, void *bytes, size_t size, uint64_t offset)
{
    struct file *file = file_at(descriptor, false);
    if (!file || file->is_directory || file->upload || file->lock)
        return -EBADF;
    uint64_t end = file->mark.size;
    if (offset >= end || size == 0)
        return 0;
    size = size < end - offset ? size : (size_t)(end - offset);
    size = size < MOST_AT_ONCE ? size : MOST_AT_ONCE;
    int64_t planned = vv_remote_ahead_read(file->ahead, bytes, size, offset);
    if (planned)
        return planned;
    vv_remote_lock();
    size_t there = vv_remote_cached(&file->cache, bytes, size, offset);
    vv_remote_unlock();
    if (there)
        return (int64_t)there;
    if (size < DIRECT)
        return remote_file_read_blocks(file, bytes, size, offset);
    int result = request_range(file, offset, bytes, size, NULL);
    return result ? result : (int64_t)size;
}

/* Adjacent ranges are merged. */
int vv_remote_will_read(int descriptor, uint64_t offset, uint64_t size)
{
    struct file *file = file_at(descriptor, false);
    if (!file || size > UINT64_MAX - offset)
        return 0;
    vv_remote_lock();
    struct vv_remote_cache *c = &file->cache;
    if (offset != c->hint_end)
        c->hint_first = offset;
    c->hint_end = offset + size;
    vv_remote_unlock();
    return 0;
}

/* --- Plans ------------------------------------------------------------------
 */

static int remote_file_fetch(void *user, uint64_t first, unsigned char *to,
    size_t size, const atomic_bool *stop)
{
    return request_range(user, first, to, size, stop);
}

void vv_remote_plan(
    int descriptor, const void *owner, uint64_t offset, uint64_t size)
{
    struct file *file = file_at(descriptor, false);
    if (!file || file->is_directory || file->upload || file->lock ||
        offset >= file->mark.size)
        return;
    uint64_t left = file->mark.size - offset;
    vv_remote_lock();
    if (!file->ahead)
        file->ahead =
            vv_remote_ahead_new(file->settings, remote_file_fetch, file);
    vv_remote_unlock();
    if (file->ahead)
        vv_remote_ahead_plan(
            file->ahead, owner, offset, size < left ? size : left);
}

void vv_remote_drop_plan(const void *owner)
{
    vv_remote_lock();
    for (int i = 0; i < file_room; i++) {
        if (files[i] && files[i]->ahead)
            vv_remote_ahead_drop(files[i]->ahead, owner);
    }
    vv_remote_unlock();
}
