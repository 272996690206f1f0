/* convert.c - Converts elements to other types and to text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "convert.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "name.h"
#include "number.h"
#include "typed_memory.h"

/* --- Conversions ---------------------------------------------------------- */

/* Converts any type to any other by way of an exact representation. Frequent
 * pairs have faster functions with equal results. */

/* --- Elements as bits --------------------------------------------------- */

static inline uint64_t convert_load(const unsigned char *at, size_t size)
{
    uint8_t v8;
    uint16_t v16;
    uint32_t v32;
    uint64_t v64;
    switch (size) {
    case 1: memcpy(&v8, at, 1); return v8;
    case 2: memcpy(&v16, at, 2); return v16;
    case 4: memcpy(&v32, at, 4); return v32;
    default: memcpy(&v64, at, 8); return v64;
    }
}

static inline void convert_store(unsigned char *at, size_t size, uint64_t bits)
{
    uint8_t v8 = (uint8_t)bits;
    uint16_t v16 = (uint16_t)bits;
    uint32_t v32 = (uint32_t)bits;
    switch (size) {
    case 1: memcpy(at, &v8, 1); break;
    case 2: memcpy(at, &v16, 2); break;
    case 4: memcpy(at, &v32, 4); break;
    default: memcpy(at, &bits, 8); break;
    }
}

/* --- Any type to any type ----------------------------------------------- */

struct pair {
    const struct vv_dtype *to;
    const struct vv_dtype *from;
};

static bool convert_one(
    const struct pair *pair, unsigned char *to, const unsigned char *from)
{
    size_t to_part = pair->to->part_size, from_part = pair->from->part_size;
    struct vv_number real =
        vv_number_decode(pair->from, convert_load(from, from_part));
    struct vv_number imaginary = { .state = VV_FINITE };
    bool exact = true;
    if (pair->from->size > from_part)
        imaginary = vv_number_decode(
            pair->from, convert_load(from + from_part, from_part));
    /* A complex number is true if either part is nonzero. The conversion is
     * inexact. */
    if (pair->to->family == VV_FAMILY_BOOL && !vv_number_is_zero(imaginary)) {
        convert_store(to, to_part, 1);
        return false;
    }
    convert_store(to, to_part, vv_number_encode(pair->to, real, &exact));
    if (pair->to->size > to_part)
        convert_store(to + to_part, to_part,
            vv_number_encode(pair->to, imaginary, &exact));
    else
        exact &= vv_number_is_zero(imaginary);
    return exact;
}

static uint64_t convert_any(const struct pair *pair, unsigned char *to,
    const unsigned char *from, uint64_t count)
{
    uint64_t inexact = 0;
    for (uint64_t i = 0; i < count; i++) {
        inexact += !convert_one(pair, to, from);
        to += pair->to->size;
        from += pair->from->size;
    }
    return inexact;
}

/* --- Frequent pairs ------------------------------------------------------- */

static uint64_t float64_of_float32(const struct pair *pair, unsigned char *to,
    const unsigned char *from, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++, to += 8, from += 4) {
        uint64_t bits = convert_load(from, 4);
        uint64_t sign = (bits & 0x80000000) << 32;
        uint64_t body = bits & 0x7fffffff;
        if (body == 0)
            convert_store(to, 8, sign);
        else if (body - 0x00800000 < 0x7f000000)
            convert_store(to, 8, sign | ((body << 29) + (UINT64_C(896) << 52)));
        else
            convert_one(pair, to, from);
    }
    return 0;
}

static uint64_t float32_of_float64(const struct pair *pair, unsigned char *to,
    const unsigned char *from, uint64_t count)
{
    const uint64_t smallest = UINT64_C(897) << 52; /* normal in both types */
    const uint64_t range = UINT64_C(253) << 52;    /* and not near overflow */
    uint64_t inexact = 0;
    for (uint64_t i = 0; i < count; i++, to += 4, from += 8) {
        uint64_t bits = convert_load(from, 8);
        uint64_t sign = bits >> 63 << 31;
        uint64_t body = bits & (UINT64_MAX >> 1);
        if (body == 0) {
            convert_store(to, 4, sign);
        } else if (body - smallest < range) {
            inexact += (body & 0x1fffffff) != 0;
            body += 0x0fffffff + (body >> 29 & 1); /* adds half; ties to even */
            convert_store(to, 4, sign | ((body - (UINT64_C(896) << 52)) >> 29));
        } else {
            inexact += !convert_one(pair, to, from);
        }
    }
    return inexact;
}

static uint64_t float32_of_float16(const struct pair *pair, unsigned char *to,
    const unsigned char *from, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++, to += 4, from += 2) {
        uint64_t bits = convert_load(from, 2);
        uint64_t sign = (bits & 0x8000) << 16;
        uint64_t body = bits & 0x7fff;
        if (body == 0)
            convert_store(to, 4, sign);
        else if (body - 0x0400 < 0x7800)
            convert_store(to, 4, sign | ((body << 13) + (112 << 23)));
        else
            convert_one(pair, to, from);
    }
    return 0;
}

static uint64_t float32_of_bfloat16(const struct pair *pair, unsigned char *to,
    const unsigned char *from, uint64_t count)
{
    (void)pair;
    for (uint64_t i = 0; i < count; i++)
        convert_store(to + 4 * i, 4, convert_load(from + 2 * i, 2) << 16);
    return 0;
}

static uint64_t bfloat16_of_float32(const struct pair *pair, unsigned char *to,
    const unsigned char *from, uint64_t count)
{
    uint64_t inexact = 0;
    for (uint64_t i = 0; i < count; i++, to += 2, from += 4) {
        uint64_t bits = convert_load(from, 4);
        if ((bits & 0x7fffffff) > 0x7f800000) {
            convert_one(pair, to, from);
            continue;
        }
        inexact += (bits & 0xffff) != 0;
        bits += 0x7fff + (bits >> 16 & 1); /* adds half; ties to even */
        convert_store(to, 2, bits >> 16);
    }
    return inexact;
}

