/* pair_list.h - Lists of pairs in the order in which they were added, with fast
 * removal by node of the program and fast lookup by node of the file.
 *
 * Indexes are allocated by the first search in a long list. They are updated by
 * each search, which adds the pairs that are new. A removed pair leaves a hole,
 * which has no node. Holes are closed when they are half of the list. If there
 * is no memory for an index, the search is linear.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PAIR_LIST_H
#define VV_PAIR_LIST_H

#include "buffer.h"
#include "graph.h"

/* A node of the program and a node or value of the file. */
struct vv_pair {
    /* to fill in */
    varve_node *node;
    uint32_t file; /* a node of the file; in lists of jobs a value */
};

/* One entry of the index. `first` and `last` belong to the bucket of this
 * number, `next` to the pair of this number. They are numbers of pairs plus 1;
 * 0: none. */
struct vv_pair_place {
    uint32_t first;
    uint32_t last;
    uint32_t next;
};

struct vv_pair_index {
    struct vv_pair_place *places; /* NULL: none */
    size_t capacity;
    size_t count; /* number of indexed pairs */
};

struct vv_pair_list {
    /* to fill in: append only; use vv_pairs to read */
    struct vv_buffer pairs;
    bool keeps_places; /* holes are not closed; the list is emptied instead */

    /* own */
    size_t holes;
    size_t first; /* position after the holes at the start */
    struct vv_pair_index by_node;
    struct vv_pair_index by_file;
};

void vv_pair_list_init(
    struct vv_pair_list *list, const varve_allocator *allocator);
void vv_pair_list_clear(struct vv_pair_list *list);

/* Adds a pair at the end of a list, or of a buffer of pairs. Returns false if
 * out of memory; then the list is unchanged and can be added to later. */
bool vv_append_pair(struct vv_pair_list *list, varve_node *node, uint32_t file);
bool vv_append_pair_to(
    struct vv_buffer *buffer, varve_node *node, uint32_t file);

/* Closes the holes and frees the indexes. */
void vv_settle_pairs(struct vv_pair_list *list);

void vv_empty_pairs(struct vv_pair_list *list);

/* Returns the pairs in a buffer. */
static inline struct vv_pair *vv_pairs_in(
    const struct vv_buffer *buffer, size_t *count)
{
    *count = buffer->size / sizeof(struct vv_pair);
    return (struct vv_pair *)(void *)buffer->data;
}

/* Returns all pairs of a list after closing its holes. The caller may move them
 * and cut the list. */
static inline struct vv_pair *vv_pairs(struct vv_pair_list *list, size_t *count)
{
    vv_settle_pairs(list);
    return vv_pairs_in(&list->pairs, count);
}

/* Keeps the first `count` pairs of a list without holes. */
static inline void vv_cut_pairs(struct vv_pair_list *list, size_t count)
{
    list->pairs.size = count * sizeof(struct vv_pair);
}

/* Returns true if the list contains such a pair. The search is linear. */
bool vv_has_pair(
    const struct vv_pair_list *list, const varve_node *node, uint32_t file);

/* Returns the number plus 1 of the next pair after `after` (0: from the start)
 * with this node (NULL: any) and this file (VV_NONE: any), or 0. One of the two
 * must be given. Numbers stay valid while pairs are only added. */
size_t vv_find_pair(struct vv_pair_list *list, const varve_node *node,
    uint32_t file, size_t after);

/* Removes the first pair. Returns false if there is none. */
bool vv_take_pair(struct vv_pair_list *list, struct vv_pair *pair);

/* Removes all pairs of a node. */
void vv_drop_pairs(struct vv_pair_list *list, const varve_node *node);

#endif
