/* test_onnx_tensor_onnx_items.c - Tests repeated fields of ONNX tensors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "onnx_tensor.h"

#include "hex.h"
#include "onnx_sample.h"

static struct part p;

static struct vv_onnx_items begin(
    const char *message, uint32_t field, uint32_t unit)
{
    struct vv_buffer b = new_bytes();
    size_t size;
    unsigned char *bytes = hex_bytes(message, &size);
    vv_buffer_add(&b, bytes, size);
    part_begin(&p, &b);
    free(bytes);
    vv_buffer_clear(&b);
    return (struct vv_onnx_items){ p.message, field, unit };
}

/* Asserts the items of a field, as hexadecimal digits. */
static void check(const char *message, uint32_t field, uint32_t unit,
    uint64_t count, const char *expected)
{
    unsigned char made[64];
    uint64_t found, bytes;
    size_t size = strlen(expected) / 2;
    struct vv_onnx_items items = begin(message, field, unit);
    cr_assert_ok(vv_onnx_items_count(&p.file, &items, &found, &bytes), p.error);
    cr_assert_eq(found, count, "%s: %d", message, (int)found);
    if (!unit)
        cr_assert_eq(8 * count + bytes, size);
    cr_assert_ok(vv_onnx_items_make(&p.file, &items, count, made, size),
        p.error);
    cr_assert(hex_equal(made, size, expected), "%s", message);
    part_end(&p);
}

TEST(onnx_items, have_the_width_of_their_type)
{
    const char *minus_one = "2a 0b ffffffffffffffffff01 05";
    check(minus_one, 5, 8, 2, "ff05");
    check(minus_one, 5, 16, 2, "ffff0500");
    check(minus_one, 5, 32, 2, "ffffffff05000000");
    check("3a 03 ac02 05", 7, 64, 2, "2c010000000000000500000000000000");
    check("2a 03 00 01 02", 5, 1, 3, "000101");
    check("2a 04 01 3f 00 02", 5, 6, 4, "c10f08");
    check("22 08 0000803f 00000040", 4, 32, 2, "0000803f00000040");
    check("52 08 000000000000f03f", 10, 64, 1, "000000000000f03f");
}

TEST(onnx_items, can_be_packed_or_not_and_split)
{
    check("28 01  2a 02 02 03  10 09  28 04  2a 00", 5, 8, 4, "01020304");
    check("25 0000803f  22 04 00000040", 4, 32, 2, "0000803f00000040");
    check("10 07", 5, 8, 0, "");
}

TEST(onnx_items, may_be_strings)
{
    check("32 01 61  32 00  32 02 6263", 6, 0, 3,
        "0100000000000000" "0000000000000000" "0200000000000000" "616263");
}

static void refuse(
    const char *message, uint32_t field, uint32_t unit, varve_status status)
{
    uint64_t count, bytes;
    struct vv_onnx_items items = begin(message, field, unit);
    cr_assert_eq(vv_onnx_items_count(&p.file, &items, &count, &bytes), status,
        "%s", message);
    part_end(&p);
}

TEST(onnx_items, refuse_other_wire_types_and_partial_items)
{
    refuse("29 0000000000000000", 5, 8, VARVE_CORRUPT);
    refuse("20 01", 4, 32, VARVE_CORRUPT);
    refuse("30 01", 6, 0, VARVE_CORRUPT);
    refuse("22 03 000000 10 01", 4, 32, VARVE_CORRUPT);
    refuse("2a 01 80 10 01", 5, 8, VARVE_CORRUPT);
    refuse("2a 0b ffffffffffffffffffff01 10 01", 5, 8, VARVE_CORRUPT);
}

/* Simulates a file that has changed. */
static void refuse_changed(const char *message, uint32_t field, uint32_t unit,
    uint64_t count, size_t size)
{
    unsigned char made[64];
    struct vv_onnx_items items = begin(message, field, unit);
    cr_assert_eq(vv_onnx_items_make(&p.file, &items, count, made, size),
        VARVE_CORRUPT);
    cr_assert(strstr(p.error.message, "since the file was opened"));
    part_end(&p);
}

TEST(onnx_items, refuse_a_changed_number_of_items)
{
    refuse_changed("2a 02 01 02", 5, 8, 1, 1);
    refuse_changed("2a 02 01 02", 5, 8, 3, 3);
    refuse_changed("2a 02 01 02", 5, 1, 1, 1);
    refuse_changed("2a 05 01 02 01 02 01", 5, 6, 4, 3);
    refuse_changed("32 01 61 32 00", 6, 0, 1, 9);
    refuse_changed("32 02 6162", 6, 0, 1, 9);
    refuse_changed("32 00", 6, 0, 1, 9);
}
