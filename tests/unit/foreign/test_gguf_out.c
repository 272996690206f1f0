/* test_gguf_out.c - Tests writing GGUF files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "gguf_out.h"

#include <stdio.h>

#include "gguf_sample.h"
#include "readers.h"
#include "structure.h"
#include "targets.h"

static float weight[6] = { 1, 2, 3, 4, 5, 6 };
static int8_t small[3] = { 1, -2, 3 };
static int64_t step = 7;
static char one = 'x';

static void build(varve_node *root)
{
    varve_node *layer = varve_add_object(root, "layer");
    varve_node *w =
        varve_add_variable(layer, "weight", varve_array(weight, 2, 3));
    varve_add_variable(root, "small", varve_array(small, 3));
    varve_add_variable(root, "step", varve_scalar(&step));
    varve_node *adam = varve_add_object(root, "adam");
    varve_add_slot(adam, w, "m", varve_array(COPY_OF(weight), 2, 3));
}

TEST(gguf_out, writes_a_readable_file)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    cr_assert_ok(write_graph(
        &w, "a.gguf", VARVE_FORMAT_GGUF, build, &reported, &error), error);
    cr_assert_str_eq(reported.text, "");
    varve_reader *r = vv_reader_open_in(&w.context, "a.gguf", &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(varve_reader_format(r), VARVE_FORMAT_GGUF);
    check_value(r, "small", "int8[3]", small, 3);
    if (!VV_BIG_ENDIAN) {
        check_value(r, "layer/weight", "float32[2,3]", weight, 24);
        check_value(r, "adam/m(layer/weight)", "float32[2,3]", weight, 24);
        check_value(r, "step", "int64[]", &step, 8);
    }
    varve_saved_node node;
    cr_assert(varve_reader_find(r, "step", &node));
    cr_assert_eq(node.offset % 32, 0);
    varve_reader_free(r);
    world_free(&w);
}

/* The layout of gguf_write_to_file of ggml. */
TEST(gguf_out, writes_the_layout_of_ggml)
{
    static const char head[] = "GGUF\3\0\0\0\2\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0"
        "\1\0\0\0\0\0\0\0k\x08\0\0\0\2\0\0\0\0\0\0\0me" /* text */
        "\1\0\0\0\0\0\0\0a\1\0\0\0\3\0\0\0\0\0\0\0\x18\0\0\0"
        "\0\0\0\0\0\0\0\0"
        "\1\0\0\0\0\0\0\0b\2\0\0\0\3\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\0\0\0\0"
        "\x20\0\0\0\0\0\0\0";
    struct world w = world_new();
    varve_error error = { 0 };
    varve_metadata text = { .name = "k", .kind = VARVE_METADATA_STRING,
        .string = "me" };
    varve_write_options options = { .format = VARVE_FORMAT_GGUF,
        .metadata = &text, .metadata_count = 1 };
    varve_graph *graph = vv_graph_new_in(&w.context);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "a", varve_array(small, 3));
    varve_add_variable(root, "b", varve_array(weight, 2, 3));
    cr_assert_ok(varve_write(root, "a.gguf", &options, &error), error);
    varve_graph_free(graph);
    size_t size;
    unsigned char *bytes = memory_bytes(w.memory, "a.gguf", &size);
    cr_assert_eq(size, 128 + 32 + 32);
    cr_assert_eq(memcmp(bytes, head, sizeof head - 1), 0);
    cr_assert_eq(memcmp(bytes + 128, small, 3), 0);
    for (size_t i = 131; i < 160; i++)
        cr_assert_eq(bytes[i], 0);
    cr_assert(VV_BIG_ENDIAN || memcmp(bytes + 160, weight, 24) == 0);
    world_free(&w);
}

/* --- Files that were read ------------------------------------------------- */

static struct gguf_file f;

/* Writes a file with an array, a 32-bit number, and a quantized tensor. */
static void put_model(void)
{
    unsigned char block[18];
    put_head(&f, 2, 4);
    put_string(&f, "general.architecture");
    put32(&f, VV_GGUF_STRING);
    put_string(&f, "llama");
    put_alignment(&f, 64);
    put_string(&f, "llama.block_count");
    put32(&f, VV_GGUF_UINT32);
    put32(&f, 2);
    put_string(&f, "tokens");
    put32(&f, VV_GGUF_ARRAY);
    put32(&f, VV_GGUF_STRING);
    put64(&f, 1);
    put_string(&f, "word");
    put_tensor(&f, "q", 2, 32, 0);
    put_tensor(&f, "w", 0, 2, 64);
    put_padding(&f, 64);
    for (size_t i = 0; i < sizeof block; i++)
        block[i] = (unsigned char)(i + 1);
    put(&f, block, sizeof block);
    put_padding(&f, 64);
    put(&f, "\0\0\x80\x3f\0\0\0\x40", 8);
}

