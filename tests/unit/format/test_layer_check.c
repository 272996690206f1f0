/* test_layer_check.c - lib/format/layer_check.c: each rule broken once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "layer_check.h"
#include "support/index_sample.h"

TEST(layer_check, takes_a_sample_with_layers)
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

TEST(layer_check, takes_zeros_that_lie_nowhere)
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

TEST(layer_check, finds_each_broken_rule)
{
    static const struct breakage breakages[] = {
        { "same nonce", same_nonce, VARVE_CORRUPT, "nonce of its own" },
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
        { "in the footer", in_footer, VARVE_CORRUPT, "of its layer" },
        { "far away", far_away, VARVE_CORRUPT, "of its layer" },
        { "zeros somewhere", zeros_somewhere, VARVE_CORRUPT, "zeros at" },
        { "no places", no_places, VARVE_CORRUPT, "a part of that" },
        { "no layers", no_layers, VARVE_CORRUPT, "a part of that" },
        { "no offsets", no_offsets, VARVE_CORRUPT, "a part of that" },
        { "no sizes", no_sizes, VARVE_CORRUPT, "a part of that" },
        { "empty sizes", empty_sizes, VARVE_CORRUPT, "left out" },
        { "behind data", behind_data, VARVE_CORRUPT, "behind the header" },
        { "too many", too_many, VARVE_CORRUPT, "256 at most" },
    };
    sample_check_breakages(breakages, sizeof breakages / sizeof *breakages);
}
