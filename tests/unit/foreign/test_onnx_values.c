/* test_onnx_values.c - Tests the values of ONNX models and their external
 * files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "onnx_values.h"

#include "onnx_sample.h"

static struct world w;
static varve_reader *reader;
static varve_error error;

static void open_model(struct vv_buffer *model)
{
    w = world_new();
    error = (varve_error){ 0 };
    memory_put(w.memory, "d/a.bin", "....\0\0\x80\x3f\0\0\0\x40", 12);
    reader = open_bytes(&w, "d/" MODEL_PATH, model, &error);
    vv_buffer_clear(model);
}

static void end(void)
{
    varve_reader_free(reader);
    world_free(&w);
}

static struct vv_buffer outside(
    const char *location, const char *offset, const char *length)
{
    struct vv_buffer t = new_tensor("w", T_FLOAT, 2, NULL, 0);
    put_number(&t, 14, 1);
    put_pair(&t, 13, "location", location);
    if (offset)
        put_pair(&t, 13, "offset", offset);
    if (length)
        put_pair(&t, 13, "length", length);
    return new_model_of(&t);
}

static const float numbers[] = { 1, 2 };

TEST(onnx_values, are_read_in_place_or_decoded)
{
    struct vv_buffer graph = new_bytes();
    struct vv_buffer t = new_tensor("raw", T_FLOAT, 2, numbers, 8);
    put_message(&graph, 5, &t);
    t = new_tensor("made", T_INT64, 2, NULL, 0);
    put_bytes(&t, 7, "\1\2", 2);
    put_message(&graph, 5, &t);
    t = new_tensor("is", T_BOOL, 2, NULL, 0);
    put_bytes(&t, 5, "\0\2", 2);
    put_message(&graph, 5, &t);
    t = new_tensor("words", T_STRING, 2, NULL, 0);
    put_text(&t, 6, "a");
    put_text(&t, 6, "bc");
    put_message(&graph, 5, &t);
    t = new_tensor("packed", T_INT4, 3, NULL, 0);
    put_bytes(&t, 5, "\x21\x03", 2);
    put_message(&graph, 5, &t);
    struct vv_buffer model = new_model(&graph);
    open_model(&model);
    cr_assert(reader, "%s", error.message);
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "raw", &node) && node.offset > 0);
    check_value(reader, "raw", "float32[2]", "\0\0\x80\x3f\0\0\0\x40", 8);
    check_value(reader, "made", "int64[2]",
        "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0", 16);
    check_value(reader, "is", "bool[2]", "\0\1", 2);
    check_value(reader, "words", "string[2]",
        "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0abc", 19);
    check_value(reader, "packed", "uint8[2]", "\x21\x03", 2);
    cr_assert(varve_reader_find(reader, "packed", &node));
    cr_assert_eq(node.kind, VARVE_STATE);
    cr_assert_str_eq(varve_reader_tag_at(reader, node.id, 0), "onnx:INT4");
    end();
}

TEST(onnx_values, may_be_in_files_next_to_the_model)
{
    struct vv_buffer model = outside("a.bin", "4", "8");
    open_model(&model);
    cr_assert(reader, "%s", error.message);
    check_value(reader, "w", "float32[2]", "\0\0\x80\x3f\0\0\0\x40", 8);
    end();
    model = outside("./a.bin", "4", "8");
    open_model(&model);
    cr_assert(reader, "%s", error.message);
    check_value(reader, "w", "float32[2]", "\0\0\x80\x3f\0\0\0\x40", 8);
    end();
    model = outside("a.bin", NULL, NULL);
    open_model(&model);
    cr_assert(reader, "%s", error.message);
    check_value(reader, "w", "float32[2]", "....\0\0\x80\x3f", 8);
    end();
}

static void refuse(
    struct vv_buffer model, varve_status status, const char *words)
{
    open_model(&model);
    cr_assert_null(reader);
    cr_assert_eq(error.status, status, "%s", error.message);
    cr_assert(strstr(error.message, words), "%s", error.message);
    cr_assert_eq(strncmp(error.message, "d/", 2), 0);
    end();
}

TEST(onnx_values, refuse_files_elsewhere_and_missing_bytes)
{
    static const char *const elsewhere[] = { "/etc/passwd", "../a.bin", "..",
        ".", "", "weights/../a.bin", "weights//a.bin", "weights/", "./",
        "./../a.bin" };
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++)
        refuse(outside(elsewhere[i], "0", NULL), VARVE_CORRUPT,
            "\"w\": the location of its data is not the name of a file in");
    refuse(outside("b.bin", "0", NULL), VARVE_NOT_FOUND,
        "\"w\": the file \"b.bin\" with its data is missing");
    refuse(outside("weights/b.bin", "0", NULL), VARVE_NOT_FOUND,
        "\"w\": the file \"weights/b.bin\"");
    refuse(outside("a.bin", "5", NULL), VARVE_TRUNCATED,
        "\"w\": its 8 bytes at offset 5 extend past the end of d/a.bin, which "
        "has 12");
    refuse(outside("a.bin", "18446744073709551615", "8"), VARVE_TRUNCATED,
        "which has 12");
}

TEST(onnx_values, refuse_a_pointer_in_place_of_the_file)
{
    struct vv_buffer model = outside("a.bin", NULL, NULL);
    w = world_new();
    error = (varve_error){ 0 };
    static const char pointer[] =
        "version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n";
    memory_put(w.memory, "a.bin", pointer, sizeof pointer - 1);
    reader = open_bytes(&w, MODEL_PATH, &model, &error);
    cr_assert(!reader && strstr(error.message, "git lfs pull"), "%s",
        error.message);
    vv_buffer_clear(&model);
    end();
}

TEST(onnx_values, may_be_sparse)
{
    struct vv_buffer graph = new_bytes(), sparse = new_bytes();
    struct vv_buffer t = new_tensor("s", T_FLOAT, 2, numbers, 8);
    put_message(&sparse, 1, &t);
    t = new_tensor("", T_UINT8, 2, "\1\7", 2);
    put_message(&sparse, 2, &t);
    put_bytes(&sparse, 3, "\3\4", 2);
    put_message(&graph, 15, &sparse);
    struct vv_buffer model = new_model(&graph);
    open_model(&model);
    cr_assert(reader, "%s", error.message);
    check_value(reader, "s/values", "float32[2]", "\0\0\x80\x3f\0\0\0\x40", 8);
    check_value(reader, "s/indices", "uint8[2]", "\1\7", 2);
    check_value(reader, "s/dims", "int64[2]",
        "\3\0\0\0\0\0\0\0\4\0\0\0\0\0\0", 16);
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, "s/values", &node));
    cr_assert_str_eq(varve_reader_tag_at(reader, node.id, 0), "onnx:sparse");
    end();
}

TEST(onnx_values, refuse_an_incomplete_sparse_tensor)
{
    struct vv_buffer graph = new_bytes(), sparse = new_bytes();
    struct vv_buffer t = new_tensor("s", T_FLOAT, 2, numbers, 8);
    put_message(&sparse, 1, &t);
    put_message(&graph, 15, &sparse);
    refuse(new_model(&graph), VARVE_CORRUPT, "without values or indices");
}

static void check_left_out(const char *name, const char *says)
{
    const char *path, *what;
    struct vv_buffer t = new_tensor(name, T_FLOAT, 2, numbers, 8);
    struct vv_buffer model = new_model_of(&t);
    open_model(&model);
    cr_assert(reader, "%s", error.message);
    cr_assert(varve_reader_left_out_at(reader, 0, &path, &what));
    cr_assert_str_eq(path, says);
    cr_assert_not(varve_reader_left_out_at(reader, 1, &path, &what));
    end();
}

TEST(onnx_values, omit_tensors_with_invalid_names)
{
    check_left_out("", "\"\"");
    check_left_out("\xff", "\\xff");
}

TEST(onnx_values, require_unique_names)
{
    struct vv_buffer t;
    struct vv_buffer graph = new_bytes();
    for (int i = 0; i < 2; i++) {
        t = new_tensor("same", T_FLOAT, 2, numbers, 8);
        put_message(&graph, 5, &t);
    }
    refuse(new_model(&graph), VARVE_CORRUPT, "\"same\"");
}
