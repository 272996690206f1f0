/* test_struct.c - Tests structs that are added as objects.
 *
 * SPDX-License-Identifier: MIT
 */
#include "graphs.h"

#include <stdlib.h>

#include "node_names.h"
#include "struct.h"

struct layer {
    float *weights;
    int count;
    char name[8];
};

struct net {
    int64_t step;
    struct layer *layers;
    int layer_count;
    struct layer head;
    struct layer *extra;
    float rates[2];
};

static const varve_field layer_fields[] = {
    VARVE_FIELD(struct layer, count),
    VARVE_FIELD_POINTER(struct layer, weights, count),
    VARVE_FIELD_TEXT(struct layer, name, .is_later = true),
    VARVE_FIELDS_END,
};

static const varve_field net_fields[] = {
    VARVE_FIELD(struct net, step, .older_names = "t|iteration"),
    VARVE_FIELD(struct net, layer_count),
    VARVE_FIELD_STRUCTS_AT(struct net, layers, layer_fields, layer_count),
    VARVE_FIELD_STRUCT(struct net, head, layer_fields, .is_later = true),
    VARVE_FIELD_STRUCT_AT(struct net, extra, layer_fields),
    VARVE_FIELD_ARRAY(struct net, rates, .is_fixed = true),
    VARVE_FIELD_GONE("momentum"),
    VARVE_FIELDS_END,
};

static float numbers[16];

static varve_graph *graph;
static varve_node *root;

static void begin(void)
{
    graph = new_graph();
    root = varve_graph_root(graph);
}

static varve_node *at(const char *path)
{
    varve_node *node = varve_find_path(root, path);
    cr_assert_not_null(node, "%s", path);
    return node;
}

TEST(struct, is_an_object_with_its_fields)
{
    struct layer layers[2] = { { numbers, 3, "a" }, { numbers + 3, 2, "b" } };
    struct net net = { .layers = layers, .layer_count = 2 };
    begin();
    varve_node *node = varve_add_struct(root, "net", net_fields, &net);
    cr_assert_eq(node, at("net"));
    cr_assert_eq(varve_data(at("net/step")), &net.step);
    cr_assert_eq(varve_edge_count(at("net/layers")), 2);
    cr_assert_eq(varve_data(at("net/layers/0/weights")), numbers);
    cr_assert_eq(varve_value(at("net/layers/1/weights"))->shape[0], 2);
    cr_assert_eq(varve_node_kind(at("net/layers/1/name")), VARVE_STATE);
    cr_assert_eq(varve_value(at("net/head/weights"))->shape[0], 0);
    cr_assert_null(varve_find(node, "extra"));
    cr_assert_str_eq(vv_first_alias(at("net/step"))->name->bytes, "t");
    cr_assert(varve_has_tag(at("net/layers/0/name"), VARVE_TAG_LATER));
    cr_assert(!varve_has_tag(at("net/layers/0/count"), VARVE_TAG_LATER));
    cr_assert(varve_has_tag(at("net/head/count"), VARVE_TAG_LATER));
    cr_assert(varve_has_tag(at("net/rates"), VARVE_TAG_FIXED));
    cr_assert(varve_has_tag(at("net/layer_count"), VARVE_TAG_FIXED));
    cr_assert(!varve_has_tag(at("net/step"), VARVE_TAG_FIXED));
    cr_assert(vv_is_retired(node, "momentum", 8));
    check_links(graph);
    free_good(graph);
}

TEST(struct, can_be_in_a_list_but_not_under_a_used_name)
{
    struct layer layer = { numbers, 3, "a" };
    begin();
    varve_node *list = varve_add_list(root, "list");
    varve_add_struct(list, VARVE_APPEND, layer_fields, &layer);
    varve_add_struct(list, VARVE_APPEND, layer_fields, &layer);
    cr_assert_eq(varve_data(at("list/1/count")), &layer.count);
    varve_error error = { 0 };
    cr_assert_ok(varve_graph_check(graph, &error), error);
    size_t before = node_count(graph);
    varve_add_struct(root, "list", layer_fields, &layer);
    cr_assert_eq(node_count(graph), before);
    free_bad(graph, VARVE_DUPLICATE);
    begin();
    /* A pointer to the pointer. */
    struct layer *pointer = &layer;
    varve_add_struct(root, "layer", layer_fields, &pointer);
    free_bad(graph, VARVE_MISUSE);
}

