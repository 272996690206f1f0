/* torch_value.c - Finds the position of each value in the file, or the data
 * from which it is decoded.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_value.h"

#include <string.h>

#include "bytes.h"
#include "checksum.h"
#include "failure.h"
#include "number.h"
#include "torch_decode.h"
#include "torch_pieces.h"
#include "torch_python.h"
#include "try.h"
#include "typed_memory.h"

enum { BYTES_OF_64 = 9, /* size of an integer from 2^63 up to 2^64 - 1 */ };

/* The expanded tensors of a file may together have this many bytes plus the
 * size of the file. */
static const uint64_t most_expanded = UINT64_C(64) << 20;

/* A tensor that has a node. Equal numbers identify equal tensors. */
struct bound {
    uint32_t node;
    uint32_t count; /* of elements in `is` */
    uint64_t is[];
};

void vv_torch_values_init(struct vv_torch_values *v, struct vv_draft *draft,
    struct vv_torch_file *file, const struct vv_pickle *p)
{
    const varve_allocator *a = &draft->context->allocator;
    *v = (struct vv_torch_values){ .draft = draft, .file = file, .p = p };
    vv_arena_init(&v->arena, a);
    vv_map_init(&v->tensors, a);
    for (size_t i = 0; i < file->zip.foreign->file_count; i++)
        v->room += file->zip.foreign->files[i].size;
}

void vv_torch_values_clear(struct vv_torch_values *v)
{
    vv_arena_clear(&v->arena);
    vv_map_clear(&v->tensors);
}

static varve_status torch_value_fail_memory(const struct vv_torch_values *v)
{
    return vv_fail_memory(v->where.error, "values");
}

/* --- Decoded values ------------------------------------------------------- */

static varve_status torch_value_note_made(struct vv_torch_values *v,
    struct vv_torch_made made, struct vv_place *place)
{
    struct vv_buffer *all = &v->file->made;
    *place = (struct vv_place){ .file = VV_DECODED,
        .offset = all->size / sizeof made };
    vv_buffer_add(all, &made, sizeof made);
    return all->failed ? torch_value_fail_memory(v) : VARVE_OK;
}

static varve_status torch_value_add_made(struct vv_torch_values *v,
    struct vv_torch_made made, const varve_tensor *type, uint32_t *node)
{
    struct vv_place place;
    VV_TRY(torch_value_note_made(v, made, &place));
    *node = vv_draft_node(v->draft, VARVE_VARIABLE);
    uint64_t strings =
        type->dtype == VARVE_STRING ? 8 + (uint64_t)made.size : 0;
    vv_draft_value(v->draft, *node, type, strings, &place);
    return VARVE_OK;
}

static varve_status torch_value_add_number(
    struct vv_torch_values *v, varve_dtype dtype, uint64_t bits, uint32_t *node)
{
    varve_tensor type = { .dtype = dtype };
    struct vv_torch_made made = { .making = VV_TORCH_NUMBER, .at = bits };
    return torch_value_add_made(v, made, &type, node);
}

static varve_status torch_value_add_text(struct vv_torch_values *v,
    const struct vv_pickle_item *item, uint32_t *node)
{
    varve_tensor type = { .dtype = VARVE_STRING };
    struct vv_torch_made made = {
        .making = VV_TORCH_TEXT, .size = item->b, .at = item->a
    };
    return torch_value_add_made(v, made, &type, node);
}

static varve_status add_long(struct vv_torch_values *v,
    const struct vv_pickle_item *item, uint32_t *node)
{
    const char *bytes = vv_pickle_bytes(v->p, item);
    if (item->b == BYTES_OF_64 && bytes[BYTES_OF_64 - 1] == 0)
        return torch_value_add_number(v, VARVE_UINT64, vv_load64(bytes), node);
    VV_TRY(torch_value_add_text(v, item, node));
    vv_draft_tag(v->draft, *node, "pickle:int");
    return VARVE_OK;
}

varve_status vv_torch_add_scalar(
    struct vv_torch_values *v, uint32_t number, uint32_t *node)
{
    const struct vv_pickle_item *item = vv_pickle_item(v->p, number);
    uint64_t bits = (uint64_t)vv_pickle_integer(item);
    if (item->kind == VV_PICKLE_BOOL)
        return torch_value_add_number(v, VARVE_BOOL, bits, node);
    if (item->kind == VV_PICKLE_INTEGER)
        return torch_value_add_number(v, VARVE_INT64, bits, node);
    if (item->kind == VV_PICKLE_REAL)
        return torch_value_add_number(v, VARVE_FLOAT64, bits, node);
    return item->kind == VV_PICKLE_LONG ? add_long(v, item, node)
                                        : torch_value_add_text(v, item, node);
}

/* Adds decoded bytes, which the pickle does not contain in this form. */
static varve_status torch_value_add_bytes(struct vv_torch_values *v,
    const unsigned char *bytes, size_t size, uint32_t *node)
{
    varve_tensor type = { .dtype = VARVE_STRING };
    struct vv_torch_made made = { .making = VV_TORCH_BYTES,
        .size = (uint32_t)size,
        .at = v->file->bytes.size };
    vv_buffer_add(&v->file->bytes, bytes, size);
    return v->file->bytes.failed ? torch_value_fail_memory(v)
                                 : torch_value_add_made(v, made, &type, node);
}

