/* delivery.h - Stores the state and the damage of each value of a file, and
 * lists of the values that are being delivered.
 *
 * A delivery has access to values and to the memory that they go to. It reads
 * the bindings of nodes from a pairing, but does not change them. There is no
 * list of pending values: a value is pending as long as no node of the program
 * is bound to its node in the file. docs/developers/architecture.md lists the
 * states of a value.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DELIVERY_H
#define VV_DELIVERY_H

#include <stdbool.h>
#include <stdint.h>

#include <varve/allocator.h>

#include "buffer.h"
#include "hash_table.h"
#include "opened.h"
#include "pairing.h"
#include "readahead.h"

/* --- States of values ----------------------------------------------------- */

struct vv_index;

/* The delivery state of a value. */
enum vv_delivery_state {
    VV_DELIVERY_STATE_WAITING,    /* pending: its node is not bound, or the
                                     value is held */
    VV_DELIVERY_STATE_DUE,        /* bound, and to be delivered */
    VV_DELIVERY_STATE_APPLIED,    /* delivered */
    VV_DELIVERY_STATE_LENT,       /* delivered by another path, an alias or a
                                     global name; the node with its own path
                                     may follow */
    VV_DELIVERY_STATE_SUPERSEDED, /* bound to a node that a later restoration
                                     has restored */
    VV_DELIVERY_STATE_EXCLUDED,   /* bound, but excluded by the options */
    VV_DELIVERY_STATE_MISMATCHED, /* bound to a node that it does not fit */
    VV_DELIVERY_STATE_DROPPED,    /* dropped by the program */
    VV_DELIVERY_STATE_DAMAGED,    /* damaged, and left out by `salvage` */
};

struct vv_delivery_states {
    /* to read */
    uint8_t *of;      /* by value: enum vv_delivery_state */
    uint32_t pending; /* number of saved values that are WAITING or DUE */
    uint64_t given_up_changes; /* how often vv_is_given_up changed for a value
                                */

    /* own */
    const varve_allocator *allocator;
    bool *dropped; /* by node of the file without a value: dropped, so
                      mismatches are ignored; NULL: none */
    uint32_t value_count;
    uint32_t node_count;
    const struct vv_index *index; /* of the file: which values are saved */
};

/* Makes all values pending. Returns false if out of memory. */
bool vv_delivery_states_begin(struct vv_delivery_states *delivery_states,
    const varve_allocator *allocator, const struct vv_index *index);

/* Accepts a struct that is all zero, and one whose vv_delivery_states_begin has
 * failed. */
void vv_delivery_states_end(struct vv_delivery_states *delivery_states);

/* Changes the state of a value. All changes go through this function. An
 * invalid transition is a bug of the library and fails an assertion. */
void vv_change_delivery_state(struct vv_delivery_states *delivery_states,
    uint32_t value, enum vv_delivery_state delivery_state);

/* Returns true if a value may still be delivered without a request. */
static inline bool vv_is_open(
    const struct vv_delivery_states *delivery_states, uint32_t value)
{
    return delivery_states->of[value] == VV_DELIVERY_STATE_WAITING ||
           delivery_states->of[value] == VV_DELIVERY_STATE_DUE;
}

/* Does the same, and returns false if the value is not saved. */
bool vv_is_pending(
    const struct vv_delivery_states *delivery_states, uint32_t value);

/* Returns true if a value is not delivered unless the program requests it
 * again. */
static inline bool vv_is_given_up(
    const struct vv_delivery_states *delivery_states, uint32_t value)
{
    return delivery_states->of[value] == VV_DELIVERY_STATE_DROPPED ||
           delivery_states->of[value] == VV_DELIVERY_STATE_DAMAGED;
}

/* Returns true if a value was delivered to a node, which may be removed by now.
 * Values are delivered only once. */
static inline bool vv_is_delivered(
    const struct vv_delivery_states *delivery_states, uint32_t value)
{
    return delivery_states->of[value] == VV_DELIVERY_STATE_APPLIED ||
           delivery_states->of[value] == VV_DELIVERY_STATE_LENT ||
           delivery_states->of[value] == VV_DELIVERY_STATE_SUPERSEDED;
}

/* Returns true if a value is not delivered to nodes that are bound to its node
 * in the file from now on. */
static inline bool vv_is_final(
    const struct vv_delivery_states *delivery_states, uint32_t value)
{
    return vv_is_delivered(delivery_states, value) ||
           vv_is_given_up(delivery_states, value);
}

/* Returns true if the options exclude a value. */
static inline bool vv_is_left_out(
    const struct vv_delivery_states *delivery_states, uint32_t value)
{
    return delivery_states->of[value] == VV_DELIVERY_STATE_EXCLUDED;
}

/* Allocates the table of dropped nodes. Returns false if out of memory. */
bool vv_reserve_dropped(struct vv_delivery_states *delivery_states);

/* Return or set whether a node of the file without a value is dropped.
 * Mismatches with a dropped node are ignored. vv_reserve_dropped must have
 * succeeded before nodes are dropped. */
bool vv_is_dropped(
    const struct vv_delivery_states *delivery_states, uint32_t file);
void vv_set_dropped(
    struct vv_delivery_states *delivery_states, uint32_t file, bool is_dropped);

/* --- Damages -------------------------------------------------------------- */

/* Stores which values of a file are damaged, and why. */

/* The damage of a value. A later one replaces an earlier one. */
struct vv_damage {
    /* to fill in */
    uint32_t value;
    uint64_t damaged; /* number of damaged chunks */
    uint64_t chunks;  /* number of chunks; at most 1: not reported */
    const char *why;
};

