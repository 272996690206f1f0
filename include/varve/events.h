/* events.h - Writes event files that TensorBoard displays.
 *
 *     varve_events *events = varve_events_open("run", NULL, &error);
 *     varve_add_events(root, "events", events);
 *     ...
 *         varve_events_scalar(events, step, "loss", loss);
 *
 * Recording never fails and never blocks a training run. The functions that
 * record copy their arguments into a queue and return; a thread of the library
 * writes the file. varve_events_flush returns the errors of this thread. Only
 * varve_events_open returns an error at once. All other functions accept its
 * NULL result and then do nothing.
 *
 * Threads: all functions of this header may be called from several threads at
 * once, except varve_events_free and varve_add_events, which changes the graph.
 * After a fork the child process must not call them. The functions draw no
 * random numbers.
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
    /* Maximum delay in seconds before queued events are written; 0: 5. */
    unsigned flush_seconds;
    /* Maximum size of the queue in bytes; 0: 16 MiB. A larger event is accepted
     * if the queue is empty. There are two buffers of this size. */
    size_t queue_size;
    const varve_allocator *allocator; /* NULL: realloc and free; copied */
    varve_reserved reserved;
} varve_events_options;

/* Creates an event file and starts the thread that writes it.
 *
 * `directory` is created if it does not exist. `options` may be NULL. The name
 * of the file is
 *
 *     events.out.tfevents.<seconds>.<machine>.<process>.<number>
 *
 * The seconds (since 1970-01-01 UTC, ten digits) are greater than those of the
 * existing files, even if the clock has been set back, because TensorBoard
 * reads files in the order of their names.
 *
 * Returns NULL on failure. Close the file with varve_events_free. */
VARVE_API varve_events *varve_events_open(const char *directory,
    const varve_events_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Writes the queued events, stops the thread and closes the file. NULL is
 * accepted. Errors are not returned: call varve_events_flush first. */
VARVE_API void varve_events_free(varve_events *events);

/* Returns the path of the file, or NULL for NULL. */
VARVE_API const char *varve_events_path(const varve_events *events);

/* --- Recording ----------------------------------------------------------- */

/* `tag` is UTF-8 of 1 to VARVE_MAX_NAME_SIZE bytes. TensorBoard groups tags by
 * slashes ("train/loss"). An event with an invalid argument, and an event for
 * which the queue has no space, is dropped and counted, and the next
 * varve_events_flush returns the error. */

/* Records a scalar, as the nearest float32. NaN and infinities are recorded
 * too. */
VARVE_API void varve_events_scalar(
    varve_events *events, int64_t step, const char *tag, double value);

/* Record a histogram of `count` numbers, in the buckets of TensorFlow.
 *
 * NaN and infinities are not counted. If there are any, their number is
 * recorded in the same event as the scalar "<tag>/not_finite". The call takes
 * up to 70 ns for each number. */
VARVE_API void varve_events_histogram(varve_events *events, int64_t step,
    const char *tag, const float *values, size_t count);
VARVE_API void varve_events_histogram_double(varve_events *events, int64_t step,
    const char *tag, const double *values, size_t count);

/* An image of 8 bits per channel, with 1 (gray), 3 (RGB) or 4 (RGBA) channels.
 * The pixels begin at the upper left and are stored row by row without gaps. */
typedef struct varve_events_picture {
    uint32_t width;
    uint32_t height;
    unsigned channels;
    const uint8_t *pixels; /* width * height * channels bytes */
} varve_events_picture;

/* Records an image as an uncompressed PNG. The pixels may take up to 1 GiB. */
VARVE_API void varve_events_image(varve_events *events, int64_t step,
    const char *tag, const varve_events_picture *picture);

/* Records a PNG file that the program has encoded, without changes. */
VARVE_API void varve_events_png(varve_events *events, int64_t step,
    const char *tag, const void *bytes, size_t size);

/* Records a text in UTF-8, which TensorBoard displays as Markdown. */
VARVE_API void varve_events_text(
    varve_events *events, int64_t step, const char *tag, const char *text);

/* --- Flushing and errors ------------------------------------------------ */

/* Waits until all events that were recorded before have been written to the
 * file, and returns the first error since the last flush.
 *
 * After that the events survive the end of the process, but not a power
 * failure, because the file is not synced. Events that could not be written
 * remain in the queue while it has space, and are written later.
 *
 * - Returns VARVE_LIMIT if events were dropped because the queue was full.
 * - Returns VARVE_NOT_FOUND, in each call, if the file was deleted. Nothing
 *   more is written; a program that continues can open a new file. The deletion
 *   is not detected on file systems without link counts. A renamed file is
 *   still written.
 *
 * A save of the graph does not fail because of these errors. */
VARVE_API varve_status varve_events_flush(
    varve_events *events, varve_error *error);

/* Returns the number of events that were dropped since the file was opened. */
VARVE_API uint64_t varve_events_dropped(varve_events *events);

/* --- Returning to an earlier step --------------------------------------- */

/* Marks all events of `first_step` and later steps as superseded, in this file
 * and in older files of the directory, because the run has returned to an
 * earlier step.
 *
 * TensorBoard then discards these events (SessionLog.START). */
VARVE_API void varve_events_supersede(varve_events *events, int64_t first_step);

/* Adds a state that supersedes events when a checkpoint is restored.
 *
 * The state contains the highest recorded step. A restore, or a snapshot that
 * is restored, supersedes the events of later steps, as varve_events_supersede
 * does. The mark is written with the next event or flush, so a restore that is
 * undone leaves no trace.
 *
 * `events` must outlive the node. If it is NULL, the node is added but does
 * nothing, so that the checkpoint has the same structure. */
VARVE_API varve_node *varve_add_events(
    varve_node *parent, const char *name, varve_events *events);

VARVE_END_DECLS

#endif
