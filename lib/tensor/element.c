/* element.c - Formats one element as text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "element.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "convert.h"
#include "dtype.h"
#include "name.h"

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
