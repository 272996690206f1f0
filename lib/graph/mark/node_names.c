/* node_names.c - Stores the names of nodes that are not names of edges:
 * aliases, retired names and global names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "node_names.h"

#include <string.h>

#include "allocator.h"
#include "edge.h"
#include "graph.h"
#include "hash_table.h"
#include "name.h"
#include "node.h"
#include "removal.h"

/* --- Aliases -------------------------------------------------------------- */

/* Stores aliases and retired names of nodes. */

struct aliases {
    struct vv_attachment attachment;
    struct vv_alias *first; /* aliases of the node itself */
    struct vv_alias *last;
    struct vv_alias *retired;
    struct vv_set retired_set; /* by name */
};

static uint64_t alias_hash(const void *alias)
{
    return vv_name_hash(((const struct vv_alias *)alias)->name);
}

static bool alias_has_name(const void *alias, const void *key)
{
    return ((const struct vv_alias *)alias)->name == key;
}

static void alias_free_names(const varve_allocator *a, struct vv_alias *first)
{
    while (first) {
        struct vv_alias *next = first->next;
        vv_release(a, first, sizeof *first);
        first = next;
    }
}

static void alias_release(varve_node *node, void *self)
{
    struct aliases *aliases = self;
    alias_free_names(&node->graph->context.allocator, aliases->first);
    alias_free_names(&node->graph->context.allocator, aliases->retired);
    if (aliases->retired_set.allocator)
        vv_set_clear(&aliases->retired_set);
}

static size_t keep_names_from(const struct vv_alias *alias)
{
    size_t count = 0;
    for (; alias; alias = alias->next, count++)
        vv_name_keep(alias->name);
    return count;
}

static size_t alias_keep_names(const void *self)
{
    const struct aliases *aliases = self;
    return keep_names_from(aliases->first) + keep_names_from(aliases->retired);
}

static const struct vv_attachment_kind alias_kind = { .size = sizeof(
                                                          struct aliases),
    .release = alias_release,
    .keep_names = alias_keep_names };

/* Allocates an entry for a name. `what` describes the name in error messages.
 * Returns NULL after an error. */
static struct vv_alias *alias_take_name(
    varve_node *node, const char *what, const char *name)
{
    varve_graph *graph = node->graph;
    char text[256];
    if (!name || !vv_name_is_valid(name, strlen(name))) {
        vv_graph_error(graph, VARVE_BAD_NAME,
            "%s: %s must be 1 to %d bytes of UTF-8",
            vv_node_text(node, text, sizeof text), what, VARVE_MAX_NAME_SIZE);
        return NULL;
    }
    const struct vv_name *kept =
        vv_names_intern(&graph->names, name, strlen(name));
    struct vv_alias *alias =
        vv_allocate(&graph->context.allocator, sizeof *alias);
    if (!kept || !alias || !vv_attachment_make(node, &alias_kind)) {
        vv_release(&graph->context.allocator, alias, sizeof *alias);
        vv_graph_memory_error(graph);
        return NULL;
    }
    *alias = (struct vv_alias){ .name = kept };
    return alias;
}

void varve_alias(varve_node *node, const char *name)
{
    node = vv_or_nil(node);
    if (vv_is_nil(node)) {
        vv_graph_note_lost(node->graph, "adding the alias", name);
        return;
    }
    struct vv_alias *alias = alias_take_name(node, "an alias", name);
    if (!alias)
        return;
    struct aliases *aliases = vv_attachment_find(node, &alias_kind);
    *(aliases->last ? &aliases->last->next : &aliases->first) = alias;
    aliases->last = alias;
    vv_node_notify_changed(node);
}

void varve_retire(varve_node *parent, const char *name)
{
    parent = vv_or_nil(parent);
    if (!vv_node_takes_children(parent, name ? name : ""))
        return;
    struct vv_alias *retired = alias_take_name(parent, "a retired name", name);
    if (!retired)
        return;
    struct aliases *aliases = vv_attachment_find(parent, &alias_kind);
    const varve_allocator *a = &parent->graph->context.allocator;
    struct vv_set *set = &aliases->retired_set;
    if (!set->allocator)
        vv_set_init(set, a, alias_hash);
    if (!vv_set_find(
            set, vv_name_hash(retired->name), alias_has_name, retired->name) &&
        !vv_set_add(set, retired)) {
        vv_release(a, retired, sizeof *retired);
        vv_graph_memory_error(parent->graph);
        return;
    }
    retired->next = aliases->retired;
    aliases->retired = retired;
}

const struct vv_alias *vv_first_alias(const varve_node *node)
{
    const struct aliases *aliases = vv_attachment_find(node, &alias_kind);
    return aliases ? aliases->first : NULL;
}

const struct vv_alias *vv_first_retired(const varve_node *node)
{
    const struct aliases *aliases = vv_attachment_find(node, &alias_kind);
    return aliases ? aliases->retired : NULL;
}

bool vv_is_retired(const varve_node *node, const char *name, size_t size)
{
    const struct aliases *aliases = vv_attachment_find(node, &alias_kind);
    const struct vv_name *known =
        aliases && aliases->retired
            ? vv_names_find(&node->graph->names, name, size)
            : NULL;
    return known && vv_set_find(&aliases->retired_set, vv_name_hash(known),
                        alias_has_name, known);
}

/* --- Global names --------------------------------------------------------- */

