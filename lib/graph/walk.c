/* walk.c - Visits nodes breadth first from a root, by edges in the order of
 * their names, then the slots of the visited nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "walk.h"

#include <stdlib.h>
#include <string.h>

#include "edge.h"
#include "allocator.h"
#include "failure.h"
#include "graph.h"
#include "name.h"
#include "path_end.h"
#include "try.h"

/* A walk is small if it visits less than one in so many nodes of the graph. */
enum { FEW = 8 };

static varve_status walk_no_memory(varve_error *error)
{
    return vv_fail_memory(error, "walking the graph");
}

static inline bool walk_add_step(struct vv_walk *walk, struct vv_step step)
{
    if (!vv_grow_array(walk->allocator, &walk->steps, &walk->capacity,
            walk->count, sizeof step))
        return false;
    walk->steps[walk->count++] = step;
    walk->place_of[step.node->number] = (uint32_t)walk->count;
    return true;
}

static uint32_t walk_rank_of(const struct vv_edge *edge)
{
    return vv_edge_name(edge)->rank;
}

static int walk_compare_edges(const void *left, const void *right)
{
    const struct vv_edge *a = *(struct vv_edge *const *)left;
    const struct vv_edge *b = *(struct vv_edge *const *)right;
    return (walk_rank_of(a) > walk_rank_of(b)) -
           (walk_rank_of(a) < walk_rank_of(b));
}

struct vv_edge *const *vv_walk_edges(struct vv_walk *walk, varve_node *node)
{
    const struct vv_indexed_pool *all = &walk->graph->edges;
    struct vv_edge **sorted = walk->sorted;
    size_t count = 0;
    uint32_t last = 0;
    bool in_order = true;
    struct vv_edge *e = node->edge_count ? vv_first_edge(node) : NULL;
    for (; e; e = vv_indexed_pool_at(all, e->next)) {
        const uint32_t rank = walk_rank_of(e);
        sorted[count++] = e;
        in_order &= last <= rank;
        last = rank;
    }
    if (!in_order && node->kind != VARVE_LIST)
        qsort(walk->sorted, count, sizeof *walk->sorted, walk_compare_edges);
    return walk->sorted;
}

static bool walk_edges_of(struct vv_walk *walk, varve_node *node)
{
    if (node->edge_count == 0)
        return true;
    if (!vv_grow_array(walk->allocator, &walk->sorted, &walk->sorted_capacity,
            node->edge_count, sizeof *walk->sorted))
        return false;
    struct vv_edge *const *edges = vv_walk_edges(walk, node);
    size_t count = vv_walk_edge_count(walk, node);
    for (size_t i = 0; i < count; i++) {
        varve_node *child = edges[i]->public.node;
        if (!vv_walk_has(walk, child) &&
            !walk_add_step(walk, (struct vv_step){ child, edges[i], NULL }))
            return false;
    }
    return true;
}

/* A slot of one owner whose variable has been visited. */
struct slot_item {
    uint32_t variable;
    struct vv_slot *slot;
};

static int walk_compare_slots(const void *left, const void *right)
{
    const struct slot_item *a = left;
    const struct slot_item *b = right;
    if (a->variable != b->variable)
        return a->variable < b->variable ? -1 : 1;
    uint32_t x = a->slot->name->rank;
    uint32_t y = b->slot->name->rank;
    return (x > y) - (x < y);
}

static bool walk_slots_of(struct vv_walk *walk, varve_node *owner)
{
    const varve_allocator *a = walk->allocator;
    size_t count = 0;
    for (struct vv_slot *s = vv_slot_first_of(owner); s; s = s->next)
        count += vv_walk_has(walk, s->public.variable);
    if (count == 0)
        return true;
    struct slot_item *items = vv_allocate_array(a, count, sizeof *items);
    bool done = items && vv_grow_array(a, &walk->slots, &walk->slot_capacity,
                             walk->slot_count + count, sizeof *walk->slots);
    if (done) {
        size_t i = 0;
        for (struct vv_slot *s = vv_slot_first_of(owner); s; s = s->next) {
            if (vv_walk_has(walk, s->public.variable))
                items[i++] =
                    (struct slot_item){ vv_walk_place(walk, s->public.variable),
                        s };
        }
        qsort(items, count, sizeof *items, walk_compare_slots);
        for (i = 0; i < count; i++)
            walk->slots[walk->slot_count++] = items[i].slot;
    }
    vv_release(a, items, count * sizeof *items);
    return done;
}

