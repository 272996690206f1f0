/* test_onnx_graph.c - Tests the traversal of nested ONNX graphs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "onnx_graph.h"

#include "onnx_sample.h"

static struct world w;
static varve_error error;

static const float one = 1;

/* Returns a graph with one initializer, `w`. */
static struct vv_buffer new_graph(void)
{
    struct vv_buffer graph = new_bytes();
    struct vv_buffer t = new_tensor("w", T_FLOAT, 1, &one, 4);
    put_message(&graph, 5, &t);
    return graph;
}

/* Returns an attribute with a message in a field. */
static struct vv_buffer new_attribute(
    const char *name, uint32_t field, struct vv_buffer *message)
{
    struct vv_buffer a = new_bytes();
    put_message(&a, field, message); /* its name comes last */
    put_text(&a, 1, name);
    return a;
}

static void put_node(struct vv_buffer *graph, uint32_t field,
    const char *name, const char *type, const char *output,
    struct vv_buffer *attribute)
{
    struct vv_buffer node = new_bytes();
    if (attribute)
        put_message(&node, 5, attribute);
    if (output)
        put_text(&node, 2, output);
    if (name)
        put_text(&node, 3, name);
    put_text(&node, 4, type);
    put_message(graph, field, &node);
}

/* Adds a node that contains a graph. */
static void put_branch(
    struct vv_buffer *graph, const char *name, struct vv_buffer *branch)
{
    struct vv_buffer a = new_attribute("then", 6, branch);
    put_node(graph, 1, name, "If", "y", &a);
}

static varve_reader *open_model(struct vv_buffer *model)
{
    w = world_new();
    error = (varve_error){ 0 };
    varve_reader *reader = open_bytes(&w, MODEL_PATH, model, &error);
    vv_buffer_clear(model);
    return reader;
}

/* Asserts that a model has exactly these values. */
static void check(struct vv_buffer *model, size_t count,
    const char *const *names)
{
    varve_saved_node node;
    size_t found = 0;
    varve_reader *reader = open_model(model);
    cr_assert(reader, "%s", error.message);
    for (size_t i = 0; i < count; i++)
        check_value(reader, names[i], "float32[1]", "\0\0\x80\x3f", 4);
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++)
        found += node.has_value;
    cr_assert_eq(found, count, "%zu", found);
    varve_reader_free(reader);
    world_free(&w);
}

#define CHECK(model, ...)                                                      \
    check(model,                                                               \
        sizeof((const char *[]){ __VA_ARGS__ }) / sizeof(const char *),        \
        (const char *[]){ __VA_ARGS__ })

TEST(onnx_graph, finds_nested_graphs)
{
    struct vv_buffer graph = new_graph(), a = new_graph(), b = new_graph();
    put_branch(&b, "inner", &a);
    put_branch(&graph, "outer", &b);
    struct vv_buffer model = new_model(&graph);
    CHECK(&model, "w", "outer/then/w", "outer/then/inner/then/w");
}

TEST(onnx_graph, names_unnamed_nodes_by_type_and_index)
{
    struct vv_buffer graph = new_bytes();
    for (int i = 0; i < 2; i++) {
        struct vv_buffer branch = new_graph();
        put_branch(&graph, i == 0 ? NULL : "", &branch);
    }
    put_node(&graph, 1, NULL, "Relu", "y", NULL);
    for (int i = 0; i < 2; i++) {
        struct vv_buffer branch = new_graph();
        put_branch(&graph, "same", &branch);
    }
    struct vv_buffer branch = new_graph();
    put_branch(&graph, "If_0", &branch);
    struct vv_buffer model = new_model(&graph);
    CHECK(&model, "If_0/then/w", "If_1/then/w", "same/then/w",
        "same_4/then/w", "If_0_5/then/w");
}

