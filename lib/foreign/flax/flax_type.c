/* flax_type.c - Defines the table of element types.
 *
 * SPDX-License-Identifier: MIT
 */
#include "flax_type.h"

#include <string.h>

#define NONE_OF_OURS ((varve_dtype)0)

static const struct vv_flax_type types[] = {
    { "float32", VARVE_FLOAT32, 4 },
    { "bfloat16", VARVE_BFLOAT16, 2 },
    { "float16", VARVE_FLOAT16, 2 },
    { "float64", VARVE_FLOAT64, 8 },
    { "int8", VARVE_INT8, 1 },
    { "int16", VARVE_INT16, 2 },
    { "int32", VARVE_INT32, 4 },
    { "int64", VARVE_INT64, 8 },
    { "uint8", VARVE_UINT8, 1 },
    { "uint16", VARVE_UINT16, 2 },
    { "uint32", VARVE_UINT32, 4 },
    { "uint64", VARVE_UINT64, 8 },
    { "bool", VARVE_BOOL, 1 },
    { "complex64", VARVE_COMPLEX64, 8 },
    { "complex128", VARVE_COMPLEX128, 16 },
    { "float8_e4m3fn", VARVE_FLOAT8_E4M3FN, 1 },
    { "float8_e5m2", VARVE_FLOAT8_E5M2, 1 },
    { "float8_e4m3fnuz", NONE_OF_OURS, 1 },
    { "float8_e5m2fnuz", NONE_OF_OURS, 1 },
    { "float8_e4m3b11fnuz", NONE_OF_OURS, 1 },
    { "float8_e4m3", NONE_OF_OURS, 1 },
    { "float8_e3m4", NONE_OF_OURS, 1 },
    { "float8_e8m0fnu", NONE_OF_OURS, 1 },
    { "float6_e2m3fn", NONE_OF_OURS, 1 },
    { "float6_e3m2fn", NONE_OF_OURS, 1 },
    { "float4_e2m1fn", NONE_OF_OURS, 1 },
    { "int4", NONE_OF_OURS, 1 },
    { "uint4", NONE_OF_OURS, 1 },
    { "int2", NONE_OF_OURS, 1 },
    { "uint2", NONE_OF_OURS, 1 },
};

_Static_assert(VARVE_DTYPE_COUNT == 18,
    "new element type: add it to this table if the format has it");

const struct vv_flax_type *vv_flax_type_find(const char *name, size_t size)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (strlen(types[i].name) == size &&
            memcmp(types[i].name, name, size) == 0)
            return &types[i];
    }
    return NULL;
}
