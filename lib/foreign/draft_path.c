/* draft_path.c - Turns flat names into a tree: the names are sorted, so that
 * the objects on the path to one name are reused for the next.
 *
 * SPDX-License-Identifier: MIT
 */
#include "draft_path.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "draft_parts.h"
#include "hash_table.h"
#include "name.h"

/* --- Dots ----------------------------------------------------------------- */

/* Splits edge names at their dots. It looks up children by parent and name,
 * follows existing objects as far as they match, and creates the remaining
 * ones. */

/* Limits on the number of objects and aliases. A name of many short parts
 * creates an object for every second byte, and an alias costs an edge for a few
 * bytes. To bound the memory by the size of the file, both together are limited
 * to a constant, plus a number for each value, plus one for every so many bytes
 * of the names and of the file. Names count in full, although a file may store
 * common prefixes once. */
enum {
    FREE_OBJECTS = 250,
    OBJECTS_OF_VALUE = 4,
    NAMES_FOR_OBJECT = 16,
    ROOM_FOR_OBJECT = 32,
};

/* A child of a node, the item of the map. */
struct child {
    uint32_t parent;
    uint32_t node;
    const char *name;
    uint32_t size;
};

/* An edge whose name must be split. */
struct dotted {
    uint32_t edge;
    uint32_t parent;
    struct vv_draft_name name;
};

struct splitting {
    struct vv_draft *draft;
    struct vv_map children; /* struct child */
    struct vv_arena arena;
    uint64_t objects; /* how many more can be created */
};

/* --- Children ----------------------------------------------------------- */

static uint64_t draft_dots_hash_of(const struct child *c)
{
    return vv_hash_of(c->name, c->size) ^ vv_map_mix(c->parent);
}

static bool is_child(const void *item, const void *key)
{
    const struct child *a = item, *b = key;
    return a->parent == b->parent && a->size == b->size &&
           memcmp(a->name, b->name, a->size) == 0;
}

static const struct child *find_child(
    const struct splitting *s, uint32_t parent, const char *name, uint32_t size)
{
    const struct child key = { .parent = parent, .name = name, .size = size };
    return vv_map_find(&s->children, draft_dots_hash_of(&key), is_child, &key);
}

static void note_child(struct splitting *s, uint32_t parent, const char *name,
    uint32_t size, uint32_t node)
{
    struct child *c = vv_arena_take(&s->arena, sizeof *c);
    if (c)
        *c = (struct child){ parent, node, name, size };
    if (!c || !vv_map_add(&s->children, draft_dots_hash_of(c), c))
        vv_draft_fail(s->draft, VARVE_NO_MEMORY, "out of memory: names");
}

/* --- Splitting a name --------------------------------------------------- */

/* Returns true if the name contains dots and no part between them is empty. */
static bool is_dotted(const struct vv_draft_name *name)
{
    const char *end = name->bytes + name->size;
    const char *dot = memchr(name->bytes, '.', name->size);
    if (!dot || dot == name->bytes || end[-1] == '.')
        return false;
    for (const char *next; dot; dot = next) {
        next = memchr(dot + 1, '.', (size_t)(end - dot - 1));
        if (next == dot + 1)
            return false;
    }
    return true;
}

static uint32_t first_part(const char *name, uint32_t size)
{
    const char *dot = memchr(name, '.', size);
    return dot ? (uint32_t)(dot - name) : size;
}

static uint32_t make_object(
    struct splitting *s, uint32_t parent, const char *name, uint32_t size)
{
    uint32_t node = vv_draft_node(s->draft, VARVE_OBJECT);
    vv_draft_lent_edge(s->draft, parent, name, size, node);
    note_child(s, parent, name, size, node);
    s->objects--;
    return node;
}

static bool draft_dots_is_object(const struct splitting *s, uint32_t node)
{
    return vv_draft_node_at(s->draft, node)->kind == VARVE_OBJECT;
}

