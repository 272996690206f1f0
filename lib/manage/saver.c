/* saver.c - the map: what is in it, and under which names.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saver.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "name.h"
#include "saver_list.h"
#include "saver_tree.h"
#include "tag.h"
#include "try.h"
#include "variable.h"
#include "walk.h"

/* --- Entries ------------------------------------------------------------ */

static bool has_name(const void *item, const void *key)
{
    return ((const struct vv_saver_entry *)item)->name == key;
}

static bool has_node(const void *item, const void *key)
{
    return ((const struct vv_saver_entry *)item)->node == key;
}

static uint64_t node_hash(const varve_node *node)
{
    return vv_map_mix((uint64_t)(uintptr_t)node);
}

static struct vv_saver_entry *find_node(
    const varve_saver *saver, const varve_node *node)
{
    return vv_map_find(&saver->by_node, node_hash(node), has_node, node);
}

static void drop(varve_saver *saver, struct vv_saver_entry *entry)
{
    vv_map_remove(&saver->by_name, entry->name->hash, entry);
    vv_map_remove(&saver->by_node, node_hash(entry->node), entry);
    if (entry->next)
        entry->next->previous = entry->previous;
    else
        saver->last = entry->previous;
    if (entry->previous)
        entry->previous->next = entry->next;
    else
        saver->first = entry->next;
    saver->object_count -= entry->node->kind != VARVE_VARIABLE;
    vv_release(&saver->context.allocator, entry, sizeof *entry);
}

static varve_status link_entry(varve_saver *saver, const struct vv_name *name,
    varve_node *node, varve_error *error)
{
    const varve_allocator *a = &saver->context.allocator;
    size_t count = saver->by_name.count + 1;
    struct vv_saver_entry *entry = vv_allocate_zeroed(a, sizeof *entry);
    if (!entry || !vv_map_reserve(&saver->by_name, count) ||
        !vv_map_reserve(&saver->by_node, count)) {
        vv_release(a, entry, sizeof *entry);
        return vv_fail_memory(error, "the names of a saver");
    }
    entry->name = name;
    entry->node = node;
    entry->previous = saver->last;
    if (saver->last)
        saver->last->next = entry;
    else
        saver->first = entry;
    saver->last = entry;
    vv_map_add(&saver->by_name, name->hash, entry);
    vv_map_add(&saver->by_node, node_hash(node), entry);
    saver->object_count += node->kind != VARVE_VARIABLE;
    return VARVE_OK;
}

/* --- What the graph tells ----------------------------------------------- */

static void node_removed(struct vv_observer *self, varve_node *node)
{
    varve_saver *saver = (varve_saver *)self;
    struct vv_saver_entry *entry = find_node(saver, node);
    if (node == saver->root)
        saver->root = NULL;
    if (!entry)
        return;
    saver->is_dirty = true; /* objects that led to it alone */
    drop(saver, entry);
}

static void graph_freed(struct vv_observer *self)
{
    varve_saver *saver = (varve_saver *)self;
    while (saver->first)
        drop(saver, saver->first);
    saver->graph = NULL;
    saver->root = NULL;
}

/* --- Birth and death ---------------------------------------------------- */

/* A mistake that building the tree made is told by the call, and is none of the
 * program's. */
static varve_status take_mistake(varve_graph *graph, varve_error *error)
{
    varve_status status = graph->mistake.status;
    if (status && error)
        *error = graph->mistake;
    graph->mistake.status = VARVE_OK;
    return status;
}

static varve_status check_options(
    const varve_saver_options *options, varve_error *error)
{
    if (options && !(options->keep_every_hours >= 0 &&
                       options->keep_every_hours <= 1e6))
        return vv_fail(error, VARVE_MISUSE,
            "keep_every_hours: expected 0 to 1000000 hours, found %g",
            options->keep_every_hours);
    return VARVE_OK;
}

