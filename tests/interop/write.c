/* write.c - Writes graphs in other formats, for other programs to read.
 *
 *     write CASE TO FORMAT TWIN [SHARD_SIZE]
 *
 * The same graph is written to TWIN, a Varve file.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

#include "format_name.h"

/* --- Values --------------------------------------------------------------- */

/* Fills with reproducible random-looking bits, including NaNs of every kind in
 * floating-point values. */
static varve_status fill(const varve_tensor *tensor, void *user)
{
    static uint64_t state = 1;
    unsigned char *bytes = tensor->data;
    size_t size = (size_t)varve_tensor_size(tensor);
    (void)user;
    for (size_t i = 0; i < size; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (unsigned char)(state >> 56);
        if (tensor->dtype == VARVE_BOOL)
            bytes[i] &= 1;
    }
    if (tensor->dtype == VARVE_FLOAT32 && size >= 8)
        memcpy(bytes, (uint32_t[]){ 0x7fa12345, 0xffc0beef }, 8);
    if (tensor->dtype == VARVE_FLOAT64 && size >= 8)
        memcpy(bytes, (uint64_t[]){ 0x7ff4123456789abc }, 8);
    return VARVE_OK;
}

static varve_node *add(varve_node *parent, const char *name,
    varve_dtype dtype, varve_shape shape)
{
    return varve_add_allocated_variable(
        parent, name, dtype, shape, fill, NULL);
}

static varve_node *add_floats(
    varve_node *parent, const char *name, uint64_t rows, uint64_t columns)
{
    return add(parent, name, VARVE_FLOAT32, VARVE_SHAPE(rows, columns));
}

static void add_strings(varve_node *root)
{
    static varve_string table[] = { { "a", 1 }, { "", 0 },
        { "\xff\x00\xfe", 3 }, { "gr\xc3\xbc\xc3\x9f" "e", 7 } };
    static varve_string one[] = { { "alone", 5 } };
    varve_node *strings = varve_add_object(root, "strings");
    varve_add_variable(strings, "table", varve_array(table, 2, 2));
    varve_add_variable(strings, "scalar", varve_scalar(&one[0]));
    varve_add_variable(strings, "none",
        varve_view(NULL, VARVE_STRING, VARVE_SHAPE(3, 0)));
}

/* --- Graphs --------------------------------------------------------------- */

static void build_types(varve_node *root, varve_dtype first, varve_dtype last)
{
    for (varve_dtype t = first; t <= last; t++) {
        varve_node *parent = varve_add_object(root, varve_dtype_name(t));
        add(parent, "matrix", t, VARVE_SHAPE(3, 5));
        add(parent, "scalar", t, VARVE_SCALAR);
        add(parent, "none", t, VARVE_SHAPE(2, 0, 4));
    }
}

static void types(varve_node *root)
{
    build_types(root, VARVE_BOOL, VARVE_FLOAT8_E5M2);
    add_strings(root);
}

/* Adds the types of safetensors. */
static void types_numbers(varve_node *root)
{
    build_types(root, VARVE_BOOL, VARVE_COMPLEX64);
    build_types(root, VARVE_FLOAT8_E4M3FN, VARVE_FLOAT8_E5M2);
}

/* Adds the types of NumPy. */
static void types_plain(varve_node *root)
{
    build_types(root, VARVE_BOOL, VARVE_FLOAT16);
    build_types(root, VARVE_FLOAT32, VARVE_COMPLEX128);
}

static void shapes(varve_node *root)
{
    add(root, "scalar", VARVE_FLOAT32, VARVE_SCALAR);
    add(root, "one", VARVE_FLOAT32, VARVE_SHAPE(1));
    add(root, "none", VARVE_FLOAT32, VARVE_SHAPE(0));
    add(root, "deep", VARVE_INT16, VARVE_SHAPE(1, 2, 1, 2, 1, 2, 1, 2));
}

static void names(varve_node *root)
{
    static const char *const all[] = { "a.b", "..", ".ATTRIBUTES", "b c",
        "100%", "*", "a|b", "f(x)", "gr\xc3\xbc\xc3\x9f", "\xe6\x97\xa5",
        "\xf0\x9f\x98\x80", "tab\there", "VARIABLE_VALUE", "c:0", "\"q\"",
        "back\\slash" };
    varve_node *object = varve_add_object(root, "names");
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        add_floats(object, all[i], 1, 2);
}

static void names_with_slashes(varve_node *root)
{
    static const char *const all[] = { "a/b", "/", "c/", "/d", "e//f",
        "g/.S", "h/.ATTRIBUTES/i" };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        add_floats(root, all[i], 1, 2);
}

static varve_status save_state(void *self, varve_sink *sink)
{
    varve_put(sink, self, strlen(self));
    return VARVE_OK;
}

static varve_status load_state(void *self, const void *bytes, size_t size)
{
    return strlen(self) == size && !memcmp(self, bytes, size)
        ? VARVE_OK
        : VARVE_CALLBACK;
}

