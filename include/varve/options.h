/* options.h - Defines the options of functions that write and read checkpoints.
 *
 * Common options are direct members. The options of one feature are grouped in
 * a nested struct:
 *
 *     varve_write_options options = { .incremental = true,
 *         .increment.base = "run/ckpt-7" };
 *
 * In C++ the nested struct is written `.increment = { .base = "run/ckpt-7" }`.
 *
 * Set options that you do not use to zero. Strings, arrays and structs that
 * options point to are borrowed for the call, unless the function documents
 * otherwise.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_OPTIONS_H
#define VARVE_OPTIONS_H

#include <varve/format.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* Called repeatedly during a long operation to report its progress.
 *
 * `done` and `total` are bytes. `what` describes the current work and is
 * borrowed for the call. The callback runs on the calling thread; for an
 * asynchronous save it runs on the background thread (job.h).
 *
 * Return 0 to continue. Any other value cancels the operation: it returns
 * VARVE_CANCELLED and changes nothing, except for a read that is made in one
 * pass (varve_passes). */
typedef int varve_progress(
    void *user, uint64_t done, uint64_t total, const char *what);

/* The type of a metadata value. */
typedef enum varve_metadata_kind {
    VARVE_METADATA_INTEGER = 1, /* the value is in `integer` */
    VARVE_METADATA_REAL = 2,    /* the value is in `real` */
    VARVE_METADATA_BOOLEAN = 3, /* the value is in `integer`, 0 or 1 */
    VARVE_METADATA_STRING = 4   /* the value is in `string` */
} varve_metadata_kind;

/* A named scalar or string that is stored in a checkpoint.
 *
 * By convention "step" is an integer, and "time" is an integer: seconds since
 * 1970-01-01 UTC. The command-line tools display both. */
typedef struct varve_metadata {
    const char *name;         /* UTF-8, unique in the file */
    varve_metadata_kind kind; /* the member that holds the value */
    int64_t integer;          /* an integer, or a boolean: 0 or 1 */
    double real;              /* a floating-point number */
    const char *string;       /* UTF-8 */
} varve_metadata;

/* Called for everything that is lost.
 *
 * `path` is the path of the value. `what` describes what the format cannot
 * store, or why the value cannot be read. Both are borrowed for the call. */
typedef void varve_loss(void *user, const char *path, const char *what);

/* --- Writing ------------------------------------------------------------ */

/* Options of an incremental write. incremental.h describes them. They are
 * VARVE_MISUSE unless `incremental` is set. */
typedef struct varve_increment_options {
    const char *base;  /* previous checkpoint, in the same directory. NULL: for
                          varve_write the file that it replaces, for varve_save
                          the newest of the prefix */
    bool only_dirty;   /* skip variables that were not marked dirty */
    bool track;        /* find dirty pages with the help of the kernel */
    bool verify_clean; /* fail if a variable changed that was not marked dirty;
                          for tests */
    varve_reserved reserved;
} varve_increment_options;

/* Options for writing formats other than Varve's (docs/foreign.md). */
typedef struct varve_foreign_write_options {
    uint64_t shard_size; /* maximum bytes per file, for TensorFlow and
                            safetensors; 0: one file. VARVE_MISUSE in other
                            formats */
    bool global_names;   /* use the global name of a value, if it has one,
                            instead of its path; for safetensors, npz and GGUF.
                            VARVE_MISUSE in other formats */
    varve_loss *loss;    /* called for what the format cannot store; may be
                            NULL */
    void *loss_user;     /* first argument of `loss` */
    varve_reserved reserved;
} varve_foreign_write_options;

/* Options of an asynchronous write (job.h). */
typedef struct varve_async_options {
    /* Return before the values are copied. The program must not change values
     * until varve_job_wait_staged has returned. Has no effect on synchronous
     * saves. */
    bool zero_copy;
    /* Maximum number of pending saves of the graph; 0: 2. Each of them needs
     * memory for a copy of the values. Has no effect on synchronous saves,
     * managers and savers, which have at most one pending save. */
    unsigned in_flight;
    varve_reserved reserved;
} varve_async_options;

/* Options of a collective write (collective.h). They are VARVE_MISUSE in a
 * write by a single process. */
typedef struct varve_collective_options {
    unsigned files; /* number of data files; 0: one per machine */
    varve_reserved reserved;
} varve_collective_options;

