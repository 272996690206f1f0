/* strided.c - Merges contiguous dimensions, then copies rows of the innermost
 * dimension. A contiguous row is copied at once. If elements are closer along
 * columns, copies by columns.
 *
 * SPDX-License-Identifier: MIT
 */
#include "strided.h"

#include <stdint.h>
#include <string.h>

/* --- Overlapping elements ------------------------------------------------- */

/* Returns the dimension with the smallest stride that is not in `taken`, among
 * those with more than one element; the rank if there is none. */
static uint32_t narrowest(const varve_tensor *tensor, uint32_t taken)
{
    const int64_t *strides = tensor->memory->strides;
    uint32_t found = tensor->rank;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->shape[i] > 1 && !(taken >> i & 1) &&
            (found == tensor->rank || vv_stride_magnitude(strides[i]) <
                                          vv_stride_magnitude(strides[found])))
            found = i;
    }
    return found;
}

bool vv_strides_are_disjoint(const varve_tensor *tensor)
{
    ptrdiff_t span = (ptrdiff_t)varve_dtype_size(tensor->dtype);
    uint32_t taken = 0, i;
    if (varve_tensor_count(tensor) == 0)
        return true;
    while ((i = narrowest(tensor, taken)) < tensor->rank) {
        uint64_t stride = vv_stride_magnitude(tensor->memory->strides[i]);
        ptrdiff_t way;
        if (stride < (uint64_t)span ||
            __builtin_mul_overflow(tensor->shape[i] - 1, stride, &way) ||
            __builtin_add_overflow(span, way, &span))
            return false;
        taken |= 1u << i;
    }
    return true;
}

/* --- Copies --------------------------------------------------------------- */

enum { FETCHED_AHEAD = 64 }; /* in elements */

/* The position of a copy. `place` is in bytes from element 0. */
struct course {
    size_t unit;
    uint32_t rank; /* at least 1 */
    uint64_t extents[VARVE_MAX_RANK];
    int64_t strides[VARVE_MAX_RANK];
    uint64_t at[VARVE_MAX_RANK];
    int64_t place;
};

static void strided_add_dimension(
    struct course *c, uint64_t extent, int64_t stride)
{
    uint32_t last = c->rank - 1;
    if (c->rank > 0 && c->strides[last] == stride * (int64_t)extent) {
        c->extents[last] *= extent;
        c->strides[last] = stride;
        return;
    }
    c->extents[c->rank] = extent;
    c->strides[c->rank++] = stride;
}

/* Begins at an offset. The strides are apart, so nothing overflows. */
static void strided_begin(
    struct course *c, const varve_tensor *tensor, uint64_t offset)
{
    const int64_t *strides = tensor->memory->strides;
    c->unit = varve_dtype_size(tensor->dtype);
    c->rank = 0;
    c->place = 0;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->shape[i] > 1)
            strided_add_dimension(c, tensor->shape[i], strides[i]);
    }
    if (c->rank == 0)
        strided_add_dimension(c, 1, (int64_t)c->unit);
    uint64_t index = offset / c->unit;
    for (uint32_t k = c->rank; k-- > 0;) {
        c->at[k] = index % c->extents[k];
        index /= c->extents[k];
        c->place += (int64_t)c->at[k] * c->strides[k];
    }
}

/* Advances by `count` steps of a dimension; narrower dimensions are at their
 * start. */
static void strided_pass(struct course *c, uint32_t k, uint64_t count)
{
    c->at[k] += count;
    c->place += (int64_t)count * c->strides[k];
    while (k > 0 && c->at[k] == c->extents[k]) {
        c->place -= (int64_t)c->extents[k] * c->strides[k];
        c->at[k--] = 0;
        c->place += c->strides[k];
        c->at[k]++;
    }
}

/* Prefetches the line to be written later: writing part of a cache line loads
 * it first. Prefetching an address beyond the memory is harmless. */
static inline void fetch_ahead(const unsigned char *at, int64_t step)
{
    const uintptr_t way = FETCHED_AHEAD * (uintptr_t)step;
    __builtin_prefetch((const void *)((uintptr_t)at + way), 1);
}

/* Copies elements one by one. `size` is a constant in all callers. */
static inline void copy_each(unsigned char *to, int64_t to_step,
    const unsigned char *from, int64_t from_step, uint64_t count, size_t size)
{
    const bool scatters = to_step != (int64_t)size;
    for (int64_t i = 0; i < (int64_t)count; i++) {
        if (scatters)
            fetch_ahead(to + i * to_step, to_step);
        memcpy(to + i * to_step, from + i * from_step, size);
    }
}

