/* events.c - The public functions for events: checks arguments, and makes
 * records in the queue.
 *
 * SPDX-License-Identifier: MIT
 */
#include "events.h"

#include <string.h>

#include <varve/variable.h>

#include "allocator.h"
#include "bytes.h"
#include "default_allocator.h"
#include "event_message.h"
#include "event_queue.h"
#include "failure.h"
#include "file.h"
#include "name.h"
#include "picture.h"
#include "store.h"

#define NOTHING INT64_MIN /* as a step: before all others */

struct varve_events {
    struct vv_context context;
    char *path;
    int file;
    struct vv_event_queue queue;
    /* Guarded by the monitor of the queue. Steps from `next` on are not
     * recorded yet, or superseded. `marked` is the value that TensorBoard
     * derives from the recorded events. They differ between a restoration and
     * the restart event; `before` is the earlier value of `next`. */
    int64_t next, marked, before;
    bool is_restored;
};

/* --- Records ---------------------------------------------------------------
 */

static double wall_time(const varve_events *events)
{
    const struct vv_system *system = events->context.system;
    return (double)system->now(system->state) / 1e9;
}

/* Begins an event in the queue. */
static struct vv_buffer *begin_event(varve_events *events, int64_t step)
{
    struct vv_buffer *b = vv_event_queue_begin(&events->queue);
    vv_event_header(b, wall_time(events), step);
    return b;
}

/* Records a restart event if the run has gone back. TensorBoard also drops
 * events of the step of the restart event itself, so that step must be the
 * first superseded one (event_accumulator.py, _Purge). */
static bool settle_restart(varve_events *events)
{
    if (!events->is_restored)
        return true;
    if (events->marked == NOTHING || events->next != events->marked) {
        struct vv_buffer *b = begin_event(events, events->next);
        vv_event_start(b);
        if (!vv_event_queue_commit(&events->queue))
            return false;
        events->marked = events->next;
    }
    events->is_restored = false;
    return true;
}

/* Locks the queue and begins an event. Returns NULL, with the queue unlocked,
 * if the event is dropped because there was no room for the restart event
 * before it. */
static struct vv_buffer *events_begin(varve_events *events, int64_t step)
{
    vv_event_queue_enter(&events->queue);
    if (settle_restart(events))
        return begin_event(events, step);
    vv_event_queue_drop(&events->queue);
    vv_event_queue_leave(&events->queue);
    return NULL;
}

static void commit(varve_events *events, int64_t step)
{
    if (vv_event_queue_commit(&events->queue)) {
        int64_t next = step < INT64_MAX ? step + 1 : step;
        if (next > events->next)
            events->next = next;
        events->marked = events->next;
    }
    vv_event_queue_leave(&events->queue);
}

/* Records the reason why an event is not recorded. */
static void events_refuse(varve_events *events, varve_status status,
    const char *tag, const char *what)
{
    varve_error error;
    vv_fail(&error, status, "%s: %s%s%s", events->path, tag, *tag ? ": " : "",
        what);
    vv_event_queue_enter(&events->queue);
    vv_event_queue_remember(&events->queue, &error);
    vv_event_queue_drop(&events->queue);
    vv_event_queue_leave(&events->queue);
}

/* Returns true if an event can be recorded: `events`, its tag and its value are
 * valid. */
static bool can_record(varve_events *events, const char *tag, bool is_there)
{
    if (!events)
        return false;
    if (!tag)
        events_refuse(events, VARVE_MISUSE, "", "tag is NULL");
    else if (!vv_name_is_valid(tag, strlen(tag)))
        events_refuse(events, VARVE_BAD_NAME, "",
            "a tag must be 1 to 65535 bytes of UTF-8");
    else if (!is_there)
        events_refuse(events, VARVE_MISUSE, tag, "value is NULL");
    else
        return true;
    return false;
}

void varve_events_scalar(
    varve_events *events, int64_t step, const char *tag, double value)
{
    if (!can_record(events, tag, true))
        return;
    struct vv_buffer *b = events_begin(events, step);
    if (!b)
        return;
    vv_event_scalar(b, tag, value);
    commit(events, step);
}