/* Options of varve_write, varve_save and similar functions.
 *
 * All zero is the safe default, and NULL is the same. A function returns
 * VARVE_MISUSE for an option that has no effect in it or together with the
 * other options, and the message names the option. An option that a header
 * documents as having no effect is accepted. */
typedef struct varve_write_options {
    const varve_metadata *metadata; /* values to store with the checkpoint */
    size_t metadata_count;          /* number of elements of `metadata` */
    varve_progress *progress;       /* progress callback; NULL: none */
    void *progress_user;            /* first argument of `progress` */
    bool no_replace;     /* fail with VARVE_EXISTS if the file exists */
    bool no_sync;        /* do not sync to disk: faster, but a power cut may
                            lose or damage the file. Managers and savers delete
                            no older checkpoint after such a save */
    bool keep_counter;   /* for varve_write: store the save counter of the root,
                            as varve_save does */
    bool incremental;    /* share unchanged data with the previous checkpoint;
                            each checkpoint can be restored alone
                            (incremental.h) */
    varve_format format; /* file format, for varve_write; 0: Varve's own. Other
                            formats store the path of each value, of up to 4095
                            bytes (else VARVE_LIMIT), and do not support
                            `incremental` and `compress`. VARVE_MISUSE in
                            numbered and collective saves, managers and
                            savers */
    int compress;        /* Zstandard level, 1 to 19; 0: no compression
                            (docs/layers.md) */
    varve_pending_policy pending;        /* treatment of pending values */
    varve_increment_options increment;   /* incremental writes */
    varve_foreign_write_options foreign; /* other formats */
    varve_async_options async;           /* asynchronous writes */
    varve_collective_options collective; /* collective writes */
    varve_reserved reserved;
} varve_write_options;

/* --- Reading ------------------------------------------------------------ */

/* Maps a path of the program to a path in the file.
 *
 *     { "model/block_*", "net/layer*" }
 *
 * Both paths have the same wildcards in the same order. `*` matches one name or
 * a part of it, and `**` any number of names. The text that a wildcard matches
 * on one side replaces the same wildcard on the other side. `?` and `[` have no
 * special meaning here.
 *
 * A path includes everything below it. The first rename that matches is
 * used. */
typedef struct varve_rename {
    const char *program; /* path in the program */
    const char *file;    /* path in the file */
} varve_rename;

/* Conversion of element types. */
typedef enum varve_cast {
    VARVE_CAST_NONE = 0,  /* none: types must be equal */
    VARVE_CAST_WIDEN = 1, /* only conversions that keep every value exactly */
    VARVE_CAST_ANY = 2    /* any conversion, to the nearest value; from
                             floating-point to integer toward zero. The report
                             counts the values that were not kept */
} varve_cast;

/* Controls whether large values are verified before they are restored.
 *
 * This concerns restores of more than `resources.staging_size` bytes into
 * memory that the program can already see. A smaller restore that fails always
 * leaves the values unchanged. */
typedef enum varve_passes {
    /* One pass for the first restore of a graph, if nothing in the graph was
     * saved, restored or copied to a snapshot before, so that no state can be
     * lost. This includes the pending values of that restore until one of these
     * happens. Otherwise two passes. Ranks use two passes if any of them needs
     * two. */
    VARVE_PASSES_AUTO = 0,
    /* Values of any size are verified while they are read into their final
     * memory. This is faster, but an error or a callback that cancels leaves
     * some variables changed; the message of VARVE_PARTIALLY_RESTORED names
     * them. */
    VARVE_ONE_PASS = 1,
    /* Values are verified in a first pass and then read again, so that a
     * damaged file changes nothing. */
    VARVE_TWO_PASSES = 2
} varve_passes;

/* Names that differ between the program and the file. When a run or manager
 * resumes, a rename has no effect if the checkpoint has nothing at the path in
 * the file: checkpoints that were saved since have the new name. If the
 * checkpoint has both paths, the first step or save fails with
 * VARVE_UNMATCHED. */
typedef struct varve_rename_options {
    const varve_rename *list; /* renames, tried in order */
    size_t count;             /* number of elements of `list` */
    const char *file;         /* path of a text file with lines
                                 `program -> file`, tried after `list`; lines
                                 that begin with '#' are comments; NULL: none
                               */
    varve_reserved reserved;
} varve_rename_options;

/* Patterns of paths that are expected not to match. Assertions ignore them. */
typedef struct varve_expect_options {
    const char *missing;    /* program paths that the file may lack */
    const char *unexpected; /* file paths that the program may lack */
    varve_reserved reserved;
} varve_expect_options;

