/* test_wire_in_file.c - Tests reading protobuf fields from a file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "wire.h"

#include "hex.h"
#include "onnx_sample.h"

static struct part p;
static struct vv_wire_spot spot;

static void begin(const char *text)
{
    struct vv_buffer b = new_bytes();
    size_t size;
    unsigned char *bytes = hex_bytes(text, &size);
    vv_buffer_add(&b, bytes, size);
    part_begin(&p, &b);
    free(bytes);
    vv_buffer_clear(&b);
}

static varve_status next(void)
{
    return vv_wire_file_next(&p.file, &p.message, "a message", &spot);
}

TEST(wire_file, finds_fields_of_every_type)
{
    begin("08 9601  11 0102030405060708  1a 03 616263  25 aabbccdd");
    cr_assert_ok(next(), p.error);
    cr_assert(spot.number == 1 && spot.type == VV_WIRE_VARINT);
    cr_assert(spot.value == 150 && spot.part.at == 1 && spot.part.end == 3);
    cr_assert_ok(next(), p.error);
    cr_assert(spot.number == 2 && spot.type == VV_WIRE_FIXED64);
    cr_assert_eq(spot.value, UINT64_C(0x0807060504030201));
    cr_assert_ok(next(), p.error);
    cr_assert(spot.number == 3 && spot.type == VV_WIRE_SIZED);
    cr_assert(spot.part.at == 14 && spot.part.end == 17);
    cr_assert_ok(vv_wire_file_expect(&p.file, &spot, VV_WIRE_SIZED, "it"),
        p.error);
    cr_assert_eq(vv_wire_file_expect(&p.file, &spot, VV_WIRE_VARINT, "it"),
        VARVE_CORRUPT);
    cr_assert(strstr(p.error.message, "field 3: expected wire type 0, found 2"),
        "%s", p.error.message);
    struct vv_buffer text = new_bytes();
    cr_assert_ok(vv_wire_file_take(&p.file, spot.part, &text), p.error);
    cr_assert(text.size == 3 && memcmp(text.data, "abc", 3) == 0);
    vv_buffer_clear(&text);
    cr_assert_ok(next(), p.error);
    cr_assert(spot.number == 4 && spot.value == 0xddccbbaa);
    cr_assert_eq(p.message.at, p.message.end);
    part_end(&p);
}

/* Far after the window, and then before it. */
TEST(wire_file, seeks_to_any_offset)
{
    static char large[100000];
    struct vv_buffer b = new_bytes();
    put_bytes(&b, 1, large, sizeof large);
    put_number(&b, 2, 7);
    part_begin(&p, &b);
    cr_assert_ok(next(), p.error);
    cr_assert_ok(next(), p.error);
    cr_assert_eq(spot.value, 7);
    p.message.at = 0;
    cr_assert_ok(next(), p.error);
    cr_assert_eq(spot.part.end - spot.part.at, sizeof large);
    part_end(&p);
    vv_buffer_clear(&b);
}

static void refuse(const char *text, varve_status status, const char *words)
{
    begin(text);
    cr_assert_eq(next(), status, "%s", text);
    cr_assert(strstr(p.error.message, words), "%s", p.error.message);
    part_end(&p);
}

TEST(wire_file, refuses_invalid_fields)
{
    refuse("00 00", VARVE_CORRUPT, "not a valid protobuf field");
    refuse("0b", VARVE_CORRUPT, "offset 0: a message: not a valid");
    refuse("08 ffffffffffffffffffff01", VARVE_CORRUPT, "more than 64 bits");
    refuse("08 80", VARVE_TRUNCATED, "the end of the file");
    refuse("0a 02 00", VARVE_TRUNCATED, "a field within the message");
    refuse("0a ffffffffffffffffff01 00", VARVE_TRUNCATED,
        "a field within the message");
    refuse("0d 000000", VARVE_TRUNCATED, "a fixed-size number");
}

TEST(wire_file, refuses_fields_that_exceed_their_message)
{
    begin("0a 05 00");
    p.message.end = 2;
    cr_assert_eq(next(), VARVE_CORRUPT);
    part_end(&p);
    begin("01 02 80");
    uint64_t number;
    cr_assert_ok(vv_wire_file_number(&p.file, &p.message, VV_WIRE_VARINT,
        &number), p.error);
    cr_assert_eq(number, 1);
    p.message.end = 2;
    cr_assert_eq(vv_wire_file_number(&p.file, &p.message, VV_WIRE_FIXED32,
        &number), VARVE_CORRUPT);
    part_end(&p);
}
