/* make_sample.c - Writes the checkpoint for the tests of the command line: a
 * small model with every kind of node.
 *
 *     make_sample FILE          the sample
 *     make_sample FILE COUNT    a list of COUNT scalars
 *     make_sample FILE texts    states and strings that are text, or not
 *     make_sample PREFIX save   the sample as PREFIX-1.varve, with its number
 *     make_sample PREFIX layers  the same, as an incremental checkpoint
 *     make_sample FILE changed   the sample, with a difference of each kind
 *
 * SPDX-License-Identifier: MIT
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <varve/varve.h>

static float kernel[64 * 20];
static float bias[20];
static float other_kernel[20 * 10];
static float moments[4][64 * 20];
static float scratch[256];
static int64_t step = 12000;
static double rate = 0.001;
static uint8_t engine[48];

static void fill(void *at, size_t size)
{
    unsigned char *bytes = at;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 37 + size);
}

static void fill_floats(float *at, size_t count)
{
    for (size_t i = 0; i < count; i++)
        at[i] = (float)(i % 17) / 16 - 0.5f;
}

static varve_status save_engine(void *self, varve_sink *sink)
{
    varve_put(sink, self, sizeof engine);
    return VARVE_OK;
}

static varve_status load_engine(void *self, const void *bytes, size_t size)
{
    if (size != sizeof engine)
        return VARVE_CALLBACK;
    memcpy(self, bytes, size);
    return VARVE_OK;
}

static void add_model(varve_node *root, varve_node *variables[3])
{
    varve_node *model = varve_add_object(root, "model");
    varve_node *layers = varve_add_list(model, "layers");
    varve_node *first = varve_add_object(layers, VARVE_APPEND);
    varve_node *second = varve_add_object(layers, VARVE_APPEND);
    fill_floats(kernel, 64 * 20);
    fill_floats(bias, 20);
    fill_floats(other_kernel, 20 * 10);
    variables[0] =
        varve_add_variable(first, "kernel", varve_array(kernel, 64, 20));
    variables[1] = varve_add_variable(first, "bias", varve_array(bias, 20));
    variables[2] = varve_add_variable(
        second, "kernel", varve_array(other_kernel, 20, 10));
    varve_track(second, "bias", variables[1]);
    varve_track(second, "owner", model);
    varve_tag(variables[0], VARVE_TAG_TRAINABLE);
    varve_tag(variables[2], VARVE_TAG_TRAINABLE);
    varve_tag(varve_add_variable(model, "scratch", varve_array(scratch, 256)),
        VARVE_TAG_LOCAL);
}

static void add_optimizer(varve_node *root, varve_node *variables[3])
{
    varve_node *optimizer = varve_add_object(root, "optimizer");
    fill_floats(moments[0], 4 * 64 * 20);
    varve_track(optimizer, "model", varve_find(root, "model"));
    varve_add_variable(optimizer, "step", varve_scalar(&step));
    varve_add_variable(optimizer, "rate", varve_scalar(&rate));
    varve_add_slot(
        optimizer, variables[0], "m", varve_array(moments[0], 64, 20));
    varve_add_slot(
        optimizer, variables[0], "v", varve_array(moments[1], 64, 20));
    varve_add_slot(optimizer, variables[1], "m", varve_array(moments[2], 20));
    varve_add_slot(optimizer, variables[1], "v", varve_array(moments[3], 20));
}

/* Adds a variable of each type except strings; small floats in all 256 bit
 * patterns. */
static void add_numbers(varve_node *types)
{
    static unsigned char bytes[VARVE_STRING][256];
    static const unsigned char special[] = { 0x00, 0x7c, 0x80, 0x7f, 0x01,
        0x00, 0x00, 0xfc, 0x01, 0x7e, 0xc0, 0xff };
    for (varve_dtype d = VARVE_BOOL; d < VARVE_STRING; d++) {
        uint64_t count = d < VARVE_FLOAT16 ? 3 : 256 / varve_dtype_size(d);
        fill(bytes[d], sizeof bytes[d]);
        varve_add_variable(types, varve_dtype_name(d),
            varve_view(bytes[d], d, varve_shape_of(1, &count)));
    }
    bytes[VARVE_BOOL][0] = bytes[VARVE_BOOL][2] = 1;
    bytes[VARVE_BOOL][1] = 0;
    memcpy(bytes[VARVE_FLOAT16], special, sizeof special);
    memcpy(bytes[VARVE_BFLOAT16], special, sizeof special);
}

