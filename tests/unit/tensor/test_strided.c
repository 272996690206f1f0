/* test_strided.c - Tests copies of strided views.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/views.h"

#include "strided.h"

static const varve_dtype dtypes[] = { VARVE_UINT8, VARVE_FLOAT16, VARVE_INT32,
    VARVE_FLOAT64, VARVE_COMPLEX128 };

static varve_shape random_shape(uint64_t *seed)
{
    varve_shape shape = { .rank = (uint32_t)view_random(seed, 5) };
    for (uint32_t i = 0; i < shape.rank; i++)
        shape.extents[i] = 1 + view_random(seed, 6);
    return shape;
}

/* In two parts, the second first. */
static void check_copies(struct view *v, uint64_t *seed)
{
    size_t unit = varve_dtype_size(v->tensor.dtype);
    size_t cut = unit * (size_t)view_random(seed, v->value_size / unit + 1);
    unsigned char *bytes = malloc(v->value_size + 1);
    bytes[v->value_size] = 77;
    cr_assert(vv_strides_are_disjoint(&v->tensor));
    view_set(v, 1);
    vv_strided_out(&v->tensor, cut, bytes + cut, v->value_size - cut);
    vv_strided_out(&v->tensor, 0, bytes, cut);
    cr_assert(view_bytes_are(bytes, v->value_size, 1));
    cr_assert_eq(bytes[v->value_size], 77);
    for (size_t i = 0; i < v->value_size; i++)
        bytes[i] = view_byte(2, i);
    vv_strided_in(&v->tensor, cut, bytes + cut, v->value_size - cut);
    vv_strided_in(&v->tensor, 0, bytes, cut);
    cr_assert(view_is(v, 2));
    free(bytes);
}

TEST(strided, copies_any_part_of_any_shape_and_no_other_bytes)
{
    uint64_t seed = 7;
    for (int i = 0; i < 3000; i++) {
        struct view v;
        view_make_strided(
            &v, dtypes[view_random(&seed, 5)], random_shape(&seed), &seed);
        check_copies(&v, &seed);
        view_free(&v);
    }
}

/* More rows and columns than one block. */
TEST(strided, copies_matrices_by_rows_and_by_columns)
{
    uint64_t seed = 11;
    for (int i = 0; i < 400; i++) {
        struct view v;
        const varve_shape shape = VARVE_SHAPE(1 + view_random(&seed, 2),
            1 + view_random(&seed, 150), 1 + view_random(&seed, 20));
        view_make_strided(&v, dtypes[view_random(&seed, 5)], shape, &seed);
        check_copies(&v, &seed);
        view_free(&v);
    }
}

TEST(strided, strides_of_extent_1_may_have_any_value)
{
    float x = 3, found = 0;
    const int64_t strides[] = { INT64_MIN, 0 };
    const varve_memory memory = { .strides = strides };
    const varve_tensor t =
        varve_view_in(&memory, &x, VARVE_FLOAT32, VARVE_SHAPE(1, 1));
    cr_assert(vv_strides_are_disjoint(&t));
    vv_strided_out(&t, 0, &found, sizeof found);
    cr_assert_eq(found, 3);
}

TEST(strided, are_disjoint_if_no_elements_overlap)
{
    static const struct {
        uint64_t extents[2];
        int64_t strides[2];
        bool are_apart;
    } cases[] = {
        { { 3, 4 }, { 16, 4 }, true },
        { { 3, 4 }, { 4, 12 }, true },
        { { 3, 4 }, { 15, 4 }, false },
        { { 3, 4 }, { 16, 3 }, false },
        { { 3, 4 }, { -16, -4 }, true },
        { { 3, 4 }, { 16, -17 }, false },
        { { 3, 4 }, { 0, 4 }, false },
        { { 3, 1 }, { 4, 0 }, true },
        { { 0, 4 }, { 0, 0 }, true },
        { { 3, 2 }, { INT64_MAX, 4 }, false },
        { { 2, 2 }, { INT64_MIN, 4 }, false },
        { { 2, 2 }, { PTRDIFF_MAX - 8, 4 }, true },
        { { 2, 2 }, { PTRDIFF_MAX - 4, 4 }, false },
        { { UINT64_MAX / 8, 1 }, { 16, 4 }, false },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const varve_memory memory = { .strides = cases[i].strides };
        const varve_tensor t = varve_view_in(
            &memory, NULL, VARVE_FLOAT32, varve_shape_of(2, cases[i].extents));
        cr_assert_eq(
            vv_strides_are_disjoint(&t), cases[i].are_apart, "case %zu", i);
    }
}
