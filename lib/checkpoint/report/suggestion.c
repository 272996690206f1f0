/* suggestion.c - Suggests the unmatched sibling with the nearest name, or the
 * only one with the same type and shape or children, and then follows equal
 * names below it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "suggestion.h"

#include <string.h>

#include "allocator.h"
#include "edge.h"
#include "graph.h"
#include "name.h"
#include "name_pattern.h"
#include "nearest.h"
#include "typed_memory.h"
#include "variable.h"

enum {
    MOST_GIVEN = 200,     /* number of suggestions in a report */
    MOST_CHILDREN = 16,   /* children compared of an object */
    MOST_SIBLINGS = 1000, /* number of siblings compared for one suggestion */
    MOST_LOOKS = 300000,  /* the same for all suggestions */
    MOST_STEPS = VV_LONGEST_PATH / 2 + 1 /* names in a path that can be shown */
};

/* Stands for an edge that was searched for and not found. */
static const struct vv_edge nothing;

bool vv_likely_begin(
    struct vv_likely *l, const struct vv_pairing *p, const struct vv_walk *walk)
{
    const varve_allocator *a = &p->context.allocator;
    size_t nodes = vv_index_of(p)->node_count;
    size_t places = walk ? walk->count : 0;
    *l = (struct vv_likely){ .p = p, .walk = walk };
    vv_buffer_init(&l->text, a);
    vv_buffer_init(&l->owner, a);
    vv_buffer_init(&l->way, a);
    l->tops = vv_allocate_zeroed(a, nodes * sizeof *l->tops);
    l->edges = vv_allocate_zeroed(a, nodes * sizeof *l->edges);
    l->places = vv_allocate_zeroed(a, places * sizeof *l->places);
    l->saved_edges = vv_allocate_zeroed(a, places * sizeof *l->saved_edges);
    return l->tops && l->edges && (!walk || (l->places && l->saved_edges));
}

void vv_likely_end(struct vv_likely *l)
{
    if (!l->p)
        return;
    const varve_allocator *a = &l->p->context.allocator;
    size_t nodes = vv_index_of(l->p)->node_count;
    size_t places = l->walk ? l->walk->count : 0;
    vv_buffer_clear(&l->text);
    vv_buffer_clear(&l->owner);
    vv_buffer_clear(&l->way);
    vv_release(a, l->tops, nodes * sizeof *l->tops);
    vv_release(a, l->edges, nodes * sizeof *l->edges);
    vv_release(a, l->places, places * sizeof *l->places);
    vv_release(a, l->saved_edges, places * sizeof *l->saved_edges);
}

/* --- Choosing ----------------------------------------------------------- */

bool vv_likely_may_look(struct vv_likely *l, struct vv_best *best)
{
    return best->seen++ < MOST_SIBLINGS && l->given < MOST_GIVEN &&
           l->looked++ < MOST_LOOKS;
}

/* Returns true if the distance of a name is less than the least one so far. */
static bool suggestion_is_nearer(
    const struct vv_best *best, struct vv_text name)
{
    size_t bound = best->distance;
    return bound > 0 && vv_edit_distance(best->wanted.bytes, best->wanted.size,
                            name.bytes, name.size, bound - 1) < bound;
}

void vv_likely_consider(struct vv_best *best, struct vv_text name,
    uint32_t place, const void *item, bool is_alike)
{
    if (is_alike) {
        best->alike_place = place;
        best->alike_item = item;
        best->alike_count++;
    }
    if (best->has_one && !suggestion_is_nearer(best, name))
        return;
    if (!vv_is_near(
            best->wanted.bytes, best->wanted.size, name.bytes, name.size))
        return;
    size_t distance =
        vv_edit_distance(best->wanted.bytes, best->wanted.size, name.bytes,
            name.size, best->has_one ? best->distance : VV_NEAREST_MAX_SIZE);
    if (best->has_one && distance >= best->distance)
        return;
    best->has_one = true;
    best->name = name;
    best->place = place;
    best->item = item;
    best->distance = distance;
}

