/* arrange.c - Removes parts of a graph, and moves parts to other paths.
 *
 * First removes everything that does not stay in place from its parent, then
 * adds what is moved to its new place. So names can be exchanged.
 *
 * SPDX-License-Identifier: MIT
 */
#include "arrange.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/variable.h>

#include "choose.h"
#include "complaint.h"
#include "outline.h"
#include "memory.h"

/* --- New paths ---------------------------------------------------------- */

static bool loses_alias(struct arrangement *a, const struct link *link)
{
    return link->is_alias && a->is_flat && a->renames->count;
}

/* Returns the full path of an edge if a rename may match it; allocated. */
static char *path_of(const struct arrangement *a, const struct link *link)
{
    if (!path_is_end(link->path))
        return memory_copy_text(link->path, strlen(link->path));
    return parts_link_path(a->parts, link, renames_depth(a->renames));
}

/* Returns the new path of an edge that is moved together with its parent;
 * allocated. Only renamed nodes store their path, because storing it for all
 * descendants would need quadratic memory. */
static char *place_along(const struct parts *p, const struct link *link)
{
    const struct part *above = &p->items[link->parent];
    size_t size = strlen(link->escaped) + 1;
    for (; !above->place; above = &p->items[above->above])
        size += strlen(p->links[above->way].escaped) + 1;
    size_t begin = strlen(above->place);
    char *place = memory_allocate(begin + size + 1, 1);
    char *end = place + begin + size;
    memcpy(place, above->place, begin);
    for (;;) {
        size_t name = strlen(link->escaped);
        memcpy(end -= name, link->escaped, name);
        *--end = '/';
        if (p->items[link->parent].place)
            break;
        link = &p->links[p->items[link->parent].way];
    }
    if (begin == 0)
        memmove(place, place + 1, size);
    return place;
}

/* Moves the child of an edge with it, unless it has another path. */
static void take_along(
    struct parts *p, const struct link *link, const char *place)
{
    struct part *child = &p->items[link->child];
    if (link->is_alias)
        return;
    child->is_placed = true;
    child->is_renamed = place ? strcmp(place, child->path) != 0
                              : p->items[link->parent].is_renamed;
    child->place = place;
}

/* Computes the new path of an edge, which is moved by a rename or together with
 * its parent. The root cannot be moved, so its children are. */
static void place_link(struct arrangement *a, struct link *link)
{
    struct parts *p = a->parts;
    const struct part *parent = &p->items[link->parent];
    char *path = path_of(a, link);
    char *place = path ? renames_apply(a->renames, path) : NULL;
    free(path);
    bool goes_along =
        parent->is_placed && (!link->is_alias || link->parent == 0);
    if (!place && !goes_along)
        return;
    if (!place && link->parent) {
        take_along(p, link, NULL);
        return;
    }
    char *along = place_along(p, link);
    link->moves = strcmp(place ? place : along,
                      link->parent ? along : link->escaped) != 0;
    link->place = place ? place : along;
    if (place)
        free(along);
    take_along(p, link, link->place);
}

/* Parents are processed before their children. */
static void place_links(struct arrangement *a)
{
    struct parts *p = a->parts;
    if (!a->renames->count)
        return;
    renames_see(a->renames, "");
    for (size_t i = 0; i < p->link_count; i++) {
        char *path = path_of(a, &p->links[i]);
        if (path)
            renames_see(a->renames, path);
        free(path);
    }
    char *root = renames_apply(a->renames, "");
    if (root) {
        p->items[0].place = root;
        p->items[0].is_placed = true;
        p->items[0].is_renamed = *root;
    }
    for (size_t i = 0; i < p->link_count; i++) {
        if (p->items[p->links[i].parent].is_kept)
            place_link(a, &p->links[i]);
    }
    p->items[0].place = p->items[0].path;
    p->items[0].is_renamed = false;
    free(root);
}

static bool selects_link(const struct arrangement *a, const struct link *link)
{
    if (!path_is_end(link->path))
        return is_chosen(a, link->path);
    char *path = parts_link_path(a->parts, link, SIZE_MAX);
    bool is_selected = !path || is_chosen(a, path);
    free(path);
    return is_selected;
}

static void mark_gone(struct arrangement *a, struct link *link)
{
    const struct part *items = a->parts->items;
    bool is_kept = items[link->parent].is_kept && items[link->child].is_kept;
    if (is_kept && link->is_alias)
        is_kept = selects_link(a, link);
    if (is_kept && !link->moves && loses_alias(a, link)) {
        losses_add(a->losses, link->path, "another path to a node");
        is_kept = false;
    }
    link->moves = link->moves && is_kept;
    link->is_gone = !is_kept || link->moves;
}

