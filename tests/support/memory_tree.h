/* memory_tree.h - Declares the files and directories of a memory system, in
 * their current and their synced state.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_MEMORY_TREE_H
#define SUPPORT_MEMORY_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct memory_node;

struct memory_entry {
    char name[256];
    struct memory_node *node;
};

struct memory_list {
    struct memory_entry *entries;
    size_t count;
};

struct memory_node {
    bool is_directory;
    int links; /* number of current directory entries */
    int kept;  /* number of synced directory entries */
    int opens; /* descriptors */

    unsigned char *bytes; /* for a file */
    size_t size, capacity;
    int64_t modified;
    unsigned char *synced_bytes;
    size_t synced_size;

    struct memory_list list; /* for a directory */
    struct memory_list synced_list;
    struct memory_node *parent;
};

/* A node is freed when no name or descriptor refers to it. */
struct memory_node *memory_node_new(bool is_directory);
void memory_node_drop(struct memory_node *node);

/* Frees a directory with its content, regardless of references. */
void memory_node_free_all(struct memory_node *root);

/* Extends a file with zeros or truncates it. */
void memory_node_resize(struct memory_node *file, size_t size);

/* Records the present state of a file or directory as synced. */
void memory_node_sync(struct memory_node *node);

/* Returns the entry of a name in a directory, or NULL. */
struct memory_entry *memory_entry_find(
    struct memory_node *directory, const char *name, size_t size);
void memory_entry_add(struct memory_node *directory, const char *name,
    struct memory_node *node);
void memory_entry_remove(struct memory_node *directory, const char *name);

/* Returns 0 or a negative errno. */
int memory_look_up(struct memory_node *root, struct memory_node *start,
    const char *path, struct memory_node **found);

/* The same for the parent. The last part of the path is copied to `name`. */
int memory_look_up_parent(struct memory_node *root, struct memory_node *start,
    const char *path, struct memory_node **parent, char name[256]);

/* Fills an empty directory with the state of another one after a power failure.
 * Returns the number of bytes. */
size_t memory_copy_after_cut(struct memory_node *to,
    const struct memory_node *from, bool keep_names, bool keep_content);

#endif
