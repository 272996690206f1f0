/* events.h - files of events that TensorBoard shows.
 *
 *     varve_events *events = varve_events_open("run", NULL, &error);
 *     varve_add_events(root, "events", events);
 *     ...
 *         varve_events_scalar(events, step, "loss", loss);
 *
 * A training run never fails or waits because of its events. What records them
 * copies into a queue and returns; a thread writes. What goes wrong is told by
 * varve_events_flush. Only varve_events_open returns an error at once, and
 * where it does, its NULL is taken by every other call, which then does
 * nothing.
 *
 * All of these may be called from several threads at once, but not from a
 * process that was forked since the open, and not after varve_events_free. They
 * draw no random numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_EVENTS_H
#define VARVE_EVENTS_H

#include <varve/allocator.h>
#include <varve/error.h>
#include <varve/graph.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

typedef struct varve_events_options {
    /* Seconds after which what waits is written, at the latest; 0: 5. */
    unsigned flush_seconds;
    /* Bytes that may wait; 0: 16 MiB. A single larger event is taken where
     * nothing else waits. There are two such buffers. */
    size_t queue_size;
    const varve_allocator *allocator; /* NULL: realloc and free; copied */
    varve_reserved reserved;
} varve_events_options;

/* Starts the thread that writes, and makes the directory, and in it a new file
 *     events.out.tfevents.<seconds>.<machine>.<process>.<number>
 * whose seconds (since 1970-01-01 UTC, ten digits) come after those of the
 * files that are there, though the clock may have been set back: TensorBoard
 * reads files in the order of their names. It is open, and the thread there,
 * until varve_events_free. `options` may be NULL. */
VARVE_API varve_events *varve_events_open(const char *directory,
    const varve_events_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Writes what waits, and ends. Whatever fails here is not told: flush before.
 * Takes NULL. */
VARVE_API void varve_events_free(varve_events *events);

/* The file; NULL for NULL. */
VARVE_API const char *varve_events_path(const varve_events *events);

/* --- Recording ----------------------------------------------------------- */

/* In all of these `tag` is UTF-8 of 1 to VARVE_MAX_NAME_SIZE bytes; slashes
 * group it ("train/loss"). What a wrong argument or a full queue keeps from
 * being recorded is dropped and counted, and told by the next flush. */

/* Kept as the nearest float32, as TensorBoard does; NaN and infinities too. */
VARVE_API void varve_events_scalar(
    varve_events *events, int64_t step, const char *tag, double value);

/* How `count` numbers are spread, in the buckets of TensorFlow. NaN and
 * infinities are left out; where there are any, how many is recorded in the
 * same event as the scalar "<tag>/not_finite". Takes up to 70 ns for each
 * number. */
VARVE_API void varve_events_histogram(varve_events *events, int64_t step,
    const char *tag, const float *values, size_t count);
VARVE_API void varve_events_histogram_double(varve_events *events, int64_t step,
    const char *tag, const double *values, size_t count);

/* What there is to see. Pixels run from the upper left, row by row without
 * gaps, 8 bits a channel: gray, RGB or RGBA for 1, 3 or 4 channels. */
typedef struct varve_events_picture {
    uint32_t width;
    uint32_t height;
    unsigned channels;
    const uint8_t *pixels; /* width * height * channels bytes */
} varve_events_picture;

/* Recorded as a PNG that is not compressed; up to 1 GiB of pixels. */
VARVE_API void varve_events_image(varve_events *events, int64_t step,
    const char *tag, const varve_events_picture *picture);

/* A PNG file of the program's own making, as it is. */
VARVE_API void varve_events_png(varve_events *events, int64_t step,
    const char *tag, const void *bytes, size_t size);

/* UTF-8, shown as Markdown. */
VARVE_API void varve_events_text(
    varve_events *events, int64_t step, const char *tag, const char *text);

/* --- Looking after it ------------------------------------------------------
 */

/* Waits until the system has all that was recorded before, so that a process
 * that is killed loses none of it. Nothing is synced: a power cut may take what
 * the system has not brought to the disk yet. Returns the first
 * thing that went wrong since the last flush, once; VARVE_LIMIT where events
 * were dropped because more came than could be written. What could not be
 * written is kept while the queue has room for it, and tried again. Where the
 * file was removed, each flush is VARVE_NOT_FOUND with its path, and nothing
 * more is written: what was in it is lost, and a program that goes on opens
 * events again. A save fails for none of this. (A file that was renamed is
 * written on. On a file system without link counts a removal is
 * not detected.) */
VARVE_API varve_status varve_events_flush(
    varve_events *events, varve_error *error);

/* Events that were dropped since the open. */
VARVE_API uint64_t varve_events_dropped(varve_events *events);

/* --- Going back ------------------------------------------------------------
 */

/* Says that the run has gone back: what was recorded for `first_step` and later
 * ones, in this file or in older ones of the directory, is superseded.
 * TensorBoard drops it (SessionLog.START). */
VARVE_API void varve_events_supersede(varve_events *events, int64_t first_step);

/* A state node of a graph, through which restoring does so by itself. It saves
 * the highest step recorded; a restoration, or a snapshot that is put back,
 * supersedes what comes after it. That is written with the next event or
 * flush, so that a restoration that is undone leaves nothing. The events
 * outlive the node. With NULL for `events` the node is there all the same, but
 * does nothing: the file keeps its structure. */
VARVE_API varve_node *varve_add_events(
    varve_node *parent, const char *name, varve_events *events);

VARVE_END_DECLS

#endif
