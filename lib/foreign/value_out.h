/* value_out.h - bytes of values on their way into a file: small ones gather,
 * large ones go by themselves.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_VALUE_OUT_H
#define VV_VALUE_OUT_H

#include <varve/error.h>

#include "buffer.h"
#include "publish.h"
#include "target.h"

struct vv_value_out {
    /* to fill in */
    const struct vv_target *target;
    const struct vv_publication *file; /* that is written */
    uint64_t offset;         /* where in the file what is gathered begins */
    struct vv_buffer staged; /* what is gathered; other bytes may be added */
};

void vv_value_out_init(
    struct vv_value_out *out, const struct vv_target *target);
void vv_value_out_clear(struct vv_value_out *out);

/* Adds the bytes of a value, of which there are `size`. */
varve_status vv_value_out_add(struct vv_value_out *out, uint32_t value,
    uint64_t size, varve_error *error);

/* Writes what is gathered. */
varve_status vv_value_out_flush(struct vv_value_out *out, varve_error *error);

#endif
