/* views.c - Creates views with strides or access functions.
 *
 * SPDX-License-Identifier: MIT
 */
#include "mix/views.h"

#include <stdlib.h>
#include <string.h>

#include "mix/mix.h"
#include "mix/trouble.h"

enum { ROOM = 256, MARGIN = 4, GAP = 0xEE };

/* The memory of a view with strides or functions. */
struct block {
    varve_memory memory;
    int64_t strides[2];
    struct mix *mix;
    atomic_flag is_busy;
    size_t size; /* size of the memory behind access functions */
    unsigned char bytes[ROOM];
};

const char *mix_layout_name(uint8_t layout)
{
    static const char *const names[MIX_LAYOUTS] = { "row-major", "apart",
        "backwards", "by columns", "far" };
    return names[layout];
}

/* --- Functions ------------------------------------------------------------ */

static void enter(struct block *b, uint64_t offset, size_t size)
{
    MIX_CHECK(offset <= b->size && size <= b->size - offset,
        "a copy of %zu bytes at %d of %zu", size, (int)offset, b->size);
    MIX_CHECK(!atomic_flag_test_and_set(&b->is_busy),
        "two threads copy at a time");
}

static varve_status copy_out(
    void *self, uint64_t offset, void *bytes, size_t size)
{
    struct block *b = self;
    enter(b, offset, size);
    varve_status status = mix_copy_status(b->mix);
    if (!status)
        memcpy(bytes, b->bytes + offset, size);
    atomic_flag_clear(&b->is_busy);
    return status;
}

/* A failing call may have copied a part. */
static varve_status copy_in(
    void *self, uint64_t offset, const void *bytes, size_t size)
{
    struct block *b = self;
    enter(b, offset, size);
    varve_status status = mix_copy_status(b->mix);
    if (!status)
        memcpy(b->bytes + offset, bytes, size);
    else if (mix_copies_in_part(b->mix))
        memcpy(b->bytes + offset, bytes, size / 2);
    atomic_flag_clear(&b->is_busy);
    return status;
}

/* --- Strides -------------------------------------------------------------- */

/* Sets the strides of rows and columns. */
static void choose_strides(
    uint8_t layout, size_t size, bool has_rows, int64_t strides[2])
{
    int64_t inner = (int64_t)size + 3, outer = 2 * inner + 5;
    if (layout == MIX_BACKWARDS) {
        inner = -(int64_t)size - 1;
        outer = 3 * inner;
    } else if (layout == MIX_BY_COLUMNS) {
        inner = 2 * (int64_t)size;
        outer = (int64_t)size;
    }
    strides[0] = has_rows ? outer : inner;
    strides[1] = inner;
}

/* Returns the offset of the first element, so that all elements are after the
 * margin. */
static size_t begin_of(const struct block *b, const struct mix_value *value)
{
    int64_t begin = MARGIN;
    uint8_t columns = value->form == MIX_ROWS ? 2 : 1;
    if (value->count && b->strides[0] < 0)
        begin -= b->strides[0] * (value->count / columns - 1);
    if (columns == 2 && b->strides[1] < 0)
        begin -= b->strides[1];
    return (size_t)begin;
}

static varve_tensor lay_near(struct block *b, uint8_t layout, uint8_t dtype,
    const struct mix_value *value)
{
    choose_strides(layout, varve_dtype_size((varve_dtype)dtype),
        value->form == MIX_ROWS, b->strides);
    b->memory.strides = b->strides;
    return varve_view_in(&b->memory, b->bytes + begin_of(b, value),
        (varve_dtype)dtype, mix_extents(value));
}

static varve_tensor lay_far(
    struct block *b, uint8_t dtype, const struct mix_value *value)
{
    b->memory = (varve_memory){
        .copy_out = copy_out, .copy_in = copy_in, .self = b
    };
    b->size = value->count * varve_dtype_size((varve_dtype)dtype);
    return varve_far(&b->memory, (varve_dtype)dtype, mix_extents(value));
}

varve_tensor mix_lay_out(struct mix *m, uint8_t layout, uint8_t dtype,
    const struct mix_value *value, void **block)
{
    bool is_near = layout == MIX_ROW_MAJOR || dtype == VARVE_STRING;
    struct block *b = *block = calloc(1, sizeof *b);
    MIX_CHECK(b, "the machine is out of memory");
    b->mix = m;
    atomic_flag_clear(&b->is_busy);
    memset(b->bytes, GAP, sizeof b->bytes);
    varve_tensor view;
    if (is_near)
        view = varve_view(*block, (varve_dtype)dtype, mix_extents(value));
    else if (layout == MIX_FAR)
        view = lay_far(b, dtype, value);
    else
        view = lay_near(b, layout, dtype, value);
    mix_fill(&view, value);
    return view;
}

/* --- Elements ------------------------------------------------------------- */

void *mix_element(const varve_tensor *view, uint64_t index)
{
    size_t size = varve_dtype_size(view->dtype);
    const varve_memory *memory = view->memory;
    if (!memory)
        return (unsigned char *)view->data + index * size;
    if (!memory->strides)
        return ((struct block *)memory->self)->bytes + index * size;
    int64_t at = 0;
    for (uint32_t i = view->rank; i > 0 && index > 0; i--) {
        at += memory->strides[i - 1] * (int64_t)(index % view->shape[i - 1]);
        index /= view->shape[i - 1];
    }
    return (unsigned char *)view->data + at;
}

/* A row-major view has no gaps. */
bool mix_has_gaps(const varve_tensor *view, const void *block)
{
    bool is_element[ROOM] = { false };
    if (!view->memory || !view->memory->strides)
        return true;
    const struct block *b = block;
    for (uint64_t i = 0; i < varve_tensor_count(view); i++) {
        const unsigned char *at = mix_element(view, i);
        for (size_t k = 0; k < varve_dtype_size(view->dtype); k++)
            is_element[(size_t)(at - b->bytes) + k] = true;
    }
    for (size_t i = 0; i < ROOM; i++)
        if (!is_element[i] && b->bytes[i] != GAP)
            return false;
    return true;
}
