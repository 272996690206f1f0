/* many_files.c - Uses the index of a file as its descriptor.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fuzz/many_files.h"

#include <errno.h>
#include <string.h>

#include "fuzz/fuzz.h"

enum { FIRST_FILE = 2000 };

static bool is_file(const struct many_files *m, int descriptor)
{
    return descriptor >= FIRST_FILE &&
           (size_t)(descriptor - FIRST_FILE) < m->count;
}

static int open_file(void *state, int directory, const char *name)
{
    struct many_files *m = state;
    (void)directory;
    for (size_t i = 0; i < m->count; i++) {
        if (strcmp(m->files[i].name, name) == 0) {
            m->one.opened++;
            return FIRST_FILE + (int)i;
        }
    }
    return -ENOENT;
}

static int open_directory(void *state, int directory, const char *name)
{
    struct many_files *m = state;
    (void)directory;
    for (size_t i = 0; i < m->count; i++) {
        if (strcmp(m->files[i].name, name) == 0)
            return -ENOTDIR;
    }
    return -ENOENT;
}

static int close_descriptor(void *state, int descriptor)
{
    struct many_files *m = state;
    if (!is_file(m, descriptor))
        return -EBADF;
    m->one.opened--;
    return 0;
}

static int info(void *state, int descriptor, struct vv_file_info *info)
{
    const struct many_files *m = state;
    FUZZ_CHECK(is_file(m, descriptor), "no file: %d", descriptor);
    *info = (struct vv_file_info){ .kind = VV_REGULAR_FILE,
        .size = m->files[descriptor - FIRST_FILE].size };
    return 0;
}

static int64_t read_at(
    void *state, int file, void *bytes, size_t size, uint64_t offset)
{
    const struct many_files *m = state;
    FUZZ_CHECK(is_file(m, file), "reading what is no file: %d", file);
    size_t there = m->files[file - FIRST_FILE].size;
    if (offset >= there)
        return 0;
    if (size > there - offset)
        size = there - (size_t)offset;
    memcpy(bytes, m->files[file - FIRST_FILE].bytes + offset, size);
    return (int64_t)size;
}

void many_files_init(struct many_files *files)
{
    memset(files, 0, sizeof *files);
    one_file_init(&files->one, NULL, 0);
    struct vv_system *system = &files->one.system;
    system->state = files;
    system->open_file = open_file;
    system->open_directory = open_directory;
    system->close = close_descriptor;
    system->info = info;
    system->read_at = read_at;
    system->map = NULL; /* readers do not map files */
}

static int open_any(void *state, int directory, const char *name)
{
    struct many_files *m = state;
    int found = open_file(state, directory, name);
    bool is_other = found == -ENOENT && strcmp(name, FUZZ_PATH) != 0;
    return is_other ? m->written.open_file(state, directory, name) : found;
}

static int open_any_directory(void *state, int directory, const char *name)
{
    struct many_files *m = state;
    int found = open_directory(state, directory, name);
    return found == -ENOENT ? m->written.open_directory(state, directory, name)
                            : found;
}

static int close_any(void *state, int descriptor)
{
    struct many_files *m = state;
    return is_file(m, descriptor) ? close_descriptor(state, descriptor)
                                  : m->written.close(state, descriptor);
}

static int info_of_any(void *state, int descriptor, struct vv_file_info *any)
{
    struct many_files *m = state;
    return is_file(m, descriptor) ? info(state, descriptor, any)
                                  : m->written.info(state, descriptor, any);
}

void many_files_let_write(struct many_files *files)
{
    struct vv_system *system = &files->one.system;
    one_file_init(&files->one, NULL, 0);
    files->written = *system;
    system->state = files;
    system->open_file = open_any;
    system->open_directory = open_any_directory;
    system->close = close_any;
    system->info = info_of_any;
    system->read_at = read_at;
    system->map = NULL;
}

void many_files_add(struct many_files *files, const char *name,
    size_t name_size, const uint8_t *bytes, size_t size)
{
    if (files->count == MOST_FILES || name_size == 0 || name_size > MOST_NAME)
        return;
    memcpy(files->files[files->count].name, name, name_size);
    files->files[files->count].bytes = bytes;
    files->files[files->count++].size = size;
}
