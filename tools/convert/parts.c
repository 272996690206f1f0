/* parts.c - Collects nodes in one traversal, then the edges of each.
 *
 * SPDX-License-Identifier: MIT
 */
#include "parts.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <varve/variable.h>

#include "outline.h"
#include "memory.h"

/* Limits for paths that patterns and renames are compared with. An escaped name
 * of the largest size fits, but chains of such names, or long chains of short
 * ones, do not need quadratic time. */
enum { MOST_BYTES = 256 << 10, MOST_NAMES = 1000 };

struct place {
    uintptr_t address;
    size_t place;
};

static varve_status add_part(void *user, varve_node *node, const char *path)
{
    struct parts *p = user;
    p->items = memory_grow(p->items, &p->capacity, p->count, sizeof *p->items);
    char *copy = memory_copy_text(path, strlen(path));
    p->items[p->count++] = (struct part){ .node = node,
        .path = copy,
        .place = copy,
        .above = PART_NONE,
        .way = PART_NONE,
        .is_slot = true,
        .is_kept = true };
    return VARVE_OK;
}

static int compare(const void *left, const void *right)
{
    const struct place *a = left;
    const struct place *b = right;
    return (a->address > b->address) - (a->address < b->address);
}

static void sort_nodes(struct parts *p)
{
    struct place *places = memory_allocate(p->count, sizeof *places);
    for (size_t i = 0; i < p->count; i++)
        places[i] = (struct place){ (uintptr_t)p->items[i].node, i };
    qsort(places, p->count, sizeof *places, compare);
    p->by_node = memory_allocate(p->count, sizeof *p->by_node);
    for (size_t i = 0; i < p->count; i++)
        p->by_node[i] = places[i].place;
    free(places);
}

size_t parts_find(const struct parts *p, const varve_node *node)
{
    size_t low = 0, high = p->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        size_t place = p->by_node[middle];
        if (p->items[place].node == node)
            return place;
        if ((uintptr_t)p->items[place].node < (uintptr_t)node)
            low = middle + 1;
        else
            high = middle;
    }
    return PART_NONE;
}

static void add_link(
    struct parts *p, size_t parent, size_t child, const char *name)
{
    p->links = memory_grow(
        p->links, &p->link_capacity, p->link_count, sizeof *p->links);
    p->links[p->link_count++] = (struct link){
        .parent = parent, .child = child, .name = name, .is_alias = true
    };
}

static void add_links(struct parts *p, size_t parent)
{
    for (const varve_edge *e = varve_edge_first(p->items[parent].node); e;
         e = varve_edge_next(e)) {
        size_t child = parts_find(p, e->node);
        if (child != PART_NONE)
            add_link(p, parent, child, e->name);
    }
}

static int compare_names(const void *left, const void *right)
{
    uintptr_t a = (uintptr_t)(*(struct link *const *)left)->name;
    uintptr_t b = (uintptr_t)(*(struct link *const *)right)->name;
    return (a > b) - (a < b);
}

/* Copies the names, which belong to the graph, once each: a file can have the
 * same name of 64 KiB at every edge. */
static void spell(struct parts *p)
{
    struct link **sorted = memory_allocate(p->link_count, sizeof *sorted);
    const char *last = NULL;
    for (size_t i = 0; i < p->link_count; i++)
        sorted[i] = &p->links[i];
    qsort(sorted, p->link_count, sizeof *sorted, compare_names);
    for (size_t i = 0; i < p->link_count; i++) {
        const char *name = sorted[i]->name;
        if (name != last) {
            p->spellings = memory_grow(p->spellings, &p->spelling_capacity,
                p->spelling_count, sizeof *p->spellings);
            char *escaped = escaped_name(name);
            p->spellings[p->spelling_count++] = (struct spelling){
                .name = memory_copy_text(name, strlen(name)),
                .escaped = escaped ? escaped : memory_copy_text("?", 1),
            };
        }
        last = name;
        sorted[i]->name = p->spellings[p->spelling_count - 1].name;
        sorted[i]->escaped = p->spellings[p->spelling_count - 1].escaped;
    }
    free(sorted);
}

/* Returns true if a link is traversed before another one. A traversal reaches a
 * node first from the first parent, by the first name in order. Links are
 * ordered by parent. */
static bool is_earlier(
    const struct parts *p, const struct link *link, const struct link *than)
{
    return link->parent == than->parent &&
           varve_node_kind(p->items[link->parent].node) != VARVE_LIST &&
           strcmp(link->name, than->name) < 0;
}

/* Sets parent and link of each part to those by which a traversal reaches it.
 * The root has none. */
