/* shape.c - checked products of extents, and the walk over a common box.
 *
 * SPDX-License-Identifier: MIT
 */
#include "shape.h"

#include <assert.h>
#include <string.h>

#include "dtype.h"

bool vv_shape_count(uint32_t rank, const uint64_t *extents, uint64_t *count)
{
    uint64_t product = 1;
    bool overflow = false;
    for (uint32_t i = 0; i < rank; i++) {
        if (extents[i] == 0) {
            *count = 0;
            return true;
        }
        overflow |= __builtin_mul_overflow(product, extents[i], &product);
    }
    if (!overflow)
        *count = product;
    return !overflow;
}

bool vv_size_of(uint64_t count, uint64_t size, uint64_t *total)
{
    uint64_t product;
    if (__builtin_mul_overflow(count, size, &product))
        return false;
    *total = product;
    return true;
}

bool vv_tensor_is_valid(const varve_tensor *tensor)
{
    uint64_t count, size;
    return vv_dtype_of(tensor->dtype) && tensor->rank <= VARVE_MAX_RANK &&
           vv_shape_count(tensor->rank, tensor->shape, &count) &&
           vv_size_of(count, varve_dtype_size(tensor->dtype), &size) &&
           size <= SIZE_MAX;
}

bool vv_shape_equal(const varve_tensor *a, const varve_tensor *b)
{
    return a->rank == b->rank && a->rank <= VARVE_MAX_RANK &&
           memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0;
}

static uint64_t common(const struct vv_box *box, uint32_t i)
{
    return box->from[i] < box->to[i] ? box->from[i] : box->to[i];
}

void vv_box_begin(
    struct vv_box *box, const varve_tensor *from, const varve_tensor *to)
{
    assert(from->rank == to->rank && from->rank <= VARVE_MAX_RANK);
    *box = (struct vv_box){ .rank = from->rank };
    for (uint32_t i = 0; i < box->rank; i++) {
        box->from[i] = from->shape[i];
        box->to[i] = to->shape[i];
        box->done |= common(box, i) == 0;
    }
    if (box->done)
        return;
    if (box->rank == 0) { /* a scalar is one run of one element */
        box->rank = 1;
        box->from[0] = box->to[0] = 1;
    }
    /* Where the inner extents agree, a run goes on over them. No product
     * overflows, for no extent is 0 and both shapes have a count. */
    while (
        box->rank > 1 && box->from[box->rank - 1] == box->to[box->rank - 1]) {
        uint32_t last = --box->rank;
        box->from[last - 1] *= box->from[last];
        box->to[last - 1] *= box->to[last];
    }
}

/* The next position of all extents but the last, as an odometer counts. */
static bool advance(struct vv_box *box)
{
    for (uint32_t i = box->rank - 1; i-- > 0;) {
        if (++box->position[i] < common(box, i))
            return true;
        box->position[i] = 0;
    }
    return false;
}

bool vv_box_next(
    struct vv_box *box, uint64_t *from_first, uint64_t *to_first, uint64_t *run)
{
    if (box->done)
        return false;
    uint64_t from = 0, to = 0;
    for (uint32_t i = 0; i < box->rank; i++) {
        from = from * box->from[i] + box->position[i];
        to = to * box->to[i] + box->position[i];
    }
    *from_first = from;
    *to_first = to;
    *run = common(box, box->rank - 1);
    box->done = !advance(box);
    return true;
}
