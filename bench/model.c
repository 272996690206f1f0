/* model.c - Builds two kinds of graphs: few large values, and many scalars.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model.h"

#include <stdio.h>

#include "measure.h"

enum { VARIABLES_PER_OBJECT = 10, WIDTH = 100 };

void add_variables(
    varve_graph *graph, unsigned char *bytes, size_t size, size_t count)
{
    varve_node *object = NULL;
    varve_shape shape = VARVE_SHAPE(size / count / sizeof(float));
    size_t each = shape.extents[0] * sizeof(float);
    for (size_t i = 0; i < count; i++) {
        char name[32];
        if (i % VARIABLES_PER_OBJECT == 0) {
            snprintf(name, sizeof name, "layer%zu", i / VARIABLES_PER_OBJECT);
            object = varve_add_object(varve_graph_root(graph), name);
        }
        snprintf(name, sizeof name, "weight%zu", i % VARIABLES_PER_OBJECT);
        if (bytes)
            varve_add_variable(object, name,
                varve_view(bytes + i * each, VARVE_FLOAT32, shape));
        else
            varve_add_allocated_variable(
                object, name, VARVE_FLOAT32, shape, NULL, NULL);
    }
}

varve_graph *model_of_variables(unsigned char *bytes, size_t size, size_t count)
{
    varve_graph *graph = varve_graph_new(NULL);
    add_variables(graph, bytes, size, count);
    varve_error error;
    must(varve_graph_check(graph, &error), &error);
    return graph;
}

/* Returns the parent of a node; WIDTH nodes of a level share one. */
static varve_node *child_of(
    varve_node *parent, const char *what, size_t i, varve_node *last)
{
    char name[32];
    if (i % WIDTH != 0)
        return last;
    snprintf(name, sizeof name, "%s_%zu", what, i / WIDTH);
    return varve_add_object(parent, name);
}

void add_scalars(varve_graph *graph, size_t count, float *values)
{
    varve_node *model = varve_add_object(varve_graph_root(graph), "model");
    varve_node *block = NULL;
    varve_node *unit = NULL;
    for (size_t i = 0; i < count; i++) {
        char name[32];
        if (i % WIDTH == 0)
            block = child_of(model, "block", i / WIDTH, block);
        unit = child_of(block, "unit", i, unit);
        snprintf(name, sizeof name, "weight_%zu", i);
        if (values)
            varve_add_variable(unit, name,
                varve_view(&values[i], VARVE_FLOAT32, VARVE_SCALAR));
        else
            varve_add_allocated_variable(
                unit, name, VARVE_FLOAT32, VARVE_SCALAR, NULL, NULL);
    }
}

varve_graph *model_of_scalars(size_t count, float *values)
{
    varve_graph *graph = varve_graph_new(NULL);
    add_scalars(graph, count, values);
    varve_error error;
    must(varve_graph_check(graph, &error), &error);
    return graph;
}
