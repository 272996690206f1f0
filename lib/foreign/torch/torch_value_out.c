/* torch_value_out.c - Writes values by type: numbers, texts, tensors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_value_out.h"

#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "failure.h"
#include "name.h"
#include "number.h"
#include "torch_tensor.h"
#include "try.h"
#include "typed_memory.h"

#define UTILS "torch._utils"

enum { MOST_SETTINGS = 16 /* elements of one setting: `betas` has two */ };

varve_status vv_torch_values_out_init(struct vv_torch_values_out *v,
    const struct vv_target *target, varve_error *error)
{
    const varve_allocator *a = &target->context->allocator;
    const struct vv_index *index = target->index;
    *v = (struct vv_torch_values_out){ .target = target };
    vv_pickle_out_begin(&v->pickle, a);
    vv_buffer_init(&v->storages, a);
    v->notes = vv_allocate_zeroed(a, index->node_count * sizeof *v->notes);
    v->is_written =
        vv_allocate_zeroed(a, index->value_count * sizeof *v->is_written);
    return v->notes && (v->is_written || index->value_count == 0)
               ? VARVE_OK
               : vv_fail_memory(error, "a pickle");
}

void vv_torch_values_out_clear(struct vv_torch_values_out *v)
{
    const varve_allocator *a = &v->target->context->allocator;
    const struct vv_index *index = v->target->index;
    vv_pickle_out_clear(&v->pickle);
    vv_buffer_clear(&v->storages);
    vv_release(a, v->notes, index->node_count * sizeof *v->notes);
    vv_release(a, v->is_written, index->value_count * sizeof *v->is_written);
}

enum vv_torch_was vv_torch_was_of(const struct vv_target *target, uint32_t node)
{
    size_t size = 0;
    const unsigned char *kept =
        target->kept ? target->kept(target->user, node, &size) : NULL;
    return vv_torch_kept_was(kept, kept ? size : 0);
}

/* --- Numbers -------------------------------------------------------------- */

static uint64_t torch_value_out_bits_of(const unsigned char *bytes, size_t size)
{
    uint64_t bits = 0;
    for (size_t i = 0; i < size; i++)
        bits |= (uint64_t)bytes[i] << 8 * i;
    return bits;
}

/* Adds an element in the layout of Varve's own format. */
static void torch_value_out_add_number(struct vv_pickle_out *out,
    const struct vv_dtype *type, const unsigned char *bytes)
{
    bool exact;
    uint64_t bits = torch_value_out_bits_of(bytes, type->size);
    unsigned unused = 64 - 8 * (unsigned)type->size;
    if (type->family == VV_FAMILY_BOOL)
        vv_pickle_out_op(out, bits ? VV_OP_TRUE : VV_OP_FALSE);
    else if (type->family == VV_FAMILY_REAL)
        vv_pickle_out_real(out, vv_number_encode(vv_dtype_of(VARVE_FLOAT64),
                                    vv_number_decode(type, bits), &exact));
    else if (type->negative && bits >> (8 * type->size - 1))
        vv_pickle_out_integer(out, -(int64_t)(~(bits << unused) >> unused) - 1);
    else
        vv_pickle_out_unsigned(out, bits);
}

static varve_status torch_value_out_add_numbers(struct vv_pickle_out *out,
    const struct vv_source *source, const struct vv_dtype *type, uint64_t count,
    varve_error *error)
{
    size_t part;
    uint64_t size = count * type->size;
    for (uint64_t at = 0; at < size; at += part) {
        const unsigned char *bytes;
        part = vv_source_part(source, size - at);
        VV_TRY(vv_source_piece(source, at, part, &bytes, error));
        for (size_t i = 0; i < part; i += type->size)
            torch_value_out_add_number(out, type, bytes + i);
    }
    return VARVE_OK;
}

/* --- Texts ---------------------------------------------------------------- */