struct vv_damages {
    /* own */
    struct vv_buffer all;
    struct vv_buffer text; /* strings, each with a NUL */
};

void vv_damages_init(
    struct vv_damages *damages, const varve_allocator *allocator);
void vv_damages_end(struct vv_damages *damages);

/* Adds a damage. Returns false if out of memory. */
bool vv_note_damage(struct vv_damages *damages, const struct vv_damage *damage);

/* Must be called after damages were added and before vv_damage_of. */
void vv_sort_damages(struct vv_damages *damages);

/* Returns the reason why a value is damaged, or NULL. Valid until the next
 * damage is added. */
const char *vv_damage_of(const struct vv_damages *damages, uint32_t value);

/* --- The delivery --------------------------------------------------------- */

/* The default limit of bytes that are staged. */
enum {
    VV_STAGING_SIZE = 48 << 20,
    VV_STAGING_SIZE_OF_MANY = 4 << 20 /* for each process of a collective
                                         read in one pass: there the first
                                         write to new memory takes longer
                                         than reading */
};

/* The number of elements of a value that a cast could not represent. */
struct vv_misfits {
    /* to read */
    uint32_t value;
    uint64_t count;
};

struct vv_division;

/* Connects processes that restore together, and change nothing unless all
 * succeed. They open the file together. The first transfer that verifies ahead
 * divides that work among them (`divide`). The first transfer calls `ask` when
 * it has verified its values, or before values are read into place if no
 * process can lose anything, or when it has failed. `ask` returns the common
 * status of all processes. */
struct vv_collective_open {
    /* to fill in */
    varve_status (*open)(void *user, struct vv_opened *file,
        const struct vv_context *context, const char *path, varve_error *error);
    varve_status (*divide)(
        void *user, struct vv_division *division, varve_error *error);
    varve_status (*ask)(void *user, varve_status status, varve_error *error);
    void *user;
    bool reads_once; /* all processes read in one pass, or have nothing to
                        lose */
    bool was_asked;
};

struct vv_delivery {
    /* to read */
    const struct vv_pairing *pairing;
    const varve_read_options *options;
    const struct vv_opened *file;
    struct vv_delivery_states delivery_states;
    struct vv_damages damages;
    struct vv_buffer cast_misfits; /* struct vv_misfits */
    varve_status read_failure;     /* status of the last failed read of
                                      values, which the returned status may
                                      hide */
    uint64_t looked_at; /* bytes of this batch that `salvage` has read */

    /* to fill in: for a collective read; or NULL */
    struct vv_collective_open *consent;
    uint64_t leaves_from; /* values of library-owned variables without memory
                             that have at least so many bytes are only
                             verified, if they can be read from the file later;
                             0: none */
    bool reads_once; /* values that are too large for staging are changed as
                        they are read and verified, because everything was
                        verified before, or because another file has all
                        values */
    uint8_t passes;  /* enum varve_passes: how often values were read so far */
    /* set by arrivals and retries */
    bool has_new_mismatch;          /* since the last arrival */
    bool has_lost;                  /* there was no memory for a list */
    struct vv_pair_list jobs;       /* due values */
    struct vv_pair_list held;       /* states whose variables do not exist
                                       yet */
    struct vv_pair_list stuck;      /* values whose delivery failed */
    struct vv_pair_list mismatched; /* nodes of different kind, type or shape */
    struct vv_pair_list folds;      /* rank-local nodes to be merged */
    varve_error failure;            /* of an arrival; VARVE_OK: none */

    /* own */
    uint8_t *not_own; /* by node of the file: enum vv_private_skip; NULL: all
                         nodes are for this process */
    struct vv_buffer cuts; /* struct vv_own_cut: nodes to be excluded by the
                              next vv_leave_out_others */
    struct vv_map served;  /* paths, by hash, that have received a copy */
    struct vv_readahead readahead; /* for values that are read one by one */
};

/* Exchanges the status with the other processes, at the first call of a
 * collective read. Returns the common status. */
varve_status vv_delivery_exchange_status(
    struct vv_delivery *delivery, varve_status status, varve_error *error);

/* Returns the limit of bytes that are staged until all are verified, and that a
 * failure can undo. */
uint64_t vv_staging_limit(const struct vv_delivery *delivery);

/* Records that values are read, and whether they were verified in an earlier
 * pass (`twice`). */
static inline void vv_note_passes(struct vv_delivery *delivery, bool twice)
{
    if (twice || !delivery->passes)
        delivery->passes = twice ? VARVE_TWO_PASSES : VARVE_ONE_PASS;
}

/* Initializes an empty delivery. `pairing` and `file` may still be empty, and
 * must not move. */
void vv_delivery_init(struct vv_delivery *delivery,
    const struct vv_pairing *pairing, const struct vv_opened *file);

/* Makes every value pending. */
varve_status vv_delivery_begin(
    struct vv_delivery *delivery, varve_error *error);

/* Also called after a failed vv_delivery_begin. The pairing must still exist.
 */
void vv_delivery_end(struct vv_delivery *delivery);

/* Removes all references to a graph that is being freed. */
void vv_delivery_forget_graph(struct vv_delivery *delivery);

/* Asserts that lists and delivery states agree. Must be called after an
 * arrival. Skips large files. */
void vv_delivery_check(const struct vv_delivery *delivery);

/* Records that memory ran out. A retry finds the lost pair again. */
void vv_note_loss(struct vv_delivery *delivery);

/* Adds a pair to a list. If memory runs out, it is lost until a retry. */
static inline void vv_enlist(struct vv_delivery *delivery,
    struct vv_pair_list *list, varve_node *node, uint32_t number)
{
    if (!vv_append_pair(list, node, number))
        vv_note_loss(delivery);
}

#endif