/* Uses the only candidate of the same type and shape if no name is near. */
static bool suggestion_choose(struct vv_likely *l, struct vv_best *best)
{
    if (!best->has_one && best->alike_count == 1) {
        best->has_one = true;
        best->place = best->alike_place;
        best->item = best->alike_item;
    }
    l->given += best->has_one;
    return best->has_one;
}

/* Compares the types and shapes of two variables. */
static bool suggestion_has_same_value(
    const struct vv_likely *l, uint32_t file, const varve_node *node)
{
    uint32_t value = vv_value_of(l->p, file);
    if (value == VV_NONE || !node->variable)
        return value == VV_NONE && !node->variable;
    varve_tensor saved = vv_saved(l->p, value), wanted = vv_whole_of(node);
    return saved.dtype == wanted.dtype && vv_shape_equal(&saved, &wanted);
}

/* Returns true if both are variables of the same type and shape, or objects
 * whose children have the same names, and are alike if they are variables. */
static bool suggestion_is_alike(
    const struct vv_likely *l, uint32_t file, const varve_node *node)
{
    const struct vv_index *index = vv_index_of(l->p);
    uint32_t begin, end;
    vv_index_edges(index, file, &begin, &end);
    if (end - begin != node->edge_count || end - begin > MOST_CHILDREN ||
        !suggestion_has_same_value(l, file, node))
        return false;
    for (const struct vv_edge *e = vv_first_edge(node); e;
         e = vv_next_edge(e)) {
        uint32_t id = vv_find_in_file(&l->p->names, vv_edge_name(e));
        uint32_t child =
            id == VV_NONE ? VV_NONE : vv_index_find_child(index, file, id);
        if (child == VV_NONE ||
            !suggestion_has_same_value(l, child, e->public.node))
            return false;
    }
    return node->variable || node->edge_count > 0;
}

static struct vv_text suggestion_text_of(const struct vv_name *name)
{
    return (struct vv_text){ name->bytes, name->size };
}

static struct vv_text saved_name(const struct vv_likely *l, uint32_t name)
{
    struct vv_text text;
    text.bytes = vv_index_name(vv_index_of(l->p), name, &text.size);
    return text;
}

/* --- Edges -------------------------------------------------------------- */

static bool suggestion_is_free(
    const struct vv_likely *l, const varve_node *node)
{
    return vv_file_node_of(&l->p->matches, node) == VV_NONE;
}

/* Chooses the unmatched child of the program for a node of the file. */
static const struct vv_edge *choose_edge(struct vv_likely *l,
    const varve_node *parent, struct vv_text name, uint32_t file)
{
    struct vv_best best = { .wanted = name };
    for (const struct vv_edge *e = vv_first_edge(parent);
         e && vv_likely_may_look(l, &best); e = vv_next_edge(e)) {
        if (suggestion_is_free(l, e->public.node))
            vv_likely_consider(&best, suggestion_text_of(vv_edge_name(e)), 0, e,
                !best.has_one && suggestion_is_alike(l, file, e->public.node));
    }
    return suggestion_choose(l, &best) ? best.item : NULL;
}

/* Chooses the edge of the file for a node of the program, or VV_NONE. */
static uint32_t choose_saved_edge(struct vv_likely *l, uint32_t parent,
    struct vv_text name, const varve_node *node)
{
    const struct vv_index *index = vv_index_of(l->p);
    struct vv_best best = { .wanted = name };
    uint32_t begin, end;
    vv_index_edges(index, parent, &begin, &end);
    for (uint32_t e = begin; e < end && vv_likely_may_look(l, &best); e++) {
        uint32_t child = vv_at32(index->edge_children, e);
        struct vv_text other = saved_name(l, vv_at32(index->edge_names, e));
        if (!l->p->matches.node_of[child])
            vv_likely_consider(&best, other, e, NULL,
                !best.has_one && suggestion_is_alike(l, child, node));
    }
    return suggestion_choose(l, &best) ? best.place : VV_NONE;
}

