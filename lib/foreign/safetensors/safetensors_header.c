/* safetensors_header.c - Parses the JSON header in one pass, notes the position
 * of each tensor, and then validates all tensors together.
 *
 * SPDX-License-Identifier: MIT
 */
#include "safetensors_header.h"

#include <varve/graph.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bytes.h"
#include "failure.h"
#include "try.h"

/* --- Element types -------------------------------------------------------- */

_Static_assert(VARVE_DTYPE_COUNT == 18,
    "new element type: add it to this table if the format has it");

#define NONE_OF_OURS ((varve_dtype)0)

const struct vv_safetensors_dtype
    vv_safetensors_dtypes[VV_SAFETENSORS_DTYPES] = {
        { "BOOL", VARVE_BOOL, 8 },
        { "F4", NONE_OF_OURS, 4 },
        { "F6_E2M3", NONE_OF_OURS, 6 },
        { "F6_E3M2", NONE_OF_OURS, 6 },
        { "U8", VARVE_UINT8, 8 },
        { "I8", VARVE_INT8, 8 },
        { "F8_E5M2", VARVE_FLOAT8_E5M2, 8 },
        { "F8_E4M3", VARVE_FLOAT8_E4M3FN, 8 },
        { "F8_E8M0", NONE_OF_OURS, 8 },
        { "F8_E4M3FNUZ", NONE_OF_OURS, 8 },
        { "F8_E5M2FNUZ", NONE_OF_OURS, 8 },
        { "I16", VARVE_INT16, 16 },
        { "U16", VARVE_UINT16, 16 },
        { "F16", VARVE_FLOAT16, 16 },
        { "BF16", VARVE_BFLOAT16, 16 },
        { "I32", VARVE_INT32, 32 },
        { "U32", VARVE_UINT32, 32 },
        { "F32", VARVE_FLOAT32, 32 },
        { "C64", VARVE_COMPLEX64, 64 },
        { "F64", VARVE_FLOAT64, 64 },
        { "I64", VARVE_INT64, 64 },
        { "U64", VARVE_UINT64, 64 },
    };

const struct vv_safetensors_dtype *vv_safetensors_dtype_of(varve_dtype dtype)
{
    for (size_t i = 0; i < VV_SAFETENSORS_DTYPES; i++) {
        if (dtype && vv_safetensors_dtypes[i].dtype == dtype)
            return &vv_safetensors_dtypes[i];
    }
    return NULL;
}

/* --- The header ----------------------------------------------------------- */

static const char metadata_key[] = "__metadata__";

/* Fails with `<path>: tensor "<name>": <message>`. */
static varve_status VV_PRINTF(4, 5)
    fail(const struct vv_json_in *in, const struct vv_json_item *name,
        varve_status status, const char *format, ...)
{
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return vv_fail(in->error, status, "%s: tensor \"%.*s\": %s", in->path,
        vv_json_shown(name), name->text, text);
}

/* --- The object of a tensor --------------------------------------------- */

static varve_status read_dtype(struct vv_json_in *in,
    const struct vv_json_item *name, struct vv_safetensors_info *info)
{
    struct vv_json_item item;
    VV_TRY(vv_json_expect(in, VV_JSON_STRING, &item));
    for (size_t i = 0; i < VV_SAFETENSORS_DTYPES; i++) {
        if (vv_json_is(&item, vv_safetensors_dtypes[i].name)) {
            info->dtype = &vv_safetensors_dtypes[i];
            info->type.dtype = info->dtype->dtype;
            return VARVE_OK;
        }
    }
    return fail(in, name, VARVE_TOO_NEW, "unknown dtype \"%.*s\"",
        vv_json_shown(&item), item.text);
}

static varve_status safetensors_header_read_shape(struct vv_json_in *in,
    const struct vv_json_item *name, struct vv_safetensors_info *info)
{
    struct vv_json_item item;
    bool more;
    VV_TRY(vv_json_expect(in, VV_JSON_ARRAY, &item));
    for (;;) {
        VV_TRY(vv_json_element(in, &more));
        if (!more)
            return VARVE_OK;
        VV_TRY(vv_json_expect(in, VV_JSON_UNSIGNED, &item));
        if (info->type.rank == VARVE_MAX_RANK)
            return fail(in, name, VARVE_LIMIT,
                "the shape has more than %d dimensions", VARVE_MAX_RANK);
        info->type.shape[info->type.rank++] = item.number;
    }
}