static bool walk_all(struct vv_walk *walk)
{
    for (size_t i = 0; i < walk->count; i++) {
        if (!walk_edges_of(walk, walk->steps[i].node))
            return false;
    }
    size_t ordinary = walk->count;
    for (size_t i = 0; i < ordinary; i++) {
        varve_node *node = walk->steps[i].node;
        if (node->attachments && !walk_slots_of(walk, node))
            return false;
    }
    for (size_t i = 0; i < walk->slot_count; i++) {
        struct vv_slot *slot = walk->slots[i];
        if (!vv_walk_has(walk, slot->public.node) &&
            !walk_add_step(
                walk, (struct vv_step){ slot->public.node, NULL, slot }))
            return false;
    }
    return true;
}

/* Takes the table of an earlier walk, or allocates one, larger than necessary
 * if the graph has outgrown that of an earlier walk. */
static void walk_take_places(struct vv_walk *walk)
{
    varve_graph *graph = walk->graph;
    walk->number_limit = graph->number_limit;
    if (graph->spare_places && graph->spare_limit >= walk->number_limit) {
        walk->place_of = graph->spare_places;
        walk->number_limit = graph->spare_limit;
        graph->spare_places = NULL;
        return;
    }
    if (graph->spare_places) {
        vv_graph_free_spare(graph);
        walk->number_limit *= 2;
    }
    walk->place_of = vv_allocate_zeroed(
        walk->allocator, walk->number_limit * sizeof *walk->place_of);
}

/* Makes room for the steps of all nodes at once if the walk reaches all or most
 * of them, so that the array does not grow by doubling. Returns false if out of
 * memory. */
static bool walk_expect_all(struct vv_walk *walk, const varve_node *root)
{
    const varve_graph *graph = walk->graph;
    if (walk->ends || root != graph->root)
        return true;
    walk->steps = vv_allocate_array(
        walk->allocator, graph->number_limit, sizeof *walk->steps);
    walk->capacity = walk->steps ? graph->number_limit : 0;
    return walk->steps;
}

varve_status vv_walk_begin_above(struct vv_walk *walk, varve_node *root,
    vv_walk_end_at *ends, varve_error *error)
{
    varve_graph *graph = root->graph;
    *walk = (struct vv_walk){
        .allocator = &graph->context.allocator,
        .graph = graph,
        .ends = ends,
    };
    walk_take_places(walk);
    if (!walk->place_of || !walk_expect_all(walk, root) ||
        !vv_names_rank(&graph->names) ||
        !walk_add_step(walk, (struct vv_step){ root, NULL, NULL }) ||
        !walk_all(walk) ||
        !(walk->sizes = vv_allocate_zeroed(
              walk->allocator, walk->count * sizeof *walk->sizes))) {
        vv_walk_end(walk);
        return walk_no_memory(error);
    }
    return VARVE_OK;
}

varve_status vv_walk_begin(
    struct vv_walk *walk, varve_node *root, varve_error *error)
{
    return vv_walk_begin_above(walk, root, NULL, error);
}

void vv_walk_end_in_place(struct vv_walk *walk)
{
    varve_graph *graph = walk->graph;
    if (walk->place_of && !graph->spare_places &&
        walk->count < walk->number_limit / FEW) {
        for (size_t i = 0; i < walk->count; i++)
            walk->place_of[walk->steps[i].node->number] = 0;
        graph->spare_places = walk->place_of;
        graph->spare_limit = walk->number_limit;
        walk->place_of = NULL;
    }
    vv_walk_end(walk);
}

void vv_walk_end(struct vv_walk *walk)
{
    const varve_allocator *a = walk->allocator;
    vv_release(a, walk->sizes, walk->count * sizeof *walk->sizes);
    vv_release(a, walk->steps, walk->capacity * sizeof *walk->steps);
    vv_release(a, walk->place_of, walk->number_limit * sizeof *walk->place_of);
    vv_release(a, walk->slots, walk->slot_capacity * sizeof *walk->slots);
    vv_release(a, walk->sorted, walk->sorted_capacity * sizeof *walk->sorted);
    *walk = (struct vv_walk){ .allocator = a };
}

/* --- Paths -------------------------------------------------------------- */

/* Returns the bytes that an edge adds to the path of its parent. */
static size_t walk_size_of_edge(
    const struct vv_walk *walk, const struct vv_edge *edge)
{
    bool has_slash = walk->steps[vv_walk_place(walk, edge->parent)].edge;
    return has_slash +
           vv_path_name_size(edge->public.name, vv_edge_name(edge)->size);
}

