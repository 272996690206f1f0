/* saver.c - Makes and frees savers, and manages the entries of their maps and
 * the tree of objects made from their names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saver.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "background.h"
#include "comm_collectives.h"
#include "edge.h"
#include "failure.h"
#include "job_together.h"
#include "name.h"
#include "saver_list.h"
#include "saver_together.h"
#include "try.h"

/* --- Savers --------------------------------------------------------------- */

/* Makes and frees savers, and manages the entries of their maps. */

/* --- Entries ------------------------------------------------------------ */

static bool has_node(const void *item, const void *key)
{
    return ((const struct vv_saver_entry *)item)->node == key;
}

static uint64_t node_hash(const varve_node *node)
{
    return vv_map_mix((uint64_t)(uintptr_t)node);
}

struct vv_saver_entry *vv_saver_find(
    const varve_saver *saver, const varve_node *node)
{
    return vv_map_find(&saver->by_node, node_hash(node), has_node, node);
}

void vv_saver_drop(varve_saver *saver, struct vv_saver_entry *entry)
{
    vv_map_remove(&saver->by_name, vv_name_hash(entry->name), entry);
    vv_map_remove(&saver->by_node, node_hash(entry->node), entry);
    struct vv_saver_entry *last = saver->entries[--saver->count];
    last->place = entry->place;
    saver->entries[last->place] = last;
    saver->object_count -= entry->node->kind != VARVE_VARIABLE;
    vv_release(&saver->context.allocator, entry, sizeof *entry);
}

varve_status vv_saver_link(varve_saver *saver, const struct vv_name *name,
    varve_node *node, varve_error *error)
{
    const varve_allocator *a = &saver->context.allocator;
    struct vv_saver_entry *entry = vv_allocate_zeroed(a, sizeof *entry);
    if (!entry || !vv_map_reserve(&saver->by_name, saver->count + 1) ||
        !vv_map_reserve(&saver->by_node, saver->count + 1) ||
        !vv_grow_array(a, &saver->entries, &saver->capacity, saver->count,
            sizeof *saver->entries)) {
        vv_release(a, entry, sizeof *entry);
        return vv_fail_memory(error, "the names of a saver");
    }
    entry->place = saver->count;
    entry->name = name;
    entry->node = node;
    saver->entries[saver->count++] = entry;
    /* Memory is reserved in both, so this cannot fail. */
    vv_map_add(&saver->by_name, vv_name_hash(name), entry);
    vv_map_add(&saver->by_node, node_hash(node), entry);
    saver->object_count += node->kind != VARVE_VARIABLE;
    return VARVE_OK;
}

static void drop_all(varve_saver *saver)
{
    while (saver->count > 0)
        vv_saver_drop(saver, saver->entries[saver->count - 1]);
}

/* --- What the graph tells ----------------------------------------------- */

static void saver_node_removed(struct vv_observer *self, varve_node *node)
{
    varve_saver *saver = (varve_saver *)self;
    struct vv_saver_entry *entry = vv_saver_find(saver, node);
    if (node == saver->root)
        saver->root = NULL;
    if (!entry)
        return;
    saver->is_dirty = true; /* objects that only led to it must be removed */
    vv_saver_drop(saver, entry);
}

static void saver_graph_freed(struct vv_observer *self)
{
    varve_saver *saver = (varve_saver *)self;
    drop_all(saver);
    saver->graph = NULL;
    saver->root = NULL;
}

static size_t saver_names_swept(struct vv_observer *self)
{
    const varve_saver *saver = (const varve_saver *)self;
    for (size_t i = 0; i < saver->count; i++)
        vv_name_keep(saver->entries[i]->name);
    return saver->count;
}

static bool saver_is_busy(const struct vv_observer *self)
{
    return ((const varve_saver *)self)->is_adding;
}

/* --- Birth and death ---------------------------------------------------- */

