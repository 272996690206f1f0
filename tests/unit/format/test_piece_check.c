/* test_piece_check.c - Tests the rules of pieces, each violated once, and the
 * cover of random boxes against a painted one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "piece_check.h"
#include "piece_table.h"
#include "support/index_sample.h"
#include "support/proof.h"

/* --- The sample ----------------------------------------------------------- */

TEST(piece_check, accepts_a_sample_with_a_value_in_pieces)
{
    struct sample s;
    struct vv_parsed_index parsed;
    struct vv_value_piece piece;
    varve_error error;
    sample_build(&s);
    sample_add_pieces(&s);
    sample_encode(&s);
    cr_assert_ok(sample_parse(&s, &parsed, &error), error);
    cr_assert_eq(parsed.index.pieced_count, 1);
    cr_assert_eq(vv_piece_count(&parsed.index, SAMPLE_PIECED),
        SAMPLE_PIECE_COUNT);
    vv_piece_at(&parsed.index, &parsed.table, SAMPLE_PIECED, 2, &piece);
    cr_assert_eq(piece.begin, 2 * (100 * 86 + 180 * 100));
    cr_assert_eq(piece.box.start[0], 100);
    cr_assert_eq(vv_first_digest(&parsed.index, &parsed.table, 9), 9);
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}

TEST(piece_check, leaks_nothing_without_memory)
{
    struct sample s;
    struct vv_parsed_index parsed;
    varve_status status = VARVE_NO_MEMORY;
    sample_build(&s);
    sample_add_pieces(&s);
    sample_encode(&s);
    for (long n = 0; status; n++) {
        test_fail_allocation(n, false);
        status = sample_parse(&s, &parsed, NULL);
        test_fail_allocation(-1, false);
        cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY);
        cr_assert(status == VARVE_OK || test_block_count() == 0);
    }
    vv_parsed_index_clear(sample_context(), &parsed);
    sample_clear(&s);
}

/* --- Rules ---------------------------------------------------------------- */

static void set_value(struct sample *s, uint32_t value)
{
    sample_add_pieces(s);
    sample_set32(s, VV_KEY_PIECED_VALUES, 0, value);
}

static void value_is_a_state(struct sample *s) { set_value(s, 0); }
static void value_is_of_strings(struct sample *s) { set_value(s, 1); }
static void value_has_no_elements(struct sample *s) { set_value(s, 2); }
static void value_has_no_rank(struct sample *s) { set_value(s, 3); }
static void value_is_not_saved(struct sample *s) { set_value(s, 8); }
static void value_is_none(struct sample *s) { set_value(s, 9); }

static void value_is_there_twice(struct sample *s)
{
    sample_add_pieces(s);
    vv_buffer_add32(sample_column(s, VV_KEY_PIECED_VALUES), SAMPLE_PIECED);
    vv_buffer_add32(sample_column(s, VV_KEY_PIECE_ENDS), SAMPLE_PIECE_COUNT);
}

static void set_end(struct sample *s, uint32_t end)
{
    sample_add_pieces(s);
    sample_set32(s, VV_KEY_PIECE_ENDS, 0, end);
}

static void there_is_none(struct sample *s) { set_end(s, 0); }
static void there_is_one(struct sample *s) { set_end(s, 1); }
static void there_are_more_than_boxes(struct sample *s) { set_end(s, 4); }
static void there_are_very_many(struct sample *s) { set_end(s, UINT32_MAX); }

static void ends_decrease(struct sample *s)
{
    sample_add_pieces(s);
    vv_buffer_add32(sample_column(s, VV_KEY_PIECED_VALUES), 6);
    vv_buffer_add32(sample_column(s, VV_KEY_PIECE_ENDS), 2);
}

static void a_number_is_left(struct sample *s)
{
    sample_add_pieces(s);
    vv_buffer_add64(sample_column(s, VV_KEY_PIECE_BOXES), 0);
}

static void set_number(struct sample *s, size_t i, uint64_t number)
{
    sample_add_pieces(s);
    sample_set64(s, VV_KEY_PIECE_BOXES, i, number);
}

/* Numbers of the sample: 0 0 100 86 | 0 86 180 100 | 100 0 80 86 */
static void extent_is_0(struct sample *s) { set_number(s, 2, 0); }
static void box_leaves(struct sample *s) { set_number(s, 7, 101); }
static void box_starts_outside(struct sample *s) { set_number(s, 8, 180); }
static void box_wraps(struct sample *s) { set_number(s, 10, UINT64_MAX - 99); }
static void an_element_is_in_none(struct sample *s) { set_number(s, 10, 79); }
static void starts_are_equal(struct sample *s) { set_number(s, 5, 0); }

static void elements_are_in_two(struct sample *s)
{
    /* row 100 of the first box also belongs to the last */
    set_number(s, 2, 101);
}

/* Three rows of zeros for one: the same number of elements, but different
 * ones. */
