/* test_msgpack_in.c - Tests parsing msgpack.
 *
 * SPDX-License-Identifier: MIT
 */
#include "msgpack_in.h"

#include "flax_sample.h"

static struct part p;

/* Asserts one item that consists of all digits, except for the elements of a
 * list or map. */
static void check(const char *digits, enum vv_msgpack_kind kind, uint64_t bits)
{
    struct vv_msgpack_item item;
    part_begin(&p, digits);
    cr_assert_ok(vv_msgpack_next(&p.in, "this", &item), p.error);
    cr_assert_eq(item.kind, kind, "%s: %s", digits,
        vv_msgpack_word(item.kind));
    cr_assert_eq(item.bits, bits, "%s: %llx", digits,
        (unsigned long long)item.bits);
    if (kind != VV_MSGPACK_LIST && kind != VV_MSGPACK_MAP)
        cr_assert_eq(p.in.at, p.in.end, "%s", digits);
    part_end(&p);
}

static void refuse(const char *digits, varve_status status, const char *says)
{
    struct vv_msgpack_item item;
    part_begin(&p, digits);
    cr_assert_eq(vv_msgpack_next(&p.in, "this", &item), status, "%s", digits);
    cr_assert(strstr(p.error.message, says), "%s", p.error.message);
    part_end(&p);
}

TEST(msgpack_in, reads_numbers_of_every_width)
{
    check("00", VV_MSGPACK_INTEGER, 0);
    check("7f", VV_MSGPACK_INTEGER, 127);
    check("e0", VV_MSGPACK_INTEGER, (uint64_t)-32);
    check("ff", VV_MSGPACK_INTEGER, UINT64_MAX);
    check("cc ff", VV_MSGPACK_INTEGER, 255);
    check("cd 0102", VV_MSGPACK_INTEGER, 0x102);
    check("ce 80000001", VV_MSGPACK_INTEGER, 0x80000001);
    check("cf 7fffffffffffffff", VV_MSGPACK_INTEGER, INT64_MAX);
    check("cf 8000000000000000", VV_MSGPACK_UNSIGNED, UINT64_C(1) << 63);
    check("d0 80", VV_MSGPACK_INTEGER, (uint64_t)-128);
    check("d0 05", VV_MSGPACK_INTEGER, 5);
    check("d1 fffe", VV_MSGPACK_INTEGER, (uint64_t)-2);
    check("d2 80000000", VV_MSGPACK_INTEGER, (uint64_t)INT32_MIN);
    check("d3 8000000000000000", VV_MSGPACK_INTEGER, UINT64_C(1) << 63);
    check("ca 3fc00000", VV_MSGPACK_FLOAT, UINT64_C(0x3ff8) << 48);
    check("cb 3ff8000000000000", VV_MSGPACK_REAL, UINT64_C(0x3ff8) << 48);
    check("c2", VV_MSGPACK_BOOL, 0);
    check("c3", VV_MSGPACK_BOOL, 1);
    check("c0", VV_MSGPACK_NIL, 0);
}

TEST(msgpack_in, reads_texts_and_extensions_of_every_width)
{
    check("a0", VV_MSGPACK_TEXT, 0);
    check("a2 6162", VV_MSGPACK_TEXT, 2);
    check("d9 02 6162", VV_MSGPACK_TEXT, 2);
    check("da 0002 6162", VV_MSGPACK_TEXT, 2);
    check("db 00000002 6162", VV_MSGPACK_TEXT, 2);
    check("c4 02 6162", VV_MSGPACK_BYTES, 2);
    check("c5 0002 6162", VV_MSGPACK_BYTES, 2);
    check("c6 00000002 6162", VV_MSGPACK_BYTES, 2);
    check("c7 02 01 6162", VV_MSGPACK_EXTENSION, 2);
    check("c8 0002 01 6162", VV_MSGPACK_EXTENSION, 2);
    check("c9 00000002 01 6162", VV_MSGPACK_EXTENSION, 2);
    check("d4 01 61", VV_MSGPACK_EXTENSION, 1);
    check("d5 01 6162", VV_MSGPACK_EXTENSION, 2);
    check("d6 01 61626364", VV_MSGPACK_EXTENSION, 4);
    check("d7 01 6162636465666768", VV_MSGPACK_EXTENSION, 8);
    check("d8 01 61626364656667686162636465666768", VV_MSGPACK_EXTENSION, 16);
}

