/* onnx_type.c - Defines the table of element types.
 *
 * SPDX-License-Identifier: MIT
 */
#include "onnx_type.h"

#include <stddef.h>

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