static const struct vv_edge *suggestion_edge_of(
    const varve_node *parent, struct vv_text text)
{
    const struct vv_name *name =
        vv_names_find(&parent->graph->names, text.bytes, text.size);
    return name ? vv_edge_find(parent, name) : NULL;
}

/* An edge of the file. */
struct saved_edge {
    struct vv_text name;
    uint32_t child; /* VV_NONE: none */
};

static struct saved_edge saved_edge_at(const struct vv_likely *l, uint32_t edge)
{
    const struct vv_index *index = vv_index_of(l->p);
    if (edge == VV_NONE)
        return (struct saved_edge){ .child = VV_NONE };
    return (struct saved_edge){
        saved_name(l, vv_at32(index->edge_names, edge)),
        vv_at32(index->edge_children, edge),
    };
}

/* Returns the edge of the file for an edge of the program, below the node that
 * was chosen for its parent. */
static struct saved_edge saved_edge_for(
    struct vv_likely *l, uint32_t parent, const struct vv_edge *edge)
{
    struct vv_text name = suggestion_text_of(vv_edge_name(edge));
    uint32_t id = vv_find_in_file(&l->p->names, vv_edge_name(edge));
    uint32_t child = id == VV_NONE
                         ? VV_NONE
                         : vv_index_find_child(vv_index_of(l->p), parent, id);
    if (child == VV_NONE)
        return saved_edge_at(
            l, choose_saved_edge(l, parent, name, edge->public.node));
    if (l->p->matches.node_of[child])
        child = VV_NONE;
    return (struct saved_edge){ name, child };
}

/* Returns the edge of the program for an edge of the file. */
static const struct vv_edge *edge_for(struct vv_likely *l,
    const varve_node *parent, struct vv_text name, uint32_t file)
{
    const struct vv_edge *edge = suggestion_edge_of(parent, name);
    if (!edge)
        return choose_edge(l, parent, name, file);
    return suggestion_is_free(l, edge->public.node) ? edge : NULL;
}

/* --- Tops --------------------------------------------------------------- */

uint32_t vv_likely_top(struct vv_likely *l, uint32_t file)
{
    const struct vv_saved_paths *paths = &l->p->saved.paths;
    const uint32_t *parents = paths->parents;
    uint32_t top = file;
    while (!l->tops[top] && parents[top] != paths->root &&
           !l->p->matches.node_of[parents[top]])
        top = parents[top];
    if (l->tops[top])
        top = l->tops[top] - 1;
    for (l->tops[top] = top + 1; !l->tops[file]; file = parents[file])
        l->tops[file] = top + 1;
    return top;
}

static uint32_t parent_place(const struct vv_likely *l, uint32_t place)
{
    return vv_walk_place(l->walk, l->walk->steps[place].edge->parent);
}

uint32_t vv_likely_place(struct vv_likely *l, const varve_node *node)
{
    uint32_t place = vv_walk_place(l->walk, node);
    uint32_t top = place;
    while (!l->places[top] && l->walk->steps[top].edge) {
        const varve_node *parent = l->walk->steps[top].edge->parent;
        if (parent == l->p->root || !suggestion_is_free(l, parent))
            break;
        top = parent_place(l, top);
    }
    if (l->places[top])
        top = l->places[top] - 1;
    for (l->places[top] = top + 1; !l->places[place];
         place = parent_place(l, place))
        l->places[place] = top + 1;
    return top;
}

static struct vv_text way_name(const struct vv_likely *l, uint32_t file)
{
    return saved_name(l,
        vv_at32(vv_index_of(l->p)->edge_names, l->p->saved.paths.ways[file]));
}

/* Returns the edge that was chosen for a top. If an edge with the same name
 * exists, the name is not a typing error, and there is no suggestion. */
