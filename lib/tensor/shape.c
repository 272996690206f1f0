/* shape.c - Computes sizes of shapes with overflow checks, and implements the
 * public functions for shapes and views.
 *
 * SPDX-License-Identifier: MIT
 */
#include "shape.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <varve/memory.h>
#include <varve/tensor.h>

#include "dtype.h"

/* --- Sizes ---------------------------------------------------------------- */

/* Multiplies extents with overflow checks. */

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

/* --- Public functions ----------------------------------------------------- */

/* Functions for shapes and views in the public interface. */

static uint32_t kept_rank(uint32_t rank)
{
    return rank < VARVE_MAX_RANK ? rank : VARVE_MAX_RANK;
}

varve_shape varve_shape_of(uint32_t rank, const uint64_t *extents)
{
    varve_shape shape = { .rank = rank };
    for (uint32_t i = 0; i < kept_rank(rank); i++)
        shape.extents[i] = extents[i];
    return shape;
}

varve_tensor varve_view(void *data, varve_dtype dtype, varve_shape shape)
{
    varve_tensor view = { .data = data, .dtype = dtype, .rank = shape.rank };
    for (uint32_t i = 0; i < kept_rank(shape.rank); i++)
        view.shape[i] = shape.extents[i];
    return view;
}

varve_tensor varve_view_of_rows(
    void *data, size_t row_size, varve_dtype dtype, varve_shape shape)
{
    varve_tensor view = varve_view(data, dtype, shape);
    uint64_t size = varve_dtype_size(dtype), count = 1;
    bool has_rows = row_size != size;
    for (uint32_t i = 1; i < kept_rank(shape.rank); i++)
        if (!vv_size_of(count, shape.extents[i], &count))
            count = 0;
    if (has_rows && (!size || row_size % size || count != row_size / size))
        view.rank = VV_RANK_OF_OTHER_ROWS;
    return view;
}

varve_tensor varve_view_in(const varve_memory *memory, void *data,
    varve_dtype dtype, varve_shape shape)
{
    varve_tensor view = varve_view(data, dtype, shape);
    view.memory = memory;
    return view;
}

uint64_t vv_extent_now(const varve_extent *extent)
{
    const void *at = (const void *)(uintptr_t)extent->at;
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } is;
    if (!extent->dtype)
        return extent->at;
    memcpy(&is, at, varve_dtype_size(extent->dtype));
    switch (extent->dtype) {
    case VARVE_INT8: return (uint64_t)is.i8;
    case VARVE_INT16: return (uint64_t)is.i16;
    case VARVE_INT32: return (uint64_t)is.i32;
    case VARVE_UINT8: return is.u8;
    case VARVE_UINT16: return is.u16;
    case VARVE_UINT32: return is.u32;
    default: return is.u64;
    }
}

varve_tensor varve_view_at(
    const varve_memory *memory, varve_dtype dtype, uint32_t rank)
{
    varve_tensor view = { .dtype = dtype, .rank = rank, .memory = memory };
    memcpy(&view.data, memory->pointer, sizeof view.data);
    for (uint32_t i = 0; i < kept_rank(rank); i++)
        view.shape[i] = vv_extent_now(&memory->extents[i]);
    return view;
}

uint64_t varve_tensor_count(const varve_tensor *tensor)
{
    uint64_t count = 0;
    if (tensor->rank <= VARVE_MAX_RANK)
        vv_shape_count(tensor->rank, tensor->shape, &count);
    return count;
}

uint64_t varve_tensor_size(const varve_tensor *tensor)
{
    uint64_t size = 0;
    vv_size_of(
        varve_tensor_count(tensor), varve_dtype_size(tensor->dtype), &size);
    return size;
}

char *varve_tensor_text(const varve_tensor *tensor, char *text)
{
    char *end = text + VARVE_TENSOR_TEXT_SIZE;
    char *at = text;
    at += snprintf(
        at, (size_t)(end - at), "%s[", varve_dtype_name(tensor->dtype));
    for (uint32_t i = 0; i < kept_rank(tensor->rank); i++)
        at += snprintf(at, (size_t)(end - at), "%s%" PRIu64, i ? "," : "",
            tensor->shape[i]);
    if (tensor->rank > VARVE_MAX_RANK)
        at += snprintf(at, (size_t)(end - at), ",...");
    snprintf(at, (size_t)(end - at), "]");
    return text;
}
