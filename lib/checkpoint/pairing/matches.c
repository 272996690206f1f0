/* matches.c - Stores bindings in tables that grow with the program.
 *
 * SPDX-License-Identifier: MIT
 */
#include "matches.h"

#include <string.h>

#include "allocator.h"

void vv_matches_init(struct vv_matches *m, const varve_allocator *allocator)
{
    *m = (struct vv_matches){ .allocator = allocator };
    vv_pair_list_init(&m->claims, allocator);
}

bool vv_matches_begin(struct vv_matches *m, uint32_t node_count)
{
    m->node_count = node_count;
    m->node_of =
        vv_allocate_zeroed(m->allocator, node_count * sizeof *m->node_of);
    m->is_past =
        vv_allocate_zeroed(m->allocator, node_count * sizeof *m->is_past);
    return m->node_of && m->is_past;
}

void vv_matches_end(struct vv_matches *m)
{
    const varve_allocator *a = m->allocator;
    vv_release(a, m->node_of, m->node_count * sizeof *m->node_of);
    vv_release(a, m->is_past, m->node_count * sizeof *m->is_past);
    vv_release(a, m->links, m->node_count * sizeof *m->links);
    vv_release(a, m->file_of, m->capacity * sizeof *m->file_of);
    vv_release(a, m->hows, m->how_capacity * sizeof *m->hows);
    vv_pair_list_clear(&m->claims);
}

void vv_matches_forget(struct vv_matches *m)
{
    memset(m->node_of, 0, m->node_count * sizeof *m->node_of);
    if (m->links)
        memset(m->links, 0, m->node_count * sizeof *m->links);
    vv_empty_pairs(&m->claims);
}

/* --- Who it is ------------------------------------------------------------ */

bool vv_stands_for(
    const struct vv_matches *m, const varve_node *node, uint32_t file)
{
    return vv_is_holder(m, node, file) || vv_file_node_of(m, node) == file;
}

bool vv_is_claimant(const struct vv_matches *m, const varve_node *node)
{
    uint32_t file = vv_file_node_of(m, node);
    return file != VV_NONE && m->node_of[file] != node;
}

enum vv_match_rank vv_how_of(const struct vv_matches *m, const varve_node *node)
{
    return node->number < m->how_capacity
               ? (enum vv_match_rank)m->hows[node->number]
               : VV_BY_PATH;
}

uint32_t vv_next_partner(
    const struct vv_matches *m, const varve_node *node, uint32_t file)
{
    bool may_have = m->links && vv_is_holder(m, node, file);
    /* a `next` of 0 becomes VV_NONE */
    return may_have ? m->links[file].next - 1 : VV_NONE;
}

/* --- Changes -------------------------------------------------------------- */

bool vv_matches_grow(struct vv_matches *m, size_t wanted)
{
    return wanted <= m->capacity ||
           vv_grow_zeroed(m->allocator, &m->file_of, &m->capacity, wanted,
               sizeof *m->file_of);
}

void vv_set_holder(struct vv_matches *m, uint32_t file, varve_node *node)
{
    m->node_of[file] = node;
}

/* The table of ranks is allocated only when a rank other than VV_BY_PATH is
 * set. Most restorations need none. */
bool vv_set_how(
    struct vv_matches *m, const varve_node *node, enum vv_match_rank how)
{
    if (how != VV_BY_PATH && node->number >= m->how_capacity &&
        !vv_grow_zeroed(m->allocator, &m->hows, &m->how_capacity, m->capacity,
            sizeof *m->hows))
        return false;
    if (node->number < m->how_capacity)
        m->hows[node->number] = (uint8_t)how;
    return true;
}

bool vv_matches_bind(struct vv_matches *m, const varve_node *node,
    uint32_t file, enum vv_match_rank how)
{
    m->file_of[node->number] = file + 1;
    return vv_set_how(m, node, how);
}

bool vv_add_partner(struct vv_matches *m, uint32_t first, uint32_t file)
{
    if (!m->links)
        m->links =
            vv_allocate_zeroed(m->allocator, m->node_count * sizeof *m->links);
    if (!m->links)
        return false;
    uint32_t last = m->links[first].last ? m->links[first].last - 1 : first;
    m->links[last].next = file + 1;
    m->links[first].last = file + 1;
    return true;
}

/* An object releases all nodes of the file that it is bound to. */
void vv_let_go(struct vv_matches *m, const varve_node *node)
{
    uint32_t file = vv_file_node_of(m, node);
    if (file == VV_NONE)
        return;
    m->file_of[node->number] = 0;
    vv_set_how(m, node, VV_BY_PATH);
    while (vv_is_holder(m, node, file)) {
        uint32_t next = vv_next_partner(m, node, file);
        m->node_of[file] = NULL;
        if (m->links)
            m->links[file] = (struct vv_link){ 0 };
        file = next;
    }
}

bool vv_add_claim(struct vv_matches *m, varve_node *node, uint32_t file)
{
    return vv_append_pair(&m->claims, node, file);
}

void vv_forget_claims(struct vv_matches *m, varve_graph *graph)
{
    for (varve_node *n = vv_newest_node(graph); n; n = vv_older_node(n)) {
        if (vv_is_claimant(m, n))
            vv_let_go(m, n);
    }
    vv_empty_pairs(&m->claims);
}
