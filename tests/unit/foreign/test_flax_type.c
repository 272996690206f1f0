/* test_flax_type.c - Tests the element types of Flax files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "flax_type.h"

#include <string.h>

#include "dtype.h"
#include "support/test.h"

static const struct vv_flax_type *find(const char *name)
{
    return vv_flax_type_find(name, strlen(name));
}

TEST(flax_type, has_a_name_for_each_of_ours_but_strings)
{
    for (unsigned i = 1; i <= VARVE_DTYPE_COUNT; i++) {
        if (i == VARVE_STRING)
            continue;
        const struct vv_flax_type *type =
            find(varve_dtype_name((varve_dtype)i));
        cr_assert(type, "%s", varve_dtype_name((varve_dtype)i));
        cr_assert_eq((unsigned)type->dtype, i);
        cr_assert_eq(type->size, vv_dtype_file_size(type->dtype));
    }
}

TEST(flax_type, knows_how_large_some_others_are)
{
    cr_assert_eq(find("int4")->size, 1);
    cr_assert_eq((int)find("int4")->dtype, 0);
    cr_assert_eq((int)find("float8_e4m3fnuz")->dtype, 0);
}

TEST(flax_type, knows_no_parts_of_names)
{
    cr_assert_null(find(""));
    cr_assert_null(find("float"));
    cr_assert_null(find("float320"));
    cr_assert_null(find("str96"));
}
