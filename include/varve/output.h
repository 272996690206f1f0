/* output.h - Records the length of files to which a program appends, such as
 * logs, and truncates them on restore.
 *
 * A program that is killed and resumed returns to its last checkpoint. Text
 * that it wrote to a log after that checkpoint is still in the file, and the
 * program writes it a second time. An output prevents that: a save records the
 * length of the file, and a restore truncates the file to that length.
 *
 *     FILE *log = fopen("loss.csv", "a");
 *     varve_add_output(root, "log", log);
 *
 * Open the file for appending. Mode "w" removes the text of earlier processes.
 * The file is then shorter than recorded, and a restore fails.
 *
 * A save flushes the output and records its length. A snapshot does so when it
 * is taken. Text that is written after that is not included in the length, even
 * while an asynchronous save continues. A save without `no_sync` calls fsync on
 * the file before it publishes the checkpoint, so after a power failure the
 * file is at least as long as recorded. The save fails if the flush or the
 * fsync fails, or if the error flag of the stream is set.
 *
 * A restore of a checkpoint or of a snapshot checks all outputs before it
 * changes anything. It returns VARVE_MISMATCH if a file is shorter than
 * recorded, or if the 4096 bytes before the recorded length (or all bytes of a
 * shorter file) differ from those at the save: the log was rotated, replaced or
 * edited. Text before these bytes is not compared. Nothing is compared if the
 * file cannot be read, at the save or at the restore, or if an older version of
 * the library wrote the checkpoint. If a descriptor is open for writing only,
 * the library opens the file for reading through /proc/self/fd, on systems that
 * have it.
 *
 * A restore truncates the files last, after all other values have been
 * restored. A truncation is not undone. An output that is added after the
 * restore is truncated when it is added. An output that is not in the
 * checkpoint is not changed.
 *
 * The option `except` excludes outputs from the restore of a checkpoint
 * (options.h) or of a snapshot (snapshot.h). Use it if the program returns to
 * older values but keeps its log.
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
 * canonical form. Without the checksum the state has 8 bytes. If several
 * processes each write their own file, each process adds its output to its
 * rank-local node (rank_local.h).
 *
 * Threads: only the thread that uses the graph may use the output node. Other
 * threads may write to the file at any time. The recorded length may or may not
 * include text that another thread writes during the save.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_OUTPUT_H
#define VARVE_OUTPUT_H

#include <stdio.h>

#include <varve/graph.h>

VARVE_BEGIN_DECLS

/* Adds an output for a stream of the C library that is open for writing.
 *
 * The stream is borrowed and must stay open as long as the node exists. The
 * call flushes the stream. If a restoration holds a pending value for the
 * output, the call also checks and truncates the file.
 *
 * - Records VARVE_MISUSE if the stream is NULL, is not open for writing, or is
 *   not a regular file: a pipe or a terminal cannot be truncated.
 *
 * A save returns VARVE_MISUSE if the next write would not append to the
 * file. */
VARVE_API varve_node *varve_add_output(
    varve_node *parent, const char *name, FILE *file);

/* Adds an output for a descriptor to which the program writes without a buffer,
 * like varve_add_output. */
VARVE_API varve_node *varve_add_output_descriptor(
    varve_node *parent, const char *name, int descriptor);

/* Callbacks of a program that buffers an output itself.
 *
 * They must not change the graph. If one does not return VARVE_OK, the save,
 * the restore or the call that adds the output fails, with VARVE_NO_MEMORY if
 * that was the result, otherwise with VARVE_CALLBACK. */
typedef struct varve_output_callbacks {
    /* Writes the buffered bytes to the file. It is called when the output is
     * added, by saves, and by restores before they truncate the file. */
    varve_status (*flush)(void *self);
    /* Moves the write position to the end of the file, which has been truncated
     * to `length` bytes. NULL if this is not needed: the position of the
     * descriptor is already at the end. */
    varve_status (*seek)(void *self, uint64_t length);
} varve_output_callbacks;

/* Adds an output for a file that the program writes through a buffer of its
 * own, like varve_add_output.
 *
 * `descriptor` refers to the same file and is open for writing. It need not be
 * the descriptor of the buffer. `callbacks` is copied, and `flush` is
 * required. */
VARVE_API varve_node *varve_add_buffered_output(varve_node *parent,
    const char *name, int descriptor, const varve_output_callbacks *callbacks,
    void *self);

/* Adds an output for a buffer whose descriptor is not accessible, such as that
 * of a std::ofstream, like varve_add_output.
 *
 * `path` is the path with which the program opened the file. The library opens
 * the file a second time, and closes this descriptor when the node is freed.
 * `callbacks` is copied. Both functions are required, because a truncation does
 * not move the position of the program's own descriptor.
 *
 * - Records VARVE_NOT_FOUND if there is no such file.
 * - Records VARVE_MISUSE if a function is NULL. */
VARVE_API varve_node *varve_add_output_path(varve_node *parent,
    const char *name, const char *path, const varve_output_callbacks *callbacks,
    void *self);

VARVE_END_DECLS

#endif