TEST(onnx_graph, names_constants_by_their_output)
{
    struct vv_buffer graph = new_bytes();
    static const char *const names[] = { "value", "other" };
    for (int i = 0; i < 2; i++) {
        struct vv_buffer t = new_tensor("t", T_FLOAT, 1, &one, 4);
        struct vv_buffer a = new_attribute(names[i], 5, &t);
        put_node(&graph, 1, "c", "Constant", i ? "c1" : "a/c0", &a);
    }
    struct vv_buffer t = new_tensor("t", T_FLOAT, 1, &one, 4);
    struct vv_buffer a = new_attribute("value", 5, &t);
    put_node(&graph, 1, NULL, "ConstantOfShape", "c2", &a);
    struct vv_buffer model = new_model(&graph);
    CHECK(&model, "a/c0", "c/other", "ConstantOfShape_2/value");
}

TEST(onnx_graph, finds_lists_of_tensors_and_graphs)
{
    struct vv_buffer graph = new_bytes(), a = new_bytes();
    for (int i = 0; i < 2; i++) {
        struct vv_buffer t = new_tensor("t", T_FLOAT, 1, &one, 4);
        put_message(&a, 10, &t);
    }
    put_text(&a, 1, "list");
    put_node(&graph, 1, "n", "Mine", "y", &a);
    a = new_bytes();
    for (int i = 0; i < 2; i++) {
        struct vv_buffer branch = new_graph();
        put_message(&a, 11, &branch);
    }
    put_text(&a, 1, "many");
    put_node(&graph, 1, "m", "Mine", "y", &a);
    struct vv_buffer model = new_model(&graph);
    CHECK(&model, "n/list/0", "n/list/1", "m/many/0/w", "m/many/1/w");
}

TEST(onnx_graph, finds_functions_and_training_graphs)
{
    struct vv_buffer graph = new_bytes(), f = new_bytes(), t = new_bytes();
    put_text(&graph, 2, "g");
    struct vv_buffer branch = new_graph();
    struct vv_buffer a = new_attribute("then", 6, &branch);
    put_node(&f, 7, "n", "If", "y", &a);
    put_text(&f, 1, "f");
    put_text(&f, 10, "mine");
    branch = new_graph();
    put_message(&t, 1, &branch);
    branch = new_graph();
    put_message(&t, 2, &branch);
    struct vv_buffer model = new_model(&graph);
    put_message(&model, 25, &f);
    put_message(&model, 20, &t);
    CHECK(&model, "functions/mine.f/n/then/w", "training/0/initialization/w",
        "training/0/algorithm/w");
}

/* There is no recursion, and the total size of names is limited by the file
 * size. */
TEST(onnx_graph, can_have_any_depth)
{
    struct vv_buffer graph = new_bytes();
    for (int i = 0; i < 2000; i++) {
        struct vv_buffer inner = graph;
        graph = new_bytes();
        put_branch(&graph, "n", &inner);
    }
    struct vv_buffer model = new_model(&graph);
    varve_reader *reader = open_model(&model);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(varve_reader_node_count(reader), 1);
    varve_reader_free(reader);
    world_free(&w);

    graph = new_graph();
    for (int i = 0; i < 2000; i++) {
        struct vv_buffer inner = graph;
        graph = new_graph();
        put_branch(&graph, "n", &inner);
    }
    model = new_model(&graph);
    reader = open_model(&model);
    cr_assert_null(reader);
    cr_assert_eq(error.status, VARVE_LIMIT, "%s", error.message);
    world_free(&w);
}

TEST(onnx_graph, refuses_fields_of_other_kinds)
{
    static const char *const nodes[] = { "\x08\1", "\x0a\2\x28\1",
        "\x0a\2\x18\1", "\x0a\4\x2a\2\x28\1", "\x0a\4\x2a\2\x08\1",
        "\x0a\1\xff", "\x28\1", "\x78\1" };
    for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
        struct vv_buffer graph = new_bytes();
        put_text(&graph, 2, "g");
        vv_buffer_add_string(&graph, nodes[i]);
        struct vv_buffer model = new_model(&graph);
        check_refused(MODEL_PATH, &model, VARVE_CORRUPT,
            nodes[i][0] == '\x0a' ? "node \"0\": offset " : "expected");
        vv_buffer_clear(&model);
    }
}
