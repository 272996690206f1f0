/* memory_tree.c - Implements nodes, names and paths.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/memory_tree.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

static void *resized(void *block, size_t size)
{
    block = realloc(block, size ? size : 1);
    cr_assert(block, "the machine is out of memory");
    return block;
}

struct memory_node *memory_node_new(bool is_directory)
{
    struct memory_node *node = calloc(1, sizeof *node);
    cr_assert(node, "the machine is out of memory");
    node->is_directory = is_directory;
    return node;
}

static void free_node(struct memory_node *node)
{
    free(node->bytes);
    free(node->synced_bytes);
    free(node->list.entries);
    free(node->synced_list.entries);
    free(node);
}

static void forget_synced(struct memory_node *directory)
{
    for (size_t i = 0; i < directory->synced_list.count; i++) {
        struct memory_node *node = directory->synced_list.entries[i].node;
        node->kept--;
        memory_node_drop(node);
    }
    directory->synced_list.count = 0;
}

void memory_node_drop(struct memory_node *node)
{
    if (node->links || node->kept || node->opens)
        return;
    node->kept = 1; /* prevents another visit from below */
    forget_synced(node);
    free_node(node);
}

static void forget_all_synced(struct memory_node *directory)
{
    forget_synced(directory);
    for (size_t i = 0; i < directory->list.count; i++)
        forget_all_synced(directory->list.entries[i].node);
}

void memory_node_free_all(struct memory_node *root)
{
    forget_all_synced(root);
    for (size_t i = 0; i < root->list.count; i++)
        memory_node_free_all(root->list.entries[i].node);
    free_node(root);
}

void memory_node_resize(struct memory_node *file, size_t size)
{
    if (size > file->capacity) {
        file->capacity = size < 2 * file->capacity ? 2 * file->capacity : size;
        file->bytes = resized(file->bytes, file->capacity);
    }
    if (size > file->size)
        memset(file->bytes + file->size, 0, size - file->size);
    file->size = size;
}

static void sync_names(struct memory_node *directory)
{
    const struct memory_list *list = &directory->list;
    for (size_t i = 0; i < list->count; i++)
        list->entries[i].node->kept++;
    forget_synced(directory);
    struct memory_list *synced = &directory->synced_list;
    size_t size = list->count * sizeof *list->entries;
    synced->entries = resized(synced->entries, size);
    if (size)
        memcpy(synced->entries, list->entries, size);
    synced->count = list->count;
}

void memory_node_sync(struct memory_node *node)
{
    if (node->is_directory) {
        sync_names(node);
        return;
    }
    node->synced_bytes = resized(node->synced_bytes, node->size);
    if (node->size)
        memcpy(node->synced_bytes, node->bytes, node->size);
    node->synced_size = node->size;
}

struct memory_entry *memory_entry_find(
    struct memory_node *directory, const char *name, size_t size)
{
    struct memory_list *list = &directory->list;
    for (size_t i = 0; i < list->count; i++)
        if (strlen(list->entries[i].name) == size &&
            memcmp(list->entries[i].name, name, size) == 0)
            return &list->entries[i];
    return NULL;
}

void memory_entry_add(struct memory_node *directory, const char *name,
    struct memory_node *node)
{
    struct memory_list *list = &directory->list;
    list->entries = resized(
        list->entries, (list->count + 1) * sizeof *list->entries);
    struct memory_entry *entry = &list->entries[list->count++];
    snprintf(entry->name, sizeof entry->name, "%s", name);
    entry->node = node;
    node->links++;
    node->parent = directory;
}

void memory_entry_remove(struct memory_node *directory, const char *name)
{
    struct memory_list *list = &directory->list;
    struct memory_entry *entry =
        memory_entry_find(directory, name, strlen(name));
    struct memory_node *node = entry->node;
    size_t at = (size_t)(entry - list->entries);
    memmove(entry, entry + 1, (list->count - at - 1) * sizeof *entry);
    list->count--;
    node->links--;
    memory_node_drop(node);
}

/* Goes one step down or up. */
static int step(struct memory_node *root, struct memory_node **at,
    const char *name, size_t size)
{
    if (!(*at)->is_directory)
        return -ENOTDIR;
    if (size > 255)
        return -ENAMETOOLONG;
    if (size == 1 && name[0] == '.')
        return 0;
    if (size == 2 && name[0] == '.' && name[1] == '.') {
        *at = *at == root ? root : (*at)->parent;
        return 0;
    }
    struct memory_entry *entry = memory_entry_find(*at, name, size);
    if (!entry)
        return -ENOENT;
    *at = entry->node;
    return 0;
}

static int look_up_part(struct memory_node *root, struct memory_node *start,
    const char *path, const char *end, struct memory_node **found)
{
    struct memory_node *at = path < end && *path == '/' ? root : start;
    while (path < end) {
        size_t size = 0;
        while (path + size < end && path[size] != '/')
            size++;
        int result = size ? step(root, &at, path, size) : 0;
        if (result)
            return result;
        path += size + (path + size < end);
    }
    *found = at;
    return 0;
}

int memory_look_up(struct memory_node *root, struct memory_node *start,
    const char *path, struct memory_node **found)
{
    size_t size = strlen(path);
    if (!size)
        return -ENOENT;
    int result = look_up_part(root, start, path, path + size, found);
    if (!result && path[size - 1] == '/' && !(*found)->is_directory)
        return -ENOTDIR;
    return result;
}

int memory_look_up_parent(struct memory_node *root, struct memory_node *start,
    const char *path, struct memory_node **parent, char name[256])
{
    const char *slash = strrchr(path, '/');
    const char *last = slash ? slash + 1 : path;
    int result = look_up_part(root, start, path, last, parent);
    if (result)
        return result;
    if (!(*parent)->is_directory)
        return -ENOTDIR;
    if (!*last)
        return -ENOENT;
    if (strlen(last) > 255)
        return -ENAMETOOLONG;
    snprintf(name, 256, "%s", last);
    return 0;
}

static void copy_file(struct memory_node *to, const struct memory_node *from,
    bool keep_content)
{
    memory_node_resize(to, from->size);
    if (keep_content) {
        if (from->size)
            memcpy(to->bytes, from->bytes, from->size);
    } else if (from->synced_size) {
        memory_node_resize(to, from->size > from->synced_size ?
            from->size : from->synced_size);
        memcpy(to->bytes, from->synced_bytes, from->synced_size);
    }
}

size_t memory_copy_after_cut(struct memory_node *to,
    const struct memory_node *from, bool keep_names, bool keep_content)
{
    const struct memory_list *list =
        keep_names ? &from->list : &from->synced_list;
    size_t total = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct memory_node *old = list->entries[i].node;
        struct memory_node *node = memory_node_new(old->is_directory);
        memory_entry_add(to, list->entries[i].name, node);
        if (old->is_directory)
            total += memory_copy_after_cut(
                node, old, keep_names, keep_content);
        else
            copy_file(node, old, keep_content);
        total += node->size;
        memory_node_sync(node);
    }
    memory_node_sync(to);
    return total;
}
