/* pairing.c - Sets up and frees the parts of a pairing, and checks its
 * invariants.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pairing.h"

#include <assert.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "try.h"

/* --- Names in the file ---------------------------------------------------- */

void vv_saved_names_init(struct vv_saved_names *names,
    const varve_allocator *allocator, const varve_graph *graph,
    const struct vv_index *index)
{
    *names = (struct vv_saved_names){
        .allocator = allocator,
        .graph = graph,
        .index = index,
    };
}

void vv_saved_names_clear(struct vv_saved_names *names)
{
    vv_release(
        names->allocator, names->ids, names->capacity * sizeof *names->ids);
    names->ids = NULL;
    names->capacity = 0; /* otherwise it would grow with every name that ever
                            existed */
}

uint32_t vv_find_in_file(
    const struct vv_saved_names *names, const struct vv_name *name)
{
    uint32_t id = name->number < names->capacity ? names->ids[name->number] : 0;
    if (id == 0)
        return vv_index_find_name(names->index, name->bytes, name->size);
    return id == VV_NONE ? VV_NONE : id - 1;
}

uint32_t vv_name_in_file(
    struct vv_saved_names *names, const struct vv_name *name)
{
    if (name->number >= names->capacity &&
        !vv_grow_zeroed(names->allocator, &names->ids, &names->capacity,
            names->graph->names.set.count * 3 / 2 + 16, sizeof *names->ids))
        return vv_index_find_name(names->index, name->bytes, name->size);
    uint32_t *id = &names->ids[name->number];
    if (*id == 0) {
        uint32_t found =
            vv_index_find_name(names->index, name->bytes, name->size);
        *id = found == VV_NONE ? VV_NONE : found + 1;
    }
    return *id == VV_NONE ? VV_NONE : *id - 1;
}

uint32_t vv_search_child_in_file(
    struct vv_saved_names *names, uint32_t file, const struct vv_name *name)
{
    uint32_t edge =
        vv_index_find_edge_called(names->index, file, name->bytes, name->size);
    if (edge == VV_NONE)
        return VV_NONE;
    names->next_edge = edge + 1;
    return vv_at32(names->index->edge_children, edge);
}

/* --- The pairing ---------------------------------------------------------- */

void vv_pairing_init(struct vv_pairing *p, varve_node *root,
    const struct vv_parsed_index *parsed)
{
    p->context = root->graph->context;
    p->graph = root->graph;
    p->root = root;
    p->selection.allocator = &p->context.allocator;
    vv_saved_graph_init(&p->saved, &p->context.allocator, parsed);
    vv_saved_names_init(
        &p->names, &p->context.allocator, p->graph, &parsed->index);
    vv_matches_init(&p->matches, &p->context.allocator);
    vv_visited_paths_init(&p->ways, root, &p->selection, &p->saved);
    vv_scopes_init(&p->scopes, &p->selection);
}

varve_status vv_pairing_select(
    struct vv_pairing *p, const varve_read_options *options, varve_error *error)
{
    VV_TRY(vv_selection_begin(&p->selection, &p->context, options, error));
    vv_choose_opening(&p->context, &p->selection.options);
    return VARVE_OK;
}

varve_status vv_pairing_begin(
    struct vv_pairing *p, const char *where, varve_error *error)
{
    if (!vv_matches_begin(&p->matches, vv_index_of(p)->node_count))
        return vv_fail_memory(error, "a restoration");
    return vv_saved_graph_begin(
        &p->saved, p->selection.options.subtree, where, error);
}

void vv_pairing_end(struct vv_pairing *p)
{
    vv_matches_end(&p->matches);
    vv_visited_paths_end(&p->ways);
    vv_saved_names_clear(&p->names);
    vv_scopes_end(&p->scopes);
    vv_saved_graph_end(&p->saved);
    vv_selection_end(&p->selection);
}

size_t vv_pairing_keep_names(struct vv_pairing *p)
{
    vv_saved_names_clear(&p->names);
    return vv_visited_paths_keep_names(&p->ways);
}

void vv_pairing_forget_graph(struct vv_pairing *p)
{
    p->graph = NULL;
    p->root = NULL;
    vv_matches_forget(&p->matches);
}

/* --- Invariants --------------------------------------------------------- */

#ifndef NDEBUG
enum {
    MOST_CHECKED = 256
}; /* larger files and programs are not checked,
      because it takes long */

/* Returns true if the holder of a node of the file is bound to it. */
static bool leads_back(const struct vv_pairing *p, uint32_t file)
{
    const varve_node *holder = p->matches.node_of[file];
    uint32_t at = vv_file_node_of(&p->matches, holder);
    while (at != VV_NONE && at != file)
        at = vv_next_partner(&p->matches, holder, at);
    return at == file && holder->graph == p->graph;
}

/* Returns true if the further nodes of a holder are valid. Only objects hold
 * several nodes of the file, and only the first of these may have a value,
 * which is then a mismatch. */
static bool may_go_on(const struct vv_pairing *p, uint32_t file)
{
    const varve_node *holder = p->matches.node_of[file];
    uint32_t next = vv_next_partner(&p->matches, holder, file) + 1;
    return !next ||
           (holder && !holder->variable && holder->kind != VARVE_STATE &&
               vv_value_of(p, next - 1) == VV_NONE);
}

/* Returns true if the node of the file that a node is bound to has it as its
 * holder or as a claimant. */
static bool is_claimant_or_holder(const struct vv_pairing *p, varve_node *node)
{
    uint32_t file = vv_file_node_of(&p->matches, node);
    if (file == VV_NONE)
        return vv_how_of(&p->matches, node) == VV_BY_PATH;
    return p->matches.node_of[file] == node || p->failure.status ||
           vv_has_pair(&p->matches.claims, node, file);
}

void vv_pairing_check(const struct vv_pairing *p)
{
    uint32_t nodes = vv_index_of(p)->node_count;
    if (!p->graph || nodes > MOST_CHECKED ||
        p->graph->number_limit > MOST_CHECKED)
        return;
    for (uint32_t f = 0; f < nodes; f++)
        assert((!p->matches.node_of[f] || leads_back(p, f)) && may_go_on(p, f));
    for (varve_node *n = vv_newest_node(p->graph); n; n = vv_older_node(n))
        assert(is_claimant_or_holder(p, n));
}
#else
void vv_pairing_check(const struct vv_pairing *p)
{
    (void)p;
}
#endif
