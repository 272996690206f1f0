/* torch_value_out.c - calls that are spelled, and plain values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_value_out.h"

#include <string.h>

#include "bytes.h"
#include "dtype.h"
#include "failure.h"
#include "name.h"
#include "torch_type.h"
#include "try.h"

/* --- Tensors -------------------------------------------------------------- */

static void put_text(struct vv_pickle_out *out, const char *text)
{
    vv_pickle_put_text(out, text, strlen(text));
}

/* ('storage', class, key, location, count), and what that stands for. */
static void put_storage(
    struct vv_pickle_out *out, const char *class, uint32_t key, uint64_t count)
{
    char text[24];
    vv_pickle_put(out, VV_OP_MARK);
    put_text(out, "storage");
    vv_pickle_put_global(out,
        strcmp(class, "UntypedStorage") == 0 ? "torch.storage" : "torch",
        class);
    vv_decimal(key, text);
    put_text(out, text);
    put_text(out, "cpu");
    vv_pickle_put_unsigned(out, count);
    vv_pickle_put(out, VV_OP_TUPLE);
    vv_pickle_put(out, VV_OP_OUTSIDE);
}

static void put_shape(struct vv_pickle_out *out, const varve_tensor *type)
{
    vv_pickle_put(out, VV_OP_MARK);
    for (uint32_t i = 0; i < type->rank; i++)
        vv_pickle_put_unsigned(out, type->shape[i]);
    vv_pickle_put(out, VV_OP_TUPLE);
}

/* In elements; an extent of 0 counts as one, as in torch. Where 63 bits do not
 * hold one there are no elements, and any will do. */
static void put_strides(struct vv_pickle_out *out, const varve_tensor *type)
{
    uint64_t strides[VARVE_MAX_RANK], stride = 1;
    for (uint32_t i = type->rank; i-- > 0;) {
        strides[i] = stride;
        if (__builtin_mul_overflow(
                stride, type->shape[i] ? type->shape[i] : 1, &stride) ||
            stride > INT64_MAX)
            stride = 1;
    }
    vv_pickle_put(out, VV_OP_MARK);
    for (uint32_t i = 0; i < type->rank; i++)
        vv_pickle_put_unsigned(out, strides[i]);
    vv_pickle_put(out, VV_OP_TUPLE);
}

/* An element type that has no class of storages lies in one of bytes. */
void vv_torch_put_tensor(
    struct vv_pickle_out *out, const varve_tensor *type, uint32_t key)
{
    const struct vv_torch_type_name *known = vv_torch_type_name(type->dtype);
    uint64_t count = varve_tensor_count(type);
    vv_pickle_put_global(out, "torch._utils",
        known->storage ? "_rebuild_tensor_v2" : "_rebuild_tensor_v3");
    vv_pickle_put(out, VV_OP_MARK);
    if (known->storage)
        put_storage(out, known->storage, key, count);
    else
        put_storage(out, "UntypedStorage", key,
            count * vv_dtype_file_size(type->dtype));
    vv_pickle_put_integer(out, 0);
    put_shape(out, type);
    put_strides(out, type);
    vv_pickle_put(out, VV_OP_FALSE); /* it asks for no gradient */
    vv_pickle_put_global(out, "collections", "OrderedDict"); /* hooks */
    vv_pickle_put(out, VV_OP_EMPTY_TUPLE);
    vv_pickle_put(out, VV_OP_REDUCE);
    if (!known->storage)
        vv_pickle_put_global(out, "torch", known->name);
    vv_pickle_put(out, VV_OP_TUPLE);
    vv_pickle_put(out, VV_OP_REDUCE);
}

/* --- Numbers -------------------------------------------------------------- */

