/* restoring.c - Restores parts of a checkpoint in several ways, for docs/howto.
 *
 *     restoring save|encoder|wider|serve|shapes|names|share
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include <varve/varve.h>

enum { WORDS = 8, WIDTH = 4, MORE_WORDS = 10, LABELS = 2 };

struct model {
    varve_graph *graph;
    varve_node *root;
    uint64_t words;
    float table[MORE_WORDS][WIDTH];
    float head[WIDTH][LABELS];
    float momentum[MORE_WORDS][WIDTH];
};

/* An encoder and a head, and optionally an optimizer with a momentum of the
 * encoder. */
static void build(struct model *m, uint64_t words, bool with_optimizer)
{
    *m = (struct model){ .graph = varve_graph_new(NULL), .words = words };
    m->root = varve_graph_root(m->graph);
    varve_node *table = varve_add_variable(varve_add_object(m->root, "encoder"),
        "table", varve_array(&m->table[0][0], words, WIDTH));
    varve_add_variable(varve_add_object(m->root, "head"), "kernel",
        varve_array(&m->head[0][0], WIDTH, LABELS));
    if (with_optimizer)
        varve_add_slot(varve_add_object(m->root, "adam"), table, "m",
            varve_array(&m->momentum[0][0], words, WIDTH));
}

static void fill(struct model *m, float value)
{
    for (int i = 0; i < MORE_WORDS * WIDTH; i++)
        m->table[i / WIDTH][i % WIDTH] = value;
    for (int i = 0; i < WIDTH * LABELS; i++)
        m->head[i / LABELS][i % LABELS] = value;
}

static void tell(const struct model *m)
{
    printf("the table begins with %g and ends with %g, the head with %g\n",
        (double)m->table[0][0], (double)m->table[m->words - 1][0],
        (double)m->head[0][0]);
}

static varve_status asserted(varve_restoration *r, varve_error *error)
{
    varve_status status = r ? varve_assert_consumed(r, error) : error->status;
    varve_restoration_free(r);
    return status;
}

static varve_status save(varve_error *error)
{
    struct model m;
    build(&m, WORDS, true);
    fill(&m, 1);
    varve_status status = varve_save(m.root, "run/model", NULL, error);
    varve_graph_free(m.graph);
    return status;
}

static varve_status encoder(varve_error *error)
{
    struct model m;
    build(&m, WORDS, true);
    fill(&m, 7);
    /* [encoder] */
    varve_read_options options = { .only = "encoder" };
    varve_restoration *r = varve_restore(m.root, "run/model", &options, error);
    /* [/encoder] */
    varve_status status = asserted(r, error);
    tell(&m);
    varve_graph_free(m.graph);
    return status;
}

static varve_status wider(varve_error *error)
{
    struct model m;
    build(&m, MORE_WORDS, true);
    fill(&m, 7);
    /* [wider] */
    varve_read_options options = { .resize = "encoder/table|adam/m(**)" };
    varve_restoration *r = varve_restore(m.root, "run/model", &options, error);
    /* [/wider] */
    varve_status status = asserted(r, error);
    tell(&m);
    varve_graph_free(m.graph);
    return status;
}

static varve_status serve(varve_error *error)
{
    struct model m;
    build(&m, WORDS, false);
    /* [serve] */
    varve_read_options options = { .expect.unexpected = "adam" };
    varve_restoration *r = varve_restore(m.root, "run/model", &options, error);
    varve_status status = r ? varve_assert_consumed(r, error) : error->status;
    /* [/serve] */
    varve_restoration_free(r);
    tell(&m);
    varve_graph_free(m.graph);
    return status;
}