/* Adds shared nodes, a cycle, containers and states. */
static void graph(varve_node *root)
{
    static char text[] = "{\"epoch\": 3}", nothing[] = "";
    static const varve_state_callbacks callbacks = { save_state, load_state };
    varve_node *a = varve_add_object(root, "a");
    varve_node *b = varve_add_object(a, "b");
    varve_track(b, "back", a);
    varve_track(b, "root", root);
    varve_node *shared = add_floats(a, "shared", 2, 2);
    varve_track(b, "also", shared);
    varve_node *list = varve_add_list(root, "list");
    for (int i = 0; i < 12; i++)
        add_floats(list, VARVE_APPEND, 1, 1);
    varve_node *dict = varve_add_dict(root, "dict");
    add_floats(dict, "key", 1, 3);
    varve_add_list(dict, "empty");
    varve_add_state(root, "state", &callbacks, text);
    varve_add_state(root, "nothing", &callbacks, nothing);
}

static varve_node *add_dense(varve_node *model, int number, uint64_t inputs,
    uint64_t outputs)
{
    char name[64];
    snprintf(name, sizeof name, "layer_with_weights-%d", number);
    varve_node *layer = varve_add_object(model, name);
    snprintf(name, sizeof name, "layer-%d", number);
    varve_track(model, name, layer);
    add_floats(layer, "kernel", inputs, outputs);
    add(layer, "bias", VARVE_FLOAT32, VARVE_SHAPE(outputs));
    return layer;
}

static void add_slots(varve_node *adam, varve_node *layer)
{
    static const char *const of[] = { "kernel", "bias" };
    for (size_t i = 0; i < 2; i++) {
        varve_node *variable = varve_find(layer, of[i]);
        const varve_tensor *value = varve_value(variable);
        varve_shape shape = varve_shape_of(value->rank, value->shape);
        varve_add_allocated_slot(
            adam, variable, "m", value->dtype, shape, fill, NULL);
        varve_add_allocated_slot(
            adam, variable, "v", value->dtype, shape, fill, NULL);
    }
}

/* Adds the same model as keras_adam of tests/golden/foreign. */
static void adam(varve_node *root)
{
    static const char *const numbers[] = { "beta_1", "beta_2", "decay",
        "learning_rate" };
    varve_node *model = varve_add_object(root, "model");
    varve_node *hidden = add_dense(model, 0, 4, 8);
    varve_node *output = add_dense(model, 1, 8, 3);
    varve_node *optimizer = varve_add_object(root, "optimizer");
    add(optimizer, "iter", VARVE_INT64, VARVE_SCALAR);
    for (size_t i = 0; i < 4; i++)
        add(optimizer, numbers[i], VARVE_FLOAT32, VARVE_SCALAR);
    add_slots(optimizer, hidden);
    add_slots(optimizer, output);
}

static void large(varve_node *root)
{
    add_floats(root, "a", 1031, 1033);
    add(root, "b", VARVE_UINT8, VARVE_SHAPE(3 * 1024 * 1024 + 1));
    add(root, "c", VARVE_FLOAT64, VARVE_SHAPE(513, 255));
}

static void many(varve_node *root)
{
    char name[400];
    varve_node *list = varve_add_list(root, "list");
    for (int i = 0; i < 3000; i++) {
        memset(name, 'n', sizeof name);
        snprintf(name + 200, sizeof name - 200, "%d", i);
        add_floats(varve_add_object(list, VARVE_APPEND), name, 1, 1);
    }
}

static void nothing(varve_node *root)
{
    (void)root;
}

static const struct {
    const char *name;
    void (*build)(varve_node *root);
} cases[] = {
    { "types", types }, { "types_numbers", types_numbers },
    { "types_plain", types_plain }, { "shapes", shapes }, { "names", names },
    { "names_with_slashes", names_with_slashes }, { "graph", graph },
    { "adam", adam }, { "large", large }, { "many", many },
    { "nothing", nothing },
};

static varve_graph *build(const char *name)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        if (strcmp(cases[i].name, name))
            continue;
        varve_graph *made = varve_graph_new(NULL);
        cases[i].build(varve_graph_root(made));
        return made;
    }
    return NULL;
}

int main(int argc, char **argv)
{
    varve_error error = { 0 };
    varve_write_options options = { .no_sync = true };
    varve_write_options twin = { .no_sync = true };
    varve_graph *made = argc >= 5 ? build(argv[1]) : NULL;
    if (!made || !format_of_name(argv[3], &options.format)) {
        fprintf(stderr, "usage: write CASE TO FORMAT TWIN [SHARD_SIZE]\n");
        varve_graph_free(made);
        return 2;
    }
    options.foreign.shard_size = argc > 5 ? strtoull(argv[5], NULL, 10) : 0;
    varve_node *root = varve_graph_root(made);
    varve_status status = varve_write(root, argv[4], &twin, &error);
    if (!status)
        status = varve_write(root, argv[2], &options, &error);
    if (status)
        fprintf(stderr, "%s\n", error.message);
    varve_graph_free(made);
    return status != VARVE_OK;
}