static void put_number(
    struct vv_pickle_out *out, varve_dtype dtype, const unsigned char *bytes)
{
    uint64_t bits = dtype == VARVE_BOOL ? *bytes : vv_load64(bytes);
    double real;
    switch (dtype) {
    case VARVE_BOOL: vv_pickle_put(out, bits ? VV_OP_TRUE : VV_OP_FALSE); break;
    case VARVE_FLOAT64:
        memcpy(&real, &bits, sizeof real);
        vv_pickle_put_real(out, real);
        break;
    case VARVE_UINT64: vv_pickle_put_unsigned(out, bits); break;
    default: vv_pickle_put_integer(out, (int64_t)bits);
    }
}

static void begin_list(struct vv_pickle_out *out, unsigned rank)
{
    if (rank == 0)
        return;
    vv_pickle_put(out, VV_OP_EMPTY_LIST);
    vv_pickle_put(out, VV_OP_MARK);
}

static void end_list(struct vv_pickle_out *out, unsigned rank)
{
    if (rank > 0)
        vv_pickle_put(out, VV_OP_APPENDS);
}

varve_status vv_torch_put_numbers(struct vv_pickle_out *out,
    const struct vv_target *target, uint32_t value, varve_error *error)
{
    varve_tensor type = vv_index_tensor(target->index, target->table, value);
    size_t item = vv_dtype_file_size(type.dtype), part;
    uint64_t size = varve_tensor_count(&type) * item;
    struct vv_source source;
    VV_TRY(target->value(target->user, value, &source, error));
    begin_list(out, type.rank);
    for (uint64_t at = 0; at < size; at += part) {
        const unsigned char *bytes;
        part = vv_source_part(&source, size - at);
        VV_TRY(vv_source_piece(&source, at, part, &bytes, error));
        for (size_t i = 0; i < part; i += item)
            put_number(out, type.dtype, bytes + i);
    }
    end_list(out, type.rank);
    return VARVE_OK;
}

/* --- Texts ---------------------------------------------------------------- */

/* As Python itself spells bytes in protocol 2: a text of as many characters. */
static void put_bytes(
    struct vv_pickle_out *out, const unsigned char *bytes, size_t size)
{
    vv_pickle_put_global(out, "_codecs", "encode");
    vv_pickle_put(out, VV_OP_MARK);
    size_t at = out->bytes.size;
    vv_pickle_put_text(out, "", 0);
    for (size_t i = 0; i < size; i++) {
        if (bytes[i] >= 0x80)
            vv_buffer_add8(&out->bytes, (uint8_t)(0xc0 | bytes[i] >> 6));
        vv_buffer_add8(&out->bytes,
            bytes[i] < 0x80 ? bytes[i] : (uint8_t)(0x80 | (bytes[i] & 0x3f)));
    }
    if (!out->bytes.failed)
        vv_store32(
            out->bytes.data + at + 1, (uint32_t)(out->bytes.size - at - 5));
    put_text(out, "latin1");
    vv_pickle_put(out, VV_OP_TUPLE);
    vv_pickle_put(out, VV_OP_REDUCE);
}

varve_status vv_torch_put_texts(struct vv_pickle_out *out,
    const struct vv_target *target, uint32_t value, varve_error *error)
{
    varve_tensor type = vv_index_tensor(target->index, target->table, value);
    uint64_t count = varve_tensor_count(&type);
    struct vv_source source;
    VV_TRY(target->value(target->user, value, &source, error));
    const unsigned char *at = count ? source.bytes + 8 * count : NULL;
    begin_list(out, type.rank);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t size = vv_load64(source.bytes + 8 * i);
        if (size > UINT32_MAX / 2)
            return vv_fail(error, VARVE_LIMIT,
                "%s: expected texts of less than 2 GiB, found a longer one",
                target->path);
        if (vv_utf8_is_valid((const char *)at, (size_t)size))
            vv_pickle_put_text(out, at, (size_t)size);
        else
            put_bytes(out, at, (size_t)size);
        at += size;
    }
    end_list(out, type.rank);
    return VARVE_OK;
}
