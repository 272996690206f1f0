/* test_npy_type.c - Tests the element types of NumPy arrays.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "npy_type.h"

static bool read_type(const char *descr, struct vv_npy_header *h)
{
    *h = (struct vv_npy_header){ .descr = descr, .descr_size = strlen(descr) };
    return vv_npy_read_type(h);
}

TEST(npy_type, knows_every_number_of_ours)
{
    static const struct {
        const char *descr;
        varve_dtype dtype;
        unsigned size;
    } cases[] = {
        { "|b1", VARVE_BOOL, 1 }, { "|i1", VARVE_INT8, 1 },
        { "<i2", VARVE_INT16, 2 }, { "<i4", VARVE_INT32, 4 },
        { "<i8", VARVE_INT64, 8 }, { "|u1", VARVE_UINT8, 1 },
        { "<u2", VARVE_UINT16, 2 }, { "<u4", VARVE_UINT32, 4 },
        { "<u8", VARVE_UINT64, 8 }, { "<f2", VARVE_FLOAT16, 2 },
        { "<f4", VARVE_FLOAT32, 4 }, { "<f8", VARVE_FLOAT64, 8 },
        { "<c8", VARVE_COMPLEX64, 8 }, { "<c16", VARVE_COMPLEX128, 16 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct vv_npy_header h;
        cr_assert(read_type(cases[i].descr, &h), "%s", cases[i].descr);
        cr_assert_eq(h.kind, VV_NPY_NUMBERS);
        cr_assert_eq(h.type.dtype, cases[i].dtype, "%s", cases[i].descr);
        cr_assert_eq(h.item_size, cases[i].size);
        cr_assert(!h.is_big_endian);
        cr_assert_str_eq(vv_npy_type_of(cases[i].dtype), cases[i].descr);
    }
}

TEST(npy_type, tells_the_order_of_bytes)
{
    struct vv_npy_header h;
    cr_assert(read_type(">f4", &h) && h.is_big_endian);
    cr_assert(read_type("=f4", &h) && !h.is_big_endian);
    cr_assert(read_type("f4", &h) && !h.is_big_endian);
    cr_assert(read_type("|f4", &h) && !h.is_big_endian);
}

TEST(npy_type, knows_strings_and_their_sizes)
{
    struct vv_npy_header h;
    cr_assert(read_type("|S12", &h));
    cr_assert(h.kind == VV_NPY_BYTES && h.item_size == 12);
    cr_assert_eq(h.type.dtype, VARVE_STRING);
    cr_assert(read_type(">U12", &h));
    cr_assert(h.kind == VV_NPY_TEXT && h.item_size == 48 && h.is_big_endian);
    cr_assert(read_type("|S0", &h) && h.item_size == 0);
}

TEST(npy_type, takes_what_is_not_ours_as_bytes)
{
    static const char *const opaque[] = {
        "|V2", "V2", "<V2", "|V0", "<f16", "<f12", "<c32", "<M8[ns]", "<m8",
        ">M8[25us]", "<m8[D/3]",
    };
    for (size_t i = 0; i < sizeof opaque / sizeof *opaque; i++) {
        struct vv_npy_header h;
        cr_assert(read_type(opaque[i], &h), "%s", opaque[i]);
        cr_assert_eq(h.kind, VV_NPY_OPAQUE, "%s", opaque[i]);
        cr_assert_eq(h.type.dtype, 0);
    }
}

TEST(npy_type, refuses_what_is_no_type)
{
    static const char *const wrong[] = {
        "", "<", "f", "<f", "4", "<<f4", "<f4 ", "<f4[ns]", "<f-4", "<x4",
        "<M4[ns]", "<M8[ns", "<M8[]", "<M8ns]", "<M8[n s]", "<i3", "<b2",
        "|S2147483648", "|S99999999999999999999", "<M8[ns]x", "<i16",
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct vv_npy_header h;
        cr_assert(!read_type(wrong[i], &h), "%s", wrong[i]);
    }
    struct vv_npy_header h = { .descr = "<\0" "4", .descr_size = 3 };
    cr_assert(!vv_npy_read_type(&h));
}

TEST(npy_type, knows_an_object_in_every_disguise)
{
    cr_assert(vv_npy_is_object("|O", 2));
    cr_assert(vv_npy_is_object("O", 1));
    cr_assert(vv_npy_is_object("|O8", 3));
    cr_assert(!vv_npy_is_object("", 0));
    cr_assert(!vv_npy_is_object("|", 1));
    cr_assert(!vv_npy_is_object("Of", 2));
    cr_assert(!vv_npy_is_object("<f4", 3));
}

TEST(npy_type, writes_what_numpy_lacks_as_raw_bytes)
{
    cr_assert_str_eq(vv_npy_type_of(VARVE_BFLOAT16), "<V2");
    cr_assert_str_eq(vv_npy_type_of(VARVE_FLOAT8_E4M3FN), "|V1");
    cr_assert_str_eq(vv_npy_type_of(VARVE_FLOAT8_E5M2), "|V1");
    cr_assert_null(vv_npy_type_of(VARVE_STRING));
}
