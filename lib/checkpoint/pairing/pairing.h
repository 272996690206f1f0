/* pairing.h - which node of the program stands for which node of the file: what
 * is known of it, in machines that each can be had alone.
 *
 * It knows the graph and an index, no bytes, and nothing of what becomes of
 * values. Who finds the pairs is in the room `matching`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PAIRING_H
#define VV_PAIRING_H

#include "graph.h"
#include "matches.h"
#include "saved_graph.h"
#include "saved_names.h"
#include "scope.h"
#include "selection.h"
#include "slice.h"
#include "variable.h"
#include "visited_paths.h"

struct vv_pairing {
    /* to read */
    struct vv_context context;
    varve_graph *graph; /* NULL once it is freed */
    struct vv_saved_graph saved;
    struct vv_saved_names names;
    struct vv_matches matches;
    struct vv_visited_paths ways;
    struct vv_scopes scopes;

    /* to fill in: by who joins it with values */
    varve_node *root; /* NULL once it is freed */
    uint64_t number;  /* of the graph's observer */
    struct vv_selection selection;
    bool is_dry;         /* a plan: nodes are not asked for children */
    bool is_by_label;    /* paths are searched for among the global names of any
                            file */
    varve_error failure; /* why not all was matched that has to be, again;
                            VARVE_OK: all was */
};

/* Empty, for the program at a root. `parsed` may still be empty, and stays
 * where it is, as the pairing does. */
void vv_pairing_init(struct vv_pairing *pairing, varve_node *root,
    const struct vv_parsed_index *parsed);

/* What the options select, and how the file is read that they are for. */
varve_status vv_pairing_select(struct vv_pairing *pairing,
    const varve_read_options *options, varve_error *error);

/* Tables for the index and the selection, which are there now. `where` is for
 * messages. VARVE_NOT_FOUND where the file has no such subtree. */
varve_status vv_pairing_begin(
    struct vv_pairing *pairing, const char *where, varve_error *error);

/* Also after a beginning that failed. */
void vv_pairing_end(struct vv_pairing *pairing);

/* Keeps the names that it has, and forgets their numbers; how many it has. */
size_t vv_pairing_keep_names(struct vv_pairing *pairing);

/* Forgets a program that is gone. */
void vv_pairing_forget_graph(struct vv_pairing *pairing);

/* Asserts that the tables agree with each other, of a file and a program that
 * are small. */
void vv_pairing_check(const struct vv_pairing *pairing);

/* Whether matching has come to the node at all. */
static inline bool vv_is_known(
    const struct vv_pairing *pairing, const varve_node *node)
{
    return vv_file_node_of(&pairing->matches, node) != VV_NONE ||
           vv_visited_paths_is_visited(&pairing->ways, node);
}

static inline const struct vv_index *vv_index_of(
    const struct vv_pairing *pairing)
{
    return &pairing->saved.parsed->index;
}

/* The value of a node of the file, or VV_NONE. */
static inline uint32_t vv_value_of(
    const struct vv_pairing *pairing, uint32_t file)
{
    return vv_saved_value(&pairing->saved, file);
}

/* Type and shape of a value of the file. */
static inline varve_tensor vv_saved(
    const struct vv_pairing *pairing, uint32_t value)
{
    const struct vv_parsed_index *parsed = pairing->saved.parsed;
    return vv_index_tensor(&parsed->index, &parsed->table, value);
}

/* Whether a value of the file is a part of one, of which the rest is not there;
 * `part`, unless it is NULL, says of which. */
static inline bool vv_saved_part(
    const struct vv_pairing *pairing, uint32_t value, varve_slice *part)
{
    const struct vv_parsed_index *parsed = pairing->saved.parsed;
    return vv_index_part(&parsed->index, &parsed->table, value, part);
}

/* Whether a node is a variable of the type and shape of a value, and no part of
 * another: nearly all are. */
static inline bool vv_is_alike(
    const struct vv_pairing *pairing, const varve_node *node, uint32_t value)
{
    const struct vv_parsed_index *parsed = pairing->saved.parsed;
    return node->variable && !vv_part_of(node) &&
           vv_index_is_like(
               &parsed->index, &parsed->table, value, &node->variable->tensor);
}

#endif
