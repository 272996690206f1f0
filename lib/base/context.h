/* context.h - The allocator, the system and the options that all parts of the
 * library use.
 *
 * The base only declares the system; os/system.h defines it.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CONTEXT_H
#define VV_CONTEXT_H

#include <stdint.h>

#include <varve/allocator.h>

struct vv_system;

/* A directory whose entry is known to be synced; 0, 0: none. */
struct vv_durable {
    /* to read */
    uint64_t device;
    uint64_t serial;
};

struct vv_context {
    /* to fill in */
    varve_allocator allocator; /* function is never NULL */
    /* the only access to the operating system */
    const struct vv_system *system;
    /* set by callers that save repeatedly; or NULL */
    struct vv_durable *durable;
    struct vv_durable *durable_layers; /* the same for the folder of layers */
    bool dots; /* names in other formats are split at dots when they are read */
    bool no_hdf5; /* HDF5 files are not read */
    /* files that are named in other files can be symbolic links to any place */
    bool follows_links;
    bool salvages; /* the intact values of damaged files are read */
};

#endif
