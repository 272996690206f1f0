/* bundle.c - Contains one table of all types of TensorFlow.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle.h"

#include <stddef.h>

enum { REFERENCE = 100 };

/* Indexed by TensorFlow's number. */
static const struct {
    const char *name;
    varve_dtype dtype; /* 0: not supported */
} types[] = {
    [0] = { "invalid", 0 },
    [1] = { "float32", VARVE_FLOAT32 },
    [2] = { "float64", VARVE_FLOAT64 },
    [3] = { "int32", VARVE_INT32 },
    [4] = { "uint8", VARVE_UINT8 },
    [5] = { "int16", VARVE_INT16 },
    [6] = { "int8", VARVE_INT8 },
    [7] = { "string", VARVE_STRING },
    [8] = { "complex64", VARVE_COMPLEX64 },
    [9] = { "int64", VARVE_INT64 },
    [10] = { "bool", VARVE_BOOL },
    [11] = { "qint8", VARVE_INT8 },
    [12] = { "quint8", VARVE_UINT8 },
    [13] = { "qint32", VARVE_INT32 },
    [14] = { "bfloat16", VARVE_BFLOAT16 },
    [15] = { "qint16", VARVE_INT16 },
    [16] = { "quint16", VARVE_UINT16 },
    [17] = { "uint16", VARVE_UINT16 },
    [18] = { "complex128", VARVE_COMPLEX128 },
    [19] = { "float16", VARVE_FLOAT16 },
    [20] = { "resource", 0 },
    [21] = { "variant", 0 },
    [22] = { "uint32", VARVE_UINT32 },
    [23] = { "uint64", VARVE_UINT64 },
    [24] = { "float8_e5m2", VARVE_FLOAT8_E5M2 },
    [25] = { "float8_e4m3fn", VARVE_FLOAT8_E4M3FN },
    [26] = { "float8_e4m3fnuz", 0 },
    [27] = { "float8_e4m3b11fnuz", 0 },
    [28] = { "float8_e5m2fnuz", 0 },
    [29] = { "int4", 0 },
    [30] = { "uint4", 0 },
    [31] = { "int2", 0 },
    [32] = { "uint2", 0 },
    [33] = { "float4_e2m1fn", 0 },
};
enum { COUNT = sizeof types / sizeof *types };

_Static_assert(VARVE_DTYPE_COUNT == 18,
    "add the new element type to the table if TensorFlow has it");

static bool is_quantized(uint32_t number)
{
    return (number >= 11 && number <= 13) || number == 15 || number == 16;
}

uint32_t vv_bundle_dtype_number(varve_dtype dtype)
{
    for (uint32_t i = 1; i < COUNT; i++) {
        if (types[i].dtype == dtype && !is_quantized(i))
            return i;
    }
    return 0;
}

uint64_t vv_bundle_dtype_referred(uint64_t number)
{
    return number > REFERENCE ? number - REFERENCE : number;
}

varve_dtype vv_bundle_dtype(uint64_t number)
{
    number = vv_bundle_dtype_referred(number);
    return number < COUNT ? types[number].dtype : 0;
}

const char *vv_bundle_dtype_name(uint64_t number)
{
    number = vv_bundle_dtype_referred(number);
    return number > 0 && number < COUNT ? types[number].name : NULL;
}