static const struct vv_edge *edge_for_top(struct vv_likely *l, uint32_t top)
{
    const varve_node *parent =
        l->p->matches.node_of[l->p->saved.paths.parents[top]];
    if (!parent)
        return NULL;
    if (!l->edges[top]) {
        struct vv_text name = way_name(l, top);
        const struct vv_edge *found = NULL;
        if (!suggestion_edge_of(parent, name))
            found = choose_edge(l, parent, name, top);
        l->edges[top] = found ? found : &nothing;
    }
    return l->edges[top] == &nothing ? NULL : l->edges[top];
}

static uint32_t saved_edge_for_top(struct vv_likely *l, uint32_t top)
{
    const struct vv_edge *edge = l->walk->steps[top].edge;
    uint32_t parent =
        edge ? vv_file_node_of(&l->p->matches, edge->parent) : VV_NONE;
    if (parent == VV_NONE)
        return VV_NONE;
    if (!l->saved_edges[top]) {
        struct vv_text name = suggestion_text_of(vv_edge_name(edge));
        uint32_t id = vv_find_in_file(&l->p->names, vv_edge_name(edge));
        uint32_t found = VV_NONE;
        if (id == VV_NONE ||
            vv_index_find_child(vv_index_of(l->p), parent, id) == VV_NONE)
            found =
                choose_saved_edge(l, parent, name, l->walk->steps[top].node);
        l->saved_edges[top] = found == VV_NONE ? VV_NONE : found + 1;
    }
    return l->saved_edges[top] == VV_NONE ? VV_NONE : l->saved_edges[top] - 1;
}

/* --- Paths -------------------------------------------------------------- */

static void suggestion_add_name(struct vv_buffer *path, struct vv_text name)
{
    if (path->size)
        vv_buffer_add8(path, '/');
    vv_path_add_end(path, name.bytes, name.size, VV_LONGEST_PATH);
}

static bool pop_way(struct vv_likely *l, uint32_t *way)
{
    if (!l->way.size)
        return false;
    l->way.size -= sizeof *way;
    memcpy(way, l->way.data + l->way.size, sizeof *way);
    return true;
}

/* Lists the nodes from a node up to its top. Returns false if the path is too
 * long. */
static bool list_way(struct vv_likely *l, uint32_t file, uint32_t top)
{
    l->way.size = 0;
    for (; file != top && l->way.size < MOST_STEPS * sizeof file;
         file = l->p->saved.paths.parents[file])
        vv_buffer_add(&l->way, &file, sizeof file);
    return file == top && !l->way.failed;
}

static bool list_places(struct vv_likely *l, uint32_t place, uint32_t top)
{
    l->way.size = 0;
    for (; place != top && l->way.size < MOST_STEPS * sizeof place;
         place = parent_place(l, place))
        vv_buffer_add(&l->way, &place, sizeof place);
    return place == top && !l->way.failed;
}

/* Sets `text` to the path in the program that was chosen for a node of the
 * file, as far as it exists. Returns NULL unless the complete path exists. */
static const varve_node *find_in_program(struct vv_likely *l, uint32_t file)
{
    const varve_node *node = l->p->matches.node_of[file];
    l->text.size = 0;
    if (node && !vv_walk_has(l->walk, node))
        return NULL;
    if (node) {
        vv_walk_short_path(l->walk, vv_walk_place(l->walk, node),
            VV_LONGEST_SEARCHED_PATH, &l->text);
        return node;
    }
    if (file == l->p->saved.paths.root ||
        l->p->saved.paths.ways[file] & VV_WAY_IS_SLOT)
        return NULL;
    uint32_t top = vv_likely_top(l, file);
    const struct vv_edge *edge = edge_for_top(l, top);
    if (!edge || !vv_walk_has(l->walk, edge->parent) || !list_way(l, file, top))
        return NULL;
    vv_walk_short_path(l->walk, vv_walk_place(l->walk, edge->parent),
        VV_LONGEST_SEARCHED_PATH, &l->text);
    while (edge) {
        uint32_t next;
        suggestion_add_name(&l->text, suggestion_text_of(vv_edge_name(edge)));
        node = edge->public.node;
        if (!pop_way(l, &next))
            return node;
        edge = edge_for(l, node, way_name(l, next), next);
    }
    return NULL;
}

