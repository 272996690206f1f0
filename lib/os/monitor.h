/* monitor.h - threads that take turns with something, and wait for it to
 * change.
 *
 * It calls no system but the waiting of this process, and so it does not go
 * through the table.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MONITOR_H
#define VV_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include <varve/allocator.h>

struct vv_monitor;

/* NULL without memory. */
struct vv_monitor *vv_monitor_new(const varve_allocator *a);

/* Takes NULL. Nobody is inside. */
void vv_monitor_free(const varve_allocator *a, struct vv_monitor *monitor);

/* Between the two, one thread at a time. Not twice by the same one. */
void vv_monitor_enter(struct vv_monitor *monitor);
void vv_monitor_leave(struct vv_monitor *monitor);

/* From inside: leaves, waits to be woken, and enters again; it may also come
 * back for no reason. False once that took so many nanoseconds; below 0 it
 * waits for ever. */
bool vv_monitor_wait(struct vv_monitor *monitor, int64_t nanoseconds);

/* From inside: wakes all that wait. */
void vv_monitor_wake(struct vv_monitor *monitor);

#endif
