/* test_safetensors_dtype.c - Tests the element types of safetensors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "safetensors_dtype.h"

TEST(safetensors_dtype, has_sizes_that_agree_with_ours)
{
    for (size_t i = 0; i < VV_SAFETENSORS_DTYPES; i++) {
        const struct vv_safetensors_dtype *d = &vv_safetensors_dtypes[i];
        if (d->dtype)
            cr_assert_eq(varve_dtype_size(d->dtype) * 8, d->bits, "%s",
                d->name);
        if (d->dtype)
            cr_assert_eq(vv_safetensors_dtype_of(d->dtype), d, "%s", d->name);
    }
}

TEST(safetensors_dtype, has_no_row_for_strings_and_complex128)
{
    for (int i = 1; i <= VARVE_DTYPE_COUNT; i++)
        cr_assert_eq(vv_safetensors_dtype_of((varve_dtype)i) == NULL,
            i == VARVE_STRING || i == VARVE_COMPLEX128, "%d", i);
    cr_assert_null(vv_safetensors_dtype_of((varve_dtype)0));
}