/* Stores global names, each unique in the graph. */

/* The nodes of a graph by global name. */
struct global_names {
    struct vv_attachment attachment;
    struct vv_map map;
};

static void global_name_clear_names(varve_node *nil, void *self)
{
    struct global_names *names = self;
    (void)nil;
    vv_map_clear(&names->map);
}

static const struct vv_attachment_kind names_kind = {
    .size = sizeof(struct global_names),
    .release = global_name_clear_names,
};

static struct global_names *global_name_names_of(const varve_graph *graph)
{
    return vv_attachment_find(&graph->nil, &names_kind);
}

/* Returns the map, with room for one more name, or NULL if out of memory. */
static struct global_names *global_name_reserve(varve_graph *graph)
{
    struct global_names *names = vv_attachment_make(&graph->nil, &names_kind);
    if (names && !names->map.allocator)
        vv_map_init(&names->map, &graph->context.allocator);
    return names && vv_map_reserve(&names->map, names->map.count + 1) ? names
                                                                      : NULL;
}

struct global_name {
    struct vv_attachment attachment;
    const struct vv_name *name; /* or NULL */
};

static void take_from_map(varve_node *node, struct global_name *global)
{
    if (global->name)
        vv_map_remove(&global_name_names_of(node->graph)->map,
            vv_name_hash(global->name), node);
    global->name = NULL;
}

static void global_name_release(varve_node *node, void *self)
{
    take_from_map(node, self);
}

static size_t global_name_keep_names(const void *self)
{
    const struct global_name *global = self;
    if (global->name)
        vv_name_keep(global->name);
    return 1;
}

static const struct vv_attachment_kind global_name_kind = {
    .size = sizeof(struct global_name),
    .release = global_name_release,
    .keep_names = global_name_keep_names,
};

const struct vv_name *vv_global_name(const varve_node *node)
{
    const struct global_name *global =
        vv_attachment_find(node, &global_name_kind);
    return global ? global->name : NULL;
}

static bool global_name_has_name(const void *item, const void *key)
{
    return vv_global_name(item) == key;
}

/* Returns true if the node may have this name. Otherwise records an error. */
static bool may_have(const varve_node *node, const char *name)
{
    char text[256];
    const char *where = vv_node_text(node, text, sizeof text);
    if (node->kind != VARVE_VARIABLE && node->kind != VARVE_STATE) {
        vv_graph_error(node->graph, VARVE_MISUSE,
            "%s: only variables and custom serializers can have a global name",
            where);
        return false;
    }
    if (!vv_name_is_valid(name, strlen(name))) {
        vv_graph_error(node->graph, VARVE_BAD_NAME,
            "%s: a global name must be 1 to %d bytes of UTF-8", where,
            VARVE_MAX_NAME_SIZE);
        return false;
    }
    return true;
}

static void global_name_fail_duplicate(
    const varve_node *node, const varve_node *other, const char *name)
{
    char text[256];
    char other_text[256];
    vv_graph_error(node->graph, VARVE_DUPLICATE,
        "%s: duplicate global name \"%.200s\", which %s has",
        vv_node_text(node, text, sizeof text), name,
        vv_node_text(other, other_text, sizeof other_text));
}

size_t vv_global_name_count(const varve_graph *graph)
{
    const struct global_names *names = global_name_names_of(graph);
    return names ? names->map.count : 0;
}

static const varve_node *global_name_find_named(
    const varve_graph *graph, const struct vv_name *name)
{
    const struct global_names *names = global_name_names_of(graph);
    return names ? vv_map_find(&names->map, vv_name_hash(name),
                       global_name_has_name, name)
                 : NULL;
}

bool vv_global_name_is_taken(const varve_graph *graph, const char *name)
{
    const struct vv_name *known =
        vv_names_find(&graph->names, name, strlen(name));
    return known && global_name_find_named(graph, known);
}

static void global_name_set(varve_node *node, const char *name)
{
    varve_graph *graph = node->graph;
    struct global_name *global = vv_attachment_make(node, &global_name_kind);
    const struct vv_name *kept =
        vv_names_intern(&graph->names, name, strlen(name));
    if (!global || !kept) {
        vv_graph_memory_error(graph);
        return;
    }
    if (global->name == kept)
        return;
    const varve_node *other = global_name_find_named(graph, kept);
    if (other) {
        global_name_fail_duplicate(node, other, name);
        return;
    }
    /* Reserves memory first, so that nothing can fail after the previous name
     * is removed. */
    struct global_names *names = global_name_reserve(graph);
    if (!names) {
        vv_graph_memory_error(graph);
        return;
    }
    take_from_map(node, global);
    vv_map_add(&names->map, vv_name_hash(kept), node);
    global->name = kept;
    vv_node_notify_changed(node);
}

void varve_set_global_name(varve_node *node, const char *name)
{
    node = vv_or_nil(node);
    if (vv_is_nil(node)) {
        vv_graph_note_lost(node->graph, "setting the global name", name);
        return;
    }
    if (name && may_have(node, name))
        global_name_set(node, name);
    else if (!name)
        vv_attachment_drop(node, &global_name_kind);
    vv_sweep_names(node->graph);
}

const char *varve_global_name(const varve_node *node)
{
    node = vv_or_nil(node);
    const struct vv_name *name = vv_global_name(node);
    return name ? name->bytes : NULL;
}