static void torch_value_out_add_text(struct vv_pickle_out *out,
    enum vv_torch_was was, const unsigned char *bytes, size_t size)
{
    if (was == VV_TORCH_WAS_LONG)
        vv_pickle_out_long(out, bytes, size);
    else if (was != VV_TORCH_WAS_BYTES &&
             vv_utf8_is_valid((const char *)bytes, size))
        vv_pickle_out_text(out, (const char *)bytes, size);
    else
        vv_pickle_out_bytes(out, bytes, size);
}

/* Adds a text, or a list of texts. */
static void torch_value_out_add_texts(struct vv_pickle_out *out,
    const varve_tensor *type, enum vv_torch_was was, const unsigned char *bytes)
{
    uint64_t count = varve_tensor_count(type);
    const unsigned char *at = count > 0 ? bytes + 8 * count : bytes;
    if (type->rank > 0) {
        vv_pickle_out_op(out, VV_OP_LIST);
        vv_pickle_out_op(out, VV_OP_MARK);
    }
    for (uint64_t i = 0; i < count; i++) {
        size_t size = (size_t)vv_load64(bytes + 8 * i);
        torch_value_out_add_text(out, was, at, size);
        at += size;
    }
    if (type->rank > 0)
        vv_pickle_out_op(out, VV_OP_APPEND);
}

/* --- Tensors -------------------------------------------------------------- */

static void torch_value_out_add_extents(
    struct vv_pickle_out *out, const varve_tensor *type)
{
    vv_pickle_out_op(out, VV_OP_MARK);
    for (uint32_t i = 0; i < type->rank; i++)
        vv_pickle_out_unsigned(out, type->shape[i]);
    vv_pickle_out_op(out, VV_OP_TUPLE);
}

/* Adds the strides that torch computes, also those of an empty tensor. */
static void add_strides(struct vv_pickle_out *out, const varve_tensor *type)
{
    uint64_t strides[VARVE_MAX_RANK], stride = 1;
    for (uint32_t i = type->rank; i-- > 0;) {
        strides[i] = stride;
        if (type->shape[i] > 1 &&
            __builtin_mul_overflow(stride, type->shape[i], &stride))
            stride = 1; /* an overflow: the tensor is empty, so its strides are
                           not used */
    }
    vv_pickle_out_op(out, VV_OP_MARK);
    for (uint32_t i = 0; i < type->rank; i++)
        vv_pickle_out_unsigned(out, strides[i]);
    vv_pickle_out_op(out, VV_OP_TUPLE);
}

/* ('storage', class, key, 'cpu', number of elements) */
static void torch_value_out_add_storage(struct vv_pickle_out *out,
    const varve_tensor *type, const char *storage, uint32_t key)
{
    char digits[24];
    uint64_t count = varve_tensor_count(type);
    vv_pickle_out_op(out, VV_OP_MARK);
    vv_pickle_out_shared_text(out, "storage");
    if (storage)
        vv_pickle_out_global(out, "torch", storage);
    else
        vv_pickle_out_global(out, "torch.storage", "UntypedStorage");
    vv_pickle_out_text(out, digits, vv_decimal(key, digits));
    vv_pickle_out_shared_text(out, "cpu");
    vv_pickle_out_unsigned(
        out, storage ? count : count * vv_dtype_file_size(type->dtype));
    vv_pickle_out_op(out, VV_OP_TUPLE);
    vv_pickle_out_op(out, VV_OP_OUTSIDE);
}

/* Adds an empty dict of hooks. */
static void add_hooks(struct vv_pickle_out *out)
{
    vv_pickle_out_global(out, "collections", "OrderedDict");
    vv_pickle_out_op(out, VV_OP_NOTHING);
    vv_pickle_out_op(out, VV_OP_CALL);
}