static varve_status read_offsets(struct vv_json_in *in,
    const struct vv_json_item *name, struct vv_safetensors_info *info)
{
    uint64_t offsets[2] = { 0 };
    struct vv_json_item item;
    size_t count = 0;
    bool more;
    VV_TRY(vv_json_expect(in, VV_JSON_ARRAY, &item));
    for (;; count++) {
        VV_TRY(vv_json_element(in, &more));
        if (!more)
            break;
        VV_TRY(vv_json_expect(in, VV_JSON_UNSIGNED, &item));
        if (count < 2)
            offsets[count] = item.number;
    }
    if (count != 2)
        return fail(in, name, VARVE_CORRUPT,
            "expected two data_offsets, found %zu", count);
    info->begin = offsets[0];
    info->end = offsets[1];
    if (info->begin > info->end)
        return fail(in, name, VARVE_CORRUPT,
            "the data_offsets %" PRIu64 " and %" PRIu64
            " are not in ascending order",
            info->begin, info->end);
    return VARVE_OK;
}

static const struct {
    const char *name;
    varve_status (*read)(struct vv_json_in *in, const struct vv_json_item *name,
        struct vv_safetensors_info *info);
} keys[] = {
    { "dtype", read_dtype },
    { "shape", safetensors_header_read_shape },
    { "data_offsets", read_offsets },
};

enum { KEYS = sizeof keys / sizeof *keys };

/* Reads the member `key` of a tensor. *seen has one bit for each key that has
 * been read. */
static varve_status safetensors_header_read_key(struct vv_json_in *in,
    const struct vv_json_item *name, const struct vv_json_item *key,
    unsigned *seen, struct vv_safetensors_info *info)
{
    size_t i = 0;
    while (i < KEYS && !vv_json_is(key, keys[i].name))
        i++;
    if (i == KEYS)
        return fail(in, name, VARVE_CORRUPT,
            "expected only dtype, shape and data_offsets, found \"%.*s\"",
            vv_json_shown(key), key->text);
    if (*seen & 1u << i)
        return fail(in, name, VARVE_CORRUPT, "duplicate %s", keys[i].name);
    *seen |= 1u << i;
    return keys[i].read(in, name, info);
}

/* Multiplies in the order of the extents, like the reference implementation: an
 * extent of 0 prevents an overflow only by those after it. */
static bool safetensors_header_size_of(
    const struct vv_safetensors_info *info, uint64_t *size)
{
    uint64_t product = 1;
    for (uint32_t i = 0; i < info->type.rank; i++) {
        if (__builtin_mul_overflow(product, info->type.shape[i], &product))
            return false;
    }
    if (__builtin_mul_overflow(product, info->dtype->bits, &product))
        return false;
    *size = product / 8;
    return product % 8 == 0;
}

static varve_status safetensors_header_check_size(const struct vv_json_in *in,
    const struct vv_json_item *name, const struct vv_safetensors_info *info)
{
    uint64_t size;
    if (!safetensors_header_size_of(info, &size))
        return fail(in, name, VARVE_CORRUPT,
            "the size of its shape is not a whole number of bytes or does not "
            "fit in 64 bits");
    if (size != info->end - info->begin)
        return fail(in, name, VARVE_CORRUPT,
            "its shape needs %" PRIu64 " bytes, but data_offsets span %" PRIu64,
            size, info->end - info->begin);
    return VARVE_OK;
}

static varve_status read_tensor(struct vv_json_in *in,
    const struct vv_json_item *name, struct vv_safetensors_info *info)
{
    struct vv_json_item item;
    unsigned seen = 0;
    bool more;
    *info = (struct vv_safetensors_info){ .dtype = NULL };
    VV_TRY(vv_json_expect(in, VV_JSON_OBJECT, &item));
    for (;;) {
        VV_TRY(vv_json_member(in, &item, &more));
        if (!more)
            break;
        VV_TRY(safetensors_header_read_key(in, name, &item, &seen, info));
    }
    for (size_t i = 0; i < KEYS; i++) {
        if (!(seen & 1u << i))
            return fail(in, name, VARVE_CORRUPT, "%s is missing", keys[i].name);
    }
    return safetensors_header_check_size(in, name, info);
}

/* --- The members of the header ------------------------------------------ */

