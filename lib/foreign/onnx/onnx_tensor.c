/* onnx_tensor.c - Reads the fields of a tensor, in any order, then validates
 * them together.
 *
 * SPDX-License-Identifier: MIT
 */
#include "onnx_tensor.h"

#include <inttypes.h>
#include <stddef.h>
#include <string.h>

#include "bytes.h"
#include "failure.h"
#include "name.h"
#include "try.h"
#include "typed_memory.h"

/* --- Element types -------------------------------------------------------- */

/* Fields of a TensorProto that contain elements; the numbers are those in the
 * file. */
enum onnx_field {
    VV_ONNX_FLOATS = 4,
    VV_ONNX_INT32S = 5,
    VV_ONNX_STRINGS = 6,
    VV_ONNX_INT64S = 7,
    VV_ONNX_DOUBLES = 10,
    VV_ONNX_UINT64S = 11
};

#define NONE_OF_OURS ((varve_dtype)0)

static const struct vv_onnx_type types[] = {
    [1] = { VARVE_FLOAT32, 32, 32, VV_ONNX_FLOATS, "onnx:FLOAT" },
    [2] = { VARVE_UINT8, 8, 8, VV_ONNX_INT32S, "onnx:UINT8" },
    [3] = { VARVE_INT8, 8, 8, VV_ONNX_INT32S, "onnx:INT8" },
    [4] = { VARVE_UINT16, 16, 16, VV_ONNX_INT32S, "onnx:UINT16" },
    [5] = { VARVE_INT16, 16, 16, VV_ONNX_INT32S, "onnx:INT16" },
    [6] = { VARVE_INT32, 32, 32, VV_ONNX_INT32S, "onnx:INT32" },
    [7] = { VARVE_INT64, 64, 64, VV_ONNX_INT64S, "onnx:INT64" },
    [8] = { VARVE_STRING, 0, 0, VV_ONNX_STRINGS, "onnx:STRING" },
    [9] = { VARVE_BOOL, 8, 8, VV_ONNX_INT32S, "onnx:BOOL" },
    [10] = { VARVE_FLOAT16, 16, 16, VV_ONNX_INT32S, "onnx:FLOAT16" },
    [11] = { VARVE_FLOAT64, 64, 64, VV_ONNX_DOUBLES, "onnx:DOUBLE" },
    [12] = { VARVE_UINT32, 32, 32, VV_ONNX_UINT64S, "onnx:UINT32" },
    [13] = { VARVE_UINT64, 64, 64, VV_ONNX_UINT64S, "onnx:UINT64" },
    [14] = { VARVE_COMPLEX64, 64, 32, VV_ONNX_FLOATS, "onnx:COMPLEX64" },
    [15] = { VARVE_COMPLEX128, 128, 64, VV_ONNX_DOUBLES, "onnx:COMPLEX128" },
    [16] = { VARVE_BFLOAT16, 16, 16, VV_ONNX_INT32S, "onnx:BFLOAT16" },
    [17] = { VARVE_FLOAT8_E4M3FN, 8, 8, VV_ONNX_INT32S, "onnx:FLOAT8E4M3FN" },
    [18] = { NONE_OF_OURS, 8, 8, VV_ONNX_INT32S, "onnx:FLOAT8E4M3FNUZ" },
    [19] = { VARVE_FLOAT8_E5M2, 8, 8, VV_ONNX_INT32S, "onnx:FLOAT8E5M2" },
    [20] = { NONE_OF_OURS, 8, 8, VV_ONNX_INT32S, "onnx:FLOAT8E5M2FNUZ" },
    [21] = { NONE_OF_OURS, 4, 8, VV_ONNX_INT32S, "onnx:UINT4" },
    [22] = { NONE_OF_OURS, 4, 8, VV_ONNX_INT32S, "onnx:INT4" },
    [23] = { NONE_OF_OURS, 4, 8, VV_ONNX_INT32S, "onnx:FLOAT4E2M1" },
    [24] = { NONE_OF_OURS, 8, 8, VV_ONNX_INT32S, "onnx:FLOAT8E8M0" },
    [25] = { NONE_OF_OURS, 2, 8, VV_ONNX_INT32S, "onnx:UINT2" },
    [26] = { NONE_OF_OURS, 2, 8, VV_ONNX_INT32S, "onnx:INT2" },
    [27] = { NONE_OF_OURS, 6, 6, VV_ONNX_INT32S, "onnx:FLOAT6E2M3" },
    [28] = { NONE_OF_OURS, 6, 6, VV_ONNX_INT32S, "onnx:FLOAT6E3M2" },
};

