/* draft_path.c - names in order of their bytes, so that all that begin alike
 * stand together: what leads to one name is kept while the next are hung.
 *
 * SPDX-License-Identifier: MIT
 */
#include "draft_path.h"

#include <inttypes.h>
#include <stdlib.h>

#include "draft_parts.h"
#include "name.h"

/* An object on the way to the name that is hung now. */
struct step {
    uint32_t size; /* of its own path */
    uint32_t node;
};

struct tree {
    struct vv_draft *draft;
    const struct vv_draft_label *paths; /* sorted */
    size_t count;
    struct vv_buffer steps;
    const struct vv_draft_label *last; /* that was hung */
};

/* A name of many short parts makes an object of every second byte, and one that
 * is a further one of something makes an edge of a few. So that neither costs
 * much more than the file has bytes, there may be as many as a file that means
 * them has: for each `ROOM_FOR_ONE` bytes one object, or half a name. */
enum { FREE_UNITS = 250, ROOM_FOR_ONE = 32, UNITS_OF_ALIAS = 2 };

    uint64_t units; /* that are left */
    struct vv_map children; /* edges by parent and name; items are their numbers
                               plus 1, for the edges move as they grow */

struct key {
    const struct tree *tree;
    uint32_t parent;
    const char *name;
    size_t size;

static struct vv_draft_edge *edge_at(const struct vv_draft *d, uintptr_t item)
{
    return (struct vv_draft_edge *)(void *)d->edges.data + (item - 1);
}

static bool matches(const void *item, const void *user)
    const struct key *key = user;
    const struct vv_draft_edge *e =
        edge_at(key->tree->draft, (uintptr_t)item);
    return e->parent == key->parent && e->size == key->size &&
           memcmp(e->name, key->name, key->size) == 0;

static uint64_t hash_of(const struct key *key)
    return vv_map_mix(vv_hash_of(key->name, key->size) ^
                      vv_map_mix(key->parent));

/* --- The tree ------------------------------------------------------------- */

/* The child of an object under a name, or VV_NONE. */
static uint32_t find_child(
    const struct tree *tree, uint32_t parent, const char *name, size_t size)
    struct key key = { tree, parent, name, size };
    void *item = vv_map_find(&tree->children, hash_of(&key), matches, &key);
    return item ? edge_at(tree->draft, (uintptr_t)item)->child : VV_NONE;

static void add_child(struct tree *tree, uint32_t parent, const char *name,
    size_t size, uint32_t child)
    struct vv_draft *d = tree->draft;
    struct vv_draft_edge edge = { .name = name, .size = (uint32_t)size,
        .parent = parent, .child = child };
    vv_buffer_add(&d->edges, &edge, sizeof edge);
    if (d->edges.failed)
        vv_draft_fail(d, VARVE_NO_MEMORY, "out of memory: names of values");
    if (d->failed)
        return;
    uintptr_t number = d->edges.size / sizeof(struct vv_draft_edge);
    if (!vv_map_add(&tree->children, hash_of(&key), (void *)number))

static bool is_object(const struct tree *tree, uint32_t node)
    return vv_draft_node_at(tree->draft, node)->kind == VARVE_OBJECT;

/* Takes units away; fails where there are not so many. */
static bool spend(struct tree *tree, unsigned units)
    if (tree->units < units)
        vv_draft_fail(tree->draft, VARVE_LIMIT,
            "%s: expected paths of fewer objects and fewer further names for "
            "files of %" PRIu64 " bytes, found more",
            tree->draft->path, tree->draft->room);
    else
        tree->units -= units;
    return !tree->draft->failed;

/* An object for a part of a name. */
static uint32_t add_object(
    struct tree *tree, uint32_t parent, const char *name, size_t size)
    if (!spend(tree, 1))
        return 0;
    uint32_t child = vv_draft_node(tree->draft, VARVE_OBJECT);
    add_child(tree, parent, name, size, child);
    return child;

/* Goes down as far as parts before the last lead to objects, making those that
 * are missing; what is left of the name is one edge. */
static void hang(struct tree *tree, const struct vv_draft_label *path)
    const char *name = path->name;
    size_t size = path->size;
    uint32_t node = 0;
    const char *slash;
    bool has_parts = vv_name_has_parts(name, size);
    if (path->is_alias && !spend(tree, UNITS_OF_ALIAS))
    while (has_parts && (slash = memchr(name, '/', size))) {
        size_t part = (size_t)(slash - name);
        uint32_t child = find_child(tree, node, name, part);
        if (child != VV_NONE && !is_object(tree, child))
            break;
        if (child == VV_NONE)
            child = add_object(tree, node, name, part);
        if (tree->draft->failed)
            return;
        node = child;
        name += part + 1;
        size -= part + 1;
    }
    if (find_child(tree, node, name, size) == VV_NONE)
        add_child(tree, node, name, size, path->node);
        vv_draft_fail(tree->draft, VARVE_CORRUPT,
            "%s: \"%.500s\": expected a name that no other path has, found it "
            "taken",
            tree->draft->path, path->name);

/* --- Slots ---------------------------------------------------------------- */

/* What a path leads to, or VV_NONE. */
static uint32_t find(const struct tree *tree, const char *name, size_t size)
    while (size > 0 && (slash = memchr(name, '/', size))) {
        node = find_child(tree, node, name, part);
        if (node == VV_NONE)
            return VV_NONE;
    return find_child(tree, node, name, size);

static bool looks_like_slot(const struct vv_draft_label *path)
    return path->size > 3 && path->name[path->size - 1] == ')' &&
           memchr(path->name, '(', path->size);

/* `owner/slot(variable)`, and `slot(variable)` of the root. An owner that has
 * slots and nothing else is made. */
static bool hang_slot(struct tree *tree, const struct vv_draft_label *path)
    const char *open = memchr(path->name, '(', path->size);
    const char *begin = open;
    while (begin > path->name && begin[-1] != '/')
        begin--;
    uint32_t variable = find(
        tree, open + 1, (size_t)(path->name + path->size - 1 - (open + 1)));
    uint32_t owner = 0;
    if (begin > path->name)
        owner = find(tree, path->name, (size_t)(begin - 1 - path->name));
    if (variable == VV_NONE || begin == open || path->is_alias ||
        begin == path->name + 1 || /* of an owner without a name */
        vv_draft_node_at(d, variable)->kind != VARVE_VARIABLE ||
        vv_draft_node_at(d, path->node)->kind != VARVE_VARIABLE ||
        (owner != VV_NONE && !is_object(tree, owner)))
        return false;
    if (owner == VV_NONE) {
        struct vv_draft_label made = *path;
        made.size = (uint32_t)(begin - 1 - path->name);
        made.name = vv_arena_text(&d->strings, path->name, made.size);
        if (!made.name)
            vv_draft_fail(d, VARVE_NO_MEMORY, "out of memory: names of slots");
        owner = made.node = vv_draft_node(d, VARVE_OBJECT);
        if (!d->failed && spend(tree, 1))
            hang(tree, &made);
    vv_draft_slot(
        d, owner, variable, begin, (size_t)(open - begin), path->node);
    return true;

/* --- All ------------------------------------------------------------------ */

static int compare(const void *left, const void *right)
{
    const struct vv_draft_label *a = left;
    const struct vv_draft_label *b = right;
    return vv_draft_compare(a->name, a->size, b->name, b->size);
}

/* The value of this very name, or NULL. */
static const struct vv_draft_label *find(
    const struct tree *tree, const char *name, size_t size)
{
    struct vv_draft_label key = { .name = name, .size = (uint32_t)size };
    return bsearch(
        &key, tree->paths, tree->count, sizeof *tree->paths, compare);
}

/* --- Objects -------------------------------------------------------------- */

static struct step *last_step(struct tree *tree)
{
    size_t count;
    struct step *steps = vv_draft_items(&tree->steps, sizeof *steps, &count);
    return count ? steps + count - 1 : NULL;
}

/* Goes back to the last object that leads to this name too. */
static void go_back(struct tree *tree, const struct vv_draft_label *path)
{
    struct step *step;
    while ((step = last_step(tree)) &&
           (step->size >= path->size || path->name[step->size] != '/' ||
               memcmp(path->name, tree->last->name, step->size) != 0))
        tree->steps.size -= sizeof *step;
}

/* Makes the objects on the way to the first `end` bytes of a name, until one of
 * them is a value. Returns the last, and where what is left begins. */
static uint32_t go_down(struct tree *tree, const struct vv_draft_label *path,
    size_t end, size_t *rest)
{
    size_t count;
    go_back(tree, path);
    tree->last = path;
    struct step *steps = vv_draft_items(&tree->steps, sizeof *steps, &count);
    while (count > 0 && steps[count - 1].size > end)
        count--; /* leads further than was asked; nothing is to be made then */
    struct step *step = count ? &steps[count - 1] : NULL;
    uint32_t node = step ? step->node : 0;
    size_t begin = step ? step->size + 1 : 0;
    while (begin < end && !tree->draft->failed) {
        const char *slash = memchr(path->name + begin, '/', end - begin);
        size_t size = slash ? (size_t)(slash - path->name) : end;
        if (find(tree, path->name, size))
            break;
        uint32_t child = vv_draft_node(tree->draft, VARVE_OBJECT);
        vv_draft_lent_edge(
            tree->draft, node, path->name + begin, size - begin, child);
        node = child;
        begin = size + 1;
        vv_buffer_add(&tree->steps,
            &(struct step){ (uint32_t)size, node }, sizeof *step);
        if (tree->steps.failed)
            vv_draft_fail(
                tree->draft, VARVE_NO_MEMORY, "out of memory: names of values");
    }
    *rest = begin;
    return node;
}

/* --- Slots ---------------------------------------------------------------- */

/* Where `slot(variable)` begins in a name that may be one of a slot; the name's
 * size if it is none. */
static size_t slot_of(const struct vv_draft_label *path)
{
    const char *open = memchr(path->name, '(', path->size);
    if (!open || path->is_alias || path->name[path->size - 1] != ')')
        return path->size;
    size_t begin = (size_t)(open - path->name);
    while (begin > 0 && path->name[begin - 1] != '/')
        begin--;
    return path->name[begin] == '(' ? path->size : begin;
}

static bool is_variable(const struct tree *tree, uint32_t node)
{
    return vv_draft_node_at(tree->draft, node)->kind == VARVE_VARIABLE;
}

/* The variable of a slot, or NULL if the name is of something else. */
static const struct vv_draft_label *variable_of(
    const struct tree *tree, const struct vv_draft_label *path, size_t begin)
{
    const char *open = memchr(path->name + begin, '(', path->size - begin);
    const char *end = path->name + path->size - 1;
    const struct vv_draft_label *variable =
        find(tree, open + 1, (size_t)(end - (open + 1)));
    return variable && is_variable(tree, variable->node) &&
                   is_variable(tree, path->node)
               ? variable
               : NULL;
}

/* --- All ------------------------------------------------------------------ */

/* The size of what leads to the last part of a name: objects. */
static size_t before_last(const struct vv_draft_label *path)
{
    size_t size = path->size;
    if (!vv_name_has_parts(path->name, path->size))
        return 0;
    while (size > 0 && path->name[size - 1] != '/')
        size--;
    return size ? size - 1 : 0;
}

static void hang(struct tree *tree, const struct vv_draft_label *path)
{
    struct vv_draft *d = tree->draft;
    size_t rest;
    size_t begin = slot_of(path);
    const struct vv_draft_label *variable =
        begin < path->size ? variable_of(tree, path, begin) : NULL;
    size_t end = variable ? (begin ? begin - 1 : 0) : before_last(path);
    uint32_t node = go_down(tree, path, end, &rest);
    if (d->failed)
        return;
    const char *name = path->name + rest;
    size_t size = path->size - rest;
    if (variable && rest == begin)
        vv_draft_slot(d, node, variable->node, name,
            (size_t)((const char *)memchr(name, '(', size) - name),
            path->node);
    else
        vv_draft_lent_edge(d, node, name, size, path->node);
}

void vv_draft_resolve_paths(struct vv_draft *d)
{
    size_t count;
    struct vv_draft_label *paths =
        VV_PARTS(d, paths, struct vv_draft_label, &count);
    struct tree tree = { .draft = d, .paths = paths, .count = count };
    struct tree tree = { .draft = d,
        .units = FREE_UNITS + d->room / ROOM_FOR_ONE };
    if (count == 0)
        return;
    qsort(paths, count, sizeof *paths, compare);
    vv_buffer_init(&tree.steps, &d->context->allocator);
    for (size_t i = 0; i < count && !d->failed; i++) {
        if (i > 0 && compare(&paths[i - 1], &paths[i]) == 0)
            vv_draft_fail(d, VARVE_CORRUPT,
                "%s: \"%.500s\": expected a name that no other value has, "
                "found it twice",
                d->path, paths[i].name);
        else
            hang(&tree, &paths[i]);
    }
    vv_buffer_clear(&tree.steps);
}
