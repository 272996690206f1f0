/* checkpoint.h - Writes object graphs to checkpoint files and reads them back.
 *
 *     varve_graph *graph = varve_graph_new(NULL);
 *     varve_node *root = varve_graph_root(graph);
 *     varve_add_variable(root, "weights", varve_array(weights, 784, 10));
 *     varve_error error;
 *     if (varve_write(root, "model.varve", NULL, &error))
 *         fprintf(stderr, "%s\n", error.message);
 *     varve_graph_free(graph);
 *
 * varve_write writes exactly the path that it is given, and varve_read reads
 * it. varve_save and varve_restore use a prefix: each save adds a file with the
 * next number, and a restore reads the newest file.
 *
 * Only one thread may use a graph at a time (graph.h). collective.h has the
 * same functions for several processes that save together, and job.h has
 * asynchronous ones.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_CHECKPOINT_H
#define VARVE_CHECKPOINT_H

#include <varve/error.h>
#include <varve/graph.h>
#include <varve/options.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* The suffix of numbered checkpoint files. Functions that read a file also
 * accept its path without the suffix. */
#define VARVE_SUFFIX ".varve"

/* --- Exactly this file -------------------------------------------------- */

/* Writes everything reachable from `root` to the file `path`.
 *
 * `options` may be NULL. Missing directories are created. Values that are
 * pending in an open restoration of the graph are copied from the file of that
 * restoration; the option `pending` changes this. The values must not change
 * during the call.
 *
 * The write is atomic: the new file replaces an older one only when it is
 * complete and on disk. In a format of several files one step replaces them
 * too, and the older data files are removed afterwards. If the process is
 * killed, it may leave a hidden file `.NAME.*.tmp`; the next write of NAME
 * removes it.
 *
 * The output is deterministic. The same graph with the same values gives the
 * same bytes. Only the names and the number of data files can differ, if they
 * replace older data files.
 *
 * On failure the older file is unchanged and no other file is left. The one
 * exception is VARVE_UNKNOWN_OUTCOME: the file is in place, but may not survive
 * a power cut.
 *
 * - Returns the first error that was recorded while the graph was built, if
 *   there is one.
 * - Returns VARVE_MISUSE if the value of a bool is neither 0 nor 1, or if an
 *   option has no effect.
 * - Returns VARVE_EXISTS if the file exists and `no_replace` is set.
 * - Returns VARVE_CALLBACK if a callback of a state fails.
 * - Returns VARVE_CANCELLED if the progress callback cancels.
 * - Returns VARVE_NO_SPACE, VARVE_NO_PERMISSION, VARVE_IO or VARVE_NO_MEMORY if
 *   the system reports such an error.
 *
 * If `path` is a symbolic link, the link is kept, and the file that it refers
 * to is replaced or created:
 *
 * - The temporary file is beside the target, whose directory must exist.
 * - Returns VARVE_EXISTS if `no_replace` is set.
 * - Returns VARVE_MISUSE for a checkpoint of several files (incremental,
 *   collective, some other formats). Its data files are named after `path` and
 *   are beside it, so only one of the two paths would find them.
 * - Returns VARVE_NO_PERMISSION if another user owns the link and it is in a
 *   world-writable directory such as /tmp.
 *
 * The mode of a new file follows the umask. If the file replaces a regular
 * file, it and its data files take over the permissions, group, owner and POSIX
 * access list of that file:
 *
 * - Attributes that the process may not set are left out, and this never
 *   grants anyone access: if the group cannot be kept, group and others keep
 *   only the permissions that both had.
 * - Set-user-ID and set-group-ID bits are dropped.
 * - If the replaced file belongs to another user and is in a world-writable
 *   directory such as /tmp, no attributes of it are used: those of the new file
 *   are as if the old one did not exist. */
