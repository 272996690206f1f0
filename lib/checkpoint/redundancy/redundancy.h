/* redundancy.h - Describes how the files of all ranks are protected against the
 * loss of nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REDUNDANCY_H
#define VV_REDUNDANCY_H

#include <varve/comm.h>
#include <varve/redundancy.h>

#include "context.h"

/* The number of bytes that are sent at once. */
enum { VV_PASSED_AT_ONCE = 256 * 1024 };

/* The settings for new sets. Those of an existing set are stored in its parity
 * files. */
struct vv_redundancy {
    /* to fill in */
    const struct vv_context *context;
    const varve_comm *comm;
    uint32_t scheme;     /* a varve_redundancy_scheme */
    uint32_t group_size; /* number of nodes in a group, if there are enough */
    const uint32_t *domains; /* for each rank: ranks with the same number
                                fail together */
    size_t round_size;       /* VV_PASSED_AT_ONCE; smaller in tests */
    bool no_sync;
};

/* The files of this process in a set. The number is the same on all ranks. */
struct vv_redundant_file {
    /* to fill in */
    uint64_t number;
    uint64_t age;       /* time when the run of this rank's file began, in any
                           unit; the younger of two sets with the same number
                           is used; 0: unknown */
    const char *path;   /* path of its checkpoint */
    const char *parity; /* path of its parity file */
};

#endif
