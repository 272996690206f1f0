/* make_pages.c - Writes the graphs whose pages are tested in a browser: few
 * nodes, a GAN with its optimizers, a very large graph, hostile names; and
 * reports.
 *
 *     make_pages FOLDER [COUNT]     COUNT nodes in the large one
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

static const char *folder;
static varve_error error;

static void need(bool good)
{
    if (good)
        return;
    fprintf(stderr, "make_pages: %s\n", error.message);
    exit(1);
}

/* Returns a path; the last ten remain valid. */
static const char *path_of(const char *name)
{
    static char paths[10][4096];
    static int next;
    char *path = paths[next++ % 10];
    snprintf(path, sizeof paths[0], "%s/%s", folder, name);
    return path;
}

static varve_node *new_root(void)
{
    return varve_graph_root(varve_graph_new(NULL));
}

static void save(varve_node *root, const char *name)
{
    const varve_metadata metadata[] = {
        { .name = "step", .kind = VARVE_METADATA_INTEGER, .integer = 12000 },
        { .name = "time", .kind = VARVE_METADATA_REAL, .real = 1.7e9 },
    };
    varve_write_options options = {
        .metadata = metadata, .metadata_count = 2, .no_sync = true
    };
    need(!varve_write(root, path_of(name), &options, &error));
    varve_graph_free(varve_node_graph(root));
}

/* --- Graphs ------------------------------------------------------------- */

/* Adds roughly normal numbers, as sums of uniform ones. */
static varve_node *add_weights(
    varve_node *parent, const char *name, varve_shape shape, double scale)
{
    static uint64_t state = 1;
    varve_node *node = varve_add_allocated_variable(
        parent, name, VARVE_FLOAT32, shape, NULL, NULL);
    const varve_tensor *tensor = varve_value(node);
    float *values = varve_data(node);
    size_t count = 1;
    for (uint32_t i = 0; i < tensor->rank; i++)
        count *= tensor->shape[i];
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        for (int k = 0; k < 6; k++) {
            state =
                state * UINT64_C(6364136223846793005) + 1442695040888963407u;
            sum += (double)(state >> 40) / (1 << 24) - 0.5;
        }
        values[i] = (float)(scale * sum);
    }
    return node;
}

static void make_small(void)
{
    static int64_t step = 12000;
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_node *layers = varve_add_list(model, "layers");
    for (int i = 0; i < 2; i++) {
        varve_node *layer = varve_add_object(layers, VARVE_APPEND);
        varve_node *kernel = add_weights(layer, "kernel",
            i ? VARVE_SHAPE(256, 10) : VARVE_SHAPE(784, 256), 0.05);
        if (i)
            ((float *)varve_data(kernel))[7] = NAN;
        add_weights(
            layer, "bias", i ? VARVE_SHAPE(10) : VARVE_SHAPE(256), 0.01);
    }
    varve_track(root, "shared", varve_find(model, "layers"));
    varve_track(model, "owner", root); /* a cycle */
    varve_add_variable(root, "step", varve_scalar(&step));
    save(root, "small.varve");
}

static void add_network(varve_node *root, const char *name, int layers)
{
    varve_node *network = varve_add_object(root, name);
    varve_node *list = varve_add_list(network, "layers");
    for (int i = 0; i < layers; i++) {
        varve_node *layer = varve_add_object(list, VARVE_APPEND);
        add_weights(layer, "kernel", VARVE_SHAPE(4, 4, 16, 16), 0.02);
        add_weights(layer, "bias", VARVE_SHAPE(16), 0.01);
        varve_node *norm = varve_add_object(layer, "norm");
        add_weights(norm, "gamma", VARVE_SHAPE(16), 1);
        add_weights(norm, "beta", VARVE_SHAPE(16), 0.1);
    }
}

static void add_slots(varve_node *owner, varve_node *network)
{
    static const char *const values[] = { "kernel", "bias", "norm/gamma",
        "norm/beta" };
    for (int i = 0;; i++) {
        char path[64];
        for (int k = 0; k < 4; k++) {
            snprintf(path, sizeof path, "layers/%d/%s", i, values[k]);
            varve_node *value = varve_find_path(network, path);
            if (!value)
                return;
            varve_add_slot_like(owner, value, "m", NULL, NULL);
            varve_add_slot_like(owner, value, "v", NULL, NULL);
        }
    }
}

static void make_gan(void)
{
    varve_node *root = new_root();
    static int64_t epoch = 37;
    add_network(root, "generator", 4);
    add_network(root, "discriminator", 3);
    varve_add_variable(root, "epoch", varve_scalar(&epoch));
    varve_node *first = varve_add_object(root, "generator_optimizer");
    varve_node *second = varve_add_object(root, "discriminator_optimizer");
    add_slots(first, varve_find(root, "generator"));
    add_slots(second, varve_find(root, "discriminator"));
    save(root, "gan.varve");
}

static void make_many(long count)
{
    varve_node *root = new_root();
    varve_node *block = NULL;
    char name[32];
    static float values[100000];
    need(count <= 100000);
    for (long i = 1; i < count; i++) {
        if (i % 100 == 1) {
            snprintf(name, sizeof name, "block_%05ld", i / 100);
            block = varve_add_object(root, name);
            continue;
        }
        snprintf(name, sizeof name, "kernel_%02ld", i % 100);
        varve_add_variable(block, name, varve_scalar(&values[i]));
    }
    save(root, "many.varve");
}

/* Names with HTML tags, bidirectional overrides, control characters and
 * paths. */
