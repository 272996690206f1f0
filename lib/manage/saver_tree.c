/* saver_tree.c - Splits names at '/' into edges between objects.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saver_tree.h"

#include <stdlib.h>
#include <string.h>

#include "edge.h"
#include "name.h"

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
