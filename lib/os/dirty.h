/* dirty.h - Tracks which memory was written, if the system supports it.
 *
 * These functions do not fail: memory whose state is unknown counts as written.
 * So does memory in small blocks, memory that others can write to undetected,
 * and all memory in a child after a fork. Memory of which much was written is
 * not tracked for a while, because the first write to a tracked page costs the
 * program a microsecond or two.
 *
 * Writes by devices (to memory that is registered with one) are not detected.
 *
 * Only vv_dirty_run can be called by several threads at the same time. All
 * other calls need exclusive access to the object.
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

/* vv_dirty_new makes a tracker with one user; it returns NULL if there is no
 * memory. vv_dirty_share adds a user. A block of memory must have at most one
 * tracker, so users with common values share one. */
struct vv_dirty *vv_dirty_new(const struct vv_context *context);
struct vv_dirty *vv_dirty_share(struct vv_dirty *dirty);

/* Must be called by each user; accepts NULL. The last call frees the
 * tracker. */
void vv_dirty_free(struct vv_dirty *dirty);

/* Requests tracking of some bytes at the next look. Memory that is not
 * requested for some time is no longer tracked. */
void vv_dirty_request(struct vv_dirty *dirty, const void *bytes, size_t size);

/* Checks the requested memory and starts a new interval. Returns its number,
 * which is higher than all before and never 0. To copy memory, look first:
 * writes during the copy are found by the next look. */
uint64_t vv_dirty_look(struct vv_dirty *dirty);

/* Like vv_dirty_look, for a caller that will overwrite all memory reported as
 * written. These pages are not write-protected, because a write would cost a
 * fault. They count as written at the next look too, which is correct by
 * then. */
uint64_t vv_dirty_glance(struct vv_dirty *dirty);

/* Returns the length of the first run of bytes that were all written, or all
 * not written, after the look `since` and up to the last look. The bytes must
 * have been requested for the last look. Several threads can call it at the
 * same time. */
size_t vv_dirty_run(const struct vv_dirty *dirty, uint64_t since,
    const void *bytes, size_t size, bool *is_written);

#endif
