/* saved_path.c - Traverses the saved graph breadth first.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saved_path.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "name.h"
#include "name_pattern.h"
#include "path_end.h"

/* Reaches nodes by edges, breadth first. `queue` can be NULL if the root is
 * that of the file: nodes are numbered in this order already. */
static void reach_edges(struct vv_saved_paths *p, uint32_t *queue)
{
    uint32_t count = 1;
    if (queue)
        queue[0] = p->root;
    for (uint32_t at = 0; at < count; at++) {
        uint32_t node = queue ? queue[at] : at;
        uint32_t begin, end;
        vv_index_edges(p->index, node, &begin, &end);
        for (uint32_t e = begin; e < end; e++) {
            uint32_t child = vv_at32(p->index->edge_children, e);
            if (vv_saved_path_exists(p, child))
                continue;
            p->parents[child] = node;
            p->ways[child] = e;
            if (queue)
                queue[count] = child;
            count++;
        }
    }
}

static void saved_path_reach_slots(struct vv_saved_paths *p)
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
    if (count >= VV_WAY_IS_SLOT || index->edge_count >= VV_WAY_IS_SLOT ||
        index->slot_count >= VV_WAY_IS_SLOT)
        return vv_fail(error, VARVE_LIMIT,
            "the checkpoint has 2^31 nodes, edges and slots or more");
    *p = (struct vv_saved_paths){
        .allocator = allocator, .index = index, .root = root
    };
    p->parents = vv_allocate_array(allocator, count, sizeof *p->parents);
    p->ways = vv_allocate_array(allocator, count, sizeof *p->ways);
    p->sizes = vv_allocate_zeroed(allocator, count * sizeof *p->sizes);
    uint32_t *queue =
        root ? vv_allocate_array(allocator, count, sizeof *queue) : NULL;
    if (!p->parents || !p->ways || !p->sizes || (root && !queue)) {
        vv_release(allocator, queue, count * sizeof *queue);
        vv_saved_paths_end(p);
        return vv_fail_memory(error, "the paths of a checkpoint");
    }
    for (size_t i = 0; i < count; i++)
        p->parents[i] = VV_NONE;
    reach_edges(p, queue);
    saved_path_reach_slots(p);
    vv_release(allocator, queue, count * sizeof *queue);
    return VARVE_OK;
}

void vv_saved_paths_end(struct vv_saved_paths *p)
{
    size_t count = p->index ? p->index->node_count : 0;
    if (p->allocator) {
        vv_release(p->allocator, p->parents, count * sizeof *p->parents);
        vv_release(p->allocator, p->ways, count * sizeof *p->ways);
        vv_release(p->allocator, p->sizes, count * sizeof *p->sizes);
    }
    *p = (struct vv_saved_paths){ 0 };
}

/* Returns the name of the edge or slot by which a node is reached. */
static const char *saved_path_name_of(
    const struct vv_saved_paths *p, uint32_t node, size_t *size)
{
    uint32_t way = p->ways[node];
    return vv_index_name(p->index,
        way & VV_WAY_IS_SLOT
            ? vv_at32(p->index->slot_names, way & ~VV_WAY_IS_SLOT)
            : vv_at32(p->index->edge_names, way),
        size);
}

/* Returns the bytes that an edge adds to the path of its parent. */
static size_t saved_path_size_of_edge(
    const struct vv_saved_paths *p, uint32_t node)
{
    size_t size;
    const char *name = saved_path_name_of(p, node, &size);
    return vv_path_name_size(name, size) + (p->parents[node] != p->root);
}

/* Returns the size of the path of edges to a node, and stores it, and those of
 * the nodes above. */
static size_t saved_path_size(const struct vv_saved_paths *p, uint32_t node)
{
    size_t sum = 0;
    uint32_t at = node;
    for (; at != p->root && !vv_path_size_at(p->sizes, at); at = p->parents[at])
        sum += saved_path_size_of_edge(p, at);
    const size_t above = vv_path_size_at(p->sizes, at);
    sum += above;
    for (size_t left = sum; node != at; node = p->parents[node]) {
        vv_path_size_set(p->sizes, node,
            vv_path_size_kept(above == VV_PATH_SIZE_MANY ? above : left));
        left -= saved_path_size_of_edge(p, node);
    }
    return sum;
}

