/* disjoint.h - Computes the byte ranges of views, and whether two views
 * overlap.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_DISJOINT_H
#define VV_DISJOINT_H

#include <stdint.h>

#include <varve/memory.h>

/* The range from the first byte of a view to after the last. With strides, it
 * can contain bytes that do not belong to the view. `end` equals `begin` if the
 * view is empty. */
struct vv_address_range {
    /* to fill in */
    uintptr_t begin;
    uintptr_t end;
};

/* Returns the range of a valid view without access functions. */
struct vv_address_range vv_tensor_span(const varve_tensor *tensor);

/* Returns true if two such views share a byte. Their strides must be apart
 * (strided.h). Also returns true if the decision would need more than a bounded
 * number of steps. */
bool vv_tensors_share(const varve_tensor *a, const varve_tensor *b);

#endif
