/* torch_decode.c - Reads a tensor run by run, or reads the whole span of the
 * storage that contains it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_decode.h"

#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "failure.h"
#include "torch_pieces.h"
#include "try.h"
#include "typed_memory.h"

enum {
    /* The span of a tensor is read as a whole if it is not much larger than the
     * tensor. */
    MOST_SPANNED = 8, /* times the size of the tensor */
    ANYWAY = 1 << 16, /* or up to this many bytes */
};

/* Iterates over the contiguous runs of a tensor in row-major order. */
struct walk {
    const struct vv_torch_tensor *t;
    const struct vv_torch_file *file;
    const struct vv_zip_entry *entry;
    size_t run; /* bytes */
    uint32_t outer;
    uint64_t at[VARVE_MAX_RANK];
    uint64_t place; /* of the run, in elements from the offset */
};

static uint64_t element_of(const struct walk *w)
{
    return vv_dtype_file_size(w->t->type.dtype);
}

static void torch_decode_walk_on(struct walk *w)
{
    for (uint32_t i = w->outer; i-- > 0;) {
        w->place += w->t->strides[i];
        if (++w->at[i] < w->t->type.shape[i])
            return;
        w->place -= w->at[i] * w->t->strides[i];
        w->at[i] = 0;
    }
}

/* Reads bytes of the storage. `begin` is relative to the first element of the
 * tensor. */
static varve_status torch_decode_read_at(const struct walk *w, uint64_t begin,
    void *bytes, size_t size, varve_error *error)
{
    uint64_t first = w->entry->data + w->t->offset * element_of(w);
    return vv_foreign_read(w->file->zip.foreign, w->entry->file, bytes, size,
        first + begin, error);
}

static varve_status read_runs(
    struct walk *w, unsigned char *bytes, size_t size, varve_error *error)
{
    for (size_t done = 0; done < size; done += w->run) {
        VV_TRY(torch_decode_read_at(
            w, w->place * element_of(w), bytes + done, w->run, error));
        torch_decode_walk_on(w);
    }
    return VARVE_OK;
}

/* The CRC covers the whole storage, so it is checked only if all of it is read.
 */
static varve_status read_span(struct walk *w, unsigned char *span,
    size_t spanned, unsigned char *bytes, size_t size, varve_error *error)
{
    VV_TRY(torch_decode_read_at(w, 0, span, spanned, error));
    if (spanned == w->entry->size)
        VV_TRY(vv_torch_check_sum(w->file, w->entry, span, error));
    for (size_t done = 0; done < size; done += w->run) {
        memcpy(bytes + done, span + w->place * element_of(w), w->run);
        torch_decode_walk_on(w);
    }
    return VARVE_OK;
}

static varve_status torch_decode_gather(
    struct walk *w, unsigned char *bytes, size_t size, varve_error *error)
{
    const varve_allocator *a = &w->file->zip.foreign->context->allocator;
    uint64_t extent = 0;
    vv_torch_extent(w->t,
        &extent); /* cannot fail: it was checked when the file was opened */
    uint64_t spanned = (extent - w->t->offset) * element_of(w);
    if (spanned > ANYWAY && spanned / MOST_SPANNED > size)
        return read_runs(w, bytes, size, error);
    unsigned char *span =
        spanned > SIZE_MAX ? NULL : vv_allocate(a, (size_t)spanned);
    if (!span)
        return vv_fail_memory(error, "a strided tensor");
    varve_status status =
        read_span(w, span, (size_t)spanned, bytes, size, error);
    vv_release(a, span, (size_t)spanned);
    return status;
}

bool vv_torch_is_plain(
    const struct vv_torch_file *file, const struct vv_torch_tensor *t)
{
    uint32_t outer;
    vv_torch_run(t, &outer);
    return outer == 0 && !t->conjugated && !t->negated &&
           (!file->is_big_endian || vv_dtype_file_size(t->type.dtype) == 1);
}

/* Applies the lazy conjugate and negative bits to little-endian elements. */
static void turn_signs(
    const struct vv_torch_tensor *t, unsigned char *bytes, size_t size)
{
    const struct vv_dtype *dtype = vv_dtype_of(t->type.dtype);
    bool is_complex = dtype->part_size != dtype->size;
    if (dtype->family != VV_FAMILY_REAL)
        return;
    for (size_t part = 0, end = dtype->part_size; end <= size;
         part++, end += dtype->part_size) {
        bool is_imaginary = is_complex && part % 2 == 1;
        if (t->negated != (t->conjugated && is_imaginary))
            bytes[end - 1] ^= 0x80;
    }
}

varve_status vv_torch_gather(const struct vv_torch_file *file,
    const struct vv_torch_gathered *g, unsigned char *bytes, size_t size,
    varve_error *error)
{
    const struct vv_torch_tensor *t = &g->tensor;
    struct walk w = { .t = t, .file = file, .entry = g->entry };
    w.run = (size_t)(vv_torch_run(t, &w.outer) * element_of(&w));
    VV_TRY(torch_decode_gather(&w, bytes, size, error));
    if (file->is_big_endian)
        vv_dtype_reverse_copy(
            t->type.dtype, bytes, bytes, size / element_of(&w));
    if (t->conjugated || t->negated)
        turn_signs(t, bytes, size);
    return VARVE_OK;
}

static void torch_decode_store(unsigned char *bytes, size_t size, uint64_t bits)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(bits >> 8 * i);
}

static void store_text(unsigned char *bytes, const struct vv_buffer *from,
    const struct vv_torch_made *made)
{
    vv_store64(bytes, made->size);
    if (made->size)
        memcpy(bytes + 8, from->data + made->at, made->size);
}

varve_status vv_torch_decode_part(const struct vv_foreign *foreign,
    uint64_t number, uint64_t at, unsigned char *bytes, size_t size,
    varve_error *error)
{
    const struct vv_torch_file *file = foreign->state;
    const struct vv_torch_made *made =
        (const struct vv_torch_made *)(const void *)file->made.data + number;
    return vv_torch_read_pieces(file, made->at, at, bytes, size, error);
}

varve_status vv_torch_decode(const struct vv_foreign *foreign, uint64_t number,
    unsigned char *bytes, size_t size, varve_error *error)
{
    const struct vv_torch_file *file = foreign->state;
    const struct vv_torch_made *made =
        (const struct vv_torch_made *)(const void *)file->made.data + number;
    switch ((enum vv_torch_making)made->making) {
    case VV_TORCH_NUMBER: torch_decode_store(bytes, size, made->at); break;
    case VV_TORCH_TEXT:
    case VV_TORCH_BYTES:
        store_text(bytes,
            made->making == VV_TORCH_TEXT ? &file->pickle : &file->bytes, made);
        break;
    case VV_TORCH_ARRAY:
        if (size > 0)
            memcpy(bytes, file->bytes.data + made->at, size);
        break;
    case VV_TORCH_VECTOR:
        for (size_t i = 0; i < size / 8; i++)
            torch_decode_store(bytes + 8 * i, 8,
                ((const uint64_t *)(const void *)
                        file->numbers.data)[made->at + i]);
        break;
    case VV_TORCH_GATHER:
        return vv_torch_gather(file,
            (const struct vv_torch_gathered *)(const void *)file->tensors.data +
                made->at,
            bytes, size, error);
    case VV_TORCH_PIECES:
        return vv_torch_read_pieces(file, made->at, 0, bytes, size, error);
    }
    return VARVE_OK;
}
