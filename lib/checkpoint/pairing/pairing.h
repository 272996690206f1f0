/* pairing.h - Combines all data about the bindings between nodes of the program
 * and of the file. Each part can be used separately.
 *
 * A pairing has access to the graph and the index, but not to any bytes of
 * values. It does not store the states of values. The folder `matching` finds
 * the pairs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PAIRING_H
#define VV_PAIRING_H

#include <string.h>

#include "graph.h"
#include "index.h"
#include "matches.h"
#include "name.h"
#include "saved_graph.h"
#include "scope.h"
#include "selection.h"
#include "slice.h"
#include "variable.h"
#include "visited_paths.h"

/* --- Names in the file ---------------------------------------------------- */

/* Looks up names of the program in the file, as name numbers and as edges. */

struct vv_saved_names {
    /* own */
    const varve_allocator *allocator;
    const varve_graph *graph;
    const struct vv_index *index;
    uint32_t *ids; /* by number of a name in the program: 0 if not looked up
                      yet, VV_NONE if not in the file, else its number in the
                      file plus 1 */
    size_t capacity;
    uint32_t next_edge; /* edge of the file after the last one found */
};

/* `index` may still be empty, and must not move. No function may be called
 * after the graph of the names is freed. */
void vv_saved_names_init(struct vv_saved_names *names,
    const varve_allocator *allocator, const varve_graph *graph,
    const struct vv_index *index);

/* Clears the table. Called when numbers of names of the program have changed.
 */
void vv_saved_names_clear(struct vv_saved_names *names);

/* Returns the number of a name in the file, or VV_NONE. */
uint32_t vv_find_in_file(
    const struct vv_saved_names *names, const struct vv_name *name);

/* Does the same, and stores the result for the next call. */
uint32_t vv_name_in_file(
    struct vv_saved_names *names, const struct vv_name *name);

/* Implements vv_child_in_file by binary search. */
uint32_t vv_search_child_in_file(
    struct vv_saved_names *names, uint32_t file, const struct vv_name *name);

/* Returns the node that an edge with that name leads to from a node of the
 * file, or VV_NONE. Tries the edge after the last one found first, or the first
 * one. Program and file mostly have the same names in the same order. */
static inline uint32_t vv_child_in_file(
    struct vv_saved_names *names, uint32_t file, const struct vv_name *name)
{
    const struct vv_index *index = names->index;
    uint32_t begin, end, edge = names->next_edge;
    size_t size;
    vv_index_edges(index, file, &begin, &end);
    if (edge < begin || edge >= end)
        edge = begin;
    if (edge == end)
        return VV_NONE;
    const char *bytes =
        vv_index_name(index, vv_at32(index->edge_names, edge), &size);
    if (size != name->size || memcmp(bytes, name->bytes, size) != 0)
        return vv_search_child_in_file(names, file, name);
    names->next_edge = edge + 1;
    return vv_at32(index->edge_children, edge);
}

/* --- The pairing ---------------------------------------------------------- */

struct vv_pairing {
    /* to read */
    struct vv_context context;
    varve_graph *graph; /* NULL after it is freed */
    struct vv_saved_graph saved;
    struct vv_saved_names names;
    struct vv_matches matches;
    struct vv_visited_paths ways;
    struct vv_scopes scopes;

    /* to fill in: by the code that connects the pairing with values */
    varve_node *root; /* NULL after it is freed */
    uint64_t number;  /* number of the observer of the graph */
    struct vv_selection selection;
    bool is_dry;         /* dry run: nodes are not offered children */
    bool is_by_label;    /* paths are looked up among the global names of any
                            file */
    varve_error failure; /* why matching is incomplete and must be repeated;
                            VARVE_OK: it is complete */
};

/* Initializes a pairing for the program below `root`. `parsed` may still be
 * empty. Neither `parsed` nor the pairing may move. */
void vv_pairing_init(struct vv_pairing *pairing, varve_node *root,
    const struct vv_parsed_index *parsed);

/* Copies the options, and sets in the context how files are opened. */
varve_status vv_pairing_select(struct vv_pairing *pairing,
    const varve_read_options *options, varve_error *error);

/* Allocates the tables for the index and the options, which must be complete
 * now. `where` is the prefix of error messages. Returns VARVE_NOT_FOUND if the
 * file does not have the subtree. */
varve_status vv_pairing_begin(
    struct vv_pairing *pairing, const char *where, varve_error *error);

/* Also called after a failed vv_pairing_begin. */
void vv_pairing_end(struct vv_pairing *pairing);

/* Marks the names that are in use, and clears their numbers. Returns how many
 * are in use. */
size_t vv_pairing_keep_names(struct vv_pairing *pairing);

/* Removes all references to a graph that is being freed. */
void vv_pairing_forget_graph(struct vv_pairing *pairing);

/* Asserts that the tables agree with each other. Skips large files and
 * programs. */
void vv_pairing_check(const struct vv_pairing *pairing);

/* Returns true if matching has reached the node. */
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

/* Returns the value of a node of the file, or VV_NONE. */
static inline uint32_t vv_value_of(
    const struct vv_pairing *pairing, uint32_t file)
{
    return vv_saved_value(&pairing->saved, file);
}

/* Returns the type and shape of a value of the file. */
static inline varve_tensor vv_saved(
    const struct vv_pairing *pairing, uint32_t value)
{
    const struct vv_parsed_index *parsed = pairing->saved.parsed;
    return vv_index_tensor(&parsed->index, &parsed->table, value);
}

/* Returns true if a value of the file is only a part of a larger one. Sets
 * *part to that part unless `part` is NULL. */
static inline bool vv_saved_part(
    const struct vv_pairing *pairing, uint32_t value, varve_slice *part)
{
    const struct vv_parsed_index *parsed = pairing->saved.parsed;
    return vv_index_part(&parsed->index, &parsed->table, value, part);
}

/* Returns true if a node is a variable with the type and shape of a value, and
 * not a part of a larger one. This holds for nearly all nodes. */
static inline bool vv_is_alike(
    const struct vv_pairing *pairing, const varve_node *node, uint32_t value)
{
    const struct vv_parsed_index *parsed = pairing->saved.parsed;
    return node->variable && !vv_part_of(node) &&
           vv_index_is_like(
               &parsed->index, &parsed->table, value, &node->variable->tensor);
}

#endif
