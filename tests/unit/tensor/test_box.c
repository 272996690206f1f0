/* test_box.c - Tests boxes and their intersections.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "box.h"
#include "support/proof.h"

static varve_tensor tensor_of(uint32_t rank, const uint64_t *extents)
{
    return varve_view(NULL, VARVE_UINT8, varve_shape_of(rank, extents));
}

TEST(box, reports_the_dimension_in_which_it_exceeds_its_tensor)
{
    const varve_tensor t = tensor_of(3, (uint64_t[]){ 4, 0, 5 });
    static const struct {
        varve_box box;
        uint32_t leaves;
    } cases[] = {
        { { { 0 }, { 0 } }, 3 },
        { { { 4, 0, 5 }, { 0 } }, 3 },
        { { { 1, 0, 2 }, { 3, 0, 3 } }, 3 },
        { { { 1, 0, 2 }, { 4, 0, 3 } }, 0 },
        { { { 0, 1, 9 }, { 0 } }, 1 },
        { { { 0, 0, 0 }, { 0, 1 } }, 1 },
        { { { 0, 0, 6 }, { 0 } }, 2 },
        { { { 0, 0, 1 }, { 0, 0, UINT64_MAX } }, 2 },
        { { { UINT64_MAX }, { 1 } }, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        cr_assert_eq(
            vv_box_leaves(&t, &cases[i].box), cases[i].leaves, "case %zu", i);
}

TEST(box, counts_its_elements)
{
    const uint64_t big = UINT64_C(1) << 40;
    const varve_tensor scalar = tensor_of(0, NULL);
    const varve_tensor t = tensor_of(3, (uint64_t[]){ big, big, 0 });
    const varve_box other = { { 7 }, { 9 } }; /* not accessed */
    const varve_box whole = vv_box_whole(&t);
    cr_assert_eq(vv_box_leaves(&scalar, &other), 0);
    cr_assert_eq(vv_box_count(&scalar, &other), 1);
    cr_assert_eq(vv_box_leaves(&t, &whole), 3);
    cr_assert_eq(vv_box_count(&t, &whole), 0);
}

/* --- Intersections ------------------------------------------------------ */

TEST(box, of_a_scalar_has_one_row)
{
    const varve_box box = { { 7 }, { 9 } }; /* not accessed */
    struct vv_rows rows;
    vv_rows_begin(&rows, 0, &box, &box, 0, UINT64_MAX);
    cr_assert(vv_rows_next(&rows));
    cr_assert(rows.from == 0 && rows.to == 0 && rows.count == 1);
    cr_assert(!vv_rows_next(&rows));
    cr_assert(!vv_rows_next(&rows));
}

TEST(box, without_elements_has_no_rows)
{
    const uint64_t big = UINT64_C(1) << 40;
    const varve_box box = { { 0 }, { big, big, 0 } };
    struct vv_rows rows;
    vv_rows_begin(&rows, 3, &box, &box, 0, UINT64_MAX);
    cr_assert(!vv_rows_next(&rows));
}

static void check_rows(uint32_t rank, const varve_box *from,
    const varve_box *to, uint64_t count, uint64_t length)
{
    struct vv_rows rows;
    vv_rows_begin(&rows, rank, from, to, 0, UINT64_MAX);
    for (; count > 0; count--) {
        cr_assert(vv_rows_next(&rows));
        cr_assert_eq(rows.count, length);
    }
    cr_assert(!vv_rows_next(&rows));
}

TEST(box, merges_contiguous_rows)
{
    const varve_box all = { { 0 }, { 4, 5, 6 } };
    check_rows(3, &all, &all, 1, 120);
    check_rows(3, &all, &(varve_box){ { 1 }, { 2, 5, 6 } }, 1, 60);
    check_rows(3, &all, &(varve_box){ { 1, 1 }, { 2, 2, 6 } }, 2, 12);
    check_rows(3, &all, &(varve_box){ { 1, 0, 1 }, { 2, 5, 2 } }, 10, 2);
    check_rows(3, &all, &(varve_box){ { 0, 0, 3 }, { 4, 5, 1 } }, 20, 1);
    check_rows(3, &(varve_box){ { 0, 1 }, { 2, 3, 6 } },
        &(varve_box){ { 1, 2 }, { 2, 3, 6 } }, 1, 12);
}

