/* make_pieces.c - Writes the golden file with sharded values.
 *
 *     make_pieces FILE [FIRST]
 *
 * FIRST is the first number of the grid, 0 in the golden file.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>

#include <varve/varve.h>

#include "support/cut_pieces.h"

enum { SIDE = 7, ROW = 1000 };

/* Boxes around one in the middle. */
static const varve_box grid_boxes[] = {
    { .start = { 0, 0 }, .extents = { 3, 4 } },
    { .start = { 0, 4 }, .extents = { 4, 3 } },
    { .start = { 3, 0 }, .extents = { 4, 3 } },
    { .start = { 3, 3 }, .extents = { 1, 1 } },
    { .start = { 4, 3 }, .extents = { 3, 4 } },
};

static const varve_box row_boxes[] = {
    { .start = { 0 }, .extents = { 1 } },
    { .start = { 1 }, .extents = { ROW - 1 } },
};

static varve_status write(const char *path, int first, varve_error *error)
{
    static float grid[SIDE][SIDE];
    static uint16_t row[ROW];
    int64_t step = 7;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    for (int i = 0; i < SIDE * SIDE; i++)
        grid[i / SIDE][i % SIDE] = (float)(first + i);
    for (int i = 0; i < ROW; i++)
        row[i] = (uint16_t)(i * i);
    varve_add_variable(root, "grid", varve_array(*grid, SIDE, SIDE));
    varve_add_variable(root, "row", varve_array(row, ROW));
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_status status = varve_write(root, path, NULL, error);
    varve_graph_free(graph);
    return status;
}

int main(int argc, char **argv)
{
    varve_error error;
    if (argc < 2 || argc > 3) {
        fprintf(stderr, "usage: make_pieces FILE [FIRST]\n");
        return 2;
    }
    if (write(argv[1], argc > 2 ? atoi(argv[2]) : 0, &error) ||
        cut_into_pieces(NULL, argv[1], "grid", grid_boxes, 5, &error) ||
        cut_into_pieces(NULL, argv[1], "row", row_boxes, 2, &error)) {
        fprintf(stderr, "%s\n", error.message);
        return 1;
    }
    return 0;
}
