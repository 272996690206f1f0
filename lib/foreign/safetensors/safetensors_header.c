/* safetensors_header.c - Parses the JSON header in one pass, notes the position
 * of each tensor, and then validates all tensors together.
 *
 * SPDX-License-Identifier: MIT
 */
#include "safetensors_header.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <varve/graph.h>

#include "failure.h"
#include "try.h"

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