/* Reads the file as a graph and writes it again. The graph must be freed. */
static varve_graph *write_again(const varve_metadata *metadata, size_t count,
    const char *losses)
{
    struct losses reported = { "" };
    varve_error error = { 0 };
    varve_write_options options = { .format = VARVE_FORMAT_GGUF,
        .metadata = metadata, .metadata_count = count,
        .foreign = { .loss = add_loss, .loss_user = &reported } };
    put_model();
    place_file(&f);
    varve_graph *graph =
        vv_graph_from_in(&f.context, GGUF_PATH, NULL, &error);
    cr_assert(graph, "%s", error.message);
    if (!metadata)
        options.metadata =
            varve_graph_metadata(graph, &options.metadata_count);
    cr_assert_ok(varve_write(
        varve_graph_root(graph), "again.gguf", &options, &error), error);
    cr_assert_str_eq(reported.text, losses);
    return graph;
}

static bool contains(const void *part, size_t size)
{
    size_t all;
    unsigned char *bytes = memory_bytes(f.memory, "again.gguf", &all);
    for (size_t i = 0; i + size <= all; i++) {
        if (memcmp(bytes + i, part, size) == 0)
            return true;
    }
    return false;
}

static void end_again(varve_graph *graph)
{
    varve_graph_free(graph);
    close_file(&f, NULL);
}

#define COUNT_OF_2 "llama.block_count\4\0\0\0\2\0\0\0"
#define TOKENS "tokens\x09\0\0\0\x08\0\0\0\1\0\0\0\0\0\0\0\4\0\0\0\0\0\0\0word"
#define ARCHITECTURE "general.architecture\x08\0\0\0\5\0\0\0\0\0\0\0llama"
#define PART(text) contains(text, sizeof(text) - 1)

TEST(gguf_out, writes_a_read_file_unchanged)
{
    varve_graph *graph = write_again(NULL, 0, "");
    varve_error error = { 0 };
    cr_assert(PART(COUNT_OF_2));
    cr_assert(PART(TOKENS));
    cr_assert(PART(ARCHITECTURE));
    cr_assert_not(PART("general.alignment"));
    varve_reader *r = vv_reader_open_in(&f.context, "again.gguf", &error);
    cr_assert(r, "%s", error.message);
    varve_saved_node node;
    cr_assert(varve_reader_find(r, "q", &node));
    cr_assert_str_eq(varve_reader_tag_at(r, node.id, 0), "gguf:Q4_0");
    check_value(r, "q", "uint8[18]",
        "\1\2\3\4\5\6\7\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12", 18);
    check_value(r, "w", "float32[2]", "\0\0\x80\x3f\0\0\0\x40", 8);
    varve_reader_free(r);
    end_again(graph);
}

TEST(gguf_out, prefers_given_metadata_to_that_of_the_file)
{
    varve_metadata given[] = {
        { .name = "llama.block_count", .kind = VARVE_METADATA_INTEGER,
            .integer = 2 },
        { .name = "tokens", .kind = VARVE_METADATA_STRING, .string = "none" },
        { .name = "general.alignment", .kind = VARVE_METADATA_INTEGER,
            .integer = 64 },
        { .name = "eps", .kind = VARVE_METADATA_REAL, .real = 0.5 },
        { .name = "flag", .kind = VARVE_METADATA_BOOLEAN, .integer = 1 },
    };
    varve_graph *graph = write_again(given, 5, "");
    cr_assert(PART("llama.block_count\x0b\0\0\0\2\0\0\0\0\0\0\0"));
    cr_assert_not(PART(COUNT_OF_2));
    cr_assert(PART("tokens\x08\0\0\0\4\0\0\0\0\0\0\0none"));
    cr_assert(PART("eps\x0c\0\0\0\0\0\0\0\0\0\xe0\x3f"));
    cr_assert(PART("flag\7\0\0\0\1"));
    cr_assert(PART(ARCHITECTURE));
    cr_assert_not(PART("general.alignment"));
    end_again(graph);
}

