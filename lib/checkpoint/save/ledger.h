/* ledger.h - Reads and writes the ledger of a prefix, and the ancestors of a
 * run.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LEDGER_H
#define VV_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <varve/error.h>

#include "context.h"

/* --- Ancestors ------------------------------------------------------------ */

/* Keeps the list of runs that a run descends from, which each of its
 * checkpoints records. */

/* The number of ancestors that are recorded. Older ones are dropped, so that
 * the metadata of a run that was resumed very often stays small. */
enum { VV_MOST_ANCESTORS = 32 };

/* The size of the printed list of VV_MOST_ANCESTORS ancestors, with the NUL. */
enum { VV_ANCESTRY_SIZE = VV_MOST_ANCESTORS * (16 + 1 + 20 + 1) + 1 };

/* A run, and the counter of the checkpoint of that run from which the next run
 * was resumed. The later checkpoints of that run are not ancestors. */
struct vv_ancestor {
    /* to fill in */
    uint64_t run; /* from vv_run_hash; 0: unknown */
    uint64_t counter;
};

/* The ancestors of a run. The first one is the parent. */
struct vv_ancestry {
    /* to fill in */
    size_t count; /* 0: the run has no parent, or its ancestors are unknown */
    struct vv_ancestor all[VV_MOST_ANCESTORS];
};

/* Returns the hash of the identity of a run, or 0 if the identity is "". */
uint64_t vv_run_hash(const char *run);

/* Returns the index of the run in the list, or `count` if it is not in the
 * list. */
size_t vv_ancestry_find(const struct vv_ancestry *ancestry, uint64_t run);

/* Appends an ancestor. Does nothing if the list is full. */
void vv_ancestry_add(
    struct vv_ancestry *ancestry, uint64_t run, uint64_t counter);

/* Prints at most the first `count` ancestors. Each one is printed as 16
 * hexadecimal digits, a colon and a decimal number; they are separated by
 * commas. The text is "" if there are none. */
void vv_ancestry_print(const struct vv_ancestry *ancestry, size_t count,
    char text[VV_ANCESTRY_SIZE]);

/* Appends the ancestors that are listed in a text printed by vv_ancestry_print.
 * Returns false at the first invalid one; those before it have been added. */
bool vv_ancestry_parse(
    struct vv_ancestry *ancestry, const char *text, size_t size);

/* --- Ledgers -------------------------------------------------------------- */

/* Reads and writes the ledger of a prefix: one text file that repeats the
 * metadata of its checkpoints, so that they need not be opened, and stores the
 * retention policy of their manager.
 *
 *     varve ledger 3
 *     last steps seconds best order bytes damaged metric
 *     3 0 3600 1 least 0 0 loss
 *     number counter step time metric size modified identity parent after
 *         origin ancestors manager run
 *     12 12 12000 - 3fd0000000000000 50112 1763712000000000000 <id> - 0 <id>
 *         - ours 01JD
 *     digest 0123456789abcdef
 *
 * The second line has the names of the options of varve_manager_options whose
 * values the third line has. The last field of the third line is escaped as in
 * a path (vv_path_add_name). Each entry is one line. "-" means unknown. The
 * metric is written as the bits of a float64. "modified" is the modification
 * time of the file in nanoseconds since 1970-01-01 UTC. identity, parent and
 * origin are 16 hexadecimal digits each. "after" is the counter of the parent.
 * The ancestors are printed by vv_ancestry_print. A number with 8 digits and a
 * leading zero belongs to a padded name. The digest is the XXH3-64 of all text
 * before its line.
 *
 * An entry is a hint: it is valid only while its file has the size and the
 * modification time of the entry. A ledger of version 2 has no identities; only
 * the policy is read from it. */

#define VV_LEDGER_ENDING ".ledger"

/* The size of the longest identity of a run, with its NUL. */
enum { VV_RUN_SIZE = 64 };

/* The retention policy. A rule that is 0 is off. */
struct vv_policy {
    /* to fill in */
    size_t keep_last;
    uint64_t keep_every_steps;
    uint64_t keep_every_seconds;
    size_t keep_best;
    bool best_is_larger;
    uint64_t keep_bytes;
    size_t keep_damaged; /* 0: keep all */
};

/* The entry of one checkpoint, PREFIX-NUMBER.varve. */
struct vv_entry {
    /* to fill in */
    uint64_t number;
    uint64_t counter;
    int64_t step;  /* -1: unknown */
    int64_t time;  /* in seconds; -1: unknown */
    double metric; /* NaN: none */
    uint64_t size;
    uint64_t data;     /* bytes of data files in addition to `size`, if these
                          count (manager_look.h); else 0 */
    int64_t modified;  /* in nanoseconds; the file is the same if this and
                          `size` are */
    uint64_t identity; /* the same for a checkpoint and its copies only; 0:
                          unknown */
    uint64_t parent;   /* identity of the checkpoint that its run was resumed
                          from; 0: none, or unknown */
    uint64_t parent_counter; /* counter of that checkpoint */
    uint64_t origin; /* hash of the identity of the first run in its chain of
                        resumes; 0: unknown */
    struct vv_ancestry ancestry; /* ancestors of its run */
    char run[VV_RUN_SIZE];       /* identity of its run; "": unknown */
    bool is_padded;              /* its name has 8 digits */
    bool is_ours;
    bool is_pinned;
    bool is_read;     /* it was opened, so the members above are known */
    bool is_damaged;  /* it could not be opened, or verification failed */
    bool is_unread;   /* opening it failed temporarily (EIO, ESTALE): it may be
                         good */
    bool is_good;     /* it was written or verified by this process */
    bool is_excluded; /* kept, and not counted by policies: set before
                         vv_decide_listing */
};

struct vv_ledger {
    /* to read */
    const varve_allocator *allocator;
    struct vv_entry *entries;
    size_t count;
    size_t capacity;
    /* to fill in */
    char *metric; /* owned; NULL: none */
    struct vv_policy policy;
    bool is_swept; /* for writing: it has no left-over temporary files */
};

/* Initializes an empty ledger. vv_ledger_clear must be called also after a
 * failure to read. */
void vv_ledger_begin(
    struct vv_ledger *ledger, const varve_allocator *allocator);
void vv_ledger_clear(struct vv_ledger *ledger);

/* Appends an entry. Returns false if out of memory. */
bool vv_ledger_add(struct vv_ledger *ledger, const struct vv_entry *entry);

/* Reads a ledger. Sets *has_entries to true if its entries can be used, too.
 * Returns VARVE_NOT_FOUND if it does not exist, VARVE_CORRUPT if it is damaged
 * or is not a ledger (then `ledger` is empty), or another error of reading. */
varve_status vv_ledger_read(struct vv_ledger *ledger,
    const struct vv_context *context, const char *path, bool *has_entries,
    varve_error *error);

/* Writes the entries whose `is_read` is set. The file is not synced, as it may
 * be missing. A file that is not a ledger is not replaced: VARVE_EXISTS. */
varve_status vv_ledger_write(const struct vv_ledger *ledger,
    const struct vv_context *context, const char *path, varve_error *error);

#endif
