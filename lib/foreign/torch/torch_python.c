/* torch_python.c - Recognizes functions and classes by module and name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_python.h"

#include <string.h>

#include "bytes.h"
#include "dtype.h"

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
