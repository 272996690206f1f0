/* restoration.h - what a read did, what still waits, and whether it is whole.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_RESTORATION_H
#define VARVE_RESTORATION_H

#include <varve/checkpoint.h>
#include <varve/tensor.h>
#include <varve/variable.h>

VARVE_BEGIN_DECLS

/* A call that takes an `error` and is given NULL for its restoration fails. If
 * `error` holds a failure already, that failure stays and its status is
 * returned: `varve_assert_consumed(varve_read(..., &error), &error)` reports
 * why the read failed. Else it is VARVE_MISUSE. So `error` has to be
 * initialized there (`varve_error error = { 0 };`), or filled by the call
 * before. */

/* --- The handle --------------------------------------------------------- */

/* Ends it: nothing waits any more, and what it has of a checkpoint, or a plan
 * has, is closed: its file, of several each that holds data. Values that
 * arrived stay. One that is lent (varve_manager_restoration) is not ended by
 * this. */
VARVE_API void varve_restoration_free(varve_restoration *restoration);

/* The file that was read. */
VARVE_API const char *varve_restoration_path(
    const varve_restoration *restoration);

/* The save counter in the file; 0 for a file of varve_write. */
VARVE_API uint64_t varve_restoration_counter(
    const varve_restoration *restoration);

/* How often the values that have come were read, where options leave that to
 * the library: VARVE_ONE_PASS, or VARVE_TWO_PASSES where some were verified
 * before they were read again. VARVE_PASSES_AUTO: none has come. */
VARVE_API varve_passes varve_restoration_passes(
    const varve_restoration *restoration);

/* Metadata of the file by name, or NULL. */
VARVE_API const varve_metadata *varve_restoration_metadata(
    const varve_restoration *restoration, const char *name);

/* --- Pending values ----------------------------------------------------- */

/* Type and shape (data is NULL) of the value that waits for an edge which
 * `parent` does not have yet (of a list, VARVE_APPEND is its next position), in
 * the newest open restoration that has one; NULL if none does. Valid until that
 * restoration is freed. */
VARVE_API const varve_tensor *varve_pending(
    varve_node *parent, const char *name);

/* The same for a slot that is not made yet. */
VARVE_API const varve_tensor *varve_pending_slot(
    varve_node *owner, varve_node *variable, const char *name);

/* varve_add_allocated_variable of the shape of the value that waits for it, as
 * varve_pending tells it; of `shape` where none does. For what a run makes as
 * large as it needs, such as an order, a table or a replay buffer. */
VARVE_API varve_node *varve_add_variable_as_saved(varve_node *parent,
    const char *name, varve_dtype dtype, varve_shape shape,
    varve_initializer *initializer, void *user);

/* How many values of the file wait for a home. */
VARVE_API size_t varve_pending_count(const varve_restoration *restoration);

/* Gives up values that wait, by patterns of file paths as in
 * varve_read_options; NULL: all of them. They count as expected. A
 * library-owned variable whose value could not be delivered is initialized
 * instead. What the file has without a value does not matter there any more,
 * whatever the program has or gets in its place. */
VARVE_API varve_status varve_drop_pending(
    varve_restoration *restoration, const char *pattern, varve_error *error);

/* Delivers again what failed to arrive at a node that was added later, as after
 * an input error or a mismatch that has been mended. VARVE_OK when nothing of
 * that kind is left. */
VARVE_API varve_status varve_restoration_retry(
    varve_restoration *restoration, varve_error *error) VARVE_MUST_CHECK;

/* A value is delivered once: a node that is replaced, removed and added again,
 * or appended to a list that had shrunk is left as the program made it. This
 * asks for the values of `node`, and of all that is below it with its slots,
 * once more, as one transaction; also for what was dropped or did not fit. Not
 * delivered again is what a later restoration has given, what the options leave
 * out, and what waits. A path is given by varve_find_path.
 *
 * Fails as a read does, and then all is as it was; with VARVE_NO_MEMORY also
 * where memory ended while something was added, and nothing has been retried
 * since; VARVE_MISUSE without a node of the program that was restored, of a
 * plan, or from within a callback. */
VARVE_API varve_status varve_restore_again(varve_restoration *restoration,
    varve_node *node, varve_error *error) VARVE_MUST_CHECK;

/* Checks the digests of all values of the file that have arrived, by reading
 * the file again: for mapped variables and `no_verify`. */
VARVE_API varve_status varve_restoration_verify(
    varve_restoration *restoration, varve_error *error) VARVE_MUST_CHECK;

/* --- Assertions --------------------------------------------------------- */

/* Each holds or fails at the time of the call, with VARVE_UNMATCHED and a
 * message that names every path that did not match, as far as it has room; the
 * report has them all. Parts that the reader left out
 * (varve_reader_left_out_at) stand before the paths; they alone fail no
 * assertion. Objects without values carry no obligation, nor do expected
 * patterns, names that the program has retired (varve_retire), variables tagged
 * VARVE_TAG_LOCAL, and those tagged VARVE_TAG_LATER that the file lacks. */

