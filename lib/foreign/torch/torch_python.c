/* torch_python.c - Recognizes calls of Python and NumPy in a pickle, and finds
 * the arrays that they make.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_python.h"

#include <string.h>

#include "bytes.h"
#include "typed_memory.h"

/* --- Functions and classes ------------------------------------------------ */

/* Recognizes functions and classes by module and name. */

/* --- Bytes ---------------------------------------------------------------- */

/* Converts UTF-8 to Latin-1. Returns false if a character is above 255 or the
 * result is too long. */
static bool torch_python_take_latin1(const unsigned char *text, size_t size,
    unsigned char bytes[VV_TORCH_MOST_BYTES], size_t *count)
{
    *count = 0;
    for (size_t i = 0; i < size; i++) {
        unsigned char c = text[i];
        if (c >= 0x80) {
            if ((c != 0xc2 && c != 0xc3) || ++i == size)
                return false;
            c = (unsigned char)(c << 6 | (text[i] & 0x3f));
        }
        if (*count == VV_TORCH_MOST_BYTES)
            return false;
        bytes[(*count)++] = c;
    }
    return true;
}

bool vv_torch_is_latin1(const struct vv_pickle *p, uint32_t number)
{
    const struct vv_pickle_item *item = vv_pickle_item(p, number);
    uint32_t name = vv_pickle_nth(p, item->b, 1);
    return vv_pickle_is_global(p, item->a, "_codecs", "encode") &&
           (vv_pickle_is_text(p, name, "latin1") ||
               vv_pickle_is_text(p, name, "latin-1"));
}

bool vv_torch_bytes(const struct vv_pickle *p, uint32_t number,
    unsigned char bytes[VV_TORCH_MOST_BYTES], size_t *size)
{
    const struct vv_pickle_item *item = vv_pickle_item(p, number);
    bool is_call = item->kind == VV_PICKLE_CALL;
    if (is_call && !vv_torch_is_latin1(p, number))
        return false;
    if (is_call)
        item = vv_pickle_item(p, vv_pickle_nth(p, item->b, 0));
    const unsigned char *text = p->bytes + item->a;
    if (item->kind != VV_PICKLE_BYTES &&
        (!is_call || item->kind != VV_PICKLE_TEXT))
        return false;
    if (is_call)
        return item->b <= 2 * VV_TORCH_MOST_BYTES &&
               torch_python_take_latin1(text, item->b, bytes, size);
    if (item->b > VV_TORCH_MOST_BYTES)
        return false;
    *size = item->b;
    if (item->b > 0)
        memcpy(bytes, text, item->b);
    return true;
}

/* --- Numbers -------------------------------------------------------------- */

static const struct {
    const char *name;
    varve_dtype dtype;
} types[] = {
    { "f8", VARVE_FLOAT64 },
    { "f4", VARVE_FLOAT32 },
    { "f2", VARVE_FLOAT16 },
    { "i8", VARVE_INT64 },
    { "i4", VARVE_INT32 },
    { "i2", VARVE_INT16 },
    { "i1", VARVE_INT8 },
    { "u8", VARVE_UINT64 },
    { "u4", VARVE_UINT32 },
    { "u2", VARVE_UINT16 },
    { "u1", VARVE_UINT8 },
    { "b1", VARVE_BOOL },
    { "c8", VARVE_COMPLEX64 },
    { "c16", VARVE_COMPLEX128 },
};

/* Parses numpy.dtype('f8', ...) with the state (3, '<', ...). */
varve_dtype vv_torch_numpy_type(
    const struct vv_pickle *p, uint32_t number, bool *is_swapped)
{
    const struct vv_pickle_item *item = vv_pickle_item(p, number);
    if (item->kind != VV_PICKLE_CALL ||
        !vv_pickle_is_global(p, item->a, "numpy", "dtype"))
        return (varve_dtype)0;
    uint32_t name = vv_pickle_nth(p, item->b, 0);
    uint32_t order = vv_pickle_nth(p, item->state, 1);
    *is_swapped = vv_pickle_is_text(p, order, ">");
    if (!*is_swapped && !vv_pickle_is_text(p, order, "<") &&
        !vv_pickle_is_text(p, order, "|"))
        return (varve_dtype)0;
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (vv_pickle_is_text(p, name, types[i].name))
            return types[i].dtype;
    }
    return (varve_dtype)0;
}