_Static_assert(VARVE_DTYPE_COUNT == 18,
    "new element type: add it to this table if the format has it");

const struct vv_onnx_type *vv_onnx_type_of(uint64_t number)
{
    return number > 0 && number < sizeof types / sizeof *types ? &types[number]
                                                               : NULL;
}

bool vv_onnx_type_size(
    const struct vv_onnx_type *type, uint64_t count, uint64_t *size)
{
    /* Computes whole groups of 8 elements first, so that nothing overflows. */
    uint64_t bits = type->bits, eighth = count / 8;
    if (bits > 0 && eighth > UINT64_MAX / bits)
        return false;
    *size = eighth * bits;
    uint64_t rest = (count % 8 * bits + 7) / 8;
    if (rest > UINT64_MAX - *size)
        return false;
    *size += rest;
    return true;
}

uint64_t vv_onnx_type_items(
    const struct vv_onnx_type *type, uint64_t count, uint64_t size)
{
    return type->unit == 6 || type->unit == 0 ? count
                                              : size / (type->unit / 8u);
}

/* --- Items ---------------------------------------------------------------- */

struct walk {
    struct vv_wire_file *file;
    const struct vv_onnx_items *items;
    uint64_t count;    /* items so far */
    uint64_t bytes;    /* size of strings so far */
    unsigned char *to; /* destination; NULL: only counts */
    size_t size;       /* size of the destination */
    uint64_t strings;  /* expected number of strings */
};

static enum vv_wire_type onnx_items_kind_of(uint32_t field)
{
    switch (field) {
    case VV_ONNX_FLOATS: return VV_WIRE_FIXED32;
    case VV_ONNX_DOUBLES: return VV_WIRE_FIXED64;
    default: return VV_WIRE_VARINT;
    }
}

static varve_status onnx_items_fail_changed(const struct walk *w)
{
    return vv_fail(w->file->window.error, VARVE_CORRUPT,
        "%s: the data has changed since the file was opened",
        w->file->window.foreign->files[0].path);
}

/* Stores 6 bits, which may be split over two bytes. */
static void put_bits(unsigned char *to, uint64_t at, unsigned six)
{
    unsigned shift = (unsigned)(at % 8);
    to[at / 8] |= (unsigned char)(six << shift);
    if (shift > 2)
        to[at / 8 + 1] |= (unsigned char)(six >> (8 - shift));
}

static varve_status onnx_items_put(struct walk *w, uint64_t number)
{
    uint32_t unit = w->items->unit;
    uint64_t i = w->count++;
    if (!w->to)
        return VARVE_OK;
    uint64_t room = unit == 6   ? (uint64_t)w->size * 8 / 6
                    : unit == 1 ? w->size
                                : w->size / (unit / 8);
    if (i >= room)
        return onnx_items_fail_changed(w);
    if (unit == 6) {
        put_bits(w->to, 6 * i, (unsigned)number & 63);
    } else if (unit == 1) {
        w->to[i] = (uint32_t)number != 0;
    } else {
        for (uint32_t b = 0; b < unit / 8; b++)
            w->to[i * (unit / 8) + b] = (unsigned char)(number >> 8 * b);
    }
    return VARVE_OK;
}

static varve_status take_numbers(
    struct walk *w, const struct vv_wire_spot *spot)
{
    enum vv_wire_type kind = onnx_items_kind_of(w->items->field);
    if (spot->type != VV_WIRE_SIZED) {
        VV_TRY(vv_wire_file_expect(w->file, spot, kind, "elements"));
        return onnx_items_put(w, spot->value);
    }
    struct vv_wire_part part = spot->part;
    while (part.at < part.end) {
        uint64_t number;
        VV_TRY(vv_wire_file_number(w->file, &part, kind, &number));
        VV_TRY(onnx_items_put(w, number));
    }
    return VARVE_OK;
}

