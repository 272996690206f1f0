/* choose.c - what --only and --except leave.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdlib.h>

#include <varve/structure.h>
#include <varve/variable.h>

#include "arrange.h"
#include "complaint.h"
#include "outline.h"
#include "room.h"

bool arrange_selects(const struct arrangement *a, const char *path)
{
    return (!a->settings->only ||
               varve_path_matches(a->settings->only, path)) &&
        !varve_path_matches(a->settings->except, path);
}

static void lose_slot(
    struct arrangement *a, const struct part *owner, const varve_slot *slot)
{
    size_t place = parts_find(a->parts, slot->node);
    char *name = escaped_name(slot->name);
    char *path = room_join(owner->path, name ? name : "?");
    losses_add(a->losses,
        place == PART_NONE ? path : a->parts->items[place].path,
        "a slot whose variable is left out");
    free(path);
    free(name);
}

/* A slot is there with its owner and its variable or not at all. */
static void choose_slots(struct arrangement *a, struct part *owner)
{
    for (const varve_slot *s = varve_slot_first(owner->node); s;
         s = varve_slot_next(s)) {
        size_t variable = parts_find(a->parts, s->variable);
        size_t slot = parts_find(a->parts, s->node);
        bool wanted = slot == PART_NONE || a->parts->items[slot].is_kept;
        bool has_variable = variable != PART_NONE &&
            a->parts->items[variable].is_kept;
        if (!wanted || has_variable)
            continue;
        lose_slot(a, owner, s);
        if (slot != PART_NONE && a->parts->items[slot].is_slot)
            a->parts->items[slot].is_kept = false;
    }
}

int arrange_choose(struct arrangement *a)
{
    struct part *items = a->parts->items;
    size_t count = a->parts->count, values = 0;
    for (size_t i = 1; i < count; i++)
        items[i].is_kept = arrange_selects(a, items[i].path);
    for (size_t i = 0; i < count; i++)
        choose_slots(a, &items[i]);
    for (size_t i = count; i-- > 1;) {
        values += items[i].is_kept && part_has_value(&items[i]);
        if (items[i].is_kept && items[i].above != PART_NONE)
            items[items[i].above].is_kept = true;
    }
    if (values || (!a->settings->only && !a->settings->except))
        return OUTCOME_DONE;
    return complain(a->settings,
        &(struct complaint){ .outcome = OUTCOME_NO,
            .code = varve_status_name(VARVE_NOT_FOUND),
            .what = "nothing to convert",
            .why = "--only and --except leave no value" });
}
