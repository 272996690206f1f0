/* test_value_check.c - Tests the rules of values, each violated once.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

#include "data_out.h"
#include "support/index_sample.h"

/* Indices of the sample's values. */
enum { STATE, STRINGS, EMPTY, SCALAR, KERNEL, PAGED, MOMENT, COMPLEX, LOCAL };

#define SET8(function, key, i, value)                                          \
    static void function(struct sample *s)                                     \
    {                                                                          \
        sample_set8(s, key, i, value);                                         \
    }
#define SET32(function, key, i, value)                                         \
    static void function(struct sample *s)                                     \
    {                                                                          \
        sample_set32(s, key, i, value);                                        \
    }
#define SET64(function, key, i, value)                                         \
    static void function(struct sample *s)                                     \
    {                                                                          \
        sample_set64(s, key, i, value);                                        \
    }

/* --- Rows ----------------------------------------------------------------- */

SET32(node_is_an_object, VV_KEY_VALUE_NODES, STATE, 3)
SET32(node_is_no_node, VV_KEY_VALUE_NODES, LOCAL, 14)
SET32(node_is_there_twice, VV_KEY_VALUE_NODES, EMPTY, 6)

static void resize_rows(struct sample *s, int by)
{
    for (size_t i = 0; i < VV_COLUMN_COUNT; i++) {
        const struct vv_column *c = &vv_columns[i];
        if (c->count != offsetof(struct vv_index, value_count))
            continue;
        if (by > 0)
            memset(vv_buffer_extend(&s->columns[i], c->element), 1, c->element);
        else
            s->columns[i].size -= c->element;
    }
}

static void row_is_missing(struct sample *s)
{
    resize_rows(s, -1);
    sample_column(s, VV_KEY_VALUE_EXTENTS)->size -= 8;
}

static void row_of_no_node(struct sample *s)
{
    resize_rows(s, 1);
}

static void row_of_the_node_behind_the_last(struct sample *s)
{
    resize_rows(s, 1);
    sample_set32(s, VV_KEY_VALUE_NODES, LOCAL + 1, 14);
}

/* --- Shapes --------------------------------------------------------------- */

SET8(type_is_0, VV_KEY_VALUE_DTYPES, SCALAR, 0)
SET8(type_is_unknown, VV_KEY_VALUE_DTYPES, SCALAR, VARVE_DTYPE_COUNT + 1)
SET8(rank_takes_what_is_not_there, VV_KEY_VALUE_RANKS, LOCAL, 2)
SET8(rank_leaves_an_extent, VV_KEY_VALUE_RANKS, LOCAL, 0)

/* Extents of the sample: 5 | 3 1 | 0 4 | 2 1 3 | 180 186 | 2 1 3 | 2 | 7 */
SET64(elements_overflow, VV_KEY_VALUE_EXTENTS, 6, UINT64_C(1) << 63)
SET64(bytes_overflow, VV_KEY_VALUE_EXTENTS, 14, UINT64_C(1) << 61)
SET64(strings_overflow, VV_KEY_VALUE_EXTENTS, 1, UINT64_C(1) << 60)
SET64(state_has_another_extent, VV_KEY_VALUE_EXTENTS, 0, 6)
SET8(state_has_another_type, VV_KEY_VALUE_DTYPES, STATE, VARVE_INT8)

static void rank_is_too_high(struct sample *s)
{
    memset(vv_buffer_extend(sample_column(s, VV_KEY_VALUE_EXTENTS), 8 * 32), 0,
        8 * 32);
    sample_set8(s, VV_KEY_VALUE_RANKS, LOCAL, 17);
}

/* With the same number of elements. */
static void state_has_another_rank(struct sample *s)
{
    sample_set64(s, VV_KEY_VALUE_EXTENTS, 1, 1);
    sample_set8(s, VV_KEY_VALUE_RANKS, STATE, 2);
    sample_set8(s, VV_KEY_VALUE_RANKS, STRINGS, 1); /* 5 1 | 1 */
}

/* --- Sizes and offsets ---------------------------------------------------- */

SET64(size_is_not_that_of_the_shape, VV_KEY_VALUE_SIZES, KERNEL, 23)
SET64(shape_is_not_that_of_the_size, VV_KEY_VALUE_EXTENTS, 5, 4)
SET64(strings_have_no_room_for_lengths, VV_KEY_VALUE_SIZES, STRINGS, 23)
SET64(nothing_has_a_size, VV_KEY_VALUE_SIZES, EMPTY, 1)
SET64(unsaved_has_a_size, VV_KEY_VALUE_SIZES, LOCAL, 56)
SET64(unsaved_has_an_offset, VV_KEY_VALUE_OFFSETS, LOCAL, 64)