static varve_status safetensors_header_read_texts(
    struct vv_json_in *in, uint32_t file, struct vv_buffer *texts)
{
    struct vv_json_item name, text;
    bool more;
    struct vv_json_in before = *in;
    VV_TRY(vv_json_value(in, &text));
    if (text.kind == VV_JSON_NULL) /* accepted by serde as an empty object */
        return VARVE_OK;
    *in = before;
    VV_TRY(vv_json_expect(in, VV_JSON_OBJECT, &text));
    for (;;) {
        VV_TRY(vv_json_member(in, &name, &more));
        if (!more)
            return VARVE_OK;
        VV_TRY(vv_json_expect(in, VV_JSON_STRING, &text));
        struct vv_safetensors_text entry = { name.text, file };
        vv_buffer_add(texts, &entry, sizeof entry);
    }
}

static varve_status safetensors_header_add_tensor(struct vv_json_in *in,
    const struct vv_json_item *name, uint32_t file, struct vv_buffer *tensors)
{
    struct vv_safetensors_info info;
    in->of = name;
    VV_TRY(read_tensor(in, name, &info));
    in->of = NULL;
    struct vv_safetensors_tensor entry = {
        .name = name->text, .begin = info.begin, .end = info.end, .file = file
    };
    vv_buffer_add(tensors, &entry, sizeof entry);
    return VARVE_OK;
}

static varve_status safetensors_header_read_members(struct vv_json_in *in,
    uint32_t file, struct vv_buffer *tensors, struct vv_buffer *texts)
{
    struct vv_json_item item;
    bool has_metadata = false;
    bool more;
    VV_TRY(vv_json_expect(in, VV_JSON_OBJECT, &item));
    for (;;) {
        VV_TRY(vv_json_member(in, &item, &more));
        if (!more)
            return vv_json_end(in);
        if (!vv_json_is(&item, metadata_key)) {
            VV_TRY(safetensors_header_add_tensor(in, &item, file, tensors));
            continue;
        }
        if (has_metadata)
            return vv_json_fail(
                in, item.at, "only one __metadata__", "another");
        has_metadata = true;
        VV_TRY(safetensors_header_read_texts(in, file, texts));
    }
}

/* --- Validation of all tensors ------------------------------------------ */

int vv_safetensors_by_name(const void *a, const void *b)
{
    const struct vv_safetensors_tensor *x = a, *y = b;
    return vv_json_compare(x->name, y->name);
}

static int safetensors_header_text_by_name(const void *a, const void *b)
{
    const struct vv_safetensors_text *x = a, *y = b;
    return vv_json_compare(x->name, y->name);
}

int vv_safetensors_by_data(const void *a, const void *b)
{
    const struct vv_safetensors_tensor *x = a, *y = b;
    if (x->begin != y->begin)
        return x->begin < y->begin ? -1 : 1;
    if (x->end != y->end)
        return x->end < y->end ? -1 : 1;
    return (x->name > y->name) - (x->name < y->name);
}

static varve_status fail_twice(
    struct vv_json_in *in, const char *kind, const char *name)
{
    struct vv_json_item item;
    vv_safetensors_item(in, name, &item);
    return vv_fail(in->error, VARVE_CORRUPT, "%s: %s \"%.*s\": duplicate name",
        in->path, kind, vv_json_shown(&item), item.text);
}

static varve_status check_texts(
    struct vv_json_in *in, struct vv_safetensors_text *texts, size_t count)
{
    qsort(texts, count, sizeof *texts, safetensors_header_text_by_name);
    for (size_t i = 1; i < count; i++) {
        if (safetensors_header_text_by_name(&texts[i - 1], &texts[i]) == 0)
            return fail_twice(in, "text", texts[i].name);
    }
    return VARVE_OK;
}

static varve_status safetensors_header_check_place(struct vv_json_in *in,
    const struct vv_safetensors_tensor *tensor, uint64_t expected,
    uint64_t data_size)
{
    struct vv_json_item item;
    if (tensor->begin == expected && tensor->end <= data_size)
        return VARVE_OK;
    vv_safetensors_item(in, tensor->name, &item);
    if (tensor->begin != expected)
        return fail(in, &item, VARVE_CORRUPT,
            "its data must begin at %" PRIu64
            ", where that of the tensor before it ends, but begins at %" PRIu64
            ": %s",
            expected, tensor->begin,
            tensor->begin < expected ? "they overlap" : "a gap");
    return fail(in, &item, VARVE_TRUNCATED,
        "its data ends at %" PRIu64 ", but the file has only %" PRIu64
        " bytes of data",
        tensor->end, data_size);
}

