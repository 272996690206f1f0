/* saved_path.c - breadth first over the saved graph.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saved_path.h"

#include "allocator.h"
#include "failure.h"
#include "name.h"

static void reach_edges(struct vv_saved_paths *p, uint32_t *queue)
{
    uint32_t count = 0;
    queue[count++] = p->root;
    for (uint32_t at = 0; at < count; at++) {
        uint32_t node = queue[at];
        uint32_t begin, end;
        vv_index_edges(p->index, node, &begin, &end);
        for (uint32_t e = begin; e < end; e++) {
            uint32_t child = vv_at32(p->index->edge_children, e);
            if (vv_saved_path_exists(p, child))
                continue;
            p->parents[child] = node;
            p->ways[child] = e;
            queue[count++] = child;
        }
    }
}

static void reach_slots(struct vv_saved_paths *p)
{
    const struct vv_index *index = p->index;
    for (uint32_t s = 0; s < index->slot_count; s++) {
        uint32_t owner = vv_at32(index->slot_owners, s);
        uint32_t variable = vv_at32(index->slot_variables, s);
        uint32_t node = vv_at32(index->slot_nodes, s);
        if (!vv_saved_path_exists(p, owner) ||
            !vv_saved_path_exists(p, variable) || vv_saved_path_exists(p, node))
            continue;
        p->parents[node] = owner;
        p->ways[node] = s | VV_WAY_IS_SLOT;
    }
}

varve_status vv_saved_paths_begin(struct vv_saved_paths *p,
    const varve_allocator *allocator, const struct vv_index *index,
    uint32_t root, varve_error *error)
{
    size_t count = index->node_count;
    if (index->edge_count >= VV_WAY_IS_SLOT ||
        index->slot_count >= VV_WAY_IS_SLOT)
        return vv_fail(error, VARVE_LIMIT,
            "expected fewer than 2^31 edges and slots, found more");
    *p = (struct vv_saved_paths){
        .allocator = allocator, .index = index, .root = root
    };
    p->parents = vv_allocate_array(allocator, count, sizeof *p->parents);
    p->ways = vv_allocate_array(allocator, count, sizeof *p->ways);
    uint32_t *queue = vv_allocate_array(allocator, count, sizeof *queue);
    if (!p->parents || !p->ways || !queue) {
        vv_release(allocator, queue, count * sizeof *queue);
        vv_saved_paths_end(p);
        return vv_fail_memory(error, "the paths of a checkpoint");
    }
    for (size_t i = 0; i < count; i++)
        p->parents[i] = VV_NONE;
    reach_edges(p, queue);
    reach_slots(p);
    vv_release(allocator, queue, count * sizeof *queue);
    return VARVE_OK;
}

void vv_saved_paths_end(struct vv_saved_paths *p)
{
    size_t count = p->index ? p->index->node_count : 0;
    if (p->allocator) {
        vv_release(p->allocator, p->parents, count * sizeof *p->parents);
        vv_release(p->allocator, p->ways, count * sizeof *p->ways);
    }
    *p = (struct vv_saved_paths){ 0 };
}

static void add_name(
    const struct vv_index *index, uint32_t name, struct vv_buffer *path)
{
    size_t size;
    const char *bytes = vv_index_name(index, name, &size);
    vv_path_add_name(path, bytes, size);
}

static void add_edges(
    const struct vv_saved_paths *p, uint32_t node, struct vv_buffer *path)
{
    size_t begin = path->size;
    for (; node != p->root; node = p->parents[node]) {
        if (path->size > begin)
            vv_buffer_add8(path, '/');
        size_t at = path->size;
        add_name(p->index, vv_at32(p->index->edge_names, p->ways[node]), path);
        vv_buffer_reverse(path, at);
    }
    vv_buffer_reverse(path, begin);
}

void vv_saved_path(
    const struct vv_saved_paths *p, uint32_t node, struct vv_buffer *path)
{
    path->size = 0;
    if (node == p->root || !(p->ways[node] & VV_WAY_IS_SLOT)) {
        add_edges(p, node, path);
        return;
    }
    uint32_t slot = p->ways[node] & ~VV_WAY_IS_SLOT;
    add_edges(p, p->parents[node], path);
    if (path->size)
        vv_buffer_add8(path, '/');
    add_name(p->index, vv_at32(p->index->slot_names, slot), path);
    vv_buffer_add8(path, '(');
    add_edges(p, vv_at32(p->index->slot_variables, slot), path);
    vv_buffer_add8(path, ')');
}

uint32_t vv_saved_find(const struct vv_index *index, uint32_t from,
    const char *path, struct vv_buffer *scratch)
{
    uint32_t node = from;
    while (path && *path && node != VV_NONE) {
        size_t size = strcspn(path, "/%");
        const char *bytes = path;
        if (path[size] == '%') {
            path = vv_path_next_name(path, scratch);
            bytes = (const char *)scratch->data;
            size = scratch->size;
        } else {
            path = size == 0 ? NULL : path + size + (path[size] == '/');
        }
        uint32_t name = !path || scratch->failed
                            ? VV_NONE
                            : vv_index_find_name(index, bytes, size);
        node =
            name == VV_NONE ? VV_NONE : vv_index_find_child(index, node, name);
    }
    return path ? node : VV_NONE;
}