static varve_status onnx_items_take_string(
    struct walk *w, const struct vv_wire_spot *spot)
{
    uint64_t size = spot->part.end - spot->part.at;
    uint64_t i = w->count++;
    VV_TRY(vv_wire_file_expect(w->file, spot, VV_WIRE_SIZED, "a string"));
    if (w->to) {
        uint64_t text = 8 * w->strings + w->bytes;
        if (i >= w->strings || size > w->size - text)
            return onnx_items_fail_changed(w);
        vv_store64(w->to + 8 * i, size);
        if (size > 0)
            VV_TRY(vv_foreign_read(w->file->window.foreign, 0, w->to + text,
                (size_t)size, spot->part.at, w->file->window.error));
    }
    w->bytes += size;
    return VARVE_OK;
}

static varve_status onnx_items_walk(struct walk *w)
{
    struct vv_wire_part message = w->items->message;
    struct vv_wire_spot spot;
    while (message.at < message.end) {
        VV_TRY(vv_wire_file_next(w->file, &message, "elements", &spot));
        if (spot.number != w->items->field)
            continue;
        VV_TRY(w->items->unit ? take_numbers(w, &spot)
                              : onnx_items_take_string(w, &spot));
    }
    return VARVE_OK;
}

varve_status vv_onnx_items_count(struct vv_wire_file *file,
    const struct vv_onnx_items *items, uint64_t *count, uint64_t *bytes)
{
    struct walk w = { .file = file, .items = items };
    VV_TRY(onnx_items_walk(&w));
    *count = w.count;
    *bytes = w.bytes;
    return VARVE_OK;
}

varve_status vv_onnx_items_make(struct vv_wire_file *file,
    const struct vv_onnx_items *items, uint64_t count, unsigned char *bytes,
    size_t size)
{
    struct walk w = { .file = file,
        .items = items,
        .to = bytes,
        .size = size,
        .strings = items->unit ? 0 : count };
    memset(bytes, 0, size);
    VV_TRY(onnx_items_walk(&w));
    bool is_whole =
        w.count == count && (items->unit || 8 * w.strings + w.bytes == size);
    return is_whole ? VARVE_OK : onnx_items_fail_changed(&w);
}

/* --- Tensors -------------------------------------------------------------- */

/* Field numbers in the file. */
enum {
    DIMS = 1,
    DATA_TYPE = 2,
    SEGMENT = 3,
    NAME = 8,
    RAW_DATA = 9,
    EXTERNAL_DATA = 13,
    DATA_LOCATION = 14,
    MOST_FIELDS = 16,
};

enum { EXTERNAL = 1, LONGEST_ENTRY = 8192 };

static const char what[] = "a tensor";

struct reading {
    struct vv_wire_file *file;
    struct vv_onnx_tensor *t;
    struct vv_buffer *location;
    struct vv_buffer entry; /* entry of external data */
    uint64_t type, where;
    unsigned fields[MOST_FIELDS]; /* number of occurrences of each, at most 2 */
    struct vv_wire_part raw, items;
    unsigned others; /* one bit for each field with elements that is present */
};

static varve_status onnx_tensor_fail(const struct reading *r,
    varve_status status, const char *expected, const char *found)
{
    return vv_fail(r->file->window.error, status,
        "%s: offset %" PRIu64 ": expected %s, found %s",
        r->file->window.foreign->files[0].path, r->t->message.at, expected,
        found);
}

/* --- Dimensions ----------------------------------------------------------- */

static varve_status onnx_tensor_add_dimension(
    struct reading *r, uint64_t extent)
{
    varve_tensor *shape = &r->t->shape;
    if (shape->rank == VARVE_MAX_RANK)
        return onnx_tensor_fail(
            r, VARVE_LIMIT, "at most 16 dimensions", "more");
    if (extent > INT64_MAX)
        return onnx_tensor_fail(
            r, VARVE_CORRUPT, "non-negative dimensions", "a negative one");
    shape->shape[shape->rank++] = extent;
    return VARVE_OK;
}

