/* kept_files.h - Copies all files of an in-memory disk, to restore them and to
 * compare them later.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef OPTIONS_KEPT_FILES_H
#define OPTIONS_KEPT_FILES_H

#include "support/memory_system.h"
#include "system.h"

enum { MOST_KEPT_FILES = 32 };

struct kept_file {
    char path[128];
    void *bytes;
    size_t size;
};

struct kept_files {
    size_t count;
    struct kept_file files[MOST_KEPT_FILES];
};

static inline void kept_files_free(struct kept_files *k)
{
    for (size_t i = 0; i < k->count; i++)
        free(k->files[i].bytes);
    k->count = 0;
}

static inline void kept_files_take(struct kept_files *k, struct memory *memory)
{
    kept_files_free(k);
    size_t count = memory_file_count(memory);
    cr_assert_leq(count, MOST_KEPT_FILES);
    for (; k->count < count; k->count++) {
        struct kept_file *f = &k->files[k->count];
        const char *path = memory_file_path(memory, k->count);
        snprintf(f->path, sizeof f->path, "%s", path);
        const void *bytes = memory_bytes(memory, path, &f->size);
        f->bytes = malloc(f->size + 1);
        memcpy(f->bytes, bytes, f->size);
    }
}

static inline const struct kept_file *kept_file_find(
    const struct kept_files *k, const char *path)
{
    for (size_t i = 0; i < k->count; i++)
        if (strcmp(k->files[i].path, path) == 0)
            return &k->files[i];
    return NULL;
}

static inline bool kept_file_is_same(
    const struct kept_file *f, struct memory *memory)
{
    size_t size;
    const void *bytes = memory_bytes(memory, f->path, &size);
    return bytes && size == f->size && memcmp(bytes, f->bytes, size) == 0;
}

/* Describes a file that differs, is missing or is new; NULL: there is none. */
static inline const char *kept_files_differ(
    const struct kept_files *k, struct memory *memory)
{
    static char text[256];
    size_t size;
    for (size_t i = 0; i < memory_file_count(memory); i++) {
        const char *path = memory_file_path(memory, i);
        snprintf(text, sizeof text, "%s is new", path);
        if (!kept_file_find(k, path))
            return text;
    }
    for (size_t i = 0; i < k->count; i++) {
        const char *path = k->files[i].path;
        bool is_there = memory_bytes(memory, path, &size) != NULL;
        snprintf(text, sizeof text, "%s %s", path,
            is_there ? "differs" : "is missing");
        if (!kept_file_is_same(&k->files[i], memory))
            return text;
    }
    return NULL;
}

static inline void kept_files_restore(
    const struct kept_files *k, struct memory *memory)
{
    const struct vv_system *system = memory_system(memory);
    for (size_t i = memory_file_count(memory); i-- > 0;) {
        const char *path = memory_file_path(memory, i);
        if (!kept_file_find(k, path))
            cr_assert_eq(system->remove(system->state, VV_WORKING_DIRECTORY,
                             path), 0);
    }
    for (size_t i = 0; i < k->count; i++)
        if (!kept_file_is_same(&k->files[i], memory))
            memory_put(memory, k->files[i].path, k->files[i].bytes,
                k->files[i].size);
}

#endif
