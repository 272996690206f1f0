/* draft_dots.c - Splits edge names at their dots. It looks up children by
 * parent and name, follows existing objects as far as they match, and creates
 * the remaining ones.
 *
 * SPDX-License-Identifier: MIT
 */
#include "draft_dots.h"

#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "draft_parts.h"
#include "map.h"

/* See draft_path.c, which has the same limits. */
enum { FREE_OBJECTS = 250, OBJECTS_OF_VALUE = 4, ROOM_FOR_OBJECT = 32 };

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
