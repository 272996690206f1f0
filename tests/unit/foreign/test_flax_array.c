/* test_flax_array.c - Tests arrays of Flax files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "flax_array.h"

#include <string.h>

#include "support/test.h"
#include "flax_sample.h"
#include "typed_memory.h"

static const struct vv_flax_type *find(const char *name)
{
    return vv_flax_type_find(name, strlen(name));
}

TEST(flax_type, has_a_name_for_each_element_type_except_strings)
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

TEST(flax_type, has_sizes_of_some_other_types)
{
    cr_assert_eq(find("int4")->size, 1);
    cr_assert_eq((int)find("int4")->dtype, 0);
    cr_assert_eq((int)find("float8_e4m3fnuz")->dtype, 0);
}

TEST(flax_type, refuses_parts_of_names)
{
    cr_assert_null(find(""));
    cr_assert_null(find("float"));
    cr_assert_null(find("float320"));
    cr_assert_null(find("str96"));
}

static struct part p;

static varve_status read_array(const char *digits, struct vv_flax_array *array)
{
    struct vv_msgpack_item item;
    part_begin(&p, digits);
    cr_assert_ok(vv_msgpack_next(&p.in, "this", &item), p.error);
    return vv_flax_array_read(&p.in, &item, array);
}

static void refuse(const char *digits, varve_status status, const char *says)
{
    struct vv_flax_array array;
    cr_assert_eq(read_array(digits, &array), status, "%s: %s", digits,
        p.error.message);
    cr_assert(strstr(p.error.message, says), "%s", p.error.message);
    part_end(&p);
}

TEST(flax_array, has_a_shape_a_type_and_bytes_in_the_file)
{
    struct vv_flax_array a;
    cr_assert_ok(read_array(FLAX_ONE_TWO "05", &a), p.error);
    cr_assert_eq(a.shape.dtype, VARVE_FLOAT32);
    cr_assert(a.shape.rank == 1 && a.shape.shape[0] == 2 && a.count == 2);
    cr_assert(a.at == 16 && a.size == 8);
    cr_assert(p.in.at == 24 && p.in.end == 25);
    part_end(&p);
    cr_assert_ok(read_array(FLAX_FOUR, &a), p.error);
    cr_assert(a.shape.rank == 0 && a.count == 1 && a.size == 4);
    part_end(&p);
}

TEST(flax_array, is_a_tag_if_its_type_is_unsupported)
{
    struct vv_flax_array a;
    cr_assert_ok(read_array("c7 0c 01 93 91 02 a4 696e7434 c4 02 0102", &a),
        p.error);
    cr_assert_eq((int)a.shape.dtype, 0);
    cr_assert_str_eq(a.tag, "flax:int4");
    cr_assert_eq(a.size, 2);
    part_end(&p);
    /* The element size of `str96` is unknown. */
    cr_assert_ok(read_array("c7 0f 01 93 91 02 a5 7374723936 c4 04 01020304",
        &a), p.error);
    cr_assert_str_eq(a.tag, "flax:str96");
    part_end(&p);
}

TEST(flax_array, refuses_inconsistent_parts)
{
    refuse("d4 01 90", VARVE_CORRUPT, "shape, type and bytes");
    refuse("d4 01 05", VARVE_CORRUPT, "expected an array, found an integer");
    refuse("c7 05 01 93 01 a0 c4 00", VARVE_CORRUPT, "the shape");
    refuse("c7 06 01 93 91 a0 a0 c4 00", VARVE_CORRUPT, "an extent");
    refuse("c7 06 01 93 91 ff a0 c4 00", VARVE_CORRUPT, "a negative one");
    refuse("c7 05 01 93 90 01 c4 00", VARVE_CORRUPT,
        "the name of an array type");
    refuse("c7 05 01 93 90 a0 c4 00", VARVE_CORRUPT,
        "the name of an array type");
    refuse("c7 08 01 93 90 a4 626f6f6c 01", VARVE_CORRUPT, "the bytes");
    refuse("c7 0b 01 93 90 a4 626f6f6c c4 02 0101", VARVE_CORRUPT,
        "expected the bytes of 1 elements of bool, found 2 bytes");
    refuse("c7 0e 01 93 91 02 a5 7374723936 c4 03 010203", VARVE_CORRUPT,
        "2 elements of str96");
    refuse("c7 0b 01 93 91 00 a4 626f6f6c c4 01 01", VARVE_CORRUPT,
        "0 elements");
    refuse("c7 0b 01 93 90 a4 626f6f6c c4 01 01 05", VARVE_CORRUPT,
        "the end of the array");
}

TEST(flax_array, does_not_exceed_its_extension)
{
    refuse("c7 08 01 93 90 a4 626f6f6c c4 01 01", VARVE_TRUNCATED, "an array");
    refuse("d4 01 93 90 a4 626f6f6c c4 01 01", VARVE_TRUNCATED, "an array");
}

TEST(flax_array, refuses_more_than_2_to_the_64_elements)
{
    refuse("c7 1b 01 93 92 cf 7fffffffffffffff cf 7fffffffffffffff"
        "a4 626f6f6c c4 00", VARVE_CORRUPT, "2^64 elements");
    refuse("c7 13 01 93 91 cf 7fffffffffffffff a5 696e743634 c4 00",
        VARVE_CORRUPT, "9223372036854775807 elements of int64, found 0");
    refuse("c7 1c 01 93 dc 0011 0101010101010101010101010101010101"
        "a4 626f6f6c c4 00", VARVE_LIMIT, "16 dimensions");
}