static void add_not_finite(
    struct vv_buffer *b, const char *tag, const struct vv_histogram *h)
{
    struct vv_buffer name;
    if (!h->not_finite)
        return;
    vv_buffer_init(&name, b->allocator);
    vv_buffer_add_string(&name, tag);
    vv_buffer_add_string(&name, "/not_finite");
    vv_event_scalar(b, vv_buffer_string(&name), (double)h->not_finite);
    b->failed |= name.failed;
    vv_buffer_clear(&name);
}

static void record_histogram(varve_events *events, int64_t step,
    const char *tag, const struct vv_histogram *h)
{
    struct vv_buffer *b = events_begin(events, step);
    if (!b)
        return;
    vv_event_histogram(b, tag, h);
    add_not_finite(b, tag, h);
    commit(events, step);
}

void varve_events_histogram(varve_events *events, int64_t step, const char *tag,
    const float *values, size_t count)
{
    struct vv_histogram h;
    if (!can_record(events, tag, values || !count))
        return;
    vv_histogram_of_floats(&h, values, count);
    record_histogram(events, step, tag, &h);
}

void varve_events_histogram_double(varve_events *events, int64_t step,
    const char *tag, const double *values, size_t count)
{
    struct vv_histogram h;
    if (!can_record(events, tag, values || !count))
        return;
    vv_histogram_of_doubles(&h, values, count);
    record_histogram(events, step, tag, &h);
}

static void record_image(varve_events *events, int64_t step, const char *tag,
    const struct vv_event_image *image)
{
    struct vv_buffer *b = events_begin(events, step);
    if (!b)
        return;
    vv_event_image(b, tag, image);
    commit(events, step);
}

static void events_encode(
    const struct vv_event_image *image, struct vv_buffer *b)
{
    vv_png_add(b, image->pixels, image->width, image->height, image->channels);
}

void varve_events_image(varve_events *events, int64_t step, const char *tag,
    const varve_events_picture *picture)
{
    if (!can_record(events, tag, picture && picture->pixels))
        return;
    if (!vv_png_can_hold(picture->width, picture->height, picture->channels)) {
        events_refuse(events, VARVE_MISUSE, tag,
            "an image must have 1, 3 or 4 channels and at most 1 GiB");
        return;
    }
    struct vv_event_image image = { .width = picture->width,
        .height = picture->height,
        .channels = picture->channels,
        .encode = events_encode,
        .pixels = picture->pixels };
    record_image(events, step, tag, &image);
}

void varve_events_png(varve_events *events, int64_t step, const char *tag,
    const void *bytes, size_t size)
{
    struct vv_event_image image = { .png = bytes, .size = size };
    if (!can_record(events, tag, bytes != NULL))
        return;
    if (vv_png_look(
            bytes, size, &image.width, &image.height, &image.channels)) {
        record_image(events, step, tag, &image);
        return;
    }
    events_refuse(events, VARVE_MISUSE, tag, "not a PNG file of at most 1 GiB");
}

void varve_events_text(
    varve_events *events, int64_t step, const char *tag, const char *text)
{
    if (!can_record(events, tag, text != NULL))
        return;
    size_t size = strlen(text);
    if (size > VV_PNG_MOST_BYTES || !vv_utf8_is_valid(text, size)) {
        events_refuse(events, VARVE_MISUSE, tag,
            "the text must be valid UTF-8 of at most 1 GiB");
        return;
    }
    struct vv_buffer *b = events_begin(events, step);
    if (!b)
        return;
    vv_event_text(b, tag, text);
    commit(events, step);
}

/* --- Restart ---------------------------------------------------------------
 */

void varve_events_supersede(varve_events *events, int64_t first_step)
{
    if (!events)
        return;
    vv_event_queue_enter(&events->queue);
    events->before = events->next;
    events->next = first_step;
    events->is_restored = true;
    settle_restart(events);
    vv_event_queue_leave(&events->queue);
}

static varve_status events_save(void *self, varve_sink *sink)
{
    varve_events *events = self;
    unsigned char bytes[8];
    if (!events)
        return VARVE_OK;
    vv_event_queue_enter(&events->queue);
    vv_store64(bytes, (uint64_t)events->next);
    vv_event_queue_leave(&events->queue);
    varve_put(sink, bytes, sizeof bytes);
    return VARVE_OK;
}

/* Sets `next` after a restoration. If the restoration is undone, no restart
 * event is needed. */