static void no_strings_have_a_size(struct sample *s)
{
    sample_set64(s, VV_KEY_VALUE_EXTENTS, 1, 0);
}

static void move(struct sample *s, size_t i, int by)
{
    uint64_t offset = sample_at64(s, VV_KEY_VALUE_OFFSETS, i);
    sample_set64(s, VV_KEY_VALUE_OFFSETS, i, offset + (uint64_t)(int64_t)by);
}

static void value_is_not_aligned(struct sample *s) { move(s, SCALAR, 4); }
static void value_leaves_a_hole(struct sample *s) { move(s, SCALAR, 8); }
static void value_lies_in_another(struct sample *s) { move(s, SCALAR, -8); }
static void large_is_not_on_a_page(struct sample *s) { move(s, PAGED, -64); }
static void first_lies_in_the_header(struct sample *s) { move(s, STATE, -63); }
static void last_leaves_a_hole(struct sample *s) { move(s, COMPLEX, 64); }
static void empty_lies_elsewhere(struct sample *s) { move(s, EMPTY, 8); }

static void value_is_not_saved_but_summed(struct sample *s)
{
    sample_set64(s, VV_KEY_VALUE_OFFSETS, COMPLEX, 0);
    sample_set64(s, VV_KEY_VALUE_SIZES, COMPLEX, 0);
    s->data_end -= 64;
}

static void data_ends_early(struct sample *s) { s->data_end -= 64; }
static void data_ends_late(struct sample *s) { s->data_end += 64; }

static void data_end_before_a_place(struct sample *s)
{
    s->data_end = sample_at64(s, VV_KEY_VALUE_OFFSETS, PAGED) - 64;
}

static void strings_end_behind_the_data(struct sample *s)
{
    sample_set64(s, VV_KEY_VALUE_SIZES, STRINGS, UINT64_MAX - 70);
}

static void digest_is_missing(struct sample *s)
{
    sample_column(s, VV_KEY_DIGESTS)->size -= 16;
}

static void digest_of_no_chunk(struct sample *s)
{
    vv_buffer_extend(sample_column(s, VV_KEY_DIGESTS), 16);
}

/* --- Slices --------------------------------------------------------------- */

/* Offset of the large value's first extent. */
enum { WHOLE = 8 };

static void part_ends_behind_the_whole(struct sample *s)
{
    sample_add_part(s);
    sample_set64(s, VV_KEY_PART_STARTS, WHOLE, 6);
}

static void part_starts_far_away(struct sample *s)
{
    sample_add_part(s);
    sample_set64(s, VV_KEY_PART_STARTS, WHOLE, UINT64_MAX);
}

static void part_is_larger_than_the_whole(struct sample *s)
{
    sample_add_part(s);
    sample_set64(s, VV_KEY_PART_STARTS, WHOLE, 0);
    sample_set64(s, VV_KEY_WHOLE_EXTENTS, WHOLE, 1);
}

static void all_has_a_start(struct sample *s)
{
    sample_add_part(s);
    sample_set64(s, VV_KEY_PART_STARTS, 1, 1);
}

static void whole_overflows(struct sample *s)
{
    sample_add_part(s);
    sample_set64(s, VV_KEY_WHOLE_EXTENTS, WHOLE, UINT64_MAX);
}

static void nothing_is_a_part(struct sample *s)
{
    sample_add_part(s);
    sample_set64(s, VV_KEY_PART_STARTS, WHOLE, 0);
    sample_set64(s, VV_KEY_WHOLE_EXTENTS, WHOLE,
        sample_at64(s, VV_KEY_VALUE_EXTENTS, WHOLE));
}

static void state_is_a_part(struct sample *s)
{
    sample_add_part(s);
    sample_set64(s, VV_KEY_WHOLE_EXTENTS, 0, 6);
}

static void strings_are_a_part(struct sample *s)
{
    sample_add_part(s);
    sample_set64(s, VV_KEY_WHOLE_EXTENTS, 1, 100);
}

static void unsaved_is_a_part(struct sample *s)
{
    sample_add_part(s);
    sample_set64(s, VV_KEY_WHOLE_EXTENTS, 14, 100);
}

static void pieces_are_of_a_part(struct sample *s)
{
    sample_add_part(s);
    sample_add_pieces(s);
}

#define ROW(function, says)                                                    \
    {                                                                          \
        #function, function, VARVE_CORRUPT, says                               \
    }

