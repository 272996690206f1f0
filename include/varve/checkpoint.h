/* checkpoint.h - to a file and back: write, read, save, restore, plan.
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

/* What the names of numbered files end in. It may be left off where a file is
 * read. */
#define VARVE_SUFFIX ".varve"

/* --- Exactly this file -------------------------------------------------- */

/* Writes everything reachable from `root` to `path`, which replaces an older
 * file only when it is complete and on disk; in a format of several files by
 * one step as well, after which the older data files are removed. Missing
 * directories are made. Values that wait in an open restoration of the graph
 * are copied from its file (`pending`). The same graph with the same values
 * gives the same bytes, but for the names and the number of data files that
 * replace others.
 *
 * Fails with the graph's first mistake, VARVE_MISUSE where a bool is neither 0
 * nor 1, VARVE_NO_SPACE, VARVE_NO_PERMISSION, VARVE_IO, VARVE_NO_MEMORY,
 * VARVE_EXISTS, VARVE_CALLBACK or VARVE_CANCELLED, and then the older file is
 * as it was and no other is left; or with VARVE_UNKNOWN_OUTCOME, which see. The
 * values must not change meanwhile.
 *
 * Where `path` is a symbolic link, the link stays, and the file that it leads
 * to is replaced or created, with its temporary file beside it. The directory
 * of that file has to be there. With `no_replace` a link is VARVE_EXISTS. A
 * checkpoint of several files (in layers, of many processes, of some other
 * formats) is refused there with VARVE_MISUSE: its other files are named after
 * `path` and lie beside it, so they would be found by one of the two paths
 * only. In a directory like /tmp, where everybody may create files, a link of
 * another user is VARVE_NO_PERMISSION.
 *
 * A new file has the mode that the umask leaves. A regular file that replaces
 * another one has its permissions, group, owner and access list of POSIX; its
 * data files and layers, too. Parts that the process may not set are left
 * out, and nobody gains access by it: without the group, the group and others
 * keep only the bits that both had. Bits for set-user-ID and set-group-ID are
 * dropped. Nothing is taken over from a file of another user in a directory
 * like /tmp.
 *
 * A process that is killed may leave a hidden `.NAME.*.tmp` beside the file,
 * which the next write of NAME removes. */
VARVE_API varve_status varve_write(varve_node *root, const char *path,
    const varve_write_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Reads a file (if there is none of this name, the one with VARVE_SUFFIX) into
 * everything reachable from `root`, by the names of the edges, then by aliases,
 * and what neither leads to by global names (varve_set_global_name): the order
 * of building does not matter. Of what comes later, a node whose own path it is
 * gets a value that has gone to an alias, too. What the program does not have
 * yet waits, and arrives when it is added, as long as the restoration is kept.
 * NULL on failure; then no variable has changed, but with
 * VARVE_PARTIALLY_RESTORED (see `passes` and `resources.staging_size`): what
 * that leaves with other bytes is refused by saves and snapshots, VARVE_MISUSE,
 * until it is restored, or the program says that it has set it
 * (varve_mark_dirty). Types and shapes that do not fit are all named, with
 * VARVE_MISMATCH, before anything changes. A file of which nothing matches is
 * of another program, VARVE_UNMATCHED, unless the program has nothing yet that
 * has to be restored, or permits all that it lacks (`expect.missing`). Its file
 * is open until varve_restoration_free ends it. */
VARVE_API varve_restoration *varve_read(varve_node *root, const char *path,
    const varve_read_options *options, varve_error *error) VARVE_MUST_CHECK;

/* What varve_restore would do, without reading a value or changing anything:
 * the report of the result says it. Mismatches are findings here, not
 * failures. The options of how values are read have no effect: `no_verify`,
 * `map`, `passes`, `progress`, `salvage` and `resources`. */
VARVE_API varve_restoration *varve_dry_run(varve_node *root, const char *path,
    const varve_read_options *options, varve_error *error) VARVE_MUST_CHECK;

/* --- Numbered ----------------------------------------------------------- */

/* Writes `prefix-N.varve` for the next N, never over an older file: one above
 * both `root`'s save counter and the highest number there is. Where another
 * process takes that number first, all is written again under the next. The
 * counter is in the file, and a failed save does not use it up. The name of the
 * newest file is noted in `prefix.latest`, a hint for people that spares files
 * of others (but for one that replaces a note right before the next one does).
 * VARVE_EXISTS where a file is called `prefix`: varve_restore would find it.
 * VARVE_MISUSE for another `format` than Varve's: varve_restore would not find
 * its files. */
VARVE_API varve_status varve_save(varve_node *root, const char *prefix,
    const varve_write_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Reads `path` if it is a file; else, taking it as a prefix, the newest
 * checkpoint `path-N.varve`; else the one with VARVE_SUFFIX. The newest is the
 * one with the highest save counter. The counter is N, except in a directory of
 * a manager with `number_by_step`, where after a step back the newest does not
 * have the highest N. Names that are padded with zeros, path-00000042.varve,
 * are found as well. Readers, plans, leases and the tool find by the same rule.
 * `root`'s save counter continues from the file's. As
 * varve_read otherwise; VARVE_NOT_FOUND when there is none. */
VARVE_API varve_restoration *varve_restore(varve_node *root, const char *path,
    const varve_read_options *options, varve_error *error) VARVE_MUST_CHECK;

/* The number that the last varve_save of this root gave or the last
 * varve_restore found; 0 before. */
VARVE_API uint64_t varve_save_counter(const varve_node *root);

/* Writes the path of the newest checkpoint of a prefix, by the same rule, into
 * `path`, which holds `size` bytes. The directory is what decides. */
VARVE_API varve_status varve_latest(const char *prefix, char *path, size_t size,
    varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
