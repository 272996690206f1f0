/* ledger.h - The ledger of a prefix: one text file that repeats what its
 * checkpoints say of themselves, so that they need not be opened, and what
 * their manager keeps.
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
 * The second line names the options of varve_manager_options that the third has
 * (its last field as in a path, vv_path_add_name). "-" is for what is not
 * known; the metric stands as the bits of a float64, the time when the file was
 * modified in nanoseconds since 1970-01-01 UTC, identity, parent and origin as
 * 16 hexadecimal digits; "after" is the counter of the parent; the ancestors
 * stand as vv_ancestry_print prints them. Each of these is one line. A number
 * of 8 digits with a leading zero is that of a padded name. The digest is
 * XXH3-64 of all that is before its line.
 *
 * An entry is a hint: it counts while its file has the size and the time that
 * stand there. A ledger of version 2 has no identities: of it only the policy
 * is read.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_LEDGER_H
#define VV_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <varve/error.h>

#include "ancestry.h"
#include "context.h"

#define VV_LEDGER_ENDING ".ledger"

/* The longest identity of a run, with its NUL. */
enum { VV_RUN_SIZE = 64 };

/* Retention; 0: this policy is off. */
struct vv_policy {
    /* to fill in */
    size_t keep_last;
    uint64_t keep_every_steps;
    uint64_t keep_every_seconds;
    size_t keep_best;
    bool best_is_larger;
    uint64_t keep_bytes;
    size_t keep_damaged; /* 0: all */
};

/* One checkpoint: PREFIX-NUMBER.varve. */
struct vv_entry {
    /* to fill in */
    uint64_t number;
    uint64_t counter;
    int64_t step;  /* -1: unknown */
    int64_t time;  /* seconds; -1: unknown */
    double metric; /* NaN: none */
    uint64_t size;
    uint64_t data;     /* bytes of layers that it takes beside that, where these
                          count (data_sizes.h); else 0 */
    int64_t modified;  /* nanoseconds; with `size`, tells that it is the same */
    uint64_t identity; /* the same for a checkpoint and its copies, and for no
                          other; 0: unknown */
    uint64_t parent;   /* identity of the checkpoint that its run was resumed
                          from; 0: none, or unknown */
    uint64_t parent_counter; /* of that checkpoint */
    uint64_t origin; /* hash of the identity of the run that its run goes back
                        to in the end, which was begun anew; 0: unknown */
    struct vv_ancestry ancestry; /* of its run */
    char run[VV_RUN_SIZE];       /* identity of its run; "": unknown */
    bool is_padded;              /* its name has 8 digits */
    bool is_ours;
    bool is_pinned;
    bool is_read;    /* it was opened, so the above is known */
    bool is_damaged; /* it could not be opened, or did not verify */
    bool is_unread;  /* opening it failed for a reason that may pass (EIO,
                        ESTALE): it may be good */
    bool is_good;    /* it was written by this process, or verified by it */
    bool is_there;   /* scratch of a refresh */
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
};

/* An empty ledger; clear it also after a failure to read. */
void vv_ledger_begin(
    struct vv_ledger *ledger, const varve_allocator *allocator);
void vv_ledger_clear(struct vv_ledger *ledger);

/* False without memory. */
bool vv_ledger_add(struct vv_ledger *ledger, const struct vv_entry *entry);

/* Reads a ledger. VARVE_NOT_FOUND where there is none; VARVE_CORRUPT where it
 * is damaged, or no ledger: nothing is in it then; what reading fails with.
 * Sets *has_entries where the entries are known, too. */
varve_status vv_ledger_read(struct vv_ledger *ledger,
    const struct vv_context *context, const char *path, bool *has_entries,
    varve_error *error);

/* Writes those entries that were read; not synced, for it may be missing. A
 * file that is no ledger is not replaced: VARVE_EXISTS. */
varve_status vv_ledger_write(const struct vv_ledger *ledger,
    const struct vv_context *context, const char *path, varve_error *error);

#endif
