/* memory_disk.c - Implements operations of a memory system for tests: put,
 * damage and list files, cut the power.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/memory_disk.h"

#include <stdio.h>
#include <string.h>

#include <criterion/criterion.h>

#include "support/memory_tree.h"

void memory_set_capacity(struct memory *m, uint64_t bytes)
{
    m->capacity = bytes > m->used ? bytes : m->used;
}

/* Returns the parent directory of a path and creates it if necessary. */
static struct memory_node *made_parent(
    struct memory *m, const char *path, char name[256])
{
    struct memory_node *at = m->root;
    path += strspn(path, "/");
    for (;;) {
        size_t size = strcspn(path, "/");
        cr_assert(size > 0 && size < 256, "%s: a name is missing", path);
        snprintf(name, 256, "%.*s", (int)size, path);
        if (!path[size])
            return at;
        if (!memory_entry_find(at, name, size)) {
            memory_entry_add(at, name, memory_node_new(true));
            memory_node_sync(at);
        }
        at = memory_entry_find(at, name, size)->node;
        cr_assert(at->is_directory, "%s: is a file", name);
        path += size + strspn(path + size, "/");
    }
}

void memory_put(
    struct memory *m, const char *path, const void *bytes, size_t size)
{
    char name[256];
    pthread_mutex_lock(&m->lock);
    struct memory_node *parent = made_parent(m, path, name);
    struct memory_entry *entry =
        memory_entry_find(parent, name, strlen(name));
    struct memory_node *file = entry ? entry->node : memory_node_new(false);
    cr_assert_not(file->is_directory, "%s: is a directory", path);
    if (!entry)
        memory_entry_add(parent, name, file);
    m->used += size - file->size;
    memory_node_resize(file, size);
    if (size)
        memcpy(file->bytes, bytes, size);
    file->modified = m->now;
    memory_node_sync(file);
    memory_node_sync(parent);
    pthread_mutex_unlock(&m->lock);
}

static struct memory_node *file_at(struct memory *m, const char *path)
{
    struct memory_node *node;
    if (memory_look_up(m->root, m->root, path, &node) || node->is_directory)
        return NULL;
    return node;
}

unsigned char *memory_bytes(struct memory *m, const char *path, size_t *size)
{
    struct memory_node *file = file_at(m, path);
    if (!file)
        return NULL;
    /* an empty file has allocated bytes too */
    memory_node_resize(file, file->size + 1);
    memory_node_resize(file, file->size - 1);
    *size = file->size;
    return file->bytes;
}

void memory_resize(struct memory *m, const char *path, size_t size)
{
    struct memory_node *file = file_at(m, path);
    cr_assert(file, "%s: no such file", path);
    m->used += size - file->size;
    memory_node_resize(file, size);
}

/* Decrements *skip for each file. Sets the path of the file at which it reaches
 * 0 and returns true if there is one. */
static bool find_nth(const struct memory_node *directory, size_t *skip,
    char *path, size_t size)
{
    for (size_t i = 0; i < directory->list.count; i++) {
        const struct memory_entry *entry = &directory->list.entries[i];
        int used = snprintf(path, size, "%s", entry->name);
        cr_assert_lt((size_t)used + 2, size, "the path is too long");
        if (!entry->node->is_directory) {
            if ((*skip)-- == 0)
                return true;
            continue;
        }
        path[used] = '/';
        if (find_nth(entry->node, skip, path + used + 1,
                size - (size_t)used - 1))
            return true;
    }
    return false;
}

size_t memory_file_count(struct memory *m)
{
    size_t skip = SIZE_MAX;
    find_nth(m->root, &skip, m->path, sizeof m->path);
    return SIZE_MAX - skip;
}

const char *memory_file_path(struct memory *m, size_t i)
{
    bool found = find_nth(m->root, &i, m->path, sizeof m->path);
    cr_assert(found, "there are not so many files");
    return m->path;
}

int memory_open_count(struct memory *m)
{
    return m->open_count + m->map_count;
}

struct memory *memory_after_power_cut(
    struct memory *m, bool keep_names, bool keep_content)
{
    struct memory *after = memory_new();
    pthread_mutex_lock(&m->lock);
    after->used = memory_copy_after_cut(
        after->root, m->root, keep_names, keep_content);
    pthread_mutex_unlock(&m->lock);
    return after;
}
