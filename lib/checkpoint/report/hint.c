/* hint.c - the first edge that is missing on the way to something, and the
 * sibling whose name is nearest to it; failing that, the only one of the same
 * type and shape. Siblings that have found their match do not count.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hint.h"

#include <string.h>

#include "allocator.h"
#include "binding.h"
#include "edge.h"
#include "graph.h"
#include "name.h"
#include "nearest.h"
#include "shape.h"
#include "variable.h"

enum {
    MOST_HINTS = 200,     /* a report names no more nearest names */
    MOST_SIBLINGS = 1000, /* nor looks at more siblings for one, */
    MOST_LOOKS = 300000,  /* or for all */
    MOST_NAME = 255       /* bytes of a name that are shown */
};

void vv_hints_begin(struct vv_hints *hints, struct varve_restoration *r,
    const struct vv_walk *walk)
{
    *hints = (struct vv_hints){ .r = r, .walk = walk };
    vv_buffer_init(&hints->text, &r->context.allocator);
    hints->known = vv_allocate_zeroed(&r->context.allocator,
        vv_index_of(r)->node_count * sizeof *hints->known);
}

void vv_hints_end(struct vv_hints *hints)
{
    if (!hints->r)
        return;
    vv_buffer_clear(&hints->text);
    vv_release(&hints->r->context.allocator, hints->known,
        vv_index_of(hints->r)->node_count * sizeof *hints->known);
}

/* A name may be longer than anybody reads. */
static void add_name(struct vv_hints *hints, const char *bytes, size_t size)
{
    if (size <= MOST_NAME) {
        vv_path_add_name(&hints->text, bytes, size);
        return;
    }
    for (size = MOST_NAME; ((unsigned char)bytes[size] & 0xc0) == 0x80;)
        size--;
    vv_path_add_name(&hints->text, bytes, size);
    vv_buffer_add_string(&hints->text, "...");
}

/* The candidate that is best so far. */
struct best {
    const char *bytes;
    size_t size;
    size_t distance;
    const char *alike; /* of the same type and shape, if there is only one */
    size_t alike_size;
    size_t alike_count;
};

static bool may_look(struct vv_hints *hints)
{
    return hints->given < MOST_HINTS && hints->looked++ < MOST_LOOKS;
}

static void consider(struct best *best, const char *wanted, size_t wanted_size,
    const char *bytes, size_t size)
{
    if (!vv_is_near(wanted, wanted_size, bytes, size))
        return;
    size_t distance =
        vv_edit_distance(wanted, wanted_size, bytes, size, VV_NEAREST_MAX_SIZE);
    if (!best->bytes || distance < best->distance) {
        best->bytes = bytes;
        best->size = size;
        best->distance = distance;
    }
}

static void consider_alike(
    struct best *best, const char *bytes, size_t size, bool is_alike)
{
    if (!is_alike)
        return;
    best->alike = bytes;
    best->alike_size = size;
    best->alike_count++;
}

static const char *name_of(
    struct vv_hints *hints, const struct best *best, struct vv_arena *arena)
{
    const char *bytes = best->bytes;
    size_t size = best->size;
    if (!bytes && best->alike_count == 1) {
        bytes = best->alike;
        size = best->alike_size;
    }
    if (!bytes)
        return NULL;
    hints->given++;
    hints->text.size = 0;
    add_name(hints, bytes, size);
    return hints->text.failed
               ? NULL
               : vv_arena_text(
                     arena, (const char *)hints->text.data, hints->text.size);
}

static bool is_alike(const varve_tensor *saved, const varve_node *node)
{
    return saved && node->variable &&
           saved->dtype == node->variable->tensor.dtype &&
           vv_shape_equal(saved, &node->variable->tensor);
}

/* Among the children of a node of the program that have no match yet. */
static const char *nearest_child(struct vv_hints *hints,
    const varve_node *parent, const char *wanted, size_t wanted_size,
    uint32_t file, struct vv_arena *arena)
{
    struct best best = { 0 };
    uint32_t value = hints->r->value_of[file];
    varve_tensor saved;
    if (value != VV_NONE)
        saved = vv_saved(hints->r, value);
    size_t seen = 0;
    for (struct vv_edge *e = parent->first_edge;
         e && seen < MOST_SIBLINGS && may_look(hints); e = e->next, seen++) {
        if (vv_file_node_of(hints->r, e->seen.node) != VV_NONE)
            continue;
        consider(&best, wanted, wanted_size, e->name->bytes, e->name->size);
        consider_alike(&best, e->name->bytes, e->name->size,
            is_alike(value != VV_NONE ? &saved : NULL, e->seen.node));
    }
    return name_of(hints, &best, arena);
}