TEST(struct, follows_moved_and_grown_memory)
{
    struct layer some[2] = { { numbers, 3, "a" }, { numbers + 3, 2, "b" } };
    struct layer more[3] = { { numbers, 3, "a" }, { numbers + 8, 2, "b" },
        { numbers, 1, "c" } };
    struct net net = { .layers = some, .layer_count = 2 };
    begin();
    varve_node *node = varve_add_struct(root, "net", net_fields, &net);
    varve_node *first = at("net/layers/0/weights");
    varve_node *second = at("net/layers/1/weights");
    uint32_t touched = first->touched;
    graph->moment++;
    struct net moved = net;
    moved.layers = more;
    moved.layer_count = 3;
    moved.extra = &more[2];
    varve_rebind_struct(node, &moved);
    cr_assert_eq(varve_data(at("net/step")), &moved.step);
    cr_assert_eq(at("net/layers/0/weights"), first);
    cr_assert_eq(first->touched, touched, "it is where it was");
    cr_assert_eq(at("net/layers/1/weights"), second);
    cr_assert_eq(varve_data(second), numbers + 8);
    cr_assert_neq(second->touched, touched);
    cr_assert_eq(varve_edge_count(at("net/layers")), 3);
    cr_assert_eq(varve_data(at("net/layers/2/weights")), numbers);
    cr_assert_eq(varve_data(at("net/extra/count")), &more[2].count);
    const struct vv_struct *text = vv_struct_of(at("net/layers/1/name"));
    cr_assert_eq(text->object, more[1].name);
    more[0].count = 5;
    moved.layer_count = 1;
    moved.extra = NULL;
    varve_rebind_struct(node, &moved);
    cr_assert_eq(at("net/layers/0/weights"), first);
    cr_assert_eq(varve_value(first)->shape[0], 5);
    cr_assert_eq(varve_edge_count(at("net/layers")), 1);
    cr_assert_null(varve_find(node, "extra"));
    check_links(graph);
    free_good(graph);
}

TEST(struct, is_unchanged_if_a_rebind_is_refused)
{
    struct layer layers[1] = { { numbers, 3, "a" } };
    struct net net = { .layers = layers, .layer_count = 1 };
    begin();
    varve_node *node = varve_add_struct(root, "net", net_fields, &net);
    struct net other = net;
    layers[0].count = -1;
    varve_rebind_struct(node, &other);
    cr_assert_eq(varve_data(at("net/step")), &net.step);
    varve_error error = { 0 };
    cr_assert_eq(varve_graph_clear_error(graph, &error), VARVE_MISUSE);
    cr_assert(strstr(error.message, "net/layers/0/weights: the count is -1"),
        "%s", error.message);
    varve_rebind_struct(node, NULL);
    cr_assert_eq(varve_graph_clear_error(graph, NULL), VARVE_MISUSE);
    varve_rebind_struct(root, &net);
    cr_assert_eq(varve_graph_clear_error(graph, NULL), VARVE_MISUSE);
    varve_rebind_struct(at("net/layers/0/name"), &net);
    free_bad(graph, VARVE_MISUSE);
}

/* A node that the program put in the place of a field belongs to the
 * program. */
TEST(struct, keeps_nodes_of_the_program_in_place_of_fields)
{
    struct layer layers[1] = { { numbers, 3, "a" } };
    struct net net = { .layers = layers, .layer_count = 1 };
    begin();
    varve_node *node = varve_add_struct(root, "net", net_fields, &net);
    varve_node *own = varve_add_object(root, "own");
    varve_replace(node, "step", own);
    varve_replace(node, "head", own);
    varve_replace(at("net/layers/0"), "name", own);
    varve_list_replace(at("net/layers"), 0, own);
    struct net moved = net;
    varve_rebind_struct(node, &moved);
    cr_assert_eq(at("net/step"), own);
    cr_assert_eq(at("net/head"), own);
    cr_assert_eq(at("net/layers/0"), own);
    cr_assert_eq(varve_data(at("net/rates")), moved.rates);
    free_good(graph);
}

