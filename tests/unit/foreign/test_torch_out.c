/* test_torch_out.c - Tests writing torch files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <locale.h>
#include <stdio.h>

#include "structure.h"
#include "torch_file.h"
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
    varve_add_slot(adam, w, "exp_avg", varve_array(COPY_OF(weight), 2, 3));
    varve_add_slot(adam, b, "exp_avg", varve_array(COPY_OF(bias), 2));
    varve_add_variable(adam, "lr", varve_scalar(&rate));
    varve_add_variable(adam, "betas", varve_array(betas, 2));
    varve_add_variable(root, "word", varve_scalar(&word));
}

TEST(torch_out, writes_a_model_and_its_optimizer)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    cr_assert_ok(
        write_graph(&w, "a.pt", VARVE_FORMAT_TORCH, build, &reported, &error),
        error);
    cr_assert_str_eq(reported.text,
        "adam: the order of its parameters: they are "
        "written in the order of their names\n"
        "model/layers: its kind: a list\n");
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

/* Reads a file as a graph and writes it again. */
static void write_again(struct world *w, const char *path, const char *again)
{
    varve_error error = { 0 };
    struct losses reported = { "" };
    varve_write_options options = { .format = VARVE_FORMAT_TORCH,
        .foreign = { .loss = add_loss, .loss_user = &reported } };
    varve_graph *graph = vv_graph_from_in(&w->context, path, NULL, &error);
    cr_assert(graph, "%s", error.message);
    cr_assert_ok(varve_write(
        varve_graph_root(graph), again, &options, &error), error);
    varve_graph_free(graph);
    cr_assert_str_eq(reported.text, "");
    read_back(&w->context, again);
}

/* The first pickle may memoize other objects. */
TEST(torch_out, writes_a_read_file_unchanged)
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

/* The floats of a dict, each with its position, as eight bytes; then an integer
 * and a text that resembles a number. */
static const double reals[] = { 0.5, -0.25, 0.1, 1e300, -5e-324, 3, 1e22,
    123456789.125, 1.0 / 3 };

enum { REALS = sizeof reals / sizeof *reals };

static void put_reals(struct vv_buffer *b)
{
    OP(b, "}(");
    for (int i = 0; i < REALS; i++) {
        uint64_t bits;
        memcpy(&bits, &reals[i], sizeof bits);
        vv_buffer_add8(b, 'G');
        for (int shift = 56; shift >= 0; shift -= 8)
            vv_buffer_add8(b, (uint8_t)(bits >> shift));
        put_integer(b, i);
    }
    put_integer(b, INT64_MIN);
    OP(b, "K\1");
    put_text(b, "0.75");
    OP(b, "K\1u.");
}

/* Checks the pickle of the archive, whose entries are stored. */
static void check_keys(struct world *w, const char *path)
{
    size_t size;
    varve_error error = { 0 };
    struct vv_foreign *f = vv_allocate_zeroed(test_allocator(), sizeof *f);
    uint32_t number;
    f->context = &w->context;
    cr_assert_ok(vv_foreign_add_file(f, path, &number, &error), error);
    struct vv_torch_file *file = vv_torch_file_new(f);
    struct vv_pickle p;
    cr_assert_ok(vv_torch_file_read(file, f, vv_zip_whole(f, 0), &error),
        error);
    cr_assert_ok(vv_torch_file_pickle(file, &p, &error), error);
    uint32_t at = vv_pickle_item(&p, p.root)->first;
    for (size = 0; at; size++) {
        struct vv_pickle_link key = vv_pickle_link(&p, at);
        const struct vv_pickle_item *item = vv_pickle_item(&p, key.item);
        at = vv_pickle_link(&p, key.next).next;
        double real = size < REALS ? vv_pickle_real(item) : 0;
        if (size < REALS)
            cr_assert(item->kind == VV_PICKLE_REAL &&
                memcmp(&real, &reals[size], sizeof real) == 0, "%zu: %a", size,
                real);
        if (size == REALS)
            cr_assert_eq(vv_pickle_integer(item), INT64_MIN);
        if (size == REALS + 1)
            cr_assert(vv_pickle_is_text(&p, key.item, "0.75"));
    }
    cr_assert_eq(size, REALS + 2);
    vv_pickle_clear(&p);
    vv_foreign_free(f);
}

/* In each of these locales that is installed; `guest comma` installs one. */
TEST(torch_out, writes_numeric_keys_in_any_locale)
{
    static const char *const locales[] = { "C", "de_DE.UTF-8", "fr_FR.UTF-8",
        "" };
    for (size_t i = 0; i < sizeof locales / sizeof *locales; i++) {
        struct world w = world_new();
        struct vv_buffer b = new_bytes();
        put_reals(&b);
        struct vv_buffer file = new_torch(&b, NULL);
        memory_put(w.memory, "a.pt", file.data, file.size);
        if (setlocale(LC_NUMERIC, locales[i])) {
            write_again(&w, "a.pt", "b.pt");
            check_keys(&w, "b.pt");
        }
        setlocale(LC_NUMERIC, "C");
        vv_buffer_clear(&file);
        vv_buffer_clear(&b);
        world_free(&w);
    }
}

/* Builds two names with the same key. */
static void build_twice(varve_node *root)
{
    varve_node *a = varve_add_object(root, "a");
    varve_add_variable(a, "b", varve_scalar(&rate));
    varve_add_variable(root, "a.b", varve_scalar(COPY_AT(&rate)));
}

static void build_nothing(varve_node *root)
{
    varve_add_object(root, "criterion");
}

/* For example a module without parameters. */
TEST(torch_out, writes_a_graph_without_values)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    cr_assert_ok(write_graph(&w, "a.pt", VARVE_FORMAT_TORCH, build_nothing,
                     &reported, &error),
        error);
    varve_reader *r = vv_reader_open_in(&w.context, "a.pt", &error);
    cr_assert(r, "%s", error.message);
    varve_reader_free(r);
    world_free(&w);
}

TEST(torch_out, refuses_duplicate_names)
{
    struct world w = world_new();
    varve_error error = { 0 };
    cr_assert_eq(write_graph(&w, "a.pt", VARVE_FORMAT_TORCH, build_twice, NULL,
        &error), VARVE_DUPLICATE);
    cr_assert_str_eq(error.message, "a.pt: two values have the name \"a.b\"");
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

TEST(torch_out, reports_omitted_data)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    cr_assert_ok(write_graph(
        &w, "a.pt", VARVE_FORMAT_TORCH, build_lossy, &reported, &error), error);
    cr_assert(strstr(reported.text, "a: another path to an object\n"), "%s",
        reported.text);
    cr_assert(strstr(reported.text, "square: its value: it is in no dict\n"),
        "%s", reported.text);
    cr_assert(strstr(reported.text, "state: its kind: a state, written as "
        "bytes\n"), "%s", reported.text);
    varve_reader *r = vv_reader_open_in(&w.context, "a.pt", &error);
    cr_assert(r, "%s", error.message);
    check_value(r, "state", "string[]", "\1\0\0\0\0\0\0\0x", 9);
    check_value(r, "a.b", "float64[]",
        &(double){ rate }, VV_BIG_ENDIAN ? 0 : 8);
    varve_reader_free(r);
    world_free(&w);
}

TEST(torch_out, keeps_the_older_file_after_any_failure)
{
    check_faults("a.pt", VARVE_FORMAT_TORCH, build);
}
