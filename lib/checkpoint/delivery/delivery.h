/* delivery.h - Stores the state of each value of a file, and lists of the
 * values that are being delivered.
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

#include "buffer.h"
#include "damages.h"
#include "delivery_states.h"
#include "hash_table.h"
#include "opened.h"
#include "pairing.h"
#include "readahead.h"

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
