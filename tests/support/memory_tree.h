/* memory_tree.h - the files and directories of a memory system, as they are and
 * as they were last synced.
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
    int links; /* entries in directories as they are */
    int kept;  /* entries in directories as they were synced */
    int opens; /* descriptors */

    unsigned char *bytes; /* of a file */
    size_t size, capacity;
    int64_t modified;
    unsigned char *synced_bytes;
    size_t synced_size;

    struct memory_list list; /* of a directory */
    struct memory_list synced_list;
    struct memory_node *parent;
};

/* Freed once nothing names or holds it. */
struct memory_node *memory_node_new(bool is_directory);
void memory_node_drop(struct memory_node *node);

/* Frees a directory with all that is in it, whoever holds it. */
void memory_node_free_all(struct memory_node *root);

/* Grows (with zeros) or cuts a file. */
void memory_node_resize(struct memory_node *file, size_t size);

/* Remembers a file or directory as it is now. */
void memory_node_sync(struct memory_node *node);

/* One name in a directory; NULL if it is not there. */
struct memory_entry *memory_entry_find(
    struct memory_node *directory, const char *name, size_t size);
void memory_entry_add(struct memory_node *directory, const char *name,
    struct memory_node *node);
void memory_entry_remove(struct memory_node *directory, const char *name);

/* 0 or a negative errno. */
int memory_look_up(struct memory_node *root, struct memory_node *start,
    const char *path, struct memory_node **found);

/* The same for all but the last part, which is copied to `name`. */
int memory_look_up_parent(struct memory_node *root, struct memory_node *start,
    const char *path, struct memory_node **parent, char name[256]);

/* Fills an empty directory with what a power cut leaves of another; how many
 * bytes that is. */
size_t memory_copy_after_cut(struct memory_node *to,
    const struct memory_node *from, bool keep_names, bool keep_content);

#endif
