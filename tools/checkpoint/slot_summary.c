/* slot_summary.c - Summarizes all slots of an owner.
 *
 * SPDX-License-Identifier: MIT
 */
#include "slot_summary.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 6 };

struct summary {
    const char *names[MOST_NAMES];
    size_t name_count;
    bool more_names;
    size_t variable_count;
    uint32_t last_variable;
    uint64_t bytes;
};

static void add_name(struct summary *s, const char *name)
{
    for (size_t i = 0; i < s->name_count; i++) {
        if (strcmp(s->names[i], name) == 0)
            return;
    }
    if (s->name_count < MOST_NAMES)
        s->names[s->name_count++] = name;
    else
        s->more_names = true;
}

/* Counts a slot. Slots are in the order of their variables. */
static void add_slot(
    struct summary *s, const struct outline *outline, const struct branch *slot)
{
    add_name(s, slot->name);
    s->variable_count += slot->variable != s->last_variable;
    s->last_variable = slot->variable;
    if (!slot->is_alias)
        s->bytes += outline->nodes[slot->node].bytes;
}

static void write_text(const struct summary *s, char *text, size_t size)
{
    size_t used = 0;
    for (size_t i = 0; i < s->name_count && used + 1 < size; i++) {
        int wrote = snprintf(
            text + used, size - used, "%s%.32s", i ? ", " : "", s->names[i]);
        used += wrote > 0 ? (size_t)wrote : 0;
    }
    if (used + 1 < size)
        snprintf(text + used, size - used, "%s for %zu variable%s",
            s->more_names ? ", ..." : "", s->variable_count,
            s->variable_count == 1 ? "" : "s");
}

uint64_t slot_summary(
    const struct outline *outline, uint32_t owner, char *text, size_t size)
{
    struct summary summary = { .last_variable = OUTLINE_NONE };
    struct branch branch;
    size_t first = outline_saved(outline, owner).edge_count;
    for (size_t i = first; outline_branch(outline, owner, i, &branch); i++)
        add_slot(&summary, outline, &branch);
    write_text(&summary, text, size);
    return summary.bytes;
}
