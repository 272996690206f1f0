/* safetensors_dtype.c - Defines the table of element types with their names and
 * sizes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "safetensors_dtype.h"

#include <stddef.h>

_Static_assert(VARVE_DTYPE_COUNT == 18,
    "new element type: add it to this table if the format has it");

#define NONE_OF_OURS ((varve_dtype)0)

const struct vv_safetensors_dtype
    vv_safetensors_dtypes[VV_SAFETENSORS_DTYPES] = {
        { "BOOL", VARVE_BOOL, 8 },
        { "F4", NONE_OF_OURS, 4 },
        { "F6_E2M3", NONE_OF_OURS, 6 },
        { "F6_E3M2", NONE_OF_OURS, 6 },
        { "U8", VARVE_UINT8, 8 },
        { "I8", VARVE_INT8, 8 },
        { "F8_E5M2", VARVE_FLOAT8_E5M2, 8 },
        { "F8_E4M3", VARVE_FLOAT8_E4M3FN, 8 },
        { "F8_E8M0", NONE_OF_OURS, 8 },
        { "F8_E4M3FNUZ", NONE_OF_OURS, 8 },
        { "F8_E5M2FNUZ", NONE_OF_OURS, 8 },
        { "I16", VARVE_INT16, 16 },
        { "U16", VARVE_UINT16, 16 },
        { "F16", VARVE_FLOAT16, 16 },
        { "BF16", VARVE_BFLOAT16, 16 },
        { "I32", VARVE_INT32, 32 },
        { "U32", VARVE_UINT32, 32 },
        { "F32", VARVE_FLOAT32, 32 },
        { "C64", VARVE_COMPLEX64, 64 },
        { "F64", VARVE_FLOAT64, 64 },
        { "I64", VARVE_INT64, 64 },
        { "U64", VARVE_UINT64, 64 },
    };

const struct vv_safetensors_dtype *vv_safetensors_dtype_of(varve_dtype dtype)
{
    for (size_t i = 0; i < VV_SAFETENSORS_DTYPES; i++) {
        if (dtype && vv_safetensors_dtypes[i].dtype == dtype)
            return &vv_safetensors_dtypes[i];
    }
    return NULL;
}