/* Copies elements at constant distances. */
static void copy_row(unsigned char *to, int64_t to_step,
    const unsigned char *from, int64_t from_step, uint64_t count, size_t unit)
{
    if (to_step == from_step)
        memcpy(to, from, (size_t)count * unit);
    else if (unit == 1)
        copy_each(to, to_step, from, from_step, count, 1);
    else if (unit == 2)
        copy_each(to, to_step, from, from_step, count, 2);
    else if (unit == 4)
        copy_each(to, to_step, from, from_step, count, 4);
    else if (unit == 8)
        copy_each(to, to_step, from, from_step, count, 8);
    else
        copy_each(to, to_step, from, from_step, count, 16);
}

/* Several whole rows: distances in bytes between rows, and between the elements
 * of a row. */
struct rows {
    uint64_t count;
    uint64_t length; /* elements in a row */
    unsigned char *to;
    int64_t to_row, to_step;
    const unsigned char *from;
    int64_t from_row, from_step;
};

enum { LINE = 64 }; /* size of a cache line */

/* Copies by columns, for as many rows as have their elements in one cache line.
 * So each line is loaded once, and not once per row. `size` is a constant in
 * all callers. */
static inline void copy_columns(const struct rows *r, size_t size)
{
    const uint64_t most = LINE / size;
    for (uint64_t begin = 0; begin < r->count; begin += most) {
        uint64_t end = r->count - begin < most ? r->count : begin + most;
        for (int64_t k = 0; k < (int64_t)r->length; k++)
            for (int64_t i = (int64_t)begin; i < (int64_t)end; i++)
                memcpy(r->to + i * r->to_row + k * r->to_step,
                    r->from + i * r->from_row + k * r->from_step, size);
    }
}

static void copy_turned(const struct rows *r, size_t unit)
{
    if (unit == 1)
        copy_columns(r, 1);
    else if (unit == 2)
        copy_columns(r, 2);
    else if (unit == 4)
        copy_columns(r, 4);
    else if (unit == 8)
        copy_columns(r, 8);
    else
        copy_columns(r, 16);
}

/* Returns how many of the remaining elements are in the current row. */
static uint64_t row(const struct course *c, size_t size)
{
    uint32_t k = c->rank - 1;
    uint64_t left = size / c->unit, here = c->extents[k] - c->at[k];
    return left < here ? left : here;
}

/* Returns the number of whole rows left if elements are closer to those of the
 * next row than to each other, as in a column-major matrix; otherwise 0. */
static uint64_t turned_rows(const struct course *c, size_t size)
{
    uint32_t k = c->rank - 1;
    if (k == 0 || c->at[k] != 0 ||
        vv_stride_magnitude(c->strides[k - 1]) >=
            vv_stride_magnitude(c->strides[k]))
        return 0;
    uint64_t left = size / c->unit / c->extents[k];
    uint64_t here = c->extents[k - 1] - c->at[k - 1];
    return left < here ? left : here;
}

void vv_strided_out(
    const varve_tensor *tensor, uint64_t offset, void *bytes, size_t size)
{
    struct course c;
    const unsigned char *data = tensor->data;
    unsigned char *to = bytes;
    strided_begin(&c, tensor, offset);
    for (uint64_t count; size > 0; size -= (size_t)count * c.unit) {
        const uint32_t k = c.rank - 1;
        const int64_t unit = (int64_t)c.unit;
        struct rows r = { .count = turned_rows(&c, size),
            .length = c.extents[k],
            .to = to,
            .to_row = (int64_t)c.extents[k] * unit,
            .to_step = unit,
            .from = data + c.place,
            .from_step = c.strides[k] };
        if (r.count > 1) {
            count = r.count * r.length;
            r.from_row = c.strides[k - 1];
            copy_turned(&r, c.unit);
            strided_pass(&c, k - 1, r.count);
        } else {
            count = row(&c, size);
            copy_row(to, unit, r.from, r.from_step, count, c.unit);
            strided_pass(&c, k, count);
        }
        to += count * c.unit;
    }
}

void vv_strided_in(
    const varve_tensor *tensor, uint64_t offset, const void *bytes, size_t size)
{
    struct course c;
    unsigned char *data = tensor->data;
    const unsigned char *from = bytes;
    strided_begin(&c, tensor, offset);
    for (uint64_t count; size > 0; size -= (size_t)count * c.unit) {
        const uint32_t k = c.rank - 1;
        const int64_t unit = (int64_t)c.unit;
        struct rows r = { .count = turned_rows(&c, size),
            .length = c.extents[k],
            .to = data + c.place,
            .to_step = c.strides[k],
            .from = from,
            .from_row = (int64_t)c.extents[k] * unit,
            .from_step = unit };
        if (r.count > 1) {
            count = r.count * r.length;
            r.to_row = c.strides[k - 1];
            copy_turned(&r, c.unit);
            strided_pass(&c, k - 1, r.count);
        } else {
            count = row(&c, size);
            copy_row(r.to, r.to_step, from, unit, count, c.unit);
            strided_pass(&c, k, count);
        }
        from += count * c.unit;
    }
}