/* Follows existing objects, then creates new ones, and moves the edge below the
 * last. */
static void draft_dots_split(struct splitting *s, const struct dotted *d)
{
    uint32_t node = d->parent, size = d->name.size, part;
    const char *name = d->name.bytes;
    const struct child *child = NULL;
    while ((part = first_part(name, size)) < size &&
           (child = find_child(s, node, name, part)) != NULL &&
           draft_dots_is_object(s, child->node)) {
        node = child->node;
        name += part + 1;
        size -= part + 1;
    }
    if (find_child(s, node, name, size))
        return; /* the name is taken: the edge stays as it is */
    while (!child && (part = first_part(name, size)) < size && s->objects > 0 &&
           !s->draft->failed) {
        node = make_object(s, node, name, part);
        name += part + 1;
        size -= part + 1;
    }
    if (s->draft->failed)
        return;
    size_t count;
    struct vv_draft_edge *e =
        VV_PARTS(s->draft, edges, struct vv_draft_edge, &count) + d->edge;
    e->parent = node;
    e->name.bytes = name;
    e->name.size = size;
    note_child(s, node, name, size, e->child);
}

/* --- Entry points ------------------------------------------------------- */

/* Sorts by parent and name, so that the tree does not depend on the order of
 * the edges: a prefix of a name comes before that name. */
static int draft_dots_compare(const void *left, const void *right)
{
    const struct dotted *a = left, *b = right;
    return a->parent != b->parent ? (a->parent > b->parent) * 2 - 1
                                  : vv_draft_compare(&a->name, &b->name);
}

/* Adds the children whose names have no dots to the map, and lists the
 * others. */
static void draft_dots_list(struct splitting *s, struct vv_buffer *all)
{
    size_t count;
    const struct vv_draft_edge *edges =
        VV_PARTS(s->draft, edges, struct vv_draft_edge, &count);
    for (size_t i = 0; i < count && !s->draft->failed; i++) {
        const struct vv_draft_edge *e = &edges[i];
        const struct dotted dotted = { (uint32_t)i, e->parent, e->name };
        if (is_dotted(&e->name))
            vv_buffer_add(all, &dotted, sizeof dotted);
        else if (!find_child(s, e->parent, e->name.bytes, e->name.size))
            note_child(s, e->parent, e->name.bytes, e->name.size, e->child);
    }
    if (all->failed)
        vv_draft_fail(s->draft, VARVE_NO_MEMORY, "out of memory: names");
}

void vv_draft_split_dots(struct vv_draft *draft)
{
    const varve_allocator *a = &draft->context->allocator;
    struct splitting s = { .draft = draft };
    struct vv_buffer all;
    size_t values = draft->values.size / sizeof(struct vv_draft_value);
    if (draft->failed)
        return;
    s.objects = FREE_OBJECTS + OBJECTS_OF_VALUE * (uint64_t)values +
                draft->room / ROOM_FOR_OBJECT;
    vv_map_init(&s.children, a);
    vv_arena_init(&s.arena, a);
    vv_buffer_init(&all, a);
    draft_dots_list(&s, &all);
    struct dotted *names = (struct dotted *)(void *)all.data;
    size_t count = all.size / sizeof *names;
    if (count)
        qsort(names, count, sizeof *names, draft_dots_compare);
    for (size_t i = 0; i < count && !draft->failed; i++)
        draft_dots_split(&s, &names[i]);
    vv_buffer_clear(&all);
    vv_arena_clear(&s.arena);
    vv_map_clear(&s.children);
}

/* --- Trees of names ------------------------------------------------------- */

/* An object on the path to the current name. */
struct step {
    uint32_t size; /* size of its own path */
    uint32_t node;
};

struct tree {
    struct vv_draft *draft;
    const struct vv_draft_label *paths; /* sorted */
    size_t count;
    uint64_t objects; /* how many more objects and aliases can be created */
    struct vv_buffer steps;
    const struct vv_draft_name *last; /* the name that was added last */
};

