/* hint.c - Describes the first missing edge on the path to an unmatched node.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hint.h"

#include <string.h>

#include "allocator.h"
#include "edge.h"
#include "graph.h"
#include "name.h"
#include "node_names.h"
#include "variable.h"

enum {
    MOST_NAME = 255,   /* bytes of a name, or of one side of a rename, that are
                          shown */
    MOST_RENAMES = 256 /* renames that are compared with one path */
};

static const char retired[] = "the program has retired this name";

bool vv_hints_begin(struct vv_hints *hints, const struct vv_pairing *p,
    const struct vv_walk *walk)
{
    *hints = (struct vv_hints){ .p = p, .walk = walk };
    vv_buffer_init(&hints->text, &p->context.allocator);
    vv_buffer_init(&hints->path, &p->context.allocator);
    hints->reasons = vv_allocate_zeroed(&p->context.allocator,
        vv_index_of(p)->node_count * sizeof *hints->reasons);
    return vv_likely_begin(&hints->likely, p, walk) && hints->reasons;
}

bool vv_hints_end(struct vv_hints *hints)
{
    if (!hints->p)
        return true;
    bool done = !hints->text.failed && !hints->likely.text.failed &&
                !hints->likely.owner.failed && !hints->likely.way.failed;
    vv_buffer_clear(&hints->text);
    vv_buffer_clear(&hints->path);
    vv_release(&hints->p->context.allocator, hints->reasons,
        vv_index_of(hints->p)->node_count * sizeof *hints->reasons);
    vv_likely_end(&hints->likely);
    return done;
}

/* Returns how many bytes of a name are shown. */
static size_t shown_size(const char *bytes, size_t size)
{
    if (size <= MOST_NAME)
        return size;
    for (size = MOST_NAME; ((unsigned char)bytes[size] & 0xc0) == 0x80;)
        size--;
    return size;
}

/* Adds a name. Long names are cut. */
static void hint_add_name(
    struct vv_hints *hints, const char *bytes, size_t size)
{
    size_t shown = shown_size(bytes, size);
    vv_path_add_name(&hints->text, bytes, shown);
    if (shown < size)
        vv_buffer_add_string(&hints->text, "...");
}

static void hint_add_side(struct vv_hints *hints, const char *path)
{
    size_t size = strlen(path), shown = shown_size(path, size);
    vv_buffer_add(&hints->text, path, shown);
    if (shown < size)
        vv_buffer_add_string(&hints->text, "...");
}

/* Adds the text of a rename between `before` and `after`. */
static void hint_add_rename(struct vv_hints *hints, const char *before,
    const struct vv_rename *rename, const char *after)
{
    vv_buffer_add_string(&hints->text, before);
    vv_buffer_add_string(&hints->text, "the rename \"");
    hint_add_side(hints, rename->program);
    vv_buffer_add_string(&hints->text, " -> ");
    hint_add_side(hints, rename->file);
    vv_buffer_add8(&hints->text, '"');
    vv_buffer_add_string(&hints->text, after);
}

/* Returns true if a side of a rename is a path or begins with it. */
static bool begins_with_path(const char *side, const char *path)
{
    size_t size = strlen(path);
    return strncmp(side, path, size) == 0 &&
           (side[size] == '\0' || side[size] == '/');
}

/* Adds the first rename that matched nothing and that has hints->path on one of
 * its sides. The path is that of a node of the file that the program lacks, or
 * of a node of the program that the file lacks. */
static void hint_add_unused(struct vv_hints *hints, bool of_file)
{
    const struct vv_selection *s = &hints->p->selection;
    const char *path = vv_buffer_string(&hints->path);
    hints->text.failed |= hints->path.failed;
    for (size_t i = 0; i < s->rename_count && i < MOST_RENAMES; i++) {
        const struct vv_rename *rename = &s->renames[i];
        const char *reason = NULL;
        if (rename->was_used)
            continue;
        const char *right = of_file ? rename->file : rename->program;
        const char *wrong = of_file ? rename->program : rename->file;
        if (begins_with_path(right, path))
            reason = " matched nothing";
        else if (begins_with_path(wrong, path))
            reason = of_file ? " matched nothing: its left side must be the "
                               "path in the program"
                             : " matched nothing: its right side must be the "
                               "path in the file";
        if (!reason)
            continue;
        hint_add_rename(hints, "; ", rename, reason);
        return;
    }
}

