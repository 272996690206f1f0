/* redundancy.h - what a process knows of how the files of all are protected
 * against the loss of machines.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REDUNDANCY_H
#define VV_REDUNDANCY_H

#include <varve/comm.h>
#include <varve/redundancy.h>

#include "context.h"

/* Bytes that go from one to the next at once. */
enum { VV_PASSED_AT_ONCE = 256 * 1024 };

/* How sets are protected that are made from now on; what protects an older one
 * stands in its files. */
struct vv_redundancy {
    /* to fill in */
    const struct vv_context *context;
    const varve_comm *comm;
    uint32_t scheme;         /* of varve_redundancy_scheme */
    uint32_t group_size;     /* nodes of a group, where there are as many */
    const uint32_t *domains; /* what fails together, of each rank */
    size_t round_size;       /* VV_PASSED_AT_ONCE; of tests less */
    bool no_sync;
};

/* The files of this process in a set: each rank has one of the same number. */
struct vv_redundant_file {
    /* to fill in */
    uint64_t number;
    uint64_t age; /* when the run of this rank's file began, in any unit: of two
                     sets of a number the younger one counts; 0: unknown */
    const char *path;   /* of its checkpoint */
    const char *parity; /* of the file that protects others by it */
};

#endif
