/* npy_type.c - Parses byte order, letter and size of a type.
 *
 * SPDX-License-Identifier: MIT
 */
#include "npy_type.h"

#include <string.h>

#include "dtype.h"

struct known {
    char letter;
    unsigned size;
    varve_dtype dtype;
    const char *descr; /* as written to files */
};

static const struct known known[] = {
    { 'b', 1, VARVE_BOOL, "|b1" },
    { 'i', 1, VARVE_INT8, "|i1" },
    { 'i', 2, VARVE_INT16, "<i2" },
    { 'i', 4, VARVE_INT32, "<i4" },
    { 'i', 8, VARVE_INT64, "<i8" },
    { 'u', 1, VARVE_UINT8, "|u1" },
    { 'u', 2, VARVE_UINT16, "<u2" },
    { 'u', 4, VARVE_UINT32, "<u4" },
    { 'u', 8, VARVE_UINT64, "<u8" },
    { 'f', 2, VARVE_FLOAT16, "<f2" },
    { 'f', 4, VARVE_FLOAT32, "<f4" },
    { 'f', 8, VARVE_FLOAT64, "<f8" },
    { 'c', 8, VARVE_COMPLEX64, "<c8" },
    { 'c', 16, VARVE_COMPLEX128, "<c16" },
    { 0, 2, VARVE_BFLOAT16, "<V2" },
    { 0, 1, VARVE_FLOAT8_E4M3FN, "|V1" },
    { 0, 1, VARVE_FLOAT8_E5M2, "|V1" },
};

_Static_assert(VARVE_DTYPE_COUNT == 18,
    "new element type: add it to this table if the format has it");

enum { KNOWN_COUNT = sizeof known / sizeof *known };

/* Numbers of other sizes (long double), raw bytes, dates and durations. */
static const char others[] = "fcVMm";

static bool is_order(char c)
{
    return c == '<' || c == '>' || c == '=' || c == '|';
}

bool vv_npy_is_object(const char *descr, size_t size)
{
    if (size > 0 && is_order(*descr)) {
        descr++;
        size--;
    }
    if (size == 0 || *descr != 'O')
        return false;
    for (size_t i = 1; i < size; i++) {
        if (descr[i] < '0' || descr[i] > '9')
            return false;
    }
    return true;
}

/* Returns true if the text is empty or a unit of a date, such as "[ns]" or
 * "[25us]". */
static bool is_unit(const char *at, size_t size)
{
    if (size == 0)
        return true;
    if (size < 3 || size > 16 || at[0] != '[' || at[size - 1] != ']')
        return false;
    for (size_t i = 1; i + 1 < size; i++) {
        bool is_digit = at[i] >= '0' && at[i] <= '9';
        if (!is_digit && !(at[i] >= 'a' && at[i] <= 'z') &&
            !(at[i] >= 'A' && at[i] <= 'Z') && at[i] != '/')
            return false;
    }
    return true;
}

static void set_kind(struct vv_npy_header *h, char letter, uint64_t size)
{
    h->item_size = size;
    h->kind = VV_NPY_OPAQUE;
    if (letter == 'S' || letter == 'U') {
        h->kind = letter == 'S' ? VV_NPY_BYTES : VV_NPY_TEXT;
        h->item_size = letter == 'S' ? size : 4 * size;
        h->type.dtype = VARVE_STRING;
    }
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        if (known[i].letter == letter && known[i].size == size) {
            h->kind = VV_NPY_NUMBERS;
            h->type.dtype = known[i].dtype;
        }
    }
}

bool vv_npy_read_type(struct vv_npy_header *h)
{
    const char *at = h->descr, *end = at + h->descr_size;
    uint64_t size = 0;
    if (at < end && is_order(*at))
        h->is_big_endian = *at++ == '>';
    if (end - at < 2)
        return false;
    char letter = *at++;
    const char *digits = at;
    while (at < end && *at >= '0' && *at <= '9' && size <= INT32_MAX)
        size = 10 * size + (uint64_t)(*at++ - '0');
    if (letter == 0 || at == digits || size > INT32_MAX)
        return false;
    bool is_date = letter == 'M' || letter == 'm';
    if (is_date ? size != 8 || !is_unit(at, (size_t)(end - at)) : at != end)
        return false;
    set_kind(h, letter, size);
    return h->kind != VV_NPY_OPAQUE || strchr(others, letter);
}

const char *vv_npy_type_of(varve_dtype dtype)
{
    for (size_t i = 0; i < KNOWN_COUNT; i++) {
        if (known[i].dtype == dtype)
            return known[i].descr;
    }
    return NULL;
}
