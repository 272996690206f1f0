/* restoration.h - Inspects, completes and verifies the result of a read.
 *
 *     varve_restoration *r = varve_read(root, "model.varve", NULL, &error);
 *     ... build the rest of the program; pending values are delivered ...
 *     if (varve_assert_consumed(r, &error))
 *         fprintf(stderr, "%s\n", error.message);
 *     varve_restoration_free(r);
 *
 * A restoration belongs to the thread that uses its graph.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_RESTORATION_H
#define VARVE_RESTORATION_H

#include <varve/checkpoint.h>
#include <varve/tensor.h>
#include <varve/variable.h>

VARVE_BEGIN_DECLS

/* A function that takes an `error` fails if its restoration is NULL. If `error`
 * already contains a failure, the function keeps it and returns its status, so
 * that `varve_assert_consumed(varve_read(..., &error), &error)` returns the
 * error of the read. Otherwise it returns VARVE_MISUSE. Initialize `error`
 * (`varve_error error = { 0 };`) unless the previous call fills it. */

/* --- The handle --------------------------------------------------------- */

/* Frees a restoration and closes its files.
 *
 * Values that are still pending are dropped. Values that were delivered stay.
 * The call has no effect on NULL and on the restoration of a manager
 * (varve_manager_restoration). */
VARVE_API void varve_restoration_free(varve_restoration *restoration);

/* Returns the path of the file that was read. The string is valid until the
 * restoration is freed. */
VARVE_API const char *varve_restoration_path(
    const varve_restoration *restoration);

/* Returns the save counter in the file, or 0 for a file of varve_write. */
VARVE_API uint64_t varve_restoration_counter(
    const varve_restoration *restoration);

/* Returns in how many passes the delivered values were read.
 *
 * The result is VARVE_ONE_PASS, VARVE_TWO_PASSES if some values were verified
 * before they were read again, or VARVE_PASSES_AUTO if no value was
 * delivered. */
VARVE_API varve_passes varve_restoration_passes(
    const varve_restoration *restoration);

/* Returns the metadata value `name` of the file, or NULL if there is none. It
 * is valid until the restoration is freed. */
VARVE_API const varve_metadata *varve_restoration_metadata(
    const varve_restoration *restoration, const char *name);

/* --- Pending values ----------------------------------------------------- */

/* Returns the type and shape of the value that is pending for a child that
 * `parent` does not have yet.
 *
 * For a list, pass VARVE_APPEND to get that of the next element. If several
 * restorations are open, the newest one with such a value is used. The `data`
 * of the result is NULL. Returns NULL if no value is pending. The result is
 * valid until that restoration is freed. */
VARVE_API const varve_tensor *varve_pending(
    varve_node *parent, const char *name);

/* Returns the type and shape of the value that is pending for a slot variable
 * that does not exist yet. The result is like that of varve_pending. */
VARVE_API const varve_tensor *varve_pending_slot(
    varve_node *owner, varve_node *variable, const char *name);

/* Adds a library-owned variable with the shape of the value that is pending for
 * it.
 *
 * If no value is pending, the variable has the shape `shape`. Otherwise the
 * function is like varve_add_allocated_variable. Use it for values whose size
 * is determined at run time, such as tables and replay buffers. */
VARVE_API varve_node *varve_add_variable_as_saved(varve_node *parent,
    const char *name, varve_dtype dtype, varve_shape shape,
    varve_initializer *initializer, void *user);

/* Returns the number of values in the file that are pending. */
VARVE_API size_t varve_pending_count(const varve_restoration *restoration);

/* Drops pending values, so that they are not delivered any more.
 *
 * `pattern` contains patterns of file paths, as in varve_read_options; NULL
 * drops all values. Dropped values count as expected. Saved objects without
 * values that match the pattern are dropped too and cause no mismatch later. A
 * library-owned variable whose value could not be delivered is initialized
 * instead. */
VARVE_API varve_status varve_drop_pending(
    varve_restoration *restoration, const char *pattern, varve_error *error);