static varve_saver *make(varve_graph *graph, varve_error *error)
{
    const varve_allocator *a = &graph->context.allocator;
    varve_saver *saver = vv_allocate_zeroed(a, sizeof *saver);
    varve_node *root = saver ? varve_add_detached(graph) : NULL;
    if (!saver || take_mistake(graph, error)) {
        vv_release(a, saver, sizeof *saver);
        vv_fail_memory(error, "a saver");
        return NULL;
    }
    saver->context = graph->context;
    saver->graph = graph;
    saver->root = root;
    vv_map_init(&saver->by_name, &saver->context.allocator);
    vv_map_init(&saver->by_node, &saver->context.allocator);
    saver->observer.node_removed = node_removed;
    saver->observer.graph_freed = graph_freed;
    vv_graph_observe(graph, &saver->observer);
    return saver;
}

varve_saver *varve_saver_new(varve_graph *graph,
    const varve_saver_options *options, varve_error *error)
{
    if (!graph) {
        vv_fail(error, VARVE_MISUSE, "expected a graph, found none");
        return NULL;
    }
    if (varve_graph_check(graph, error) || check_options(options, error))
        return NULL;
    varve_saver *saver = make(graph, error);
    if (!saver)
        return NULL;
    if (options)
        saver->options = *options;
    saver->last_kept = vv_saver_now(saver);
    return saver;
}

void varve_saver_free(varve_saver *saver)
{
    if (!saver)
        return;
    if (saver->graph) {
        vv_saver_clear_tree(saver);
        vv_graph_forget(saver->graph, &saver->observer);
        if (saver->root && !saver->is_whole)
            varve_remove(saver->root);
        while (saver->first)
            drop(saver, saver->first);
    }
    vv_map_clear(&saver->by_name);
    vv_map_clear(&saver->by_node);
    vv_saver_clear_list(saver);
    const varve_allocator a = saver->context.allocator;
    vv_release(&a, saver, sizeof *saver);
}

varve_status vv_saver_check(varve_saver *saver, varve_error *error)
{
    if (!saver)
        return vv_fail(error, VARVE_MISUSE, "expected a saver, found none");
    if (!saver->graph)
        return vv_fail(error, VARVE_MISUSE,
            "expected a saver whose graph is there, found it freed");
    VV_TRY(varve_graph_check(saver->graph, error));
    if (!saver->root)
        return vv_fail(error, VARVE_MISUSE,
            "expected a saver whose node is there, found it removed");
    vv_saver_settle(saver);
    return take_mistake(saver->graph, error);
}

varve_status vv_saver_check_map(
    varve_saver *saver, bool *is_empty, varve_error *error)
{
    VV_TRY(vv_saver_check(saver, error));
    *is_empty = saver->by_name.count == 0 && !saver->is_whole;
    if (*is_empty && !saver->options.allow_empty)
        return vv_fail(error, VARVE_MISUSE,
            "expected a saver of at least one name, found an empty one");
    return VARVE_OK;
}

/* --- Adding ------------------------------------------------------------- */

static varve_status check_node(
    varve_saver *saver, const varve_node *node, varve_error *error)
{
    VV_TRY(vv_saver_check(saver, error));
    if (!node || node->graph != saver->graph)
        return vv_fail(error, VARVE_MISUSE,
            "expected a node of the saver's graph, found %s",
            node ? "one of another" : "none");
    if (saver->is_whole)
        return vv_fail(error, VARVE_MISUSE,
            "expected nothing beside what is saved by its path alone, found "
            "another name");
    return VARVE_OK;
}

/* Says where a variable is that was to be named a second time. */
static varve_status fail_named(const varve_node *node, const char *name,
    const char *known, varve_error *error)
{
    char text[256];
    return vv_fail(error, VARVE_DUPLICATE,
        "%s: expected one name for each variable, found \"%.200s\" and "
        "\"%.200s\"",
        vv_node_text(node, text, sizeof text), known, name);
}

