/* test_struct_texts.c - Tests strings behind pointers of structs, which own
 * them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdlib.h>
#include <string.h>

struct layer {
    int units;
    char *label;
};

static const varve_field layer_fields[] = {
    VARVE_FIELD(struct layer, units),
    VARVE_FIELD_TEXT_POINTER(struct layer, label),
    VARVE_FIELDS_END,
};

struct net {
    char *name;
    struct layer fixed[2];
    int count;
    struct layer *layers;
};

static const varve_field net_fields[] = {
    VARVE_FIELD_TEXT_POINTER(struct net, name),
    VARVE_FIELD_STRUCTS(struct net, fixed, layer_fields),
    VARVE_FIELD_STRUCTS_AT(
        struct net, layers, layer_fields, count, .room = calloc),
    VARVE_FIELDS_END,
};

static char *text_of(const char *text)
{
    char *copy = malloc(strlen(text) + 1);
    return strcpy(copy, text);
}

static void net_free(struct net *net)
{
    free(net->name);
    for (int i = 0; i < 2; i++)
        free(net->fixed[i].label);
    for (int i = 0; i < net->count; i++)
        free(net->layers[i].label);
    free(net->layers);
}

static struct net net_new(void)
{
    struct net net = { .name = text_of("a net"), .count = 3 };
    net.fixed[0].label = text_of("");
    net.layers = calloc(3, sizeof *net.layers);
    net.layers[0].label = text_of("input");
    net.layers[2].label = text_of("a longer label than any before");
    return net;
}

static void check_net(const struct net *net)
{
    cr_assert_str_eq(net->name, "a net");
    cr_assert_str_eq(net->fixed[0].label, "");
    cr_assert_null(net->fixed[1].label);
    cr_assert_eq(net->count, 3);
    cr_assert_str_eq(net->layers[0].label, "input");
    cr_assert_null(net->layers[1].label);
    cr_assert_str_eq(net->layers[2].label, "a longer label than any before");
}

static varve_graph *graph_of(struct net *net)
{
    varve_graph *graph = story_graph();
    varve_add_struct(varve_graph_root(graph), "net", net_fields, net);
    return graph;
}

static void write_net(void)
{
    struct net net = net_new();
    varve_graph *graph = graph_of(&net);
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
    net_free(&net);
}

/* The previous string is freed exactly once; sanitizers check that. */
TEST(struct_texts, replace_any_previous_string)
{
    write_net();
    for (int i = 0; i < 3; i++) {
        struct net net = { .count = 0 };
        if (i == 1)
            net = net_new();
        if (i == 2) {
            net.name = text_of("a name that is too long for the old memory");
            net.fixed[1].label = text_of("is freed");
        }
        varve_graph *graph = graph_of(&net);
        varve_restoration *r =
            story_read(varve_graph_root(graph), "f", NULL);
        story_consumed(r);
        check_net(&net);
        varve_restoration_free(r);
        varve_graph_free(graph);
        net_free(&net);
    }
}

TEST(struct_texts, are_read_again_at_each_save)
{
    struct net net = net_new(), found = { .count = 0 };
    varve_graph *graph = graph_of(&net);
    varve_node *root = varve_graph_root(graph);
    story_write(root, "f");
    free(net.name);
    net.name = NULL;
    net.fixed[1].label = text_of("later");
    strcpy(net.layers[0].label, "in"); /* in place */
    net.layers = realloc(net.layers, 4 * sizeof *net.layers);
    net.layers[3] = (struct layer){ 7, text_of("one more") };
    net.count = 4;
    story_write(root, "f");
    varve_graph_free(graph);
    net_free(&net);
    graph = graph_of(&found);
    varve_restoration_free(story_read(varve_graph_root(graph), "f", NULL));
    cr_assert_null(found.name);
    cr_assert_str_eq(found.fixed[1].label, "later");
    cr_assert_str_eq(found.layers[0].label, "in");
    cr_assert_eq(found.count, 4);
    cr_assert_str_eq(found.layers[3].label, "one more");
    varve_graph_free(graph);
    net_free(&found);
}

