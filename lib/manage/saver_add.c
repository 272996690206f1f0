/* saver_add.c - Adds nodes to the map of a saver, and chooses their names.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/saver.h>

#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "edge.h"
#include "failure.h"
#include "name.h"
#include "saver.h"
#include "slot.h"
#include "tag.h"
#include "try.h"
#include "variable.h"
#include "walk.h"

static bool saver_add_has_name(const void *item, const void *key)
{
    return ((const struct vv_saver_entry *)item)->name == key;
}

/* --- Adding ------------------------------------------------------------- */

static varve_status saver_add_check_node(
    varve_saver *saver, const varve_node *node, varve_error *error)
{
    VV_TRY(vv_saver_check(saver, error));
    if (!node)
        return vv_fail(error, VARVE_MISUSE, "the node is NULL");
    if (node->graph != saver->graph)
        return vv_fail(error, VARVE_MISUSE,
            "the node is not in the saver's graph: it is in another graph");
    VV_TRY(vv_node_check(node, error));
    if (saver->is_whole)
        return vv_fail(error, VARVE_MISUSE,
            "the saver already saves one node under its path; no other name "
            "can be added");
    return VARVE_OK;
}

/* Fails because a variable would get a second name. */
static varve_status fail_named(const varve_node *node, const char *name,
    const char *known, varve_error *error)
{
    char text[256];
    return vv_fail(error, VARVE_DUPLICATE,
        "%s: a variable can have only one name in a saver, found \"%.200s\" "
        "and \"%.200s\"",
        vv_node_text(node, text, sizeof text), known, name);
}

/* `with`: a traversal from the new node; `known`: one from the root of the
 * tree. */
static varve_status compare_walks(const struct vv_walk *with,
    const struct vv_walk *known, const char *name, varve_error *error)
{
    struct vv_buffer paths[2];
    varve_status status = VARVE_OK;
    vv_buffer_init(&paths[0], with->allocator);
    vv_buffer_init(&paths[1], with->allocator);
    for (size_t i = 0; i < with->count && !status; i++) {
        const varve_node *node = with->steps[i].node;
        if ((node->kind != VARVE_VARIABLE && node->kind != VARVE_STATE) ||
            !vv_walk_has(known, node))
            continue;
        vv_walk_short_path(known, vv_walk_place(known, node), 255, &paths[0]);
        vv_walk_short_path(with, i, 255, &paths[1]);
        char both[512];
        const char *path = vv_buffer_string(&paths[1]);
        snprintf(both, sizeof both, "%.200s%s%s", name, *path ? "/" : "", path);
        status = fail_named(node, both, vv_buffer_string(&paths[0]), error);
    }
    vv_buffer_clear(&paths[0]);
    vv_buffer_clear(&paths[1]);
    return status;
}

static bool saver_add_is_same(const void *item, const void *key)
{
    return item == key;
}

/* The nodes from which another one can be reached, as far as known. */
struct ascent {
    struct vv_map seen;
    struct vv_buffer queue; /* of pointers to nodes */
};

static bool ascend(struct ascent *ascent, varve_node *node)
{
    uint64_t hash = vv_map_mix((uint64_t)(uintptr_t)node);
    if (vv_map_find(&ascent->seen, hash, saver_add_is_same, node))
        return true;
    vv_buffer_add(&ascent->queue, &node, sizeof node);
    return vv_map_add(&ascent->seen, hash, node) && !ascent->queue.failed;
}

/* Returns true if an object of the map may lead to a variable, or without
 * memory. */
static bool may_be_below(const varve_saver *saver, varve_node *node)
{
    struct ascent ascent;
    vv_map_init(&ascent.seen, &saver->context.allocator);
    vv_buffer_init(&ascent.queue, &saver->context.allocator);
    bool is_known = ascend(&ascent, node);
    bool found = vv_as_slot(node) != NULL;
    for (size_t at = 0; is_known && !found && at < ascent.queue.size;
         at += sizeof node) {
        varve_node *next;
        memcpy(&next, ascent.queue.data + at, sizeof next);
        found = next != node && vv_saver_find(saver, next);
        for (struct vv_edge *e = vv_first_in(next); e && is_known;
             e = vv_next_in(e))
            is_known = ascend(&ascent, e->parent);
    }
    vv_map_clear(&ascent.seen);
    vv_buffer_clear(&ascent.queue);
    return found || !is_known;
}

