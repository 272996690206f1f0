/* net.c - Saves a layer and its momentum with one version of the program and
 * restores them with another: docs/tutorial/rename.md.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include <varve/varve.h>

struct net {
    float kernel[4][3], bias[3];
    float momentum[4][3];
};

/* [build] */
static void build(struct net *net, varve_node *root)
{
    varve_node *model = varve_add_object(root, "model");
    varve_node *layer = varve_add_object(model, "dense");
    varve_node *kernel = varve_add_variable(
        layer, "kernel", varve_array(&net->kernel[0][0], 4, 3));
    varve_add_variable(layer, "bias", varve_array(net->bias, 3));
    varve_node *sgd = varve_add_object(root, "sgd");
    varve_add_slot(
        sgd, kernel, "momentum", varve_array(&net->momentum[0][0], 4, 3));
}
/* [/build] */

static varve_status save(struct net *net, varve_node *root, varve_error *error)
{
    for (int i = 0; i < 12; i++)
        net->kernel[i / 3][i % 3] = (float)i;
    return varve_write(root, "net.varve", NULL, error);
}

/* [restore] */
/* Fails unless every saved value is restored. */
static varve_status restore(
    varve_node *root, const varve_read_options *options, varve_error *error)
{
    varve_restoration *r = varve_read(root, "net.varve", options, error);
    varve_status status = r ? varve_assert_consumed(r, error) : error->status;
    varve_restoration_free(r);
    return status;
}
/* [/restore] */

static varve_status put(const char *path, const char *text, varve_error *error)
{
    FILE *file = fopen(path, "w");
    bool good = file && fputs(text, file) >= 0;
    if (file && fclose(file) == 0 && good)
        return VARVE_OK;
    snprintf(error->message, sizeof error->message, "%s: cannot write the file",
        path);
    return VARVE_IO;
}

/* A dry run: reads no values and changes nothing. */
static varve_status plan(
    varve_node *root, const varve_read_options *options, varve_error *error)
{
    varve_restoration *r = varve_dry_run(root, "net.varve", options, error);
    varve_report *report = r ? varve_report_new(r, error) : NULL;
    if (report)
        fputs(varve_report_text(report), stdout);
    const char *json = report ? varve_report_json(report, error) : NULL;
    varve_status status = json ? put("plan.json", json, error) : error->status;
    varve_report_free(report);
    varve_restoration_free(r);
    return status;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    varve_read_options options = { .rename.file = argc > 2 ? argv[2] : NULL };
    varve_error error = { .message = "usage: net save|restore|plan [RENAMES]" };
    varve_status status = VARVE_MISUSE;
    struct net net = { 0 };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    build(&net, root);
    if (strcmp(what, "save") == 0)
        status = save(&net, root, &error);
    else if (strcmp(what, "restore") == 0)
        status = restore(root, &options, &error);
    else if (strcmp(what, "plan") == 0)
        status = plan(root, &options, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    else
        printf("the last weight is %g\n", (double)net.kernel[3][2]);
    varve_graph_free(graph);
    return status ? 1 : 0;
}
