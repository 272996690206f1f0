/* incremental.h - looking after checkpoints that share their data in layers, as
 * the option `incremental` of a write makes them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_LAYERS_H
#define VARVE_LAYERS_H

#include <varve/checkpoint.h>

VARVE_BEGIN_DECLS

/* Of the options of an incremental save (`incremental`), whose folder `layers`
 * is to be copied with its checkpoints, those in varve_increment_options:
 *
 * `base`: where that is not incremental, damaged or of other values, all is
 * written.
 *
 * `only_dirty`: a variable of 64 KiB and more that was not touched
 * (varve_mark_dirty) since the checkpoint before was saved has not changed, and
 * is not looked at; of one that was touched in rows (varve_mark_rows_dirty)
 * neither are the other pages of 4 KiB, once its chunk is summed by pages, as
 * it is when it has changed in a few of them. What the library did to one in
 * between (it was added, rebound, retyped, initialized, or restored, also by a
 * snapshot) touches it. Where the checkpoint before is none of the last eight
 * that this graph has saved so, or a node or edge came or went since, all
 * values are looked at.
 *
 * `track`: the same of each MiB, and each such page, of a variable of 256 KiB
 * and more that was not written to, as the machine tells (Linux 6.11, and no
 * container that forbids userfaultfd); else all values are looked at. What it
 * costs the program is said in snapshot.h, with whose `track` it shares its
 * descriptor.
 * varve_mark_dirty is of use for what the machine does not see: what a device
 * writes by itself. With `only_dirty` that alone counts.
 *
 * `verify_clean`: they are looked at all the same, and where one has
 * changed that was not touched the save fails with VARVE_MISUSE, which names
 * it. For tests of a program.
 *
 * And `compress`, in layers or where there are none in one file: each chunk of
 * 1 MiB, and each value from 4 KiB on, is packed by Zstandard where that saves
 * a sixteenth of it. VARVE_TOO_NEW where the library was built without. */

/* Makes one file of a checkpoint with layers or of many processes, the one that
 * a save by one process without `incremental` and `compress` would have
 * written, of an early file too; every value is verified. Takes up to 19 MiB of
 * memory. `to` NULL: in its place. `path` is found as by varve_restore.
 * VARVE_MISUSE for other options than `no_replace`, `no_sync` and `progress`.
 */
VARVE_API varve_status varve_repack(const char *path, const char *to,
    const varve_write_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Deletes the layers in a directory that none of its checkpoints names, and
 * the files that killed saves have left. Managers and savers do so when they
 * delete checkpoints. Nothing is deleted, and the call fails, where a
 * checkpoint cannot be read or is damaged, and with VARVE_MISUSE where
 * checkpoints of other directories may name the layers: `layers` is a symbolic
 * link, or a save through such a link has left the file `shared` in the
 * folder. A bind mount of the folder is not detected: create that file by
 * hand. Nothing is deleted, with VARVE_OK, while a save goes on in the
 * directory, or where the file system has no locks (prune.h tells).
 * VARVE_NOT_FOUND where there is no such directory. */
VARVE_API varve_status varve_prune_data_files(
    const char *directory, varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
