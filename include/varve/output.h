/* output.h - files that a program appends to, as a part of its state.
 *
 * A program that is killed and resumed goes back to its last checkpoint. Text
 * that it wrote to a log after that checkpoint is still in the file, and is
 * written a second time. An output prevents that: a save records how long the
 * file is, and a restoration cuts the file to that length.
 *
 *     FILE *log = fopen("loss.csv", "a");
 *     varve_add_output(root, "log", log);
 *
 * Open the file for appending. Mode "w" removes what an earlier process wrote;
 * a restoration is refused then, because the file is too short.
 *
 * A save, and a snapshot as it is taken, flushes the output and records its
 * length. Text that is written later is not counted, also if a save goes on in
 * the background. A save without `no_sync` has the file on disk (fsync) before
 * the checkpoint is published, so that a power cut does not leave the file
 * shorter than the checkpoint recorded. A write that fails, or a stream whose
 * error flag is set, fails the save.
 *
 * A restoration, and a snapshot that is restored, checks each output before it
 * changes anything: VARVE_MISMATCH where a file is shorter than recorded. Each
 * is cut at the end, when all other values are there. A cut is not undone.
 * An output that is added after the restoration is cut as it is added. One that
 * the checkpoint does not contain is not changed. `except` (varve/options.h)
 * leaves outputs out of a restoration, and of a snapshot (varve/snapshot.h):
 * use it where a program goes back to better values but keeps its log.
 *
 * A resume that finds no checkpoint cuts nothing. A process that was killed
 * before its first save has left text in the file. The program empties the file
 * then, unless the resume failed:
 *
 *     if (varve_run_goes_on(run) && !varve_run_is_resumed(run))
 *         ftruncate(fileno(log), 0);
 *
 * In a checkpoint an output is a state of 8 bytes: the length in bytes, least
 * significant byte first. Of many processes that each write a file of their own
 * each adds its output to a private node (varve/private.h).
 *
 * An output belongs to the graph's thread. Other threads may write to the file
 * at any time. Text that another thread writes during a save is counted or not.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_OUTPUT_H
#define VARVE_OUTPUT_H

#include <stdio.h>

#include <varve/graph.h>

VARVE_BEGIN_DECLS

/* Adds a stream of the C library that is open for writing as an output `name`.
 * The stream stays the program's, and must be open as long as the node is
 * there. Adding it flushes it and changes nothing else.
 *
 * VARVE_MISUSE where the stream is NULL, cannot be written to, or is no regular
 * file: a pipe or a terminal cannot be cut. A save fails with VARVE_MISUSE
 * where the next write would not go to the end of the file. */
VARVE_API varve_node *varve_add_output(
    varve_node *parent, const char *name, FILE *file);

/* The same of a descriptor, for programs without a buffer. */
VARVE_API varve_node *varve_add_output_descriptor(
    varve_node *parent, const char *name, int descriptor);

/* What the program does for a buffer of its own. A status other than VARVE_OK
 * fails the call that called it: VARVE_NO_MEMORY as that, all else as
 * VARVE_CALLBACK. Neither may change the graph. */
typedef struct varve_output_callbacks {
    /* Writes what is buffered to the file. Called by saves, and by restorations
     * before the file is cut. */
    varve_status (*flush)(void *self);
    /* Goes on at the end of the file, which is cut to `length` bytes. NULL:
     * there is nothing to do, the position of the descriptor is there. */
    varve_status (*seek)(void *self, uint64_t length);
} varve_output_callbacks;

/* The same of a file that the program writes through a buffer of its own.
 * `descriptor` is of the same file, open for writing, and need not be the one
 * that the buffer is written to. `callbacks` is copied; `flush` must be
 * there. */
VARVE_API varve_node *varve_add_buffered_output(varve_node *parent,
    const char *name, int descriptor, const varve_output_callbacks *callbacks,
    void *self);

/* The same of a file that the program has opened by this path, for buffers that
 * tell no descriptor. The library opens the file once more, and closes that
 * descriptor with the node. VARVE_NOT_FOUND where the file is not there. */
VARVE_API varve_node *varve_add_output_path(varve_node *parent,
    const char *name, const char *path, const varve_output_callbacks *callbacks,
    void *self);

VARVE_END_DECLS

#endif