static void add_call_of(struct vv_torch_values_out *v, const varve_tensor *type)
{
    struct vv_pickle_out *out = &v->pickle;
    uint32_t key = (uint32_t)(v->storages.size / sizeof key);
    const char *storage = vv_torch_storage_of(type->dtype);
    vv_pickle_out_global(
        out, UTILS, storage ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3");
    vv_pickle_out_op(out, VV_OP_MARK);
    torch_value_out_add_storage(out, type, storage, key);
    vv_pickle_out_integer(out, 0);
    torch_value_out_add_extents(out, type);
    add_strides(out, type);
    vv_pickle_out_op(out, VV_OP_FALSE);
    add_hooks(out);
    if (!storage)
        vv_pickle_out_global(out, "torch", vv_torch_name_of_type(type->dtype));
    vv_pickle_out_op(out, VV_OP_TUPLE);
    vv_pickle_out_op(out, VV_OP_CALL);
}

/* Adds a tensor on the meta device. */
static void add_meta(struct vv_pickle_out *out, const varve_tensor *type)
{
    vv_pickle_out_global(out, UTILS, "_rebuild_meta_tensor_no_storage");
    vv_pickle_out_op(out, VV_OP_MARK);
    vv_pickle_out_global(out, "torch", vv_torch_name_of_type(type->dtype));
    torch_value_out_add_extents(out, type);
    add_strides(out, type);
    vv_pickle_out_op(out, VV_OP_FALSE);
    vv_pickle_out_op(out, VV_OP_TUPLE);
    vv_pickle_out_op(out, VV_OP_CALL);
}

static void torch_value_out_add_tensor(struct vv_torch_values_out *v,
    uint32_t node, uint32_t value, const varve_tensor *type)
{
    bool is_saved = vv_index_is_saved(v->target->index, value);
    bool is_parameter =
        vv_torch_was_of(v->target, node) == VV_TORCH_WAS_PARAMETER;
    if (is_parameter) {
        vv_pickle_out_global(&v->pickle, UTILS, "_rebuild_parameter");
        vv_pickle_out_op(&v->pickle, VV_OP_MARK);
    }
    if (is_saved)
        add_call_of(v, type);
    else
        add_meta(&v->pickle, type);
    if (is_parameter) {
        vv_pickle_out_op(&v->pickle, VV_OP_TRUE);
        add_hooks(&v->pickle);
        vv_pickle_out_op(&v->pickle, VV_OP_TUPLE);
        vv_pickle_out_op(&v->pickle, VV_OP_CALL);
    }
    v->notes[node] = vv_pickle_out_note(&v->pickle) + 1;
    if (is_saved)
        vv_buffer_add(&v->storages, &value, sizeof value);
}

/* --- Values --------------------------------------------------------------- */

static varve_status torch_value_out_add_settings(struct vv_torch_values_out *v,
    uint32_t node, const varve_tensor *type, enum vv_torch_was was,
    varve_error *error)
{
    uint32_t value = vv_index_find_value(v->target->index, node);
    struct vv_pickle_out *out = &v->pickle;
    struct vv_source source;
    VV_TRY(v->target->value(v->target->user, value, &source, error));
    bool is_list = was == VV_TORCH_WAS_LIST;
    if (is_list)
        vv_pickle_out_op(out, VV_OP_LIST);
    if (type->rank > 0)
        vv_pickle_out_op(out, VV_OP_MARK);
    VV_TRY(torch_value_out_add_numbers(out, &source, vv_dtype_of(type->dtype),
        varve_tensor_count(type), error));
    if (type->rank > 0)
        vv_pickle_out_op(out, is_list ? VV_OP_APPEND : VV_OP_TUPLE);
    v->notes[node] = vv_pickle_out_note(out) + 1;
    return VARVE_OK;
}

static varve_status torch_value_out_add_strings(struct vv_torch_values_out *v,
    uint32_t node, uint32_t value, const varve_tensor *type, varve_error *error)
{
    struct vv_source source;
    enum vv_torch_was was = vv_torch_was_of(v->target, node);
    if (type->rank > 1 || !vv_index_is_saved(v->target->index, value)) {
        vv_pickle_out_op(&v->pickle, VV_OP_NONE);
        v->is_written[value] = false;
        return VARVE_OK;
    }
    VV_TRY(v->target->value(v->target->user, value, &source, error));
    if (type->dtype == VARVE_STRING)
        torch_value_out_add_texts(&v->pickle, type, was, source.bytes);
    else
        vv_pickle_out_bytes(&v->pickle, source.bytes,
            (size_t)vv_at64(v->target->index->value_sizes, value));
    v->notes[node] = vv_pickle_out_note(&v->pickle) + 1;
    return VARVE_OK;
}

static bool may_be_numbers(const struct vv_torch_values_out *v, uint32_t value,
    const varve_tensor *type)
{
    const struct vv_dtype *dtype = vv_dtype_of(type->dtype);
    return type->rank <= 1 && dtype->size == dtype->part_size &&
           vv_index_is_saved(v->target->index, value);
}

static varve_status add_as(struct vv_torch_values_out *v, uint32_t node,
    enum vv_torch_was was, varve_error *error)
{
    const struct vv_index *index = v->target->index;
    if (v->notes[node]) {
        vv_pickle_out_noted(&v->pickle, v->notes[node] - 1);
        return VARVE_OK;
    }
    uint32_t value = vv_index_find_value(index, node);
    varve_tensor type = vv_index_tensor(index, v->target->table, value);
    v->is_written[value] = true;
    if (vv_index_kind(index, node) == VARVE_STATE || type.dtype == VARVE_STRING)
        return torch_value_out_add_strings(v, node, value, &type, error);
    if (was && was < VV_TORCH_WAS_PARAMETER && may_be_numbers(v, value, &type))
        return torch_value_out_add_settings(v, node, &type, was, error);
    torch_value_out_add_tensor(v, node, value, &type);
    return VARVE_OK;
}

varve_status vv_torch_add_value(
    struct vv_torch_values_out *v, uint32_t node, varve_error *error)
{
    return add_as(v, node, vv_torch_was_of(v->target, node), error);
}

varve_status vv_torch_add_setting(
    struct vv_torch_values_out *v, uint32_t node, varve_error *error)
{
    const struct vv_index *index = v->target->index;
    uint32_t value = vv_index_find_value(index, node);
    varve_tensor type = vv_index_tensor(index, v->target->table, value);
    bool is_small =
        type.rank == 0 || (type.rank == 1 && type.shape[0] <= MOST_SETTINGS);
    return add_as(
        v, node, is_small ? VV_TORCH_WAS_TUPLE : VV_TORCH_WAS_NOTHING, error);
}

void vv_torch_pass_over(const struct vv_torch_values_out *v, uint32_t node)
{
    const struct vv_index *index = v->target->index;
    uint32_t at, last;
    vv_index_edges(index, node, &at, &last);
    for (; at < last; at++) {
        uint32_t value =
            vv_index_find_value(index, vv_at32(index->edge_children, at));
        if (value != VV_NONE)
            v->is_written[value] = true;
    }
}

void vv_torch_report_lost_values(const struct vv_torch_values_out *v)
{
    const struct vv_index *index = v->target->index;
    for (uint32_t i = 0; i < index->value_count; i++) {
        uint32_t node = vv_at32(index->value_nodes, i);
        if (!v->is_written[i])
            vv_target_report_lost(
                v->target, node, "its value: it is in no dict");
        else if (vv_index_kind(index, node) == VARVE_STATE)
            vv_target_report_lost(
                v->target, node, "its kind: a state, written as bytes");
        else if (vv_torch_was_of(v->target, node) == VV_TORCH_WAS_ARRAY)
            vv_target_report_lost(v->target, node,
                "its kind: a NumPy array, written as a tensor");
    }
}