/* The same numbers as doubles, in one row, with any number of them. */
static varve_status shapes(varve_error *error)
{
    double row[WIDTH * LABELS];
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    /* [shapes] */
    static const varve_resizing by_the_library = { .make_room = NULL };
    varve_node *table =
        varve_add_allocated_variable(varve_add_object(root, "encoder"), "table",
            VARVE_FLOAT32, VARVE_SHAPE(0, WIDTH), NULL, NULL);
    varve_set_resizing(table, &by_the_library, NULL);
    varve_add_variable(varve_add_object(root, "head"), "kernel",
        varve_array(row, WIDTH * LABELS));

    varve_read_options options = {
        .cast = VARVE_CAST_WIDEN, /* float32 to float64 is exact */
        .reshape = true,          /* [4,2] to [8]: as many elements */
        .expect.unexpected = "adam",
    };
    varve_restoration *r = varve_restore(root, "run/model", &options, error);
    /* [/shapes] */
    varve_status status = asserted(r, error);
    char text[VARVE_TENSOR_TEXT_SIZE];
    printf("table is %s, the row ends with %g\n",
        varve_tensor_text(varve_value(table), text), row[WIDTH * LABELS - 1]);
    varve_graph_free(graph);
    return status;
}

static varve_status names(varve_error *error)
{
    float weights[2][2] = { { 0 } }, adam[2][2] = { { 0 } };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    /* [names] */
    varve_node *kernel = varve_add_variable(varve_add_object(root, "dense"),
        "kernel", varve_array(&weights[0][0], 2, 2));
    varve_set_global_name(kernel, "model/w");
    varve_node *moment = varve_add_slot(varve_add_object(root, "adam"), kernel,
        "m", varve_array(&adam[0][0], 2, 2));
    varve_set_global_name(moment, "model/w/Adam");
    varve_restoration *r = varve_read(root, "old_saver", NULL, error);
    varve_status status =
        r ? varve_assert_existing_objects_matched(r, error) : error->status;
    /* [/names] */
    varve_report *report = r ? varve_report_new(r, error) : NULL;
    if (report)
        fputs(varve_report_text(report), stdout);
    varve_report_free(report);
    varve_restoration_free(r);
    varve_graph_free(graph);
    return status;
}

static varve_status small_numbers(const varve_tensor *tensor, void *user)
{
    float *elements = tensor->data;
    uint64_t size = varve_tensor_size(tensor);
    (void)user;
    for (uint64_t i = 0; i < size / sizeof *elements; i++)
        elements[i] = (float)(i % 7) / 100;
    return VARVE_OK;
}

/* [table-of] */
/* Adds the table when it is first requested. */
static const float *table_of(varve_node *encoder)
{
    return varve_data(varve_find_or_add_variable(encoder, "table",
        VARVE_FLOAT32, VARVE_SHAPE(WORDS, WIDTH), small_numbers, NULL));
}
/* [/table-of] */

static varve_status share(varve_error *error)
{
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    /* [share] */
    varve_read_options options = { .only = "encoder" };
    varve_restoration *r = varve_restore(root, "run/model", &options, error);
    varve_node *encoder = varve_add_object(root, "encoder");
    const float *read = table_of(encoder);  /* the input embedding */
    const float *write = table_of(encoder); /* the output embedding */
    varve_status status = r ? varve_assert_consumed(r, error) : error->status;
    /* [/share] */
    printf("%s, first element %g\n", read == write ? "one table" : "two tables",
        (double)read[0]);
    varve_restoration_free(r);
    varve_graph_free(graph);
    return status;
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        varve_status (*show)(varve_error *error);
    } shows[] = { { "save", save }, { "encoder", encoder }, { "wider", wider },
        { "serve", serve }, { "shapes", shapes }, { "names", names },
        { "share", share } };
    varve_error error = { .message = "usage: restoring save|encoder|..." };
    varve_status status = VARVE_MISUSE;
    for (size_t i = 0; argc == 2 && i < sizeof shows / sizeof *shows; i++)
        if (strcmp(argv[1], shows[i].name) == 0)
            status = shows[i].show(&error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    return status ? 1 : 0;
}
