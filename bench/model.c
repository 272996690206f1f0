/* model.c - two shapes of graph: few large values, and many nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "model.h"

#include <stdio.h>

#include "measure.h"

enum { VARIABLES_PER_OBJECT = 10, OBJECTS_PER_LIST = 500 };

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

varve_graph *model_of_nodes(size_t nodes, float *values)
{
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *list = NULL;
    for (size_t i = 0; i < nodes / 2; i++) {
        char name[32];
        if (i % OBJECTS_PER_LIST == 0) {
            snprintf(name, sizeof name, "group%zu", i / OBJECTS_PER_LIST);
            list = varve_add_list(varve_graph_root(graph), name);
        }
        varve_node *object = varve_add_object(list, VARVE_APPEND);
        varve_add_variable(object, "value",
            varve_view(&values[i], VARVE_FLOAT32, VARVE_SCALAR));
    }
    varve_error error;
    must(varve_graph_check(graph, &error), &error);
    return graph;
}
