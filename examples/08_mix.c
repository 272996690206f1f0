/* 08_mix.c - Combines two checkpoints into one model without the programs that
 * wrote them, and trains a part of it.
 *
 * Introduces varve_graph_from, which makes a graph of a file;
 * varve_copy_subgraph, which copies a part of one graph into another; and
 * collections by tag. Values that are not changed are written again byte for
 * byte.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include <varve/varve.h>

#include "support/operands.h"

enum { INPUTS = 3, FEATURES = 4, CLASSES = 2, PATH_SIZE = 4096 };

/* --- Two models of different programs ------------------------------------ */

static varve_status write_model(
    const char *path, float encoder, float head, varve_error *error)
{
    float kernels[2][INPUTS * FEATURES];
    for (int i = 0; i < INPUTS * FEATURES; i++) {
        kernels[0][i] = encoder;
        kernels[1][i] = head;
    }
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_tag(varve_add_variable(varve_add_object(root, "encoder"), "kernel",
                  varve_array(kernels[0], INPUTS, FEATURES)),
        VARVE_TAG_TRAINABLE);
    varve_tag(varve_add_variable(varve_add_object(root, "head"), "kernel",
                  varve_array(kernels[1], FEATURES, CLASSES)),
        VARVE_TAG_TRAINABLE);
    varve_status status = varve_write(root, path, NULL, error);
    varve_graph_free(graph);
    return status;
}

/* --- Combining them ------------------------------------------------------- */

/* [mix] */
/* Takes the encoder of the first and the head of the second. */
static varve_status mix(varve_graph *first, varve_graph *second,
    const char *path, varve_error *error)
{
    varve_node *root = varve_graph_root(first);
    varve_remove(varve_find(root, "head"));
    varve_node *head = varve_find(varve_graph_root(second), "head");
    if (!varve_copy_subgraph(root, "head", head, error))
        return error->status;
    return varve_write(root, path, NULL, error);
}
/* [/mix] */

static varve_status mix_files(char paths[3][PATH_SIZE], varve_error *error)
{
    varve_graph *first = varve_graph_from(paths[0], NULL, error);
    varve_graph *second =
        first ? varve_graph_from(paths[1], NULL, error) : NULL;
    varve_status status =
        second ? mix(first, second, paths[2], error) : error->status;
    varve_graph_free(second);
    varve_graph_free(first);
    return status;
}

/* --- Training a part ------------------------------------------------------ */

/* Changes the values, in place of a training step. */
static varve_status nudge(void *user, varve_node *node, const char *path)
{
    float *values = varve_data(node);
    (void)user;
    for (uint64_t i = 0; i < varve_tensor_count(varve_value(node)); i++)
        values[i] += 0.5f;
    printf("trained %s\n", path);
    return VARVE_OK;
}

static varve_status show(void *user, varve_node *node, const char *path)
{
    const float *values = varve_data(node);
    char text[VARVE_TENSOR_TEXT_SIZE];
    (void)user;
    printf("%-15s %s, each %g\n", path,
        varve_tensor_text(varve_value(node), text), (double)values[0]);
    return VARVE_OK;
}

/* Trains the head of the combined model. The encoder does not change. */
static varve_status fine_tune(const char *path, varve_error *error)
{
    varve_graph *graph = varve_graph_from(path, NULL, error);
    if (!graph)
        return error->status;
    varve_node *root = varve_graph_root(graph);
    varve_select heads = { .tag = VARVE_TAG_TRAINABLE, .pattern = "head" };
    varve_select variables = { .kind = VARVE_VARIABLE };
    varve_status status = varve_each(root, &heads, nudge, NULL, error);
    if (!status)
        status = varve_write(root, path, NULL, error);
    if (!status)
        status = varve_each(root, &variables, show, NULL, error);
    varve_graph_free(graph);
    return status;
}

int main(int argc, char **argv)
{
    if (!operands_fit(argc, argv, 1, "[DIRECTORY]"))
        return 2;
    const char *directory = argc > 1 ? argv[1] : "run/08_mix";
    static const char *const names[] = { "first", "second", "mixed" };
    char paths[3][PATH_SIZE];
    varve_error error;
    for (int i = 0; i < 3; i++)
        snprintf(paths[i], PATH_SIZE, "%s/%s.varve", directory, names[i]);
    varve_status status = write_model(paths[0], 1, 2, &error);
    if (!status)
        status = write_model(paths[1], 3, 4, &error);
    if (!status)
        status = mix_files(paths, &error);
    if (!status)
        status = fine_tune(paths[2], &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    return status ? 1 : 0;
}
