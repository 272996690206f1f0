/* checkpoint.h - to a file and back: write, read, save, restore, plan.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_CHECKPOINT_H
#define VARVE_CHECKPOINT_H

#include <varve/error.h>
#include <varve/format.h>
#include <varve/graph.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* What the names of numbered files end in. It may be left off where a file is
 * read. */
#define VARVE_SUFFIX ".varve"

/* --- Options ------------------------------------------------------------ */

/* Called on the calling thread (job.h: on that of the background) as long work
 * goes on: bytes done, bytes in all, and what is being worked on, borrowed for
 * the call. Anything but 0 cancels; the call then returns VARVE_CANCELLED and
 * leaves no trace. */
typedef int varve_progress(
    void *user, uint64_t done, uint64_t total, const char *what);

typedef enum varve_metadata_kind {
    VARVE_METADATA_INTEGER = 1, /* it is in `integer` */
    VARVE_METADATA_REAL = 2,    /* in `real` */
    VARVE_METADATA_BOOLEAN = 3, /* in `integer`, 0 or 1 */
    VARVE_METADATA_STRING = 4   /* in `string` */
} varve_metadata_kind;

/* A named scalar or string kept in a checkpoint. By convention "step" is an
 * integer and "time" one of seconds since 1970-01-01 UTC; tools show them. */
typedef struct varve_metadata {
    const char *name; /* UTF-8, unique in the file */
    varve_metadata_kind kind;
    int64_t integer; /* also a boolean: 0 or 1 */
    double real;
    const char *string; /* UTF-8 */
} varve_metadata;

/* Called for everything that is lost: its path, and what a format cannot hold
 * of it, or why it cannot be had. Both borrowed for the call. */
typedef void varve_loss(void *user, const char *path, const char *what);

/* All zero is the safe default; NULL stands for that. */
typedef struct varve_write_options {
    const varve_metadata *metadata;
    size_t metadata_count;
    varve_progress *progress;
    void *progress_user;
    bool no_replace;     /* a file that is there: VARVE_EXISTS */
    bool no_sync;        /* faster; may be lost or torn by a power cut, so that
                            managers and savers delete nothing for it */
    bool keep_counter;   /* varve_write: the root's save counter is in the file
                            too, as varve_save has it there */
    bool at_rest;        /* in the background: the program promises not to
                            change values until varve_job_wait_copied, and the
                            call need not wait for their copy (job.h) */
    varve_format format; /* varve_write: of the file or files; others than ours
                            spell the path of each value, which may have 4095
                            bytes there (VARVE_LIMIT) */
    uint64_t shard_size; /* of TensorFlow and safetensors: another file is begun
                            before one holds more bytes than this; 0: never */
    bool global_names;   /* of safetensors and npz: a value goes by its global
                            name where it has one, else by its path */
    unsigned in_flight;  /* in the background: so many saves of the graph, each
                            with a copy of the values, at a time; 0: 2 */
    varve_loss *loss;    /* what that format cannot hold; may be NULL */
    void *loss_user;
    bool layered;      /* what has not changed since the checkpoint before is
                          shared with it; each restores alone (layers.h) */
    const char *base;  /* of a layered one: the checkpoint before, in the same
                          directory. NULL: that which varve_write replaces, or
                          the newest of varve_save's prefix */
    bool only_touched; /* what was not touched has not changed (layers.h) */
    bool track;        /* find it by the pages that were written to */
    bool verify_untouched; /* fail where it has: for tests */
    int compress;   /* level of Zstandard, 1 to 19; 0: none (docs/layers.md) */
    unsigned files; /* of many processes (together.h); 0: one each machine */
    varve_reserved reserved;
} varve_write_options;

/* Program path to file path. The two have the same wildcards in the same
 * order: `*` stands for one name, `**` for any number of them, and what a
 * wildcard matched on one side is put in its place on the other. A path stands
 * for everything below it too. The first rename that matches decides; `?` and
 * `[` stand for themselves here. */
typedef struct varve_rename {
    const char *program;
    const char *file;
} varve_rename;

typedef enum varve_cast {
    VARVE_CAST_NONE = 0,  /* types must be equal */
    VARVE_CAST_WIDEN = 1, /* only where every value is kept exactly */
    VARVE_CAST_ANY = 2    /* nearest value, from reals to integers toward zero;
                             how many were not kept is reported */
} varve_cast;

/* All zero is the safe default; NULL stands for that.
 *
 * A pattern is a path in which `*` stands for any part of a name, `?` for one
 * character, `[0-9]` and `[!0-9]` for one in or not in a set, and `**` for any
 * number of names. It stands for everything below it too; a leading '/' is
 * ignored; several are separated by '|'. A slot variable's path is
 * `<owner>/<slot>(<variable>)`, and what is in parentheses is a pattern itself:
 * `adam/m(**)`, `adam/?(model|head)`; without them `adam/m*` stands for all
 * these slots. In paths and patterns / % * | ( ) and control characters of a
 * name are written %XX; `?` and `[` stand for themselves as well, and are
 * nothing else as %3F and %5B.
 *
 * Patterns see every path of a node, but none that passes a node twice on the
 * way to it, such as through an edge to a parent. `except` leaves out what all
 * paths match, all others take what any path does; reports name it by that
 * path. Patterns that need more memory than is of use are VARVE_LIMIT. They are
 * of program paths unless they say otherwise. */