TEST(box, skips_elements_outside_the_other_box_quickly)
{
    const uint64_t big = UINT64_C(1) << 30;
    const varve_box all = { { 0 }, { big, big } };
    const varve_box last = { { big - 1, big - 1 }, { 1, 1 } };
    struct vv_rows rows;
    vv_rows_begin(&rows, 2, &all, &last, 0, UINT64_MAX);
    cr_assert(vv_rows_next(&rows));
    cr_assert_eq(rows.from, big * big - 1);
    cr_assert_eq(rows.to, 0);
    cr_assert(!vv_rows_next(&rows));
}

/* A value, two boxes of it, and a range of the first. */
struct boxes {
    uint32_t rank;
    varve_box from;
    varve_box to;
    uint64_t first;
    uint64_t end;
};

static void any_box(uint64_t *state, uint64_t extent, uint64_t *start,
    uint64_t *going)
{
    *start = proof_next(state) % (extent + 1);
    *going = proof_next(state) % (extent - *start + 1);
    if (proof_next(state) % 3 == 0) {
        *start = 0;
        *going = extent;
    }
}

static uint64_t count_of(uint32_t rank, const uint64_t *extents)
{
    uint64_t count = 1;
    for (uint32_t i = 0; i < rank; i++)
        count *= extents[i];
    return count;
}

static struct boxes any_boxes(uint64_t *state)
{
    struct boxes b = { .rank = (uint32_t)(proof_next(state) % 6) };
    for (uint32_t i = 0; i < b.rank; i++) {
        uint64_t extent = (1 + proof_next(state)) % 6;
        any_box(state, extent, &b.from.start[i], &b.from.extents[i]);
        any_box(state, extent, &b.to.start[i], &b.to.extents[i]);
        if (proof_next(state) % 3 == 0) {
            b.to.start[i] = b.from.start[i];
            b.to.extents[i] = b.from.extents[i];
        }
    }
    uint64_t count = count_of(b.rank, b.from.extents);
    b.first = proof_next(state) % (count + 1);
    b.end = b.first + proof_next(state) % (count + 2);
    return b;
}

/* Sets the position in `to` of an element of `from`; returns false if it is
 * outside. */
static bool paint(const struct boxes *b, uint64_t element, uint64_t *place)
{
    uint64_t at[6] = { 0 };
    for (uint32_t i = b->rank; i-- > 0; element /= b->from.extents[i])
        at[i] = b->from.start[i] + element % b->from.extents[i];
    *place = 0;
    for (uint32_t i = 0; i < b->rank; i++) {
        if (at[i] < b->to.start[i] ||
            at[i] - b->to.start[i] >= b->to.extents[i])
            return false;
        *place = *place * b->to.extents[i] + (at[i] - b->to.start[i]);
    }
    return true;
}

/* The rows must be those of an element-by-element implementation, merged. */
TEST(box, has_the_intersection_of_an_elementwise_search)
{
    uint64_t state = proof_seed();
    enum { CASES = 20000 };
    for (int n = 0; n < CASES; n++) {
        struct boxes b = any_boxes(&state);
        uint64_t count = count_of(b.rank, b.from.extents), place = 0;
        struct vv_rows rows = { .count = 0 };
        uint64_t seen = 0, next_from = UINT64_MAX, next_to = UINT64_MAX;
        vv_rows_begin(&rows, b.rank, &b.from, &b.to, b.first, b.end);
        for (uint64_t i = b.first; i < b.end && i < count; i++) {
            if (!paint(&b, i, &place))
                continue;
            if (seen == rows.count) {
                seen = 0;
                cr_assert(vv_rows_next(&rows));
                cr_assert(i != next_from || place != next_to, "two are one");
            }
            cr_assert_eq(rows.from + seen, i);
            cr_assert_eq(rows.to + seen, place);
            seen++;
            next_from = i + 1;
            next_to = place + 1;
        }
        cr_assert(seen == rows.count || rows.count == 0);
        cr_assert(!vv_rows_next(&rows));
    }
}
