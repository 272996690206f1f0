/* borrow.c - Restores a layer from a file of any format:
 * docs/tutorial/foreign.md.
 *
 *     borrow FILE RENAMES
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include <varve/varve.h>

/* [grow] */
/* Adds a variable with the size of the pending value. */
static varve_node *grow(varve_node *layer, const char *name)
{
    const varve_tensor *waiting = varve_pending(layer, name);
    if (!waiting)
        return NULL;
    return varve_add_allocated_variable(layer, name, waiting->dtype,
        varve_shape_of(waiting->rank, waiting->shape), NULL, NULL);
}
/* [/grow] */

static void tell(varve_node *variable, const char *name)
{
    const varve_tensor *value = varve_value(variable);
    char text[VARVE_TENSOR_TEXT_SIZE];
    if (value)
        printf("%s is %s, and ends with %g\n", name,
            varve_tensor_text(value, text),
            (double)((float *)value->data)[varve_tensor_count(value) - 1]);
}

/* [borrow] */
static varve_status borrow(
    varve_node *root, const char *path, const char *renames, varve_error *error)
{
    varve_read_options options = { .rename.file = renames };
    varve_node *layer = varve_add_object(root, "dense");
    varve_restoration *r = varve_read(root, path, &options, error);
    if (!r)
        return error->status;
    varve_node *kernel = grow(layer, "kernel"), *bias = grow(layer, "bias");
    varve_status status = varve_assert_nontrivial_match(r, error);
    varve_restoration_free(r);
    tell(kernel, "kernel");
    tell(bias, "bias");
    return status;
}
/* [/borrow] */

int main(int argc, char **argv)
{
    varve_error error = { .message = "usage: borrow FILE RENAMES" };
    varve_status status = VARVE_MISUSE;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    if (argc == 3)
        status = borrow(root, argv[1], argv[2], &error);
    if (!status)
        status = varve_write(root, "dense.varve", NULL, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    varve_graph_free(graph);
    return status ? 1 : 0;
}
