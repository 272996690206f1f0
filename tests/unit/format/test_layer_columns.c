/* test_layer_columns.c - Tests the rules of data files and extents, each
 * violated once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "data_out.h"
#include "layer_columns.h"
#include "support/index_sample.h"

TEST(layer_check, accepts_a_sample_with_data_files)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_error error;
    sample_build(&s);
    uint64_t end = s.data_end;
    sample_add_layers(&s);
    sample_encode(&s);
    cr_assert_ok(sample_parse(&s, &parsed, &error), error);
    cr_assert_eq(parsed.index.layer_count, SAMPLE_LAYER_COUNT);
    cr_assert_eq(parsed.index.place_count, 3);
    cr_assert_eq(parsed.data_end, end);
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}

TEST(layer_check, accepts_zeros_without_a_location)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_error error;
    sample_build(&s);
    sample_add_layers(&s);
    sample_set32(&s, VV_KEY_PLACE_LAYERS, 2, VV_NONE);
    sample_set64(&s, VV_KEY_PLACE_OFFSETS, 2, 0);
    sample_encode(&s);
    cr_assert_ok(sample_parse(&s, &parsed, &error), error);
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}

static void check_taken(struct sample *s)
{
    struct vv_parsed_index parsed;
    varve_error error;
    sample_encode(s);
    cr_assert_ok(sample_parse(s, &parsed, &error), error);
    cr_assert_eq(parsed.index.packed_count, 3);
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(s);
}

TEST(layer_check, accepts_compressed_ranges)
{
    struct sample s;
    sample_build(&s);
    sample_add_layers(&s);
    sample_add_packs(&s);
    check_taken(&s);
    sample_build(&s);
    sample_add_layers(&s);
    sample_add_packs(&s);
    sample_set32(&s, VV_KEY_PLACE_PLAIN, 1, 4096 + 8192 + 1000);
    sample_set32(&s, VV_KEY_PLACE_SKIPS, 1, 4096);
    check_taken(&s);
}

TEST(layer_check, accepts_a_data_file_inside_the_index_file)
{
    struct sample s;
    sample_build(&s);
    sample_add_layers(&s);
    sample_add_packs(&s);
    sample_move_layer_inside(&s);
    check_taken(&s);
    /* Extents of compressed files are marked as such even if nothing was worth
     * compressing. */
    sample_build(&s);
    sample_add_layers(&s);
    sample_add_packs(&s);
    sample_move_layer_inside(&s);
    sample_set32(&s, VV_KEY_PLACE_PACKED, 1, 0);
    sample_set32(&s, VV_KEY_PLACE_PLAIN, 1, 0);
    sample_set32(&s, VV_KEY_PLACE_SKIPS, 1, 0);
    sample_set8(&s, VV_KEY_PLACE_PLANES, 1, 0);
    check_taken(&s);
}

#define BROKEN(function, change)                                               \
    static void function(struct sample *s)                                     \
    {                                                                          \
        sample_add_layers(s);                                                  \
        change;                                                                \
    }
#define LEAVE_OUT(key) s->left_out[vv_column_find(key) - vv_columns] = true

BROKEN(same_nonce, sample_column(s, VV_KEY_LAYER_NONCES)->data[16] = 0xa0;
       memset(sample_column(s, VV_KEY_LAYER_NONCES)->data + 16, 0xa0, 16))
BROKEN(small_layer, sample_set64(s, VV_KEY_LAYER_SIZES, 1, 127))
BROKEN(huge_layer, sample_set64(s, VV_KEY_LAYER_SIZES, 1, UINT64_MAX))
BROKEN(short_layer, sample_set64(s, VV_KEY_LAYER_SIZES, 1, 64 + 999 + 64))
BROKEN(late_begin, sample_set64(s, VV_KEY_PLACE_BEGINS, 0, 65))
BROKEN(same_begin, sample_set64(s, VV_KEY_PLACE_BEGINS, 1, 64))
BROKEN(begin_behind, sample_set64(s, VV_KEY_PLACE_BEGINS, 2, UINT64_MAX))
BROKEN(no_layer, sample_set32(s, VV_KEY_PLACE_LAYERS, 1, 2))
BROKEN(not_in_order, sample_set32(s, VV_KEY_PLACE_LAYERS, 0, 1))
BROKEN(not_named, sample_set32(s, VV_KEY_PLACE_LAYERS, 1, 0))
BROKEN(in_header, sample_set64(s, VV_KEY_PLACE_OFFSETS, 1, 63))
BROKEN(in_footer, sample_set64(s, VV_KEY_PLACE_OFFSETS, 1, 65))
BROKEN(far_away, sample_set64(s, VV_KEY_PLACE_OFFSETS, 1, UINT64_MAX - 500))
BROKEN(zeros_somewhere, sample_set32(s, VV_KEY_PLACE_LAYERS, 2, VV_NONE))
BROKEN(no_places, LEAVE_OUT(VV_KEY_PLACE_BEGINS);
       LEAVE_OUT(VV_KEY_PLACE_LAYERS); LEAVE_OUT(VV_KEY_PLACE_OFFSETS))
