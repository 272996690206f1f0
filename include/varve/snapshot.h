/* snapshot.h - values kept in memory, to accept or reject a move.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_SNAPSHOT_H
#define VARVE_SNAPSHOT_H

#include <varve/checkpoint.h>
#include <varve/error.h>
#include <varve/tensor.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* --- One ---------------------------------------------------------------- */

/* All zero is the safe default; NULL stands for that. Patterns are those of
 * varve_read_options, of paths from the snapshot's root. */
typedef struct varve_snapshot_options {
    const char *except; /* patterns: these are neither taken nor put back */
    bool no_random;     /* nor are random streams (VARVE_TAG_RANDOM), so that
                           what is tried next is something else */
    bool track;         /* copy only what was written since: see below */
    const char *tag;    /* only values that have this tag (varve_tag), or an
                           edge from an object that has it; NULL: all */
    void *reserved[7];
} varve_snapshot_options;

/* Copies the value of every variable and state reachable from `root`, `local`
 * ones included. NULL on failure. */
VARVE_API varve_snapshot *varve_snapshot_new(
    varve_node *root, varve_error *error) VARVE_MUST_CHECK;
VARVE_API varve_snapshot *varve_snapshot_new_with(varve_node *root,
    const varve_snapshot_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Copies them anew: the present is what the snapshot holds from now on. Where
 * no strings or states have grown, nothing is allocated. After a failure it
 * holds what it held before. */
VARVE_API varve_status varve_snapshot_retake(
    varve_snapshot *snapshot, varve_error *error) VARVE_MUST_CHECK;

/* With `track`, retaking and restoring copy only those pages of large values
 * (256 KiB and more) that were written since, where the machine tells (Linux
 * 6.11, and no container that forbids userfaultfd); else all, as without it.
 * Of 512 MiB of which 1 page in 100 was written a retake then takes 4 ms
 * instead of 37. In return the program's first write to a page after each takes
 * 1 to 2 microseconds, and breaks up a huge page. A value of which more than a
 * quarter was written is copied whole for a while and costs nothing then. So
 * this is for what is written little: embeddings, frozen layers, tables. Not
 * seen is what a device writes by itself: memory that is registered with one is
 * not for it. The graph keeps a descriptor for it, to its end. */

typedef struct varve_snapshot_restore_options {
    bool keep_random; /* random streams go on from where they are now */
    varve_reserved reserved;
} varve_snapshot_restore_options;

/* Puts them back. Nothing is allocated, unless strings were restored from a
 * file since. */
VARVE_API varve_status varve_snapshot_restore(
    varve_snapshot *snapshot, varve_error *error) VARVE_MUST_CHECK;
VARVE_API varve_status varve_snapshot_restore_with(varve_snapshot *snapshot,
    const varve_snapshot_restore_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* All of these, and those below, fail with VARVE_MISMATCH and change nothing
 * when variables or states were added, removed, replaced or given another
 * element type (varve_retype) since the snapshot was made, or the graph was
 * freed. A variable that was rebound gets its value where its memory is now. A
 * state whose load callback fails gives VARVE_CALLBACK, or VARVE_NO_MEMORY; the
 * variables are back by then. */

/* The value that the snapshot has of the variable or state at a path, which is
 * written as for varve_find_path, from the snapshot's root: so a program sees a
 * value of before without putting it back. `value` has the type and shape, and
 * its data point into the snapshot: elements row-major without gaps, of a state
 * its bytes (uint8). They are read only, and valid until the snapshot is
 * retaken, read, restored or freed. VARVE_NOT_FOUND where the program has no
 * such value, or the options leave it out. The snapshots of a ring are had by
 * varve_ring_at, values of a checkpoint by varve_reader_read. */
VARVE_API varve_status varve_snapshot_value(varve_snapshot *snapshot,
    const char *path, varve_tensor *value, varve_error *error) VARVE_MUST_CHECK;

/* Frees it and the values that it has. Takes NULL. */
VARVE_API void varve_snapshot_free(varve_snapshot *snapshot);

/* --- What differs ------------------------------------------------------- */

/* A variable or state whose value is not the same. */
typedef struct varve_difference {
    const char *path; /* from the snapshot's root; borrowed for the call */
    varve_node *node;
    uint64_t count; /* elements that differ; of a state, bytes */
    uint64_t first; /* index of the first of them, row-major */
    double largest; /* the largest |a - b| of numbers, of complex ones of a
                       part; infinite where one of two is not finite; 0 for
                       strings and states */
} varve_difference;

/* Anything but VARVE_OK ends the comparison. */
typedef varve_status varve_on_difference(
    void *user, const varve_difference *difference);

/* Compares two snapshots of one graph, or, where `b` is NULL, a snapshot with
 * the present, in the order of a file. Elements are the same when their bits
 * are: so NaN is, and 0 and -0 are not. Where the two were made with different
 * options, what only one of them has is passed over. Returns what ended it
 * early. */
VARVE_API varve_status varve_snapshot_diff(varve_snapshot *a, varve_snapshot *b,
    varve_on_difference *visit, void *user,
    varve_error *error) VARVE_MUST_CHECK;

/* --- To a file and back ------------------------------------------------- */

/* Writes the file that varve_write would have written when the snapshot was
 * taken, byte for byte. What the snapshot has left out by its options is
 * written as it is now. Fails as varve_write does, and with VARVE_MISUSE for
 * `increment.only_dirty` and `increment.track`: all values are looked at. */
VARVE_API varve_status varve_snapshot_write(varve_snapshot *snapshot,
    const char *path, const varve_write_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* Reads a file into the snapshot; the program is as it was until it is
 * restored. Values that the file lacks stay as the snapshot has them. Fails as
 * varve_read does, and then the snapshot holds what it held before, whatever
 * `passes` says. VARVE_MISUSE for `map` and `expect`, which need a restoration
 * that is kept. */
VARVE_API varve_status varve_snapshot_read(varve_snapshot *snapshot,
    const char *path, const varve_read_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* --- The last few ------------------------------------------------------- */

/* Room for `count` snapshots (1 or more) of `root`; empty at first. `options`
 * may be NULL. */
VARVE_API varve_ring *varve_ring_new(varve_node *root, size_t count,
    const varve_snapshot_options *options, varve_error *error) VARVE_MUST_CHECK;
VARVE_API void varve_ring_free(varve_ring *ring);

/* Takes the present as the newest. The oldest gives way once the ring is full,
 * and from then on nothing is allocated, but where the program has other
 * variables than the oldest. After a failure the ring is as it was. */
VARVE_API varve_status varve_ring_push(
    varve_ring *ring, varve_error *error) VARVE_MUST_CHECK;

/* Restores the one that is `back` places behind the newest (0: the newest
 * itself), which is the newest then: those after it are dropped.
 * VARVE_NOT_FOUND where the ring does not go back so far. */
VARVE_API varve_status varve_ring_rollback(
    varve_ring *ring, size_t back, varve_error *error) VARVE_MUST_CHECK;

/* How many there are, and the one `back` places behind the newest, or NULL; the
 * ring's, valid until the next push or rollback. */
VARVE_API size_t varve_ring_count(const varve_ring *ring);
VARVE_API varve_snapshot *varve_ring_at(const varve_ring *ring, size_t back);

VARVE_END_DECLS

#endif