static void begin_reason(struct vv_hints *hints, const varve_node *node)
{
    hints->text.size = 0;
    if (node == hints->r->root) {
        vv_buffer_add_string(&hints->text, "the root");
    } else if (hints->walk && vv_walk_has(hints->walk, node)) {
        vv_walk_short_path(hints->walk, vv_walk_place(hints->walk, node),
            VV_LONGEST_PATH, &hints->text);
    } else {
        vv_buffer_add_string(&hints->text, "the program");
    }
}

static const char *end_reason(struct vv_hints *hints, struct vv_arena *arena)
{
    const char *copy = hints->text.failed ? NULL
                                          : vv_arena_text(arena,
                                                (const char *)hints->text.data,
                                                hints->text.size);
    return copy ? copy : "";
}

/* A slot whose owner and variable are there is not made; else the one that is
 * missing tells the reason. */
static struct vv_hint hint_for_slot(
    struct vv_hints *hints, uint32_t slot, struct vv_arena *arena)
{
    const struct vv_index *index = vv_index_of(hints->r);
    uint32_t owner = vv_at32(index->slot_owners, slot);
    uint32_t variable = vv_at32(index->slot_variables, slot);
    if (!hints->r->node_of[owner])
        return vv_hint_for_file(hints, owner, arena);
    if (!hints->r->node_of[variable])
        return vv_hint_for_file(hints, variable, arena);
    size_t size;
    const char *name =
        vv_index_name(index, vv_at32(index->slot_names, slot), &size);
    begin_reason(hints, hints->r->node_of[owner]);
    vv_buffer_add_string(&hints->text, " has no slot \"");
    add_name(hints, name, size);
    vv_buffer_add_string(&hints->text, "\" for this variable");
    return (struct vv_hint){ .reason = end_reason(hints, arena) };
}

/* The edge of that name, if the program has it: something else than a missing
 * edge is the reason then. */
static const struct vv_edge *edge_of(
    const varve_node *parent, const char *bytes, size_t size)
{
    const struct vv_name *name =
        vv_names_find(&parent->graph->names, bytes, size);
    return name ? vv_edge_find(parent, name) : NULL;
}

/* Of a node whose parent is bound, or which is the root's child. */
static struct vv_hint hint_for_edge(
    struct vv_hints *hints, uint32_t file, struct vv_arena *arena)
{
    const struct vv_saved_paths *paths = &hints->r->paths;
    const struct vv_index *index = vv_index_of(hints->r);
    const varve_node *parent = hints->r->node_of[paths->parents[file]];
    if (!parent)
        return (struct vv_hint){ .reason = "the root did not match" };
    size_t size;
    const char *name = vv_index_name(
        index, vv_at32(index->edge_names, paths->ways[file]), &size);
    const struct vv_edge *edge = edge_of(parent, name, size);
    if (edge && vv_file_node_of(hints->r, edge->seen.node) == VV_NONE)
        return (struct vv_hint){ .reason = "a rename leads elsewhere" };
    if (edge)
        return (struct vv_hint){
            .reason = "the node of the program has claimed another one"
        };
    begin_reason(hints, parent);
    vv_buffer_add_string(&hints->text, " has no edge \"");
    add_name(hints, name, size);
    vv_buffer_add8(&hints->text, '"');
    struct vv_hint hint = { .reason = end_reason(hints, arena) };
    hint.nearest = nearest_child(hints, parent, name, size, file, arena);
    return hint;
}

/* The node below the first missing edge on the way to another; or one that is
 * known to have the same. */
static uint32_t find_top(const struct vv_hints *hints, uint32_t file)
{
    const uint32_t *parents = hints->r->paths.parents;
    while (parents[file] != hints->r->paths.root &&
           !hints->r->node_of[parents[file]] &&
           !(hints->known && hints->known[file]))
        file = parents[file];
    return file;
}