/* Writes the names of the edges up to the root, as far as there is room. */
static void saved_path_add_edges(
    const struct vv_saved_paths *p, uint32_t node, struct vv_path_end *end)
{
    while (node != p->root && !vv_path_end_is_full(end)) {
        size_t size;
        const char *name = saved_path_name_of(p, node, &size);
        vv_path_end_add_name(end, name, size);
        node = p->parents[node];
        if (node != p->root)
            vv_path_end_add(end, '/');
    }
}

static void saved_path_set_slot(const struct vv_saved_paths *p, uint32_t node,
    size_t longest, struct vv_buffer *path)
{
    uint32_t slot = p->ways[node] & ~VV_WAY_IS_SLOT;
    uint32_t owner = p->parents[node];
    uint32_t variable = vv_at32(p->index->slot_variables, slot);
    size_t name_size, owner_size = saved_path_size(p, owner);
    const char *name = saved_path_name_of(p, node, &name_size);
    size_t size = owner_size + (owner_size > 0) +
                  vv_path_name_size(name, name_size) + strlen("()") +
                  saved_path_size(p, variable);
    struct vv_path_end end;
    if (!vv_path_end_begin(&end, path, size, longest))
        return;
    vv_path_end_add(&end, ')');
    saved_path_add_edges(p, variable, &end);
    vv_path_end_add(&end, '(');
    vv_path_end_add_name(&end, name, name_size);
    if (owner_size > 0)
        vv_path_end_add(&end, '/');
    saved_path_add_edges(p, owner, &end);
    vv_path_end_finish(&end, path);
}

static void saved_path_set(const struct vv_saved_paths *p, uint32_t node,
    size_t longest, struct vv_buffer *path)
{
    struct vv_path_end end;
    if (node != p->root && p->ways[node] & VV_WAY_IS_SLOT) {
        saved_path_set_slot(p, node, longest, path);
    } else if (vv_path_end_begin(
                   &end, path, saved_path_size(p, node), longest)) {
        saved_path_add_edges(p, node, &end);
        vv_path_end_finish(&end, path);
    }
}

void vv_saved_path(
    const struct vv_saved_paths *p, uint32_t node, struct vv_buffer *path)
{
    saved_path_set(p, node, VV_LONGEST_PATH, path);
}

void vv_saved_searched_path(
    const struct vv_saved_paths *p, uint32_t node, struct vv_buffer *path)
{
    saved_path_set(p, node, VV_LONGEST_SEARCHED_PATH, path);
}

/* Adds the names of the edges up to a node as they are. */
static void saved_path_add_plain(
    const struct vv_saved_paths *p, uint32_t node, struct vv_buffer *names)
{
    size_t begin = names->size, size;
    while (node != p->root && !names->failed) {
        if (names->size > begin)
            vv_buffer_add8(names, '/');
        size_t at = names->size;
        const char *name = saved_path_name_of(p, node, &size);
        vv_buffer_add(names, name, size);
        vv_buffer_reverse(names, at);
        node = p->parents[node];
    }
    vv_buffer_reverse(names, begin);
}

void vv_saved_name(
    const struct vv_saved_paths *p, uint32_t node, struct vv_buffer *name)
{
    size_t size;
    name->size = 0;
    if (node == p->root || !(p->ways[node] & VV_WAY_IS_SLOT)) {
        saved_path_add_plain(p, node, name);
        return;
    }
    uint32_t slot = p->ways[node] & ~VV_WAY_IS_SLOT;
    saved_path_add_plain(p, p->parents[node], name);
    if (name->size)
        vv_buffer_add8(name, '/');
    const char *bytes = saved_path_name_of(p, node, &size);
    vv_buffer_add(name, bytes, size);
    vv_buffer_add8(name, '(');
    saved_path_add_plain(p, vv_at32(p->index->slot_variables, slot), name);
    vv_buffer_add8(name, ')');
}

