/* by_name.c - Matches by global name: names of the program are looked up in the
 * file, and names of the file in the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "by_name.h"

#include "binding.h"
#include "global_name.h"
#include "unbind.h"

/* Sets m->name to the path of a node without escapes. Returns false if the path
 * is not a valid name. */
static bool set_flat_name(struct vv_matching *m, const varve_node *node)
{
    bool is_name = vv_visited_paths_name(&m->pairing->ways, node, &m->name);
    vv_look_for_lost_ways(m);
    return is_name;
}

static uint32_t find_flat_name(const struct vv_matching *m)
{
    return vv_saved_global(
        &m->pairing->saved, (const char *)m->name.data, m->name.size);
}

/* Returns true if the file identifies values by keys only. In other files
 * global names are labels, and a path of the program with the same spelling
 * does not match them. */
static bool has_keys(const struct vv_matching *m)
{
    const struct vv_saved_graph *saved = &m->pairing->saved;
    return vv_saved_has_globals(saved) &&
           (saved->parsed->names_are_keys || m->pairing->is_by_label);
}

uint32_t vv_by_name_child(
    struct vv_matching *m, varve_node *parent, const char *name)
{
    if (!has_keys(m) ||
        !vv_visited_paths_is_visited(&m->pairing->ways, parent) ||
        !set_flat_name(m, parent))
        return VV_NONE;
    if (m->name.size)
        vv_buffer_add8(&m->name, '/');
    vv_buffer_add_string(&m->name, name);
    if (!m->name.failed)
        return find_flat_name(m);
    vv_out_of_memory(m);
    return VV_NONE;
}

static uint32_t find_home(struct vv_matching *m, const varve_node *node)
{
    const struct vv_saved_graph *saved = &m->pairing->saved;
    const struct vv_name *name = vv_global_name(node);
    uint32_t found = VV_NONE;
    if (name)
        found = vv_saved_at_parts(saved, name->bytes, name->size);
    if (found != VV_NONE && vv_saved_value(saved, found) == VV_NONE)
        found = VV_NONE; /* only values have global names */
    if (found == VV_NONE && name)
        found = vv_saved_global(saved, name->bytes, name->size);
    if (found == VV_NONE && has_keys(m) && set_flat_name(m, node) &&
        m->name.size)
        found = find_flat_name(m);
    return found;
}

/* Visits the complete program when the first global name is used. Later
 * additions are visited as they are made. Nodes are not offered children again,
 * because the program may have removed some. */
static void begin_visits(struct vv_matching *m)
{
    m->is_by_name = true;
    vv_visited_paths_unvisit_all(&m->pairing->ways);
    if (vv_know_numbers(m))
        vv_visit(m, m->pairing->root, &(struct vv_path_step){ 0 });
}

void vv_by_name_changed(struct vv_matching *m, varve_node *node)
{
    if (!vv_global_name(node) || !m->pairing->root)
        return;
    if (!m->is_by_name)
        begin_visits(m);
    else if (vv_is_known(m->pairing, node))
        vv_consider_by_name(m, node);
}

void vv_by_name_match(struct vv_matching *m)
{
    const struct vv_matches *matches = &m->pairing->matches;
    size_t count = vv_work_queue_unnamed_count(&m->work_queue);
    if (count) /* untracked nodes must not claim values */
        vv_sweep_or_fail(m);
    for (size_t i = 0; i < count; i++) {
        varve_node *node = vv_work_queue_unnamed_at(&m->work_queue, i);
        if (vv_is_holder(matches, node, vv_file_node_of(matches, node)) ||
            !vv_is_known(m->pairing, node))
            continue;
        uint32_t file = find_home(m, node);
        if (file != VV_NONE)
            vv_bind(m, node, file, VV_BY_GLOBAL_NAME);
    }
    vv_work_queue_end_unnamed(&m->work_queue);
}
