/* matches.h - who stands for whom: tables by node of the file and by node of
 * the program, which agree with each other.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MATCHES_H
#define VV_MATCHES_H

#include "graph.h"
#include "index.h"
#include "pair_list.h"

/* The nodes of the file that an object of the program stands for, in the order
 * in which they were bound. */
struct vv_link {
    uint32_t next; /* plus 1; 0: none */
    uint32_t last; /* of the first one: plus 1; 0: itself */
};

/* How a node of the program has come to its node of the file, or claims it. */
enum vv_match_rank {
    VV_BY_PATH,
    VV_BY_RENAME,     /* asks for a value even if another node has it */
    VV_BY_OTHER_PATH, /* not the one that the file names first: here and below,
                         a node of that one goes first */
    VV_BY_ALIAS,      /* so does one of any path */
    VV_BY_GLOBAL_NAME
};

struct vv_matches {
    /* to read */
    varve_node **node_of; /* by node of the file: who holds it; NULL: nobody */
    size_t capacity;      /* nodes of the program that there is room for */
    struct vv_pair_list claims; /* to what another has; such a node stands for
                                   its node of the file too, so that what is
                                   below it is matched, unless it has another */

    /* to fill in */
    bool *is_past; /* by node of the file: the program had a node for it and
                      has removed that, or all values below it were given up;
                      it is not offered to nodes that make children on demand */

    /* own */
    const varve_allocator *allocator;
    uint32_t node_count;   /* of the file */
    uint32_t *file_of;     /* by number of a node of the program: what it stands
                              for, plus 1 */
    struct vv_link *links; /* by node of the file, once an object of the program
                              stands for several of them */
    uint8_t *hows; /* by number of a node of the program: vv_match_rank */
    size_t how_capacity;
};

void vv_matches_init(
    struct vv_matches *matches, const varve_allocator *allocator);

/* For a file of so many nodes; false without memory. */
bool vv_matches_begin(struct vv_matches *matches, uint32_t node_count);
void vv_matches_end(struct vv_matches *matches);

/* Forgets a program that is gone. */
void vv_matches_forget(struct vv_matches *matches);

/* --- Who it is --------------------------------------------------------------
 */

/* The node of the file that a node of the program, or that of a number, holds
 * or claims, or VV_NONE. */
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

/* Whether it is that of the program's nodes that claim it which has it. */
static inline bool vv_is_holder(
    const struct vv_matches *matches, const varve_node *node, uint32_t file)
{
    return file != VV_NONE && matches->node_of[file] == node;
}

/* Whether it is one of them. */
bool vv_stands_for(
    const struct vv_matches *matches, const varve_node *node, uint32_t file);

/* Whether it stands for what another holds. */
bool vv_is_claimant(const struct vv_matches *matches, const varve_node *node);

enum vv_match_rank vv_how_of(
    const struct vv_matches *matches, const varve_node *node);

/* The next file node after that: an object that holds them may stand for
 * several. VV_NONE at the end. */
uint32_t vv_next_partner(
    const struct vv_matches *matches, const varve_node *node, uint32_t file);

/* --- Changes ----------------------------------------------------------------
 */

/* Room for nodes with numbers below that; false without memory. */
bool vv_matches_grow(struct vv_matches *matches, size_t wanted);

/* From now on a node holds one of the file, or nobody does (NULL). */
void vv_set_holder(struct vv_matches *matches, uint32_t file, varve_node *node);

/* From now on it stands for that, and for nothing else. False without memory
 * to note how. */
bool vv_matches_bind(struct vv_matches *matches, const varve_node *node,
    uint32_t file, enum vv_match_rank how);
bool vv_set_how(
    struct vv_matches *matches, const varve_node *node, enum vv_match_rank how);

/* Adds to what an object stands for; `first` is what that was first. False
 * without memory. */
bool vv_add_partner(struct vv_matches *matches, uint32_t first, uint32_t file);

/* A node stands for nothing any more, whatever it stood for. */
void vv_let_go(struct vv_matches *matches, const varve_node *node);

/* Notes a claim; false without memory. */
bool vv_add_claim(struct vv_matches *matches, varve_node *node, uint32_t file);

/* Lets go of all nodes that claim what others hold. */
void vv_forget_claims(struct vv_matches *matches, varve_graph *graph);

#endif