/* Removes global names. In files without a graph they are the paths of the
 * values. If the destination stores one name per value, a renamed value keeps
 * no other name. */
static void drop_names(struct arrangement *a)
{
    for (size_t i = 0; i < a->parts->count; i++) {
        const struct part *part = &a->parts->items[i];
        if (part->is_kept && varve_global_name(part->node) &&
            (a->is_from_flat || (a->is_flat && part->is_renamed)))
            varve_set_global_name(part->node, NULL);
    }
}

/* --- Removal ------------------------------------------------------------ */

static void move_slots(varve_node *from, varve_node *to)
{
    for (const varve_slot *s = varve_slot_first(from); s;
         s = varve_slot_next(s)) {
        if (!varve_find_slot(to, s->variable, s->name))
            varve_add_slot(to, s->variable, s->name, *varve_value(s->node));
    }
}

static void copy_tags(const varve_node *from, varve_node *to)
{
    static const char *const tags[] = { VARVE_TAG_TRAINABLE, VARVE_TAG_LOCAL,
        VARVE_TAG_METRIC, VARVE_TAG_RANDOM };
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) {
        if (varve_has_tag(from, tags[i]))
            varve_tag(to, tags[i]);
    }
}

/* Replaces a list by an object with the elements that stay. */
static void open_list(struct arrangement *a, size_t list)
{
    struct parts *p = a->parts;
    varve_node *old = p->items[list].node;
    varve_node *new = varve_add_detached(p->graph);
    p->items[list].node = new;
    p->items[list].is_opened = true;
    for (size_t i = 0; i < p->link_count; i++) {
        const struct link *link = &p->links[i];
        if (link->is_gone)
            continue;
        if (link->child == list)
            varve_replace(p->items[link->parent].node, link->name, new);
        if (link->parent == list)
            varve_track(new, link->name, p->items[link->child].node);
    }
    copy_tags(old, new);
    move_slots(old, new);
}

static void open_lists(struct arrangement *a)
{
    struct parts *p = a->parts;
    for (size_t i = 0; i < p->link_count; i++) {
        const struct link *link = &p->links[i];
        const struct part *parent = &p->items[link->parent];
        if (link->is_gone && parent->is_kept &&
            varve_node_kind(parent->node) == VARVE_LIST)
            open_list(a, link->parent);
    }
}

/* Removes values that are not kept. Slot variables, which are last, are removed
 * first. */
static void remove_values(struct arrangement *a)
{
    for (size_t i = a->parts->count; i-- > 1;) {
        struct part *part = &a->parts->items[i];
        if (part->is_kept || varve_node_kind(part->node) != VARVE_VARIABLE)
            continue;
        varve_remove(part->node);
        part->node = NULL;
    }
}

static void take_out(struct arrangement *a)
{
    struct parts *p = a->parts;
    open_lists(a);
    remove_values(a);
    for (size_t i = 0; i < p->link_count; i++) {
        const struct link *link = &p->links[i];
        const struct part *parent = &p->items[link->parent];
        if (link->is_gone && parent->is_kept && !parent->is_opened &&
            p->items[link->child].node)
            varve_untrack(parent->node, link->name);
    }
}

/* Removes objects that are empty because everything below them was moved
 * away. */
static void remove_emptied(struct arrangement *a)
{
    struct parts *p = a->parts;
    for (size_t i = 0; i < p->link_count; i++)
        p->items[p->links[i].parent].lost_some |= p->links[i].moves;
    for (size_t i = p->link_count; i-- > 0;) {
        struct link *link = &p->links[i];
        const struct part *child = &p->items[link->child];
        struct part *parent = &p->items[link->parent];
        if (link->is_gone || !child->lost_some || !link->child ||
            varve_edge_count(child->node) || varve_slot_first(child->node) ||
            varve_node_kind(child->node) == VARVE_STATE ||
            varve_node_kind(parent->node) == VARVE_LIST)
            continue;
        varve_untrack(parent->node, link->name);
        parent->lost_some = true;
    }
}

/* --- Insertion ---------------------------------------------------------- */

static int conflict(const struct arrangement *a, const char *place)
{
    return complain_usage(
        a->settings, "--rename: there would be two values at '%s'", place);
}

static bool is_leaf(const varve_node *node)
{
    return varve_node_kind(node) == VARVE_VARIABLE;
}

/* Two nodes that are moved to the same path are merged. */
struct merge {
    varve_node *to;
    varve_node *from;
};