typedef uint64_t convert_function(const struct pair *pair, unsigned char *to,
    const unsigned char *from, uint64_t count);

static convert_function *function_for(varve_dtype to, varve_dtype from)
{
    if (to == VARVE_FLOAT64 && from == VARVE_FLOAT32)
        return float64_of_float32;
    if (to == VARVE_FLOAT32 && from == VARVE_FLOAT64)
        return float32_of_float64;
    if (to == VARVE_FLOAT32 && from == VARVE_FLOAT16)
        return float32_of_float16;
    if (to == VARVE_FLOAT32 && from == VARVE_BFLOAT16)
        return float32_of_bfloat16;
    if (to == VARVE_BFLOAT16 && from == VARVE_FLOAT32)
        return bfloat16_of_float32;
    return convert_any;
}

uint64_t vv_convert(varve_dtype to, void *to_elements, varve_dtype from,
    const void *from_elements, uint64_t count)
{
    struct pair pair = { vv_dtype_of(to), vv_dtype_of(from) };
    if (count == 0 || !pair.to || !pair.from || !pair.to->part_size ||
        !pair.from->part_size)
        return 0;
    if (to == from) {
        memmove(to_elements, from_elements, (size_t)count * pair.to->size);
        return 0;
    }
    if (to == VARVE_COMPLEX128 && from == VARVE_COMPLEX64)
        return vv_convert(VARVE_FLOAT64, to_elements, VARVE_FLOAT32,
            /* always exact, so no value counts twice */
            from_elements, 2 * count);
    return function_for(to, from)(&pair, to_elements, from_elements, count);
}

/* --- Possible conversions ----------------------------------------------- */

bool vv_convert_is_possible(varve_dtype from, varve_dtype to)
{
    const struct vv_dtype *a = vv_dtype_of(from), *b = vv_dtype_of(to);
    return a && b && (a->part_size == 0) == (b->part_size == 0);
}

bool vv_convert_is_widening(varve_dtype from, varve_dtype to)
{
    if (!vv_convert_is_possible(from, to))
        return false;
    const struct vv_dtype *a = vv_dtype_of(from), *b = vv_dtype_of(to);
    bool a_is_complex = a->size > a->part_size;
    bool b_is_complex = b->size > b->part_size;
    return a->digits <= b->digits && a->lowest >= b->lowest &&
           a->highest <= b->highest && a->negative <= b->negative &&
           a_is_complex <= b_is_complex;
}

/* --- Text ----------------------------------------------------------------- */

/* Formats one element as text. */

enum { STRING_SHOWN = 40 };

/* Writes a real with the fewest digits that read back. float32 and narrower
 * types need at most 9 digits, float64 needs 17. */
static int element_put_real(
    char *text, size_t size, double value, bool is_single)
{
    for (int digits = is_single ? 6 : 15; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        double back =
            is_single ? (double)strtof(text, NULL) : strtod(text, NULL);
        if (memcmp(&back, &value, sizeof back) == 0)
            break;
    }
    return (int)strlen(vv_set_point(text));
}

static void put_parts(varve_dtype dtype, const void *bytes, char *text)
{
    const struct vv_dtype *type = vv_dtype_of(dtype);
    bool is_complex = type->part_size < type->size;
    double parts[2] = { 0, 0 };
    vv_convert(VARVE_COMPLEX128, parts, dtype, bytes, 1);
    int end = element_put_real(
        text, VV_ELEMENT_TEXT_SIZE, parts[0], type->part_size <= 4);
    char imaginary[VV_ELEMENT_TEXT_SIZE / 2];
    if (!is_complex)
        return;
    element_put_real(
        imaginary, sizeof imaginary, parts[1], type->part_size <= 4);
    snprintf(text + end, VV_ELEMENT_TEXT_SIZE - (size_t)end, "%s%.30si",
        imaginary[0] == '-' ? "" : "+", imaginary);
}

static void element_put_string(const varve_string *string, char *text)
{
    int shown = string->size < STRING_SHOWN ? (int)string->size : STRING_SHOWN;
    snprintf(text, VV_ELEMENT_TEXT_SIZE, "\"%.*s%s\"", shown,
        string->data ? string->data : "",
        string->size > STRING_SHOWN ? "..." : "");
    for (; *text; text++) {
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            *text = '?';
    }
}

static void put_integer(varve_dtype dtype, const void *bytes, char *text)
{
    int64_t whole;
    uint64_t natural;
    if (vv_dtype_of(dtype)->negative) {
        vv_convert(VARVE_INT64, &whole, dtype, bytes, 1);
        snprintf(text, VV_ELEMENT_TEXT_SIZE, "%" PRId64, whole);
    } else {
        vv_convert(VARVE_UINT64, &natural, dtype, bytes, 1);
        snprintf(text, VV_ELEMENT_TEXT_SIZE, "%" PRIu64, natural);
    }
}

char *vv_element_text(varve_dtype dtype, const void *bytes, char *text)
{
    switch (vv_dtype_of(dtype)->family) {
    case VV_FAMILY_BOOL:
        strcpy(text, *(const uint8_t *)bytes ? "true" : "false");
        break;
    case VV_FAMILY_INTEGER: put_integer(dtype, bytes, text); break;
    case VV_FAMILY_REAL: put_parts(dtype, bytes, text); break;
    case VV_FAMILY_STRING: element_put_string(bytes, text); break;
    }
    return text;
}