static void events_go_back(varve_events *events, int64_t next)
{
    bool is_undone = events->is_restored && next == events->before;
    if (!events->is_restored)
        events->before = events->next;
    events->next = next;
    events->is_restored = !is_undone;
}

/* Restores the next step. The state is empty if it was saved without events, so
 * no step is known. */
static varve_status events_load(void *self, const void *bytes, size_t size)
{
    varve_events *events = self;
    if (!events || size == 0)
        return VARVE_OK;
    if (size != 8)
        return VARVE_CORRUPT;
    vv_event_queue_enter(&events->queue);
    events_go_back(events, (int64_t)vv_load64(bytes));
    vv_event_queue_leave(&events->queue);
    return VARVE_OK;
}

varve_node *varve_add_events(
    varve_node *parent, const char *name, varve_events *events)
{
    static const varve_state_callbacks callbacks = { events_save, events_load };
    return varve_add_state(parent, name, &callbacks, events);
}

/* --- Flush and errors ------------------------------------------------------
 */

varve_status varve_events_flush(varve_events *events, varve_error *error)
{
    if (!events)
        return VARVE_OK;
    vv_event_queue_enter(&events->queue);
    settle_restart(events);
    varve_status status = vv_event_queue_flush(&events->queue, error);
    vv_event_queue_leave(&events->queue);
    return status;
}

uint64_t varve_events_dropped(varve_events *events)
{
    if (!events)
        return 0;
    vv_event_queue_enter(&events->queue);
    uint64_t dropped = events->queue.dropped;
    vv_event_queue_leave(&events->queue);
    return dropped;
}

const char *varve_events_path(const varve_events *events)
{
    return events ? events->path : NULL;
}

/* --- Opening and closing ---------------------------------------------------
 */

static varve_status events_begin_file(varve_events *events, varve_error *error)
{
    struct vv_event_queue *queue = &events->queue;
    varve_status status = vv_event_queue_start(
        queue, &events->context, events->file, events->path, error);
    if (status)
        return status;
    vv_event_queue_enter(queue);
    vv_event_version(begin_event(events, 0));
    if (!vv_event_queue_commit(queue))
        status = vv_fail_memory(error, "the first event");
    vv_event_queue_leave(queue);
    return status;
}

static varve_status events_open_file(varve_events *events,
    const char *directory, const varve_events_options *options,
    varve_error *error)
{
    const struct vv_system *system = events->context.system;
    unsigned seconds = options->flush_seconds;
    events->queue.interval = INT64_C(1000000000) * (seconds ? seconds : 5);
    events->queue.limit =
        options->queue_size ? options->queue_size : (size_t)16 << 20;
    varve_status status = vv_event_file_create(
        &events->context, directory, &events->file, &events->path, error);
    if (!status && (status = events_begin_file(events, error)))
        system->remove(system->state, VV_WORKING_DIRECTORY, events->path);
    return status;
}

varve_events *vv_events_open_in(const struct vv_context *context,
    const char *directory, const varve_events_options *options,
    varve_error *error)
{
    static const varve_events_options defaults = { 0 };
    if (!directory || !*directory) {
        vv_fail(error, VARVE_MISUSE, "events: directory is NULL or empty");
        return NULL;
    }
    if (VV_CHECK_OPTIONS(options, error))
        return NULL;
    varve_events *events =
        vv_allocate_zeroed(&context->allocator, sizeof *events);
    if (!events) {
        vv_fail_memory(error, "events");
        return NULL;
    }
    events->context = *context;
    events->file = -1;
    events->next = events->marked = NOTHING;
    if (events_open_file(
            events, directory, options ? options : &defaults, error)) {
        varve_events_free(events);
        return NULL;
    }
    return events;
}

varve_events *varve_events_open(const char *directory,
    const varve_events_options *options, varve_error *error)
{
    struct vv_context context = {
        .allocator =
            vv_allocator_or_default(options ? options->allocator : NULL),
        .system = vv_default_system(),
    };
    return vv_events_open_in(&context, directory, options, error);
}

void varve_events_free(varve_events *events)
{
    if (!events)
        return;
    const varve_allocator a = events->context.allocator;
    vv_event_queue_end(&events->queue);
    vv_file_close(&events->context, events->file);
    vv_release_string(&a, events->path);
    vv_release(&a, events, sizeof *events);
}
