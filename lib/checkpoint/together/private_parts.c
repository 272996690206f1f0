/* private_parts.c - Gathers the child of this rank below each rank-local node
 * as if it were a separate graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "private_parts.h"

#include <inttypes.h>

#include "allocator.h"
#include "edge.h"
#include "failure.h"
#include "graph.h"
#include "private.h"
#include "recall.h"
#include "slot.h"
#include "try.h"
#include "walk.h"

static varve_status private_parts_check_node(
    varve_node *node, const varve_comm *comm, varve_error *error)
{
    const struct vv_private *private = vv_private_of(node);
    char text[256];
    const char *path = vv_node_text(node, text, sizeof text);
    if (private->rank != comm->rank || private->size != comm->size)
        return vv_fail(error, VARVE_MISUSE,
            "%s: this rank is %" PRIu32 " of %" PRIu32
            ", but the rank-local subtree is of rank %" PRIu32 " of %" PRIu32,
            path, comm->rank, comm->size, private->rank, private->size);
    if (!vv_private_mine(node))
        return vv_fail(error, VARVE_MISUSE,
            "%s: a rank-local subtree must have one child, that of rank "
            "%" PRIu32,
            path, comm->rank);
    return VARVE_OK;
}

/* --- Edges and slots into subtrees ---------------------------------------- */

struct marks {
    const varve_allocator *allocator;
    uint32_t *marks; /* for each node, the walk that reached it, from 1; 0:
                        none */
    size_t count;
};

static varve_status fail_link(const varve_node *node, varve_error *error)
{
    char path[256];
    return vv_fail(error, VARVE_MISUSE,
        "%s: edges or slots lead to it from outside its rank-local subtree",
        vv_node_text(node, path, sizeof path));
}

static varve_status mark_nodes(struct marks *m, const struct vv_walk *walk,
    uint32_t mark, varve_error *error)
{
    for (size_t i = 0; i < walk->count; i++) {
        const varve_node *node = walk->steps[i].node;
        if (m->marks[node->number])
            return fail_link(node, error);
        m->marks[node->number] = mark;
    }
    return VARVE_OK;
}

/* Fails if an owner and its variable were reached by different walks. A slot
 * whose owner or variable is not saved is not in the file. */
static varve_status private_parts_check_slots(
    const struct marks *m, varve_graph *graph, varve_error *error)
{
    for (const varve_node *node = vv_newest_node(graph); node;
         node = vv_older_node(node)) {
        for (const struct vv_slot *s = vv_slot_first_of(node);
             s && m->marks[node->number]; s = s->next) {
            uint32_t variable = m->marks[s->public.variable->number];
            if (variable && variable != m->marks[node->number])
                return fail_link(s->public.node, error);
        }
    }
    return VARVE_OK;
}

static varve_status private_parts_mark(
    struct marks *m, varve_node *from, uint32_t number, varve_error *error)
{
    struct vv_walk walk;
    VV_TRY(number == 1 ? vv_walk_begin_above(&walk, from, vv_is_private, error)
                       : vv_walk_begin(&walk, from, error));
    varve_status status = mark_nodes(m, &walk, number, error);
    vv_walk_end(&walk);
    return status;
}

static varve_status private_parts_mark_all(struct marks *m, varve_node *root,
    const struct vv_save_plan *save_plan, varve_error *error)
{
    size_t count;
    const struct vv_save_plan_private *privates =
        vv_save_plan_privates(save_plan, &count);
    VV_TRY(private_parts_mark(m, root, 1, error));
    for (size_t i = 0; i < count; i++)
        VV_TRY(private_parts_mark(
            m, vv_private_mine(privates[i].node), (uint32_t)i + 2, error));
    return private_parts_check_slots(m, root->graph, error);
}

