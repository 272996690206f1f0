/* test_structs.c - Tests a program's structs: saved, restored into a later
 * version, allocated, and resized.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- As it was ---------------------------------------------------------- */

struct old_layer {
    int count;
    float *w;
};

struct old_net {
    int64_t steps;
    double rate;
    float momentum;
    char name[16];
    int layer_count; /* the count in the struct */
    int layers_made; /* the actual count */
    struct old_layer *layers;
};

static const varve_field old_layer_fields[] = {
    VARVE_FIELD(struct old_layer, count),
    VARVE_FIELD_POINTER(struct old_layer, w, count),
    VARVE_FIELDS_END,
};

static const varve_field old_net_fields[] = {
    VARVE_FIELD(struct old_net, steps),
    VARVE_FIELD(struct old_net, rate),
    VARVE_FIELD(struct old_net, momentum),
    VARVE_FIELD_TEXT(struct old_net, name),
    VARVE_FIELD(struct old_net, layer_count),
    VARVE_FIELD_STRUCTS_AT(
        struct old_net, layers, old_layer_fields, layers_made),
    VARVE_FIELDS_END,
};

static float weights[5] = { 1, 2, 3, 4, 5 };

static void write_old(const char *file, int more)
{
    struct old_layer layers[2] = { { 3, weights }, { 2, weights + 3 } };
    struct old_net net = { 7, 0.5, 0.9f, "a name", 2 + more, 2, layers };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_struct(root, "net", old_net_fields, &net);
    story_write(root, file);
    varve_graph_free(graph);
}

/* --- As it is now ------------------------------------------------------- */

struct layer {
    uint8_t bias;
    uint16_t count;
    float *weights;
};

struct net {
    char name[64];
    bool is_wide;
    struct layer *layers;
    size_t layer_count;
    double rate;
    int64_t step;
    struct {
        float betas[2];
    } adam;
};

static const varve_field layer_fields[] = {
    VARVE_FIELD(struct layer, bias, .is_later = true),
    VARVE_FIELD(struct layer, count),
    VARVE_FIELD_POINTER(
        struct layer, weights, count, .older_names = "w", .room = calloc),
    VARVE_FIELDS_END,
};

static const varve_field net_fields[] = {
    VARVE_FIELD_TEXT(struct net, name),
    VARVE_FIELD(struct net, is_wide, .is_later = true),
    VARVE_FIELD_STRUCTS_AT(
        struct net, layers, layer_fields, layer_count, .room = calloc),
    VARVE_FIELD(struct net, layer_count),
    VARVE_FIELD(struct net, rate),
    VARVE_FIELD(struct net, step, .older_names = "t|steps"),
    VARVE_FIELD_GONE("momentum"),
    VARVE_FIELDS_END,
};

static void free_net(struct net *net)
{
    for (size_t i = 0; i < net->layer_count && net->layers; i++)
        free(net->layers[i].weights);
    free(net->layers);
}

static void assert_net(const struct net *net)
{
    cr_assert_str_eq(net->name, "a name");
    cr_assert(net->is_wide);
    cr_assert_eq(net->rate, 0.5);
    cr_assert_eq(net->step, 7);
    cr_assert_eq(net->layer_count, 2);
    cr_assert_eq(net->layers[0].count, 3);
    cr_assert_eq(net->layers[1].count, 2);
    cr_assert_eq(net->layers[0].weights[2], 3);
    cr_assert_eq(net->layers[1].weights[1], 5);
}

/* Types have changed too: `int` is now `size_t` and `uint16_t`. */
static const varve_read_options casting = { .cast = VARVE_CAST_ANY };

TEST(structs, a_newer_struct_reads_an_older_file_and_allocates)
{
    write_old("f", 0);
    struct net net = { .is_wide = true, .rate = 3, .name = "before" };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_struct(root, "net", net_fields, &net);
    varve_restoration *r = story_read(root, "f", &casting);
    assert_net(&net);
    story_consumed(r);
    varve_restoration_free(r);
    story_write(root, "again");
    varve_graph_free(graph);
    free_net(&net);

    net = (struct net){ .step = 1 };
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_add_struct(root, "net", net_fields, &net);
    r = story_read(root, "again", NULL);
    assert_net(&net);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
    free_net(&net);
}