static void begin_reason(struct vv_hints *hints, const varve_node *node)
{
    hints->text.size = 0;
    if (node == hints->p->root) {
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
    hints->text.failed |= !copy;
    return copy ? copy : "";
}

/* Describes a node of the program that is not bound although the file has a
 * node with its name: because of a rename, or because the program has added it
 * since. */
static const char *describe_unbound(
    struct vv_hints *hints, const struct vv_edge *edge, struct vv_arena *arena)
{
    const struct vv_pairing *p = hints->p;
    const struct vv_rename *rename = vv_rename_of_edge(&p->ways, edge);
    if (p->is_dry && !vv_is_known(p, edge->public.node))
        return "the program added it after the dry run";
    if (!rename && p->selection.rename_count)
        return "a rename maps it to another node";
    if (!rename)
        return "it does not match the node at the same path";
    hints->text.size = 0;
    hint_add_rename(hints, "", rename, " maps it to another path");
    return end_reason(hints, arena);
}

/* Returns the edge with that name if the program has it. Then the reason for
 * the mismatch is not a missing edge. */
static const struct vv_edge *hint_edge_of(
    const varve_node *parent, const char *bytes, size_t size)
{
    const struct vv_name *name =
        vv_names_find(&parent->graph->names, bytes, size);
    return name ? vv_edge_find(parent, name) : NULL;
}

/* Describes why the node of an edge that the file has, too, is not bound to the
 * node of the file. */
static const char *describe_other(
    struct vv_hints *hints, const struct vv_edge *edge, struct vv_arena *arena)
{
    static const char other[] = "its node was restored from another value";
    const struct vv_rename *rename = vv_rename_of_edge(&hints->p->ways, edge);
    if (vv_file_node_of(&hints->p->matches, edge->public.node) == VV_NONE)
        return describe_unbound(hints, edge, arena);
    if (!rename ||
        vv_how_of(&hints->p->matches, edge->public.node) != VV_BY_RENAME)
        return other;
    hints->text.size = 0;
    vv_buffer_add_string(&hints->text, other);
    hint_add_rename(hints, ", by ", rename, "");
    return end_reason(hints, arena);
}

/* Describes a node of the file whose parent is bound, or is the root. */
static const char *describe_edge(
    struct vv_hints *hints, uint32_t file, struct vv_arena *arena)
{
    const struct vv_saved_paths *paths = &hints->p->saved.paths;
    const struct vv_index *index = vv_index_of(hints->p);
    const varve_node *parent = hints->p->matches.node_of[paths->parents[file]];
    if (!parent)
        return "the root did not match";
    size_t size;
    const char *name = vv_index_name(
        index, vv_at32(index->edge_names, paths->ways[file]), &size);
    const struct vv_edge *edge = hint_edge_of(parent, name, size);
    if (edge)
        return describe_other(hints, edge, arena);
    if (vv_is_retired(parent, name, size))
        return retired;
    begin_reason(hints, parent);
    vv_buffer_add_string(&hints->text, " of the program has no edge \"");
    hint_add_name(hints, name, size);
    vv_buffer_add8(&hints->text, '"');
    vv_saved_path(paths, file, vv_emptied(&hints->path));
    hint_add_unused(hints, true);
    return end_reason(hints, arena);
}

/* Describes a slot that the program has not made, although it has the owner and
 * the variable. */
static const char *describe_slot(
    struct vv_hints *hints, uint32_t slot, struct vv_arena *arena)
{
    const struct vv_index *index = vv_index_of(hints->p);
    size_t size;
    const char *name =
        vv_index_name(index, vv_at32(index->slot_names, slot), &size);
    begin_reason(
        hints, hints->p->matches.node_of[vv_at32(index->slot_owners, slot)]);
    vv_buffer_add_string(&hints->text, " has no slot \"");
    hint_add_name(hints, name, size);
    vv_buffer_add_string(&hints->text, "\" for this variable");
    return end_reason(hints, arena);
}

/* Returns the node that is missing for a slot: its owner, its variable or the
 * slot itself. */
static uint32_t hint_find_missing(const struct vv_hints *hints, uint32_t file)
{
    const struct vv_index *index = vv_index_of(hints->p);
    const uint32_t *ways = hints->p->saved.paths.ways;
    while (file != hints->p->saved.paths.root && ways[file] & VV_WAY_IS_SLOT) {
        uint32_t slot = ways[file] & ~VV_WAY_IS_SLOT;
        uint32_t owner = vv_at32(index->slot_owners, slot);
        uint32_t variable = vv_at32(index->slot_variables, slot);
        if (hints->p->matches.node_of[owner] &&
            hints->p->matches.node_of[variable])
            break;
        file = hints->p->matches.node_of[owner] ? variable : owner;
    }
    return file;
}

static const char *reason_for_file(
    struct vv_hints *hints, uint32_t file, struct vv_arena *arena)
{
    const struct vv_saved_paths *paths = &hints->p->saved.paths;
    file = hint_find_missing(hints, file);
    if (file == paths->root)
        return "the program is gone";
    if (paths->ways[file] & VV_WAY_IS_SLOT)
        return describe_slot(hints, paths->ways[file] & ~VV_WAY_IS_SLOT, arena);
    uint32_t top = vv_likely_top(&hints->likely, file);
    if (!hints->reasons[top])
        hints->reasons[top] = describe_edge(hints, top, arena);
    return hints->reasons[top];
}

struct vv_hint vv_hint_for_file(
    struct vv_hints *hints, uint32_t file, struct vv_arena *arena)
{
    if (file == hints->p->saved.paths.root || !hints->walk)
        return (struct vv_hint){ .reason = "the program is gone" };
    const char *reason = reason_for_file(hints, file, arena);
    if (reason == retired)
        return (struct vv_hint){ .reason = reason, .is_retired = true };
    return (struct vv_hint){ .reason = reason };
}

const char *vv_nearest_for_file(
    struct vv_hints *hints, uint32_t file, struct vv_arena *arena)
{
    if (file == hints->p->saved.paths.root || !hints->walk)
        return NULL;
    return vv_likely_in_program(&hints->likely, file, arena);
}

/* Describes an edge that the file has but that is bound to another node. */
static const char *describe_taken(struct vv_hints *hints, uint32_t file,
    const struct vv_edge *edge, struct vv_arena *arena)
{
    const struct vv_name *name = vv_edge_name(edge);
    const varve_node *node = hints->p->matches.node_of[file];
    if (!node)
        return describe_unbound(hints, edge, arena);
    begin_reason(hints, node);
    vv_buffer_add_string(&hints->text, " of the program was restored from \"");
    hint_add_name(hints, name->bytes, name->size);
    vv_buffer_add8(&hints->text, '"');
    return end_reason(hints, arena);
}

const char *vv_hint_for_program(
    struct vv_hints *hints, const varve_node *node, struct vv_arena *arena)
{
    if (hints->walk->steps[vv_walk_place(hints->walk, node)].slot)
        return "the file has no such slot";
    const struct vv_step *step =
        &hints->walk->steps[vv_likely_place(&hints->likely, node)];
    uint32_t file =
        step->edge ? vv_file_node_of(&hints->p->matches, step->edge->parent)
                   : VV_NONE;
    if (file == VV_NONE)
        return "the file has no such node";
    const struct vv_name *name = vv_edge_name(step->edge);
    uint32_t id = vv_find_in_file(&hints->p->names, name);
    uint32_t taken = id == VV_NONE
                         ? VV_NONE
                         : vv_index_find_child(vv_index_of(hints->p), file, id);
    if (taken != VV_NONE)
        return describe_taken(hints, taken, step->edge, arena);
    if (vv_rename_of_edge(&hints->p->ways, step->edge))
        return describe_unbound(hints, step->edge, arena);
    vv_saved_path(&hints->p->saved.paths, file, &hints->text);
    if (hints->text.size == 0)
        vv_buffer_add_string(&hints->text, "the root");
    vv_buffer_add_string(&hints->text, " of the file has no edge \"");
    hint_add_name(hints, name->bytes, name->size);
    vv_buffer_add8(&hints->text, '"');
    vv_walk_short_path(hints->walk, vv_walk_place(hints->walk, step->node),
        VV_LONGEST_PATH, vv_emptied(&hints->path));
    hint_add_unused(hints, false);
    return end_reason(hints, arena);
}

const char *vv_nearest_for_program(
    struct vv_hints *hints, const varve_node *node, struct vv_arena *arena)
{
    return vv_likely_in_file(&hints->likely, node, arena);
}

/* --- Patterns ----------------------------------------------------------- */

/* The position of a pattern, in the program or in the file. */
struct position {
    const varve_node *node;
    uint32_t file;
};

/* Moves to the child with a name. Returns false if there is none; then `best`
 * is the child with the nearest name. */
static bool step_program(struct vv_hints *hints, struct position *position,
    const char *bytes, size_t size, struct vv_best *best)
{
    const struct vv_edge *edge = hint_edge_of(position->node, bytes, size);
    if (edge) {
        position->node = edge->public.node;
        return true;
    }
    best->wanted = (struct vv_text){ bytes, size };
    for (edge = vv_first_edge(position->node);
         edge && vv_likely_may_look(&hints->likely, best);
         edge = vv_next_edge(edge))
        vv_likely_consider(best,
            (struct vv_text){ edge->public.name, vv_edge_name(edge)->size }, 0,
            NULL, false);
    return false;
}

static bool step_file(struct vv_hints *hints, struct position *position,
    const char *bytes, size_t size, struct vv_best *best)
{
    const struct vv_index *index = vv_index_of(hints->p);
    uint32_t begin, end, id = vv_index_find_name(index, bytes, size);
    uint32_t child = id == VV_NONE
                         ? VV_NONE
                         : vv_index_find_child(index, position->file, id);
    if (child != VV_NONE) {
        position->file = child;
        return true;
    }
    vv_index_edges(index, position->file, &begin, &end);
    best->wanted = (struct vv_text){ bytes, size };
    for (uint32_t e = begin;
         e < end && vv_likely_may_look(&hints->likely, best); e++) {
        struct vv_text name;
        name.bytes =
            vv_index_name(index, vv_at32(index->edge_names, e), &name.size);
        vv_likely_consider(best, name, 0, NULL, false);
    }
    return false;
}

static const char *mend_pattern(struct vv_hints *hints, struct vv_text pattern,
    const struct vv_best *best, struct vv_text name, struct vv_arena *arena)
{
    struct vv_text begin = { pattern.bytes,
        (size_t)(name.bytes - pattern.bytes) };
    struct vv_text rest = { name.bytes + name.size,
        pattern.size - begin.size - name.size };
    hints->likely.given++;
    hints->text.size = 0;
    vv_buffer_add(&hints->text, begin.bytes, begin.size);
    hint_add_name(hints, best->name.bytes, best->name.size);
    vv_buffer_add(&hints->text, rest.bytes, rest.size);
    return end_reason(hints, arena);
}

static const char *find_slip(struct vv_hints *hints, struct vv_text pattern,
    bool of_file, struct vv_arena *arena)
{
    struct position position = { hints->p->root, hints->p->saved.root };
    struct vv_text rest = pattern, name;
    struct vv_best best = { 0 };
    struct vv_buffer bytes;
    bool goes_on = of_file || (hints->walk && position.node);
    vv_buffer_init(&bytes, &hints->p->context.allocator);
    while (goes_on && vv_text_next_name(&rest, &name)) {
        goes_on = vv_name_pattern_is_literal(name) &&
                  !memchr(name.bytes, '(', name.size);
        bytes.size = 0;
        vv_name_pattern_unescape(name, &bytes);
        const char *text = vv_buffer_string(&bytes);
        if (goes_on)
            goes_on =
                of_file
                    ? step_file(hints, &position, text, bytes.size, &best)
                    : step_program(hints, &position, text, bytes.size, &best);
    }
    vv_buffer_clear(&bytes);
    return best.has_one ? mend_pattern(hints, pattern, &best, name, arena)
                        : NULL;
}

const char *vv_hint_for_pattern(struct vv_hints *hints, struct vv_text pattern,
    bool of_file, struct vv_arena *arena)
{
    const char *found =
        of_file ? NULL : find_slip(hints, pattern, false, arena);
    return found ? found : find_slip(hints, pattern, true, arena);
}
