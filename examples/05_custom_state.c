/* 05_custom_state.c - Saves state that is not a tree of tensors.
 *
 * Introduces a custom serializer (a line of text); a value with two names (tied
 * weights), which is saved once; a cycle (a layer refers to its model); a list
 * that grows after the restoration; and children that are added on demand, for
 * a dict that is empty at first.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <varve/varve.h>

#include "support/operands.h"

enum { LAYERS = 3, WORDS = 4 };

struct model {
    char title[64]; /* a string, not a tensor */
    float embedding[WORDS];
    float layers[LAYERS];
    varve_node *list, *counters;
};

/* --- A custom serializer ------------------------------------------------- */

static varve_status save_title(void *self, varve_sink *sink)
{
    struct model *model = self;
    varve_put(sink, model->title, strlen(model->title));
    return VARVE_OK;
}

/* The bytes come from a file and must be validated. */
static varve_status load_title(void *self, const void *bytes, size_t size)
{
    struct model *model = self;
    if (size >= sizeof model->title)
        return VARVE_LIMIT;
    memcpy(model->title, bytes, size);
    model->title[size] = '\0';
    return VARVE_OK;
}

static const varve_state_callbacks title_callbacks = { save_title, load_title };

/* --- The graph ---------------------------------------------------------- */

static void model_init(struct model *model, varve_node *at)
{
    varve_add_state(at, "title", &title_callbacks, model);

    /* One value with two edges: the encoder and the decoder share it. */
    varve_node *encoder = varve_add_object(at, "encoder");
    varve_node *decoder = varve_add_object(at, "decoder");
    varve_node *table = varve_add_variable(
        encoder, "table", varve_array(model->embedding, WORDS));
    varve_track(decoder, "table", table);

    varve_track(encoder, "model", at); /* a cycle */

    model->list = varve_add_list(at, "layers");
    model->counters = varve_add_dict(at, "counters");
}

static void model_append(struct model *model, size_t i)
{
    varve_add_variable(
        model->list, VARVE_APPEND, varve_scalar(&model->layers[i]));
}

/* Called for children that only the file has. Adds all integers. */
static void take_counter(
    void *user, varve_node *counters, const varve_offer *offer)
{
    (void)user;
    if (offer->kind == VARVE_VARIABLE && offer->value->dtype == VARVE_INT64)
        varve_add_allocated_variable(
            counters, offer->name, VARVE_INT64, VARVE_SCALAR, NULL, NULL);
}

/* --- Saving and restoring ------------------------------------------------ */

static varve_status write_model(const char *path, varve_error *error)
{
    struct model model = { .title = "words of one syllable",
        .embedding = { 1, 2, 3, 4 },
        .layers = { 10, 20, 30 } };
    int64_t cats = 9, dogs = 7;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    model_init(&model, root);
    for (size_t i = 0; i < LAYERS; i++)
        model_append(&model, i);
    varve_add_variable(model.counters, "cats", varve_scalar(&cats));
    varve_add_variable(model.counters, "dogs", varve_scalar(&dogs));
    varve_status status = varve_write(root, path, NULL, error);
    varve_graph_free(graph);
    return status;
}

static void print_model(const struct model *model, varve_node *root)
{
    printf("title: %s\n", model->title);
    bool tied = varve_find_path(root, "encoder/table") ==
                varve_find_path(root, "decoder/table");
    printf("table: %g %g %g %g, %s\n", (double)model->embedding[0],
        (double)model->embedding[1], (double)model->embedding[2],
        (double)model->embedding[3], tied ? "tied" : "not tied");
    for (const varve_edge *edge = varve_edge_first(model->counters); edge;
         edge = varve_edge_next(edge))
        printf("counters/%s: %" PRId64 "\n", edge->name,
            *(int64_t *)varve_data(edge->node));
}

static varve_status read_model(const char *path, varve_error *error)
{
    struct model model = { .title = "" };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    model_init(&model, root);
    varve_set_on_demand(model.counters, take_counter, NULL);
    varve_restoration *restoration = varve_read(root, path, NULL, error);
    varve_status status = restoration ? VARVE_OK : error->status;
    if (!status) {
        print_model(&model, root);
        for (size_t i = 0; i < LAYERS; i++) {
            size_t waiting = varve_pending_count(restoration);
            model_append(&model, i);
            printf("layers/%zu: %g (pending before: %zu, after: %zu)\n", i,
                (double)model.layers[i], waiting,
                varve_pending_count(restoration));
        }
        status = varve_assert_consumed(restoration, error);
    }
    varve_restoration_free(restoration);
    varve_graph_free(graph);
    return status;
}

int main(int argc, char **argv)
{
    if (!operands_fit(argc, argv, 1, "[DIRECTORY]"))
        return 2;
    const char *directory = argc > 1 ? argv[1] : "run/05_custom_state";
    varve_error error;
    varve_status status;
    char path[4096];
    snprintf(path, sizeof path, "%s/model.varve", directory);
    if ((status = write_model(path, &error)) ||
        (status = read_model(path, &error)))
        fprintf(stderr, "%s\n", error.message);
    return status ? 1 : 0;
}
