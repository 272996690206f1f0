/* context.h - what every part of the library is handed: memory and a system.
 *
 * The base only knows the system's name; os/system.h says what it is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CONTEXT_H
#define VV_CONTEXT_H

#include <stdint.h>

#include <varve/allocator.h>

struct vv_system;

/* A directory whose name is known to be on disk; 0, 0: none. */
struct vv_durable {
    /* to read */
    uint64_t device;
    uint64_t serial;
};

struct vv_context {
    /* to fill in */
    varve_allocator allocator;      /* function is never NULL */
    const struct vv_system *system; /* the one door to the machine */
    struct vv_durable *durable;     /* of who saves again and again; or NULL */
    struct vv_durable *durable_layers; /* the same of the folder of layers */
    bool dots;          /* names of other formats are split at them
                           as they are read */
    bool no_hdf5;       /* files of HDF5 are not read */
    bool follows_links; /* files that a file names may be links to anywhere */
    bool salvages;      /* of a damaged file what is left is read */
};

#endif
