/* gguf_value.c - Reads values and converts them to text. Arrays are skipped
 * with a stack of the numbers of remaining elements.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gguf_value.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "failure.h"
#include "name.h"
#include "try.h"

/* Size of a number or bool; 0 if the size varies. */
static const unsigned char sizes[] = {
    [VV_GGUF_UINT8] = 1,
    [VV_GGUF_INT8] = 1,
    [VV_GGUF_UINT16] = 2,
    [VV_GGUF_INT16] = 2,
    [VV_GGUF_UINT32] = 4,
    [VV_GGUF_INT32] = 4,
    [VV_GGUF_FLOAT32] = 4,
    [VV_GGUF_BOOL] = 1,
    [VV_GGUF_STRING] = 0,
    [VV_GGUF_ARRAY] = 0,
    [VV_GGUF_UINT64] = 8,
    [VV_GGUF_INT64] = 8,
    [VV_GGUF_FLOAT64] = 8,
};

static varve_status take_kind(
    struct vv_gguf_bytes *in, enum vv_gguf_kind *kind, varve_error *error)
{
    uint32_t number;
    uint64_t begin = in->at;
    VV_TRY(vv_gguf_take32(in, &number, "the type of a value", error));
    if (number >= sizeof sizes)
        return vv_gguf_fail(in, begin, VARVE_TOO_NEW, error,
            "expected a metadata type from 0 to %d, found %" PRIu32,
            (int)sizeof sizes - 1, number);
    *kind = (enum vv_gguf_kind)number;
    return VARVE_OK;
}

/* --- Arrays --------------------------------------------------------------- */

struct level {
    enum vv_gguf_kind kind;
    uint64_t left; /* remaining elements */
};

/* Reads the header of an array, and skips its elements if they have a fixed
 * size. */
static varve_status gguf_value_enter(
    struct vv_gguf_bytes *in, struct level *level, varve_error *error)
{
    VV_TRY(take_kind(in, &level->kind, error));
    VV_TRY(vv_gguf_take64(in, &level->left, "the size of an array", error));
    if (!sizes[level->kind])
        return VARVE_OK;
    VV_TRY(
        vv_gguf_skip(in, level->left, sizes[level->kind], "an array", error));
    level->left = 0;
    return VARVE_OK;
}

static varve_status pass_array(struct vv_gguf_bytes *in, varve_error *error)
{
    /* Not recursive, because the file determines how deep arrays are nested. */
    struct level levels[VV_GGUF_MOST_DEPTH];
    size_t depth = 1;
    VV_TRY(gguf_value_enter(in, &levels[0], error));
    while (depth > 0) {
        struct level *level = &levels[depth - 1];
        if (level->left == 0) {
            depth--;
            continue;
        }
        level->left--;
        if (level->kind == VV_GGUF_STRING) {
            VV_TRY(vv_gguf_take_string(in, NULL, "a string", error));
            continue;
        }
        if (depth == VV_GGUF_MOST_DEPTH)
            return vv_gguf_fail(in, in->at, VARVE_LIMIT, error,
                "arrays are nested more than %d deep", VV_GGUF_MOST_DEPTH);
        VV_TRY(gguf_value_enter(in, &levels[depth++], error));
    }
    return VARVE_OK;
}

/* --- Text ----------------------------------------------------------------- */

static void gguf_value_add_real(
    struct vv_buffer *text, double value, bool is_single)
{
    char digits[64];
    int most = is_single ? 9 : 17;
    /* NaN differs from itself, and infinity minus itself is NaN. */
    if (value != value) {
        vv_buffer_add_string(text, "nan");
        return;
    }
    if (value - value != 0) {
        vv_buffer_add_string(text, value < 0 ? "-inf" : "inf");
        return;
    }
    /* Tries increasing precisions until the text is read back as the same
     * value. */
    for (int count = 1; count <= most; count++) {
        snprintf(digits, sizeof digits, "%.*g", count, value);
        double back =
            is_single ? (double)strtof(digits, NULL) : strtod(digits, NULL);
        if (back == value)
            break;
    }
    vv_buffer_add_string(text, vv_set_point(digits));
}

static void add_signed(struct vv_buffer *text, uint64_t bits, size_t size)
{
    char digits[24];
    uint64_t sign = UINT64_C(1) << (8 * size - 1);
    bool is_negative = bits & sign;
    uint64_t magnitude = is_negative ? (sign - (bits & (sign - 1))) : bits;
    snprintf(
        digits, sizeof digits, "%s%" PRIu64, is_negative ? "-" : "", magnitude);
    vv_buffer_add_string(text, digits);
}

static void gguf_value_add_number(
    struct vv_buffer *text, struct vv_gguf_value value)
{
    char digits[24];
    float single;
    double real;
    uint32_t low = (uint32_t)value.bits;
    switch (value.kind) {
    case VV_GGUF_BOOL:
        vv_buffer_add_string(text, value.bits ? "true" : "false");
        return;
    case VV_GGUF_FLOAT32:
        memcpy(&single, &low, sizeof single);
        gguf_value_add_real(text, (double)single, true);
        return;
    case VV_GGUF_FLOAT64:
        memcpy(&real, &value.bits, sizeof real);
        gguf_value_add_real(text, real, false);
        return;
    case VV_GGUF_INT8:
    case VV_GGUF_INT16:
    case VV_GGUF_INT32:
    case VV_GGUF_INT64: add_signed(text, value.bits, sizes[value.kind]); return;
    default:
        snprintf(digits, sizeof digits, "%" PRIu64, value.bits);
        vv_buffer_add_string(text, digits);
    }
}

/* --- Values --------------------------------------------------------------- */

varve_status vv_gguf_take_value(struct vv_gguf_bytes *in,
    struct vv_gguf_value *value, struct vv_buffer *text, varve_error *error)
{
    text->size = 0;
    value->bits = 0;
    VV_TRY(take_kind(in, &value->kind, error));
    if (value->kind == VV_GGUF_STRING)
        return vv_gguf_take_string(in, text, "a string", error);
    if (value->kind == VV_GGUF_ARRAY)
        return pass_array(in, error);
    uint64_t begin = in->at;
    VV_TRY(vv_gguf_take_number(
        in, sizes[value->kind], &value->bits, "a number", error));
    if (value->kind == VV_GGUF_BOOL && value->bits > 1)
        return vv_gguf_fail(in, begin, VARVE_CORRUPT, error,
            "expected 0 or 1 for a bool, found %" PRIu64, value->bits);
    gguf_value_add_number(text, *value);
    return text->failed ? vv_fail_memory(error, "metadata") : VARVE_OK;
}