/* A restore would free it twice. */
TEST(struct_texts, at_the_same_address_are_refused)
{
    varve_error error = { 0 };
    struct net net = net_new();
    varve_graph *graph = graph_of(&net);
    varve_node *root = varve_graph_root(graph);
    story_write(root, "f");
    char *own = net.fixed[0].label;
    net.fixed[0].label = net.layers[0].label;
    cr_assert_eq(
        varve_write(root, test_path("g"), NULL, &error), VARVE_MISUSE);
    cr_assert(story_says(&error, "net/fixed/0/label"), "%s", error.message);
    cr_assert(story_says(&error, "net/layers/0/label"), "%s", error.message);
    story_refused(root, "f", NULL, VARVE_MISUSE, &error);
    net.fixed[0].label = net.layers[0].label + 2;
    cr_assert_eq(
        varve_write(root, test_path("g"), NULL, &error), VARVE_MISUSE);
    net.fixed[0].label = own;
    story_write(root, "g");
    varve_graph_free(graph);
    net_free(&net);
}

struct placed {
    char label[16];
};

static const varve_field placed_fields[] = {
    VARVE_FIELD_TEXT(struct placed, label),
    VARVE_FIELDS_END,
};

static const varve_field label_fields[] = {
    VARVE_FIELD_TEXT_POINTER(struct layer, label),
    VARVE_FIELDS_END,
};

/* The member was an array before. */
TEST(struct_texts, are_interchangeable_with_char_arrays)
{
    static const char *const labels[] = { "four", "", NULL };
    for (int i = 0; i < 3; i++) {
        struct placed placed = { "####" };
        struct layer layer = {
            .label = labels[i] ? text_of(labels[i]) : NULL };
        varve_graph *arrays = story_graph(), *pointers = story_graph();
        varve_node *array = varve_graph_root(arrays);
        varve_node *pointer = varve_graph_root(pointers);
        varve_add_struct(array, "s", placed_fields, &placed);
        varve_add_struct(pointer, "s", label_fields, &layer);
        story_write(pointer, "f");
        varve_restoration_free(story_read(array, "f", NULL));
        cr_assert_str_eq(placed.label, labels[i] ? labels[i] : "");
        strcpy(placed.label, "back");
        story_write(array, "f");
        varve_restoration_free(story_read(pointer, "f", NULL));
        cr_assert_str_eq(layer.label, "back");
        varve_graph_free(arrays);
        varve_graph_free(pointers);
        free(layer.label);
    }
}

TEST(struct_texts, are_restored_by_a_snapshot)
{
    varve_error error = { 0 };
    struct net net = net_new();
    varve_graph *graph = graph_of(&net);
    varve_snapshot *snapshot =
        varve_snapshot_new(varve_graph_root(graph), &error);
    cr_assert(snapshot, "%s", error.message);
    free(net.name);
    net.name = text_of("another, longer name");
    free(net.layers[2].label);
    net.layers[2].label = NULL;
    cr_assert_ok(varve_snapshot_restore(snapshot, &error), error);
    check_net(&net);
    varve_snapshot_free(snapshot);
    varve_graph_free(graph);
    net_free(&net);
}

static varve_status put_two(void *self, varve_sink *sink)
{
    (void)self;
    varve_put(sink, "a\0b", 3);
    return VARVE_OK;
}

static varve_status take_nothing(void *self, const void *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    (void)size;
    return VARVE_OK;
}

/* A state in a file may have any bytes. */
TEST(struct_texts, refuse_bytes_that_are_not_text)
{
    static const varve_state_callbacks two = { put_two, take_nothing };
    varve_error error = { 0 };
    struct layer layer = { .label = text_of("as it was") };
    varve_graph *other = story_graph(), *graph = story_graph();
    varve_add_state(varve_add_object(varve_graph_root(other), "s"), "label",
        &two, NULL);
    story_write(varve_graph_root(other), "f");
    varve_add_struct(varve_graph_root(graph), "s", label_fields, &layer);
    story_refused(
        varve_graph_root(graph), "f", NULL, VARVE_CALLBACK, &error);
    cr_assert(story_says(&error,
                  "s/label: the saved state of 3 bytes contains a NUL, so it "
                  "is not a text"),
        "%s", error.message);
    cr_assert_str_eq(layer.label, "as it was");
    varve_graph_free(other);
    varve_graph_free(graph);
    free(layer.label);
}