TEST(value_check, reports_the_violated_rule)
{
    static const struct breakage rows[] = {
        ROW(node_is_an_object, "value 0: expected the next variable"),
        ROW(node_is_no_node, "value 8: expected the next variable"),
        ROW(node_is_there_twice, "value 2: expected the next variable"),
        ROW(row_is_missing, "node 13: the value is missing"),
        ROW(row_of_no_node, "value 9: expected the next variable"),
        ROW(row_of_the_node_behind_the_last, "value 9: expected the next"),
        ROW(type_is_0, "value 3: expected a known element type, found 0"),
        ROW(type_is_unknown, "value 3: expected a known element type, found"),
        ROW(rank_is_too_high, "value 8: expected a rank up to 16"),
        ROW(rank_takes_what_is_not_there, "value 8: expected a rank"),
        ROW(rank_leaves_an_extent, "values: expected 14 extents, found 15"),
        ROW(elements_overflow, "value 4: the shape has 2^64"),
        ROW(bytes_overflow, "value 8: the shape has 2^64"),
        ROW(strings_overflow, "value 1: the shape has 2^64"),
        ROW(state_has_another_extent, "value 0: the type or shape"),
        ROW(state_has_another_type, "value 0: the type or shape"),
        ROW(state_has_another_rank, "value 0: the type or shape"),
        ROW(size_is_not_that_of_the_shape, "value 4: expected the size of 6"),
        ROW(shape_is_not_that_of_the_size, "value 4: expected the size of 12"),
        ROW(strings_have_no_room_for_lengths, "value 1: expected the size"),
        ROW(no_strings_have_a_size, "value 1: expected the size of 0"),
        ROW(nothing_has_a_size, "value 2: expected the size of 0"),
        ROW(unsaved_has_a_size, "value 8: expected the size of 7 unsaved"),
        ROW(unsaved_has_an_offset, "value 8: expected the size of 7 saved"),
        ROW(value_is_not_aligned, "value 3: expected 8 bytes at offset 104"),
        ROW(value_leaves_a_hole, "value 3: expected 8 bytes at offset 104"),
        ROW(value_lies_in_another, "value 3: expected 8 bytes at offset 104"),
        ROW(large_is_not_on_a_page, "66960 bytes at offset 4096 before"),
        ROW(first_lies_in_the_header, "value 0: expected 5 bytes at offset 64"),
        ROW(last_leaves_a_hole, "value 7: expected 32 bytes at offset"),
        ROW(empty_lies_elsewhere, "value 2: expected 0 bytes at offset 104"),
        ROW(strings_end_behind_the_data, "value 1: expected 18446744073709"),
        ROW(value_is_not_saved_but_summed, "values: expected 6 digests, found"),
        ROW(data_end_before_a_place, "value 5: expected 66960 bytes"),
        ROW(data_ends_early, "value 7: expected 32 bytes"),
        ROW(data_ends_late, "after the values"),
        ROW(digest_is_missing, "values: expected 7 digests, found 6"),
        ROW(part_ends_behind_the_whole, "value 5: the part is outside"),
        ROW(part_starts_far_away, "value 5: the part is outside"),
        ROW(part_is_larger_than_the_whole, "value 5: the part is outside"),
        ROW(all_has_a_start, "value 1: the part is outside"),
        ROW(whole_overflows, "value 5: the part is outside"),
        ROW(nothing_is_a_part, "values: shapes of shards without a shard"),
        ROW(state_is_a_part, "value 0: only a variable"),
        ROW(strings_are_a_part, "value 1: only a variable"),
        ROW(unsaved_is_a_part, "value 8: only a variable"),
        ROW(pieces_are_of_a_part, "value 5: only a variable"),
        ROW(digest_of_no_chunk, "values: expected 7 digests, found 8"),
    };
    sample_check_breakages(rows, sizeof rows / sizeof *rows);
}

TEST(value_check, computes_the_starts_of_extents_and_digests)
{
    static const uint64_t extents[] = { 0, 1, 3, 5, 5, 8, 10, 13, 14, 15 };
    static const uint64_t digests[] = { 0, 1, 2, 2, 3, 4, 5, 6, 7, 7 };
    struct sample s;
    struct vv_parsed_index parsed;
    varve_error error;
    sample_build(&s);
    cr_assert_ok(sample_parse(&s, &parsed, &error), error);
    cr_assert_eq(parsed.table.count, SAMPLE_VALUE_COUNT);
    for (uint32_t i = 0; i <= SAMPLE_VALUE_COUNT; i++) {
        cr_assert_eq(
            vv_first_extent(&parsed.index, &parsed.table, i), extents[i]);
        cr_assert_eq(
            vv_first_digest(&parsed.index, &parsed.table, i), digests[i]);
    }
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}