static varve_status take_dimensions(
    struct reading *r, const struct vv_wire_spot *spot)
{
    struct vv_wire_part part = spot->part;
    if (spot->type != VV_WIRE_SIZED) {
        VV_TRY(vv_wire_file_expect(r->file, spot, VV_WIRE_VARINT, what));
        return onnx_tensor_add_dimension(r, spot->value);
    }
    while (part.at < part.end) {
        uint64_t extent;
        VV_TRY(vv_wire_file_number(r->file, &part, VV_WIRE_VARINT, &extent));
        VV_TRY(onnx_tensor_add_dimension(r, extent));
    }
    return VARVE_OK;
}

/* --- Data in another file ------------------------------------------------- */

static bool is_key(const struct vv_wire_field *key, const char *text)
{
    return key->bytes && key->value == strlen(text) &&
           memcmp(key->bytes, text, strlen(text)) == 0;
}

static varve_status take_decimal(const struct reading *r,
    const struct vv_wire_field *value, uint64_t *number)
{
    if (value->bytes && vv_parse_decimal((const char *)value->bytes,
                            (size_t)value->value, number))
        return VARVE_OK;
    return onnx_tensor_fail(r, VARVE_CORRUPT,
        "decimal numbers as the offset and length of external data",
        "other text");
}

static varve_status use_entry(struct reading *r,
    const struct vv_wire_field *key, const struct vv_wire_field *value)
{
    struct vv_onnx_tensor *t = r->t;
    if (is_key(key, "offset"))
        return take_decimal(r, value, &t->offset);
    if (is_key(key, "length")) {
        t->has_length = true;
        return take_decimal(r, value, &t->length);
    }
    if (is_key(key, "location")) {
        r->location->size = 0;
        if (value->value > 0)
            vv_buffer_add(r->location, value->bytes, (size_t)value->value);
    }
    return r->location->failed ? vv_fail_memory(r->file->window.error, "a name")
                               : VARVE_OK;
}

/* Reads a key and its value. Unknown keys are ignored. */
static varve_status onnx_tensor_take_entry(
    struct reading *r, const struct vv_wire_spot *spot)
{
    struct vv_wire_field key = { .bytes = NULL }, value = { .bytes = NULL };
    VV_TRY(vv_wire_file_expect(r->file, spot, VV_WIRE_SIZED, what));
    if (spot->part.end - spot->part.at > LONGEST_ENTRY)
        return onnx_tensor_fail(r, VARVE_LIMIT,
            "at most 8192 bytes of text for external data", "more");
    r->entry.size = 0;
    VV_TRY(vv_wire_file_take(r->file, spot->part, &r->entry));
    struct vv_wire wire = { .path = r->file->window.foreign->files[0].path,
        .what = "external data",
        .bytes = r->entry.data,
        .size = r->entry.size,
        .error = r->file->window.error };
    while (vv_wire_has_more(&wire)) {
        struct vv_wire_field field;
        VV_TRY(vv_wire_next(&wire, &field));
        if (field.number != 1 && field.number != 2)
            continue;
        VV_TRY(vv_wire_expect(&wire, &field, VV_WIRE_SIZED));
        *(field.number == 1 ? &key : &value) = field;
    }
    return use_entry(r, &key, &value);
}

/* --- Fields --------------------------------------------------------------- */

/* Records a part of the elements of a field. */
static varve_status take_items(
    struct reading *r, const struct vv_wire_spot *spot)
{
    r->items = spot->part;
    if (spot->part.end > spot->part.at || spot->number == VV_ONNX_STRINGS)
        r->others |= 1u << spot->number;
    if (spot->type != VV_WIRE_SIZED)
        r->items.end = r->items.at; /* a single item, not packed */
    return VARVE_OK;
}

static varve_status onnx_tensor_take_sized(struct reading *r,
    const struct vv_wire_spot *spot, struct vv_wire_part *part)
{
    *part = spot->part;
    return vv_wire_file_expect(r->file, spot, VV_WIRE_SIZED, what);
}