/* Tries again to deliver values whose delivery to a node that was added later
 * has failed, for example after an input error or after a mismatch was fixed.
 *
 * Returns VARVE_OK if no such value is left. */
VARVE_API varve_status varve_restoration_retry(
    varve_restoration *restoration, varve_error *error) VARVE_MUST_CHECK;

/* Restores the values of `node`, its slots and everything below them again.
 *
 * A restoration delivers each value once. It does not change a node that is
 * replaced, removed and added again, or appended to a list that had become
 * shorter. This function restores such nodes. It also restores values that were
 * dropped or did not match. It does not restore:
 *
 * - values that a later restoration has delivered,
 * - values that the options leave out,
 * - pending values.
 *
 * varve_find_path returns the node of a path. Either all values are restored or
 * nothing changes.
 *
 * - Fails as varve_read does.
 * - Returns VARVE_NO_MEMORY also if an earlier addition ran out of memory and
 *   varve_restoration_retry was not called since.
 * - Returns VARVE_MISUSE if `node` is not a node of the graph that was
 *   restored, for a dry run, and from within a callback. */
VARVE_API varve_status varve_restore_again(varve_restoration *restoration,
    varve_node *node, varve_error *error) VARVE_MUST_CHECK;

/* Verifies the checksums of all values that were delivered, by reading the file
 * again. Use it for mapped variables (`map`) and after a read with
 * `no_verify`. */
VARVE_API varve_status varve_restoration_verify(
    varve_restoration *restoration, varve_error *error) VARVE_MUST_CHECK;

/* --- Assertions --------------------------------------------------------- */

/* Each assertion checks the state at the time of the call. If it does not hold,
 * it returns VARVE_UNMATCHED, and the message names as many of the paths that
 * did not match as it has room for. The report lists all of them. The message
 * begins with parts of a file that the reader left out
 * (varve_reader_left_out_at), which alone fail no assertion.
 *
 * Assertions ignore:
 *
 * - objects without values,
 * - paths that match `expect.missing` or `expect.unexpected`,
 * - names that the program has retired (varve_retire),
 * - variables tagged VARVE_TAG_LOCAL,
 * - variables tagged VARVE_TAG_LATER that the file lacks. */

/* Checks that the file and the program match completely.
 *
 *     if (varve_assert_consumed(restoration, &error))
 *         fprintf(stderr, "%s\n", error.message);
 *
 * This is the case if all values in the file are used, each pattern of `only`
 * matches a path, and varve_assert_existing_objects_matched holds. Call it when
 * the graph is complete. */
VARVE_API varve_status varve_assert_consumed(
    varve_restoration *restoration, varve_error *error) VARVE_MUST_CHECK;

/* Checks that all variables and states in the program have been restored, by
 * this restoration or a later one. The file may contain more. */
VARVE_API varve_status varve_assert_existing_objects_matched(
    varve_restoration *restoration, varve_error *error) VARVE_MUST_CHECK;

/* Checks that at least one node besides the root matched. If `only` is set, it
 * must also select at least one value, and each of its patterns must match. */
VARVE_API varve_status varve_assert_nontrivial_match(
    varve_restoration *restoration, varve_error *error) VARVE_MUST_CHECK;

/* --- The report --------------------------------------------------------- */

/* The kinds of findings. A report has a list for each kind. */
typedef enum varve_finding_kind {
    /* The value was restored. The node may have been removed since. */
    VARVE_FINDING_MATCHED = 0,
    /* The value is in the file, and the program has no variable for it yet. */
    VARVE_FINDING_PENDING = 1,
    /* The value is in the file and is not pending. */
    VARVE_FINDING_UNEXPECTED = 2,
    /* A variable or state of the program that the file lacks, or whose value
     * was delivered to an earlier node. */
    VARVE_FINDING_MISSING = 3,
    /* The file and the program have the path, but type, shape or kind differ,
     * or another node received the value. Also each rename and pattern that
     * matched nothing, with its path; these findings are expected. */
    VARVE_FINDING_MISMATCHED = 4,
    /* The value is damaged or cannot be read, and `salvage.on` has left it out.
     * `reason` contains the location. */
    VARVE_FINDING_DAMAGED = 5
} varve_finding_kind;

