/* choose.c - Applies --only and --except.
 *
 * SPDX-License-Identifier: MIT
 */
#include "choose.h"

#include <stdlib.h>
#include <string.h>

#include <varve/collection.h>
#include <varve/structure.h>
#include <varve/variable.h>

#include "complaint.h"
#include "outline.h"
#include "memory.h"

bool is_chosen(const struct arrangement *a, const char *path)
{
    return (!a->options->only || varve_path_matches(a->options->only, path)) &&
           !varve_path_matches(a->options->except, path);
}

static void report_lost_slot(
    struct arrangement *a, const struct part *owner, const varve_slot *slot)
{
    size_t place = parts_find(a->parts, slot->node);
    char *name = escaped_name(slot->name);
    char *path = memory_join_path(owner->path, name ? name : "?");
    losses_add(a->losses,
        place == PART_NONE ? path : a->parts->items[place].path,
        "a slot whose variable is left out");
    free(path);
    free(name);
}

/* Drops the selected slots of an owner whose variable is not kept. */
static void choose_slots(struct arrangement *a, struct part *owner)
{
    for (const varve_slot *s = varve_slot_first(owner->node); s;
         s = varve_slot_next(s)) {
        size_t variable = parts_find(a->parts, s->variable);
        size_t slot = parts_find(a->parts, s->node);
        bool wanted = slot == PART_NONE || a->parts->items[slot].is_kept;
        bool has_variable =
            variable != PART_NONE && a->parts->items[variable].is_kept;
        if (!wanted || has_variable)
            continue;
        report_lost_slot(a, owner, s);
        if (slot != PART_NONE && a->parts->items[slot].is_slot)
            a->parts->items[slot].is_kept = false;
    }
}

static varve_status keep(void *user, varve_node *node, const char *path)
{
    struct parts *p = user;
    size_t place = parts_find(p, node);
    if (place == PART_NONE || place == 0)
        return VARVE_OK;
    p->items[place].is_kept = true;
    if (!path_is_end(path))
        parts_set_path(&p->items[place], path);
    return VARVE_OK;
}

/* Returns the position of the '/' before the last name of a path. Parentheses
 * with their contents are part of a name. */
static size_t parent_size(const char *path, size_t size)
{
    size_t depth = 0;
    while (size > 0 && (depth > 0 || path[size] != '/')) {
        depth += path[size] == ')';
        depth -= path[size] == '(' && depth > 0;
        size--;
    }
    return size;
}

/* Keeps the ancestors of a node on its path, up to one that is kept already.
 * For a shortened path, ancestors on the shortest path are kept at the end. */
static void keep_above(struct parts *p, const char *path)
{
    if (path_is_end(path))
        return;
    char *text = memory_copy_text(path, strlen(path));
    size_t size = strlen(text);
    while (size > 0 && (size = parent_size(text, size - 1)) > 0) {
        text[size] = '\0';
        size_t place = parts_find(p, varve_find_path(p->items[0].node, text));
        if (place == PART_NONE || p->items[place].is_kept)
            break;
        p->items[place].is_kept = true;
        parts_set_path(&p->items[place], text);
    }
    free(text);
}

/* Sets the path of every part to one because of which it is kept. */
static int choose_parts(struct arrangement *a)
{
    varve_error error = { .status = VARVE_OK };
    struct parts *p = a->parts;
    varve_select select = { .pattern = a->options->only,
        .except = a->options->except };
    if (!select.pattern && !select.except)
        return OUTCOME_DONE;
    for (size_t i = 1; i < p->count; i++)
        p->items[i].is_kept = false;
    if (varve_each(p->items[0].node, &select, keep, p, &error))
        return complain_status(a->settings, "cannot choose", NULL, &error);
    for (size_t i = p->count; i-- > 1;) {
        if (p->items[i].is_kept)
            keep_above(p, p->items[i].path);
    }
    parts_follow_paths(p);
    return OUTCOME_DONE;
}

int choose(struct arrangement *a)
{
    struct part *items = a->parts->items;
    size_t count = a->parts->count, values = 0;
    int outcome = choose_parts(a);
    if (outcome != OUTCOME_DONE)
        return outcome;
    for (size_t i = 0; i < count; i++)
        choose_slots(a, &items[i]);
    for (size_t i = count; i-- > 1;) {
        values += items[i].is_kept && part_has_value(&items[i]);
        if (items[i].is_kept && items[i].above != PART_NONE)
            items[items[i].above].is_kept = true;
    }
    if (values || (!a->options->only && !a->options->except))
        return OUTCOME_DONE;
    return unused_complain(a->settings, a->unused);
}