static int draft_path_compare(const void *left, const void *right)
{
    const struct vv_draft_label *a = left;
    const struct vv_draft_label *b = right;
    return vv_draft_compare(&a->name, &b->name);
}

/* Returns the value with exactly this name, or NULL. */
static const struct vv_draft_label *draft_path_find(
    const struct tree *tree, const char *name, size_t size)
{
    struct vv_draft_label key = { .name = { name, (uint32_t)size, 0 } };
    return bsearch(&key, tree->paths, tree->count, sizeof *tree->paths,
        draft_path_compare);
}

/* --- Objects -------------------------------------------------------------- */

static struct step *last_step(struct tree *tree)
{
    size_t count;
    struct step *steps = vv_draft_items(&tree->steps, sizeof *steps, &count);
    return count ? steps + count - 1 : NULL;
}

/* Removes the steps that are not on the path to this name. */
static void draft_path_go_back(
    struct tree *tree, const struct vv_draft_name *path)
{
    struct step *step;
    while ((step = last_step(tree)) &&
           (step->size >= path->size || path->bytes[step->size] != '/' ||
               memcmp(path->bytes, tree->last->bytes, step->size) != 0))
        tree->steps.size -= sizeof *step;
}

static uint64_t most_objects(
    const struct vv_draft *d, const struct vv_draft_label *paths, size_t count)
{
    uint64_t values = 0, bytes = 0;
    for (size_t i = 0; i < count; i++) {
        values += !paths[i].is_alias;
        bytes += paths[i].name.size;
    }
    return FREE_OBJECTS + OBJECTS_OF_VALUE * values + bytes / NAMES_FOR_OBJECT +
           d->room / ROOM_FOR_OBJECT;
}

/* Uses up one of the allowed objects. Returns false, and the draft has failed,
 * if there is none left. */
static bool draft_path_use_budget(struct tree *tree)
{
    if (tree->objects == 0)
        vv_draft_fail(tree->draft, VARVE_LIMIT,
            "%s: too many objects and aliases for files of %" PRIu64
            " bytes with %zu names",
            tree->draft->path, tree->draft->room, tree->count);
    else
        tree->objects--;
    return !tree->draft->failed;
}

/* Creates the objects on the path to the first `end` bytes of a name; stops
 * before one that is a value. Returns the last object, and sets *rest to the
 * offset of the remaining part of the name. */
static uint32_t go_down(struct tree *tree, const struct vv_draft_name *path,
    size_t end, size_t *rest)
{
    size_t count;
    draft_path_go_back(tree, path);
    tree->last = path;
    struct step *steps = vv_draft_items(&tree->steps, sizeof *steps, &count);
    while (count > 0 && steps[count - 1].size > end)
        count--; /* this object is below `end`: nothing must be created */
    struct step *step = count ? &steps[count - 1] : NULL;
    uint32_t node = step ? step->node : 0;
    size_t begin = step ? step->size + 1 : 0;
    while (begin < end && !tree->draft->failed) {
        const char *slash = memchr(path->bytes + begin, '/', end - begin);
        size_t size = slash ? (size_t)(slash - path->bytes) : end;
        if (draft_path_find(tree, path->bytes, size) ||
            !draft_path_use_budget(tree))
            break;
        uint32_t child = vv_draft_node(tree->draft, VARVE_OBJECT);
        vv_draft_lent_edge(
            tree->draft, node, path->bytes + begin, size - begin, child);
        node = child;
        begin = size + 1;
        vv_buffer_add(
            &tree->steps, &(struct step){ (uint32_t)size, node }, sizeof *step);
        if (tree->steps.failed)
            vv_draft_fail(
                tree->draft, VARVE_NO_MEMORY, "out of memory: names of values");
    }
    *rest = begin;
    return node;
}

/* --- Slots ---------------------------------------------------------------- */

