/* saved_entry.c - Makes the entry of a checkpoint from its metadata, and adds
 * it to the listing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saved_entry.h"

void vv_saved_entry_begin(struct vv_entry *entry, const struct vv_listing *l,
    uint64_t number, uint64_t counter, bool is_pinned,
    const varve_metadata *metadata, size_t count)
{
    *entry = (struct vv_entry){ .number = number, .counter = counter };
    vv_entry_forget(entry);
    vv_entry_take(entry, l, metadata, count);
    entry->is_pinned = is_pinned;
}

/* Removes the entry of a file that was replaced. */
static void remove_older(struct vv_listing *l, uint64_t number)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        const struct vv_entry *e = &l->entries[i];
        if (e->number != number || e->is_padded)
            l->entries[kept++] = *e;
    }
    l->count = kept;
}

bool vv_saved_entry_add(struct vv_entry *entry, struct vv_listing *l)
{
    if (vv_entry_look(l, entry, NULL))
        return false;
    remove_older(l, entry->number);
    /* Entries are sorted by their counters, and this is the highest. */
    if (l->count && l->entries[l->count - 1].counter >= entry->counter)
        return false;
    if (!vv_listing_add(l, entry))
        return false;
    if (entry->number > l->highest)
        l->highest = entry->number;
    return true;
}