struct merges {
    struct merge *items;
    size_t count, capacity;
};

static bool merge_later(struct merges *m, varve_node *to, varve_node *from)
{
    if (is_leaf(to) || is_leaf(from) || varve_node_kind(from) == VARVE_STATE)
        return false;
    for (size_t i = 0; i < m->count; i++) {
        if (m->items[i].to == to && m->items[i].from == from)
            return true;
    }
    m->items = memory_grow(m->items, &m->capacity, m->count, sizeof *m->items);
    m->items[m->count++] = (struct merge){ to, from };
    return true;
}

/* Returns false if two values would have the same path, or a list would have a
 * gap. */
static bool put(
    struct merges *m, varve_node *parent, const char *name, varve_node *node)
{
    char next[32];
    varve_node *there = varve_find(parent, name);
    if (there)
        return there == node || merge_later(m, there, node);
    snprintf(next, sizeof next, "%zu", varve_edge_count(parent));
    if (varve_node_kind(parent) != VARVE_LIST)
        varve_track(parent, name, node);
    else if (strcmp(next, name) == 0)
        varve_list_append(parent, node);
    else
        return false;
    return true;
}

static bool merge_all(struct merges *m)
{
    bool good = true;
    for (size_t i = 0; good && i < m->count; i++) {
        struct merge merge = m->items[i];
        for (const varve_edge *e = varve_edge_first(merge.from); good && e;
             e = varve_edge_next(e))
            good = put(m, merge.to, e->name, e->node);
        move_slots(merge.from, merge.to);
    }
    return good;
}

/* Returns the first name of a path, unescaped, and advances. */
static char *next_name(const char **place)
{
    const char *text = *place;
    char *name = memory_copy_text(text, strcspn(text, "/"));
    size_t size = 0;
    *place += strlen(name) + (text[strlen(name)] == '/');
    for (const char *at = name; *at; size++) {
        char digits[3] = { 0 };
        if (*at == '%' && at[1])
            memcpy(digits, at + 1, 2);
        char *end = digits;
        unsigned long byte = strtoul(digits, &end, 16);
        bool is_escape = end == digits + 2 && byte;
        name[size] = is_escape ? (char)byte : *at;
        at += is_escape ? 3 : 1;
    }
    name[size] = '\0';
    return name;
}

/* Returns the child with a name, and makes an object if there is none. Returns
 * NULL if it is a value. */
static varve_node *step_down(varve_node *parent, const char *name)
{
    varve_node *there = varve_find(parent, name);
    if (!there && varve_node_kind(parent) != VARVE_LIST)
        return varve_add_object(parent, name);
    return there && !is_leaf(there) ? there : NULL;
}

static bool attach(varve_node *root, const char *place, varve_node *node)
{
    struct merges merges = { .items = NULL };
    bool good = *place || merge_later(&merges, root, node);
    varve_node *parent = root;
    while (good && *place) {
        char *name = next_name(&place);
        if (!*place)
            good = put(&merges, parent, name, node);
        else
            parent = step_down(parent, name);
        good = good && parent;
        free(name);
    }
    good = good && merge_all(&merges);
    free(merges.items);
    return good;
}

static int attach_all(struct arrangement *a)
{
    struct parts *p = a->parts;
    for (size_t i = 0; i < p->link_count; i++) {
        const struct link *link = &p->links[i];
        if (link->moves &&
            !attach(p->items[0].node, link->place, p->items[link->child].node))
            return conflict(a, link->place);
    }
    return OUTCOME_DONE;
}

static void report_lost_lists(struct arrangement *a)
{
    for (size_t i = 0; i < a->parts->count; i++) {
        const struct part *part = &a->parts->items[i];
        if (part->is_opened && varve_edge_count(part->node))
            losses_add(a->losses, part->path,
                "its kind: a list, because its elements changed");
    }
}

int arrange_move(struct arrangement *a)
{
    varve_error error = { .status = VARVE_OK };
    struct parts *p = a->parts;
    place_links(a);
    int outcome = renames_check(a->settings, a->renames);
    if (outcome != OUTCOME_DONE)
        return outcome;
    for (size_t i = 0; i < p->link_count; i++)
        mark_gone(a, &p->links[i]);
    drop_names(a);
    take_out(a);
    outcome = attach_all(a);
    if (outcome != OUTCOME_DONE)
        return outcome;
    remove_emptied(a);
    report_lost_lists(a);
    if (varve_graph_check(p->graph, &error) == VARVE_OK)
        return OUTCOME_DONE;
    return complain_status(a->settings, "cannot rename", NULL, &error);
}