static varve_status saver_check_options(
    const varve_saver_options *options, varve_error *error)
{
    VV_TRY(VV_CHECK_OPTIONS(options, error));
    if (options &&
        !(options->keep_every_hours >= 0 && options->keep_every_hours <= 1e6))
        return vv_fail(error, VARVE_MISUSE,
            "keep_every_hours: must be 0 to 1000000 hours, found %g",
            options->keep_every_hours);
    return options && options->async
               ? vv_check_duplicates(vv_comm_or_alone(options->comm), error)
               : VARVE_OK;
}

static varve_saver *saver_make(varve_graph *graph, varve_error *error)
{
    const varve_allocator *a = &graph->context.allocator;
    varve_saver *saver = vv_allocate_zeroed(a, sizeof *saver);
    varve_node *root = saver ? varve_add_detached(graph) : NULL;
    if (!saver || vv_graph_take_error(graph, error)) {
        vv_release(a, saver, sizeof *saver);
        vv_fail_memory(error, "a saver");
        return NULL;
    }
    saver->context = graph->context;
    saver->graph = graph;
    saver->root = root;
    vv_map_init(&saver->by_name, &saver->context.allocator);
    vv_map_init(&saver->by_node, &saver->context.allocator);
    saver->observer.node_removed = saver_node_removed;
    saver->observer.graph_freed = saver_graph_freed;
    saver->observer.names_swept = saver_names_swept;
    saver->observer.is_busy = saver_is_busy;
    vv_graph_observe(graph, &saver->observer);
    return saver;
}

static varve_status make_with(varve_graph *graph,
    const varve_saver_options *options, varve_saver **made, varve_error *error)
{
    if (!graph)
        return vv_fail(error, VARVE_MISUSE, "graph is NULL");
    VV_TRY(varve_graph_check(graph, error));
    VV_TRY(saver_check_options(options, error));
    varve_saver *saver = saver_make(graph, error);
    if (!saver)
        return error->status;
    if (options)
        saver->options = *options;
    saver->options.comm = vv_comm_or_alone(saver->options.comm);
    saver->last_kept = vv_saver_now(saver);
    *made = saver;
    return VARVE_OK;
}

varve_saver *varve_saver_new(
    varve_graph *graph, const varve_saver_options *options, varve_error *error)
{
    const varve_comm *comm = vv_comm_or_alone(options ? options->comm : NULL);
    varve_saver *saver = NULL;
    varve_error reason = { 0 };
    if (vv_check_comm(comm, error))
        return NULL;
    varve_status status = make_with(graph, options, &saver, &reason);
    status = vv_saver_begin_collective(saver, comm, status, &reason);
    if (!status)
        return saver;
    varve_saver_free(saver);
    if (error)
        *error = reason;
    return NULL;
}

void varve_saver_free(varve_saver *saver)
{
    if (!saver)
        return;
    vv_saver_land(saver);
    if (saver->graph) {
        vv_background_keep_failure(saver->graph, &saver->failure);
        vv_saver_clear_tree(saver);
        vv_graph_forget(saver->graph, &saver->observer);
        if (saver->root && !saver->is_whole)
            varve_remove(saver->root);
        drop_all(saver);
    }
    vv_map_clear(&saver->by_name);
    vv_map_clear(&saver->by_node);
    vv_saver_clear_list(saver);
    const varve_allocator a = saver->context.allocator;
    vv_release(&a, saver->entries, saver->capacity * sizeof *saver->entries);
    vv_release(&a, saver, sizeof *saver);
}

varve_status vv_saver_check(varve_saver *saver, varve_error *error)
{
    if (!saver)
        return vv_fail(error, VARVE_MISUSE, "saver is NULL");
    if (!saver->graph)
        return vv_fail(error, VARVE_MISUSE, "the graph of the saver was freed");
    VV_TRY(varve_graph_check(saver->graph, error));
    if (!saver->root)
        return vv_fail(
            error, VARVE_MISUSE, "the node of the saver was removed");
    vv_saver_settle(saver);
    return vv_graph_take_error(saver->graph, error);
}