/* Everything in the file found a home, `only` leaves something to restore, and
 * varve_assert_existing_objects_matched holds. */
VARVE_API varve_status varve_assert_consumed(
    varve_restoration *restoration, varve_error *error) VARVE_MUST_CHECK;

/* Everything that the program has now and that has a value was restored, by
 * this restoration or a later one. */
VARVE_API varve_status varve_assert_existing_objects_matched(
    varve_restoration *restoration, varve_error *error) VARVE_MUST_CHECK;

/* Something besides the root matched, and `only`, if it is given, leaves
 * something to restore. */
VARVE_API varve_status varve_assert_nontrivial_match(
    varve_restoration *restoration, varve_error *error) VARVE_MUST_CHECK;

/* --- The report --------------------------------------------------------- */

/* The six lists of a report. */
typedef enum varve_finding_kind {
    VARVE_FINDING_MATCHED = 0,    /* has its value from the file; or had, and is
                             gone */
    VARVE_FINDING_PENDING = 1,    /* in the file, waits for an edge of the
                             program */
    VARVE_FINDING_UNEXPECTED = 2, /* in the file, and nothing waits for it */
    VARVE_FINDING_MISSING = 3,    /* a variable or state that the file lacks, or
                                     whose value went to an earlier node */
    VARVE_FINDING_MISMATCHED = 4, /* both have it, but it does not fit, or
                             another node has claimed it; also, expected, each
                             rename and pattern that matched nothing, as
                             the path of the side that it is of */
    VARVE_FINDING_DAMAGED = 5     /* in the file, but damaged or not to be read,
                             and left out by `salvage.on`; the reason says
                             where */
} varve_finding_kind;

/* How many lists there are; their numbers run from 0. */
#define VARVE_FINDING_KINDS 6

/* One finding. Strings are the report's. */
typedef struct varve_finding {
    varve_finding_kind kind;
    const char *program_path; /* NULL where the program has none; a path longer
                                 than 4095 bytes: "..." and its end */
    const char *file_path;    /* NULL where the file has none; likewise */
    varve_tensor saved;       /* type and shape in the file (rank 0 and dtype 0
                                 where there is none) */
    varve_tensor wanted;      /* type and shape in the program, likewise */
    uint64_t size;            /* bytes in the file */
    uint64_t offset;          /* where they begin in the file */
    const char *reason;       /* why, in a few words; "" where all is plain */
    const char *nearest;      /* the likeliest path of the other side, as a
                                 rename takes it: `program_path -> nearest` or
                                 `nearest -> file_path`; where less of it is
                                 there, as much as is; NULL: none, or longer
                                 than 4095 bytes */
    bool cast;                /* its element type was converted */
    uint64_t inexact;         /* values that a cast could not keep exactly */
    bool expected;            /* no assertion minds */
    const char *option;       /* of a pattern that matched nothing: the option
                                 that has it, as "only"; NULL: of anything
                                 else */
    varve_reserved reserved;
} varve_finding;

/* The state of a restoration at this moment. NULL on failure. */
VARVE_API varve_report *varve_report_new(
    varve_restoration *restoration, varve_error *error) VARVE_MUST_CHECK;
VARVE_API void varve_report_free(varve_report *report);

/* Without a report to keep: how many findings of a kind there are now (SIZE_MAX
 * without memory), and each of them, borrowed for the call; anything but
 * VARVE_OK ends it and is returned. Each call looks at all of the file and of
 * the program. */
typedef varve_status varve_on_finding(void *user, const varve_finding *finding);
VARVE_API size_t varve_finding_count(
    varve_restoration *restoration, varve_finding_kind kind);
VARVE_API varve_status varve_each_finding(varve_restoration *restoration,
    varve_finding_kind kind, varve_on_finding *visit, void *user,
    varve_error *error);

/* How many findings a list has. */
VARVE_API size_t varve_report_count(
    const varve_report *report, varve_finding_kind kind);

/* Fills in a finding by its position in its list, in the order of the file or
 * of the program; false past the end. */
VARVE_API bool varve_report_at(const varve_report *report,
    varve_finding_kind kind, size_t index, varve_finding *finding);

/* All of it for people: a line that counts, then a line for each finding, but
 * for values that were simply taken from the same path; at the end the parts
 * that the reader left out. The report's; ends with a newline. */
VARVE_API const char *varve_report_text(const varve_report *report);

/* All of it for programs, in ASCII: JSON as docs/schemas/varve.report-1.json
 * says, of which `varve graph --html --notes` makes a page. The report's; NULL
 * on failure. */
VARVE_API const char *varve_report_json(
    varve_report *report, varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
