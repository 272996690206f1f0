/* saver.h - Saves and restores selected variables by name.
 *
 *     varve_saver *saver = varve_saver_new(graph, NULL, &error);
 *     varve_status status = varve_saver_add(saver, "weights", node, &error);
 *     if (!status)
 *         status = varve_saver_save(saver, "run/model", NULL, &error);
 *     varve_saver_free(saver);
 *
 * A saver is a map from names to nodes of one graph. It may contain any subset
 * of the nodes, under names that differ from their paths. Its files are
 * ordinary checkpoints, in which "model/dense/kernel" is the path of a
 * variable. A file of a saver can be read into a graph of objects, and a saver
 * can read the file of a graph, by path or by the global names of the variables
 * (varve_set_global_name).
 *
 * Several savers may contain the same variable. The variable stays in the graph
 * until the saver is freed. varve_remove removes it from the graph and from the
 * map.
 *
 * A saver belongs to the thread that uses its graph.
 *
 * With several processes (`comm` in the options) each rank creates a saver with
 * the same options. These functions are collective, and all ranks call them in
 * the same order: new, save, set_list, recover, restore. All ranks get the same
 * status, message and list of files. Rank 0 alone lists and deletes files; data
 * is saved and restored as by varve_write_all and varve_read_all
 * (collective.h). The other functions, including varve_saver_free, are not
 * collective.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_SAVER_H
#define VARVE_SAVER_H

#include <varve/checkpoint.h>
#include <varve/comm.h>
#include <varve/error.h>
#include <varve/restoration.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* Options of a saver. All zero is the safe default, and NULL is the same. */
typedef struct varve_saver_options {
    size_t keep;             /* number of files to keep, the newest; 0: all */
    double keep_every_hours; /* a file that would be deleted is kept forever if
                                it was written at least N hours after the last
                                one that was kept so, or after the saver was
                                created; 0: none */
    bool allow_empty;        /* permit an empty map, which saves and restores
                                nothing; otherwise that is an error */
    bool async;              /* save asynchronously (job.h); with `comm` this
                                needs its `duplicate` */
    const varve_comm *comm;  /* communicator of several processes; NULL: this
                                process alone; borrowed until
                                varve_saver_free */
    varve_reserved reserved;
} varve_saver_options;

/* Creates a saver with an empty map.
 *
 * `options` may be NULL. Free the saver with varve_saver_free, before or after
 * the graph. Returns NULL on failure, for example with the first error of the
 * graph. Collective. */