static varve_status private_parts_check_links(
    varve_node *root, const struct vv_save_plan *save_plan, varve_error *error)
{
    struct marks m = { .allocator = &save_plan->context.allocator,
        .count = root->graph->number_limit };
    m.marks = vv_allocate_zeroed(m.allocator, m.count * sizeof *m.marks);
    if (!m.marks)
        return vv_fail_memory(error, "rank-local subtrees");
    varve_status status = private_parts_mark_all(&m, root, save_plan, error);
    vv_release(m.allocator, m.marks, m.count * sizeof *m.marks);
    return status;
}

/* --- Gathering ------------------------------------------------------------ */

/* Global names must be unique in a file, and other ranks might use the same
 * ones. */
static varve_status private_parts_check_names(const varve_node *node,
    const struct vv_save_plan *save_plan, varve_error *error)
{
    char path[256];
    if (save_plan->columns.index.global_nodes.size == 0)
        return VARVE_OK;
    return vv_fail(error, VARVE_MISUSE,
        "%s: a rank-local subtree cannot contain global names",
        vv_node_text(node, path, sizeof path));
}

/* Returns the options for rank-local subtrees. Writes are not tracked, as the
 * tracker is queried only once in a save, for the replicated data. Pending
 * values are carried over as elsewhere. */
static varve_write_options own_options(const varve_write_options *o)
{
    bool counts = o->incremental && o->increment.only_dirty;
    return (varve_write_options){ .pending = o->pending,
        .incremental = counts,
        .increment.only_dirty = counts,
        .increment.verify_clean = counts && o->increment.verify_clean };
}

static varve_status private_parts_gather(struct vv_private_part *part,
    varve_node *node, const varve_write_options *options, varve_error *error)
{
    varve_node *mine = vv_private_mine(node);
    VV_TRY(vv_save_plan_gather(&part->save_plan, mine, options, error));
    varve_status status =
        private_parts_check_names(mine, &part->save_plan, error);
    if (status)
        vv_save_plan_clear(&part->save_plan);
    return status;
}

static varve_status private_parts_gather_all(struct vv_private_parts *parts,
    const struct vv_save_plan *save_plan, varve_error *error)
{
    const varve_write_options own = own_options(&save_plan->options);
    size_t count;
    const struct vv_save_plan_private *privates =
        vv_save_plan_privates(save_plan, &count);
    for (size_t i = 0; i < count; i++) {
        parts->all[i].place = privates[i].place;
        VV_TRY(private_parts_gather(
            &parts->all[i], privates[i].node, &own, error));
        parts->count++;
    }
    return VARVE_OK;
}

varve_status vv_private_parts_gather(struct vv_private_parts *parts,
    varve_node *root, const struct vv_save_plan *save_plan,
    const varve_comm *comm, varve_error *error)
{
    size_t count;
    const struct vv_save_plan_private *privates =
        vv_save_plan_privates(save_plan, &count);
    *parts =
        (struct vv_private_parts){ .allocator = &save_plan->context.allocator };
    if (count == 0)
        return VARVE_OK;
    for (size_t i = 0; i < count; i++)
        VV_TRY(private_parts_check_node(privates[i].node, comm, error));
    VV_TRY(private_parts_check_links(root, save_plan, error));
    parts->all =
        vv_allocate_zeroed(parts->allocator, count * sizeof *parts->all);
    if (!parts->all)
        return vv_fail_memory(error, "rank-local subtrees");
    parts->room = count;
    varve_status status = private_parts_gather_all(parts, save_plan, error);
    if (status)
        vv_private_parts_clear(parts);
    return status;
}

varve_status vv_private_parts_digest(
    struct vv_private_parts *parts, varve_error *error)
{
    for (size_t i = 0; i < parts->count; i++)
        VV_TRY(vv_recall_digests(&parts->all[i].save_plan, NULL, NULL, error));
    return VARVE_OK;
}

void vv_private_parts_clear(struct vv_private_parts *parts)
{
    for (size_t i = 0; i < parts->count; i++)
        vv_save_plan_clear(&parts->all[i].save_plan);
    vv_release(parts->allocator, parts->all, parts->room * sizeof *parts->all);
    *parts = (struct vv_private_parts){ .allocator = parts->allocator };
}