/* `with`: a walk from the node that is to be added; `known`: from the root of
 * the tree. */
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
        size_t size = strlen(name) < 200 ? strlen(name) : 200;
        memcpy(both, name, size);
        both[size] = '\0';
        if (*path)
            strcat(strcat(both, "/"), path);
        status =
            fail_named(node, both, vv_buffer_string(&paths[0]), error);
    }
    vv_buffer_clear(&paths[0]);
    vv_buffer_clear(&paths[1]);
    return status;
}

static bool is_same(const void *item, const void *key)
{
    return item == key;
}

/* Nodes from which another can be reached, as far as was looked. */
struct ascent {
    struct vv_map seen;
    struct vv_buffer queue; /* of pointers to nodes */
};

static bool ascend(struct ascent *ascent, varve_node *node)
{
    uint64_t hash = node_hash(node);
    if (vv_map_find(&ascent->seen, hash, is_same, node))
        return true;
    vv_buffer_add(&ascent->queue, &node, sizeof node);
    return vv_map_add(&ascent->seen, hash, node) && !ascent->queue.failed;
}

/* Whether an object of the map may lead to a variable; also without memory to
 * know. */
static bool may_be_below(const varve_saver *saver, varve_node *node)
{
    struct ascent ascent;
    vv_map_init(&ascent.seen, &saver->context.allocator);
    vv_buffer_init(&ascent.queue, &saver->context.allocator);
    bool is_known = ascend(&ascent, node);
    bool found = node->variable->as_slot != NULL;
    for (size_t at = 0; is_known && !found && at < ascent.queue.size;
         at += sizeof node) {
        varve_node *next;
        memcpy(&next, ascent.queue.data + at, sizeof next);
        found = next != node && find_node(saver, next);
        for (struct vv_edge *e = next->first_in; e && is_known; e = e->next_in)
            is_known = ascend(&ascent, e->parent);
    }
    vv_map_clear(&ascent.seen);
    vv_buffer_clear(&ascent.queue);
    return found || !is_known;
}

/* Objects may lead to what has a name already. */
static varve_status check_below(varve_saver *saver, const char *name,
    varve_node *node, varve_error *error)
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
    const struct vv_saver_entry *same =
        vv_map_find(&saver->by_name, name->hash, has_name, name);
    char texts[2][256];
    if (same)
        return vv_fail(error, VARVE_DUPLICATE,
            "\"%.200s\": expected one variable for each name, found %s and %s",
            name->bytes, vv_node_text(same->node, texts[0], sizeof texts[0]),
            vv_node_text(node, texts[1], sizeof texts[1]));
    const struct vv_saver_entry *known = find_node(saver, node);
    if (known)
        return fail_named(node, name->bytes, known->name->bytes, error);
    return check_below(saver, name->bytes, node, error);
}

/* The node is the saver's graph's. */
static varve_status add(varve_saver *saver, const struct vv_name *name,
    varve_node *node, varve_error *error)
{
    VV_TRY(check_new(saver, name, node, error));
    VV_TRY(link_entry(saver, name, node, error));
    struct vv_saver_entry *entry = saver->last;
    vv_saver_place(saver, entry);
    varve_status status = take_mistake(saver->graph, error);
    if (status) {
        vv_saver_take_out(saver, entry);
        drop(saver, entry);
    }
    return status;
}

/* The graph's copy of a name that is allowed. */
static varve_status take_name(varve_saver *saver, const char *name,
    const struct vv_name **kept, varve_error *error)
{
    if (!name || !vv_name_has_parts(name, strlen(name)))
        return vv_fail(error, VARVE_BAD_NAME,
            "\"%.200s\": expected 1 to %d bytes of UTF-8 whose parts, joined by "
            "'/', are not empty, found another name",
            name ? name : "", VARVE_MAX_NAME_SIZE);
    *kept = vv_names_intern(&saver->graph->names, name, strlen(name));
    return *kept ? VARVE_OK : vv_fail_memory(error, "the names of a saver");
}

varve_status varve_saver_add(varve_saver *saver, const char *name,
    varve_node *node, varve_error *error)
{
    const struct vv_name *kept;
    VV_TRY(check_node(saver, node, error));
    VV_TRY(take_name(saver, name, &kept, error));
    return add(saver, kept, node, error);
}

