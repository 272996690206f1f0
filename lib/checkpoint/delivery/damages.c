/* damages.c - Stores damages sorted by value, with their texts in one buffer.
 *
 * SPDX-License-Identifier: MIT
 */
#include "damages.h"

#include <stdlib.h>

#include "name.h"

struct noted {
    uint32_t value;
    size_t text; /* offset of the text */
};

void vv_damages_init(
    struct vv_damages *damages, const varve_allocator *allocator)
{
    vv_buffer_init(&damages->all, allocator);
    vv_buffer_init(&damages->text, allocator);
}

void vv_damages_end(struct vv_damages *damages)
{
    vv_buffer_clear(&damages->all);
    vv_buffer_clear(&damages->text);
}

bool vv_note_damage(struct vv_damages *damages, const struct vv_damage *damage)
{
    struct vv_buffer *text = &damages->text;
    struct noted noted = { .value = damage->value, .text = text->size };
    if (damage->chunks > 1) {
        vv_buffer_add_decimal(text, damage->damaged);
        vv_buffer_add_string(text, " of ");
        vv_buffer_add_decimal(text, damage->chunks);
        vv_buffer_add_string(text, " chunks, first: ");
    }
    vv_buffer_add_string(text, damage->why);
    vv_buffer_add8(text, 0);
    vv_buffer_add(&damages->all, &noted, sizeof noted);
    bool failed = text->failed || damages->all.failed;
    if (failed)
        text->size = noted.text;
    text->failed = damages->all.failed = false;
    return !failed;
}

static struct noted *damages_all_of(
    const struct vv_damages *damages, size_t *count)
{
    *count = damages->all.size / sizeof(struct noted);
    return (struct noted *)(void *)damages->all.data;
}

/* Sorts by value. The latest damage of a value comes last. */
static int damages_compare(const void *left, const void *right)
{
    const struct noted *a = left;
    const struct noted *b = right;
    if (a->value != b->value)
        return a->value > b->value ? 1 : -1;
    return (a->text > b->text) - (a->text < b->text);
}

void vv_sort_damages(struct vv_damages *damages)
{
    size_t count;
    struct noted *all = damages_all_of(damages, &count);
    if (count)
        qsort(all, count, sizeof *all, damages_compare);
}

const char *vv_damage_of(const struct vv_damages *damages, uint32_t value)
{
    size_t count;
    const struct noted *all = damages_all_of(damages, &count);
    size_t low = 0; /* after the last entry with a lower or equal value */
    for (size_t high = count; low < high;) {
        size_t middle = low + (high - low) / 2;
        if (all[middle].value <= value)
            low = middle + 1;
        else
            high = middle;
    }
    bool is_there = low > 0 && all[low - 1].value == value;
    return is_there ? (const char *)damages->text.data + all[low - 1].text
                    : NULL;
}
