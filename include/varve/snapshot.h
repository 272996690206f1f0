/* snapshot.h - Keeps values in memory, to compare them or to roll back to them.
 *
 *     varve_snapshot *before = varve_snapshot_new(root, &error);
 *     try_a_move();
 *     if (!is_accepted() && varve_snapshot_restore(before, &error))
 *         fprintf(stderr, "%s\n", error.message);
 *     varve_snapshot_free(before);
 *
 * Snapshots belong to the thread that uses their graph.
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

/* Options of a snapshot. All zero is the safe default, and NULL is the same.
 * Patterns are those of varve_read_options, for paths from the root of the
 * snapshot. */
typedef struct varve_snapshot_options {
    const char *except; /* patterns: neither copy nor restore these; NULL:
                           none */
    bool no_random;     /* neither copy nor restore random streams
                           (VARVE_TAG_RANDOM), so that the next attempt draws
                           other numbers */
    bool track;         /* copy only pages that have changed; see below */
    const char *tag;    /* only values that have this tag (varve_tag), or an
                           edge from an object that has it; NULL: all */
    void *reserved[7];
} varve_snapshot_options;

/* Copies the values of all variables and states reachable from `root`,
 * including those tagged VARVE_TAG_LOCAL. Free the snapshot with
 * varve_snapshot_free. Returns NULL on failure. */
VARVE_API varve_snapshot *varve_snapshot_new(
    varve_node *root, varve_error *error) VARVE_MUST_CHECK;

/* Creates a snapshot with options, which may be NULL. Otherwise it is like
 * varve_snapshot_new. */