VARVE_API varve_status varve_write(varve_node *root, const char *path,
    const varve_write_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Reads the checkpoint `path` into everything reachable from `root`.
 *
 *     varve_restoration *r = varve_read(root, "model.varve", NULL, &error);
 *     if (!r || varve_assert_consumed(r, &error))
 *         fprintf(stderr, "%s\n", error.message);
 *     varve_restoration_free(r);
 *
 * If there is no file `path`, `path.varve` is read. If `path` is a directory,
 * its newest numbered checkpoint is read. `options` may be NULL.
 *
 * Saved values are matched with variables and states by the names of the edges,
 * then by aliases (varve_alias), then by global names (varve_set_global_name).
 * The order in which the graph was built has no effect.
 *
 * A value that the program has no variable for is pending. It is delivered
 * when the variable is added, as long as the restoration exists. If a value was
 * restored through an alias and a node with its exact path is added later, that
 * node receives the value too.
 *
 * Returns a restoration (restoration.h), which keeps the file open. Free it
 * with varve_restoration_free. Returns NULL on failure. No variable has changed
 * then, except with VARVE_PARTIALLY_RESTORED.
 *
 * - Fails with VARVE_MISMATCH if types or shapes do not match. The message
 *   names all of them.
 * - Fails with VARVE_UNMATCHED if nothing in the file matches, because the file
 *   probably belongs to another program. This is no error if the program has
 *   nothing to restore yet, or if `expect.missing` permits everything that is
 *   missing.
 * - Fails with VARVE_PARTIALLY_RESTORED if an error occurs after variables have
 *   changed; see `passes` and `resources.staging_size`. Saves and snapshots of
 *   these variables fail with VARVE_MISUSE until they are restored or marked
 *   with varve_mark_dirty.
 * - Fails as varve_reader_open does, or with the error of reading the file. */
VARVE_API varve_restoration *varve_read(varve_node *root, const char *path,
    const varve_read_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Reports what varve_restore would do, without reading values or changing
 * anything.
 *
 * Returns a restoration whose report lists the findings. Free it with
 * varve_restoration_free. Mismatches are findings here, not errors.
 *
 * The options for reading values have no effect: `no_verify`, `map`, `passes`,
 * `progress`, `salvage` and `resources`. */
VARVE_API varve_restoration *varve_dry_run(varve_node *root, const char *path,
    const varve_read_options *options, varve_error *error) VARVE_MUST_CHECK;

/* --- Numbered ----------------------------------------------------------- */

/* Writes everything reachable from `root` to a new file `prefix-N.varve`.
 *
 *     if (varve_save(root, "run/ckpt", NULL, &error))
 *         fprintf(stderr, "%s\n", error.message);
 *
 * N is one more than the save counter of `root` and the highest existing
 * number. An older file is never replaced. If another process takes the number
 * first, the file is written again with the next one. The save counter is part
 * of the file; a failed save does not increase it.
 *
 * The name of the file is also written to `prefix.latest`, for information
 * only. An existing file of that name that Varve did not write is kept, except
 * if another process creates it at the same moment.
 *
 * Fails as varve_write does, and:
 *
 * - Returns VARVE_EXISTS if there is a file `prefix`, because varve_restore
 *   would read that one, or a directory `prefix` that contains checkpoints.
 * - Returns VARVE_MISUSE if `prefix` ends with .varve.
 * - Returns VARVE_MISUSE if `format` is not Varve's own, because varve_restore
 *   would not find the file. */
VARVE_API varve_status varve_save(varve_node *root, const char *prefix,
    const varve_write_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Reads the newest checkpoint of a prefix, or the file `path`.
 *
 *     varve_restoration *r = varve_restore(root, "run/ckpt", NULL, &error);
 *
 * The function reads the first of these that exists:
 *
 * - the file `path`,
 * - the newest checkpoint `path-N.varve`,
 * - the file `path.varve`,
 * - the newest numbered checkpoint in the directory `path`.
 *
 * The newest checkpoint is the one with the highest save counter. The counter
 * is equal to N, except in the directory of a manager with `number_by_step`:
 * if the step went backwards there, the newest checkpoint does not have the
 * highest N. Names that are padded with zeros, such as path-00000042.varve, are
 * found too. Readers, dry runs, leases and the command `varve` use the same
 * rule.
 *
 * The save counter of `root` continues from that of the file. Results and
 * errors are those of varve_read. Fails with VARVE_NOT_FOUND if there is no
 * checkpoint, and with VARVE_IS_DIRECTORY if `path` is a directory without
 * one. */
VARVE_API varve_restoration *varve_restore(varve_node *root, const char *path,
    const varve_read_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Returns the save counter of `root`: the number of the last varve_save, or
 * that of the last checkpoint that varve_restore has read. Returns 0 before
 * both. */
VARVE_API uint64_t varve_save_counter(const varve_node *root);

/* Copies the path of the newest checkpoint of a prefix to `path`, a buffer of
 * `size` bytes. `prefix` can also be a directory, as for varve_restore.
 *
 * The newest checkpoint is defined as for varve_restore. The function lists the
 * directory; it does not use `prefix.latest`. */
VARVE_API varve_status varve_latest(const char *prefix, char *path, size_t size,
    varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