BROKEN(no_layers, LEAVE_OUT(VV_KEY_LAYER_NONCES);
       LEAVE_OUT(VV_KEY_LAYER_SIZES))
BROKEN(no_offsets, LEAVE_OUT(VV_KEY_PLACE_OFFSETS))
BROKEN(no_sizes, LEAVE_OUT(VV_KEY_LAYER_SIZES))
BROKEN(empty_sizes, LEAVE_OUT(VV_KEY_LAYER_NONCES);
       sample_column(s, VV_KEY_LAYER_SIZES)->size = 0)
BROKEN(behind_data, s->data_end = 128)

#define PACKED(function, change)                                               \
    static void function(struct sample *s)                                     \
    {                                                                          \
        sample_add_layers(s);                                                  \
        sample_add_packs(s);                                                   \
        change;                                                                \
    }
#define SET(column, value) sample_set32(s, VV_KEY_PLACE_##column, 1, value)
#define INSIDE sample_move_layer_inside(s)

PACKED(hardly_packed, SET(PACKED, 16384 - 1023))
PACKED(far_packed, SET(PACKED, 1001))
PACKED(plain_too_small, SET(PLAIN, 4095))
PACKED(plain_too_large, SET(PLAIN, (1 << 20) + 1))
PACKED(plain_none, SET(PLAIN, 0))
PACKED(behind_plain, SET(SKIPS, 8192 + 4096))
PACKED(skip_overflows, SET(SKIPS, UINT32_MAX - 4095))
PACKED(half_a_page, SET(SKIPS, 4096 + 64))
PACKED(ends_in_a_page, sample_set64(s, VV_KEY_PLACE_BEGINS, 2, 4096 + 8000))
PACKED(no_planes, sample_set8(s, VV_KEY_PLACE_PLANES, 1, 0))
PACKED(three_planes, sample_set8(s, VV_KEY_PLACE_PLANES, 1, 3))
PACKED(sixteen_planes, sample_set8(s, VV_KEY_PLACE_PLANES, 1, 16))
PACKED(packed_zeros, sample_set32(s, VV_KEY_PLACE_LAYERS, 1, VV_NONE);
       sample_set64(s, VV_KEY_PLACE_OFFSETS, 1, 0))
PACKED(plain_with_planes, sample_set8(s, VV_KEY_PLACE_PLANES, 0, 1))
PACKED(plain_with_skip, sample_set32(s, VV_KEY_PLACE_SKIPS, 2, 4096))
PACKED(plain_with_size, sample_set32(s, VV_KEY_PLACE_PLAIN, 2, 4096))
PACKED(none_packed, SET(PACKED, 0); SET(PLAIN, 0); SET(SKIPS, 0);
       sample_set8(s, VV_KEY_PLACE_PLANES, 1, 0))
PACKED(packs_without_planes, LEAVE_OUT(VV_KEY_PLACE_PLANES))
PACKED(packs_without_packed, LEAVE_OUT(VV_KEY_PLACE_PACKED);
       sample_column(s, VV_KEY_PLACE_PLAIN)->size = 0)
PACKED(fewer_packs, sample_column(s, VV_KEY_PLACE_PACKED)->size -= 4;
       sample_column(s, VV_KEY_PLACE_PLAIN)->size -= 4;
       sample_column(s, VV_KEY_PLACE_SKIPS)->size -= 4;
       sample_column(s, VV_KEY_PLACE_PLANES)->size -= 1)
PACKED(inside_with_another,
    memset(sample_column(s, VV_KEY_LAYER_NONCES)->data, 0, 16);
    s->data_end = sample_at64(s, VV_KEY_LAYER_SIZES, 0))
PACKED(inside_of_another_size, INSIDE;
       sample_set64(s, VV_KEY_LAYER_SIZES, 0, s->data_end + 64))
PACKED(inside_behind_the_index, INSIDE;
       sample_set64(s, VV_KEY_PLACE_OFFSETS, 1, s->data_end - 935))
BROKEN(inside_but_not_packed, INSIDE)

/* A value of 1 TiB, almost all of it zeros without a location. */
static void a_tebibyte(struct sample *s)
{
    const uint64_t size = (uint64_t)1 << 40;
    uint64_t end = sample_at64(s, VV_KEY_VALUE_OFFSETS, 6) +
                   sample_at64(s, VV_KEY_VALUE_SIZES, 6);
    sample_add_layers(s);
    sample_add_packs(s);
    sample_set64(s, VV_KEY_VALUE_EXTENTS, 13, size / 16);
    sample_set64(s, VV_KEY_VALUE_SIZES, 7, size);
    sample_set64(s, VV_KEY_VALUE_OFFSETS, 7, vv_data_place(end, size));
    sample_set32(s, VV_KEY_PLACE_LAYERS, 2, VV_NONE);
    sample_set64(s, VV_KEY_PLACE_OFFSETS, 2, 0);
}

