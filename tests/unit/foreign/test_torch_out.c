/* test_torch_out.c - lib/foreign/torch/torch_out.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "structure.h"
#include "torch_out.h"

#include "readers.h"
#include "targets.h"
#include "torch_sample.h"

static float weight[6] = { 1, 2, 3, 4, 5, 6 };
static float bias[2] = { 7, 8 };
static double rate = 0.5, betas[2] = { 0.25, 0.75 };
static varve_string word = { "gr\xc3\xbcn", 5 };

static void build(varve_node *root)
{
    varve_node *model = varve_add_object(root, "model");
    varve_node *layers = varve_add_list(model, "layers");
    varve_node *first = varve_add_object(layers, VARVE_APPEND);
    varve_node *w =
        varve_add_variable(first, "weight", varve_array(weight, 2, 3));
    varve_node *b = varve_add_variable(first, "bias", varve_array(bias, 2));
    varve_track(model, "head", b);
    varve_node *adam = varve_add_object(root, "adam");
    varve_add_slot(adam, w, "exp_avg", varve_array(weight, 2, 3));
    varve_add_slot(adam, b, "exp_avg", varve_array(bias, 2));
    varve_add_variable(adam, "lr", varve_scalar(&rate));
    varve_add_variable(adam, "betas", varve_array(betas, 2));
    varve_add_variable(root, "word", varve_scalar(&word));
}

TEST(torch_out, makes_a_checkpoint_of_a_model_and_its_optimizer)
{
    struct world w = world_new();
    struct told told = { "" };
    varve_error error = { 0 };
    cr_assert_ok(write_graph(
        &w, "a.pt", VARVE_FORMAT_TORCH, build, &told, &error), error);
    cr_assert_str_eq(told.text, "adam: the order in which PyTorch knows what "
        "it trains: it is that of the names\n"
        "model/layers: that it is a list\n");
    varve_reader *r = vv_reader_open_in(&w.context, "a.pt", &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(varve_reader_format(r), VARVE_FORMAT_TORCH);
    check_value(r, "word", "string[]", "\5\0\0\0\0\0\0\0gr\xc3\xbcn", 13);
    if (!VV_BIG_ENDIAN) {
        check_value(r, "model/layers.0.weight", "float32[2,3]", weight, 24);
        check_value(r, "model/head", "float32[2]", bias, 8);
        check_value(r, "adam/exp_avg(model/layers.0.weight)", "float32[2,3]",
            weight, 24);
        check_value(r, "adam/state/0/exp_avg", "float32[2]", bias, 8);
        check_value(r, "adam/param_groups/0/lr", "float64[]", &rate, 8);
        check_value(r, "adam/param_groups/0/betas", "float64[2]", betas, 16);
    }
    varve_saved_node tie, first;
    cr_assert(varve_reader_find(r, "model/head", &tie));
    cr_assert(varve_reader_find(r, "model/layers.0.bias", &first));
    cr_assert_eq(tie.id, first.id);
    cr_assert_eq(first.offset % 64, 0);
    cr_assert_ok(varve_reader_verify(r, NULL, &error), error);
    varve_reader_free(r);
    world_free(&w);
}

/* Reads a file as a graph and writes that. */
static void write_again(struct world *w, const char *path, const char *again)
{
    varve_error error = { 0 };
    struct told told = { "" };
    varve_write_options options = { .format = VARVE_FORMAT_TORCH,
        .loss = tell_loss, .loss_user = &told };
    varve_graph *graph = vv_graph_from_in(&w->context, path, NULL, &error);
    cr_assert(graph, "%s", error.message);
    cr_assert_ok(varve_write(
        varve_graph_root(graph), again, &options, &error), error);
    varve_graph_free(graph);
    cr_assert_str_eq(told.text, "");
    read_back(&w->context, again);
}

/* The first time a pickle may note other things for later. */
TEST(torch_out, writes_again_what_it_read)
{
    struct world w = world_new();
    varve_error error = { 0 };
    size_t b, c;
    cr_assert_ok(write_graph(
        &w, "a.pt", VARVE_FORMAT_TORCH, build, NULL, &error), error);
    write_again(&w, "a.pt", "b.pt");
    write_again(&w, "b.pt", "c.pt");
    unsigned char *first = memory_bytes(w.memory, "b.pt", &b);
    unsigned char *second = memory_bytes(w.memory, "c.pt", &c);
    cr_assert_eq(b, c);
    cr_assert_eq(memcmp(first, second, b), 0);
    world_free(&w);
}

/* Two names that are one key. */
static void build_twice(varve_node *root)
{
    varve_node *a = varve_add_object(root, "a");
    varve_add_variable(a, "b", varve_scalar(&rate));
    varve_add_variable(root, "a.b", varve_scalar(&rate));
}

TEST(torch_out, refuses_two_values_of_one_name)
{
    struct world w = world_new();
    varve_error error = { 0 };
    cr_assert_eq(write_graph(&w, "a.pt", VARVE_FORMAT_TORCH, build_twice, NULL,
        &error), VARVE_DUPLICATE);
    cr_assert_str_eq(error.message, "a.pt: expected values of different names, "
        "found two \"a.b\"");
    cr_assert_eq(memory_file_count(w.memory), 0);
    world_free(&w);
}

static char one = 'x';
static varve_string square[4] = { { "a", 1 }, { "b", 1 }, { "c", 1 },
    { "d", 1 } };

static void build_lossy(varve_node *root)
{
    varve_state_callbacks callbacks = { save_byte, load_byte };
    varve_add_state(root, "state", &callbacks, &one);
    varve_add_variable(root, "square", varve_array(square, 2, 2));
    varve_node *a = varve_add_object(root, "a");
    varve_add_variable(a, "b", varve_scalar(&rate));
    varve_track(root, "c", a);
}

TEST(torch_out, says_what_it_leaves_out)
{
    struct world w = world_new();
    struct told told = { "" };
    varve_error error = { 0 };
    cr_assert_ok(write_graph(
        &w, "a.pt", VARVE_FORMAT_TORCH, build_lossy, &told, &error), error);
    cr_assert(strstr(told.text, "a: another path to an object\n"), "%s",
        told.text);
    cr_assert(strstr(told.text, "square: its value: no dict has a place\n"),
        "%s", told.text);
    cr_assert(strstr(told.text, "state: that it is a state: bytes\n"), "%s",
        told.text);
    varve_reader *r = vv_reader_open_in(&w.context, "a.pt", &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "state", "string[]", "\1\0\0\0\0\0\0\0x", 9);
    check_value(r, "a.b", "float64[]",
        &(double){ rate }, VV_BIG_ENDIAN ? 0 : 8);
    varve_reader_free(r);
    world_free(&w);
}

TEST(torch_out, leaves_what_was_there_whatever_fails)
{
    check_faults("a.pt", VARVE_FORMAT_TORCH, build);
}