varve_status vv_torch_add_array(
    struct vv_torch_values *v, uint32_t item, uint32_t *node, bool *is_one)
{
    struct vv_torch_array array;
    struct vv_buffer *bytes = &v->file->bytes;
    *is_one = vv_torch_array(v->p, item, &array) &&
              array.size <= v->p->size - v->arrays;
    if (!*is_one)
        return VARVE_OK;
    struct vv_torch_made made = { .making = VV_TORCH_ARRAY,
        .size = (uint32_t)array.size,
        .at = bytes->size };
    v->arrays += array.size;
    *is_one = vv_torch_array_add(v->p, &array, bytes);
    if (!*is_one)
        return VARVE_OK;
    return bytes->failed ? torch_value_fail_memory(v)
                         : torch_value_add_made(v, made, &array.type, node);
}

bool vv_torch_is_made(const struct vv_pickle *p, uint32_t item)
{
    unsigned char bytes[VV_TORCH_MOST_BYTES];
    size_t size;
    varve_dtype dtype;
    uint64_t bits;
    return vv_torch_numpy(p, item, &dtype, &bits) ||
           vv_torch_bytes(p, item, bytes, &size);
}

varve_status vv_torch_add_made(
    struct vv_torch_values *v, uint32_t item, uint32_t *node)
{
    unsigned char bytes[VV_TORCH_MOST_BYTES];
    size_t size = 0;
    varve_dtype dtype;
    uint64_t bits;
    if (vv_torch_numpy(v->p, item, &dtype, &bits))
        return torch_value_add_number(v, dtype, bits, node);
    vv_torch_bytes(v->p, item, bytes, &size);
    return torch_value_add_bytes(v, bytes, size, node);
}

/* --- Vectors -------------------------------------------------------------- */

/* Returns float64 if there is a real, int64 if all are integers, and 0 if there
 * is another item, or an integer that float64 cannot represent next to a real.
 */
static varve_dtype torch_value_type_of(
    const struct vv_pickle *p, uint32_t first, uint64_t *count)
{
    varve_dtype type = VARVE_INT64;
    bool are_reals = true;
    *count = 0;
    for (uint32_t at = first; at; at = vv_pickle_link(p, at).next, ++*count) {
        const struct vv_pickle_item *item =
            vv_pickle_item(p, vv_pickle_link(p, at).item);
        if (item->kind == VV_PICKLE_REAL)
            type = VARVE_FLOAT64;
        else if (item->kind == VV_PICKLE_INTEGER)
            are_reals &= vv_number_is_real(vv_pickle_integer(item));
        else
            return (varve_dtype)0;
    }
    if (*count == 0 || (type == VARVE_FLOAT64 && !are_reals))
        return (varve_dtype)0;
    return type;
}

static void torch_value_add_numbers(
    struct vv_torch_values *v, uint32_t first, varve_dtype type)
{
    for (uint32_t at = first; at; at = vv_pickle_link(v->p, at).next) {
        const struct vv_pickle_item *item =
            vv_pickle_item(v->p, vv_pickle_link(v->p, at).item);
        uint64_t bits = (uint64_t)vv_pickle_integer(item);
        if (type == VARVE_FLOAT64 && item->kind == VV_PICKLE_INTEGER) {
            double real = (double)vv_pickle_integer(item);
            memcpy(&bits, &real, sizeof bits);
        }
        vv_buffer_add(&v->file->numbers, &bits, sizeof bits);
    }
}

bool vv_torch_is_vector(const struct vv_pickle *p, uint32_t number)
{
    uint64_t count;
    return !vv_pickle_has_keys(p, number) &&
           torch_value_type_of(p, vv_pickle_item(p, number)->first, &count) !=
               0;
}

varve_status vv_torch_add_vector(
    struct vv_torch_values *v, uint32_t number, uint32_t *node)
{
    uint32_t first = vv_pickle_item(v->p, number)->first;
    varve_tensor type = { .rank = 1 };
    struct vv_torch_made made = { .making = VV_TORCH_VECTOR,
        .at = v->file->numbers.size / 8 };
    type.dtype = torch_value_type_of(v->p, first, &type.shape[0]);
    torch_value_add_numbers(v, first, type.dtype);
    if (v->file->numbers.failed)
        return torch_value_fail_memory(v);
    return torch_value_add_made(v, made, &type, node);
}

/* --- Tensors -------------------------------------------------------------- */

static bool torch_value_is_bound(const void *item, const void *key)
{
    const struct bound *a = item, *b = key;
    return a->count == b->count &&
           memcmp(a->is, b->is, a->count * sizeof *a->is) == 0;
}

/* Returns the numbers that identify a tensor: the position of its elements and
 * their interpretation. Tensors without a storage are never equal. */