/* Does the same for a node of the program and the paths of the file. */
static uint32_t find_in_file(struct vv_likely *l, const varve_node *node)
{
    uint32_t file = vv_file_node_of(&l->p->matches, node);
    l->text.size = 0;
    if (file != VV_NONE) {
        vv_saved_searched_path(&l->p->saved.paths, file, &l->text);
        return file;
    }
    if (!vv_walk_has(l->walk, node))
        return VV_NONE;
    uint32_t place = vv_walk_place(l->walk, node);
    if (!l->walk->steps[place].edge)
        return VV_NONE; /* the root, or the variable of a slot */
    uint32_t top = vv_likely_place(l, node);
    struct saved_edge edge = saved_edge_at(l, saved_edge_for_top(l, top));
    if (edge.child == VV_NONE || !list_places(l, place, top))
        return VV_NONE;
    const varve_node *parent = l->walk->steps[top].edge->parent;
    vv_saved_searched_path(
        &l->p->saved.paths, vv_file_node_of(&l->p->matches, parent), &l->text);
    while (edge.child != VV_NONE) {
        uint32_t next;
        suggestion_add_name(&l->text, edge.name);
        file = edge.child;
        if (!pop_way(l, &next))
            return file;
        edge = saved_edge_for(l, file, l->walk->steps[next].edge);
    }
    return VV_NONE;
}

/* --- Slots -------------------------------------------------------------- */

/* Joins the paths of owner and variable of a slot. */
static void set_slot_path(struct vv_likely *l, struct vv_text name)
{
    suggestion_add_name(&l->owner, name);
    vv_buffer_add8(&l->owner, '(');
    vv_buffer_add(&l->owner, l->text.data, l->text.size);
    vv_buffer_add8(&l->owner, ')');
    l->text.size = 0;
    vv_buffer_add(&l->text, l->owner.data, l->owner.size);
}

static void keep_owner(struct vv_likely *l)
{
    l->owner.size = 0;
    vv_buffer_add(&l->owner, l->text.data, l->text.size);
    l->text.size = 0;
}

static const struct vv_slot *choose_slot(struct vv_likely *l,
    const varve_node *owner, const varve_node *variable, struct vv_text name,
    uint32_t file)
{
    struct vv_best best = { .wanted = name };
    const struct vv_slot *s = vv_first_slot_for(variable);
    for (; s && vv_likely_may_look(l, &best); s = s->next_on) {
        if (s->owner != owner || !suggestion_is_free(l, s->public.node))
            continue;
        if (s->name->size == name.size &&
            memcmp(s->name->bytes, name.bytes, name.size) == 0)
            return s;
        vv_likely_consider(&best, suggestion_text_of(s->name), 0, s,
            suggestion_is_alike(l, file, s->public.node));
    }
    return suggestion_choose(l, &best) ? best.item : NULL;
}

/* Chooses the slot of the program for a slot of the file. */
static bool suggestion_find_slot(struct vv_likely *l, uint32_t file)
{
    const struct vv_index *index = vv_index_of(l->p);
    uint32_t slot = l->p->saved.paths.ways[file] & ~VV_WAY_IS_SLOT;
    struct vv_text name = saved_name(l, vv_at32(index->slot_names, slot));
    const varve_node *owner =
        find_in_program(l, vv_at32(index->slot_owners, slot));
    keep_owner(l);
    const varve_node *variable =
        owner ? find_in_program(l, vv_at32(index->slot_variables, slot)) : NULL;
    const struct vv_slot *found =
        variable && variable->variable
            ? choose_slot(l, owner, variable, name, file)
            : NULL;
    if (found)
        set_slot_path(l, suggestion_text_of(found->name));
    return found;
}

