/* value_out.h - Writes the bytes of values to a file: small values are
 * buffered, large ones are written directly.
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
    const struct vv_publication *file; /* the file that is written */
    uint64_t offset;         /* offset in the file of the buffered bytes */
    struct vv_buffer staged; /* the buffered bytes; callers can append others */
};

void vv_value_out_init(
    struct vv_value_out *out, const struct vv_target *target);
void vv_value_out_clear(struct vv_value_out *out);

/* Appends the bytes of a value, which has `size` bytes. */
varve_status vv_value_out_add(struct vv_value_out *out, uint32_t value,
    uint64_t size, varve_error *error);

/* Writes the buffered bytes. */
varve_status vv_value_out_flush(struct vv_value_out *out, varve_error *error);

#endif