/* Returns the offset of `slot(variable)` in a name that can be that of a slot,
 * or the size of the name if it cannot. */
static size_t draft_path_slot_of(const struct vv_draft_label *path)
{
    const struct vv_draft_name *name = &path->name;
    const char *open = memchr(name->bytes, '(', name->size);
    if (!open || path->is_alias || name->bytes[name->size - 1] != ')')
        return name->size;
    size_t begin = (size_t)(open - name->bytes);
    while (begin > 0 && name->bytes[begin - 1] != '/')
        begin--;
    return name->bytes[begin] == '(' ? name->size : begin;
}

static bool draft_path_is_variable(const struct tree *tree, uint32_t node)
{
    return vv_draft_node_at(tree->draft, node)->kind == VARVE_VARIABLE;
}

/* Returns the variable of a slot, or NULL if the name is not that of a slot. */
static const struct vv_draft_label *variable_of(
    const struct tree *tree, const struct vv_draft_label *path, size_t begin)
{
    const struct vv_draft_name *name = &path->name;
    const char *open = memchr(name->bytes + begin, '(', name->size - begin);
    const char *end = name->bytes + name->size - 1;
    const struct vv_draft_label *variable =
        draft_path_find(tree, open + 1, (size_t)(end - (open + 1)));
    return variable && draft_path_is_variable(tree, variable->node) &&
                   draft_path_is_variable(tree, path->node)
               ? variable
               : NULL;
}

/* --- Entry points --------------------------------------------------------- */

/* Returns the size of a name without its last part. */
static size_t before_last(const struct vv_draft_name *path)
{
    size_t size = path->size;
    while (size > 0 && path->bytes[size - 1] != '/')
        size--;
    return size ? size - 1 : 0;
}

static void draft_path_attach(
    struct tree *tree, const struct vv_draft_label *path)
{
    struct vv_draft *d = tree->draft;
    const struct vv_draft_name *name = &path->name;
    size_t begin = draft_path_slot_of(path), rest;
    bool may_be_slot =
        begin < name->size &&
        (begin == 0 || vv_name_has_parts(name->bytes, begin - 1));
    const struct vv_draft_label *variable =
        may_be_slot ? variable_of(tree, path, begin) : NULL;
    /* The first `end` bytes are the path of an object; the rest is the name of
     * the slot or edge. A path without valid parts is a single name. */
    size_t end = 0;
    if (variable)
        end = begin ? begin - 1 : 0;
    else if (vv_name_has_parts(name->bytes, name->size))
        end = before_last(name);
    if (path->is_alias && !draft_path_use_budget(tree))
        return;
    uint32_t node = go_down(tree, name, end, &rest);
    if (d->failed)
        return;
    const char *last = name->bytes + rest;
    size_t size = name->size - rest;
    if (variable && rest == begin)
        vv_draft_slot(d, node, variable->node, last,
            (size_t)((const char *)memchr(last, '(', size) - last), path->node);
    else
        vv_draft_lent_edge(d, node, last, size, path->node);
}

void vv_draft_resolve_paths(struct vv_draft *d)
{
    size_t count;
    struct vv_draft_label *paths =
        VV_PARTS(d, paths, struct vv_draft_label, &count);
    struct tree tree = { .draft = d,
        .paths = paths,
        .count = count,
        .objects = most_objects(d, paths, count) };
    if (count == 0)
        return;
    qsort(paths, count, sizeof *paths, draft_path_compare);
    vv_buffer_init(&tree.steps, &d->context->allocator);
    for (size_t i = 0; i < count && !d->failed; i++) {
        if (i > 0 && draft_path_compare(&paths[i - 1], &paths[i]) == 0)
            vv_draft_fail(d, VARVE_CORRUPT,
                "%s: two values are named \"%.500s\"", d->path,
                paths[i].name.bytes);
        else
            draft_path_attach(&tree, &paths[i]);
    }
    vv_buffer_clear(&tree.steps);
}
