/* test_box.c - lib/tensor/box.c
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

TEST(box, leaves_its_tensor_in_a_dimension)
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

TEST(box, of_a_scalar_is_one_element)
{
    const varve_tensor t = tensor_of(0, NULL);
    const varve_box box = { { 7 }, { 9 } }; /* not looked at */
    struct vv_runs runs;
    uint64_t first = 9;
    cr_assert_eq(vv_box_leaves(&t, &box), 0);
    cr_assert_eq(vv_box_count(&t, &box), 1);
    vv_runs_begin(&runs, &t, &box);
    cr_assert(vv_runs_next(&runs, &first));
    cr_assert_eq(first, 0);
    cr_assert_eq(runs.length, 1);
    cr_assert(!vv_runs_next(&runs, &first));
}

TEST(box, of_no_elements_has_no_runs_however_large_its_extents)
{
    const uint64_t big = UINT64_C(1) << 40;
    const varve_tensor t = tensor_of(3, (uint64_t[]){ big, big, 0 });
    const varve_box box = { { 0 }, { big, big, 0 } };
    struct vv_runs runs;
    uint64_t first;
    cr_assert_eq(vv_box_count(&t, &box), 0);
    vv_runs_begin(&runs, &t, &box);
    cr_assert(!vv_runs_next(&runs, &first));
}

/* How many runs there are at least. */
static void check_runs(uint32_t rank, const uint64_t *shape,
    const varve_box *box, uint64_t count, uint64_t length)
{
    const varve_tensor t = tensor_of(rank, shape);
    struct vv_runs runs;
    vv_runs_begin(&runs, &t, box);
    cr_assert_eq(runs.left, count);
    cr_assert_eq(runs.length, length);
}

TEST(box, joins_what_lies_beside_each_other)
{
    const uint64_t shape[] = { 4, 5, 6 };
    check_runs(3, shape, &(varve_box){ { 0 }, { 4, 5, 6 } }, 1, 120);
    check_runs(3, shape, &(varve_box){ { 1 }, { 2, 5, 6 } }, 1, 60);
    check_runs(3, shape, &(varve_box){ { 1, 1 }, { 2, 2, 6 } }, 2, 12);
    check_runs(3, shape, &(varve_box){ { 1, 0, 1 }, { 2, 5, 2 } }, 10, 2);
    check_runs(3, shape, &(varve_box){ { 0, 0, 3 }, { 4, 5, 1 } }, 20, 1);
}

static bool is_inside(const varve_tensor *t, const varve_box *b, uint64_t index)
{
    for (uint32_t i = t->rank; i-- > 0; index /= t->shape[i]) {
        uint64_t at = index % t->shape[i];
        if (at < b->start[i] || at - b->start[i] >= b->extents[i])
            return false;
    }
    return true;
}

TEST(box, has_the_elements_that_are_inside_in_their_order)
{
    uint64_t state = proof_seed();
    for (int n = 0; n < 3000; n++) {
        uint64_t shape[4];
        varve_box box;
        uint32_t rank = (uint32_t)(proof_next(&state) % 5);
        for (uint32_t i = 0; i < rank; i++) {
            shape[i] = 1 + proof_next(&state) % 5;
            box.start[i] = proof_next(&state) % (shape[i] + 1);
            box.extents[i] = proof_next(&state) % (shape[i] - box.start[i] + 1);
        }
        const varve_tensor t = tensor_of(rank, shape);
        struct vv_runs runs;
        uint64_t first = 0, end = 0, seen = 0;
        vv_runs_begin(&runs, &t, &box);
        for (uint64_t i = 0; i < varve_tensor_count(&t); i++) {
            if (!is_inside(&t, &box, i))
                continue;
            if (seen % runs.length == 0) {
                cr_assert(vv_runs_next(&runs, &first));
                cr_assert(seen == 0 || first > end);
                end = first + runs.length - 1;
            }
            cr_assert_eq(first + seen % runs.length, i);
            seen++;
        }
        cr_assert(!vv_runs_next(&runs, &first));
        cr_assert_eq(seen, vv_box_count(&t, &box));
    }
}
