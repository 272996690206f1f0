/* test_struct_cells.c - Tests structs in a two-dimensional array.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <string.h>

/* [cells] */
struct cell {
    float heat;
    int kind;
};

struct world {
    struct cell cells[2][3];
};

static const varve_field cell_fields[] = {
    VARVE_FIELDS(struct cell, heat, kind),
    VARVE_FIELDS_END,
};

static const varve_field world_fields[] = {
    VARVE_FIELD_STRUCTS_2D(struct world, cells, cell_fields),
    VARVE_FIELDS_END,
};
/* [/cells] */

TEST(struct_cells, are_lists_in_a_list)
{
    struct world world;
    varve_error error = { 0 };
    for (int i = 0; i < 6; i++)
        world.cells[i / 3][i % 3] = (struct cell){ (float)i, 10 * i };
    const struct world before = world;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *node = varve_add_struct(root, "world", world_fields, &world);
    cr_assert_eq(varve_data(varve_find_path(node, "cells/1/columns/2/heat")),
        &world.cells[1][2].heat);
    story_write(root, "f");
    memset(&world, 0, sizeof world);
    varve_restoration *r = story_read(root, "f", NULL);
    story_consumed(r);
    varve_restoration_free(r);
    cr_assert_arr_eq(&world, &before, sizeof world);
    struct world moved = { { { { 7, 7 } } } };
    varve_rebind_struct(node, &moved);
    varve_restoration_free(story_read(root, "f", NULL));
    cr_assert_arr_eq(&moved, &before, sizeof world);
    varve_add_variable(root, "same", varve_scalar(&moved.cells[1][0].kind));
    cr_assert_eq(varve_save(root, test_path("g"), NULL, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "world/cells/1/columns/0/kind"), "%s",
        error.message);
    varve_graph_free(graph);
}

/* Cells are never restored to another row. */
struct wide {
    struct cell cells[3][2];
};

static const varve_field wide_fields[] = {
    VARVE_FIELD_STRUCTS_2D(struct wide, cells, cell_fields),
    VARVE_FIELDS_END,
};

TEST(struct_cells, of_another_shape_match_by_index)
{
    struct world world = { { { { 1, 1 } } } };
    struct wide wide = { { { { 9, 9 } } } };
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_struct(root, "world", world_fields, &world);
    story_write(root, "f");
    varve_graph_free(graph);
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_add_struct(root, "world", wide_fields, &wide);
    varve_restoration *r = varve_read(root, test_path("f"), NULL, &error);
    story_unmatched(varve_assert_consumed(r, &error), "cells/", error);
    varve_restoration_free(r);
    cr_assert_eq(wide.cells[0][0].heat, 1);
    varve_graph_free(graph);
}

/* The table of another struct cannot be used for the cells. */
static const varve_field foreign_fields[] = {
    VARVE_FIELD_STRUCTS_2D(struct world, cells, world_fields),
    VARVE_FIELDS_END,
};

TEST(struct_cells, need_a_field_table_of_their_own_struct)
{
    struct world world = { { { { 1, 1 } } } };
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_add_struct(
        varve_graph_root(graph), "world", foreign_fields, &world);
    cr_assert_eq(varve_graph_clear_error(graph, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "cells/0/columns/0/cells: the fields belong "
        "to another struct"),
        "%s", error.message);
    varve_graph_free(graph);
}