bool vv_torch_numpy(const struct vv_pickle *p, uint32_t number,
    varve_dtype *dtype, uint64_t *bits)
{
    const struct vv_pickle_item *item = vv_pickle_item(p, number);
    unsigned char bytes[VV_TORCH_MOST_BYTES] = { 0 };
    size_t size;
    bool is_swapped;
    if (item->kind != VV_PICKLE_CALL ||
        (!vv_pickle_is_global(p, item->a, "numpy.core.multiarray", "scalar") &&
            !vv_pickle_is_global(
                p, item->a, "numpy._core.multiarray", "scalar")))
        return false;
    *dtype = vv_torch_numpy_type(p, vv_pickle_nth(p, item->b, 0), &is_swapped);
    if (!*dtype || is_swapped || vv_dtype_file_size(*dtype) > sizeof *bits ||
        !vv_torch_bytes(p, vv_pickle_nth(p, item->b, 1), bytes, &size) ||
        size != vv_dtype_file_size(*dtype))
        return false;
    *bits = vv_load64(bytes);
    return true;
}

/* --- Containers ----------------------------------------------------------- */

bool vv_torch_makes_container(const struct vv_pickle *p, uint32_t function)
{
    static const char *const known[][2] = {
        { "collections", "OrderedDict" },
        { "collections", "defaultdict" },
        { "collections", "Counter" },
        { "collections", "deque" },
        { "builtins", "dict" },
        { "builtins", "list" },
        { "builtins", "set" },
        { "builtins", "frozenset" },
        { "__builtin__", "dict" },
        { "__builtin__", "list" },
        { "__builtin__", "set" },
        { "__builtin__", "frozenset" },
        { "torch", "Size" },
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (vv_pickle_is_global(p, function, known[i][0], known[i][1]))
            return true;
    }
    return false;
}

/* Returns the argument of a call that only makes a container, if it is a
 * container and the call has no other members; otherwise None. */
static uint32_t given_to(
    const struct vv_pickle *p, const struct vv_pickle_item *call)
{
    uint32_t given = vv_pickle_nth(p, call->b, 0);
    uint32_t kind = vv_pickle_item(p, given)->kind;
    bool is_container = kind >= VV_PICKLE_TUPLE && kind <= VV_PICKLE_SET;
    return is_container && !call->first ? given : VV_PICKLE_THE_NONE;
}

uint32_t vv_torch_pairs_of(
    const struct vv_pickle *p, const struct vv_pickle_item *call)
{
    uint32_t given = given_to(p, call);
    bool is_list = vv_pickle_item(p, given)->kind == VV_PICKLE_LIST;
    return is_list &&
                   vv_pickle_is_global(p, call->a, "collections", "OrderedDict")
               ? given
               : VV_PICKLE_THE_NONE;
}

uint32_t vv_torch_same(const struct vv_pickle *p, uint32_t number)
{
    const struct vv_pickle_item *call = vv_pickle_item(p, number);
    if (call->kind != VV_PICKLE_CALL || !vv_torch_makes_container(p, call->a) ||
        vv_torch_pairs_of(p, call))
        return number;
    uint32_t given = given_to(p, call);
    return given ? given : number;
}

/* --- Arrays --------------------------------------------------------------- */

/* Parses the result of numpy.ndarray.__reduce__: _reconstruct with the state
 * (1, shape, type, is_fortran, bytes), or in protocol 5 _frombuffer with
 * (bytes, type, shape, order). */

/* --- Parts ---------------------------------------------------------------- */

static bool is_function(const struct vv_pickle *p, uint32_t function,
    const char *module, const char *older, const char *name)
{
    return vv_pickle_is_global(p, function, module, name) ||
           vv_pickle_is_global(p, function, older, name);
}

static bool torch_array_take_shape(
    const struct vv_pickle *p, uint32_t number, varve_tensor *type)
{
    const struct vv_pickle_item *shape = vv_pickle_item(p, number);
    if (shape->kind != VV_PICKLE_TUPLE)
        return false;
    for (uint32_t at = shape->first; at; at = vv_pickle_link(p, at).next) {
        const struct vv_pickle_item *extent =
            vv_pickle_item(p, vv_pickle_link(p, at).item);
        if (extent->kind != VV_PICKLE_INTEGER ||
            vv_pickle_integer(extent) < 0 || type->rank == VARVE_MAX_RANK)
            return false;
        type->shape[type->rank++] = (uint64_t)vv_pickle_integer(extent);
    }
    return true;
}

/* Returns the text that _codecs.encode converts to bytes, or the item itself if
 * it is bytes already. */
static uint32_t torch_array_text_of(const struct vv_pickle *p, uint32_t number)
{
    const struct vv_pickle_item *item = vv_pickle_item(p, number);
    return item->kind == VV_PICKLE_CALL ? vv_pickle_nth(p, item->b, 0) : number;
}

