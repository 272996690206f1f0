/* matching.c - Sets up matching and grows its tables.
 *
 * SPDX-License-Identifier: MIT
 */
#include "matching.h"

#include "allocator.h"
#include "failure.h"
#include "node_names.h"

/* --- The work queue ------------------------------------------------------- */

void vv_work_queue_init(
    struct vv_work_queue *a, const varve_allocator *allocator)
{
    *a = (struct vv_work_queue){ .queue_first = 0 };
    vv_buffer_init(&a->queue, allocator);
    vv_buffer_init(&a->deferred_hows, allocator);
    vv_buffer_init(&a->demand, allocator);
    vv_pair_list_init(&a->deferred, allocator);
    vv_pair_list_init(&a->unnamed, allocator);
    a->deferred.keeps_places = true;
}

void vv_work_queue_end(struct vv_work_queue *a)
{
    vv_buffer_clear(&a->queue);
    vv_buffer_clear(&a->deferred_hows);
    vv_buffer_clear(&a->demand);
    vv_pair_list_clear(&a->deferred);
    vv_pair_list_clear(&a->unnamed);
}

void vv_work_queue_reserve(struct vv_work_queue *a, size_t count)
{
    vv_buffer_reserve(&a->queue, count * sizeof(struct vv_pair));
}

void vv_work_queue_shrink(struct vv_work_queue *a)
{
    vv_buffer_clear(&a->queue);
}

bool vv_work_queue_is_due(const struct vv_work_queue *a)
{
    return a->queue.size || a->deferred.pairs.size;
}

static struct vv_pair pair_at(const struct vv_buffer *pairs, size_t place)
{
    size_t count;
    return vv_pairs_in(pairs, &count)[place];
}

static bool work_queue_has_more(const struct vv_buffer *pairs, size_t from)
{
    return from < pairs->size / sizeof(struct vv_pair);
}

bool vv_work_queue_has_more(const struct vv_work_queue *a)
{
    return vv_work_queue_is_due(a) ||
           work_queue_has_more(&a->demand, a->offered) || a->unnamed.pairs.size;
}

static void forget_in(struct vv_buffer *buffer, const varve_node *node)
{
    size_t count;
    struct vv_pair *pairs = vv_pairs_in(buffer, &count);
    for (size_t i = 0; i < count; i++) {
        if (pairs[i].node == node)
            pairs[i].node = NULL;
    }
}

void vv_work_queue_forget(struct vv_work_queue *a, const varve_node *node)
{
    forget_in(&a->queue, node);
    forget_in(&a->demand, node);
    vv_drop_pairs(&a->deferred, node);
    vv_drop_pairs(&a->unnamed, node);
}

void vv_work_queue_forget_graph(struct vv_work_queue *a)
{
    vv_work_queue_end_unnamed(a);
    vv_work_queue_end_claims(a);
}

/* --- Nodes ---------------------------------------------------------------- */

bool vv_work_queue_add(struct vv_work_queue *a, varve_node *node, uint32_t file)
{
    return vv_append_pair_to(&a->queue, node, file);
}

bool vv_work_queue_take(struct vv_work_queue *a, struct vv_pair *next)
{
    while (work_queue_has_more(&a->queue, a->queue_first)) {
        *next = pair_at(&a->queue, a->queue_first++);
        if (next->node)
            return true;
    }
    a->queue.size = 0;
    a->queue_first = 0;
    return false;
}

/* --- Claims --------------------------------------------------------------- */

bool vv_work_queue_defer(struct vv_work_queue *a, varve_node *node,
    uint32_t file, enum vv_match_rank how)
{
    uint8_t *known = vv_buffer_extend(&a->deferred_hows, 1);
    a->deferred_hows.failed = false;
    if (!known)
        return false;
    *known = (uint8_t)how;
    bool has_room = vv_append_pair(&a->deferred, node, file);
    if (!has_room)
        a->deferred_hows.size--;
    return has_room;
}

bool vv_work_queue_claim_at(
    const struct vv_work_queue *a, size_t place, struct vv_claim *claim)
{
    if (!work_queue_has_more(&a->deferred.pairs, place))
        return false;
    claim->pair = pair_at(&a->deferred.pairs, place);
    claim->how = (enum vv_match_rank)a->deferred_hows.data[place];
    return true;
}

void vv_work_queue_end_claims(struct vv_work_queue *a)
{
    vv_empty_pairs(&a->deferred);
    a->deferred_hows.size = 0;
}

/* --- Offers --------------------------------------------------------------- */

bool vv_work_queue_add_offer(
    struct vv_work_queue *a, varve_node *node, uint32_t file)
{
    return vv_append_pair_to(&a->demand, node, file);
}

bool vv_work_queue_take_offer(struct vv_work_queue *a, size_t *place)
{
    if (!work_queue_has_more(&a->demand, a->offered))
        return false;
    *place = a->offered++;
    return true;
}

struct vv_pair vv_work_queue_offer_at(
    const struct vv_work_queue *a, size_t place)
{
    return pair_at(&a->demand, place);
}

void vv_work_queue_end_demands(struct vv_work_queue *a)
{
    a->demand.size = 0;
    a->offered = 0;
}

/* --- Names ---------------------------------------------------------------- */

bool vv_work_queue_add_unnamed(struct vv_work_queue *a, varve_node *node)
{
    return vv_append_pair(&a->unnamed, node, VV_NONE);
}

size_t vv_work_queue_unnamed_count(struct vv_work_queue *a)
{
    size_t count;
    vv_pairs(&a->unnamed, &count);
    return count;
}

varve_node *vv_work_queue_unnamed_at(
    const struct vv_work_queue *a, size_t place)
{
    return pair_at(&a->unnamed.pairs, place).node;
}

void vv_work_queue_end_unnamed(struct vv_work_queue *a)
{
    vv_empty_pairs(&a->unnamed);
}

/* --- Matching ------------------------------------------------------------- */

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

bool vv_matching_grow(struct vv_matching *m)
{
    struct vv_pairing *p = m->pairing;
    size_t limit = p->graph->number_limit, wanted = p->matches.capacity;
    bool needs_ways = vv_matching_needs_ways(m);
    if (limit > wanted)
        wanted = wanted ? limit + limit / 2 : limit;
    bool has_room = (!needs_ways || vv_visited_paths_grow(&p->ways, wanted)) &&
                    vv_matches_grow(&p->matches, wanted);
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