static void choose_ways(struct parts *p)
{
    /* numbers of links, plus 1 */
    size_t *ways = memory_allocate(p->count, sizeof *ways);
    memset(ways, 0, p->count * sizeof *ways);
    for (size_t i = 0; i < p->link_count; i++) {
        size_t *way = &ways[p->links[i].child];
        if (*way == 0 || is_earlier(p, &p->links[i], &p->links[*way - 1]))
            *way = i + 1;
    }
    for (size_t i = 1; i < p->count; i++) {
        if (ways[i] == 0)
            continue;
        p->links[ways[i] - 1].is_alias = false;
        p->items[i].above = p->links[ways[i] - 1].parent;
        p->items[i].way = ways[i] - 1;
        p->items[i].is_slot = false;
    }
    free(ways);
}

static void set_path(struct parts *p, struct link *link)
{
    if (!link->is_alias) {
        link->path = p->items[link->child].path;
        return;
    }
    link->own_path =
        memory_join_path(p->items[link->parent].path, link->escaped);
    link->path = link->own_path;
}

bool path_is_end(const char *path)
{
    return strncmp(path, "...", 3) == 0;
}

/* Writes the names of a path in reverse order: that of the link, then those of
 * its ancestors. */
static size_t climb(const struct parts *p, const struct link *link,
    size_t most_names, char *path, size_t end)
{
    size_t size = 0;
    while (link) {
        size_t way = p->items[link->parent].way;
        size_t name = strlen(link->escaped);
        if (most_names-- == 0 || size + name > MOST_BYTES)
            return PART_NONE;
        size += name + (size > 0);
        if (path) {
            memcpy(path + end - size, link->escaped, name);
            if (size < end)
                path[end - size - 1] = '/';
        }
        link = way == PART_NONE ? NULL : &p->links[way];
    }
    return size;
}

char *parts_link_path(
    const struct parts *p, const struct link *link, size_t most_names)
{
    size_t most = most_names < MOST_NAMES ? most_names : MOST_NAMES;
    size_t size = climb(p, link, most, NULL, 0);
    if (size == PART_NONE)
        return NULL;
    char *path = memory_allocate(size + 1, 1);
    climb(p, link, most, path, size);
    return path;
}

static void set_owners(struct parts *p, size_t owner)
{
    for (const varve_slot *s = varve_slot_first(p->items[owner].node); s;
         s = varve_slot_next(s)) {
        size_t slot = parts_find(p, s->node);
        if (slot != PART_NONE && p->items[slot].is_slot)
            p->items[slot].above = owner;
    }
}

varve_status parts_make(struct parts *p, varve_node *root, varve_error *error)
{
    *p = (struct parts){ .graph = varve_node_graph(root) };
    varve_status status = varve_walk(root, add_part, p, error);
    if (status != VARVE_OK)
        return status;
    sort_nodes(p);
    p->items[0].is_slot = false;
    for (size_t i = 0; i < p->count; i++)
        add_links(p, i);
    spell(p);
    choose_ways(p);
    for (size_t i = 0; i < p->link_count; i++)
        set_path(p, &p->links[i]);
    for (size_t i = 0; i < p->count; i++)
        set_owners(p, i);
    return VARVE_OK;
}

void parts_set_path(struct part *part, const char *path)
{
    char *copy = memory_copy_text(path, strlen(path));
    free(part->path);
    part->path = copy;
    part->place = copy;
}

static void take_way(struct parts *p, struct link *link)
{
    p->items[link->child].way = (size_t)(link - p->links);
    link->is_alias = false;
    link->path = p->items[link->child].path;
    p->items[link->child].above = link->parent;
}

void parts_follow_paths(struct parts *p)
{
    for (size_t i = 1; i < p->count; i++) {
        struct part *part = &p->items[i];
        if (!part->is_slot && !path_is_end(part->path))
            part->above = part->way = PART_NONE;
    }
    for (size_t i = 0; i < p->link_count; i++) {
        struct link *link = &p->links[i];
        free(link->own_path);
        link->own_path = NULL;
        link->is_alias = p->items[link->child].way != i;
        set_path(p, link);
        if (link->child && p->items[link->child].above == PART_NONE &&
            strcmp(link->path, p->items[link->child].path) == 0)
            take_way(p, link);
    }
    for (size_t i = 0; i < p->link_count; i++) {
        struct link *link = &p->links[i];
        if (link->child && p->items[link->child].above == PART_NONE &&
            p->items[link->parent].is_kept)
            take_way(p, link);
    }
}

void parts_clear(struct parts *p)
{
    for (size_t i = 0; i < p->count; i++)
        free(p->items[i].path);
    for (size_t i = 0; i < p->link_count; i++) {
        free(p->links[i].own_path);
        free(p->links[i].place);
    }
    for (size_t i = 0; i < p->spelling_count; i++) {
        free(p->spellings[i].name);
        free(p->spellings[i].escaped);
    }
    free(p->items);
    free(p->links);
    free(p->spellings);
    free(p->by_node);
    *p = (struct parts){ .count = 0 };
}

bool part_has_value(const struct part *part)
{
    varve_kind kind = varve_node_kind(part->node);
    return kind == VARVE_VARIABLE || kind == VARVE_STATE;
}
