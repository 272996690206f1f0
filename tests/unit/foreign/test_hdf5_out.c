/* test_hdf5_out.c - Tests writing HDF5 files.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* setenv */
#include "hdf5_out.h"

#include "hdf5_sample.h"
#include "structure.h"
#include "targets.h"

#ifdef VV_HAVE_HDF5

static float weight[6] = { 1, 2, 3, 4, 5, 6 };
static float bias[2] = { 7, 8 };
static bool flags[3] = { true, false, true };
static double rate = 0.5;
static uint16_t halves[2] = { 0x3c00, 0x4000 };
static float pair[2] = { 1, -2 };
static varve_string words[3] = { { "gr\xc3\xbcn", 5 }, { "", 0 }, { "x", 1 } };
static char one = 'x';
static double large[64];

static void build(varve_node *root)
{
    varve_node *model = varve_add_object(root, "model");
    varve_node *first = varve_add_object(model, "first");
    varve_node *w =
        varve_add_variable(first, "weight", varve_array(weight, 2, 3));
    varve_node *b = varve_add_variable(first, "bias", varve_array(bias, 2));
    varve_track(model, "tied", b);
    varve_track(model, "again", first);
    varve_track(first, "up", root);
    varve_node *adam = varve_add_object(root, "adam");
    varve_add_slot(adam, w, "m", varve_array(COPY_OF(weight), 2, 3));
    varve_add_slot(adam, b, "m", varve_array(COPY_OF(bias), 2));
    varve_add_slot(adam, b, "v/2", varve_array(COPY_OF(bias), 2));
    varve_add_slot(adam, b, ".", varve_array(COPY_OF(bias), 2));
    varve_add_variable(adam, "rate", varve_scalar(&rate));
    varve_add_variable(root, "large", varve_array(large, 64));
    varve_add_variable(root, "words", varve_array(words, 3));
    varve_add_variable(root, "flags", varve_array(flags, 3));
    varve_add_variable(root, "halves", varve_view(halves, VARVE_FLOAT16,
        VARVE_SHAPE(2)));
    varve_add_variable(root, "brains", varve_view(COPY_OF(halves),
        VARVE_BFLOAT16, VARVE_SHAPE(2)));
    varve_add_variable(root, "eighths", varve_view(COPY_OF(halves),
        VARVE_FLOAT8_E5M2, VARVE_SHAPE(4)));
    varve_add_variable(root, "complex", varve_view(pair, VARVE_COMPLEX64,
        VARVE_SCALAR));
    varve_add_variable(root, "none", varve_array(weight, 0, 3));
    varve_state_callbacks callbacks = { save_byte, load_byte };
    varve_add_state(root, "state", &callbacks, &one);
}

static varve_reader *write_and_open(struct world *w,
    void (*build_it)(varve_node *root), struct losses *reported)
{
    varve_error error = { 0 };
    use_module();
    cr_assert_ok(write_graph(
        w, "a.h5", VARVE_FORMAT_HDF5, build_it, reported, &error), error);
    varve_reader *r = vv_reader_open_in(&w->context, "a.h5", &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(varve_reader_format(r), VARVE_FORMAT_HDF5);
    return r;
}

TEST(hdf5_out, writes_a_graph_with_all_its_paths_and_slots)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    varve_saved_node a, b;
    varve_reader *r = write_and_open(&w, build, &reported);
    cr_assert_str_eq(reported.text, "");
    check_value(r, "words", "string[3]", "\5\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
        "\1\0\0\0\0\0\0\0gr\xc3\xbcnx", 30);
    check_value(r, "flags", "bool[3]", "\1\0\1", 3);
    check_value(r, "none", "float32[0,3]", "", 0);
    check_value(r, "state", "uint8[1]", "x", 1);
    check_value(r, "halves", "float16[2]", "\0\x3c\0\x40", 4);
    check_value(r, "brains", "bfloat16[2]", "\0\x3c\0\x40", 4);
    check_value(r, "eighths", "float8_e5m2[4]", "\0\x3c\0\x40", 4);
    check_value(r, "complex", "complex64[]", "\0\0\x80?\0\0\0\xc0", 8);
    check_value(r, "model/first/weight", "float32[2,3]", weight, 24);
    check_value(r, "adam/m(model/first/weight)", "float32[2,3]", weight, 24);
    check_value(r, "adam/v%2F2(model/first/bias)", "float32[2]", bias, 8);
    check_value(r, "adam/.(model/first/bias)", "float32[2]", bias, 8);
    cr_assert(varve_reader_find(r, "model/tied", &a));
    cr_assert(varve_reader_find(r, "model/again/bias", &b));
    cr_assert_eq(a.id, b.id);
    cr_assert(varve_reader_find(r, "large", &b));
    cr_assert(a.file && b.file && b.offset % 64 == 0);
    cr_assert(varve_reader_find(r, "model/first/up", &a) && a.id == 0);
    cr_assert(varve_reader_find(r, "adam", &a) && a.slot_count == 4);
    cr_assert_eq(a.edge_count, 1);
    cr_assert(varve_reader_find(r, "state", &a));
    cr_assert_eq(a.kind, VARVE_STATE);
    cr_assert_eq(a.tag_count, 0);
    cr_assert_ok(varve_reader_verify(r, NULL, &error), error);
    varve_reader_free(r);
    world_free(&w);
}