/* Makes a hint known for a node and for all up to the missing edge. */
static void remember(struct vv_hints *hints, uint32_t file, uint32_t top,
    const struct vv_hint *hint)
{
    hints->known[top] = hint;
    for (; file != top; file = hints->r->paths.parents[file])
        hints->known[file] = hint;
}

struct vv_hint vv_hint_for_file(
    struct vv_hints *hints, uint32_t file, struct vv_arena *arena)
{
    const struct vv_saved_paths *paths = &hints->r->paths;
    if (file == paths->root || !hints->walk)
        return (struct vv_hint){ .reason = "the program is gone" };
    if (paths->ways[file] & VV_WAY_IS_SLOT)
        return hint_for_slot(hints, paths->ways[file] & ~VV_WAY_IS_SLOT, arena);
    uint32_t top = find_top(hints, file);
    const struct vv_hint *known = hints->known ? hints->known[top] : NULL;
    struct vv_hint hint = known ? *known : hint_for_edge(hints, top, arena);
    struct vv_hint *kept =
        known || !hints->known ? NULL : vv_arena_take(arena, sizeof *kept);
    if (kept) {
        *kept = hint;
        known = kept;
    }
    if (known)
        remember(hints, file, top, known);
    return hint;
}

/* Among the children of a node of the file that nothing is bound to. */
static const char *nearest_saved(struct vv_hints *hints, uint32_t parent,
    const char *wanted, size_t wanted_size, const varve_node *node,
    struct vv_arena *arena)
{
    const struct vv_index *index = vv_index_of(hints->r);
    struct best best = { 0 };
    uint32_t begin, end;
    vv_index_edges(index, parent, &begin, &end);
    for (uint32_t e = begin;
         e < end && e - begin < MOST_SIBLINGS && may_look(hints); e++) {
        uint32_t child = vv_at32(index->edge_children, e);
        uint32_t value = hints->r->value_of[child];
        if (hints->r->node_of[child])
            continue;
        size_t size;
        const char *name =
            vv_index_name(index, vv_at32(index->edge_names, e), &size);
        varve_tensor saved;
        if (value != VV_NONE)
            saved = vv_saved(hints->r, value);
        consider(&best, wanted, wanted_size, name, size);
        consider_alike(&best, name, size,
            is_alike(value != VV_NONE ? &saved : NULL, node));
    }
    return name_of(hints, &best, arena);
}

/* The file has an edge of that name, but it did not come to this node. */
static struct vv_hint hint_for_taken(struct vv_hints *hints, uint32_t file,
    const struct vv_name *name, struct vv_arena *arena)
{
    const varve_node *node = hints->r->node_of[file];
    if (!node)
        return (struct vv_hint){ .reason = "a rename leads elsewhere" };
    begin_reason(hints, node);
    vv_buffer_add_string(&hints->text, " of the program has claimed \"");
    add_name(hints, name->bytes, name->size);
    vv_buffer_add8(&hints->text, '"');
    return (struct vv_hint){ .reason = end_reason(hints, arena) };
}

struct vv_hint vv_hint_for_program(
    struct vv_hints *hints, const varve_node *node, struct vv_arena *arena)
{
    const struct vv_step *step =
        &hints->walk->steps[vv_walk_place(hints->walk, node)];
    if (step->slot)
        return (struct vv_hint){ .reason = "the file has no such slot" };
    while (step->edge && step->edge->parent != hints->r->root &&
           vv_file_node_of(hints->r, step->edge->parent) == VV_NONE)
        step =
            &hints->walk->steps[vv_walk_place(hints->walk, step->edge->parent)];
    uint32_t file =
        step->edge ? vv_file_node_of(hints->r, step->edge->parent) : VV_NONE;
    if (file == VV_NONE)
        return (struct vv_hint){ .reason = "the file has no such node" };
    const struct vv_name *name = step->edge->name;
    uint32_t id = vv_name_in_file(hints->r, name);
    uint32_t taken = id == VV_NONE
                         ? VV_NONE
                         : vv_index_find_child(vv_index_of(hints->r), file, id);
    if (taken != VV_NONE)
        return hint_for_taken(hints, taken, name, arena);
    vv_saved_path(&hints->r->paths, file, &hints->text);
    if (hints->text.size == 0)
        vv_buffer_add_string(&hints->text, "the root");
    vv_buffer_add_string(&hints->text, " of the file has no edge \"");
    add_name(hints, name->bytes, name->size);
    vv_buffer_add8(&hints->text, '"');
    struct vv_hint hint = { .reason = end_reason(hints, arena) };
    hint.nearest =
        nearest_saved(hints, file, name->bytes, name->size, step->node, arena);
    return hint;
}

