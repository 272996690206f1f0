/* output.h - files that a program appends to, as a part of its state.
 *
 * A program that is killed and resumed goes back to its last checkpoint. Text
 * that it wrote to a log after that checkpoint is still in the file, and the
 * program writes it a second time. An output prevents that: a save records the
 * length of the file, and a restoration truncates the file to that length.
 *
 *     FILE *log = fopen("loss.csv", "a");
 *     varve_add_output(root, "log", log);
 *
 * Open the file for appending. Mode "w" removes the text of earlier processes.
 * The file is then shorter than recorded, and a restoration fails.
 *
 * A save flushes the output and records its length. A snapshot does so when it
 * is taken. Text that is written after that is not included in the length, even
 * while a save continues in the background. A save without `no_sync` calls
 * fsync on the file before it publishes the checkpoint. After a power failure
 * the file is therefore at least as long as the checkpoint recorded. The save
 * fails if the flush or the fsync fails, or if the error flag of the stream is
 * set.
 *
 * A restoration, of a file or of a snapshot, checks all outputs before it
 * changes anything. It fails with VARVE_MISMATCH if a file is shorter than
 * recorded, or if the 4096 bytes before the recorded length (all of them in a
 * shorter file) differ from those at the save: the log was rotated, replaced or
 * edited. Text further before is not compared. Nothing is compared if the file
 * cannot be read, at the save or now, or if an older version of the library
 * saved it. A descriptor that is open for writing alone is opened for reading
 * by /proc/self/fd where the system has that. A restoration truncates the files
 * last, after all other values have been restored. A truncation is not undone.
 * An output that is added after the restoration is truncated when it is added.
 * An output that is not in the checkpoint is not changed. The option `except`
 * excludes outputs from a restoration (varve/options.h) and from the
 * restoration of a snapshot (varve/snapshot.h). Use it if the program returns
 * to older values but keeps its log.
 *
 * A resume that finds no checkpoint does not truncate the file. The file may
 * contain text of a process that was killed before its first save. The program
 * removes that text itself, unless the resume failed:
 *
 *     if (varve_run_should_continue(run) && !varve_run_is_resumed(run))
 *         ftruncate(fileno(log), 0);
 *
 * In a checkpoint an output is a state of 24 bytes: the length in bytes, least
 * significant byte first, and the XXH3-128 of the bytes before it, in its
 * canonical form. Without the digest it has 8 bytes. If several processes each
 * write their own file, each process adds its output to its private node
 * (varve/rank_local.h).
 *
 * Only the thread that uses the graph may use the output node. Other threads
 * may write to the file at any time. The recorded length may or may not include
 * text that another thread writes during the save.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_OUTPUT_H
#define VARVE_OUTPUT_H

#include <stdio.h>

#include <varve/graph.h>

VARVE_BEGIN_DECLS

/* Adds an output `name` for a stream of the C library that is open for writing.
 * The stream is borrowed and must stay open as long as the node exists. Unless
 * a restoration is waiting for the output, the call only flushes the stream.
 *
 * VARVE_MISUSE if the stream is NULL, is not open for writing, or is not a
 * regular file: a pipe or a terminal cannot be truncated. A save fails with
 * VARVE_MISUSE if the next write would not append to the file. */
VARVE_API varve_node *varve_add_output(
    varve_node *parent, const char *name, FILE *file);

/* The same for a descriptor to which the program writes without a buffer. */
VARVE_API varve_node *varve_add_output_descriptor(
    varve_node *parent, const char *name, int descriptor);

/* The functions of a program that buffers an output itself. If one returns a
 * status other than VARVE_OK, the save, the restoration or the call that adds
 * the output fails: with VARVE_NO_MEMORY if that was returned, otherwise with
 * VARVE_CALLBACK. The functions must not change the graph. */
typedef struct varve_output_callbacks {
    /* Writes the buffered bytes to the file. It is called when the output is
     * added, by saves, and by restorations before they truncate the file. */
    varve_status (*flush)(void *self);
    /* Moves the writing position to the end of the file, which has been
     * truncated to `length` bytes. NULL if the buffer needs no call: the
     * position of the descriptor is at the end already. */
    varve_status (*seek)(void *self, uint64_t length);
} varve_output_callbacks;

/* The same for a file that the program writes through a buffer of its own.
 * `descriptor` refers to the same file and is open for writing. It may be
 * another descriptor than that of the buffer. `callbacks` is copied. `flush`
 * must not be NULL. */
VARVE_API varve_node *varve_add_buffered_output(varve_node *parent,
    const char *name, int descriptor, const varve_output_callbacks *callbacks,
    void *self);

/* The same for a buffer whose descriptor is not accessible, such as that of a
 * std::ofstream. `path` is the path by which the program has opened the file.
 * The library opens the file a second time and closes that descriptor when the
 * node is freed. `seek` must not be NULL: a truncation does not move the
 * position of the program's own descriptor. VARVE_NOT_FOUND if there is no such
 * file. */
VARVE_API varve_node *varve_add_output_path(varve_node *parent,
    const char *name, const char *path, const varve_output_callbacks *callbacks,
    void *self);

VARVE_END_DECLS

#endif
