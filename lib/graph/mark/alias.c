/* alias.c - Stores aliases and retired names of nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "alias.h"

#include <string.h>

#include "allocator.h"
#include "attachment.h"
#include "edge.h"
#include "graph.h"
#include "name.h"

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

static const struct vv_attachment_kind kind = { .size = sizeof(struct aliases),
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
    if (!kept || !alias || !vv_attachment_make(node, &kind)) {
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
    struct aliases *aliases = vv_attachment_find(node, &kind);
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
    struct aliases *aliases = vv_attachment_find(parent, &kind);
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
    const struct aliases *aliases = vv_attachment_find(node, &kind);
    return aliases ? aliases->first : NULL;
}

const struct vv_alias *vv_first_retired(const varve_node *node)
{
    const struct aliases *aliases = vv_attachment_find(node, &kind);
    return aliases ? aliases->retired : NULL;
}

bool vv_is_retired(const varve_node *node, const char *name, size_t size)
{
    const struct aliases *aliases = vv_attachment_find(node, &kind);
    const struct vv_name *known =
        aliases && aliases->retired
            ? vv_names_find(&node->graph->names, name, size)
            : NULL;
    return known && vv_set_find(&aliases->retired_set, vv_name_hash(known),
                        alias_has_name, known);
}
