/* linear.c - Restores a linear layer from a file of PyTorch:
 * docs/tutorial/torch.md.
 *
 *     linear FILE
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include <varve/varve.h>

/* [read] */
/* nn.Linear(4, 2): the shape of its weight is [outputs, inputs]. */
static float weight[2][4], bias[2];

static void add_linear(varve_node *model, const char *name)
{
    varve_node *layer = varve_add_object(model, name);
    varve_add_variable(layer, "weight", varve_array(weight[0], 2, 4));
    varve_add_variable(layer, "bias", varve_array(bias, 2));
}

static varve_status read_weights(
    varve_node *root, const char *path, varve_error *error)
{
    const varve_read_options options = { .foreign.dots = true };
    varve_restoration *r = varve_read(root, path, &options, error);
    varve_status status =
        r ? varve_assert_existing_objects_matched(r, error) : error->status;
    varve_restoration_free(r);
    return status;
}
/* [/read] */

static float predict(int output, const float *input)
{
    float sum = bias[output];
    for (int i = 0; i < 4; i++)
        sum += weight[output][i] * input[i];
    return sum;
}

int main(int argc, char **argv)
{
    const float input[4] = { 1, 2, 3, 4 };
    varve_error error = { .message = "usage: linear FILE" };
    varve_status status = VARVE_MISUSE;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    add_linear(varve_add_object(root, "model"), "last");
    if (argc == 2)
        status = read_weights(root, argv[1], &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    else
        printf("%.4f %.4f\n", predict(0, input), predict(1, input));
    varve_graph_free(graph);
    return status ? 1 : 0;
}
