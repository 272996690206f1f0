/* one_file.c - Reads from borrowed bytes and writes to new ones.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fuzz/one_file.h"

#include <errno.h>
#include <string.h>

#include "fuzz/fuzz.h"

enum { A_FILE = 1000, A_DIRECTORY = 1001 };

static int open_file(void *state, int directory, const char *name)
{
    struct one_file *f = state;
    (void)directory;
    bool is_there = strcmp(name, FUZZ_PATH) == 0 ? f->bytes != NULL
                                                 : f->is_created;
    if (!is_there)
        return -ENOENT;
    f->opened++;
    return A_FILE;
}

static int create_file(void *state, int directory, const char *name)
{
    struct one_file *f = state;
    (void)directory;
    (void)name;
    f->opened++;
    f->is_created = true;
    return A_FILE;
}

static int open_directory(void *state, int directory, const char *name)
{
    struct one_file *f = state;
    (void)directory;
    if (strcmp(name, FUZZ_PATH) == 0)
        return f->bytes ? -ENOTDIR : -ENOENT;
    f->opened++;
    return A_DIRECTORY;
}

static int close_descriptor(void *state, int descriptor)
{
    struct one_file *f = state;
    if (descriptor != A_FILE && descriptor != A_DIRECTORY)
        return -EBADF;
    f->opened--;
    return 0;
}

static int info(void *state, int descriptor, struct vv_file_info *info)
{
    const struct one_file *f = state;
    bool is_file = descriptor == A_FILE;
    info->kind = is_file ? VV_REGULAR_FILE : VV_DIRECTORY;
    info->modified = 0;
    info->device = 0;
    info->serial = 0;
    info->size = !is_file ? 0 : f->is_created ? f->written_size : f->size;
    return 0;
}

static int64_t read_at(
    void *state, int file, void *bytes, size_t size, uint64_t offset)
{
    const struct one_file *f = state;
    FUZZ_CHECK(file == A_FILE, "reading what is no file: %d", file);
    if (offset >= f->size)
        return 0;
    if (size > f->size - offset)
        size = f->size - (size_t)offset;
    memcpy(bytes, f->bytes + offset, size);
    return (int64_t)size;
}

static int64_t write_at(
    void *state, int file, const void *bytes, size_t size, uint64_t offset)
{
    struct one_file *f = state;
    size_t end = (size_t)offset + size;
    (void)file;
    if (end > f->written_size) {
        f->written = realloc(f->written, end);
        FUZZ_CHECK(f->written, "the machine is out of memory");
        memset(f->written + f->written_size, 0, end - f->written_size);
        f->written_size = end;
    }
    memcpy(f->written + offset, bytes, size);
    return (int64_t)size;
}

static int reserve(void *state, int file, uint64_t size)
{
    (void)state;
    (void)file;
    (void)size;
    return -EOPNOTSUPP;
}

static int hint(void *state, int file, uint64_t offset, uint64_t size)
{
    (void)offset;
    return reserve(state, file, size);
}

static int sync_it(void *state, int descriptor)
{
    (void)state;
    (void)descriptor;
    return 0;
}

static int rename_it(
    void *state, int directory, const char *from, const char *to)
{
    (void)state;
    (void)directory;
    (void)from;
    (void)to;
    return 0;
}

static int remove_it(void *state, int directory, const char *name)
{
    (void)state;
    (void)directory;
    (void)name;
    return -ENOENT;
}

static int make_directory(void *state, int directory, const char *name)
{
    (void)state;
    (void)directory;
    (void)name;
    return -EEXIST;
}

static int each_name(
    void *state, int directory, vv_each_name *each, void *user)
{
    const struct one_file *f = state;
    (void)directory;
    if (f->bytes)
        each(user, FUZZ_PATH, NULL);
    return 0;
}

/* Maps a file by copying whole pages. Bytes after the end of the file are 0. */
static int map(
    void *state, int file, uint64_t offset, size_t size, void **address)
{
    struct one_file *f = state;
    FUZZ_CHECK(file == A_FILE && offset % 4096 == 0 && size > 0 &&
            offset < f->size && size <= f->size - offset,
        "a map of %zu bytes at %llu of %zu", size, (unsigned long long)offset,
        f->size);
    *address = malloc(size);
    FUZZ_CHECK(*address, "the machine is out of memory");
    memcpy(*address, f->bytes + offset, size);
    f->opened++;
    return 0;
}

static int unmap(void *state, void *address, size_t size)
{
    struct one_file *f = state;
    (void)size;
    free(address);
    f->opened--;
    return 0;
}

static int random_bytes(void *state, void *bytes, size_t size)
{
    (void)state;
    memset(bytes, 7, size);
    return 0;
}

static unsigned processors(void *state)
{
    (void)state;
    return 1;
}

static int start_thread(void *state, void *(*function)(void *), void *argument,
    uintptr_t *handle)
{
    (void)state;
    (void)function;
    (void)argument;
    (void)handle;
    return -EAGAIN;
}

static int join_thread(void *state, uintptr_t handle)
{
    (void)state;
    (void)handle;
    return 0;
}

void one_file_init(struct one_file *file, const uint8_t *bytes, size_t size)
{
    *file = (struct one_file){ .bytes = bytes, .size = size };
    file->system = (struct vv_system){
        .state = file,
        .open_file = open_file,
        .create_file = create_file,
        .open_to_write = open_file,
        .open_directory = open_directory,
        .open_real_directory = open_directory,
        .close = close_descriptor,
        .info = info,
        .read_at = read_at,
        .write_at = write_at,
        .reserve = reserve,
        .start_write_back = hint,
        .will_read = hint,
        .lock = sync_it,
        .share_lock = sync_it,
        .unlock = sync_it,
        .sync = sync_it,
        .rename = rename_it,
        .rename_new = rename_it,
        .link = rename_it,
        .remove = remove_it,
        .make_directory = make_directory,
        .each_name = each_name,
        .map = map,
        .unmap = unmap,
        .random = random_bytes,
        .processors = processors,
        .start_thread = start_thread,
        .join_thread = join_thread,
    };
}
