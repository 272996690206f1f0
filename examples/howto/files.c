/* files.c - Saves by name, inspects a file without its program, and reads from
 * a store, for docs/howto.
 *
 *     files names|inside|store PATH
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <varve/varve.h>

static float kernel[4] = { 1, 2, 3, 4 };
static int64_t step = 3;

/* Saves a map from names to variables, independently of the graph. Keeps the
 * last two files. */
static varve_status save_names(varve_graph *graph, varve_error *error)
{
    varve_node *root = varve_graph_root(graph);
    varve_saver_options options = { .keep = 2 };
    varve_saver *saver = varve_saver_new(graph, &options, error);
    varve_status status = saver ? VARVE_OK : error->status;
    if (!status)
        status = varve_saver_recover(saver, "names", error); /* older files */
    if (!status)
        status = varve_saver_add(
            saver, "weights", varve_find_path(root, "net/kernel"), error);
    if (!status)
        status =
            varve_saver_add(saver, "step", varve_find(root, "step"), error);
    for (; !status && step < 6; step++)
        status = varve_saver_save(saver, "names",
            &(varve_saver_save_options){
                .has_step = true, .step = (uint64_t)step },
            error);
    if (!status) /* the newest of the prefix */
        status = varve_saver_restore(saver, "names", NULL, NULL, error);
    for (size_t i = 0; i < varve_saver_count(saver); i++)
        printf("%s\n", varve_saver_at(saver, i));
    varve_saver_free(saver);
    return status;
}

static varve_status names(varve_error *error)
{
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(
        varve_add_object(root, "net"), "kernel", varve_array(kernel, 4));
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_status status = save_names(graph, error);
    printf("at step %" PRId64 "\n", step);
    varve_graph_free(graph);
    return status;
}

/* Called with each value, in the order of the file. */
static varve_status add_up(void *user, const varve_saved_node *node,
    const void *bytes, varve_error *error)
{
    uint64_t *sum = user;
    (void)bytes, (void)error; /* verified; any other result stops */
    *sum += node->size;
    return VARVE_OK;
}

/* Prints the nodes of a file without a graph. */
static varve_status inside(const char *path, varve_error *error)
{
    varve_reader *reader = varve_reader_open(path, NULL, error);
    if (!reader)
        return error->status;
    printf("%s, %s, %" PRIu64 " bytes\n", varve_reader_path(reader),
        varve_format_name(varve_reader_format(reader)),
        varve_reader_size(reader));
    /* [nodes] */
    varve_saved_node node;
    for (size_t id = 0; varve_reader_node_at(reader, id, &node); id++) {
        const char *name;
        uint32_t child;
        printf("%zu \"%s\"", id, node.path);
        for (size_t i = 0; varve_reader_edge_at(reader, id, i, &name, &child);
             i++)
            printf(", %s -> %u", name, (unsigned)child);
        printf("\n");
    }
    /* [/nodes] */
    uint64_t sum = 0;
    varve_status status = varve_reader_each(reader, add_up, &sum, 1, error);
    printf("%" PRIu64 " bytes of values\n", sum);
    varve_reader_free(reader);
    return status;
}

/* Reads one value of a file in a store: the index and a part of the data are
 * transferred. */
static varve_status show_step(const char *path, varve_error *error)
{
    varve_saved_node node;
    int64_t value = 0;
    varve_status status = varve_remote_enable(NULL, error); /* call it once */
    if (status)
        return status;
    varve_reader *reader = varve_reader_open(path, NULL, error);
    if (!reader)
        return error->status;
    if (varve_reader_find(reader, "step", &node))
        status =
            varve_reader_read(reader, node.id, &value, sizeof value, error);
    if (!status)
        printf("step %" PRId64 "\n", value);
    varve_reader_free(reader);
    return status;
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    varve_error error = { .message = "usage: files names|inside|store PATH" };
    varve_status status = VARVE_MISUSE;
    if (strcmp(what, "names") == 0)
        status = names(&error);
    else if (strcmp(what, "inside") == 0)
        status = inside("names-5", &error);
    else if (strcmp(what, "store") == 0 && argc > 2)
        status = show_step(argv[2], &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    return status ? 1 : 0;
}