static bool take_data(
    const struct vv_pickle *p, uint32_t number, struct vv_torch_array *array)
{
    const struct vv_pickle_item *item = vv_pickle_item(p, number);
    bool is_call = item->kind == VV_PICKLE_CALL;
    array->data = number;
    if (array->size == 0)
        return true; /* bytes() */
    if (is_call && !vv_torch_is_latin1(p, number))
        return false;
    const struct vv_pickle_item *text =
        vv_pickle_item(p, torch_array_text_of(p, number));
    if (text->kind != VV_PICKLE_BYTES &&
        (!is_call || text->kind != VV_PICKLE_TEXT))
        return false;
    return is_call ? text->b >= array->size && text->b / 2 <= array->size
                   : text->b == array->size;
}

/* --- Arrays --------------------------------------------------------------- */

static bool torch_array_take(const struct vv_pickle *p, uint32_t shape,
    uint32_t type, uint32_t data, struct vv_torch_array *array)
{
    uint64_t count;
    array->type.dtype = vv_torch_numpy_type(p, type, &array->is_swapped);
    return array->type.dtype &&
           torch_array_take_shape(p, shape, &array->type) &&
           vv_shape_count(array->type.rank, array->type.shape, &count) &&
           vv_size_of(
               count, vv_dtype_file_size(array->type.dtype), &array->size) &&
           take_data(p, data, array);
}

bool vv_torch_array(
    const struct vv_pickle *p, uint32_t number, struct vv_torch_array *array)
{
    const struct vv_pickle_item *item = vv_pickle_item(p, number);
    *array = (struct vv_torch_array){ .size = 0 };
    if (item->kind != VV_PICKLE_CALL)
        return false;
    if (is_function(p, item->a, "numpy._core.multiarray",
            "numpy.core.multiarray", "_reconstruct")) {
        array->is_fortran =
            vv_pickle_nth(p, item->state, 3) == VV_PICKLE_THE_TRUE;
        return torch_array_take(p, vv_pickle_nth(p, item->state, 1),
            vv_pickle_nth(p, item->state, 2), vv_pickle_nth(p, item->state, 4),
            array);
    }
    array->is_fortran = vv_pickle_is_text(p, vv_pickle_nth(p, item->b, 3), "F");
    return is_function(p, item->a, "numpy._core.numeric", "numpy.core.numeric",
               "_frombuffer") &&
           torch_array_take(p, vv_pickle_nth(p, item->b, 2),
               vv_pickle_nth(p, item->b, 1), vv_pickle_nth(p, item->b, 0),
               array);
}

/* Converts UTF-8 to Latin-1. Returns false if the result does not have `count`
 * bytes. */
static bool torch_array_take_latin1(
    const unsigned char *text, size_t size, unsigned char *bytes, size_t count)
{
    size_t done = 0, i = 0;
    for (; i < size && done < count; i++) {
        unsigned char c = text[i];
        if (c >= 0x80) {
            if ((c != 0xc2 && c != 0xc3) || ++i == size)
                return false;
            c = (unsigned char)(c << 6 | (text[i] & 0x3f));
        }
        bytes[done++] = c;
    }
    return i == size && done == count;
}

/* Copies elements from column-major to row-major order. */
static void transpose(const varve_tensor *type, size_t element,
    const unsigned char *from, unsigned char *to)
{
    uint64_t at[VARVE_MAX_RANK] = { 0 }, count = varve_tensor_count(type);
    for (uint64_t i = 0; i < count; i++) {
        uint64_t place = 0;
        for (uint32_t k = type->rank; k-- > 0;)
            place = place * type->shape[k] + at[k];
        memcpy(to + i * element, from + place * element, element);
        for (uint32_t k = type->rank; k-- > 0;) {
            if (++at[k] < type->shape[k])
                break;
            at[k] = 0;
        }
    }
}

bool vv_torch_array_add(const struct vv_pickle *p,
    const struct vv_torch_array *array, struct vv_buffer *bytes)
{
    const struct vv_pickle_item *text =
        vv_pickle_item(p, torch_array_text_of(p, array->data));
    size_t size = (size_t)array->size, begin = bytes->size;
    size_t element = vv_dtype_file_size(array->type.dtype);
    unsigned char *to =
        size ? vv_buffer_extend(bytes, array->is_fortran ? 2 * size : size)
             : NULL;
    if (!to)
        return true;
    unsigned char *from = array->is_fortran ? to + size : to;
    bytes->size = begin;
    if (vv_pickle_item(p, array->data)->kind == VV_PICKLE_CALL) {
        if (!torch_array_take_latin1(p->bytes + text->a, text->b, from, size))
            return false;
    } else {
        memcpy(from, p->bytes + text->a, size);
    }
    if (array->is_fortran)
        transpose(&array->type, element, from, to);
    if (array->is_swapped)
        vv_dtype_reverse_copy(array->type.dtype, to, to, size / element);
    bytes->size = begin + size;
    return true;
}
