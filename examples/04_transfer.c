/* 04_transfer.c - Restores a part of another model into a new one.
 *
 * Introduces `only`, which limits the values that are restored, with a rename
 * that maps a subtree of the file to another path; and the report of a
 * restoration.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>

#include <varve/varve.h>

#include "support/operands.h"

enum { INPUTS = 3, FEATURES = 4, OLD_CLASSES = 10, NEW_CLASSES = 2 };

struct features {
    float first[INPUTS][FEATURES];
    float second[FEATURES][FEATURES];
};

static void features_add(struct features *features, varve_node *at)
{
    varve_node *first = varve_add_object(at, "first");
    varve_node *second = varve_add_object(at, "second");
    varve_add_variable(
        first, "kernel", varve_array(&features->first[0][0], INPUTS, FEATURES));
    varve_add_variable(second, "kernel",
        varve_array(&features->second[0][0], FEATURES, FEATURES));
}

/* The other model: vgg/features and vgg/head, for ten classes. */
static varve_status write_other(const char *path, varve_error *error)
{
    struct features features = { .first = { { 1, 2, 3, 4 } },
        .second = { { 5, 6, 7, 8 } } };
    float head[FEATURES][OLD_CLASSES] = { { 9 } };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_node *vgg = varve_add_object(root, "vgg");
    features_add(&features, varve_add_object(vgg, "features"));
    varve_add_variable(varve_add_object(vgg, "head"), "kernel",
        varve_array(&head[0][0], FEATURES, OLD_CLASSES));
    varve_status status = varve_write(root, path, NULL, error);
    varve_graph_free(graph);
    return status;
}

static varve_status print_report(
    varve_restoration *restoration, varve_error *error)
{
    varve_report *report = varve_report_new(restoration, error);
    if (!report)
        return error->status;
    printf("%s", varve_report_text(report));
    varve_report_free(report);
    return VARVE_OK;
}

/* The new model: the values of vgg/features are restored into the backbone. The
 * head has two classes and keeps its initial values. */
static varve_status transfer(const char *path, varve_error *error)
{
    struct features features = { 0 };
    float head[FEATURES][NEW_CLASSES] = { { 0.25f } };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *net = varve_graph_root(graph);
    features_add(&features, varve_add_object(net, "backbone"));
    varve_add_variable(varve_add_object(net, "head"), "kernel",
        varve_array(&head[0][0], FEATURES, NEW_CLASSES));

    varve_rename rename = { .program = "backbone", .file = "vgg/features" };
    varve_restoration *restoration = varve_read(net, path,
        &(varve_read_options){
            .rename = { .list = &rename, .count = 1 }, .only = "backbone" },
        error);
    varve_status status =
        restoration ? print_report(restoration, error) : error->status;
    if (!status)
        printf("backbone has %g and %g, the head has %g\n",
            (double)features.first[0][3], (double)features.second[0][3],
            (double)head[0][0]);
    varve_restoration_free(restoration);
    varve_graph_free(graph);
    return status;
}

int main(int argc, char **argv)
{
    if (!operands_fit(argc, argv, 1, "[DIRECTORY]"))
        return 2;
    const char *directory = argc > 1 ? argv[1] : "run/04_transfer";
    varve_error error;
    varve_status status;
    char path[4096];
    snprintf(path, sizeof path, "%s/other.varve", directory);
    if ((status = write_other(path, &error)) ||
        (status = transfer(path, &error)))
        fprintf(stderr, "%s\n", error.message);
    return status ? 1 : 0;
}
