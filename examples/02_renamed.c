/* 02_renamed.c - Restores a checkpoint into a renamed model that is built after
 * the file is read.
 *
 * Introduces renames from paths of the program to paths of the file;
 * varve_pending, which returns the type and shape of a saved value before
 * memory is allocated; values that are restored when a variable is added; and
 * varve_assert_consumed, with its message when a rename was forgotten.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include <varve/varve.h>

#include "support/operands.h"

/* The old program: a layer called "dense", 4 inputs, 3 outputs. */
static varve_status write_old(const char *path, varve_error *error)
{
    float kernel[4][3], bias[3] = { 0.5f, 1.5f, 2.5f };
    for (int i = 0; i < 12; i++)
        kernel[i / 3][i % 3] = (float)i;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_node *dense = varve_add_object(root, "dense");
    varve_add_variable(dense, "kernel", varve_array(&kernel[0][0], 4, 3));
    varve_add_variable(dense, "bias", varve_array(bias, 3));
    varve_status status = varve_write(root, path, NULL, error);
    varve_graph_free(graph);
    return status;
}

/* Adds a variable with the size of the pending value. */
static const float *grow(varve_node *layer, const char *name)
{
    const varve_tensor *waiting = varve_pending(layer, name);
    if (!waiting)
        return NULL;
    char text[VARVE_TENSOR_TEXT_SIZE];
    printf("%s is pending: %s\n", name, varve_tensor_text(waiting, text));
    return varve_data(varve_add_allocated_variable(layer, name, waiting->dtype,
        varve_shape_of(waiting->rank, waiting->shape), NULL, NULL));
}

/* The layer is now called "classifier", and its size is not known. */
static varve_status read_renamed(const char *path, varve_error *error)
{
    varve_rename rename = { .program = "classifier", .file = "dense" };
    varve_read_options options = { .rename = { .list = &rename, .count = 1 } };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_node *classifier = varve_add_object(root, "classifier");
    varve_restoration *restoration = varve_read(root, path, &options, error);
    varve_status status = restoration ? VARVE_OK : error->status;
    if (!status) {
        const float *kernel = grow(classifier, "kernel");
        const float *bias = grow(classifier, "bias");
        status = varve_assert_consumed(restoration, error);
        if (!status && kernel && bias)
            printf("kernel ends with %g, bias with %g\n", (double)kernel[11],
                (double)bias[2]);
    }
    varve_restoration_free(restoration);
    varve_graph_free(graph);
    return status;
}

/* The same without the rename: nothing in the file matches this program, and
 * the read fails. */
static varve_status forget_rename(const char *path, varve_error *error)
{
    float bias[3] = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_node *classifier = varve_add_object(root, "classifier");
    varve_add_variable(classifier, "bias", varve_array(bias, 3));
    varve_restoration *restoration = varve_read(root, path, NULL, error);
    varve_status status = restoration ? VARVE_MISUSE : error->status;
    if (status == VARVE_UNMATCHED)
        printf("\nwithout the rename:\n%s\n", error->message);
    status = status == VARVE_UNMATCHED ? VARVE_OK : VARVE_MISUSE;
    varve_restoration_free(restoration);
    varve_graph_free(graph);
    return status;
}

int main(int argc, char **argv)
{
    if (!operands_fit(argc, argv, 1, "[DIRECTORY]"))
        return 2;
    const char *directory = argc > 1 ? argv[1] : "run/02_renamed";
    varve_error error = { .message = "the read succeeded without the rename" };
    varve_status status;
    char path[4096];
    snprintf(path, sizeof path, "%s/old.varve", directory);
    if ((status = write_old(path, &error)) ||
        (status = read_renamed(path, &error)) ||
        (status = forget_rename(path, &error)))
        fprintf(stderr, "%s\n", error.message);
    return status ? 1 : 0;
}
