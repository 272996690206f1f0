/* recorded.h - Provides what the tests of events share: events in memory, and
 * reading their files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef RECORDED_H
#define RECORDED_H

#include "events.h"
#include "support/event_reader.h"
#include "support/memory_system.h"
#include "support/test_context.h"
#include "system.h"

/* Returns the events in a file of a memory system, which must be complete. */
static inline struct event_list recorded(
    struct memory *memory, const char *path)
{
    size_t size;
    unsigned char *bytes = memory_bytes(memory, path, &size);
    cr_assert(bytes, "no file %s", path);
    struct event_list list = event_read(bytes, size);
    cr_assert_null(list.fault, "%s", list.fault);
    cr_assert_not(list.is_cut);
    cr_assert_geq(list.count, 1);
    cr_assert(event_bytes_are(list.events[0].version, "brain.Event:2"));
    return list;
}

static inline varve_events *open_in_memory(
    struct memory *memory, const varve_events_options *options)
{
    varve_error error = { 0 };
    struct vv_context context = test_context(memory_system(memory));
    varve_events *events = vv_events_open_in(&context, "run", options, &error);
    cr_assert(events, "%s", error.message);
    return events;
}

static inline void flush(varve_events *events)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_events_flush(events, &error), error);
}

#endif
