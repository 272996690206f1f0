/* saved_entry.h - Makes the entry of a checkpoint that this process has just
 * saved, without listing the directory or reading the file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVED_ENTRY_H
#define VV_SAVED_ENTRY_H

#include "listing.h"

/* Sets an entry from what a save writes. */
void vv_saved_entry_begin(struct vv_entry *entry,
    const struct vv_listing *listing, uint64_t number, uint64_t counter,
    bool is_pinned, const varve_metadata *metadata, size_t count);

/* Call when the file is in place. Sets the size and time of the file, and adds
 * the entry to the listing, in place of an older file of the same name. Returns
 * false if the directory must be listed instead. */
bool vv_saved_entry_add(struct vv_entry *entry, struct vv_listing *listing);

#endif