static void as_many_are_others(struct sample *s)
{
    set_number(s, 2, 101);
    sample_set64(s, VV_KEY_PIECE_BOXES, 10, 79);
}

static void boxes_are_not_sorted(struct sample *s)
{
    sample_add_pieces(s);
    for (size_t k = 0; k < 4; k++) {
        uint64_t number = sample_at64(s, VV_KEY_PIECE_BOXES, 4 + k);
        sample_set64(s, VV_KEY_PIECE_BOXES, 4 + k,
            sample_at64(s, VV_KEY_PIECE_BOXES, 8 + k));
        sample_set64(s, VV_KEY_PIECE_BOXES, 8 + k, number);
    }
}

static void digest_is_that_of_the_whole(struct sample *s)
{
    sample_add_pieces(s);
    sample_column(s, VV_KEY_DIGESTS)->size -= 2 * VV_DIGEST_SIZE;
}

TEST(piece_check, reports_the_violated_rule)
{
#define ROW(function, words) { #function, function, VARVE_CORRUPT, words }
    static const struct breakage rows[] = {
        ROW(value_is_a_state, "value 0: only a saved variable"),
        ROW(value_is_of_strings, "value 1: only a saved variable"),
        ROW(value_has_no_elements, "value 2: only a saved variable"),
        ROW(value_has_no_rank, "value 3: only a saved variable"),
        ROW(value_is_not_saved, "value 8: only a saved variable"),
        ROW(value_is_none, "numbers of values must increase, found 9"),
        ROW(value_is_there_twice, "numbers of values must increase, found 5"),
        ROW(there_is_none, "expected 2 to 3 pieces, found the end 0"),
        ROW(there_is_one, "expected 2 to 3 pieces, found the end 1 after 0"),
        ROW(there_are_more_than_boxes, "2 to 3 pieces, found the end 4"),
        ROW(there_are_very_many, "2 to 3 pieces, found the end 4294967295"),
        ROW(ends_decrease, "2 to 0 pieces, found the end 2 after 3"),
        ROW(a_number_is_left, "boxes: expected 12 numbers, found 13"),
        ROW(extent_is_0, "piece 0 of a value: the extents"),
        ROW(box_leaves, "piece 1 of a value: the extents"),
        ROW(box_starts_outside, "piece 2 of a value: the extents"),
        ROW(box_wraps, "piece 2 of a value: the extents"),
        ROW(starts_are_equal, "piece 1 of a value: pieces must be in order"),
        ROW(boxes_are_not_sorted,
            "piece 2 of a value: pieces must be in order"),
        ROW(an_element_is_in_none, "no piece has element 179 0"),
        ROW(elements_are_in_two, "element 100 0 is in pieces 0 and 2"),
        ROW(as_many_are_others, "element 100 0 is in pieces 0 and 2"),
        ROW(digest_is_that_of_the_whole, "expected 9 digests, found 7"),
    };
    sample_check_breakages(rows, sizeof rows / sizeof *rows);
}

/* --- Random boxes --------------------------------------------------------- */

enum { MOST_BOXES = 64, MOST_ELEMENTS = 4096 };

struct boxes {
    varve_tensor type;
    varve_box all[MOST_BOXES];
    uint32_t count;
};

static uint64_t random_state;

static uint64_t below(uint64_t end)
{
    return proof_next(&random_state) % end;
}

/* Splits boxes in two repeatedly. */
static void split(struct boxes *b)
{
    uint64_t count = 1;
    *b = (struct boxes){ .type = { .dtype = VARVE_UINT8 }, .count = 1 };
    b->type.rank = 1 + (uint32_t)below(4);
    for (uint32_t k = 0; k < b->type.rank; k++) {
        uint64_t most = MOST_ELEMENTS / count;
        b->type.shape[k] = 1 + below(most < 12 ? most : 12);
        b->all[0].extents[k] = b->type.shape[k];
        count *= b->type.shape[k];
    }
    for (uint64_t tries = below(2 * MOST_BOXES); tries > 0; tries--) {
        varve_box *box = &b->all[below(b->count)];
        uint32_t k = (uint32_t)below(b->type.rank);
        if (box->extents[k] < 2 || b->count == MOST_BOXES)
            continue;
        varve_box *other = &b->all[b->count++];
        uint64_t at = 1 + below(box->extents[k] - 1);
        *other = *box;
        other->start[k] += at;
        other->extents[k] -= at;
        box->extents[k] = at;
    }
}

/* Grows, shrinks, moves, removes or duplicates a box. */
static void disturb(struct boxes *b)
{
    varve_box *box = &b->all[below(b->count)];
    uint32_t k = (uint32_t)below(b->type.rank);
    uint64_t room = b->type.shape[k] - box->extents[k];
    switch (below(5)) {
    case 0: box->extents[k] += box->start[k] < room; break;
    case 1: box->extents[k] -= box->extents[k] > 1; break;
    case 2: box->start[k] = below(room + 1); break;
    case 3: *box = b->all[--b->count]; break;
    default:
        if (b->count < MOST_BOXES)
            b->all[b->count++] = *box;
    }
}