static struct bound *torch_value_describe(struct vv_torch_values *v,
    const struct vv_torch_tensor *t, const struct vv_zip_entry *e)
{
    enum { FIXED = 5 };
    uint32_t count = FIXED + 2 * t->type.rank;
    struct bound *b =
        vv_arena_take(&v->arena, sizeof *b + count * sizeof *b->is);
    if (!b)
        return NULL;
    *b = (struct bound){ .count = count };
    b->is[0] = e->offset;
    b->is[1] = t->offset;
    b->is[2] = t->type.dtype;
    b->is[3] = (uint64_t)t->conjugated << 1 | t->negated;
    b->is[4] = e->file;
    memcpy(b->is + FIXED, t->type.shape, t->type.rank * sizeof *b->is);
    memcpy(
        b->is + FIXED + t->type.rank, t->strides, t->type.rank * sizeof *b->is);
    return b;
}

/* Sets *place to the position of the bytes, with the CRC of the storage if the
 * tensor is all of it. */
static varve_status place_tensor(struct vv_torch_values *v,
    const struct vv_torch_gathered *g, uint64_t size, struct vv_place *place)
{
    const struct vv_torch_tensor *t = &g->tensor;
    struct vv_torch_made made = { .making = VV_TORCH_GATHER,
        .at = v->file->tensors.size / sizeof *g };
    if (size > 0 && !vv_torch_is_plain(v->file, t)) {
        vv_buffer_add(&v->file->tensors, g, sizeof *g);
        return v->file->tensors.failed ? torch_value_fail_memory(v)
                                       : torch_value_note_made(v, made, place);
    }
    *place =
        (struct vv_place){ .file = g->entry->file, .offset = g->entry->data };
    if (size > 0)
        place->offset += t->offset * vv_dtype_file_size(t->type.dtype);
    if (size == g->entry->size && g->entry->crc != 0) {
        place->sum_kind = VV_SUM_CRC32;
        place->sum = g->entry->crc;
    }
    return VARVE_OK;
}

/* Returns true if a tensor may have this size, which can exceed that of its
 * storage. */
static bool may_expand(
    struct vv_torch_values *v, const struct vv_torch_gathered *g, uint64_t size)
{
    uint64_t most = most_expanded + v->room;
    if (size <= g->entry->size)
        return true;
    if (size > most - v->expanded)
        return false;
    v->expanded += size;
    return true;
}

/* Adds the node of `b`. */
static varve_status add_bound(struct vv_torch_values *v,
    const struct vv_torch_gathered *g, uint64_t size, struct bound *b)
{
    struct vv_place place;
    VV_TRY(place_tensor(v, g, size, &place));
    b->node = vv_draft_node(v->draft, VARVE_VARIABLE);
    vv_draft_value(v->draft, b->node, &g->tensor.type, 0, &place);
    return VARVE_OK;
}

static varve_status add_stored(struct vv_torch_values *v,
    const struct vv_torch_gathered *g, uint64_t size, uint32_t *node,
    bool *is_one)
{
    struct bound *b = torch_value_describe(v, &g->tensor, g->entry);
    if (!b)
        return torch_value_fail_memory(v);
    uint64_t hash = vv_hash_of(b->is, b->count * sizeof *b->is);
    const struct bound *there =
        vv_map_find(&v->tensors, hash, torch_value_is_bound, b);
    *is_one = there || may_expand(v, g, size);
    if (!there && *is_one) {
        if (!vv_map_add(&v->tensors, hash, b))
            return torch_value_fail_memory(v);
        VV_TRY(add_bound(v, g, size, b));
        there = b;
    }
    if (there)
        *node = there->node;
    return VARVE_OK;
}

varve_status vv_torch_add_tensor(struct vv_torch_values *v,
    const struct vv_torch_tensor *t, uint32_t *node, bool *is_one)
{
    struct vv_torch_gathered g = { .tensor = *t };
    uint64_t size;
    if (t->has_storage)
        VV_TRY(vv_torch_storage(v->file, v->p, t, &v->where, &g.entry));
    *is_one = vv_torch_size(t, &size);
    if (!*is_one)
        return VARVE_OK;
    if (t->has_storage)
        return add_stored(v, &g, size, node, is_one);
    *node = vv_draft_node(v->draft, VARVE_VARIABLE);
    vv_draft_value(v->draft, *node, &t->type, 0, NULL);
    return VARVE_OK;
}

varve_status vv_torch_add_pieced(
    struct vv_torch_values *v, uint32_t item, uint32_t *node)
{
    uint32_t number = vv_pickle_item(v->p, item)->b - 1;
    const struct vv_torch_pieced *t = vv_torch_pieced(v->file, number);
    struct vv_torch_made made = { .making = VV_TORCH_PIECES, .at = number };
    struct vv_place place;
    VV_TRY(torch_value_note_made(v, made, &place));
    place.has_parts = t->has_parts;
    *node = vv_draft_node(v->draft, VARVE_VARIABLE);
    vv_draft_value(v->draft, *node, &t->type, 0, &place);
    return VARVE_OK;
}