/* Checks that the objects do not lead to a node that has a name. */
static varve_status check_below(
    varve_saver *saver, const char *name, varve_node *node, varve_error *error)
{
    struct vv_walk known, with;
    if (node->kind == VARVE_VARIABLE &&
        (saver->object_count == 0 || !may_be_below(saver, node)))
        return VARVE_OK;
    VV_TRY(vv_walk_begin(&known, saver->root, error));
    varve_status status = vv_walk_begin(&with, node, error);
    if (!status) {
        status = compare_walks(&with, &known, name, error);
        vv_walk_end(&with);
    }
    vv_walk_end(&known);
    return status;
}

static varve_status check_new(varve_saver *saver, const struct vv_name *name,
    varve_node *node, varve_error *error)
{
    const struct vv_saver_entry *same = vv_map_find(
        &saver->by_name, vv_name_hash(name), saver_add_has_name, name);
    char texts[2][256];
    if (same)
        return vv_fail(error, VARVE_DUPLICATE,
            "\"%.200s\": duplicate name for two variables, %s and %s",
            name->bytes, vv_node_text(same->node, texts[0], sizeof texts[0]),
            vv_node_text(node, texts[1], sizeof texts[1]));
    const struct vv_saver_entry *known = vv_saver_find(saver, node);
    if (known)
        return fail_named(node, name->bytes, known->name->bytes, error);
    return check_below(saver, name->bytes, node, error);
}

static void saver_add_take_back(varve_saver *saver, const varve_node *node)
{
    struct vv_saver_entry *entry = vv_saver_find(saver, node);
    if (!entry)
        return;
    vv_saver_take_out(saver, entry);
    vv_saver_drop(saver, entry);
}

/* Checks that the node belongs to the saver's graph. */
static varve_status saver_add_add(varve_saver *saver,
    const struct vv_name *name, varve_node *node, varve_error *error)
{
    VV_TRY(check_new(saver, name, node, error));
    VV_TRY(vv_saver_link(saver, name, node, error));
    vv_saver_place(saver, vv_saver_find(saver, node));
    varve_status status = vv_graph_take_error(saver->graph, error);
    if (status)
        saver_add_take_back(saver, node);
    return status;
}

/* Returns the graph's copy of a valid name. */
static varve_status saver_add_take_name(varve_saver *saver, const char *name,
    const struct vv_name **kept, varve_error *error)
{
    if (!name || !vv_name_is_valid(name, strlen(name)))
        return vv_fail(error, VARVE_BAD_NAME,
            "\"%.200s\": a name must be 1 to %d bytes of UTF-8",
            name ? name : "", VARVE_MAX_NAME_SIZE);
    *kept = vv_names_intern(&saver->graph->names, name, strlen(name));
    return *kept ? VARVE_OK : vv_fail_memory(error, "the names of a saver");
}

varve_status varve_saver_add(
    varve_saver *saver, const char *name, varve_node *node, varve_error *error)
{
    const struct vv_name *kept;
    VV_TRY(saver_add_check_node(saver, node, error));
    VV_TRY(saver_add_take_name(saver, name, &kept, error));
    return saver_add_add(saver, kept, node, error);
}

/* Uses the node itself instead of a tree. */
static varve_status add_whole(
    varve_saver *saver, varve_node *node, varve_error *error)
{
    if (saver->count)
        return vv_fail(error, VARVE_MISUSE,
            "this saver already has names; a node can be saved under its path "
            "only by an empty saver");
    varve_node *own = saver->root;
    vv_saver_clear_tree(saver);
    saver->root = node;
    saver->is_whole = true;
    varve_remove(own);
    return VARVE_OK;
}

varve_status varve_saver_add_under(varve_saver *saver, const char *prefix,
    varve_node *node, varve_error *error)
{
    if (prefix && *prefix)
        return varve_saver_add(saver, prefix, node, error);
    VV_TRY(saver_add_check_node(saver, node, error));
    return add_whole(saver, node, error);
}

/* --- Adding by global names --------------------------------------------- */

struct named {
    const struct vv_name *name;
    varve_node *node;
};

/* Sets `flat` to a path without its escapes. */
static void flatten(
    struct vv_buffer *flat, const char *path, struct vv_buffer *scratch)
{
    flat->size = 0;
    while (path && *path) {
        if (flat->size)
            vv_buffer_add8(flat, '/');
        path = vv_path_next_name(path, scratch);
        vv_buffer_add(flat, scratch->data, scratch->size);
        flat->failed |= scratch->failed;
    }
}