static uint32_t choose_saved_slot(struct vv_likely *l, uint32_t owner,
    uint32_t variable, const struct vv_slot *slot)
{
    const struct vv_index *index = vv_index_of(l->p);
    struct vv_best best = { .wanted = suggestion_text_of(slot->name) };
    uint32_t begin, end, id = vv_find_in_file(&l->p->names, slot->name);
    vv_index_slots_for(index, owner, variable, &begin, &end);
    for (uint32_t s = begin; s < end && vv_likely_may_look(l, &best); s++) {
        uint32_t file = vv_at32(index->slot_nodes, s);
        uint32_t number = vv_at32(index->slot_names, s);
        struct vv_text name = saved_name(l, number);
        if (l->p->matches.node_of[file])
            continue;
        if (number == id)
            return s;
        vv_likely_consider(&best, name, s, NULL,
            suggestion_is_alike(l, file, slot->public.node));
    }
    return suggestion_choose(l, &best) ? best.place : VV_NONE;
}

static bool find_saved_slot(struct vv_likely *l, const struct vv_slot *slot)
{
    uint32_t owner = find_in_file(l, slot->owner);
    keep_owner(l);
    uint32_t variable =
        owner == VV_NONE ? VV_NONE : find_in_file(l, slot->public.variable);
    uint32_t found = variable == VV_NONE
                         ? VV_NONE
                         : choose_saved_slot(l, owner, variable, slot);
    l->text.size = found == VV_NONE ? 0 : l->text.size;
    if (found != VV_NONE)
        set_slot_path(
            l, saved_name(l, vv_at32(vv_index_of(l->p)->slot_names, found)));
    return found != VV_NONE;
}

/* --- Handing out -------------------------------------------------------- */

/* Returns the escape of a character that has a meaning in a rename file: a
 * blank at either end, a leading `#`, or `>` in `->`; otherwise NULL. */
static const char *escape_of(const struct vv_buffer *text, size_t at)
{
    const uint8_t *c = text->data + at;
    bool is_end = at == 0 || at + 1 == text->size;
    if (*c == ' ' && is_end)
        return "%20";
    if (*c == '#' && at == 0)
        return "%23";
    return *c == '>' && at > 0 && c[-1] == '-' ? "%3E" : NULL;
}

static const char *suggestion_give(struct vv_likely *l, struct vv_arena *arena)
{
    struct vv_buffer *path = &l->owner;
    path->size = 0;
    for (size_t i = 0; i < l->text.size && l->text.size <= VV_LONGEST_PATH;
         i++) {
        const char *escape = escape_of(&l->text, i);
        if (escape)
            vv_buffer_add_string(path, escape);
        else
            vv_buffer_add8(path, l->text.data[i]);
    }
    if (path->size == 0 || path->size > VV_LONGEST_PATH || path->failed)
        return NULL;
    const char *copy =
        vv_arena_text(arena, (const char *)path->data, path->size);
    l->text.failed |= !copy;
    return copy;
}

const char *vv_likely_in_program(
    struct vv_likely *l, uint32_t file, struct vv_arena *arena)
{
    if (l->p->saved.paths.ways[file] & VV_WAY_IS_SLOT) {
        if (!suggestion_find_slot(l, file))
            l->text.size = 0; /* a slot needs both paths */
    } else {
        find_in_program(l, file);
    }
    return suggestion_give(l, arena);
}

const char *vv_likely_in_file(
    struct vv_likely *l, const varve_node *node, struct vv_arena *arena)
{
    const struct vv_slot *slot =
        l->walk->steps[vv_walk_place(l->walk, node)].slot;
    if (slot) {
        if (!find_saved_slot(l, slot))
            l->text.size = 0;
    } else {
        find_in_file(l, node);
    }
    return suggestion_give(l, arena);
}
