/* monitor.h - A mutex with a condition variable.
 *
 * It only blocks threads of this process, so it does not use struct vv_system.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_MONITOR_H
#define VV_MONITOR_H

#include <stdbool.h>
#include <stdint.h>

#include <varve/allocator.h>

struct vv_monitor;

/* Returns NULL if there is no memory. */
struct vv_monitor *vv_monitor_new(const varve_allocator *a);

/* Frees a monitor that no thread uses; accepts NULL. */
void vv_monitor_free(const varve_allocator *a, struct vv_monitor *monitor);

/* Lock and unlock it. It is not recursive. */
void vv_monitor_enter(struct vv_monitor *monitor);
void vv_monitor_leave(struct vv_monitor *monitor);

/* Must be called with the monitor locked. Unlocks it, waits to be woken, and
 * locks it again; spurious wakeups are possible. Returns false after a timeout
 * of `nanoseconds`; a negative value waits without a limit. */
bool vv_monitor_wait(struct vv_monitor *monitor, int64_t nanoseconds);

/* Must be called with the monitor locked. Wakes all waiting threads. */
void vv_monitor_wake(struct vv_monitor *monitor);

#endif
