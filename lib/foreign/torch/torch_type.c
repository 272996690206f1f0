/* torch_type.c - Contains the table of element types (torch/storage.py and
 * torch/csrc/utils/tensor_dtypes).
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_type.h"

#include "dtype.h"

struct known {
    varve_dtype dtype;
    const char *storage; /* NULL: the type has no storage class */
    const char *name;
};

static const struct known known[] = {
    { VARVE_FLOAT32, "FloatStorage", "float32" },
    { VARVE_FLOAT64, "DoubleStorage", "float64" },
    { VARVE_FLOAT16, "HalfStorage", "float16" },
    { VARVE_BFLOAT16, "BFloat16Storage", "bfloat16" },
    { VARVE_INT64, "LongStorage", "int64" },
    { VARVE_INT32, "IntStorage", "int32" },
    { VARVE_INT16, "ShortStorage", "int16" },
    { VARVE_INT8, "CharStorage", "int8" },
    { VARVE_UINT8, "ByteStorage", "uint8" },
    { VARVE_BOOL, "BoolStorage", "bool" },
    { VARVE_COMPLEX64, "ComplexFloatStorage", "complex64" },
    { VARVE_COMPLEX128, "ComplexDoubleStorage", "complex128" },
    { VARVE_UINT8, "UntypedStorage", NULL },
    { VARVE_UINT16, NULL, "uint16" },
    { VARVE_UINT32, NULL, "uint32" },
    { VARVE_UINT64, NULL, "uint64" },
    { VARVE_FLOAT8_E4M3FN, NULL, "float8_e4m3fn" },
    { VARVE_FLOAT8_E5M2, NULL, "float8_e5m2" },
};

_Static_assert(VARVE_DTYPE_COUNT == 18,
    "add the new element type to the table if PyTorch has it");

/* Returns the entry of a type that has a name. */
static const struct known *of(varve_dtype dtype)
{
    size_t k = 0;
    while (known[k].dtype != dtype || !known[k].name)
        k++;
    return &known[k];
}

const char *vv_torch_storage_of(varve_dtype dtype)
{
    return of(dtype)->storage;
}

const char *vv_torch_name_of_type(varve_dtype dtype)
{
    return of(dtype)->name;
}

varve_dtype vv_torch_type(const struct vv_pickle *p, uint32_t item)
{
    const struct vv_pickle_item *i = vv_pickle_item(p, item);
    if (i->kind != VV_PICKLE_GLOBAL)
        return (varve_dtype)0;
    bool is_of_torch = vv_pickle_is_text(p, i->a, "torch");
    if (!is_of_torch && !vv_pickle_is_text(p, i->a, "torch.storage"))
        return (varve_dtype)0;
    for (size_t k = 0; k < sizeof known / sizeof *known; k++) {
        if ((known[k].storage &&
                vv_pickle_is_text(p, i->b, known[k].storage)) ||
            (is_of_torch && known[k].name &&
                vv_pickle_is_text(p, i->b, known[k].name)))
            return known[k].dtype;
    }
    return (varve_dtype)0;
}