/* Collects the nodes before any is added. */
struct gathering {
    varve_saver *saver;
    struct vv_buffer found; /* of struct named */
    struct vv_buffer path, flat, scratch;
};

static varve_status fail_long(struct gathering *g, const struct vv_walk *walk,
    size_t place, varve_error *error)
{
    vv_walk_short_path(walk, place, 255, &g->path);
    return vv_fail(error, VARVE_LIMIT,
        "%s: the path is longer than %d bytes and cannot be a name",
        vv_buffer_string(&g->path), VV_LONGEST_PATH);
}

static varve_status saver_add_gather(struct gathering *g,
    const struct vv_walk *walk, size_t place, varve_error *error)
{
    struct named named = { .node = walk->steps[place].node };
    const char *name = varve_global_name(named.node);
    if (!name) {
        vv_walk_short_path(walk, place, 2 * VV_LONGEST_PATH, &g->path);
        if (g->path.size > VV_LONGEST_PATH)
            return fail_long(g, walk, place, error);
        flatten(&g->flat, vv_buffer_string(&g->path), &g->scratch);
        name = vv_buffer_string(&g->flat);
        if (g->path.failed || g->flat.failed)
            return vv_fail_memory(error, "the names of a saver");
    }
    VV_TRY(saver_add_take_name(g->saver, name, &named.name, error));
    vv_buffer_add(&g->found, &named, sizeof named);
    return g->found.failed ? vv_fail_memory(error, "the names of a saver")
                           : VARVE_OK;
}

/* Returns true if the node is below a state and is saved with it. `taken`
 * contains the results for the nodes before it in the traversal. */
static bool is_taken_along(
    const struct vv_walk *walk, size_t place, const bool *taken)
{
    const struct vv_step *step = &walk->steps[place];
    if (!step->edge && !step->slot)
        return false;
    const varve_node *parent =
        step->edge ? step->edge->parent : step->slot->owner;
    return parent->kind == VARVE_STATE || taken[vv_walk_place(walk, parent)];
}

static varve_status saver_add_gather_all(
    struct gathering *g, varve_node *node, varve_error *error)
{
    struct vv_walk walk;
    uint64_t local = vv_tag_bit(node->graph, VARVE_TAG_LOCAL);
    varve_status status = vv_walk_begin(&walk, node, error);
    if (status)
        return status;
    bool *taken = vv_allocate_zeroed(walk.allocator, walk.count);
    if (!taken)
        status = vv_fail_memory(error, "the names of a saver");
    for (size_t i = 0; i < walk.count && !status; i++) {
        const varve_node *at = walk.steps[i].node;
        taken[i] = is_taken_along(&walk, i, taken);
        if ((at->kind == VARVE_VARIABLE || at->kind == VARVE_STATE) &&
            !vv_is_local(at, local) && !taken[i])
            status = saver_add_gather(g, &walk, i, error);
    }
    vv_release(walk.allocator, taken, walk.count);
    vv_walk_end(&walk);
    return status;
}

/* Adds all nodes or none. */
static varve_status saver_add_all(struct gathering *g, varve_error *error)
{
    varve_saver *saver = g->saver;
    size_t count = g->found.size / sizeof(struct named);
    const struct named *found = (const void *)g->found.data;
    varve_status status = VARVE_OK;
    size_t added = 0;
    for (; added < count && !status; added += !status)
        status =
            saver_add_add(saver, found[added].name, found[added].node, error);
    while (status && added > 0)
        saver_add_take_back(saver, found[--added].node);
    return status;
}

varve_status varve_saver_add_named(
    varve_saver *saver, varve_node *node, varve_error *error)
{
    VV_TRY(saver_add_check_node(saver, node, error));
    struct gathering g = { .saver = saver };
    struct vv_buffer *buffers[] = { &g.found, &g.path, &g.flat, &g.scratch };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        vv_buffer_init(buffers[i], &saver->context.allocator);
    saver->is_adding = true;
    varve_status status = saver_add_gather_all(&g, node, error);
    if (!status)
        status = saver_add_all(&g, error);
    saver->is_adding = false;
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        vv_buffer_clear(buffers[i]);
    return status;
}