/* Returns the size of the path of edges to a place, and stores it, and those of
 * the places above. */
static size_t walk_size(const struct vv_walk *walk, size_t place)
{
    size_t sum = 0, at = place;
    const struct vv_edge *edge;
    while (!vv_path_size_at(walk->sizes, at) && (edge = walk->steps[at].edge)) {
        sum += walk_size_of_edge(walk, edge);
        at = vv_walk_place(walk, edge->parent);
    }
    const size_t above = vv_path_size_at(walk->sizes, at);
    sum += above;
    for (size_t left = sum; place != at;) {
        edge = walk->steps[place].edge;
        vv_path_size_set(walk->sizes, place,
            vv_path_size_kept(above == VV_PATH_SIZE_MANY ? above : left));
        left -= walk_size_of_edge(walk, edge);
        place = vv_walk_place(walk, edge->parent);
    }
    return sum;
}

/* Writes the names of the edges up to the root, as far as there is room. */
static void walk_add_edges(
    const struct vv_walk *walk, size_t place, struct vv_path_end *end)
{
    const struct vv_edge *edge = walk->steps[place].edge;
    while (edge && !vv_path_end_is_full(end)) {
        vv_path_end_add_name(end, edge->public.name, vv_edge_name(edge)->size);
        place = vv_walk_place(walk, edge->parent);
        edge = walk->steps[place].edge;
        if (edge)
            vv_path_end_add(end, '/');
    }
}

static void walk_set_slot_path(const struct vv_walk *walk,
    const struct vv_slot *slot, size_t longest, struct vv_buffer *path)
{
    size_t owner = vv_walk_place(walk, slot->owner);
    size_t variable = vv_walk_place(walk, slot->public.variable);
    size_t owner_size = walk_size(walk, owner);
    size_t size = owner_size + (owner_size > 0) +
                  vv_path_name_size(slot->name->bytes, slot->name->size) +
                  strlen("()") + walk_size(walk, variable);
    struct vv_path_end end;
    if (!vv_path_end_begin(&end, path, size, longest))
        return;
    vv_path_end_add(&end, ')');
    walk_add_edges(walk, variable, &end);
    vv_path_end_add(&end, '(');
    vv_path_end_add_name(&end, slot->name->bytes, slot->name->size);
    if (owner_size > 0)
        vv_path_end_add(&end, '/');
    walk_add_edges(walk, owner, &end);
    vv_path_end_finish(&end, path);
}

void vv_walk_short_path(const struct vv_walk *walk, size_t place,
    size_t longest, struct vv_buffer *path)
{
    const struct vv_slot *slot = walk->steps[place].slot;
    struct vv_path_end end;
    if (slot) {
        walk_set_slot_path(walk, slot, longest, path);
    } else if (vv_path_end_begin(&end, path, walk_size(walk, place), longest)) {
        walk_add_edges(walk, place, &end);
        vv_path_end_finish(&end, path);
    }
}

void vv_walk_path(
    const struct vv_walk *walk, size_t place, struct vv_buffer *path)
{
    vv_walk_short_path(walk, place, VV_LONGEST_PATH, path);
}

/* --- Paths of all nodes ------------------------------------------------- */

/* Computes the paths of nodes in their order. A path can have 4,095 bytes, and
 * a small file can have many deep nodes. So the path of a node is made from
 * that of its parent: children follow each other, and below a shortened path a
 * few edges are sufficient. */
struct walk_paths {
    const struct vv_walk *walk;
    struct vv_buffer path, parent;
    size_t path_place, parent_place;
};

static void walk_paths_begin(struct walk_paths *p, const struct vv_walk *walk)
{
    *p = (struct walk_paths){
        .walk = walk, .path_place = SIZE_MAX, .parent_place = SIZE_MAX
    };
    vv_buffer_init(&p->path, walk->allocator);
    vv_buffer_init(&p->parent, walk->allocator);
}

static void walk_paths_end(struct walk_paths *p)
{
    vv_buffer_clear(&p->path);
    vv_buffer_clear(&p->parent);
}