/* --- Unsupported content -------------------------------------------------- */

static uint8_t byte = 1;
static float none[1];

static void build_lossy(varve_node *root)
{
    varve_state_callbacks callbacks = { save_byte, load_byte };
    varve_add_state(root, "state", &callbacks, &one);
    varve_add_variable(root, "byte", varve_scalar(&byte));
    varve_add_variable(root, "none", varve_array(none, 0, 2));
    varve_node *list = varve_add_list(root, "list");
    varve_node *w = varve_add_variable(list, VARVE_APPEND,
        varve_array(weight, 6));
    varve_track(root, "same", w);
    varve_tag(root, "mine");
}

TEST(gguf_out, reports_omitted_data)
{
    struct world w = world_new();
    struct losses reported = { "" };
    varve_error error = { 0 };
    cr_assert_ok(write_graph(&w, "a.gguf", VARVE_FORMAT_GGUF, build_lossy,
                     &reported, &error),
        error);
    static const char *const says[] = { "state: the bytes of a state\n",
        "byte: a tensor of uint8\n", "none: a tensor without elements\n",
        "list: its kind: a list\n", ": a tag\n", "another path to a node\n" };
    for (size_t i = 0; i < sizeof says / sizeof *says; i++)
        cr_assert(strstr(reported.text, says[i]), "%s", reported.text);
    world_free(&w);
}

static void check_refused_graph(void (*build_it)(varve_node *root),
    varve_status status, const char *message)
{
    struct world w = world_new();
    varve_error error = { 0 };
    cr_assert_eq(write_graph(
        &w, "a.gguf", VARVE_FORMAT_GGUF, build_it, NULL, &error), status);
    cr_assert_str_eq(error.message, message);
    cr_assert_eq(memory_file_count(w.memory), 0);
    world_free(&w);
}

#define NAME_OF_63 \
    "a123456789012345678901234567890123456789012345678901234567890b"

static void build_long(varve_node *root)
{
    varve_add_variable(root, NAME_OF_63 "cd", varve_scalar(&step));
}

static void build_longest(varve_node *root)
{
    varve_add_variable(root, NAME_OF_63 "c", varve_scalar(&step));
}

static void build_deep(varve_node *root)
{
    varve_node *a = varve_add_object(root, "a");
    varve_add_variable(a, "b", varve_array(weight, 1, 1, 1, 2, 3));
}

static void build_twice(varve_node *root)
{
    varve_node *a = varve_add_object(root, "a");
    varve_add_variable(a, "b", varve_scalar(&step));
    varve_add_variable(root, "a/b", varve_scalar(COPY_AT(&step)));
}

TEST(gguf_out, refuses_graphs_that_ggml_does_not_support)
{
    struct world w = world_new();
    varve_error error = { 0 };
    check_refused_graph(build_long, VARVE_LIMIT, "a.gguf: " NAME_OF_63 "cd: "
        "readers of GGUF support names of at most 63 bytes, this one has 64");
    check_refused_graph(build_deep, VARVE_LIMIT, "a.gguf: a/b: GGUF supports "
        "at most 4 dimensions, found 5");
    check_refused_graph(build_twice, VARVE_DUPLICATE, "a.gguf: two values are "
        "named \"a/b\"");
    cr_assert_ok(write_graph(
        &w, "a.gguf", VARVE_FORMAT_GGUF, build_longest, NULL, &error), error);
    world_free(&w);
}

TEST(gguf_out, keeps_the_older_file_after_any_failure)
{
    check_faults("a.gguf", VARVE_FORMAT_GGUF, build);
}

TEST(gguf_out, leaks_nothing_without_memory_for_extra_records)
{
    varve_error error = { 0 };
    varve_status status = VARVE_NO_MEMORY;
    put_model();
    place_file(&f);
    varve_graph *graph =
        vv_graph_from_in(&f.context, GGUF_PATH, NULL, &error);
    cr_assert(graph, "%s", error.message);
    varve_write_options options = { .format = VARVE_FORMAT_GGUF };
    options.metadata = varve_graph_metadata(graph, &options.metadata_count);
    for (long n = 0; status; n++) {
        test_fail_allocation(n, false);
        status = varve_write(
            varve_graph_root(graph), "again.gguf", &options, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        cr_assert_eq(memory_file_count(f.memory), status ? 1 : 2);
        cr_assert(n < 1000);
    }
    varve_graph_free(graph);
    close_file(&f, NULL);
}