/* Options for reading formats other than Varve's (docs/foreign.md). */
typedef struct varve_foreign_read_options {
    bool dots;         /* treat `a.b` in the file as the path `a/b`, also in the
                          patterns and paths of these options */
    bool no_hdf5;      /* refuse HDF5 files (SECURITY.md) */
    bool follow_links; /* permit symbolic links to other directories */
    varve_reserved reserved;
} varve_foreign_read_options;

/* Options for reading damaged files (docs/damaged.md). */
typedef struct varve_salvage_options {
    /* Restore the intact values of a damaged file. A value that is damaged or
     * cannot be read is left out, as if the file did not contain it; the report
     * and the assertions list it. Everything is read and verified before
     * anything is delivered. VARVE_MISUSE with `no_verify`. */
    bool on;
    /* Called in this function call for each value that is left out, with its
     * path in the file; may be NULL. */
    varve_loss *loss;
    void *loss_user; /* first argument of `loss` */
    varve_reserved reserved;
} varve_salvage_options;

/* Limits on memory and threads of a read. */
typedef struct varve_resource_options {
    /* Bytes of memory for staging new values until all are verified. A restore
     * of up to this size is undone completely if it fails. For a larger one
     * `passes` determines what a failure leaves. 0: 48 MiB, or 4 MiB per rank
     * for collective reads in one pass. */
    uint64_t staging_size;
    /* Number of threads; 0: the number of processors, but at most 8. */
    unsigned threads;
    varve_reserved reserved;
} varve_resource_options;

/* Options of varve_read, varve_restore and similar functions.
 *
 * All zero is the safe default, and NULL is the same. A function returns
 * VARVE_MISUSE for an option that has no effect in it, and the message names
 * the option. An option that a header documents as having no effect is
 * accepted.
 *
 * A pattern is a path with wildcards, such as `model/layer?/bias|adam/m(**)`:
 *
 * - `*` matches any part of a name, `?` one character, and `**` any number of
 *   names.
 * - `[0-9]` matches one character of a set, `[!0-9]` one that is not in it.
 * - `|` separates alternatives.
 * - A path includes everything below it. A leading '/' is ignored.
 * - The path of a slot variable is `<owner>/<slot>(<variable>)`. The text in
 *   parentheses is a pattern itself: `adam/m(**)`, `adam/?(model|head)`.
 *   Without parentheses `adam/m*` matches all these slots.
 * - In paths and patterns the characters / % * | ( ) and control characters of
 *   a name are written %XX. `?` and `[` match themselves too; to match nothing
 *   else, write %3F and %5B.
 *
 * Patterns match program paths unless an option documents otherwise. They are
 * compared with every path of a node that visits no node twice. `except` leaves
 * out a node if all its paths match; other patterns need one matching path,
 * which reports then use as the name of the node. A pattern that needs too much
 * memory causes VARVE_LIMIT. */
typedef struct varve_read_options {
    const char *subtree; /* path in the file to use as its root; NULL: the root
                            of the file */
    const char *only;    /* patterns: restore only these; NULL: all */
    const char *except;  /* patterns: do not restore these; NULL: none */
    const char *resize;  /* patterns: permit the same rank with other extents.
                            The common part is restored and the rest is
                            unchanged. Takes precedence over `reshape` */
    bool reshape;        /* permit a different shape with the same number of
                            elements */
    bool copy_shared;    /* if several nodes match the same saved value, restore
                            it to each of them */
    bool no_verify;      /* do not verify checksums; bools are still checked */
    bool map;            /* map the pages of the file copy-on-write into
                            library-owned variables of 64 KiB and more that are
                            added later, except bools. The report lists which
                            are not mapped, and why. varve_restoration_verify
                            verifies their checksums */
    varve_passes passes; /* number of times that large values are read */
    varve_cast cast;     /* conversion of element types */
    varve_progress *progress;           /* progress callback; NULL: none */
    void *progress_user;                /* first argument of `progress` */
    varve_rename_options rename;        /* names that differ */
    varve_expect_options expect;        /* paths that need not match */
    varve_foreign_read_options foreign; /* other formats */
    varve_salvage_options salvage;      /* damaged files */
    varve_resource_options resources;   /* memory and threads */
    const char *cast_only; /* patterns: `cast` applies to these; NULL: all */
    void *reserved[7];
} varve_read_options;

VARVE_END_DECLS

#endif
