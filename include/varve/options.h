/* options.h - what a write and a read may be told.
 *
 * What most programs say stands in the options themselves; what belongs to one
 * feature is a struct inside, named as that: `{ .increment.base = "run/ckpt-7"
 * }`, in C++ `{ .increment = { .base = "run/ckpt-7" } }`.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_OPTIONS_H
#define VARVE_OPTIONS_H

#include <varve/format.h>
#include <varve/types.h>

VARVE_BEGIN_DECLS

/* Called on the calling thread (job.h: on that of the background) as long work
 * goes on: bytes done, bytes in all, and what is being worked on, borrowed for
 * the call. Anything but 0 cancels; the call then returns VARVE_CANCELLED and
 * leaves no trace, but of a read that is one pass (varve_passes). */
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

/* --- Of a write --------------------------------------------------------- */

/* Of an incremental one, as incremental.h says it; VARVE_MISUSE without
 * `incremental`. */
typedef struct varve_increment_options {
    const char *base;  /* the checkpoint before, in the same directory. NULL:
                          that which varve_write replaces, or the newest of
                          varve_save's prefix */
    bool only_dirty;   /* what was not touched has not changed */
    bool track;        /* find it by the pages that were written to */
    bool verify_clean; /* fail where it has: for tests */
    varve_reserved reserved;
} varve_increment_options;

/* Of one in another format than ours (docs/foreign.md). */
typedef struct varve_foreign_write_options {
    uint64_t shard_size; /* of TensorFlow and safetensors: another file is begun
                            before one holds more bytes than this; 0: never.
                            VARVE_MISUSE in other formats */
    bool global_names;   /* of safetensors, npz and GGUF: a value goes by its
                            global name where it has one, else by its path.
                            VARVE_MISUSE in other formats */
    varve_loss *loss;    /* what that format cannot hold; may be NULL */
    void *loss_user;
    varve_reserved reserved;
} varve_foreign_write_options;

/* Of one in the background (job.h). */
typedef struct varve_async_options {
    bool zero_copy;     /* the program promises not to change values until
                         varve_job_wait_staged, and the call need not wait for
                         their copy. A save that returns when all is written
                         needs no promise */
    unsigned in_flight; /* so many saves of the graph at most, each with a copy
                           of the values, at a time; 0: 2. Of these, a save that
                           returns when all is written, a manager and a saver
                           have one at most */
    varve_reserved reserved;
} varve_async_options;

/* Of one by many processes (collective.h); VARVE_MISUSE in one by a process. */
typedef struct varve_collective_options {
    unsigned files; /* 0: one each machine */
    varve_reserved reserved;
} varve_collective_options;

/* All zero is the safe default; NULL stands for that. An option that has no
 * effect in a call, or with the other options, is VARVE_MISUSE, and the message
 * names it; where a header says that it has none, it is accepted. */
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
    bool incremental;    /* what has not changed since the checkpoint before is
                        shared with it; each restores alone (incremental.h) */
    varve_format format; /* varve_write: of the file or files; others than ours
                            spell the path of each value, which may have 4095
                            bytes there (VARVE_LIMIT), and have no `incremental`
                            and `compress`. VARVE_MISUSE in numbered saves,
                            saves by many processes, managers and savers */
    int compress; /* level of Zstandard, 1 to 19; 0: none (docs/layers.md) */
    varve_pending_policy pending; /* values that wait for the program */
    varve_increment_options increment;
    varve_foreign_write_options foreign;
    varve_async_options async;
    varve_collective_options collective;
    varve_reserved reserved;
} varve_write_options;

/* --- Of a read ---------------------------------------------------------- */

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

/* How often values are read that are not undone: what is larger in all than
 * `resources.staging_size` and goes to memory that the program sees. */
typedef enum varve_passes {
    VARVE_PASSES_AUTO = 0, /* once in the first restoration of a graph, of which
                              nothing was saved, restored or kept in a snapshot
                              before: it has nothing to lose; with it goes what
                              arrives later, until one of these. Else twice; of
                              many processes where any of them has */
    VARVE_ONE_PASS = 1,    /* once, verified on the way and straight into
                              place, whatever its size: faster, but a failure,
                              and a callback that cancels, leaves some variables
                              changed; VARVE_PARTIALLY_RESTORED names them */
    VARVE_TWO_PASSES = 2   /* verified first, then read again: a damaged file
                              changes nothing */
} varve_passes;

/* Names that are others in the file. */
typedef struct varve_rename_options {
    const varve_rename *list;
    size_t count;
    const char *file; /* a text file of lines `program -> file`, used after the
                         list; '#' starts a comment */
    varve_reserved reserved;
} varve_rename_options;

/* Patterns: what they match the assertions excuse. */
typedef struct varve_expect_options {
    const char *missing;    /* what the file need not have */
    const char *unexpected; /* of file paths: what the program need not take */
    varve_reserved reserved;
} varve_expect_options;

/* Of a file in another format (docs/foreign.md). */
typedef struct varve_foreign_read_options {
    bool dots;         /* `a.b` of it is `a/b`, for these options too */
    bool no_hdf5;      /* refuses HDF5 files (SECURITY.md) */
    bool follow_links; /* permits symbolic links out of its directory */
    varve_reserved reserved;
} varve_foreign_read_options;

/* Of a damaged file (docs/damaged.md). */
typedef struct varve_salvage_options {
    bool on;          /* what is good of it: a value whose bytes are damaged or
                         cannot be read fails nothing. It is left out, its
                         variable is as if the file had no value for it, and the
                         report and the assertions name it. All is read and
                         verified before any of it is delivered; VARVE_MISUSE
                         together with `no_verify` */
    varve_loss *loss; /* each value that is left out in this call, by its path
                         in the file; may be NULL */
    void *loss_user;
    varve_reserved reserved;
} varve_salvage_options;

/* What a read may take of the machine. */
typedef struct varve_resource_options {
    uint64_t staging_size; /* bytes of memory in which new values may wait until
                              all are good. Up to this size in all a restoration
                              is undone whatever fails; above it `passes` says
                              what a failure leaves. 0: 48 MiB, or 4 at each of
                              many processes that read once */
    unsigned threads;      /* 0: as many as there are processors, up to 8 */
    varve_reserved reserved;
} varve_resource_options;

/* All zero is the safe default; NULL stands for that. An option that has no
 * effect in a call is VARVE_MISUSE, and the message names it; where a header
 * says that it has none, it is accepted.
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
    const char *subtree; /* path in the file that stands for its root */
    const char *only;    /* patterns: nothing else is restored */
    const char *except;  /* patterns: these are not */
    const char *resize;  /* patterns: same rank, other extents: what both have
                            is restored, the rest stays; before `reshape` */
    bool reshape;        /* same number of elements will do */
    bool copy_shared;    /* a value that several nodes claim goes to each */
    bool no_verify;      /* skips the digests of the values, checks bools */
    bool map;            /* library-owned variables of 64 KiB and more that are
                            added later, no bools, take the file's pages, copied
                            on write; varve_restoration_verify checks their
                            digests. The report says which do not, and why */
    varve_passes passes; /* how often values are read */
    varve_cast cast;     /* element types that differ */
    varve_progress *progress;
    void *progress_user;
    varve_rename_options rename;
    varve_expect_options expect;
    varve_foreign_read_options foreign;
    varve_salvage_options salvage;
    varve_resource_options resources;
    const char *cast_only; /* patterns: `cast` is for these; NULL: all */
    void *reserved[7];
} varve_read_options;

VARVE_END_DECLS

#endif
