/* draft_path.c - names in order of their bytes, each hung where its beginning
 * leads; slot variables last, when everything they name is there.
 *
 * SPDX-License-Identifier: MIT
 */
#include "draft_path.h"

#include <stdlib.h>

#include "checksum.h"
#include "draft_parts.h"
#include "map.h"
#include "name.h"

struct tree {
    struct vv_draft *draft;
    struct vv_map children; /* edges by parent and name; items are their numbers
                               plus 1, for the edges move as they grow */
};

struct key {
    const struct tree *tree;
    uint32_t parent;
    const char *name;
    size_t size;
};

static struct vv_draft_edge *edge_at(const struct vv_draft *d, uintptr_t item)
{
    return (struct vv_draft_edge *)(void *)d->edges.data + (item - 1);
}

static bool matches(const void *item, const void *user)
{
    const struct key *key = user;
    const struct vv_draft_edge *e =
        edge_at(key->tree->draft, (uintptr_t)item);
    return e->parent == key->parent && e->size == key->size &&
           memcmp(e->name, key->name, key->size) == 0;
}

static uint64_t hash_of(const struct key *key)
{
    return vv_map_mix(vv_hash_of(key->name, key->size) ^
                      vv_map_mix(key->parent));
}

/* --- The tree ------------------------------------------------------------- */

/* The child of an object under a name, or VV_NONE. */
static uint32_t find_child(
    const struct tree *tree, uint32_t parent, const char *name, size_t size)
{
    struct key key = { tree, parent, name, size };
    void *item = vv_map_find(&tree->children, hash_of(&key), matches, &key);
    return item ? edge_at(tree->draft, (uintptr_t)item)->child : VV_NONE;
}

static void add_child(struct tree *tree, uint32_t parent, const char *name,
    size_t size, uint32_t child)
{
    struct vv_draft *d = tree->draft;
    struct key key = { tree, parent, name, size };
    vv_draft_edge(d, parent, name, size, child);
    if (d->failed)
        return;
    uintptr_t number = d->edges.size / sizeof(struct vv_draft_edge);
    if (!vv_map_add(&tree->children, hash_of(&key), (void *)number))
        vv_draft_fail(d, VARVE_NO_MEMORY, "out of memory: names of values");
}

static bool is_object(const struct tree *tree, uint32_t node)
{
    return vv_draft_node_at(tree->draft, node)->kind == VARVE_OBJECT;
}

/* Goes down as far as parts before the last lead to objects, making those that
 * are missing; what is left of the name is one edge. */
static void hang(struct tree *tree, const struct vv_draft_label *path)
{
    const char *name = path->name;
    size_t size = path->size;
    uint32_t node = 0;
    const char *slash;
    bool has_parts = vv_name_has_parts(name, size);
    while (has_parts && (slash = memchr(name, '/', size))) {
        size_t part = (size_t)(slash - name);
        uint32_t child = find_child(tree, node, name, part);
        if (child != VV_NONE && !is_object(tree, child))
            break;
        if (child == VV_NONE) {
            child = vv_draft_node(tree->draft, VARVE_OBJECT);
            add_child(tree, node, name, part, child);
        }
        if (tree->draft->failed)
            return;
        node = child;
        name += part + 1;
        size -= part + 1;
    }
    if (find_child(tree, node, name, size) == VV_NONE)
        add_child(tree, node, name, size, path->node);
    else
        vv_draft_fail(tree->draft, VARVE_CORRUPT,
            "%s: \"%.500s\": expected a name that no other path has, found it "
            "taken",
            tree->draft->path, path->name);
}

/* --- Slots ---------------------------------------------------------------- */

/* What a path leads to, or VV_NONE: goes down as `hang` does. */
static uint32_t find(const struct tree *tree, const char *name, size_t size)
{
    uint32_t node = 0;
    const char *slash;
    bool has_parts = vv_name_has_parts(name, size);
    while (has_parts && (slash = memchr(name, '/', size))) {
        size_t part = (size_t)(slash - name);
        uint32_t child = find_child(tree, node, name, part);
        if (child == VV_NONE)
            return VV_NONE;
        if (!is_object(tree, child))
            break;
        node = child;
        name += part + 1;
        size -= part + 1;
    }
    return find_child(tree, node, name, size);
}

static bool looks_like_slot(const struct vv_draft_label *path)
{
    return path->size > 3 && path->name[path->size - 1] == ')' &&
           memchr(path->name, '(', path->size);
}

/* `owner/slot(variable)`, and `slot(variable)` of the root. An owner that has
 * slots and nothing else is made. */
static bool hang_slot(struct tree *tree, const struct vv_draft_label *path)
{
    struct vv_draft *d = tree->draft;
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
        if (!d->failed)
            hang(tree, &made);
    }
    vv_draft_slot(
        d, owner, variable, begin, (size_t)(open - begin), path->node);
    return true;
}

/* --- All ------------------------------------------------------------------ */

static int compare(const void *left, const void *right)
{
    const struct vv_draft_label *a = left;
    const struct vv_draft_label *b = right;
    return vv_draft_compare(a->name, a->size, b->name, b->size);
}

static void hang_all(struct tree *tree, bool slots)
{
    size_t count;
    const struct vv_draft_label *paths =
        VV_PARTS(tree->draft, paths, struct vv_draft_label, &count);
    for (size_t i = 0; i < count && !tree->draft->failed; i++) {
        if (looks_like_slot(&paths[i]) != slots)
            continue;
        if (!slots || !hang_slot(tree, &paths[i]))
            hang(tree, &paths[i]);
    }
}

void vv_draft_resolve_paths(struct vv_draft *d)
{
    size_t count;
    struct vv_draft_label *paths =
        VV_PARTS(d, paths, struct vv_draft_label, &count);
    struct tree tree = { .draft = d };
    if (count == 0)
        return;
    qsort(paths, count, sizeof *paths, compare);
    vv_map_init(&tree.children, &d->context->allocator);
    hang_all(&tree, false);
    hang_all(&tree, true);
    vv_map_clear(&tree.children);
}
