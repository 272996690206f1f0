/* matching.c - Sets up matching and grows its tables.
 *
 * SPDX-License-Identifier: MIT
 */
#include "matching.h"

#include "allocator.h"
#include "failure.h"
#include "global_name.h"

void vv_matching_init(struct vv_matching *m, struct vv_pairing *pairing,
    struct vv_delivery *delivery)
{
    const varve_allocator *a = &pairing->context.allocator;
    m->pairing = pairing;
    m->delivery = delivery;
    vv_work_queue_init(&m->work_queue, a);
    vv_buffer_init(&m->sorted, a);
    vv_buffer_init(&m->name, a);
}

/* Reserves room for as many nodes as the program and the file both have. */
void vv_matching_begin(struct vv_matching *m)
{
    const struct vv_index *index = vv_index_of(m->pairing);
    size_t nodes = m->pairing->graph->number_limit;
    m->is_by_name =
        index->global_count || vv_global_name_count(m->pairing->graph);
    if (nodes > index->node_count)
        nodes = index->node_count;
    vv_work_queue_reserve(&m->work_queue, nodes);
}

void vv_matching_end(struct vv_matching *m)
{
    vv_work_queue_end(&m->work_queue);
    if (m->was_there)
        vv_release(&m->pairing->context.allocator, m->was_there,
            vv_index_of(m->pairing)->edge_count * sizeof *m->was_there);
    vv_buffer_clear(&m->sorted);
    vv_buffer_clear(&m->name);
}

void vv_matching_forget_graph(struct vv_matching *m)
{
    vv_pairing_forget_graph(m->pairing);
    vv_work_queue_forget_graph(&m->work_queue);
}

/* --- Memory that grows with the program ----------------------------------- */

void vv_out_of_memory(struct vv_matching *m)
{
    if (!m->pairing->failure.status)
        vv_fail_memory(&m->pairing->failure, "matching a checkpoint");
}

void vv_look_for_lost_ways(struct vv_matching *m)
{
    if (vv_visited_paths_have_failed(&m->pairing->ways))
        vv_out_of_memory(m);
}

static bool matching_grow(struct vv_matching *m)
{
    struct vv_pairing *p = m->pairing;
    size_t limit = p->graph->number_limit, wanted = p->matches.capacity;
    bool needs_ways = m->is_by_name || p->selection.rename_count ||
                      p->selection.options.copy_shared;
    if (limit > wanted)
        wanted = wanted ? limit + limit / 2 : limit;
    return (!needs_ways || vv_visited_paths_grow(&p->ways, wanted)) &&
           vv_matches_grow(&p->matches, wanted);
}

bool vv_know_numbers(struct vv_matching *m)
{
    bool has_room = matching_grow(m);
    if (!has_room)
        vv_out_of_memory(m);
    return has_room;
}

/* --- What is next --------------------------------------------------------- */

void vv_queue(struct vv_matching *m, varve_node *node, uint32_t file)
{
    if (!vv_work_queue_add(&m->work_queue, node, file))
        vv_out_of_memory(m);
}

void vv_defer(struct vv_matching *m, varve_node *node, uint32_t file,
    enum vv_match_rank how)
{
    if (!vv_work_queue_defer(&m->work_queue, node, file, how))
        vv_out_of_memory(m);
}

void vv_consider_by_name(struct vv_matching *m, varve_node *node)
{
    const struct vv_matches *matches = &m->pairing->matches;
    bool wants = node->kind == VARVE_VARIABLE || node->kind == VARVE_STATE;
    if (wants && !vv_is_holder(matches, node, vv_file_node_of(matches, node)) &&
        !vv_work_queue_add_unnamed(&m->work_queue, node))
        vv_out_of_memory(m);
}

void vv_visit(
    struct vv_matching *m, varve_node *node, const struct vv_path_step *via)
{
    enum vv_coming coming =
        vv_visited_paths_visit(&m->pairing->ways, node, via);
    vv_look_for_lost_ways(m);
    if (coming == VV_COMES_ANEW)
        vv_queue(m, node, VV_NONE);
    if (coming != VV_COMES_FIRST)
        return;
    if (m->pairing->selection.rename_count || m->is_by_name)
        vv_queue(m, node, VV_VISIT);
    if (m->is_by_name)
        vv_consider_by_name(m, node);
}
