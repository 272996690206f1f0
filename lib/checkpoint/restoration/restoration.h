/* restoration.h - a restoration behind its handle: which node of the file is
 * bound to which node of the program, and what became of each value.
 *
 * Nothing is kept in lists of "pending" things: a value waits as long as no
 * node of the program is bound to its node in the file. Every new edge or slot
 * of the program is matched in the same way as those that were there at the
 * time of the read. docs/developers/architecture.md lists the states of a
 * value.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESTORATION_H
#define VV_RESTORATION_H

#include <varve/restoration.h>

#include "delivery.h"
#include "graph.h"
#include "map.h"
#include "matching.h"
#include "opened.h"
#include "pairing.h"

struct varve_restoration {
    struct vv_observer observer;
    struct vv_pairing pairing;
    struct vv_delivery delivery;
    struct vv_matching matching;
    struct vv_opened file;
    bool has_lent_file; /* who lent it closes it */

    bool is_open;    /* the read succeeded: what comes now arrives late */
    bool is_settled; /* nothing arrives any more but what is asked for */
    /* to fill in */
    bool is_lent; /* somebody else than the program frees it */
    /* own */
    bool is_busy; /* matching or delivering: a new edge only queues */

    struct vv_map pending; /* tensors handed out by varve_pending */
};

/* Whether the values are known to be good before any is delivered. */
enum vv_look {
    VV_LOOK_NOT,  /* those that are delivered are; see transfer.h */
    VV_LOOK_REST, /* all but those that are delivered, which are read once: a
                     failure may leave them half restored */
    VV_LOOK_ALL,  /* all; after that those that are delivered are read once */
};

/* A restoration of a file that is found by `path`, matched and, unless
 * `is_dry`, delivered. NULL on failure; then the program is as it was. */
struct vv_opening {
    /* to fill in */
    const char *path;
    const struct vv_opened *file; /* what was found there, which outlives the
                                     restoration; NULL: it is looked for */
    bool hands_over_file;         /* it is closed by the restoration, if there
                                     is one */
    const varve_read_options *options;
    struct vv_collective_open
        *consent;     /* of others that do the same; or NULL */
    bool is_numbered; /* `path` may be a prefix */
    bool is_save;     /* the save counter is taken over */
    bool is_dry;
    bool is_by_label; /* the program's paths are names: global names of the
                         file match them, also in a file with a graph */
    bool is_whole;    /* fails where the file lacks something of the program */
    bool leaves_values; /* see delivery.h */
    enum vv_look look;
    varve_status *read_failure; /* set to what reading the values failed with,
                                   if that is why there is none; or NULL */
};

varve_restoration *vv_restoration_open(
    varve_node *root, const struct vv_opening *opening, varve_error *error);

/* Frees it, also if it is lent. */
void vv_restoration_free(struct varve_restoration *r);

/* It fails after it has delivered, or others do, who have older values then:
 * what it has delivered counts as half restored. */
void vv_restoration_leave_half(struct varve_restoration *r);

/* Ends the waiting: gives up all that waits, and takes no notice of what is
 * added to the graph. */
varve_status vv_restoration_settle(
    struct varve_restoration *r, varve_error *error);

/* Whether memory ran out for what has to be matched or delivered: a retry looks
 * at all of it again. */
static inline bool vv_has_run_out(const struct varve_restoration *r)
{
    return r->pairing.failure.status || r->delivery.has_lost;
}

/* Takes back the failure of a restoration in which nothing is stuck any more
 * and all that met fits. */
void vv_clear_if_mended(struct varve_restoration *r);

#endif