/* --- Patterns ----------------------------------------------------------- */

/* Where a pattern has come to, in the program or in the file. */
struct stand {
    const varve_node *node;
    uint32_t file;
};

/* Goes on to the child of a name; false if there is none, and `best` is the
 * nearest of those there are. */
static bool step_program(struct vv_hints *hints, struct stand *stand,
    const char *bytes, size_t size, struct best *best)
{
    const struct vv_edge *edge = edge_of(stand->node, bytes, size);
    if (edge) {
        stand->node = edge->seen.node;
        return true;
    }
    size_t seen = 0;
    for (edge = stand->node->first_edge;
         edge && seen < MOST_SIBLINGS && may_look(hints);
         edge = edge->next, seen++)
        consider(best, bytes, size, edge->name->bytes, edge->name->size);
    return false;
}

static bool step_file(struct vv_hints *hints, struct stand *stand,
    const char *bytes, size_t size, struct best *best)
{
    const struct vv_index *index = vv_index_of(hints->r);
    uint32_t begin, end, id = vv_index_find_name(index, bytes, size);
    uint32_t child =
        id == VV_NONE ? VV_NONE : vv_index_find_child(index, stand->file, id);
    if (child != VV_NONE) {
        stand->file = child;
        return true;
    }
    vv_index_edges(index, stand->file, &begin, &end);
    for (uint32_t e = begin;
         e < end && e - begin < MOST_SIBLINGS && may_look(hints); e++) {
        size_t name_size;
        const char *name =
            vv_index_name(index, vv_at32(index->edge_names, e), &name_size);
        consider(best, bytes, size, name, name_size);
    }
    return false;
}

static const char *mend_pattern(struct vv_hints *hints, struct vv_text pattern,
    const struct best *best, struct vv_text name, struct vv_arena *arena)
{
    struct vv_text begin = { pattern.bytes,
        (size_t)(name.bytes - pattern.bytes) };
    struct vv_text rest = { name.bytes + name.size,
        pattern.size - begin.size - name.size };
    hints->given++;
    hints->text.size = 0;
    vv_buffer_add(&hints->text, begin.bytes, begin.size);
    add_name(hints, best->bytes, best->size);
    vv_buffer_add(&hints->text, rest.bytes, rest.size);
    return end_reason(hints, arena);
}

static const char *find_slip(struct vv_hints *hints, struct vv_text pattern,
    bool of_file, struct vv_arena *arena)
{
    struct stand stand = { hints->r->root, hints->r->file_root };
    struct vv_text rest = pattern, name;
    struct best best = { 0 };
    struct vv_buffer bytes;
    bool goes_on = of_file || (hints->walk && stand.node);
    vv_buffer_init(&bytes, &hints->r->context.allocator);
    while (goes_on && vv_text_next_name(&rest, &name)) {
        goes_on = vv_name_pattern_is_literal(name) &&
                  !memchr(name.bytes, '(', name.size);
        bytes.size = 0;
        vv_name_pattern_unescape(name, &bytes);
        const char *text = vv_buffer_string(&bytes);
        if (goes_on)
            goes_on =
                of_file ? step_file(hints, &stand, text, bytes.size, &best)
                        : step_program(hints, &stand, text, bytes.size, &best);
    }
    vv_buffer_clear(&bytes);
    return best.bytes ? mend_pattern(hints, pattern, &best, name, arena) : NULL;
}

const char *vv_hint_for_pattern(struct vv_hints *hints, struct vv_text pattern,
    bool of_file, struct vv_arena *arena)
{
    const char *found =
        of_file ? NULL : find_slip(hints, pattern, false, arena);
    return found ? found : find_slip(hints, pattern, true, arena);
}
