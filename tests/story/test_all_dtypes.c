/* test_all_dtypes.c - Tests that every element type and every unusual shape is
 * restored bit for bit: empty, scalar, rank 16, strings with any bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <string.h>

TEST(all_dtypes, every_bit_pattern_is_restored)
{
    static unsigned char saved[18][256 * 16], read[18][256 * 16];
    /* Restored late, at once from the file, and from a buffer. */
    for (int way = 0; way < 3; way++) {
        bool late = way == 0;
        size_t columns = way == 1 ? 16 : 15;
        varve_graph *graphs[2] = { story_graph(), story_graph() };
        varve_restoration *r = NULL;
        for (int i = 0; i < 17; i++)
            for (int k = 0; k < 256 * 16; k++)
                saved[i][k] =
                    (unsigned char)(i == 0 ? k & 1 : k * 7 + k / 256);
        memset(read, 0, sizeof read);
        for (int g = 0; g < 2; g++) {
            varve_node *root = varve_graph_root(graphs[g]);
            if (g == 1 && late)
                r = story_read(root, "f", NULL);
            for (int i = 0; i < 17; i++)
                varve_add_variable(root, varve_dtype_name((varve_dtype)(i + 1)),
                    varve_view(g ? read[i] : saved[i], (varve_dtype)(i + 1),
                        VARVE_SHAPE(16, columns)));
            if (g == 0)
                story_write(root, "f");
            else if (!late)
                r = story_read(root, "f", NULL);
        }
        for (int i = 0; i < 17; i++)
            cr_assert_arr_eq(saved[i], read[i],
                16 * columns * varve_dtype_size((varve_dtype)(i + 1)), "%s",
                varve_dtype_name((varve_dtype)(i + 1)));
        story_consumed(r);
        varve_restoration_free(r);
        varve_graph_free(graphs[0]);
        varve_graph_free(graphs[1]);
    }
}

TEST(all_dtypes, strings_of_any_bytes_and_empty_strings)
{
    char large[70000];
    memset(large, 'x', sizeof large);
    varve_string v[4] = { { "a\0b\n", 4 }, { NULL, 0 },
        { large, sizeof large }, { "\xff\xfe", 2 } };
    varve_string w[4] = { { "old", 3 }, { "old", 3 } };
    varve_string none[1];
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *node = varve_add_variable(root, "v", varve_array(v, 2, 2));
    varve_add_variable(root, "none", varve_array(none, 0, 3));
    story_write(root, "f");
    varve_rebind(node, varve_array(w, 2, 2));
    varve_restoration *r = story_read(root, "f", NULL);
    for (int i = 0; i < 4; i++) {
        cr_assert_eq(w[i].size, v[i].size);
        cr_assert(v[i].size == 0 || !memcmp(w[i].data, v[i].data, v[i].size));
    }
    varve_restoration_free(r);
    cr_assert_eq(memcmp(w[0].data, "a\0b\n", 4), 0, "they are the variable's");
    varve_restoration_free(story_read(root, "f", NULL));
    varve_graph_free(graph);
}

TEST(all_dtypes, scalars_rank_16_and_extents_of_zero)
{
    uint64_t ones[16], large[16];
    for (int i = 0; i < 16; i++)
        ones[i] = large[i] = 1;
    large[0] = 2;
    large[15] = 3;
    double scalar = 1, sixteen[6] = { 1, 2, 3, 4, 5, 6 }, one = 7;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "scalar", varve_scalar(&scalar));
    varve_add_variable(root, "ones",
        varve_view(&one, VARVE_FLOAT64, varve_shape_of(16, ones)));
    varve_add_variable(root, "sixteen",
        varve_view(sixteen, VARVE_FLOAT64, varve_shape_of(16, large)));
    varve_add_variable(root, "empty",
        varve_view(NULL, VARVE_FLOAT64, VARVE_SHAPE(3, 0, UINT64_MAX / 64)));
    story_write(root, "f");
    scalar = one = sixteen[5] = 0;
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(scalar, 1);
    cr_assert_eq(one, 7);
    cr_assert_eq(sixteen[5], 6);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(all_dtypes, a_scalar_is_not_a_vector_of_one)
{
    STORY_FILE("f", { "v", 1 });
    varve_error error;
    float v[1] = { 5 };
    varve_graph *graph = story_graph();
    varve_add_variable(varve_graph_root(graph), "v", varve_array(v, 1));
    story_refused(
        varve_graph_root(graph), "f", NULL, VARVE_MISMATCH, &error);
    cr_assert(story_says(&error, "float32[]"), "%s", error.message);
    cr_assert(story_says(&error, "float32[1]"), "%s", error.message);
    varve_graph_free(graph);
}

/* A6, A8 */
TEST(all_dtypes, names_of_any_kind)
{
    static const char *const names[] = { "a/b/c", "b", "c/", "d/.S",
        ".ATTRIBUTES", "%", "*", "(x)", " ", "\n", "\xe2\x82\xac", "1" };
    enum { COUNT = 12 };
    float v[COUNT];
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    for (int i = 0; i < COUNT; i++) {
        v[i] = (float)i;
        varve_add_variable(root, names[i], varve_scalar(&v[i]));
    }
    story_write(root, "f");
    memset(v, 0, sizeof v);
    varve_restoration *r = story_read(root, "f", NULL);
    for (int i = 0; i < COUNT; i++)
        cr_assert_eq(v[i], (float)i, "%s", names[i]);
    cr_assert_eq(
        varve_find_path(root, "a%2Fb%2Fc"), varve_find(root, "a/b/c"));
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}