typedef struct varve_read_options {
    const varve_rename *renames;
    size_t rename_count;
    const char *rename_file; /* a text file of lines `program -> file`, used
                                after `renames`; '#' starts a comment */
    const char *subtree;     /* path in the file that stands for its root */
    const char *only;        /* patterns: nothing else is restored */
    const char *except;      /* patterns: these are not */
    const char *resize;      /* patterns: same rank, other extents: what both
                                have is restored, the rest stays; before
                                `reshape`, where both could be meant */
    bool copy_shared;        /* a value of the file that several nodes of the
                                program claim goes to each of them */
    bool reshape;            /* same number of elements will do */
    varve_cast cast;
    const char *expect_missing; /* patterns the file need not have */
    const char *expect_unused;  /* patterns of file paths that the program need
                                   not take */
    bool streaming;   /* one pass: faster, but a failure leaves some variables
                         changed; VARVE_HALF_RESTORED names them */
    bool no_verify;   /* skips the digests of the values */
    bool map;         /* library-owned variables of 64 KiB and more that are
                         added later take the file's pages, copied on write;
                         varve_restoration_verify checks their digests. The
                         report says of each value so large why it was not */
    bool dots;        /* `a.b` of another format is `a/b`, for these options too
                         (docs/foreign.md) */
    bool no_hdf5;     /* refuses what libhdf5 would read (SECURITY.md) */
    bool salvage;     /* of a damaged file what is good: a value whose bytes are
                         damaged or cannot be read fails nothing. It is left
                         out, its variable is as if the file had no value for
                         it, and the report and the assertions name it
                         (VARVE_DAMAGED).
                         All is read and verified before any of it is delivered;
                         VARVE_MISUSE together with `no_verify` */
    varve_loss *loss; /* each value that `salvage` leaves out in this call,
                         by its path in the file; may be NULL */
    void *loss_user;
    uint64_t staging_size; /* bytes of memory in which new values may wait until
                        all are good. Up to this size in all a restoration is
                        undone whatever fails; above it every value is verified
                        first and then read again. 0: 48 MiB */
    unsigned threads;      /* 0: as many as there are processors, up to 8 */
    varve_progress *progress;
    void *progress_user;
    varve_reserved reserved;
} varve_read_options;

/* --- Exactly this file -------------------------------------------------- */

/* Writes everything reachable from `root` to `path`, which replaces an older
 * file only when it is complete and on disk; in a format of several files by
 * one step as well, after which the older data files are removed. Missing
 * directories are made. The same graph with the same values gives the same
 * bytes, but for the names and the number of data files that replace others.
 *
 * Fails with the graph's first mistake, VARVE_NO_SPACE, VARVE_NO_PERMISSION,
 * VARVE_IO, VARVE_NO_MEMORY, VARVE_EXISTS, VARVE_CALLBACK or VARVE_CANCELLED,
 * and then the older file is as it was and no other is left; or with
 * VARVE_UNKNOWN_OUTCOME, which see. The values must not change meanwhile.
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
 * NULL on failure; then no variable has changed (see `streaming` and
 * `staging_size`). Types and shapes that do not fit are all named, with
 * VARVE_MISMATCH. Its file is open until varve_restoration_free ends it. */
VARVE_API varve_restoration *varve_read(varve_node *root, const char *path,
    const varve_read_options *options, varve_error *error) VARVE_MUST_CHECK;

/* What varve_restore would do, without reading a value or changing anything:
 * the report of the result says it. Mismatches are findings here, not
 * failures. */
VARVE_API varve_restoration *varve_plan(varve_node *root, const char *path,
    const varve_read_options *options, varve_error *error) VARVE_MUST_CHECK;

/* --- Numbered ----------------------------------------------------------- */

/* Writes `prefix-N.varve` for the next N, never over an older file: one above
 * both `root`'s save counter and the highest number there is. Where another
 * process takes that number first, all is written again under the next. The
 * counter is in the file, and a failed save does not use it up. The name of the
 * newest file is noted in `prefix.latest`, a hint for people that spares files
 * of others (but for one that replaces a note right before the next one does).
 * VARVE_EXISTS where a file is called `prefix`: varve_restore would find it. */
VARVE_API varve_status varve_save(varve_node *root, const char *prefix,
    const varve_write_options *options, varve_error *error) VARVE_MUST_CHECK;

/* Reads `path` if it is a file; else, taking it as a prefix, the file
 * `path-N.varve` of the highest N, which is what varve_save wrote last; else
 * the one with VARVE_SUFFIX. Readers, plans, leases, watches and the tool find
 * by the same rule. `root`'s save counter continues from the file's. As
 * varve_read otherwise; VARVE_NOT_FOUND when there is none. */
VARVE_API varve_restoration *varve_restore(varve_node *root, const char *path,
    const varve_read_options *options, varve_error *error) VARVE_MUST_CHECK;

/* The number that the last varve_save of this root gave or the last
 * varve_restore found; 0 before. */
VARVE_API uint64_t varve_save_counter(const varve_node *root);

/* Writes the path of the highest numbered file of a prefix into `path`, which
 * holds `size` bytes. The directory is what decides. */
VARVE_API varve_status varve_latest(const char *prefix, char *path, size_t size,
    varve_error *error) VARVE_MUST_CHECK;

VARVE_END_DECLS

#endif