static void add_special(varve_node *types)
{
    static float reals[5];
    static uint64_t largest = UINT64_MAX;
    static varve_string words[4] = { { "plain", 5 }, { "", 0 },
        { "gr\xc3\xb6\xc3\x9f\x65 \"\n", 10 }, { "\xff\x00\x80", 3 } };
    static varve_string name = { "adam", 4 };
    reals[0] = NAN;
    reals[1] = INFINITY;
    reals[2] = -INFINITY;
    reals[3] = 0.1f;
    reals[4] = -0.0f;
    varve_add_variable(types, "special", varve_array(reals, 5));
    varve_add_variable(types, "largest", varve_scalar(&largest));
    varve_add_variable(types, "string", varve_array(words, 2, 2));
    varve_add_variable(types, "name", varve_scalar(&name));
    varve_add_variable(types, "empty",
        varve_view(NULL, VARVE_FLOAT64, VARVE_SHAPE(0, 3)));
}

static void add_odd_names(varve_node *root)
{
    static int16_t all[4][2] = { { 1, -2 }, { 1, -2 }, { 1, -2 }, { 1, -2 } };
    varve_node *odd = varve_add_dict(root, "odd names");
    varve_add_variable(odd, "a/b <c> & \"d\"", varve_array(all[0], 2));
    varve_add_variable(odd, "gr\xc3\xb6\xc3\x9f\x65", varve_array(all[1], 2));
    varve_add_variable(odd, "a_name_that_is_longer_than_a_box_of_a_picture_is",
        varve_array(all[2], 2));
    varve_add_variable(odd, "tab\there", varve_array(all[3], 2));
}

static varve_status write_sample(varve_node *root, const char *path,
    bool is_numbered, bool is_incremental, varve_error *error)
{
    const varve_metadata metadata[] = {
        { .name = "loss", .kind = VARVE_METADATA_REAL, .real = 0.041 },
        { .name = "note", .kind = VARVE_METADATA_STRING,
            .string = "the \"first\" run" },
        { .name = "best", .kind = VARVE_METADATA_BOOLEAN, .integer = 1 },
        { .name = "step", .kind = VARVE_METADATA_INTEGER, .integer = step },
        { .name = "time", .kind = VARVE_METADATA_INTEGER,
            .integer = 1763682067 },
    };
    const varve_write_options options = { .metadata = metadata,
        .metadata_count = sizeof metadata / sizeof *metadata,
        .incremental = is_incremental };
    return is_numbered ? varve_save(root, path, &options, error)
                       : varve_write(root, path, &options, error);
}

static void add_scalars(varve_node *root, size_t count)
{
    static float *zeros; /* kept until the process exits */
    varve_node *list = varve_add_list(root, "items");
    zeros = calloc(count, sizeof *zeros);
    for (size_t i = 0; i < count && zeros; i++)
        varve_add_variable(list, VARVE_APPEND, varve_scalar(&zeros[i]));
}

static varve_status save_bytes(void *self, varve_sink *sink)
{
    const varve_string *bytes = self;
    varve_put(sink, bytes->data, bytes->size);
    return VARVE_OK;
}

static varve_status load_nothing(void *self, const void *bytes, size_t size)
{
    (void)self, (void)bytes, (void)size;
    return VARVE_CALLBACK;
}

static void add_texts(varve_node *root)
{
    static char name[16] = "adam", none[4], large[(1 << 20) + 1];
    static varve_string texts[] = { { large, 5000 }, { large, sizeof large },
        { "one\n\ttwo \"three\" \\", 18 }, { "\x1b[31mred", 8 },
        { "gr\xc3\xb6\xc3\x9f\x65 \xe2\x80\xae", 11 }, { "gr\xf6", 3 },
        { "a\0b", 3 }, { large + 2, 4999 }, { "del\x7f", 4 } };
    static const char *const names[] = { "long", "longest", "escaped", "steers",
        "utf-8", "latin-1", "zeros", "cut", "delete" };
    const varve_state_callbacks callbacks = { save_bytes, load_nothing };
    for (size_t i = 0; i + 1 < sizeof large; i += 4)
        memcpy(large + i, i % 8 ? "\xe2\x82\xac." : "\xc3\xa4--", 4);
    large[sizeof large - 1] = '!';
    varve_node *states = varve_add_object(root, "states");
    varve_node *strings = varve_add_object(root, "strings");
    varve_add_text(states, "name", name, sizeof name);
    varve_add_text(states, "none", none, sizeof none);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        varve_add_state(states, names[i], &callbacks, &texts[i]);
        varve_add_variable(strings, names[i], varve_scalar(&texts[i]));
    }
}

