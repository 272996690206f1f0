/* views.h - Creates values in memory that is not row-major, and checks their
 * elements one by one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_VIEWS_H
#define SUPPORT_VIEWS_H

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

enum { VIEW_GUARD = 0xa5, VIEW_MARGIN = 16 };

/* Returns pseudorandom numbers, the same in each run. */
static inline uint64_t view_random(uint64_t *seed, uint64_t limit)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed % limit;
}

/* A view with strides or access functions. */
struct view {
    varve_tensor tensor;
    varve_memory memory;
    int64_t strides[VARVE_MAX_RANK];
    unsigned char *block;
    size_t size; /* of the block */
    int64_t origin;
    size_t value_size;
    long calls; /* calls of all functions, and of those that copy in */
    long calls_in;
    long fails_from;  /* number of the first call that fails; -1: none */
    long fails_until; /* number of the next call that succeeds */
    size_t largest;   /* largest requested size */
    atomic_int inside;
    bool was_shared; /* two threads called a function at the same time */
};

/* --- Access functions ----------------------------------------------------- */

static inline varve_status view_call(
    struct view *v, void *to, const void *from, size_t size)
{
    varve_status status = VARVE_OK;
    if (atomic_fetch_add(&v->inside, 1) != 0)
        v->was_shared = true;
    long call = v->calls++;
    if (size > v->largest)
        v->largest = size;
    if (v->fails_from >= 0 && call >= v->fails_from && call < v->fails_until)
        status = VARVE_IO;
    /* A failing call has copied half. */
    memcpy(to, from, status ? size / 2 : size);
    atomic_fetch_sub(&v->inside, 1);
    return status;
}

static inline varve_status view_copy_out(
    void *self, uint64_t offset, void *bytes, size_t size)
{
    struct view *v = self;
    return view_call(v, bytes, v->block + offset, size);
}

static inline varve_status view_copy_in(
    void *self, uint64_t offset, const void *bytes, size_t size)
{
    struct view *v = self;
    v->calls_in++;
    return view_call(v, v->block + offset, bytes, size);
}

static inline void view_begin(
    struct view *v, varve_dtype dtype, varve_shape shape)
{
    memset(v, 0, sizeof *v);
    v->tensor = varve_view(NULL, dtype, shape);
    v->tensor.memory = &v->memory;
    v->value_size = (size_t)varve_tensor_size(&v->tensor);
    v->fails_from = -1;
}

static inline void view_make_far(
    struct view *v, varve_dtype dtype, varve_shape shape)
{
    view_begin(v, dtype, shape);
    v->size = v->value_size;
    v->block = calloc(v->size + 1, 1);
    v->memory.copy_out = view_copy_out;
    v->memory.copy_in = view_copy_in;
    v->memory.self = v;
}

static inline void view_fail(struct view *v, long from, long count)
{
    v->calls = v->calls_in = 0;
    v->fails_from = from;
    v->fails_until = from + count;
}

/* --- Strided -------------------------------------------------------------- */

/* Chooses a random order of dimensions, with gaps of any size, in either
 * direction. */
static inline void view_make_strided(
    struct view *v, varve_dtype dtype, varve_shape shape, uint64_t *seed)
{
    uint32_t order[VARVE_MAX_RANK] = { 0 };
    view_begin(v, dtype, shape);
    uint64_t span = varve_dtype_size(dtype), before = VIEW_MARGIN;
    for (uint32_t i = 0; i < shape.rank; i++) {
        uint32_t k = (uint32_t)view_random(seed, i + 1);
        order[i] = order[k];
        order[k] = i;
    }
    for (uint32_t i = 0; i < shape.rank; i++) {
        uint32_t k = order[shape.rank - 1 - i];
        uint64_t gap = view_random(seed, 2) ? view_random(seed, 9) : 0;
        uint64_t stride = span + gap;
        bool is_back = view_random(seed, 3) == 0;
        v->strides[k] = is_back ? -(int64_t)stride : (int64_t)stride;
        uint64_t way =
            shape.extents[k] ? (shape.extents[k] - 1) * stride : 0;
        before += is_back ? way : 0;
        span += way;
    }
    v->memory.strides = v->strides;
    v->origin = (int64_t)before;
    v->size = (size_t)span + 2 * VIEW_MARGIN;
    v->block = malloc(v->size);
    memset(v->block, VIEW_GUARD, v->size);
    v->tensor.data = v->block + v->origin;
}

static inline void view_free(struct view *v)
{
    free(v->block);
}

/* --- Values --------------------------------------------------------------- */

/* Returns the offset of an element. */
static inline int64_t view_place(const struct view *v, uint64_t element)
{
    int64_t place = v->origin;
    size_t unit = varve_dtype_size(v->tensor.dtype);
    if (!v->memory.strides)
        return (int64_t)(element * unit);
    for (uint32_t k = v->tensor.rank; k-- > 0;) {
        place += (int64_t)(element % v->tensor.shape[k]) * v->strides[k];
        element /= v->tensor.shape[k];
    }
    return place;
}

/* Returns the bytes of a value that is identified by a number. */
static inline unsigned char view_byte(uint64_t number, uint64_t at)
{
    return (unsigned char)(1 + (number * 29 + at * 7 + at / 253) % 120);
}

static inline void view_set(struct view *v, uint64_t number)
{
    size_t unit = varve_dtype_size(v->tensor.dtype);
    for (size_t at = 0; at < v->value_size; at += unit) {
        unsigned char *to = v->block + view_place(v, at / unit);
        for (size_t i = 0; i < unit; i++)
            to[i] = view_byte(number, at + i);
    }
}

/* Returns true if the view has that value and no other bytes were written. */
static inline bool view_is(const struct view *v, uint64_t number)
{
    size_t unit = varve_dtype_size(v->tensor.dtype), others = 0;
    for (size_t at = 0; at < v->value_size; at += unit) {
        const unsigned char *from = v->block + view_place(v, at / unit);
        for (size_t i = 0; i < unit; i++) {
            if (from[i] != view_byte(number, at + i))
                return false;
        }
    }
    for (size_t at = 0; at < v->size; at++)
        others += v->block[at] == VIEW_GUARD;
    return others >= v->size - v->value_size;
}

/* Returns true if row-major bytes are that value. */
static inline bool view_bytes_are(
    const void *bytes, size_t size, uint64_t number)
{
    const unsigned char *b = bytes;
    for (size_t at = 0; at < size; at++) {
        if (b[at] != view_byte(number, at))
            return false;
    }
    return true;
}

#endif
