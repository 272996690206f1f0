/* dirty.h - which memory was written since a moment, where the machine tells.
 *
 * Nothing here fails: what is not known counts as written. So it does for small
 * pieces of memory, for those that others can write to unseen, for a while for
 * those of which much was written, since a page that is tracked costs the
 * program's next write to it a microsecond or two, and in a child after a fork.
 *
 * What devices write (memory that is registered with one) is not seen.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DIRTY_H
#define VV_DIRTY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"

struct vv_dirty;

/* For a first user; NULL without memory. Nobody else may track the same memory,
 * so those who have values in common share one. */
struct vv_dirty *vv_dirty_new(const struct vv_context *context);
struct vv_dirty *vv_dirty_share(struct vv_dirty *dirty);

/* By each user; takes NULL. */
void vv_dirty_free(struct vv_dirty *dirty);

/* Asks for some bytes at the next look; memory that nobody asks for is no
 * longer tracked after a while. */
void vv_dirty_ask(struct vv_dirty *dirty, const void *bytes, size_t size);

/* Looks at what was asked for, and begins a new moment: its number, higher than
 * those before, never 0. Who copies does so after it: what is written meanwhile
 * is found by the next look. */
uint64_t vv_dirty_look(struct vv_dirty *dirty);

/* The same for one who is about to write to all that he finds written: those
 * pages are not armed, since the first write to one that is costs a fault. They
 * count as written at the next look too, which by then is true. */
uint64_t vv_dirty_glance(struct vv_dirty *dirty);

/* How many of some bytes, which were asked for at the last look, are of one
 * kind from the first on: written after the moment `since`, up to the last
 * look, or not. Several threads may ask at once. */
size_t vv_dirty_run(const struct vv_dirty *dirty, uint64_t since,
    const void *bytes, size_t size, bool *is_written);

#endif