VARVE_API varve_saver *varve_saver_new(varve_graph *graph,
    const varve_saver_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Frees a saver, after waiting for a pending save. Its files and variables
 * stay.
 *
 * An open restoration of the saver behaves as if its variables had been
 * removed. A failure of the pending save is returned by the next save of the
 * graph; if there is none, call varve_saver_wait first. Takes NULL. */
VARVE_API void varve_saver_free(varve_saver *saver);

/* --- The map ------------------------------------------------------------ */

/* A name consists of parts that are joined by '/', like a path. If a part is
 * empty, as in "/a" or "a//b", the whole name is a single edge. The functions
 * that add names can fail with these errors, and the map is then unchanged:
 *
 * - Return VARVE_DUPLICATE if the name is in use, or if a variable or state has
 *   a name already. The message has both paths.
 * - Return VARVE_BAD_NAME if the name is not UTF-8 of 1 to VARVE_MAX_NAME_SIZE
 *   bytes. */

/* Adds a node under a name. The node may be a variable, a state, or an object
 * with everything below it. */
VARVE_API varve_status varve_saver_add(varve_saver *saver, const char *name,
    varve_node *node, varve_error *error) VARVE_MUST_CHECK;

/* Adds everything below a node, under `prefix` and its path.
 *
 * This includes nodes that are added to the graph later. Slot variables are
 * saved as slots. If `prefix` is "" or NULL, the names are the paths, and the
 * map cannot contain anything else. */
VARVE_API varve_status varve_saver_add_under(varve_saver *saver,
    const char *prefix, varve_node *node, varve_error *error) VARVE_MUST_CHECK;

/* Adds each variable and state that is currently below a node, under its own
 * name.
 *
 * The name is the global name, or else the path from `node`, of up to 4095
 * bytes (otherwise VARVE_LIMIT). Nodes tagged VARVE_TAG_LOCAL are left out.
 * Nodes below a state are saved with the state and have no name of their
 * own. */
VARVE_API varve_status varve_saver_add_named(
    varve_saver *saver, varve_node *node, varve_error *error) VARVE_MUST_CHECK;

/* --- Saving ------------------------------------------------------------- */

/* Options of a save. All zero is the safe default, and NULL is the same. */
typedef struct varve_saver_save_options {
    bool has_step;                    /* `step` is part of the file name */
    uint64_t step;                    /* number in the file name */
    bool pad_step;                    /* pad the step to 8 digits with zeros */
    const varve_write_options *write; /* options of the write; NULL: default */
    varve_reserved reserved;
} varve_saver_save_options;

/* Writes the variables to `prefix-STEP.varve`, or to `prefix.varve` without a
 * step.
 *
 * The file is written as by varve_write, in Varve's own format, and
 * varve_saver_latest returns its path then. A file of the same name is replaced
 * and moves to the end of the list. When the new file is on disk, the oldest
 * files of the list are deleted until `keep` are left. A save with `no_sync`
 * deletes nothing. Only files that are or were in the list are deleted.
 *
 * If a file cannot be deleted, the save still succeeds: varve_saver_warning
 * returns the reason, and the next save tries again. Errors are those of
 * varve_write. Collective. */
VARVE_API varve_status varve_saver_save(varve_saver *saver, const char *prefix,
    const varve_saver_save_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* Waits for the pending asynchronous save.
 *
 * With `async` a save returns as soon as the values are copied;
 * `async.zero_copy` has no effect. At most one save is pending: the next save
 * waits for it, as do restore, set_list, recover and varve_saver_free. After
 * that the file is in the list, and old files are deleted.
 *
 * Returns the error of the pending save, which otherwise the next save returns.
 * Returns VARVE_OK if no save is pending. With several processes call it on all
 * ranks or on none. */
VARVE_API varve_status varve_saver_wait(
    varve_saver *saver, varve_error *error) VARVE_MUST_CHECK;

/* Returns a warning of the last save about files that were not deleted, in one
 * line, or NULL if there is none.
 *
 * The warning names a file that could not be deleted, or a directory that could
 * not be synced after a deletion, so that a power cut may bring the file back
 * damaged. Files that are leased or pinned cause no warning. With `async` the
 * call that waits for the save deletes the files; varve_saver_free loses the
 * warning. With several processes only rank 0 has warnings. The string is valid
 * until the next save. */
VARVE_API const char *varve_saver_warning(const varve_saver *saver);

/* Returns the number of files in the list of a saver. */
VARVE_API size_t varve_saver_count(const varve_saver *saver);

/* Returns the path of a file in the list, or NULL if `index` is past the end.
 * Index 0 is the oldest file. The string is valid until the list changes. */
VARVE_API const char *varve_saver_at(const varve_saver *saver, size_t index);

/* Returns the path of the newest file in the list, or NULL if it is empty. */
VARVE_API const char *varve_saver_latest(const varve_saver *saver);

/* Replaces the list by `paths`, ordered from the oldest to the newest file.
 *
 * Use it after a restart of the program. Files that do not exist are left out.
 * The modification times of the files are used for `keep_every_hours`.
 * Collective. */
VARVE_API varve_status varve_saver_set_list(varve_saver *saver,
    const char *const *paths, size_t count,
    varve_error *error) VARVE_MUST_CHECK;

/* Replaces the list by the existing files `prefix.varve` and `prefix-N.varve`.
 *
 * They are ordered by modification time, and files with equal times by number.
 * The directory is listed until two listings agree. Collective.
 *
 * - Returns VARVE_IO if no two listings agree. The list is unchanged then. */
VARVE_API varve_status varve_saver_recover(varve_saver *saver,
    const char *prefix, varve_error *error) VARVE_MUST_CHECK;

/* --- Restoring ---------------------------------------------------------- */

/* Restores the variables of the map from a file.
 *
 *     if (varve_saver_restore(saver, "run/model", NULL, NULL, &error))
 *         fprintf(stderr, "%s\n", error.message);
 *
 * `path` is a file, with or without its suffix, or a prefix. For a prefix the
 * file with the highest step is read. Values in the file that are not in the
 * map are ignored.
 *
 * If `restoration` is not NULL, it is set to a restoration. Free it with
 * varve_restoration_free. It is set to NULL on failure, and if an empty map
 * restores nothing.
 *
 * Fails as varve_read does, and:
 *
 * - Returns VARVE_UNMATCHED if the file lacks a name, unless `expect.missing`
 *   permits that ("**" permits all). The message has all such names, and
 *   nothing has changed.
 *
 * Collective. */
VARVE_API varve_status varve_saver_restore(varve_saver *saver, const char *path,
    const varve_read_options *options, varve_restoration **restoration,
    varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