static void add_everything(varve_node *root)
{
    varve_node *variables[3];
    const varve_state_callbacks callbacks = { save_engine, load_engine };
    add_model(root, variables);
    add_optimizer(root, variables);
    fill(engine, sizeof engine);
    varve_add_state(root, "random", &callbacks, engine);
    varve_node *types = varve_add_object(root, "types");
    add_numbers(types);
    add_special(types);
    add_odd_names(root);
}

/* Saves six times with a manager that keeps four. */
static varve_status save_managed(
    varve_node *root, const char *directory, varve_error *error)
{
    static const double accuracies[] = { 0.5, 0.875, 0.625, 0.25, 0.75, 0.5 };
    static float weights[4];
    const varve_manager_options options = { .keep_last = 3,
        .keep_best = 1,
        .best_is_larger = true,
        .metric = "accuracy",
        .run = "01JDR3K5Z8Q4000000000SAMPL" };
    varve_add_variable(root, "weights", varve_array(weights, 4));
    varve_manager *manager =
        varve_manager_new(root, directory, &options, error);
    varve_status status = manager ? VARVE_OK : error->status;
    for (int i = 0; i < 6 && !status; i++) {
        weights[0] = (float)i;
        status = varve_manager_save_with(manager, 100 * (i + 1),
            &(varve_manager_save_options){
                .has_metric = true, .metric = accuracies[i] },
            error);
    }
    varve_manager_free(manager);
    return status;
}

/* Saves two values of 96 MiB that compress to almost nothing. */
static varve_status save_zeros(
    varve_node *root, const char *path, varve_error *error)
{
    size_t count = (size_t)24 << 20;
    float *zeros = calloc(2 * count, sizeof *zeros);
    if (!zeros)
        return VARVE_NO_MEMORY;
    varve_add_variable(root, "large", varve_array(zeros, count));
    varve_add_variable(
        root, "other", varve_array(zeros + count, 1024, count / 1024));
    varve_status status = varve_write(
        root, path, &(varve_write_options){ .compress = 3 }, error);
    free(zeros);
    return status;
}

static void change_some(varve_node *root)
{
    static float own_bias[20];
    static varve_string words[4] = { { "plain", 5 }, { "", 0 },
        { "grey", 4 }, { "\xff\x00\x81", 3 } };
    varve_node *types = varve_find(root, "types");
    varve_node *second = varve_find_path(root, "model/layers/1");
    kernel[17] += 0.25f;
    kernel[40] = NAN;
    step += 1000;
    engine[12] ^= 1;
    fill_floats(own_bias, 20);
    varve_untag(
        varve_find_path(root, "model/layers/0/kernel"), VARVE_TAG_TRAINABLE);
    varve_untrack(second, "bias");
    varve_add_variable(second, "bias", varve_array(own_bias, 20));
    varve_untrack(second, "kernel");
    varve_add_variable(second, "kernel", varve_array(other_kernel, 10, 20));
    varve_untrack(types, "string");
    varve_add_variable(types, "string", varve_array(words, 2, 2));
    varve_untrack(types, "int8");
    varve_add_list(types, "new");
}

int main(int argc, char **argv)
{
    varve_error error = { .status = VARVE_OK };
    if (argc < 2)
        return 2;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    bool is_managed = argc > 2 && strcmp(argv[2], "managed") == 0;
    bool is_zeros = argc > 2 && strcmp(argv[2], "zeros") == 0;
    bool is_incremental = argc > 2 && strcmp(argv[2], "layers") == 0;
    bool is_numbered =
        is_incremental || (argc > 2 && strcmp(argv[2], "save") == 0);
    bool is_changed = argc > 2 && strcmp(argv[2], "changed") == 0;
    if (is_zeros)
        ;
    else if (argc > 2 && strcmp(argv[2], "texts") == 0)
        add_texts(root);
    else if (argc > 2 && !is_numbered && !is_managed && !is_changed)
        add_scalars(root, strtoul(argv[2], NULL, 10));
    else if (!is_managed)
        add_everything(root);
    if (is_changed)
        change_some(root);
    varve_status status = is_zeros ? save_zeros(root, argv[1], &error)
                          : is_managed
                              ? save_managed(root, argv[1], &error)
                              : write_sample(root, argv[1], is_numbered,
                                    is_incremental, &error);
    varve_graph_free(graph);
    if (status == VARVE_OK)
        return 0;
    fprintf(stderr, "%s\n", error.message);
    return 1;
}
