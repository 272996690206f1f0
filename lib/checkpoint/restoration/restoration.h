/* restoration.h - The restoration behind the public handle: the bindings
 * between nodes of the file and of the program, and the state of each value.
 *
 * There are no lists of pending nodes: a value is pending as long as no node of
 * the program is bound to its node in the file. Every new edge or slot of the
 * program is matched in the same way as those that existed at the time of the
 * read. docs/developers/architecture.md lists the states of a value.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_RESTORATION_H
#define VV_RESTORATION_H

#include <varve/restoration.h>

#include "delivery.h"
#include "graph.h"
#include "hash_table.h"
#include "matching.h"
#include "opened.h"
#include "pairing.h"

struct varve_restoration {
    struct vv_observer observer;
    struct vv_pairing pairing;
    struct vv_delivery delivery;
    struct vv_matching matching;
    struct vv_opened file;
    bool has_lent_file; /* the owner of the file closes it */

    bool is_settled; /* pending values were dropped; nothing is delivered
                        except on request */
    /* to fill in */
    bool is_lent; /* freed by its owner, not by the program */
    /* own */
    bool is_busy; /* matching or delivering; new edges are only queued */

    struct vv_map pending; /* tensors returned by varve_pending, by value */
    uint32_t *live; /* by node of the file: how many of its own value and of the
                       nodes below it on a first path are not given up; NULL: no
                       value was dropped yet */
    uint64_t live_moment;       /* `given_up_changes` when it was correct */
    struct vv_child_name *ends; /* edges of the file by the ends of their names;
                                 NULL: not needed yet */
    bool has_dropped_by_pattern; /* values were dropped with wildcards */
};

/* The values that are verified before any is delivered. */
enum vv_look {
    VV_LOOK_NOT,  /* none; values are verified as they are delivered
                     (transfer.h) */
    VV_LOOK_REST, /* all except those that are delivered, which are read
                     once; a failure may leave variables partially restored */
    VV_LOOK_ALL,  /* all; those that are delivered are then read once more */
};

/* The arguments of vv_restoration_open, which opens a file, matches it and,
 * unless `is_dry`, delivers its values. It returns NULL on failure. */
struct vv_opening {
    /* to fill in */
    const char *path;
    const struct vv_opened *file; /* the open file, which must outlive the
                                     restoration; NULL: opened by path */
    bool hands_over_file;         /* on success the restoration owns and
                                     closes `file` */
    const varve_read_options *options;
    struct vv_collective_open *consent; /* for collective reads; or NULL */
    bool is_numbered;                   /* `path` may be a prefix */
    bool is_save;   /* sets the save counter of the program */
    bool is_resume; /* a rename to a path that the file lacks has no effect,
                       because the program may have saved its new name */
    bool is_dry;
    bool is_by_label;     /* paths of the program are names: they match global
                             names of the file, also if the file has a graph */
    bool is_whole;        /* fails if the file lacks a value for a variable */
    uint64_t leaves_from; /* see delivery.h */
    enum vv_look look;
    varve_status *read_failure; /* set to the status of a failed read of
                                   values; or NULL */
};

varve_restoration *vv_restoration_open(
    varve_node *root, const struct vv_opening *opening, varve_error *error);

/* Frees it, also if it is lent. */
void vv_restoration_free(struct varve_restoration *r);

/* Marks the variables that it has delivered as partially restored. Called if
 * the restoration fails after a delivery, or if other processes fail and still
 * have older values. */
void vv_restoration_leave_half(struct varve_restoration *r);

/* Drops all pending values. Later additions to the graph are ignored. */
varve_status vv_restoration_settle(
    struct varve_restoration *r, varve_error *error);

/* Returns true if matching or delivering ran out of memory. A retry examines
 * everything again. */
static inline bool vv_has_run_out(const struct varve_restoration *r)
{
    return r->pairing.failure.status || r->delivery.has_lost;
}

/* Clears the failure if no value is stuck or mismatched any more. */
void vv_clear_if_mended(struct varve_restoration *r);

#endif
