/* matches.h - Stores which nodes of the program are bound to which nodes of the
 * file, in one table for each side. The tables agree with each other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MATCHES_H
#define VV_MATCHES_H

#include "buffer.h"
#include "graph.h"
#include "index.h"

/* --- Lists of pairs ------------------------------------------------------- */

/* Lists of pairs in the order in which they were added, with fast removal by
 * node of the program and fast lookup by node of the file.
 *
 * Indexes are allocated by the first search in a long list. They are updated by
 * each search, which adds the pairs that are new. A removed pair leaves a hole,
 * which has no node. Holes are closed when they are half of the list. If there
 * is no memory for an index, the search is linear. */

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
static inline bool vv_append_pair_to(
    struct vv_buffer *buffer, varve_node *node, uint32_t file)
{
    struct vv_pair *pair = vv_buffer_extend(buffer, sizeof *pair);
    if (pair)
        *pair = (struct vv_pair){ node, file };
    else
        buffer->failed = false;
    return pair;
}
static inline bool vv_append_pair(
    struct vv_pair_list *list, varve_node *node, uint32_t file)
{
    return vv_append_pair_to(&list->pairs, node, file);
}

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

/* --- Bindings ------------------------------------------------------------- */

/* A link in the list of the nodes of the file that an object of the program is
 * bound to, in the order in which they were bound. */
struct vv_link {
    uint32_t next; /* next node plus 1; 0: none */
    uint32_t last; /* in the first link: last node plus 1; 0: the first is
                      the last */
};

/* The kind of match between a node of the program and a node of the file. */
enum vv_match_rank {
    VV_BY_PATH,
    VV_BY_RENAME,     /* receives a copy if another node has the value */
    VV_BY_OTHER_PATH, /* a path other than the first one in the file; the
                         first path has priority over this one and those
                         below */
    VV_BY_ALIAS,      /* any path has priority over an alias */
    VV_BY_GLOBAL_NAME
};

struct vv_matches {
    /* to read */
    varve_node **node_of; /* by node of the file: its holder, or NULL */
    size_t capacity;      /* number of nodes of the program that the tables
                             have room for */
    struct vv_pair_list claims; /* claims of nodes to a node of the file that
                                   has another holder; such a node is bound
                                   as well, unless it is bound elsewhere, so
                                   that the nodes below it are matched */

    /* to fill in */
    bool *is_past; /* by node of the file: the program has removed the node
                      bound to it, or has dropped all values below it; it is
                      no longer offered to nodes that make children on demand */

    /* own */
    const varve_allocator *allocator;
    uint32_t node_count;   /* number of nodes of the file */
    uint32_t *file_of;     /* by number of a node of the program: the node of
                              the file that it is bound to, plus 1 */
    struct vv_link *links; /* by node of the file; allocated when an object
                              is bound to several nodes of the file */
    uint8_t *hows; /* by number of a node of the program: enum vv_match_rank */
    size_t how_capacity;
};

void vv_matches_init(
    struct vv_matches *matches, const varve_allocator *allocator);

/* Allocates the tables for a file with `node_count` nodes. Returns false if out
 * of memory. */
bool vv_matches_begin(struct vv_matches *matches, uint32_t node_count);
void vv_matches_end(struct vv_matches *matches);

/* Removes all bindings. Called when the graph is freed. */
void vv_matches_forget(struct vv_matches *matches);

/* --- Queries ------------------------------------------------------------ */

/* Returns the node of the file that a node of the program, or the node with a
 * number, holds or claims, or VV_NONE. */
static inline uint32_t vv_file_node_at(
    const struct vv_matches *matches, uint32_t number)
{
    if (number >= matches->capacity)
        return VV_NONE;
    return matches->file_of[number] - 1; /* 0 becomes VV_NONE */
}

static inline uint32_t vv_file_node_of(
    const struct vv_matches *matches, const varve_node *node)
{
    return vv_file_node_at(matches, node->number);
}

/* Returns true if the node is the holder of a node of the file: the one of all
 * its claimants that receives the value. */
static inline bool vv_is_holder(
    const struct vv_matches *matches, const varve_node *node, uint32_t file)
{
    return file != VV_NONE && matches->node_of[file] == node;
}

/* Returns true if the node is bound to a node of the file, as its holder or a
 * claimant. */
static inline bool vv_is_bound_or_claims(
    const struct vv_matches *matches, const varve_node *node, uint32_t file)
{
    return vv_is_holder(matches, node, file) ||
           vv_file_node_of(matches, node) == file;
}

/* Returns true if the node claims a node of the file that another node holds.
 */
static inline bool vv_is_claimant(
    const struct vv_matches *matches, const varve_node *node)
{
    uint32_t file = vv_file_node_of(matches, node);
    return file != VV_NONE && matches->node_of[file] != node;
}

/* Returns the rank of the match of a node. */
static inline enum vv_match_rank vv_how_of(
    const struct vv_matches *matches, const varve_node *node)
{
    return node->number < matches->how_capacity
               ? (enum vv_match_rank)matches->hows[node->number]
               : VV_BY_PATH;
}

/* Returns the next node of the file that the same object holds, or VV_NONE at
 * the end. */
static inline uint32_t vv_next_partner(
    const struct vv_matches *matches, const varve_node *node, uint32_t file)
{
    bool may_have = matches->links && vv_is_holder(matches, node, file);
    /* a `next` of 0 becomes VV_NONE */
    return may_have ? matches->links[file].next - 1 : VV_NONE;
}

/* --- Changes -------------------------------------------------------------- */

/* Makes room for nodes with numbers below `wanted`. Returns false if out of
 * memory. */
bool vv_matches_grow(struct vv_matches *matches, size_t wanted);

/* Sets the holder of a node of the file; NULL: it has none. */
static inline void vv_set_holder(
    struct vv_matches *matches, uint32_t file, varve_node *node)
{
    matches->node_of[file] = node;
}

/* Implements vv_set_how for a rank other than VV_BY_PATH, or if the table
 * exists. */
bool vv_change_how(
    struct vv_matches *matches, const varve_node *node, enum vv_match_rank how);

/* Changes the rank of the match of a node. Returns false if out of memory. The
 * table of ranks is allocated only when a rank other than VV_BY_PATH is set.
 * Most restorations need none. */
static inline bool vv_set_how(
    struct vv_matches *matches, const varve_node *node, enum vv_match_rank how)
{
    return (how == VV_BY_PATH && !matches->hows) ||
           vv_change_how(matches, node, how);
}

/* Binds a node to one node of the file, and to no other. Returns false if there
 * is no memory to store the rank. */
static inline bool vv_matches_bind(struct vv_matches *matches,
    const varve_node *node, uint32_t file, enum vv_match_rank how)
{
    matches->file_of[node->number] = file + 1;
    return vv_set_how(matches, node, how);
}

/* Binds an object to a further node of the file. `first` is the first node that
 * it is bound to. Returns false if out of memory. */
bool vv_add_partner(struct vv_matches *matches, uint32_t first, uint32_t file);

/* Removes all bindings of a node. */
void vv_let_go(struct vv_matches *matches, const varve_node *node);

/* Adds a claim. Returns false if out of memory. */
bool vv_add_claim(struct vv_matches *matches, varve_node *node, uint32_t file);

/* Unbinds all nodes that claim a node of the file with another holder. */
void vv_forget_claims(struct vv_matches *matches, varve_graph *graph);

#endif
