/* test_onnx_in.c - Tests opening ONNX models.
 *
 * SPDX-License-Identifier: MIT
 */
#include "onnx_in.h"

#include <stdio.h>

#include "onnx_sample.h"

#define GOLDEN_MODEL GOLDEN "/foreign/onnx_model.onnx"

/* --- Bids ----------------------------------------------------------------- */

#define BID(path, text) probe_of(&vv_onnx_format, path, text, sizeof(text) - 1)

TEST(onnx_in, recognizes_its_content_and_name)
{
    cr_assert_eq(BID("a", "\x08\7\x12\2me\x3a\3\x12\1g"), VV_PROBE_LIKELY);
    cr_assert_eq(
        BID("a", "\x08\7\x28\1\x42\2\x10\1\x3a\3\x12\1g"), VV_PROBE_LIKELY);
    cr_assert_eq(BID("a.onnx", "\x08\7\x12\2me"), VV_PROBE_NAME);
    cr_assert_eq(BID("a.onnx", ""), VV_PROBE_NAME);
    cr_assert_eq(BID("a.onnx", "<html>"), VV_PROBE_NAME);
}

TEST(onnx_in, does_not_recognize_other_files)
{
    static const struct {
        const char *bytes;
        size_t size;
    } others[] = {
#define OTHER(text) { text, sizeof(text) - 1 }
        OTHER("\x08\7"),
        OTHER("\x08\0\x3a\3\x12\1g"), /* no version */
        OTHER("\x08\xff\1\x3a\3\x12\1g"),
        OTHER("\x08\1\x12\7\x0a\5model"), /* a SavedModel */
        OTHER("\x0a\7\x12\5Const"),       /* a GraphDef */
        OTHER("\x08\0\0\0TFL3"),
        OTHER("\x1c\0\0\0TFL3"),
        OTHER("\x08\4\x12\3"
              "abc\xa2\x1f\0"),       /* of Core ML */
        OTHER("\x08\7\x3a\3\x18\1g"), /* no graph */
        OTHER("\x08\7\x3a\3\x12\4g"),
        OTHER("\x08\7\x3a\4\x12\1g"),
        OTHER("\x08\7\x3a\xff\xff\xff\xff\xff\xff\xff\xff\xff\1\x12\1g"),
        OTHER("\x08\7\x38\3\x12\1g"),
        OTHER("\x08\7\x12\x7f"
              "ab"),
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        cr_assert_eq(
            probe_of(&vv_onnx_format, "a", others[i].bytes, others[i].size),
            VV_PROBE_NONE, "%zu", i);
    check_no_bid_for_noise(&vv_onnx_format);
}

/* --- Valid files ---------------------------------------------------------- */

static const struct {
    const char *name;
    varve_dtype dtype;
} types[] = {
    { "FLOAT", VARVE_FLOAT32 },
    { "UINT8", VARVE_UINT8 },
    { "INT8", VARVE_INT8 },
    { "UINT16", VARVE_UINT16 },
    { "INT16", VARVE_INT16 },
    { "INT32", VARVE_INT32 },
    { "INT64", VARVE_INT64 },
    { "BOOL", VARVE_BOOL },
    { "FLOAT16", VARVE_FLOAT16 },
    { "DOUBLE", VARVE_FLOAT64 },
    { "UINT32", VARVE_UINT32 },
    { "UINT64", VARVE_UINT64 },
    { "COMPLEX64", VARVE_COMPLEX64 },
    { "COMPLEX128", VARVE_COMPLEX128 },
    { "BFLOAT16", VARVE_BFLOAT16 },
    { "FLOAT8E4M3FN", VARVE_FLOAT8_E4M3FN },
    { "FLOAT8E5M2", VARVE_FLOAT8_E5M2 },
};

static void check_type(varve_reader *reader, const char *prefix, size_t type)
{
    char path[40];
    varve_saved_node node;
    snprintf(path, sizeof path, "%s.%s", prefix, types[type].name);
    if (type >= 14 && strcmp(prefix, "raw") == 0 &&
        !varve_reader_find(reader, path, &node))
        return; /* only in the fields of their types */
    check_count(reader, path, types[type].dtype);
}

static const char *text_of(varve_reader *reader, const char *name)
{
    const varve_metadata *m;
    for (size_t i = 0; (m = varve_reader_metadata_at(reader, i)); i++) {
        if (strcmp(m->name, name) == 0)
            return m->string;
    }
    return NULL;
}

TEST(onnx_in, reads_a_file_of_the_onnx_package)
{
    varve_error error = { 0 };
    varve_reader *reader = varve_reader_open(GOLDEN_MODEL, NULL, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(varve_reader_format(reader), VARVE_FORMAT_ONNX);
    cr_assert_not(varve_reader_has_checksums(reader));
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        check_type(reader, "raw", i);
        check_type(reader, "field", i);
    }
    check_value(reader, "words", "string[2]",
        "\3\0\0\0\0\0\0\0\5\0\0\0\0\0\0\0onegr\xc3\xbcn", 24);
    check_value(reader, "raw.INT4", "uint8[2]", "\x21\3", 2);
    check_value(reader, "field.INT4", "uint8[2]", "\x21\3", 2);
    check_value(reader, "field.FLOAT8E8M0", "uint8[3]", "\x7f\x80\x81", 3);
    check_value(reader, "empty", "float32[0,3]", "", 0);
    check_value(reader, "outside", "float32[2,2]",
        "\0\0\x80\x3f\0\0\0\x40\0\0\x40\x40\0\0\x80\x40", 16);
    check_value(reader, "constant_output", "int32[2]", "\7\0\0\0\x08\0\0\0", 8);
    check_value(reader, "If_1/then_branch/w", "float32[1]", "\0\0\x80\x3f", 4);
    check_value(reader, "If_1/else_branch/w", "float32[1]", "\0\0\0\x40", 4);
    check_value(reader, "loop/body/w", "float32[1]", "\0\0\x40\x40", 4);
    check_value(reader, "loop/body/deep/then_branch/w", "float32[1]",
        "\0\0\x80\x40", 4);
    check_value(reader, "sparse/values", "float32[1]", "\0\0\xa0\x40", 4);
    cr_assert_str_eq(text_of(reader, "onnx.ir_version"), "10");
    cr_assert_str_eq(text_of(reader, "onnx.producer_name"), "make_onnx");
    cr_assert_str_eq(text_of(reader, "onnx.model_version"), "3");
    cr_assert_str_eq(text_of(reader, "onnx.doc_string"), "all of it");
    cr_assert_str_eq(text_of(reader, "onnx.opset.ai.onnx"), "21");
    cr_assert_str_eq(text_of(reader, "onnx.opset.mine"), "1");
    cr_assert_str_eq(text_of(reader, "author"), "me");
    varve_reader_free(reader);
}

TEST(onnx_in, restores_into_a_graph)
{
    float w[2][3] = { { 0 } };
    varve_error error = { 0 };
    varve_read_options options = { .foreign.dots = true };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *raw = varve_add_object(varve_graph_root(graph), "raw");
    varve_add_variable(raw, "FLOAT", varve_array(&w[0][0], 2, 3));
    varve_restoration *found =
        varve_read(varve_graph_root(graph), GOLDEN_MODEL, &options, &error);
    cr_assert(found, "%s", error.message);
    cr_assert_eq(w[1][2], 5);
    varve_restoration_free(found);
    varve_graph_free(graph);
}

/* --- Invalid files -------------------------------------------------------- */

/* Returns true if a truncated model is still valid, since protobuf has no end
 * mark. */
static bool may_end(const struct vv_buffer *model, size_t size)
{
    size_t at = 0;
    bool has_opset = false;
    while (at < size) {
        uint64_t key, value;
        const unsigned char *end = model->data + model->size;
        const unsigned char *next = vv_take_varint(model->data + at, end, &key);
        next = vv_take_varint(next, end, &value);
        at = (size_t)(next - model->data) +
             ((key & 7) == VV_WIRE_SIZED ? (size_t)value : 0);
        has_opset |= key >> 3 == 8;
    }
    return at == size && has_opset;
}

TEST(onnx_in, refuses_every_truncation)
{
    struct world w = world_new();
    struct vv_buffer b = new_bytes();
    size_t size, data_size, ends = 0;
    char *bytes = test_read_file(GOLDEN_MODEL, &size);
    char *data = test_read_file(GOLDEN "/foreign/onnx_model.data", &data_size);
    vv_buffer_add(&b, bytes, size);
    memory_put(w.memory, "onnx_model.data", data, data_size);
    for (size_t i = 1; i <= size; i++) {
        varve_error error = { 0 };
        b.size = i;
        varve_reader *reader = open_bytes(&w, MODEL_PATH, &b, &error);
        b.size = size;
        ends += may_end(&b, i);
        cr_assert_eq(
            reader != NULL, may_end(&b, i), "cut to %zu: %s", i, error.message);
        cr_assert(
            reader || (error.status == VARVE_TRUNCATED &&
                          strncmp(error.message, MODEL_PATH ": ", 12) == 0),
            "%zu: %s", i, error.message);
        varve_reader_free(reader);
    }
    cr_assert_eq(ends, 3); /* after each opset, and the whole model */
    for (size_t i = 0; i < data_size; i++) {
        varve_error error = { 0 };
        memory_put(w.memory, "onnx_model.data", data, i);
        cr_assert_null(open_bytes(&w, MODEL_PATH, &b, &error));
        cr_assert_eq(error.status, VARVE_TRUNCATED, "%s", error.message);
    }
    vv_buffer_clear(&b);
    free(bytes);
    free(data);
    world_free(&w);
}

TEST(onnx_in, refuses_two_graphs_and_omits_invalid_texts)
{
    struct vv_buffer graph = new_bytes();
    put_text(&graph, 2, "g");
    struct vv_buffer model = new_model(&graph);
    size_t size = model.size;
    put_bytes(&model, 7, NULL, 0);
    check_refused(MODEL_PATH, &model, VARVE_CORRUPT, "a second graph");
    model.size = size;
    put_text(&model, 2, "\xff");
    struct world w = world_new();
    varve_error error = { 0 };
    const char *path, *what;
    varve_reader *r = open_bytes(&w, MODEL_PATH, &model, &error);
    cr_assert(r, "%s", error.message);
    cr_assert(varve_reader_left_out_at(r, 0, &path, &what));
    cr_assert_str_eq(path, "onnx.producer_name");
    varve_reader_free(r);
    world_free(&w);
    model.size = size;
    put_number(&model, 14, 1);
    check_refused(MODEL_PATH, &model, VARVE_CORRUPT, "field 14");
    vv_buffer_clear(&model);
}

TEST(onnx_in, may_lack_an_opset_in_its_first_versions)
{
    struct vv_buffer model = new_bytes(), graph = new_bytes();
    struct world w = world_new();
    varve_error error = { 0 };
    put_number(&model, 1, 2);
    put_text(&graph, 2, "g");
    put_message(&model, 7, &graph);
    put_number(&model, 5, UINT64_MAX);
    put_pair(&model, 14, "", "no key");
    varve_reader *reader = open_bytes(&w, MODEL_PATH, &model, &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_str_eq(text_of(reader, "onnx.model_version"), "-1");
    varve_reader_free(reader);
    model.data[1] = 3;
    check_refused(MODEL_PATH, &model, VARVE_TRUNCATED, "an opset_import");
    vv_buffer_clear(&model);
    world_free(&w);
}

TEST(onnx_in, leaks_nothing_without_memory)
{
    struct vv_buffer graph = new_bytes(), branch = new_bytes();
    struct vv_buffer t = new_tensor("w", T_FLOAT, 1, "1234", 4);
    put_message(&branch, 5, &t);
    t = new_tensor("w", T_INT64, 1, NULL, 0);
    put_bytes(&t, 7, "\1", 1);
    put_message(&graph, 5, &t);
    struct vv_buffer a = new_bytes(), node = new_bytes();
    put_text(&a, 1, "then");
    put_message(&a, 6, &branch);
    put_text(&node, 3, "n");
    put_message(&node, 5, &a);
    put_message(&graph, 1, &node);
    struct vv_buffer model = new_model(&graph);
    put_pair(&model, 14, "key", "value");
    check_without_memory(MODEL_PATH, &model);
    vv_buffer_clear(&model);
}