varve_status vv_saver_check_map(
    varve_saver *saver, bool *is_empty, varve_error *error)
{
    VV_TRY(vv_saver_check(saver, error));
    *is_empty = saver->count == 0 && !saver->is_whole;
    if (*is_empty && !saver->options.allow_empty)
        return vv_fail(error, VARVE_MISUSE,
            "the saver has no names: add variables, or set `allow_empty`");
    return VARVE_OK;
}

/* --- Trees ---------------------------------------------------------------- */

/* Splits names at '/' into edges between objects. */

/* Returns the object below `parent` for the first part of a name, and makes it
 * if needed. Returns NULL if an entry has its place or without memory. */
static varve_node *saver_tree_enter(varve_saver *saver, varve_node *parent,
    const char *part, size_t size, struct vv_buffer *scratch)
{
    scratch->size = 0;
    vv_buffer_add(scratch, part, size);
    const char *name = vv_buffer_string(scratch);
    if (scratch->failed) {
        vv_graph_memory_error(saver->graph);
        return NULL;
    }
    varve_node *child = varve_find(parent, name);
    if (!child)
        child = varve_add_object(parent, name);
    return vv_is_nil(child) || vv_saver_find(saver, child) ? NULL : child;
}

/* Returns false if an object of the saver is at the place of the entry. A name
 * with an empty part is not a path but one edge. */
static bool saver_tree_place(varve_saver *saver, struct vv_saver_entry *entry)
{
    varve_node *parent = saver->root;
    const char *name = entry->name->bytes;
    bool is_path = vv_name_has_parts(name, entry->name->size);
    struct vv_buffer scratch;
    vv_buffer_init(&scratch, &saver->context.allocator);
    const char *slash;
    while (is_path && (slash = strchr(name, '/'))) {
        varve_node *child = saver_tree_enter(
            saver, parent, name, (size_t)(slash - name), &scratch);
        if (!child)
            break;
        parent = child;
        name = slash + 1;
    }
    vv_buffer_clear(&scratch);
    if (saver->graph->mistake.status)
        return true;
    if (varve_find(parent, name))
        return false;
    varve_track(parent, name, entry->node);
    if (saver->graph->mistake.status)
        return true;
    entry->parent = parent;
    entry->edge = name;
    return true;
}

void vv_saver_take_out(varve_saver *saver, struct vv_saver_entry *entry)
{
    if (!entry->parent)
        return;
    varve_untrack(entry->parent, entry->edge);
    entry->parent = NULL;
    saver->is_dirty = true;
}

void vv_saver_clear_tree(varve_saver *saver)
{
    if (saver->is_whole || !saver->root)
        return;
    for (size_t i = 0; i < saver->count; i++)
        vv_saver_take_out(saver, saver->entries[i]);
    while (saver->root->first_edge)
        varve_remove(vv_first_edge(saver->root)->public.node);
}

static int saver_tree_compare(const void *left, const void *right)
{
    const struct vv_saver_entry *a = *(struct vv_saver_entry *const *)left;
    const struct vv_saver_entry *b = *(struct vv_saver_entry *const *)right;
    return strcmp(a->name->bytes, b->name->bytes);
}

/* Sorts by name, so that a prefix comes before the longer name. */
void vv_saver_settle(varve_saver *saver)
{
    if (!saver->is_dirty || saver->is_whole)
        return;
    vv_saver_clear_tree(saver);
    if (saver->count > 0)
        qsort(saver->entries, saver->count, sizeof *saver->entries,
            saver_tree_compare);
    for (size_t i = 0; i < saver->count; i++)
        saver->entries[i]->place = i;
    for (size_t i = 0; i < saver->count && !saver->graph->mistake.status; i++)
        saver_tree_place(saver, saver->entries[i]);
    saver->is_dirty = saver->graph->mistake.status != VARVE_OK;
}

void vv_saver_place(varve_saver *saver, struct vv_saver_entry *entry)
{
    if (!saver_tree_place(saver, entry)) {
        saver->is_dirty = true;
        vv_saver_settle(saver);
    }
    if (saver->graph->mistake.status)
        saver->is_dirty = true;
}