static varve_status onnx_tensor_take_varint(
    struct reading *r, const struct vv_wire_spot *spot, uint64_t *number)
{
    *number = spot->value;
    return vv_wire_file_expect(r->file, spot, VV_WIRE_VARINT, what);
}

static varve_status onnx_tensor_take_field(
    struct reading *r, const struct vv_wire_spot *spot)
{
    if (spot->number < MOST_FIELDS && r->fields[spot->number] < 2)
        r->fields[spot->number]++;
    switch (spot->number) {
    case DIMS: return take_dimensions(r, spot);
    case DATA_TYPE: return onnx_tensor_take_varint(r, spot, &r->type);
    case NAME: return onnx_tensor_take_sized(r, spot, &r->t->name);
    case RAW_DATA: return onnx_tensor_take_sized(r, spot, &r->raw);
    case EXTERNAL_DATA: return onnx_tensor_take_entry(r, spot);
    case DATA_LOCATION: return onnx_tensor_take_varint(r, spot, &r->where);
    case VV_ONNX_FLOATS:
    case VV_ONNX_INT32S:
    case VV_ONNX_STRINGS:
    case VV_ONNX_INT64S:
    case VV_ONNX_DOUBLES:
    case VV_ONNX_UINT64S: return take_items(r, spot);
    default: return VARVE_OK;
    }
}

static varve_status onnx_tensor_take_fields(struct reading *r)
{
    struct vv_wire_part message = r->t->message;
    struct vv_wire_spot spot;
    while (message.at < message.end) {
        VV_TRY(vv_wire_file_next(r->file, &message, what, &spot));
        VV_TRY(onnx_tensor_take_field(r, &spot));
    }
    return VARVE_OK;
}

/* --- Validation ----------------------------------------------------------- */

static varve_status fail_size(
    const struct reading *r, uint64_t expected, uint64_t found)
{
    return vv_fail(r->file->window.error, VARVE_CORRUPT,
        "%s: offset %" PRIu64 ": expected %" PRIu64
        " bytes or items of data for its shape, found %" PRIu64,
        r->file->window.foreign->files[0].path, r->t->message.at, expected,
        found);
}

static varve_status check_type(struct reading *r)
{
    struct vv_onnx_tensor *t = r->t;
    t->type = vv_onnx_type_of(r->type);
    if (!t->type)
        return vv_fail(r->file->window.error,
            r->type ? VARVE_TOO_NEW : VARVE_CORRUPT,
            "%s: offset %" PRIu64 ": unknown element type %" PRIu64,
            r->file->window.foreign->files[0].path, t->message.at, r->type);
    t->shape.dtype = t->type->dtype;
    if (!vv_shape_count(t->shape.rank, t->shape.shape, &t->count) ||
        !vv_onnx_type_size(t->type, t->count, &t->size))
        return onnx_tensor_fail(
            r, VARVE_CORRUPT, "less than 2^64 bytes", "more");
    return VARVE_OK;
}

static varve_status check_raw(struct reading *r)
{
    uint64_t size = r->raw.end - r->raw.at;
    if (r->t->type->field == VV_ONNX_STRINGS)
        return onnx_tensor_fail(
            r, VARVE_CORRUPT, "strings in string_data", "raw_data");
    if (size != r->t->size)
        return fail_size(r, r->t->size, size);
    r->t->data = r->raw;
    r->t->storage = VV_ONNX_HERE;
    return VARVE_OK;
}

/* Returns true if the elements are a single part of fixed-size numbers, which
 * is the same in a Varve file. */
static bool lie_like_ours(const struct reading *r)
{
    uint32_t field = r->t->type->field;
    return (field == VV_ONNX_FLOATS || field == VV_ONNX_DOUBLES) &&
           r->fields[field] == 1 && r->items.end - r->items.at == r->t->size;
}