TEST(hdf5_out, is_deterministic)
{
    struct world w = world_new();
    varve_error error = { 0 };
    size_t a, b;
    use_module();
    cr_assert_ok(write_graph(
        &w, "a.h5", VARVE_FORMAT_HDF5, build, NULL, &error), error);
    cr_assert_ok(write_graph(
        &w, "b.h5", VARVE_FORMAT_HDF5, build, NULL, &error), error);
    unsigned char *first = memory_bytes(w.memory, "a.h5", &a);
    unsigned char *second = memory_bytes(w.memory, "b.h5", &b);
    cr_assert_eq(a, b);
    cr_assert_eq(memcmp(first, second, a), 0);
    world_free(&w);
}

static unsigned char many[100000];

/* Builds a single value, which is stored at the end of the file. */
static void build_one(varve_node *root)
{
    for (size_t i = 0; i < sizeof many; i++)
        many[i] = (unsigned char)(255 - i % 251);
    varve_add_variable(root, "many", varve_array(many, sizeof many));
}

TEST(hdf5_out, writes_the_last_byte_of_a_file)
{
    struct world w = world_new();
    varve_reader *r = write_and_open(&w, build_one, NULL);
    check_value(r, "many", "uint8[100000]", many, sizeof many);
    varve_saved_node node;
    size_t size;
    cr_assert(varve_reader_find(r, "many", &node));
    memory_bytes(w.memory, "a.h5", &size);
    cr_assert_eq(node.offset + node.size, size);
    varve_reader_free(r);
    world_free(&w);
}

static void build_lossy(varve_node *root)
{
    static varve_string cut = { "a\0b", 3 };
    varve_add_variable(root, "a/b", varve_scalar(&rate));
    varve_add_variable(root, "cut", varve_scalar(&cut));
    varve_add_list(root, "list");
    varve_tag(root, "mine");
    varve_state_callbacks callbacks = { save_byte, load_byte };
    varve_node *state = varve_add_state(root, "state", &callbacks, &one);
    varve_add_variable(state, "child", varve_scalar(COPY_AT(&rate)));
}

TEST(hdf5_out, reports_losses)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_reader *r = write_and_open(&w, build_lossy, &reported);
    cr_assert(
        strstr(reported.text, "cut: the text after a NUL, for readers of C "
                              "strings\n"),
        "%s", reported.text);
    cr_assert(
        strstr(reported.text, "list: its kind: a list\n"), "%s", reported.text);
    cr_assert(strstr(reported.text, ": a tag\n"), "%s", reported.text);
    check_value(r, "a%2Fb", "float64[]", &rate, 8);
    check_value(r, "state/@state", "uint8[1]", "x", 1);
    check_value(r, "state/child", "float64[]", &rate, 8);
    varve_reader_free(r);
    world_free(&w);
}

TEST(hdf5_out, keeps_the_older_file_after_any_failure)
{
    use_module();
    check_faults("a.h5", VARVE_FORMAT_HDF5, build);
}

/* Reads a Keras file as a graph and writes it: the names are the original
 * ones. */
TEST(hdf5_out, restores_the_names_of_keras)
{
    struct world w = world_new();
    varve_error error = { 0 };
    varve_saved_node node;
    struct vv_buffer bytes = read_sample("hdf5_model.keras");
    use_module();
    memory_put(w.memory, "a.keras", bytes.data, bytes.size);
    varve_graph *graph =
        vv_graph_from_in(&w.context, "a.keras", NULL, &error);
    cr_assert(graph, "%s", error.message);
    cr_assert_ok(varve_write(varve_graph_root(graph), "b.weights.h5",
        &(varve_write_options){ .format = VARVE_FORMAT_HDF5 }, &error), error);
    varve_graph_free(graph);
    varve_reader *r = vv_reader_open_in(&w.context, "b.weights.h5", &error);
    cr_assert(r, "%s", error.message);
    cr_assert(varve_reader_find(r, "layers/last/vars/0", &node));
    cr_assert_str_eq(node.global_name, "layers/dense_1/vars/0");
    cr_assert(varve_reader_find(r,
        "optimizer/velocity(layers/inner/layers/deep/vars/1)", &node));
    cr_assert(varve_reader_find(r, "optimizer", &node));
    cr_assert_eq(node.slot_count, 14);
    cr_assert_not(varve_reader_find(r, "layers/hidden/kernel", &node));
    varve_reader_free(r);
    vv_buffer_clear(&bytes);
    world_free(&w);
}

#endif
