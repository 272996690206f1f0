/* test_golden.c - Tests the comparison of a program with a golden file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

#include <varve/testing.h>

#include <complex.h>
#include <math.h>

static struct {
    float kernel[2][2];
    double rate;
    int64_t step;
    float complex wave;
    varve_string text;
    struct text_state state;
} p;

static varve_node *build(const char *layer)
{
    varve_node *root = new_root();
    varve_add_variable(varve_add_object(root, layer), "kernel",
        varve_array(&p.kernel[0][0], 2, 2));
    varve_add_variable(root, "rate", varve_scalar(&p.rate));
    varve_add_variable(root, "step", varve_scalar(&p.step));
    varve_add_variable(
        root, "wave", varve_view(&p.wave, VARVE_COMPLEX64, VARVE_SCALAR));
    varve_add_variable(root, "text", varve_scalar(&p.text));
    return root;
}

static void fill(void)
{
    p.kernel[0][0] = 1;
    p.kernel[0][1] = 2;
    p.kernel[1][0] = 3;
    p.kernel[1][1] = NAN;
    p.rate = 0.1;
    p.step = 7;
    p.wave = 1 + 2 * I;
    p.text = (varve_string){ "abc", 3 };
}

static varve_status compare(
    varve_node *root, const varve_golden_options *options, varve_error *error)
{
    *error = (varve_error){ .status = VARVE_OK };
    return varve_compare_golden(root, FILE_NAME, options, error);
}

TEST(golden, is_equal_bit_for_bit_by_default)
{
    begin_world();
    varve_error error;
    fill();
    varve_node *root = build("dense");
    write_root(root);
    cr_assert_ok(compare(root, NULL, &error), error);
    p.kernel[1][0] = nextafterf(3, 4);
    p.kernel[1][1] = 4;
    p.step = 8;
    p.text.data = "abd";
    cr_assert_eq(compare(root, NULL, &error), VARVE_MISMATCH);
    cr_assert(strstr(error.message,
        "dense/kernel float32[2,2]: 2 of 4 elements differ, the first at [1,0]"
        ": expected 3, found 3.00000024; "));
    cr_assert(strstr(error.message, "the largest difference is inf"));
    cr_assert(strstr(error.message, "step int64[]: 1 of 1 element differs: "
                                    "expected 7, found 8"));
    cr_assert(strstr(error.message, "text string[]: the value differs"));
    cr_assert(!strstr(error.message, "rate"));
    cr_assert(p.step == 8 && p.kernel[1][1] == 4, "the program is as it was");
    free_root(root);
    end_world();
}

TEST(golden, compares_names_before_values)
{
    begin_world();
    varve_error error;
    fill();
    varve_node *root = build("dense");
    write_root(root);
    free_root(root);
    root = build("dense_1");
    cr_assert_eq(compare(root, NULL, &error), VARVE_UNMATCHED);
    cr_assert(strstr(error.message, "dense_1/kernel"));
    const varve_rename rename = { "dense_1", "dense" };
    const varve_read_options read = { .rename.list = &rename,
        .rename.count = 1 };
    cr_assert_ok(
        compare(root, &(varve_golden_options){ .read = &read }, &error), error);
    p.rate = 0.2;
    const varve_golden_options renamed = { .read = &read };
    cr_assert_eq(compare(root, &renamed, &error), VARVE_MISMATCH);
    free_root(root);
    root = new_root();
    cr_assert_eq(compare(root, NULL, &error), VARVE_UNMATCHED, "has nothing");
    free_root(root);
    end_world();
}

/* The first tolerance that applies is used. Integers have none by default. */
TEST(golden, has_a_tolerance_for_each_type)
{
    const varve_tolerance tolerances[] = { { VARVE_FLOAT32, 0.01, 0 },
        { 0, 0, 0.001 } };
    const varve_golden_options options = { .tolerances = tolerances,
        .tolerance_count = 2 };
    begin_world();
    varve_error error;
    fill();
    varve_node *root = build("dense");
    write_root(root);
    p.kernel[0][0] = 1.009f;
    p.rate = 0.10009;
    p.wave = 1.0009f + 1.9999f * I;
    cr_assert_ok(compare(root, &options, &error), error);
    p.kernel[0][0] = 1.02f;
    cr_assert_eq(compare(root, &options, &error), VARVE_MISMATCH);
    fill();
    p.rate = 0.1002;
    cr_assert_eq(compare(root, &options, &error), VARVE_MISMATCH);
    fill();
    p.wave = 1 + 2.1f * I;
    cr_assert_eq(compare(root, &options, &error), VARVE_MISMATCH);
    fill();
    p.kernel[1][1] = 1;
    cr_assert_eq(compare(root, &options, &error), VARVE_MISMATCH, "was NaN");
    fill();
    p.step = 8;
    cr_assert_eq(compare(root, &options, &error), VARVE_MISMATCH);
    const varve_tolerance integers = { VARVE_INT64, 1, 0 };
    cr_assert_ok(compare(root,
                     &(varve_golden_options){ &integers, 1, NULL, { { 0 } } },
                     &error), error);
    free_root(root);
    end_world();
}

TEST(golden, fails_without_a_file_a_node_or_memory)
{
    begin_world();
    varve_error error;
    fill();
    varve_node *root = build("dense");
    cr_assert_eq(compare(root, NULL, &error), VARVE_NOT_FOUND);
    cr_assert_eq(varve_compare_golden(NULL, FILE_NAME, NULL, &error),
        VARVE_MISUSE);
    cr_assert_eq(varve_compare_golden(root, NULL, NULL, NULL), VARVE_MISUSE);
    write_root(root);
    p.rate = 0.2;
    for (long n = 0;; n++) {
        test_fail_allocation(n, true);
        varve_status status = compare(root, NULL, &error);
        test_fail_allocation(-1, false);
        if (status == VARVE_MISMATCH)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY, "%ld: %s", n, error.message);
    }
    free_root(root);
    end_world();
}
