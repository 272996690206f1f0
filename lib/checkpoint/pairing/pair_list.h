/* pair_list.h - pairs in the order in which they were added, of which those of
 * one node are taken out, or those of one node of the file are found, without
 * looking at all of them.
 *
 * Nothing but the pairs takes memory until somebody looks for one in a list
 * that is long. An index knows the pairs that were there when it was last
 * asked, and takes in those that were added since. A pair that is taken out
 * leaves a hole, which has no node; where half of a list is holes, they are
 * closed. Without memory for an index all pairs are looked at.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PAIR_LIST_H
#define VV_PAIR_LIST_H

#include "buffer.h"
#include "graph.h"

/* A node of the program and a value or node of the file. */
struct vv_pair {
    /* to fill in */
    varve_node *node;
    uint32_t file; /* a node of the file; in jobs, a value */
};

/* What an index knows by the same number: of a bucket, which pairs are in it;
 * of a pair, which is next in its bucket. Numbers of pairs plus 1; 0: none. */
struct vv_pair_place {
    uint32_t first;
    uint32_t last;
    uint32_t next;
};

struct vv_pair_index {
    struct vv_pair_place *places; /* NULL: none */
    size_t capacity;
    size_t count; /* of the pairs that it knows */
};

struct vv_pair_list {
    /* to fill in: at its end; what is there is reached by vv_pairs */
    struct vv_buffer pairs;
    bool keeps_places; /* holes are closed by nobody; it is emptied */

    /* own */
    size_t holes;
    size_t first; /* behind the holes that it begins with */
    struct vv_pair_index by_node;
    struct vv_pair_index by_file;
};

void vv_pair_list_init(
    struct vv_pair_list *list, const varve_allocator *allocator);
void vv_pair_list_clear(struct vv_pair_list *list);

/* Adds a pair at the end of a list, or of a buffer of pairs; false without
 * memory: nothing is added then, and the next may find room. */
bool vv_append_pair(struct vv_pair_list *list, varve_node *node, uint32_t file);
bool vv_append_pair_to(
    struct vv_buffer *buffer, varve_node *node, uint32_t file);

/* Closes the holes, and gives back what the indexes took. */
void vv_settle_pairs(struct vv_pair_list *list);

void vv_empty_pairs(struct vv_pair_list *list);

/* The pairs in a buffer. */
static inline struct vv_pair *vv_pairs_in(
    const struct vv_buffer *buffer, size_t *count)
{
    *count = buffer->size / sizeof(struct vv_pair);
    return (struct vv_pair *)(void *)buffer->data;
}

/* All pairs of a list, without holes: to be looked at, moved and cut. */
static inline struct vv_pair *vv_pairs(struct vv_pair_list *list, size_t *count)
{
    vv_settle_pairs(list);
    return vv_pairs_in(&list->pairs, count);
}

/* Keeps the first so many pairs of a list without holes. */
static inline void vv_cut_pairs(struct vv_pair_list *list, size_t count)
{
    list->pairs.size = count * sizeof(struct vv_pair);
}

/* Whether there is such a pair; all are looked at. */
bool vv_has_pair(
    const struct vv_pair_list *list, const varve_node *node, uint32_t file);

/* The next pair behind one that was found (0: from the first on) with this node
 * (NULL: any) and this file (VV_NONE: any; one is given); its number plus 1, or
 * 0. It stays as long as the list is only added to. */
size_t vv_find_pair(struct vv_pair_list *list, const varve_node *node,
    uint32_t file, size_t after);

/* Takes the first pair out; false where there is none. */
bool vv_take_pair(struct vv_pair_list *list, struct vv_pair *pair);

/* Takes the pairs with this node out. */
void vv_drop_pairs(struct vv_pair_list *list, const varve_node *node);

#endif
