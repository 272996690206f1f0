/* test_flax_array_flax_chunks.c - Tests chunked arrays of Flax files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "flax_array.h"

#include "flax_sample.h"

#define MARK "b9 5f5f6d73677061636b5f6368756e6b65645f61727261795f5f c3 "
#define SHAPE "a5 7368617065 "
#define CHUNKS "a6 6368756e6b73 "
#define BOTH CHUNKS "82 a130 " FLAX_ONE_TWO "a131 " FLAX_THREE
#define THREE SHAPE "81 a130 03 "

static struct part p;
static struct vv_flax_chunks chunks;

static varve_status read_chunks(const char *digits)
{
    struct vv_msgpack_item map;
    bool are_next;
    part_begin(&p, digits);
    cr_assert_ok(vv_msgpack_next(&p.in, "this", &map), p.error);
    cr_assert_ok(vv_flax_chunks_are_next(&p.in, &map, &are_next), p.error);
    cr_assert(are_next, "%s", digits);
    return vv_flax_chunks_read(&p.in, &map, &chunks);
}

static void refuse(const char *digits, varve_status status, const char *says)
{
    cr_assert_eq(read_chunks(digits), status, "%s: %s", digits,
        p.error.message);
    cr_assert(strstr(p.error.message, says), "%s: %s", digits,
        p.error.message);
    part_end(&p);
}

TEST(flax_chunks, form_one_array)
{
    struct vv_flax_array piece;
    cr_assert_ok(read_chunks("83 " MARK THREE BOTH), p.error);
    cr_assert_eq(chunks.array.shape.dtype, VARVE_FLOAT32);
    cr_assert_eq(chunks.array.shape.rank, 1);
    cr_assert(chunks.array.count == 3 && chunks.array.size == 12);
    cr_assert_eq(p.in.at, p.in.end);
    p.in.at = chunks.first;
    cr_assert_ok(vv_flax_chunks_next(&p.in, 0, &piece), p.error);
    cr_assert_eq(piece.count, 2);
    cr_assert_ok(vv_flax_chunks_next(&p.in, 1, &piece), p.error);
    cr_assert_eq(piece.count, 1);
    part_end(&p);
}

TEST(flax_chunks, are_distinguished_from_other_maps)
{
    static const char *const others[] = { "80", "81 a161 01", "81 01 01",
        "81 b9 5f5f6d73677061636b5f6368756e6b65645f61727261795f5e c3" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct vv_msgpack_item map;
        bool are_next = true;
        part_begin(&p, others[i]);
        cr_assert_ok(vv_msgpack_next(&p.in, "this", &map), p.error);
        cr_assert_ok(vv_flax_chunks_are_next(&p.in, &map, &are_next), p.error);
        cr_assert_not(are_next);
        cr_assert_eq(p.in.at, 1);
        part_end(&p);
    }
}

TEST(flax_chunks, refuse_incomplete_maps)
{
    refuse("82 " MARK THREE, VARVE_CORRUPT, "\"shape\" and \"chunks\"");
    refuse("83 " MARK BOTH THREE, VARVE_CORRUPT, "another key");
    refuse("83 " MARK SHAPE "01" BOTH, VARVE_CORRUPT, "expected a map");
    refuse("83 " MARK SHAPE "81 a130 ff" BOTH, VARVE_CORRUPT, "extent");
    refuse("83 " MARK SHAPE "81 a131 03" BOTH, VARVE_CORRUPT,
        "consecutive positions");
    refuse("83 " MARK SHAPE "81 a130 04" BOTH, VARVE_CORRUPT,
        "as many elements as the array");
    refuse("83 " MARK THREE CHUNKS "81 a130" FLAX_ONE_TWO, VARVE_CORRUPT,
        "as many elements as the array");
    refuse("83 " MARK SHAPE "81 a130 00" CHUNKS "80", VARVE_CORRUPT,
        "as many elements as the array");
    refuse("83 " MARK THREE CHUNKS "82 a131" FLAX_ONE_TWO "a130" FLAX_THREE,
        VARVE_CORRUPT, "consecutive positions");
    refuse("83 " MARK THREE CHUNKS "82 a130" FLAX_ONE_TWO "a131 05",
        VARVE_CORRUPT, "a chunk of an array, found an integer");
    refuse("83 " MARK THREE CHUNKS "82 a130" FLAX_ONE_TWO "a131" FLAX_FOUR,
        VARVE_CORRUPT, "flat chunks of one type");
    refuse("83 " MARK THREE CHUNKS "82 a130" FLAX_ONE_TWO "a131"
        "c7 0b 01 93 91 01 a4 626f6f6c c4 01 01", VARVE_CORRUPT,
        "flat chunks of one type");
}