void vv_saved_child_path(
    const struct vv_saved_paths *p, uint32_t child, struct vv_buffer *path)
{
    size_t size;
    const char *name = saved_path_name_of(p, child, &size);
    bool is_long = saved_path_size(p, p->parents[child]) > VV_LONGEST_PATH;
    if (path->size)
        vv_buffer_add8(path, '/');
    vv_path_add_end(path, name, size, VV_LONGEST_PATH);
    if (is_long)
        vv_path_shorten_on(path);
    else
        vv_path_shorten(path, VV_LONGEST_PATH);
}

/* Moves the cursor down to `node`. Returns false if its node is not among the
 * closest ancestors of `node`. */
static bool saved_path_descend(const struct vv_saved_paths *p,
    struct vv_path_cursor *cursor, uint32_t node)
{
    enum { CLOSE = 8 };
    uint32_t below[CLOSE];
    int count = 0;
    for (; node != cursor->node; node = p->parents[node]) {
        if (count == CLOSE || node == p->root)
            return false;
        below[count++] = node;
    }
    while (count > 0)
        vv_saved_child_path(p, below[--count], &cursor->path);
    return true;
}

void vv_saved_path_next(const struct vv_saved_paths *p,
    struct vv_path_cursor *cursor, uint32_t node, struct vv_buffer *path)
{
    if (node == p->root || p->ways[node] & VV_WAY_IS_SLOT) {
        vv_saved_path(p, node, path);
        return;
    }
    uint32_t parent = p->parents[node];
    if (!saved_path_descend(p, cursor, parent))
        vv_saved_path(p, parent, &cursor->path);
    cursor->node = parent;
    path->size = 0;
    path->failed |= cursor->path.failed;
    vv_buffer_add(path, cursor->path.data, cursor->path.size);
    vv_saved_child_path(p, node, path);
}

/* --- From paths to nodes ------------------------------------------------ */

struct search {
    const struct vv_index *index;
    uint32_t root; /* also of paths in parentheses */
    struct vv_buffer *scratch;
};

static uint32_t saved_path_find_name(
    const struct search *s, struct vv_text name)
{
    if (memchr(name.bytes, '%', name.size)) {
        s->scratch->size = 0;
        vv_name_pattern_unescape(name, s->scratch);
        name.bytes = (const char *)s->scratch->data;
        name.size = s->scratch->size;
    }
    return s->scratch->failed
               ? VV_NONE
               : vv_index_find_name(s->index, name.bytes, name.size);
}

static uint32_t saved_path_find(
    const struct search *s, struct vv_text path, unsigned depth);

static uint32_t saved_path_find_slot(const struct search *s, uint32_t owner,
    struct vv_text name, struct vv_text variable, unsigned depth)
{
    uint32_t id = saved_path_find_name(s, name);
    uint32_t on = id == VV_NONE || depth == VV_PATTERN_MAX_DEPTH
                      ? VV_NONE
                      : saved_path_find(s, variable, depth + 1);
    return on == VV_NONE ? VV_NONE
                         : vv_index_find_slot(s->index, owner, on, id);
}

/* Returns the child or slot with a name. Only slots have unescaped parentheses;
 * a name that contains one without an escape is tried last. */
static uint32_t find_step(
    const struct search *s, uint32_t node, struct vv_text name, unsigned depth)
{
    struct vv_text base, inside;
    uint32_t found = VV_NONE;
    if (vv_name_split(name, &base, &inside) == VV_NAME_OF_SLOT)
        found = saved_path_find_slot(s, node, base, inside, depth);
    if (found != VV_NONE)
        return found;
    uint32_t id = saved_path_find_name(s, name);
    return id == VV_NONE ? VV_NONE : vv_index_find_child(s->index, node, id);
}

static uint32_t saved_path_find(
    const struct search *s, struct vv_text path, unsigned depth)
{
    uint32_t node = s->root;
    while (path.size > 0 && node != VV_NONE) {
        struct vv_text name;
        if (*path.bytes == '/')
            return VV_NONE; /* an empty name */
        vv_text_next_name(&path, &name);
        vv_text_skip(&path, path.size > 0);
        node = find_step(s, node, name, depth);
    }
    return node;
}

uint32_t vv_saved_find(const struct vv_index *index, uint32_t from,
    const char *path, struct vv_buffer *scratch)
{
    struct search search = { index, from, scratch };
    return saved_path_find(&search, (struct vv_text){ path, strlen(path) }, 1);
}
