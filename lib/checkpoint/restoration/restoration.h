/* restoration.h - a restoration behind its handle: which node of the file is
 * bound to which node of the program, and what became of each value.
 *
 * Nothing is kept in lists of "pending" things: a value waits as long as no
 * node of the program is bound to its node in the file. Every new edge or slot
 * of the program is matched in the same way as those that were there at the
 * time of the read. docs/architecture.md draws the states of a value.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESTORATION_H
#define VV_RESTORATION_H

#include <varve/restoration.h>

#include "buffer.h"
#include "graph.h"
#include "map.h"
#include "opened.h"
#include "pairing.h"

/* What became of a value of the file. */
enum vv_fate {
    VV_FATE_WAITING,    /* its node is not bound, or the value is held back */
    VV_FATE_DUE,        /* bound, and to be delivered */
    VV_FATE_APPLIED,    /* delivered */
    VV_FATE_LENT,       /* delivered to a node that has come to it by another
                           path, an alias or a global name: the one whose path
                           it is may follow */
    VV_FATE_SUPERSEDED, /* bound to a node that a later restoration filled */
    VV_FATE_EXCLUDED,   /* bound, but the options leave it out */
    VV_FATE_MISMATCHED, /* bound to a node that it does not fit */
    VV_FATE_DROPPED,    /* nobody waits for it any more */
};

/* Values that a cast could not keep. */
struct vv_misfits {
    uint32_t value;
    uint64_t count;
};

struct varve_restoration {
    struct vv_observer observer;
    struct vv_pairing pairing;
    struct vv_opened file;

    bool is_open;          /* the read succeeded: what comes now arrives late */
    bool is_settled;       /* nothing arrives any more but what is asked for */
    bool is_lent;          /* somebody else than the program frees it */
    bool is_busy;          /* matching or delivering: a new edge only queues */
    bool has_new_mismatch; /* since the last arrival */

    uint8_t *fates;              /* by value: vv_fate */
    struct vv_buffer jobs;       /* vv_pair: values due */
    struct vv_buffer held;       /* vv_pair: states whose variables are not
                                    there yet */
    struct vv_buffer stuck;      /* vv_pair: values whose delivery failed */
    struct vv_buffer mismatched; /* vv_pair: nodes that do not fit each other */
    struct vv_map served;        /* places that were given a copy */
    struct vv_buffer cast_misfits; /* vv_misfits */
    struct vv_map pending;         /* tensors handed out by varve_pending */
    varve_error failure;           /* of an arrival; VARVE_OK: none */
};

/* A restoration of a file that is found by `path`, matched and, unless
 * `is_dry`, delivered. NULL on failure; then the program is as it was. */
struct vv_opening {
    const char *path;
    const varve_read_options *options;
    bool is_numbered; /* `path` may be a prefix */
    bool is_save;     /* the save counter is taken over */
    bool is_dry;
    bool is_whole; /* fails where the file lacks something of the program */
};

varve_restoration *vv_restoration_open(
    varve_node *root, const struct vv_opening *opening, varve_error *error);

/* Frees it, also if it is lent. */
void vv_restoration_free(struct varve_restoration *r);

/* Ends the waiting: gives up all that waits, and takes no notice of what is
 * added to the graph. */
varve_status vv_restoration_settle(
    struct varve_restoration *r, varve_error *error);

/* Takes back the failure of a restoration in which nothing is stuck any more
 * and all that met fits. */
void vv_clear_if_mended(struct varve_restoration *r);

/* Whether a value has come to a node, which may be gone meanwhile: it is
 * delivered once. */
static inline bool vv_is_delivered(
    const struct varve_restoration *r, uint32_t value)
{
    return r->fates[value] == VV_FATE_APPLIED ||
           r->fates[value] == VV_FATE_LENT ||
           r->fates[value] == VV_FATE_SUPERSEDED;
}

#endif