TEST(value_check, accepts_the_shape_of_a_sharded_value)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_slice part;
    varve_error error;
    sample_build(&s);
    sample_add_part(&s);
    sample_encode(&s);
    cr_assert_ok(sample_parse(&s, &parsed, &error), error);
    const struct vv_index *index = &parsed.index;
    for (uint32_t i = 0; i < SAMPLE_VALUE_COUNT; i++)
        cr_assert_eq(
            vv_index_part(index, &parsed.table, i, &part), i == PAGED);
    cr_assert(vv_index_part(index, &parsed.table, PAGED, &part));
    const varve_tensor saved = vv_index_tensor(index, &parsed.table, PAGED);
    cr_assert_eq(part.shape.rank, saved.rank);
    cr_assert_eq(part.shape.extents[0], saved.shape[0] + 5);
    cr_assert_eq(part.shape.extents[1], saved.shape[1]);
    cr_assert_eq(part.start[0], 3);
    cr_assert_eq(part.start[1], 0);
    cr_assert_not(vv_index_is_like(index, &parsed.table, PAGED, &saved),
        "it is not all of a value");
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}

/* A value of 3 MiB and a byte, then an empty one. */
TEST(value_check, counts_the_chunks_of_large_values)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_error error;
    sample_build(&s);
    uint64_t size = 3 * VV_CHUNK_SIZE + 1;
    uint64_t end = sample_at64(&s, VV_KEY_VALUE_OFFSETS, COMPLEX);
    uint64_t offset = vv_data_place(end, size);
    sample_set8(&s, VV_KEY_VALUE_DTYPES, COMPLEX, VARVE_UINT8);
    sample_set64(&s, VV_KEY_VALUE_EXTENTS, 13, size);
    sample_set64(&s, VV_KEY_VALUE_SIZES, COMPLEX, size);
    sample_set64(&s, VV_KEY_VALUE_OFFSETS, COMPLEX, offset);
    vv_buffer_extend(sample_column(&s, VV_KEY_DIGESTS), 3 * 16);
    s.data_end = vv_align_up(offset + size, VV_ALIGNMENT);
    sample_encode(&s);
    cr_assert_ok(sample_parse(&s, &parsed, &error), error);
    cr_assert_eq(
        vv_first_digest(&parsed.index, &parsed.table, COMPLEX + 1), 10);
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}

static varve_status parse_like(struct sample *s, const struct vv_index *like,
    struct vv_parsed_index *parsed)
{
    varve_error error;
    sample_encode(s);
    const struct vv_index_rest rest = { .bytes = s->bytes.data,
        .size = s->bytes.size,
        .data_end = s->data_end,
        .like = like };
    return vv_index_parse_rest(
        sample_context(), "file", &rest, parsed, &error);
}

/* Values in layers that equal those of `like` have the same table as if they
 * were checked. Others are checked. */
TEST(value_check, skips_values_that_equal_valid_ones)
{
    struct sample s, other;
    struct vv_parsed_index checked, taken;
    sample_build(&s);
    sample_add_layers(&s);
    struct vv_index like = sample_index(&s);
    cr_assert_eq(parse_like(&s, NULL, &checked), VARVE_OK);
    cr_assert_eq(parse_like(&s, &like, &taken), VARVE_OK);
    cr_assert_eq(taken.data_end, checked.data_end);
    for (uint32_t v = 0; v <= like.value_count; v++) {
        cr_assert_eq(vv_first_extent(&taken.index, &taken.table, v),
            vv_first_extent(&checked.index, &checked.table, v));
        cr_assert_eq(vv_first_digest(&taken.index, &taken.table, v),
            vv_first_digest(&checked.index, &checked.table, v));
    }
    vv_parsed_index_clear(sample_context(), &taken);
    vv_parsed_index_clear(sample_context(), &checked);
    for (uint64_t key = VV_KEY_VALUE_NODES; key <= VV_KEY_DIGESTS; key++) {
        size_t size = s.columns[key].size;
        for (size_t i = 0; i < size; i++) {
            sample_build(&other);
            sample_add_layers(&other);
            other.columns[key].data[i] ^= 1;
            varve_status status = parse_like(&other, NULL, &checked);
            cr_assert_eq(parse_like(&other, &like, &taken), status);
            if (!status) {
                vv_parsed_index_clear(sample_context(), &taken);
                vv_parsed_index_clear(sample_context(), &checked);
            }
            sample_clear(&other);
        }
    }
    sample_clear(&s);
}