/* Also nodes of another table, texts, and edges that lead back. */
TEST(struct, keeps_elements_that_the_program_added_to_its_lists)
{
    struct layer layers[3] = { { numbers, 3, "a" }, { numbers, 2, "b" },
        { numbers, 1, "c" } };
    struct net net = { .layers = layers, .layer_count = 1 };
    char words[16] = "words";
    begin();
    varve_node *node = varve_add_struct(root, "net", net_fields, &net);
    varve_node *list = at("net/layers");
    varve_track(list, VARVE_APPEND, node);
    varve_track(list, VARVE_APPEND,
        varve_add_text(root, "text", words, sizeof words));
    struct net moved = net;
    moved.layer_count = 3;
    varve_rebind_struct(node, &moved);
    cr_assert_eq(at("net/layers/1"), node);
    cr_assert_eq(varve_data(at("net/step")), &moved.step);
    const struct vv_struct *text = vv_struct_of(at("text"));
    cr_assert_eq(text->object, words);
    moved.layer_count = 0;
    varve_rebind_struct(node, &moved);
    cr_assert_eq(varve_edge_count(list), 0);
    cr_assert_eq(at("net"), node);
    cr_assert_eq(at("text"), varve_find(root, "text"));
    check_links(graph);
    free_good(graph);
}

/* A NULL pointer removes only its own node. */
TEST(struct, keeps_nodes_of_the_program_at_null_pointers)
{
    struct net net = { .layers = NULL };
    begin();
    varve_node *node = varve_add_struct(root, "net", net_fields, &net);
    varve_node *own = varve_add_object(root, "own");
    varve_track(node, "extra", own);
    varve_rebind_struct(node, &net);
    cr_assert_eq(at("net/extra"), own);
    cr_assert_eq(at("own"), own);
    free_good(graph);
}

TEST(struct, can_have_a_separate_text)
{
    char text[8] = "text";
    begin();
    varve_node *node = varve_add_text(root, "name", text, sizeof text);
    cr_assert_eq(varve_node_kind(node), VARVE_STATE);
    cr_assert_eq(varve_find(root, "name"), node);
    varve_rebind_struct(node, text);
    cr_assert_eq(varve_graph_clear_error(graph, NULL), VARVE_MISUSE);
    size_t before = node_count(graph);
    varve_add_text(root, "none", NULL, 8);
    cr_assert_eq(varve_graph_clear_error(graph, NULL), VARVE_MISUSE);
    varve_add_text(root, "none", text, 0);
    cr_assert_eq(varve_graph_clear_error(graph, NULL), VARVE_MISUSE);
    varve_add_text(root, "name", text, 8);
    cr_assert_eq(varve_graph_clear_error(graph, NULL), VARVE_DUPLICATE);
    cr_assert_eq(node_count(graph), before);
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        test_fail_allocation(n, false);
        varve_add_text(root, "other", text, 8);
        test_fail_allocation(-1, false);
        status = varve_graph_clear_error(graph, NULL);
        cr_assert(!status || status == VARVE_NO_MEMORY);
    }
    cr_assert_not_null(varve_find(root, "other"));
    free_good(graph);
}

TEST(struct, is_created_completely_or_not_without_memory)
{
    struct layer layers[2] = { { numbers, 3, "a" }, { numbers + 3, 2, "b" } };
    struct net net = { .layers = layers, .layer_count = 2 };
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        begin();
        size_t before = node_count(graph);
        test_fail_allocation(n, false);
        varve_add_struct(root, "net", net_fields, &net);
        test_fail_allocation(-1, false);
        status = varve_graph_check(graph, NULL);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        if (status && !varve_find(root, "net"))
            cr_assert_eq(node_count(graph), before);
        check_links(graph);
        varve_graph_free(graph);
    }
}

TEST(struct, can_be_bound_again_after_a_failed_allocation)
{
    struct layer some[1] = { { numbers, 3, "a" } };
    struct layer more[2] = { { numbers, 4, "a" }, { numbers + 8, 2, "b" } };
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        struct net net = { .layers = some, .layer_count = 1 };
        begin();
        varve_node *node = varve_add_struct(root, "net", net_fields, &net);
        net.layers = more;
        net.layer_count = 2;
        net.extra = &more[1];
        test_fail_allocation(n, false);
        varve_rebind_struct(node, &net);
        test_fail_allocation(-1, false);
        status = varve_graph_clear_error(graph, NULL);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        varve_rebind_struct(node, &net);
        cr_assert_eq(varve_value(at("net/layers/0/weights"))->shape[0], 4);
        cr_assert_eq(varve_data(at("net/layers/1/weights")), numbers + 8);
        cr_assert_eq(varve_data(at("net/extra/count")), &more[1].count);
        check_links(graph);
        free_good(graph);
    }
}