TEST(structs, a_struct_added_after_the_read_allocates_too)
{
    write_old("f", 0);
    struct net net = { .is_wide = true };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", &casting);
    varve_add_struct(root, "net", net_fields, &net);
    assert_net(&net);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
    free_net(&net);
}

/* A count that exceeds the existing memory. */
TEST(structs, a_file_cannot_set_a_count_above_its_array)
{
    varve_error error = { 0 };
    struct net net = { .is_wide = true };
    write_old("f", 1);
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_struct(root, "net", net_fields, &net);
    story_refused(root, "f", &casting, VARVE_MISMATCH, &error);
    cr_assert(story_says(&error, "net/layer_count"), "%s", error.message);
    cr_assert_eq(net.layer_count, 2);
    cr_assert_str_eq(net.name, "");
    varve_graph_free(graph);
    free_net(&net);
}

TEST(structs, existing_memory_is_not_replaced)
{
    varve_error error = { 0 };
    write_old("f", 0);
    float own[5] = { 9, 9, 9, 9, 9 };
    struct layer layers[2] = { { .count = 4, .weights = own },
        { .count = 1, .weights = own + 4 } };
    struct net net = { .layers = layers, .layer_count = 2 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *node = varve_add_struct(root, "net", net_fields, &net);
    story_refused(root, "f", &casting, VARVE_MISMATCH, &error);
    cr_assert(story_says(&error, "net/layers/0/weights"), "%s", error.message);
    cr_assert_eq(own[0], 9);
    /* The program's arrays are released; then they can be allocated. */
    layers[0] = layers[1] = (struct layer){ 0 };
    net.is_wide = true;
    varve_rebind_struct(node, &net);
    varve_restoration_free(story_read(root, "f", &casting));
    assert_net(&net);
    varve_graph_free(graph);
    free(layers[0].weights);
    free(layers[1].weights);
}

static void *no_room(size_t count, size_t size)
{
    (void)count;
    (void)size;
    return NULL;
}

TEST(structs, a_failed_allocation_is_reported)
{
    struct row {
        int count;
        float *w;
    } row = { 3, weights };
    static const varve_field fields[] = {
        VARVE_FIELD(struct row, count),
        VARVE_FIELD_POINTER(struct row, w, count, .room = no_room),
        VARVE_FIELDS_END,
    };
    varve_error error = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_struct(root, "row", fields, &row);
    story_write(root, "f");
    varve_graph_free(graph);
    row = (struct row){ 0 };
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_add_struct(root, "row", fields, &row);
    varve_restoration *r =
        varve_read(root, test_path("f"), NULL, &error);
    cr_assert_neq(varve_graph_check(graph, &error), VARVE_OK);
    cr_assert(story_says(&error, "row: out of memory: room for 3 of w"));
    cr_assert_eq(row.count, 0);
    cr_assert_null(row.w);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* --- Text --------------------------------------------------------------- */

struct wide {
    char text[16];
};

struct narrow {
    char text[5];
};

static const varve_field wide_fields[] = {
    VARVE_FIELD_TEXT(struct wide, text),
    VARVE_FIELDS_END,
};

static const varve_field narrow_fields[] = {
    VARVE_FIELD_TEXT(struct narrow, text),
    VARVE_FIELDS_END,
};

TEST(structs, text_moves_between_longer_and_shorter_members_if_it_fits)
{
    varve_error error = { 0 };
    struct wide wide = { "four" };
    struct narrow narrow = { "####" };
    varve_graph *wides = story_graph();
    varve_node *from = varve_graph_root(wides);
    varve_graph *narrows = story_graph();
    varve_node *to = varve_graph_root(narrows);
    varve_add_struct(from, "s", wide_fields, &wide);
    varve_add_struct(to, "s", narrow_fields, &narrow);
    story_write(from, "f");
    varve_restoration_free(story_read(to, "f", NULL));
    cr_assert_str_eq(narrow.text, "four");
    static const char *const too_long[] = { "fives", "is seven" };
    for (int i = 0; i < 2; i++) {
        strcpy(wide.text, too_long[i]);
        story_write(from, "f");
        story_refused(to, "f", NULL, VARVE_CALLBACK, &error);
        cr_assert(story_says(&error, i ? "s/text: the saved text has 8 bytes, "
                                         "the buffer holds 4"
                                       : "s/text: the saved text has 5 bytes, "
                                         "the buffer holds 4"),
            "%s", error.message);
        cr_assert_str_eq(narrow.text, "four");
    }
    story_write(to, "f");
    varve_restoration_free(story_read(from, "f", NULL));
    cr_assert_eq(memcmp(wide.text, "four\0\0\0\0\0\0\0\0\0\0\0", 16), 0);
    memset(wide.text, '#', sizeof wide.text);
    cr_assert_eq(varve_write(from, test_path("f"), NULL, &error),
        VARVE_CALLBACK);
    cr_assert(story_says(&error, "s/text: the text has no NUL in its 16 bytes"),
        "%s", error.message);
    varve_graph_free(wides);
    varve_graph_free(narrows);
}

/* --- Growing ------------------------------------------------------------ */

struct particle {
    float x, v;
};

struct swarm {
    int count;
    float *mass;
    struct particle *all;
};

static const varve_field particle_fields[] = {
    VARVE_FIELD(struct particle, x),
    VARVE_FIELD(struct particle, v),
    VARVE_FIELDS_END,
};

static const varve_field swarm_fields[] = {
    VARVE_FIELD(struct swarm, count),
    VARVE_FIELD_POINTER(struct swarm, mass, count, .room = calloc),
    VARVE_FIELD_STRUCTS_AT(
        struct swarm, all, particle_fields, count, .room = calloc),
    VARVE_FIELDS_END,
};

static void grow(struct swarm *swarm, int count)
{
    swarm->mass = realloc(swarm->mass, (size_t)count * sizeof *swarm->mass);
    swarm->all = realloc(swarm->all, (size_t)count * sizeof *swarm->all);
    cr_assert(swarm->mass && swarm->all);
    for (int i = swarm->count; i < count; i++) {
        swarm->mass[i] = (float)i;
        swarm->all[i] = (struct particle){ (float)i, 1 };
    }
    swarm->count = count;
}

TEST(structs, arrays_are_restored_in_the_size_of_each_save)
{
    struct swarm swarm = { 0 };
    char name[8];
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_struct(root, "swarm", swarm_fields, &swarm);
    static const int counts[] = { 0, 3, 40, 7, 1 };
    for (int i = 0; i < 5; i++) {
        /* [grow] */
        if (counts[i])
            grow(&swarm, counts[i]);
        /* [/grow] */
        snprintf(name, sizeof name, "f%d", i);
        story_write(root, name);
    }
    varve_graph_free(graph);
    for (int i = 0; i < 5; i++) {
        struct swarm back = { 0 };
        graph = story_graph();
        root = varve_graph_root(graph);
        varve_add_struct(root, "swarm", swarm_fields, &back);
        snprintf(name, sizeof name, "f%d", i);
        varve_restoration *r = story_read(root, name, NULL);
        story_consumed(r);
        varve_restoration_free(r);
        cr_assert_eq(back.count, counts[i]);
        for (int k = 0; k < back.count; k++) {
            cr_assert_eq(back.mass[k], (float)k);
            cr_assert_eq(back.all[k].x, (float)k);
        }
        varve_graph_free(graph);
        free(back.mass);
        free(back.all);
    }
    free(swarm.mass);
    free(swarm.all);
}

/* Arrays with the same count member must have equal lengths. */
TEST(structs, arrays_with_one_count_must_have_equal_lengths)
{
    varve_error error = { 0 };
    float mass[3] = { 1, 2, 3 };
    struct particle all[2] = { { 1, 2 }, { 3, 4 } };
    struct swarm whole = { 3, mass, NULL };
    struct swarm part = { 2, NULL, all };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *node = varve_add_struct(root, "swarm", swarm_fields, &whole);
    varve_node *other = varve_add_struct(root, "part", swarm_fields, &part);
    varve_track(node, "all", varve_find(other, "all"));
    varve_untrack(root, "part");
    story_write(root, "f");
    varve_graph_free(graph);
    struct swarm back = { 0 };
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_add_struct(root, "swarm", swarm_fields, &back);
    varve_restoration *r = varve_read(root, test_path("f"), NULL, &error);
    if (r) {
        story_unmatched(varve_assert_consumed(r, &error), "swarm", error);
        varve_restoration_free(r);
    }
    cr_assert_neq(error.status, VARVE_OK);
    varve_graph_free(graph);
    free(back.mass);
    free(back.all);
}

/* Memory is allocated on demand, and other nodes of the file do not become
 * members. */
TEST(structs, a_file_adds_no_edge_that_is_not_a_field)
{
    float mass[1] = { 1 };
    struct swarm whole = { 1, mass, NULL };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *node = varve_add_struct(root, "swarm", swarm_fields, &whole);
    varve_track(node, "all", root);
    varve_track(node, "home", root);
    story_write(root, "f");
    varve_graph_free(graph);
    struct swarm back = { 0 };
    graph = story_graph();
    root = varve_graph_root(graph);
    node = varve_add_struct(root, "swarm", swarm_fields, &back);
    varve_restoration_free(story_read(root, "f", NULL));
    cr_assert_eq(varve_edge_count(node), 2);
    cr_assert_eq(back.mass[0], 1);
    cr_assert_null(varve_find(node, "all"));
    cr_assert_null(varve_find(node, "home"));
    varve_graph_free(graph);
    free(back.mass);
}

/* --- With the rest ------------------------------------------------------ */

TEST(structs, a_snapshot_restores_values_and_text)
{
    varve_error error = { 0 };
    struct old_layer layers[2] = { { 3, weights }, { 2, weights + 3 } };
    struct old_net net = { 7, 0.5, 0.9f, "a name", 2, 2, layers };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *node = varve_add_struct(root, "net", old_net_fields, &net);
    varve_snapshot *snapshot = varve_snapshot_new(root, &error);
    cr_assert_not_null(snapshot, "%s", error.message);
    net.steps = 8;
    strcpy(net.name, "another");
    cr_assert_ok(varve_snapshot_restore(snapshot, &error), error);
    cr_assert_eq(net.steps, 7);
    cr_assert_str_eq(net.name, "a name");
    struct old_net moved = net;
    varve_rebind_struct(node, &moved);
    moved.steps = 8;
    strcpy(moved.name, "another");
    cr_assert_ok(varve_snapshot_restore(snapshot, &error), error);
    cr_assert_eq(moved.steps, 7);
    cr_assert_str_eq(moved.name, "a name");
    layers[1].count = 1;
    varve_rebind_struct(node, &moved);
    moved.steps = 8;
    cr_assert_neq(varve_snapshot_restore(snapshot, &error), VARVE_OK);
    cr_assert_eq(moved.steps, 8);
    varve_snapshot_free(snapshot);
    varve_graph_free(graph);
}

TEST(structs, a_dry_run_allocates_nothing)
{
    varve_error error = { 0 };
    write_old("f", 0);
    struct net net = { .is_wide = true };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_struct(root, "net", net_fields, &net);
    varve_restoration *r =
        varve_dry_run(root, test_path("f"), &casting, &error);
    cr_assert_not_null(r, "%s", error.message);
    cr_assert_null(net.layers);
    cr_assert_eq(net.layer_count, 0);
    varve_restoration_free(r);
    varve_graph_free(graph);
}