VARVE_API varve_snapshot *varve_snapshot_new_with(varve_node *root,
    const varve_snapshot_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Replaces the values of a snapshot by the current values.
 *
 * No memory is allocated unless strings or states have grown. After a failure
 * the snapshot is unchanged. */
VARVE_API varve_status varve_snapshot_retake(
    varve_snapshot *snapshot, varve_error *error) VARVE_MUST_CHECK;

/* With `track`, a retake or restore copies only the changed pages of large
 * values (256 KiB and more). This needs Linux 6.11 and a container that permits
 * userfaultfd; otherwise all pages are copied.
 *
 * For example, a retake of 512 MiB of which 1 % of the pages have changed takes
 * 4 ms instead of 37 ms. The cost is that the first write to each page
 * afterwards takes 1 to 2 microseconds and splits huge pages. A value of which
 * more than a quarter has changed is copied completely for a while, without
 * this cost.
 *
 * So use it for values that change little: embeddings, frozen layers, tables.
 * Writes by devices are not detected; do not use it for memory that is
 * registered with a device. The graph keeps a file descriptor for tracking
 * until it is freed. */

/* Options of varve_snapshot_restore_with. All zero is the default, and NULL is
 * the same. */
typedef struct varve_snapshot_restore_options {
    bool keep_random; /* do not restore random streams: they continue from their
                         current position */
    varve_reserved reserved;
} varve_snapshot_restore_options;

/* Restores the values of a snapshot. No memory is allocated unless strings were
 * restored from a file since. */
VARVE_API varve_status varve_snapshot_restore(
    varve_snapshot *snapshot, varve_error *error) VARVE_MUST_CHECK;

/* Restores a snapshot with options, which may be NULL. Otherwise it is like
 * varve_snapshot_restore. */
VARVE_API varve_status varve_snapshot_restore_with(varve_snapshot *snapshot,
    const varve_snapshot_restore_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* All functions of a snapshot can fail with these errors:
 *
 * - Return VARVE_MISMATCH if variables or states were added, removed, replaced
 *   or retyped (varve_retype) since the snapshot was made, or if the graph was
 *   freed. Nothing is changed.
 * - Return VARVE_CALLBACK or VARVE_NO_MEMORY if the load callback of a state
 *   fails. The variables have been restored then.
 *
 * If a variable was rebound, its value is restored to its new memory. */

/* Gets the value of a variable or state in a snapshot, without restoring it.
 *
 * `path` is relative to the root of the snapshot, with the syntax of
 * varve_find_path. `*value` is set to the type and shape, with `data` in the
 * snapshot: contiguous row-major elements, or uint8 for a state. The data is
 * read-only and valid until the snapshot is retaken, read, restored or freed.
 *
 * Use varve_ring_at to get a snapshot of a ring, and varve_reader_read to get a
 * value of a checkpoint.
 *
 * - Returns VARVE_NOT_FOUND if the program has no such value, or if the options
 *   of the snapshot leave it out. */
VARVE_API varve_status varve_snapshot_value(varve_snapshot *snapshot,
    const char *path, varve_tensor *value, varve_error *error) VARVE_MUST_CHECK;

/* Frees a snapshot and its values. Takes NULL. */
VARVE_API void varve_snapshot_free(varve_snapshot *snapshot);

/* --- What differs ------------------------------------------------------- */

/* A variable or state that has different values. */
typedef struct varve_difference {
    const char *path; /* path from the root of the snapshot; borrowed for the
                         call */
    varve_node *node; /* the variable or state */
    uint64_t count;   /* number of elements that differ; bytes for a state */
    uint64_t first;   /* row-major index of the first of them */
    double largest;   /* largest |a - b|; for complex numbers of the real or
                         imaginary part. Infinite if one of the two numbers is
                         not finite; 0 for strings and states */
} varve_difference;

/* Called for a difference, which is borrowed for the call. Return VARVE_OK to
 * continue; any other status ends the comparison. */
typedef varve_status varve_on_difference(
    void *user, const varve_difference *difference);

/* Compares two snapshots of the same graph and calls `visit` for each
 * difference.
 *
 * If `b` is NULL, `a` is compared with the current values. The order is that of
 * a file. Elements are compared bit by bit, so that equal NaNs are equal and 0
 * differs from -0. If the snapshots have different options, values that only
 * one of them contains are skipped. Returns the status of `visit` if that ended
 * the comparison. */
VARVE_API varve_status varve_snapshot_diff(varve_snapshot *a, varve_snapshot *b,
    varve_on_difference *visit, void *user,
    varve_error *error) VARVE_MUST_CHECK;

/* --- To a file and back ------------------------------------------------- */

/* Writes the values of a snapshot to the file `path`.
 *
 * The file is identical to the one that varve_write would have written when the
 * snapshot was taken. Values that the options of the snapshot leave out are
 * written with their current values.
 *
 * - Returns VARVE_MISUSE for `increment.only_dirty` and `increment.track`,
 *   because all values are compared.
 * - Fails otherwise as varve_write does. */
VARVE_API varve_status varve_snapshot_write(varve_snapshot *snapshot,
    const char *path, const varve_write_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* Reads a checkpoint into a snapshot.
 *
 * The values of the program change only when the snapshot is restored. Values
 * that the file lacks stay as they are in the snapshot. After a failure the
 * snapshot is unchanged, for every value of `passes`.
 *
 * - Returns VARVE_MISUSE for `map` and `expect`, which need a restoration.
 * - Fails otherwise as varve_read does. */
VARVE_API varve_status varve_snapshot_read(varve_snapshot *snapshot,
    const char *path, const varve_read_options *options,
    varve_error *error) VARVE_MUST_CHECK;

/* --- The last few ------------------------------------------------------- */

/* Creates an empty ring buffer for `count` snapshots of `root`.
 *
 *     varve_ring *ring = varve_ring_new(root, 4, NULL, &error);
 *     for (int step = 1; step <= steps; step++) {
 *         train();
 *         if (!is_finite(loss))
 *             status = varve_ring_rollback(ring, 0, &error);
 *         else
 *             status = varve_ring_push(ring, &error);
 *     }
 *     varve_ring_free(ring);
 *
 * `count` must be at least 1. `options` may be NULL. Returns NULL on
 * failure. */
VARVE_API varve_ring *varve_ring_new(varve_node *root, size_t count,
    const varve_snapshot_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Frees a ring and its snapshots. Takes NULL. */
VARVE_API void varve_ring_free(varve_ring *ring);

/* Adds a snapshot of the current values to a ring.
 *
 * If the ring is full, the oldest snapshot is replaced; then no memory is
 * allocated unless the variables of the program have changed. After a failure
 * the ring is unchanged. */
VARVE_API varve_status varve_ring_push(
    varve_ring *ring, varve_error *error) VARVE_MUST_CHECK;

/* Restores a snapshot of a ring and drops all newer ones.
 *
 * `back` counts from the newest snapshot, which is 0. The restored snapshot is
 * the newest one afterwards. Returns VARVE_NOT_FOUND if the ring has no such
 * snapshot. */
VARVE_API varve_status varve_ring_rollback(
    varve_ring *ring, size_t back, varve_error *error) VARVE_MUST_CHECK;

/* Returns the number of snapshots in a ring. */
VARVE_API size_t varve_ring_count(const varve_ring *ring);

/* Returns a snapshot of a ring, or NULL if there is none. `back` counts from
 * the newest snapshot, which is 0. The ring owns the result, which is valid
 * until the next push or rollback. */
VARVE_API varve_snapshot *varve_ring_at(const varve_ring *ring, size_t back);

VARVE_END_DECLS

#endif
