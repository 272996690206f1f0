/* test_flax_array_flax_decode.c - Tests decoding values of Flax files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "flax_array.h"

#include "flax_sample.h"

static struct part p;

/* Asserts the decoded item at an offset, as hexadecimal digits. */
static void check(const char *digits, uint64_t offset, const char *expected)
{
    unsigned char made[64];
    size_t size = strlen(expected) / 2;
    part_begin(&p, digits);
    cr_assert_ok(vv_flax_decode(p.foreign, offset, made, size, &p.error),
        p.error);
    cr_assert(hex_equal(made, size, expected), "%s", digits);
    part_end(&p);
}

TEST(flax_decode, decodes_numbers_and_texts)
{
    check("05 c3", 1, "01");
    check("c2", 0, "00");
    check("05", 0, "0500000000000000");
    check("d1 fffe", 0, "feffffffffffffff");
    check("cf 8000000000000001", 0, "0100000000000080");
    check("ca 3fc00000", 0, "000000000000f83f");
    check("cb 3ff8000000000000", 0, "000000000000f83f");
    check("a2 6162", 0, "02000000000000006162");
    check("c4 00", 0, "0000000000000000");
}

TEST(flax_decode, decodes_vectors_and_complex_numbers)
{
    check("92 01 ff", 0, "0100000000000000ffffffffffffffff");
    check("92 02 cb 3ff8000000000000", 0, "0000000000000040000000000000f83f");
    check("c7 13 02 92 cb 3ff8000000000000 cb 4000000000000000", 0,
        "000000000000f83f0000000000000040");
}

TEST(flax_decode, assembles_chunks)
{
    check("83 b9 5f5f6d73677061636b5f6368756e6b65645f61727261795f5f c3"
        "a5 7368617065 81 a130 03 a6 6368756e6b73 82 a130 " FLAX_ONE_TWO
        "a131 " FLAX_THREE, 0, "0000803f0000004000004040");
}

TEST(flax_decode, distinguishes_a_list_of_numbers_from_others)
{
    static const struct { const char *digits; int dtype; uint64_t at; }
    lists[] = {
        { "90", 0, 1 }, { "92 01 02", VARVE_INT64, 3 },
        { "92 01 ca 00000000", VARVE_FLOAT64, 7 },
        { "92 ca 00000000 01", VARVE_FLOAT64, 7 }, { "92 01 c3", 0, 1 },
        { "92 cf 0020000000000001 ca 00000000", 0, 1 },
        { "92 cf 0020000000000002 ca 00000000", VARVE_FLOAT64, 15 },
        { "91 cf 0020000000000001", VARVE_INT64, 10 },
        { "91 cf 8000000000000000", 0, 1 }, { "91 90", 0, 1 },
    };
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        struct vv_msgpack_item list;
        varve_dtype dtype = (varve_dtype)0;
        part_begin(&p, lists[i].digits);
        cr_assert_ok(vv_msgpack_next(&p.in, "this", &list), p.error);
        cr_assert_ok(vv_flax_vector(&p.in, &list, &dtype), p.error);
        cr_assert_eq((int)dtype, lists[i].dtype, "%s", lists[i].digits);
        cr_assert_eq(p.in.at, lists[i].at, "%s", lists[i].digits);
        part_end(&p);
    }
}

/* The file may have changed since it was opened. */
TEST(flax_decode, fails_if_the_file_has_changed)
{
    unsigned char made[16];
    part_begin(&p, "a2 6162 c0 c1 92 01");
    cr_assert_eq(vv_flax_decode(p.foreign, 0, made, 16, &p.error),
        VARVE_CORRUPT);
    cr_assert_eq(vv_flax_decode(p.foreign, 3, made, 8, &p.error),
        VARVE_CORRUPT);
    cr_assert_eq(vv_flax_decode(p.foreign, 4, made, 8, &p.error),
        VARVE_CORRUPT);
    cr_assert_eq(vv_flax_decode(p.foreign, 5, made, 16, &p.error),
        VARVE_TRUNCATED);
    part_end(&p);
}
