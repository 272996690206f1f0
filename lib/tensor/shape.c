/* shape.c - Multiplies extents with overflow checks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "shape.h"

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
    uint64_t count, size = 0;
    return vv_dtype_of(tensor->dtype) && tensor->rank <= VARVE_MAX_RANK &&
           vv_shape_count(tensor->rank, tensor->shape, &count) &&
           vv_size_of(count, varve_dtype_size(tensor->dtype), &size) &&
           size <= SIZE_MAX;
}

varve_tensor vv_tensor_copy(const varve_tensor *tensor)
{
    varve_tensor copy = { 0 };
    memcpy(&copy, tensor, vv_tensor_bytes(tensor->rank));
    return copy;
}

bool vv_shape_equal(const varve_tensor *a, const varve_tensor *b)
{
    return a->rank == b->rank && a->rank <= VARVE_MAX_RANK &&
           memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0;
}