/* The number of finding kinds. They are numbered from 0. */
#define VARVE_FINDING_KINDS 6

/* One finding of a report. The strings are valid as long as the report. */
typedef struct varve_finding {
    varve_finding_kind kind;  /* the list that contains the finding */
    const char *program_path; /* path in the program; NULL: none. A path of more
                                 than 4095 bytes is shortened to "..." and its
                                 end */
    const char *file_path;    /* path in the file; NULL: none. Shortened like
                                 `program_path` */
    varve_tensor saved;       /* type and shape in the file; `rank` and `dtype`
                                 are 0 if there is none */
    varve_tensor wanted;      /* type and shape in the program; likewise */
    uint64_t size;            /* bytes of the value in the file */
    uint64_t offset;          /* offset of the value in the file, in bytes */
    const char *reason;       /* short explanation; "" if none is needed */
    const char *nearest;      /* the path of the other side that was probably
                                 meant, in the form that a rename takes:
                                 `program_path -> nearest` or
                                 `nearest -> file_path`. If only the beginning
                                 of that path exists on the other side,
                                 `nearest` is this beginning. NULL: none, or
                                 longer than 4095 bytes */
    bool cast;                /* the element type was converted */
    uint64_t inexact;         /* number of elements that the conversion could
                                 not keep exactly */
    bool expected;            /* assertions ignore the finding */
    const char *option;       /* name of the option that contains the pattern,
                                 such as "only", if a pattern matched nothing;
                                 NULL: another finding */
    varve_reserved reserved;
} varve_finding;

/* Creates a report of the current state of a restoration. Free it with
 * varve_report_free. Returns NULL on failure. */
VARVE_API varve_report *varve_report_new(
    varve_restoration *restoration, varve_error *error) VARVE_MUST_CHECK;

/* Frees a report. Takes NULL. */
VARVE_API void varve_report_free(varve_report *report);

/* Called for a finding, which is borrowed for the call. Return VARVE_OK to
 * continue. */
typedef varve_status varve_on_finding(void *user, const varve_finding *finding);

/* Returns the current number of findings of a kind, or SIZE_MAX if memory is
 * exhausted. Each call compares the whole file with the whole program; use a
 * report to make several queries. */
VARVE_API size_t varve_finding_count(
    varve_restoration *restoration, varve_finding_kind kind);

/* Calls `visit` for each current finding of a kind.
 *
 * If `visit` returns anything but VARVE_OK, the function stops and returns that
 * status. Like varve_finding_count it compares the whole file with the whole
 * program. */
VARVE_API varve_status varve_each_finding(varve_restoration *restoration,
    varve_finding_kind kind, varve_on_finding *visit, void *user,
    varve_error *error);

/* Returns the number of findings of a kind in a report. */
VARVE_API size_t varve_report_count(
    const varve_report *report, varve_finding_kind kind);

/* Copies a finding to `*finding`.
 *
 * `index` counts from 0 within the list of the kind, in the order of the file
 * or of the program. Returns false if `index` is past the end. */
VARVE_API bool varve_report_at(const varve_report *report,
    varve_finding_kind kind, size_t index, varve_finding *finding);

/* Returns the report as text for people.
 *
 * The first line has the counts. A line follows for each finding, except for
 * values that were restored from the same path without conversion. The parts
 * that the reader left out are at the end. The text ends with a newline and is
 * valid until the report is freed. */
VARVE_API const char *varve_report_text(const varve_report *report);

/* Returns the report as JSON in ASCII.
 *
 * docs/schemas/varve.report-1.json is its schema. `varve graph --html --notes`
 * displays it. The text is valid until the report is freed. Returns NULL on
 * failure. */
VARVE_API const char *varve_report_json(
    varve_report *report, varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