static void too_many(struct sample *s)
{
    struct vv_buffer *nonces = sample_column(s, VV_KEY_LAYER_NONCES);
    sample_add_layers(s);
    for (uint32_t i = SAMPLE_LAYER_COUNT; i <= VV_MOST_LAYERS; i++) {
        memset(vv_buffer_extend(nonces, VV_NONCE_SIZE), 0, VV_NONCE_SIZE);
        vv_store32(nonces->data + nonces->size - 4, i);
        vv_buffer_add64(sample_column(s, VV_KEY_LAYER_SIZES), 128);
    }
}

TEST(layer_check, reports_each_violated_rule)
{
    static const struct breakage breakages[] = {
        { "same nonce", same_nonce, VARVE_CORRUPT, "the nonce is not unique" },
        { "small layer", small_layer, VARVE_CORRUPT, "a size from 128" },
        { "huge layer", huge_layer, VARVE_CORRUPT, "a size from 128" },
        { "short layer", short_layer, VARVE_CORRUPT, "of its layer" },
        { "late begin", late_begin, VARVE_CORRUPT, "increase from 64" },
        { "same begin", same_begin, VARVE_CORRUPT, "increase from 64" },
        { "begin behind", begin_behind, VARVE_CORRUPT, "increase from 64" },
        { "no layer", no_layer, VARVE_CORRUPT, "a layer that was named" },
        { "not in order", not_in_order, VARVE_CORRUPT, "that was named" },
        { "not named", not_named, VARVE_CORRUPT, "expected places in 2" },
        { "in the header", in_header, VARVE_CORRUPT, "of its layer" },
        { "footer at offset", in_footer, VARVE_CORRUPT, "of its layer" },
        { "far away", far_away, VARVE_CORRUPT, "of its layer" },
        { "zeros somewhere", zeros_somewhere, VARVE_CORRUPT,
            "zeros must have" },
        { "no places", no_places, VARVE_CORRUPT, "of these columns" },
        { "no layers", no_layers, VARVE_CORRUPT, "of these columns" },
        { "no offsets", no_offsets, VARVE_CORRUPT, "of these columns" },
        { "no sizes", no_sizes, VARVE_CORRUPT, "of these columns" },
        { "empty sizes", empty_sizes, VARVE_CORRUPT, "non-empty" },
        { "behind data", behind_data, VARVE_CORRUPT, "after the header" },
        { "hardly packed", hardly_packed, VARVE_CORRUPT,
            "bytes are neither plain nor pages of a compressed chunk" },
        { "far packed", far_packed, VARVE_CORRUPT, "of its layer" },
        { "plain too small", plain_too_small, VARVE_CORRUPT, "a compressed" },
        { "plain too large", plain_too_large, VARVE_CORRUPT, "a compressed" },
        { "plain none", plain_none, VARVE_CORRUPT, "a compressed" },
        { "behind plain", behind_plain, VARVE_CORRUPT, "a compressed" },
        { "skip overflows", skip_overflows, VARVE_CORRUPT, "a compressed" },
        { "half a page", half_a_page, VARVE_CORRUPT, "a compressed" },
        { "ends in a page", ends_in_a_page, VARVE_CORRUPT, "a compressed" },
        { "no planes", no_planes, VARVE_CORRUPT, "a compressed" },
        { "three planes", three_planes, VARVE_CORRUPT, "a compressed" },
        { "sixteen planes", sixteen_planes, VARVE_CORRUPT, "a compressed" },
        { "packed zeros", packed_zeros, VARVE_CORRUPT, "a compressed" },
        { "plain with planes", plain_with_planes, VARVE_CORRUPT,
            "a compressed" },
        { "plain with skip", plain_with_skip, VARVE_CORRUPT, "a compressed" },
        { "plain with size", plain_with_size, VARVE_CORRUPT, "a compressed" },
        { "none packed", none_packed, VARVE_CORRUPT, "places: one of" },
        { "no planes at all", packs_without_planes, VARVE_CORRUPT,
            "of these columns" },
        { "no packed sizes", packs_without_packed, VARVE_CORRUPT, "non-empty" },
        { "fewer packs", fewer_packs, VARVE_CORRUPT, "places: one of" },
        { "inside with another", inside_with_another, VARVE_CORRUPT,
            "after the header" },
        { "inside of another size", inside_of_another_size, VARVE_CORRUPT,
            "up to the index" },
        { "inside behind the index", inside_behind_the_index, VARVE_CORRUPT,
            "of its layer" },
        { "a tebibyte", a_tebibyte, VARVE_CORRUPT,
            "expected 1048582 digests, found 7" },
        { "inside but not packed", inside_but_not_packed, VARVE_CORRUPT,
            "places: one of" },
        { "too many", too_many, VARVE_CORRUPT, "256 at most" },
    };
    sample_check_breakages(breakages, sizeof breakages / sizeof *breakages);
}
