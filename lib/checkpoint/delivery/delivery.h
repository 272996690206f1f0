/* delivery.h - what becomes of the values of a file, and the lists of those
 * that are on their way.
 *
 * It knows values and the memory that they go to. Which node a value goes to is
 * asked of a pairing, in which nothing is changed. Nothing is kept in lists of
 * what waits: a value waits as long as no node of the program is bound to its
 * node in the file. docs/developers/architecture.md lists the states of a
 * value.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DELIVERY_H
#define VV_DELIVERY_H

#include "buffer.h"
#include "damages.h"
#include "delivery_states.h"
#include "readahead.h"
#include "map.h"
#include "opened.h"
#include "pairing.h"

/* How many bytes of new values may wait, where the program does not say. */
enum {
    VV_STAGING_SIZE = 48 << 20,
    VV_STAGING_SIZE_OF_MANY = 4 << 20 /* at each of many that read once: to
                                         touch new memory takes longer there
                                         than reading */
};

/* Values that a cast could not keep. */
struct vv_misfits {
    /* to read */
    uint32_t value;
    uint64_t count;
};

struct vv_division;

/* Others that restore at the same time, and change nothing unless all can. They
 * open the file together. The first transfer that verifies ahead divides that
 * with them. The first transfer asks, once it has verified what it brings, or
 * all but that where none has anything to lose, or has failed: what comes back
 * is the status of all. */
struct vv_collective_open {
    /* to fill in */
    varve_status (*open)(void *user, struct vv_opened *file,
        const struct vv_context *context, const char *path, varve_error *error);
    varve_status (*divide)(
        void *user, struct vv_division *division, varve_error *error);
    varve_status (*ask)(void *user, varve_status status, varve_error *error);
    void *user;
    bool reads_once; /* each asks for that, or has nothing to lose */
    bool was_asked;
};

struct vv_delivery {
    /* to read */
    const struct vv_pairing *pairing;
    const varve_read_options *options;
    const struct vv_opened *file;
    struct vv_delivery_states delivery_states;
    struct vv_damages damages;
    struct vv_buffer cast_misfits; /* vv_misfits */
    varve_status read_failure;     /* what reading values failed with, whatever
                                      else was told of it */
    uint64_t looked_at; /* bytes that `salvage` has read, of this batch */

    /* to fill in: by who opens a restoration with others; or NULL */
    struct vv_collective_open *consent;
    bool leaves_values; /* to library-owned variables without memory: verified,
                           and no more, where they can be had later */
    bool reads_once; /* what is too large to be staged is changed as it is read
                        and verified: all was looked at, or another file has
                        all of it */
    uint8_t passes;  /* varve_passes: how often values were read so far */
    /* by arrivals and retries */
    bool has_new_mismatch;          /* since the last arrival */
    bool has_lost;                  /* memory ran out for a list */
    struct vv_pair_list jobs;       /* values due */
    struct vv_pair_list held;       /* states whose variables are not
                                          there yet */
    struct vv_pair_list stuck;      /* values whose delivery failed */
    struct vv_pair_list mismatched; /* nodes that do not fit each
                                    other */
    struct vv_pair_list folds;      /* private nodes to be folded */
    varve_error failure;            /* of an arrival; VARVE_OK: none */

    /* own */
    uint8_t *not_own; /* by node of the file: vv_private_skip; NULL: all are
                         for this process */
    struct vv_buffer cuts; /* vv_own_cut: decided, and still to be left out */
    struct vv_map served;  /* places that were given a copy */
    struct vv_readahead readahead; /* where values come one by one */
};

/* Asks the others, if there are any and nobody has yet; what comes back is the
 * status of all. */
varve_status vv_ask_others(
    struct vv_delivery *delivery, varve_status status, varve_error *error);

/* What may wait in all until it is good, and is undone whatever fails. */
uint64_t vv_staging_limit(const struct vv_delivery *delivery);

/* They are read now, and were looked at before, or not. */
static inline void vv_note_passes(struct vv_delivery *delivery, bool twice)
{
    if (twice || !delivery->passes)
        delivery->passes = twice ? VARVE_TWO_PASSES : VARVE_ONE_PASS;
}

/* Empty; a pairing and an opened file that stay where they are, and may still
 * be empty. */
void vv_delivery_init(struct vv_delivery *delivery,
    const struct vv_pairing *pairing, const struct vv_opened *file);

/* Every value waits. */
varve_status vv_delivery_begin(
    struct vv_delivery *delivery, varve_error *error);

/* Also after a beginning that failed; the pairing is still there. */
void vv_delivery_end(struct vv_delivery *delivery);

/* Forgets a program that is gone. */
void vv_delivery_forget_graph(struct vv_delivery *delivery);

/* Asserts that lists and delivery states agree, of few values and after an
 * arrival. */
void vv_delivery_check(const struct vv_delivery *delivery);

/* Remembers that memory ran out for something that a retry finds again. */
void vv_note_loss(struct vv_delivery *delivery);

/* Adds to a list; what memory runs out for is lost until a retry. */
void vv_enlist(struct vv_delivery *delivery, struct vv_pair_list *list,
    varve_node *node, uint32_t number);

#endif
