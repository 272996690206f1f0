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
    uint32_t *queue =
        root ? vv_allocate_array(allocator, count, sizeof *queue) : NULL;
    if (!p->parents || !p->ways || (root && !queue)) {
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
    }
    *p = (struct vv_saved_paths){ 0 };
}

/* A path that is being made, cut off once it is longer than `longest`. */
struct text {
    const struct vv_saved_paths *paths;
    size_t longest;
    struct vv_buffer *path;
    bool is_plain; /* names are not escaped */
};

static void saved_path_add_name(const struct text *t, uint32_t name)
{
    size_t size;
    const char *bytes = vv_index_name(t->paths->index, name, &size);
    if (t->is_plain)
        vv_buffer_add(t->path, bytes, size);
    else
        vv_path_add_end(t->path, bytes, size, t->longest);
}

/* Adds names upwards until the root is reached or the path is too long. */
static void saved_path_add_edges(const struct text *t, uint32_t node)
{
    const struct vv_saved_paths *p = t->paths;
    struct vv_buffer *path = t->path;
    size_t begin = path->size;
    while (node != p->root && path->size - begin <= t->longest) {
        if (path->size > begin)
            vv_buffer_add8(path, '/');
        size_t at = path->size;
        saved_path_add_name(t, vv_at32(p->index->edge_names, p->ways[node]));
        vv_buffer_reverse(path, at);
        node = p->parents[node];
        if (path->failed)
            break;
    }
    vv_buffer_reverse(path, begin);
}

static void saved_path_add_slot(const struct text *t, uint32_t node)
{
    const struct vv_index *index = t->paths->index;
    uint32_t slot = t->paths->ways[node] & ~VV_WAY_IS_SLOT;
    saved_path_add_edges(t, t->paths->parents[node]);
    if (t->path->size)
        vv_buffer_add8(t->path, '/');
    saved_path_add_name(t, vv_at32(index->slot_names, slot));
    vv_buffer_add8(t->path, '(');
    saved_path_add_edges(t, vv_at32(index->slot_variables, slot));
    vv_buffer_add8(t->path, ')');
}

static void set_path(const struct text *t, uint32_t node)
{
    const struct vv_saved_paths *p = t->paths;
    t->path->size = 0;
    if (node == p->root || !(p->ways[node] & VV_WAY_IS_SLOT))
        saved_path_add_edges(t, node);
    else
        saved_path_add_slot(t, node);
    vv_path_shorten(t->path, t->longest);
}

void vv_saved_path(
    const struct vv_saved_paths *p, uint32_t node, struct vv_buffer *path)
{
    set_path(&(struct text){ p, VV_LONGEST_PATH, path, false }, node);
}

void vv_saved_searched_path(
    const struct vv_saved_paths *p, uint32_t node, struct vv_buffer *path)
{
    set_path(&(struct text){ p, VV_LONGEST_SEARCHED_PATH, path, false }, node);
}

void vv_saved_name(
    const struct vv_saved_paths *p, uint32_t node, struct vv_buffer *name)
{
    set_path(&(struct text){ p, SIZE_MAX, name, true }, node);
}

/* Returns true if `path`, the text of the path of a node, was shortened. (Names
 * can begin with "..." themselves.) */
static bool is_shortened(
    const struct vv_saved_paths *p, uint32_t node, const struct vv_buffer *path)
{
    size_t size = 0, name_size;
    if (path->size > VV_SHORTENED_PATH || path->size < 3 ||
        memcmp(path->data, "...", 3) != 0)
        return false;
    for (; node != p->root && size <= VV_SHORTENED_PATH + 1;
         node = p->parents[node]) {
        vv_index_name(
            p->index, vv_at32(p->index->edge_names, p->ways[node]), &name_size);
        size += name_size + 1;
    }
    return size > VV_SHORTENED_PATH + 1;
}

void vv_saved_child_path(
    const struct vv_saved_paths *p, uint32_t child, struct vv_buffer *path)
{
    struct text t = { p, VV_LONGEST_PATH, path, false };
    bool is_long = is_shortened(p, p->parents[child], path);
    if (path->size)
        vv_buffer_add8(path, '/');
    saved_path_add_name(&t, vv_at32(p->index->edge_names, p->ways[child]));
    if (is_long)
        vv_path_shorten_on(path);
    else
        vv_path_shorten(path, t.longest);
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