/* Adds an edge to the path of its parent. */
static void walk_paths_add(
    struct walk_paths *p, struct vv_buffer *path, const struct vv_edge *edge)
{
    size_t above = vv_walk_place(p->walk, edge->parent);
    if (path->size)
        vv_buffer_add8(path, '/');
    vv_path_add_name(path, edge->public.name, vv_edge_name(edge)->size);
    if (walk_size(p->walk, above) > VV_LONGEST_PATH)
        vv_path_shorten_on(path);
    else
        vv_path_shorten(path, VV_LONGEST_PATH);
}

static void go_to_parent(struct walk_paths *p, size_t place)
{
    const struct vv_edge *edge = p->walk->steps[place].edge;
    if (p->parent_place == place)
        return;
    if (edge && p->parent_place != SIZE_MAX &&
        vv_walk_place(p->walk, edge->parent) == p->parent_place) {
        walk_paths_add(p, &p->parent, edge);
    } else if (p->path_place == place) {
        struct vv_buffer last = p->path;
        p->path = p->parent;
        p->parent = last;
    } else if (walk_size(p->walk, place) > VV_LONGEST_PATH) {
        vv_walk_short_path(p->walk, place, VV_SHORTENED_PATH, &p->parent);
    } else {
        vv_walk_path(p->walk, place, &p->parent);
    }
    p->parent_place = place;
}

/* Must be called in the order of the places, so that parents come before their
 * children. */
static const char *walk_paths_at(struct walk_paths *p, size_t place)
{
    const struct vv_edge *edge = p->walk->steps[place].edge;
    if (!edge) {
        vv_walk_path(p->walk, place, &p->path);
        p->path_place = SIZE_MAX;
        return vv_buffer_string(&p->path);
    }
    size_t above = vv_walk_place(p->walk, edge->parent);
    go_to_parent(p, above);
    p->path.size = 0;
    vv_buffer_add(&p->path, p->parent.data, p->parent.size);
    walk_paths_add(p, &p->path, edge);
    p->path_place = place;
    p->path.failed |= p->parent.failed;
    return vv_buffer_string(&p->path);
}

/* --- Functions for programs --------------------------------------------- */

static bool is_waiting(const varve_node *node)
{
    return node->variable && (node->value_state == VARVE_DECLARED ||
                                 node->value_state == VARVE_PENDING);
}

static varve_status visit_each(struct vv_walk *walk, struct walk_paths *paths,
    varve_visit *visit, void *user, varve_error *error)
{
    varve_status status = VARVE_OK;
    for (size_t i = 0; i < walk->count && status == VARVE_OK; i++) {
        const char *text = walk_paths_at(paths, i);
        status = paths->path.failed ? walk_no_memory(error)
                                    : visit(user, walk->steps[i].node, text);
    }
    return status;
}

/* There are few such nodes, so each path is made separately. */
static varve_status visit_waiting(struct vv_walk *walk, struct vv_buffer *path,
    varve_visit *visit, void *user, varve_error *error)
{
    varve_status status = VARVE_OK;
    for (size_t i = 0; i < walk->count && status == VARVE_OK; i++) {
        if (!is_waiting(walk->steps[i].node))
            continue;
        vv_walk_path(walk, i, path);
        const char *text = vv_buffer_string(path);
        status = path->failed ? walk_no_memory(error)
                              : visit(user, walk->steps[i].node, text);
    }
    return status;
}

static varve_status walk_visit_all(varve_node *root, varve_visit *visit,
    void *user, bool only_empty, varve_error *error)
{
    struct vv_walk walk;
    struct walk_paths paths;
    /* Variables without values are listed even if the graph has an error,
     * because they may be that error. */
    if (!only_empty || root->kind == VARVE_NIL)
        VV_TRY(vv_node_check(root, error));
    VV_TRY(vv_walk_begin(&walk, root, error));
    walk_paths_begin(&paths, &walk);
    enum vv_hold older = vv_graph_hold(walk.graph, VV_HOLDS_EDGES);
    varve_status status =
        only_empty ? visit_waiting(&walk, &paths.path, visit, user, error)
                   : visit_each(&walk, &paths, visit, user, error);
    vv_graph_let_go(walk.graph, older);
    walk_paths_end(&paths);
    vv_walk_end(&walk);
    return status;
}

varve_status varve_walk(
    varve_node *root, varve_visit *visit, void *user, varve_error *error)
{
    root = vv_or_nil(root);
    return walk_visit_all(root, visit, user, false, error);
}

varve_status varve_report_uninitialized(
    varve_node *root, varve_visit *visit, void *user, varve_error *error)
{
    root = vv_or_nil(root);
    return walk_visit_all(root, visit, user, true, error);
}