static varve_status check_items(struct reading *r)
{
    struct vv_onnx_tensor *t = r->t;
    struct vv_onnx_items items = {
        .message = t->message, .field = t->type->field, .unit = t->type->unit
    };
    uint64_t found, bytes, expected;
    if (r->others & ~(1u << t->type->field))
        return onnx_tensor_fail(r, VARVE_CORRUPT,
            "elements only in the field of their type",
            "some in another field");
    if (lie_like_ours(r)) {
        t->data = r->items;
        t->storage = VV_ONNX_HERE;
        return VARVE_OK;
    }
    VV_TRY(vv_onnx_items_count(r->file, &items, &found, &bytes));
    expected = vv_onnx_type_items(t->type, t->count, t->size);
    if (found != expected)
        return fail_size(r, expected, found);
    if (t->type->field == VV_ONNX_STRINGS)
        t->size = 8 * t->count + bytes; /* cannot overflow: both are sizes
                                           within the file */
    t->storage = VV_ONNX_ITEMS;
    return VARVE_OK;
}

static varve_status check_outside(struct reading *r)
{
    struct vv_onnx_tensor *t = r->t;
    if (t->type->field == VV_ONNX_STRINGS)
        return onnx_tensor_fail(
            r, VARVE_CORRUPT, "strings in string_data", "external data");
    if (t->has_length && t->length != t->size)
        return fail_size(r, t->size, t->length);
    t->storage = VV_ONNX_OUTSIDE;
    return VARVE_OK;
}

static varve_status onnx_tensor_check(struct reading *r)
{
    VV_TRY(check_type(r));
    if (r->where > EXTERNAL)
        return onnx_tensor_fail(
            r, VARVE_TOO_NEW, "a data_location of 0 or 1", "another");
    bool has_raw =
        r->raw.end > r->raw.at || (r->fields[RAW_DATA] && !r->others);
    if (r->fields[RAW_DATA] > 1)
        return onnx_tensor_fail(
            r, VARVE_CORRUPT, "raw_data only once", "a duplicate");
    if ((has_raw && r->others) ||
        (r->where && (r->others || r->raw.end > r->raw.at)))
        return onnx_tensor_fail(
            r, VARVE_CORRUPT, "elements in one place", "two places");
    if (r->fields[SEGMENT])
        return onnx_tensor_fail(
            r, VARVE_LIMIT, "a complete tensor", "a segment");
    if (r->where)
        return check_outside(r);
    return has_raw ? check_raw(r) : check_items(r);
}

/* Finds the name of the tensor anywhere in the message. */
static void onnx_tensor_find_name(struct reading *r)
{
    varve_error *error = r->file->window.error;
    struct vv_wire_part message = r->t->message;
    struct vv_wire_spot spot;
    r->file->window.error = NULL;
    while (message.at < message.end &&
           !vv_wire_file_next(r->file, &message, what, &spot)) {
        if (spot.number == NAME && spot.type == VV_WIRE_SIZED)
            r->t->name = spot.part;
    }
    r->entry.size = 0;
    if (r->t->name.end - r->t->name.at > LONGEST_ENTRY ||
        vv_wire_file_take(r->file, r->t->name, &r->entry))
        r->entry.size = 0;
    r->file->window.error = error;
}

/* Adds the name of the tensor to the error message. */
static void onnx_tensor_name_failure(struct reading *r)
{
    varve_error *error = r->file->window.error;
    if (!error)
        return;
    onnx_tensor_find_name(r);
    if (r->entry.size > 0)
        vv_fail_of(error, r->file->window.foreign->files[0].path, "tensor",
            (const char *)r->entry.data, r->entry.size);
}

varve_status vv_onnx_tensor_read(struct vv_wire_file *file,
    struct vv_wire_part message, struct vv_buffer *location,
    struct vv_onnx_tensor *tensor)
{
    struct reading r = { .file = file, .t = tensor, .location = location };
    *tensor = (struct vv_onnx_tensor){ .message = message };
    location->size = 0;
    vv_buffer_init(&r.entry, location->allocator);
    varve_status status = onnx_tensor_take_fields(&r);
    if (!status)
        status = onnx_tensor_check(&r);
    if (status && status != VARVE_NO_MEMORY)
        onnx_tensor_name_failure(&r);
    vv_buffer_clear(&r.entry);
    return status;
}