static void make_hostile(void)
{
    static const char *const names[] = { "</script><script>bad()</script>",
        "<img src=x onerror=bad()>", "<!--", "]]>", "'\"&amp;&lt;",
        ("a\xe2\x80\xae"
         "b"),
        "\xe2\x80\xa8line", "tab\there\x1b[31m", "slash/percent%star*(",
        "${bad()}", "__proto__", "constructor",
        "\xd7\xa9\xd7\x9c\xd7\x95\xd7\x9d", "\xf0\x9f\xa6\x8a",
        "javascript:bad()", " ", "https://example.org/x.png" };
    varve_node *root = new_root();
    static float value, values[sizeof names / sizeof *names];
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        varve_node *node = varve_add_object(root, names[i]);
        varve_tag(node, names[i]);
        varve_add_variable(node, names[i], varve_scalar(&values[i]));
    }
    static char long_name[VARVE_MAX_NAME_SIZE + 1];
    memset(long_name, 'x', VARVE_MAX_NAME_SIZE);
    varve_add_variable(root, long_name, varve_scalar(&value));
    save(root, "hostile.varve");
}

/* A chain that is too deep for recursion. */
static void make_deep(void)
{
    varve_node *root = new_root(), *node = root;
    static float value;
    for (int i = 0; i < 20000; i++)
        node = varve_add_object(node, "down");
    varve_add_variable(node, "end", varve_scalar(&value));
    varve_track(node, "top", root);
    save(root, "deep.varve");
}

/* --- A report with each kind of finding --------------------------------- */

static float memory[64];

/* Returns new memory for each value, which begins with `memory`. */
static varve_tensor floats(size_t n)
{
    static float all[1024];
    static size_t used;
    float *mine = &all[used];
    need(n <= 64 && (used += n) <= 1024);
    memcpy(mine, memory, n * sizeof *mine);
    return varve_view(mine, VARVE_FLOAT32, VARVE_SHAPE(n));
}

static varve_node *add_floats(varve_node *parent, const char *name, size_t n)
{
    return varve_add_variable(parent, name, floats(n));
}

static void damage(const char *name, const char *path)
{
    varve_reader *reader = varve_reader_open(path_of(name), NULL, &error);
    varve_saved_node node = { 0 };
    need(reader && varve_reader_find(reader, path, &node));
    FILE *file = fopen(path_of(name), "r+b");
    need(file && !fseek(file, (long)node.offset, SEEK_SET) &&
         fputc(0x55, file) == 0x55 && !fclose(file));
    varve_reader_free(reader);
}

static void write_saved(void)
{
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_node *encoder = varve_add_object(model, "encoder");
    for (size_t i = 0; i < 64; i++)
        memory[i] = (float)i;
    add_floats(encoder, "kernel", 12);
    add_floats(encoder, "bias", 4);
    add_floats(encoder, "scale", 6);
    varve_node *head = varve_add_object(model, "head");
    add_floats(head, "kernel", 8);
    add_floats(head, "bias", 2);
    add_floats(model, "table", 16);
    varve_node *adam = varve_add_object(root, "adam");
    varve_add_slot(adam, varve_find(encoder, "kernel"), "m",
        floats(12));
    add_floats(root, "old", 3);
    save(root, "saved.varve");
}

static varve_node *build_program(size_t table)
{
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_node *encoder = varve_add_object(model, "encoder");
    add_floats(encoder, "kernel", 12);
    add_floats(encoder, "bias", 4);
    add_floats(encoder, "scale", 6);
    varve_node *top = varve_add_object(model, "heads"); /* renamed */
    add_floats(top, "kernel", 8);
    add_floats(top, "bias", 2);
    add_floats(model, "table", table);
    varve_node *adapter = varve_add_object(model, "adapter");
    add_floats(adapter, "down", 5);
    varve_tag(add_floats(adapter, "local", 5), VARVE_TAG_LATER);
    varve_add_object(root, "adam");
    return root;
}

static void write_report(varve_restoration *found, const char *name)
{
    varve_status status = VARVE_OK;
    const char *path = path_of(name);
    varve_report *report = found ? varve_report_new(found, &error) : NULL;
    const char *json = report ? varve_report_json(report, &error) : NULL;
    FILE *file = json ? fopen(path, "w") : NULL;
    if (!file || fputs(json, file) < 0 || fclose(file))
        status = VARVE_IO;
    varve_report_free(report);
    need(!status);
    varve_restoration_free(found);
}

static void make_reports(void)
{
    const varve_rename renames[] = { { "decoder/**", "old_decoder/**" } };
    varve_read_options options = { .salvage.on = true,
        .except = "model/encoder/scale",
        .rename = { .list = renames,
        .count = 1 },
        .expect.unexpected = "old" };
    write_saved();
    damage("saved.varve", "model/encoder/bias");
    const char *saved = path_of("saved.varve");
    varve_node *root = build_program(16);
    write_report(varve_read(root, saved, &options, &error), "report.json");
    varve_graph_free(varve_node_graph(root));
    root = build_program(20);
    options.salvage.on = false;
    write_report(varve_dry_run(root, saved, &options, &error), "plan.json");
    varve_graph_free(varve_node_graph(root));
}

int main(int argc, char **argv)
{
    folder = argc > 1 ? argv[1] : ".";
    make_small();
    make_gan();
    make_many(argc > 2 ? atol(argv[2]) : 100000);
    make_hostile();
    make_deep();
    make_reports();
    return 0;
}
