/* apart.h - the bytes that views span, and whether two views share one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_APART_H
#define VV_APART_H

#include <stdint.h>

#include <varve/memory.h>

/* The bytes of a view from the first to behind the last; with strides, some of
 * those between may be no bytes of it. `end` equals `begin` for no bytes. */
struct vv_address_range {
    /* to fill in */
    uintptr_t begin;
    uintptr_t end;
};

/* The span of a valid view that is not reached by functions. */
struct vv_address_range vv_tensor_span(const varve_tensor *tensor);

/* Whether two such views, whose strides are apart (strided.h), share a byte.
 * Views of strides that need more than a bounded number of steps to be told
 * apart are taken to share one. */
bool vv_tensors_share(const varve_tensor *a, const varve_tensor *b);

#endif
