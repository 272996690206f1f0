/* saver.h - variables saved and restored by name.
 *
 * A saver is a flat map from names to nodes of one graph: any subset, under
 * names that need not be their paths. Its files are ordinary ones, in which
 * "model/dense/kernel" is the path of a variable, so that they can be read into
 * a graph of objects, and a file of a graph by a saver: by path, or by the
 * variables' global names (varve_set_global_name).
 *
 * Several savers may name the same variables. A variable that a saver names
 * stays in the graph until the saver is freed or the variable itself is removed
 * with varve_remove, which takes it out of the map.
 *
 * Of many processes (`comm` in the options) each rank makes a saver with the
 * same options, and all of them make these calls in the same order: new, save,
 * set_list, recover, restore. Each gets the same status and message, and has
 * the same list. Rank 0 alone looks for files and deletes; data are saved and
 * restored as by varve_write_all and varve_read_all (collective.h). All else is
 * a rank's own, varve_saver_free too.
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

/* All zero is the safe default; NULL stands for that. */
typedef struct varve_saver_options {
    size_t keep;             /* how many of its last files stay; 0: all */
    double keep_every_hours; /* a file that would go stays for good if it was
                                made so long after the last one that stayed so,
                                or after the saver; 0: none does */
    bool allow_empty;        /* an empty map saves and restores nothing, instead
                                of being a mistake */
    bool async;              /* saves go on in the background (job.h); with a
                                `comm` that can be duplicated (comm.h) */
    const varve_comm *comm;  /* of many processes; NULL: this one alone.
                                Borrowed as long as the saver lives */
    varve_reserved reserved;
} varve_saver_options;

/* A saver with an empty map. NULL on failure, which may be the graph's first
 * mistake. The graph may end before its savers. */
VARVE_API varve_saver *varve_saver_new(varve_graph *graph,
    const varve_saver_options *options, varve_error *error) VARVE_MUST_CHECK;

/* The files stay, and so do the variables. A restoration of the saver that is
 * still open loses its program, as if that had been removed. What is in flight
 * comes to its end; what it failed with and nobody was told, the next save of
 * the graph tells: where there is none, call varve_saver_wait before. */
VARVE_API void varve_saver_free(varve_saver *saver);

/* --- The map ------------------------------------------------------------ */

/* Each fails with VARVE_DUPLICATE where a name is taken, or where a variable or
 * state has a name already, with both paths; with VARVE_BAD_NAME where a name
 * is not UTF-8 of 1 to VARVE_MAX_NAME_SIZE bytes; and then the map is as it
 * was. A name is a path of parts joined by '/'; where one of them is empty, as
 * in "/a" or "a//b", the whole is a single edge. */

/* Names a node: a variable, a state, or an object with all that is below it. */
VARVE_API varve_status varve_saver_add(varve_saver *saver, const char *name,
    varve_node *node, varve_error *error) VARVE_MUST_CHECK;

/* Names all that is below a node by `prefix` and its path, what is added later
 * too; slot variables are slots. "" or NULL as the prefix: by the path alone,
 * and then nothing else can be in the map. */
VARVE_API varve_status varve_saver_add_under(varve_saver *saver,
    const char *prefix, varve_node *node, varve_error *error) VARVE_MUST_CHECK;

/* Names each variable and state that is now below a node, but for those tagged
 * VARVE_TAG_LOCAL, by its own global name, or else by its path from there, of
 * up to 4095 bytes (VARVE_LIMIT). What is below a state goes with it. */
VARVE_API varve_status varve_saver_add_named(
    varve_saver *saver, varve_node *node, varve_error *error) VARVE_MUST_CHECK;

/* --- Saving ------------------------------------------------------------- */

/* All zero is the safe default; NULL stands for that. */
typedef struct varve_saver_save_options {
    bool has_step; /* `step` is in the name of the file */
    uint64_t step;
    bool pad_step; /* to 8 digits, with zeros */
    const varve_write_options *write;
    varve_reserved reserved;
} varve_saver_save_options;

/* Writes `prefix-STEP.varve`, or `prefix.varve` without a step, by the rules of
 * varve_write, in Varve's own format; varve_saver_latest is its path then. A
 * file of that name is replaced, and moves to the end of the list. Once the new
 * file is on disk the oldest of the list are deleted, down to `keep`; a save
 * with `no_sync` deletes nothing. A file that cannot be deleted does not fail
 * the save: varve_saver_warning returns the reason, and the next save tries
 * again. Only what is or was in the list is ever deleted. */
VARVE_API varve_status varve_saver_save(varve_saver *saver, const char *prefix,
    const varve_saver_save_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* With `async` a save returns as soon as the values are copied (whatever
 * `async.zero_copy` says). One is in flight at a time: the next save waits
 * for it, as do a restore, a new list and the end of the saver; then it is in
 * the list, and others are deleted. One that failed is told by the next save,
 * or by this, at all ranks of many or at none: waits for what is in flight.
 * VARVE_OK where all went well, or nothing was. */
VARVE_API varve_status varve_saver_wait(
    varve_saver *saver, varve_error *error) VARVE_MUST_CHECK;

/* The failure of a deletion after the last save, in one line: a file or a layer
 * that could not be deleted, or a directory whose sync failed after a file was
 * deleted from it, so that a power cut may bring the file back damaged. NULL:
 * none. A file that is leased or pinned stays without a warning. With `async`
 * the deletions are made by the call that waits for the save, and a saver that
 * is freed first has lost the warning. Of many processes rank 0 deletes, and
 * the others have no warning. Valid until the next save. */
VARVE_API const char *varve_saver_warning(const varve_saver *saver);

/* The saver's files, oldest first; NULL past the end. Valid until the list
 * changes. */
VARVE_API size_t varve_saver_count(const varve_saver *saver);
VARVE_API const char *varve_saver_at(const varve_saver *saver, size_t index);

/* The path of the last one, or NULL. */
VARVE_API const char *varve_saver_latest(const varve_saver *saver);

/* Makes these files the list, oldest first, as after a new start of the
 * program; those that are not there are left out. The times that they were
 * written at count for `keep_every_hours`. */
VARVE_API varve_status varve_saver_set_list(varve_saver *saver,
    const char *const *paths, size_t count,
    varve_error *error) VARVE_MUST_CHECK;

/* Makes the files of a prefix the list: `prefix.varve` and `prefix-N.varve`, in
 * the order in which they were written; files with equal times are ordered by
 * number. The directory is listed until two listings agree. If none do, the
 * call fails with VARVE_IO and the list stays as it was. */
VARVE_API varve_status varve_saver_recover(varve_saver *saver,
    const char *prefix, varve_error *error) VARVE_MUST_CHECK;

/* --- Restoring ---------------------------------------------------------- */

/* Reads `path` if it is a file, with or without its suffix; else, taking it as
 * a prefix, the file of the highest step. By the rules of varve_read, but for
 * this: names that the file lacks are VARVE_UNMATCHED, all of them in one
 * message, unless they are expected by `expect.missing` ("**" excuses all), and
 * then nothing has changed. What the file has beyond the map is of no interest.
 *
 * `restoration` may be NULL. Else it is set to an ordinary restoration, to be
 * freed; to NULL on failure, and where an empty map restores nothing. */
VARVE_API varve_status varve_saver_restore(varve_saver *saver, const char *path,
    const varve_read_options *options, varve_restoration **restoration,
    varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