TEST(msgpack_in, reads_lists_and_maps_without_their_content)
{
    check("90", VV_MSGPACK_LIST, 0);
    check("92 01 02", VV_MSGPACK_LIST, 2);
    check("dc 0002 01 02", VV_MSGPACK_LIST, 2);
    check("dd 00000002 01 02", VV_MSGPACK_LIST, 2);
    check("80", VV_MSGPACK_MAP, 0);
    check("81 01 02", VV_MSGPACK_MAP, 1);
    check("de 0001 01 02", VV_MSGPACK_MAP, 1);
    check("df 00000001 01 02", VV_MSGPACK_MAP, 1);
}

TEST(msgpack_in, returns_offset_and_type_of_an_item)
{
    struct vv_msgpack_item item;
    struct vv_buffer text = new_bytes();
    part_begin(&p, "c7 03 fe 616263 a2 6465");
    cr_assert_ok(vv_msgpack_next(&p.in, "this", &item), p.error);
    cr_assert(item.type == -2 && item.begin == 0 && item.at == 3 &&
        item.size == 3);
    cr_assert_ok(vv_msgpack_next(&p.in, "this", &item), p.error);
    cr_assert_ok(vv_msgpack_take(&p.in, &item, &text), p.error);
    cr_assert_str_eq(vv_buffer_string(&text), "de");
    vv_buffer_clear(&text);
    part_end(&p);
}

TEST(msgpack_in, reads_a_text_that_is_longer_than_its_window)
{
    enum { SIZE = 10000 };
    struct vv_buffer b = new_bytes(), text = new_bytes();
    struct vv_msgpack_item item;
    vv_buffer_add(&b, "\xda\x27\x10", 3);
    for (int i = 0; i < SIZE; i++)
        vv_buffer_add8(&b, (uint8_t)(i * 7));
    part_begin(&p, "");
    memory_put(p.w.memory, FLAX_PATH, b.data, b.size);
    vv_foreign_free(p.foreign);
    p.foreign = world_foreign(&p.w, FLAX_PATH, &b);
    p.in.window.foreign = p.foreign;
    p.in.end = b.size;
    cr_assert_ok(vv_msgpack_next(&p.in, "this", &item), p.error);
    cr_assert_ok(vv_msgpack_take(&p.in, &item, &text), p.error);
    cr_assert_eq(text.size, SIZE);
    cr_assert_eq(memcmp(text.data, b.data + 3, SIZE), 0);
    part_end(&p);
    vv_buffer_clear(&text);
    vv_buffer_clear(&b);
}

TEST(msgpack_in, refuses_truncated_items)
{
    static const char *const cut[] = { "", "a1", "c4", "c4 01", "c5 00",
        "c7 01", "c7 01 01", "d4", "d4 01", "ca 000000", "cb 00000000000000",
        "cf 00000000000000", "d9", "db 000000", "db ffffffff 61", "91",
        "81 01", "dc 0003 01 02", "dd ffffffff 01", "df ffffffff 01 01" };
    for (size_t i = 0; i < sizeof cut / sizeof *cut; i++)
        refuse(cut[i], VARVE_TRUNCATED, "this");
    refuse("c1", VARVE_CORRUPT,
        "offset 0: expected this, found an invalid byte");
}

TEST(msgpack_in, does_not_read_past_its_range)
{
    struct vv_msgpack_item item;
    part_begin(&p, "a2 6162");
    p.in.end = 2;
    cr_assert_eq(vv_msgpack_next(&p.in, "this", &item), VARVE_TRUNCATED);
    part_end(&p);
}
