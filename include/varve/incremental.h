/* incremental.h - Maintains incremental checkpoints, which share unchanged
 * data.
 *
 *     const varve_write_options options = { .incremental = true };
 *     if (varve_save(root, "run/ckpt", &options, &error))
 *         fprintf(stderr, "%s\n", error.message);
 *
 * The option `incremental` of a write creates them. The data is in data files
 * in the folder `layers` beside the checkpoints. Copy this folder together with
 * the checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_INCREMENTAL_H
#define VARVE_INCREMENTAL_H

#include <varve/checkpoint.h>

VARVE_BEGIN_DECLS

/* These are the options of an incremental save in varve_increment_options.
 *
 * `base`: the previous checkpoint. If it is not incremental, is damaged or has
 * other values, everything is written.
 *
 * `only_dirty`: variables of 64 KiB and more that were not marked dirty
 * (varve_mark_dirty) since the base was saved are not read.
 *
 * - If rows were marked (varve_mark_rows_dirty), only the marked pages of 4 KiB
 *   are read, provided that the chunk has checksums for pages. A chunk gets
 *   them when few of its pages have changed.
 * - The library itself marks variables that are added, rebound, retyped,
 *   initialized or restored, also from a snapshot.
 * - All values are read if the base is not one of the last eight checkpoints
 *   that this graph has saved with `only_dirty` or `track`, or if a node or
 *   edge was added or removed since.
 *
 * `track`: chunks of 1 MiB, and pages, that were not written to are not read.
 * This applies to variables of 256 KiB and more.
 *
 * - It needs Linux 6.11 and a container that permits userfaultfd. Otherwise all
 *   values are read.
 * - It uses the same file descriptor as `track` of a snapshot and has the same
 *   cost (snapshot.h).
 * - Writes by devices are not detected; mark them with varve_mark_dirty.
 * - Together with `only_dirty` it has no effect.
 *
 * `verify_clean`: all values are read. If a variable has changed that was not
 * marked dirty, the save fails with VARVE_MISUSE, and the message names it. Use
 * it in tests.
 *
 * The option `compress` works with and without `incremental`. Each chunk of
 * 1 MiB, and each value of 4 KiB and more, is compressed with Zstandard if that
 * saves at least a sixteenth of it. VARVE_TOO_NEW if the library was built
 * without Zstandard. */

/* Converts a checkpoint to a single uncompressed file.
 *
 *     if (varve_repack("run/ckpt", "model.varve", NULL, &error))
 *         fprintf(stderr, "%s\n", error.message);
 *
 * The checkpoint may be incremental, compressed or collective, or have an early
 * version of the format. The result is the file that one process would have
 * written without `incremental` and `compress`.
 * Every value is verified. `path` is that of varve_restore: a file or a prefix.
 * If `to` is NULL, the file replaces the checkpoint. The function needs up to
 * 19 MiB of memory.
 *
 * - Returns VARVE_MISUSE for options other than `no_replace`, `no_sync` and
 *   `progress`.
 * - Fails otherwise as varve_reader_read and varve_write do. */
VARVE_API varve_status varve_repack(const char *path, const char *to,
    const varve_write_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Deletes the data files in a directory that none of its checkpoints uses, and
 * files that killed saves have left.
 *
 * Managers and savers do this when they delete checkpoints. Nothing is deleted,
 * and VARVE_OK is returned, if a save is running in the directory or the file
 * system does not support locks. varve_prune_data_files_with (prune.h) reports
 * these cases.
 *
 * On failure nothing is deleted.
 *
 * - Returns the error of a checkpoint that cannot be read or is damaged.
 * - Returns VARVE_MISUSE if checkpoints of other directories may use the data
 *   files: `layers` is a symbolic link, or contains the file `shared`, which a
 *   save through such a link creates. A bind mount is not detected; create the
 *   file `shared` yourself.
 * - Returns VARVE_NOT_FOUND if there is no such directory. */
VARVE_API varve_status varve_prune_data_files(
    const char *directory, varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