/* The node itself takes the place of the tree. */
static varve_status add_whole(
    varve_saver *saver, varve_node *node, varve_error *error)
{
    if (saver->first)
        return vv_fail(error, VARVE_MISUSE,
            "expected an empty saver for what is saved by its path alone, "
            "found one with names");
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
    VV_TRY(check_node(saver, node, error));
    return add_whole(saver, node, error);
}

/* --- Adding by global names --------------------------------------------- */

struct named {
    const struct vv_name *name;
    varve_node *node;
};

/* Sets `flat` to a path without its escapes. */
static void flatten(struct vv_buffer *flat, const char *path,
    struct vv_buffer *scratch)
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

/* What is to be added, before any of it is. */
struct gathering {
    varve_saver *saver;
    struct vv_buffer found; /* of struct named */
    struct vv_buffer path, flat, scratch;
};

static varve_status gather(struct gathering *g, const struct vv_walk *walk,
    size_t place, varve_error *error)
{
    struct named named = { .node = walk->steps[place].node };
    const char *name = varve_global_name(named.node);
    if (!name) {
        vv_walk_path(walk, place, &g->path);
        flatten(&g->flat, vv_buffer_string(&g->path), &g->scratch);
        name = vv_buffer_string(&g->flat);
        if (g->path.failed || g->flat.failed)
            return vv_fail_memory(error, "the names of a saver");
    }
    VV_TRY(take_name(g->saver, name, &named.name, error));
    vv_buffer_add(&g->found, &named, sizeof named);
    return g->found.failed ? vv_fail_memory(error, "the names of a saver")
                           : VARVE_OK;
}

/* Whether a state, which is named itself, takes the node along. */
static bool is_taken_along(const struct vv_walk *walk, size_t place)
{
    const struct vv_step *step = &walk->steps[place];
    while (step->edge || step->slot) {
        const varve_node *parent =
            step->edge ? step->edge->parent : step->slot->owner;
        if (parent->kind == VARVE_STATE)
            return true;
        step = &walk->steps[vv_walk_place(walk, parent)];
    }
    return false;
}

static varve_status gather_all(
    struct gathering *g, varve_node *node, varve_error *error)
{
    struct vv_walk walk;
    uint64_t local = vv_tag_bit(node->graph, VARVE_TAG_LOCAL);
    varve_status status = vv_walk_begin(&walk, node, error);
    if (status)
        return status;
    for (size_t i = 0; i < walk.count && !status; i++) {
        const varve_node *at = walk.steps[i].node;
        if ((at->kind == VARVE_VARIABLE || at->kind == VARVE_STATE) &&
            !vv_is_local(at, local) && !is_taken_along(&walk, i))
            status = gather(g, &walk, i, error);
    }
    vv_walk_end(&walk);
    return status;
}

/* All or none. */
static varve_status add_all(struct gathering *g, varve_error *error)
{
    varve_saver *saver = g->saver;
    size_t count = g->found.size / sizeof(struct named);
    const struct named *found = (const void *)g->found.data;
    varve_status status = VARVE_OK;
    size_t added = 0;
    for (; added < count && !status; added += !status)
        status = add(saver, found[added].name, found[added].node, error);
    for (; status && added > 0; added--) {
        struct vv_saver_entry *last = saver->last;
        vv_saver_take_out(saver, last);
        drop(saver, last);
    }
    return status;
}

varve_status varve_saver_add_named(
    varve_saver *saver, varve_node *node, varve_error *error)
{
    VV_TRY(check_node(saver, node, error));
    struct gathering g = { .saver = saver };
    struct vv_buffer *buffers[] = { &g.found, &g.path, &g.flat, &g.scratch };
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        vv_buffer_init(buffers[i], &saver->context.allocator);
    varve_status status = gather_all(&g, node, error);
    if (!status)
        status = add_all(&g, error);
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        vv_buffer_clear(buffers[i]);
    return status;
}