static varve_status safetensors_header_check_tensors(struct vv_json_in *in,
    struct vv_safetensors_tensor *tensors, size_t count, uint64_t data_size)
{
    uint64_t end = 0;
    /* Sorts by name to find duplicates, then by offset to check that the
     * tensors cover the data without gaps. */
    if (count > 0)
        qsort(tensors, count, sizeof *tensors, vv_safetensors_by_name);
    for (size_t i = 1; i < count; i++) {
        if (vv_safetensors_by_name(&tensors[i - 1], &tensors[i]) == 0)
            return fail_twice(in, "tensor", tensors[i].name);
    }
    if (count > 0)
        qsort(tensors, count, sizeof *tensors, vv_safetensors_by_data);
    for (size_t i = 0; i < count; i++) {
        VV_TRY(safetensors_header_check_place(in, &tensors[i], end, data_size));
        end = tensors[i].end;
    }
    if (end != data_size)
        return vv_fail(in->error, VARVE_CORRUPT,
            "%s: the tensors have %" PRIu64
            " bytes of data, but the file has %" PRIu64,
            in->path, end, data_size);
    return VARVE_OK;
}

varve_status vv_safetensors_header(struct vv_json_in *in, uint64_t data_size,
    uint32_t file, struct vv_buffer *tensors, struct vv_buffer *texts)
{
    size_t first = tensors->size;
    size_t first_text = texts->size;
    VV_TRY(safetensors_header_read_members(in, file, tensors, texts));
    if (tensors->failed || texts->failed)
        return vv_fail_memory(in->error, "the names of tensors");
    if (texts->size > first_text)
        VV_TRY(check_texts(in, (void *)(texts->data + first_text),
            (texts->size - first_text) / sizeof(struct vv_safetensors_text)));
    if (tensors->size == first)
        return safetensors_header_check_tensors(in, NULL, 0, data_size);
    return safetensors_header_check_tensors(in, (void *)(tensors->data + first),
        (tensors->size - first) / sizeof(struct vv_safetensors_tensor),
        data_size);
}

void vv_safetensors_item(
    struct vv_json_in *in, const char *name, struct vv_json_item *item)
{
    bool more;
    in->at = (size_t)(name - 1 - in->bytes); /* at its quote */
    in->is_open = true;                      /* so that no comma is required */
    if (vv_json_member(in, item, &more))
        *item = (struct vv_json_item){ .text = "" };
}

varve_status vv_safetensors_info(
    struct vv_json_in *in, const char *name, struct vv_safetensors_info *info)
{
    struct vv_json_item item;
    vv_safetensors_item(in, name, &item);
    return read_tensor(in, &item, info);
}

/* --- Types that Varve does not have --------------------------------------- */

enum { TYPE = 0, RANK = 1, SIZE = 2, SHAPE = 10 }; /* offsets of the fields */

void vv_safetensors_keep(struct vv_draft *draft, uint32_t node,
    const struct vv_safetensors_info *info)
{
    unsigned char kept[SHAPE + 8 * VARVE_MAX_RANK];
    size_t size = SHAPE;
    kept[TYPE] = (unsigned char)(info->dtype - vv_safetensors_dtypes);
    kept[RANK] = (unsigned char)info->type.rank;
    vv_store64(kept + SIZE, info->end - info->begin);
    for (uint32_t i = 0; i < info->type.rank; i++, size += 8)
        vv_store64(kept + size, info->type.shape[i]);
    vv_draft_keep(draft, node, kept, size);
}

bool vv_safetensors_kept_of(const struct vv_target *target, uint32_t node,
    struct vv_safetensors_info *info)
{
    size_t size = 0;
    const struct vv_index *index = target->index;
    uint32_t value = vv_index_find_value(index, node);
    const unsigned char *kept =
        target->kept ? target->kept(target->user, node, &size) : NULL;
    if (!kept || value == VV_NONE ||
        vv_index_kind(index, node) != VARVE_STATE ||
        vv_load64(kept + SIZE) != vv_at64(index->value_sizes, value))
        return false;
    *info =
        (struct vv_safetensors_info){ .dtype = &vv_safetensors_dtypes[*kept] };
    info->type.rank = kept[RANK];
    for (uint32_t i = 0; i < info->type.rank; i++)
        info->type.shape[i] = vv_load64(kept + SHAPE + 8 * i);
    return true;
}

bool vv_safetensors_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name)
{
    struct vv_safetensors_info info;
    size_t size, before = strlen(VV_SAFETENSORS_TAG);
    if (!vv_safetensors_kept_of(target, node, &info))
        return false;
    const char *tag = vv_index_name(target->index, name, &size);
    return size == before + strlen(info.dtype->name) &&
           memcmp(tag, VV_SAFETENSORS_TAG, before) == 0 &&
           memcmp(tag + before, info.dtype->name, size - before) == 0;
}