static uint64_t linear(const varve_tensor *type, const uint64_t *at)
{
    uint64_t element = 0;
    for (uint32_t k = 0; k < type->rank; k++)
        element = element * type->shape[k] + at[k];
    return element;
}

/* Counts in how many boxes each element is; returns the first that is not in
 * exactly one. */
static uint64_t paint(const struct boxes *b, uint8_t *times)
{
    uint64_t count = varve_tensor_count(&b->type);
    memset(times, 0, (size_t)count);
    for (uint64_t e = 0; e < count; e++) {
        for (uint32_t i = 0; i < b->count; i++) {
            uint64_t rest = e;
            bool is_in = true;
            for (uint32_t k = b->type.rank; k-- > 0;) {
                uint64_t at = rest % b->type.shape[k];
                const varve_box *box = &b->all[i];
                rest /= b->type.shape[k];
                is_in &= at >= box->start[k] &&
                    at < box->start[k] + box->extents[k];
            }
            times[e] = (uint8_t)(times[e] + is_in);
        }
    }
    uint64_t first = 0;
    while (first < count && times[first] == 1)
        first++;
    return first;
}

/* Returns true if the check agrees with the painted boxes. */
static bool check(const struct boxes *b)
{
    static uint8_t times[MOST_ELEMENTS];
    struct vv_buffer numbers;
    struct vv_cover_fault fault;
    vv_buffer_init(&numbers, test_allocator());
    for (uint32_t i = 0; i < b->count; i++) {
        for (uint32_t k = 0; k < b->type.rank; k++)
            vv_buffer_add64(&numbers, b->all[i].start[k]);
        for (uint32_t k = 0; k < b->type.rank; k++)
            vv_buffer_add64(&numbers, b->all[i].extents[k]);
    }
    struct vv_index index = { .piece_boxes = numbers.data };
    struct vv_cover cover = {
        .index = &index, .type = &b->type, .count = b->count
    };
    uint64_t first = paint(b, times);
    bool is_exact = first == varve_tensor_count(&b->type);
    cr_assert_eq(vv_cover_is_exact(&cover, below(UINT64_MAX)), is_exact);
    cr_assert_eq(vv_cover_find_fault(&cover, &fault), !is_exact);
    if (!is_exact) {
        cr_assert_eq(linear(&b->type, fault.element), first);
        cr_assert_eq(fault.times, times[first]);
    }
    vv_buffer_clear(&numbers);
    return is_exact;
}

TEST(piece_check, agrees_with_an_elementwise_check)
{
    uint64_t rounds = proof_size(2000, 200000), exact = 0, broken = 0;
    random_state = proof_seed();
    for (uint64_t i = 0; i < rounds; i++) {
        struct boxes b;
        split(&b);
        cr_assert(check(&b), "round %u, seed %llu", (unsigned)i,
            (unsigned long long)proof_seed());
        for (int k = 0; k < 3; k++) {
            disturb(&b);
            if (b.count == 0)
                break;
            exact += check(&b);
            broken++;
        }
    }
    cr_assert_gt(exact, 0, "some disturbances change nothing");
    cr_assert_gt(broken - exact, rounds, "most do");
    proof_count("pieces.covers", rounds + broken);
}

/* Two diagonal blocks twice instead of all four: the same number of elements,
 * and in each dimension the same starts and ends. */
TEST(piece_check, detects_an_invalid_cover_with_equal_sums)
{
    struct boxes b = { .type = { .dtype = VARVE_UINT8, .rank = 2,
                           .shape = { 4, 4 } },
        .count = 4 };
    for (uint32_t i = 0; i < 4; i++) {
        uint64_t at = i < 2 ? 0 : 2;
        b.all[i] = (varve_box){ .start = { at, at }, .extents = { 2, 2 } };
    }
    cr_assert_not(check(&b));
}

/* An invalid cover must not take much longer than a valid one. */
TEST(piece_check, takes_bounded_time_for_an_invalid_cover)
{
    enum { SIDE = 1500 };
    struct vv_buffer numbers;
    struct vv_cover_fault fault;
    varve_tensor type = { .dtype = VARVE_UINT8, .rank = 2,
        .shape = { SIDE, SIDE } };
    vv_buffer_init(&numbers, test_allocator());
    for (uint64_t i = 0; i < SIDE; i++) { /* the last one is too short */
        vv_buffer_add64(&numbers, i);
        vv_buffer_add64(&numbers, 0);
        vv_buffer_add64(&numbers, 1);
        vv_buffer_add64(&numbers, SIDE - (i == SIDE - 1));
    }
    struct vv_index index = { .piece_boxes = numbers.data };
    struct vv_cover cover = { .index = &index, .type = &type, .count = SIDE };
    cr_assert_not(vv_cover_is_exact(&cover, 1));
    cr_assert_not(vv_cover_find_fault(&cover, &fault));
    vv_buffer_clear(&numbers);
}
