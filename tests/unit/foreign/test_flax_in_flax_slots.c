/* test_flax_in_flax_slots.c - Tests the recognition of optimizer slots in Flax
 * files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "flax_in.h"

#include <stdio.h>

#include "flax_sample.h"

#define PARAMS "a6 706172616d73 "
#define OPT "a3 6f7074 "
#define MU "a2 6d75 "
#define TREE "82 a161 " FLAX_ONE_TWO "a162 81 a163 " FLAX_THREE

static struct world w;

static bool has(varve_reader *r, const char *path)
{
    varve_saved_node node;
    return varve_reader_find(r, path, &node);
}

/* Returns true if a file has this slot. */
static bool makes(const char *digits, const char *slot)
{
    varve_reader *r = flax_open(&w, digits);
    bool is_there = has(r, slot);
    varve_reader_free(r);
    world_free(&w);
    return is_there;
}

TEST(flax_slots, are_created_from_trees_with_the_structure_of_parameters)
{
    varve_reader *r =
        flax_open(&w, "82" OPT "81 a130 82 a163 05" MU TREE PARAMS TREE);
    varve_saved_node slot, tree;
    check_value(
        r, "opt/0/mu(params/a)", "float32[2]", "\0\0\x80\x3f\0\0\0\x40", 8);
    cr_assert(has(r, "opt/0/mu(params/b/c)"));
    cr_assert(varve_reader_find(r, "opt/0/mu/a", &tree));
    cr_assert(varve_reader_find(r, "opt/0/mu(params/a)", &slot));
    cr_assert_eq(slot.id, tree.id);
    varve_reader_free(r);
    world_free(&w);
}

TEST(flax_slots, may_exist_for_some_parameters_only)
{
    const char *file =
        "82" OPT "81" MU "82 a161 80 a162 81 a163" FLAX_THREE PARAMS TREE;
    cr_assert(makes(file, "opt/mu(params/b/c)"));
    cr_assert_not(makes(file, "opt/mu(params/a)"));
    cr_assert(makes("82" OPT "81" MU "81 a161" FLAX_ONE_TWO PARAMS TREE,
        "opt/mu(params/a)"));
}

TEST(flax_slots, are_not_created_for_other_names_or_shapes)
{
    cr_assert_not(makes("82" OPT "81" MU "82 a161" FLAX_ONE_TWO
                        "a162 81 a163" FLAX_FOUR PARAMS TREE,
        "opt/mu(params/a)"));
    cr_assert_not(makes("82" OPT "81" MU "82 a161" FLAX_ONE_TWO
                        "a164" FLAX_FOUR PARAMS TREE,
        "opt/mu(params/a)"));
    cr_assert_not(
        makes("82" OPT "81" MU "81 a161 81 a161" FLAX_ONE_TWO PARAMS TREE,
            "opt/mu(params/a)"));
    cr_assert_not(makes(
        "82" OPT "81" MU "81 a162" FLAX_THREE PARAMS TREE, "opt/mu(params/b)"));
}

TEST(flax_slots, are_not_created_from_a_sibling_of_the_parameters)
{
    cr_assert_not(makes("82 a165" TREE PARAMS TREE, "e(params/a)"));
}

TEST(flax_slots, belong_to_the_nearest_parameters)
{
    const char *file = "82 a16d 82" OPT "81" MU TREE PARAMS TREE PARAMS TREE;
    cr_assert(makes(file, "m/opt/mu(m/params/a)"));
    cr_assert_not(makes(file, "m/opt/mu(params/a)"));
    cr_assert_not(makes(file, "m/params(params/a)"));
}

/* Every tree is compared with its neighbors; the cost must be bounded. */
TEST(flax_slots, have_a_cost_bounded_by_the_file)
{
    enum { DEPTH = 3000, WIDTH = 300 };
    struct vv_buffer b = new_bytes();
    varve_error error = { 0 };
    w = world_new();
    for (int i = 0; i < DEPTH; i++)
        vv_buffer_add(&b, "\x82\xa6params\x81\xa1y\x01\xa1x", 14);
    vv_buffer_add(&b, "\xde\x01\x2c", 3);
    for (int i = 0; i < WIDTH; i++) {
        char pair[16];
        vv_buffer_add(&b, pair,
            (size_t)snprintf(pair, sizeof pair, "\xa4%04d\x81\xa1z\x01", i));
    }
    varve_reader *r = open_bytes(&w, FLAX_PATH, &b, &error);
    cr_assert(r, "%s", error.message);
    varve_reader_free(r);
    vv_buffer_clear(&b);
    world_free(&w);
}
