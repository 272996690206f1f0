/* test_bundle_object_moments.c - Tests the recognition of Keras optimizer
 * moments as slots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "bundle_object.h"
#include "made_bundle.h"
#include "reader.h"
#include "structure.h"
#include "targets.h"

enum { OBJECTS = 12 };

/* Deviations from the structure that Keras writes. */
struct spoilt {
    const char *position;  /* of the second momentum; NULL: "1" */
    const char *other;     /* another child of the list of momentums */
    uint64_t extent;       /* of the second momentum; 0: 3 */
    uint32_t dtype;        /* of it; 0: float32 */
    uint32_t variable;     /* the second trainable variable; 0: 4 */
    uint32_t moment;       /* the second momentum; 0: 9 */
    bool has_slot;         /* has a slot record */
    bool has_no_variables; /* no list of trainable variables */
};

static void describe(struct vv_buffer *nodes, const struct spoilt *s)
{
    static const char *const keys[] = { "a", "b", NULL, NULL, NULL, "m0", "m1",
        "v0", "v1" };
    made_child(&nodes[0], "model", 1);
    made_child(&nodes[0], "optimizer", 2);
    made_child(&nodes[1], "a", 3);
    made_child(&nodes[1], "b", 4);
    made_child(&nodes[2],
        s->has_no_variables ? "_variables" : "_trainable_variables", 5);
    made_child(&nodes[2], "_momentums", 6);
    made_child(&nodes[2], "momentums", 7);
    made_child(&nodes[5], "0", 3);
    made_child(&nodes[5], "1", s->variable ? s->variable : 4);
    made_child(&nodes[6], s->position ? s->position : "1",
        s->moment ? s->moment : 9);
    made_child(&nodes[6], "0", 8);
    if (s->other)
        made_child(&nodes[6], s->other, 9);
    made_child(&nodes[7], "0", 10);
    made_child(&nodes[7], "1", 11);
    made_child(&nodes[1], "m1", 9);
    if (s->has_slot)
        made_slot(&nodes[1], 3, "m", 10);
    for (size_t i = 0; i < 9; i++) {
        if (keys[i])
            made_attribute(&nodes[i + 3], "VARIABLE_VALUE", "", keys[i]);
    }
}

/* Writes "x" with two variables of 2 and 3 elements, and two moments of
 * each. */
static void put_sample(struct memory *memory, const struct spoilt *s)
{
    static const uint64_t two[] = { 2 }, three[] = { 3 };
    uint64_t extent = s->extent ? s->extent : 3;
    uint32_t dtype = s->dtype ? s->dtype : 1;
    struct made m;
    struct vv_buffer nodes[OBJECTS];
    made_begin(&m, PLAIN_HEADER);
    for (size_t i = 0; i < OBJECTS; i++)
        vv_buffer_init(&nodes[i], test_allocator());
    describe(nodes, s);
    for (size_t i = 0; i < OBJECTS; i++) {
        made_node(&m, &nodes[i]);
        vv_buffer_clear(&nodes[i]);
    }
    made_put_graph(&m);
    made_counting(&m, "a", 1, 1, two, 8);
    made_counting(&m, "b", 1, 1, three, 12);
    made_counting(&m, "m0", 1, 1, two, 8);
    made_counting(&m, "m1", dtype, 1, &extent, (size_t)extent * 4);
    made_counting(&m, "v0", 1, 1, two, 8);
    made_counting(&m, "v1", 1, 1, three, 12);
    made_put(&m, memory, "x");
}

static varve_graph *read_graph(struct world *w, const char *path)
{
    varve_error error;
    varve_graph *graph = vv_graph_from_in(&w->context, path, NULL, &error);
    cr_assert(graph, "%s", error.message);
    return graph;
}

static varve_node *at(varve_graph *graph, const char *path)
{
    return varve_find_path(varve_graph_root(graph), path);
}

static size_t count_slots(varve_graph *graph, const char *owner)
{
    size_t count = 0;
    for (const varve_slot *s = varve_slot_first(at(graph, owner)); s;
         s = varve_slot_next(s))
        count++;
    return count;
}

static void check_slots(varve_graph *graph)
{
    static const char *const lists[] = { "_momentums", "momentums" };
    static const char *const variables[] = { "model/a", "model/b" };
    for (size_t i = 0; i < 4; i++) {
        char path[64];
        snprintf(path, sizeof path, "optimizer/%s/%zu", lists[i / 2], i % 2);
        varve_node *slot = varve_find_slot(at(graph, "optimizer"),
            at(graph, variables[i % 2]), lists[i / 2]);
        cr_assert(slot && slot == at(graph, path), "%s", path);
    }
    cr_assert_eq(count_slots(graph, "optimizer"), 4);
}

static void write_to(varve_graph *graph, const char *path,
    varve_format format, struct losses *reported)
{
    varve_error error;
    varve_write_options options = { .format = format,
        .foreign = { .loss = add_loss, .loss_user = reported } };
    *reported->text = '\0';
    cr_assert_ok(
        varve_write(varve_graph_root(graph), path, &options, &error), error);
}

/* Counts the slot records of a momentum: the name, then the field of the
 * node. */
static size_t count_records(struct world *w, const char *path)
{
    size_t size, count = 0;
    char data[64];
    snprintf(data, sizeof data, "%s.data-00000-of-00001", path);
    const unsigned char *bytes = memory_bytes(w->memory, data, &size);
    cr_assert(bytes);
    for (size_t i = 0; i + 11 <= size; i++)
        count += memcmp(bytes + i, "_momentums\x18", 11) == 0;
    return count;
}

TEST(bundle_moments, are_slots_of_trained_variables)
{
    struct world w = world_new();
    put_sample(w.memory, &(struct spoilt){ 0 });
    varve_graph *graph = read_graph(&w, "x");
    check_slots(graph);
    varve_graph_free(graph);
    world_free(&w);
}

/* Slots are named like the lists, or by a rename. */
TEST(bundle_moments, are_restored_into_slots_of_a_program)
{
    static const varve_rename renames[] = {
        { "adam/m(net/**)", "optimizer/_momentums(model/**)" },
        { "net", "model" }, { "adam", "optimizer" },
    };
    static float memory[4][2];
    varve_error error;
    struct world w = world_new();
    put_sample(w.memory, &(struct spoilt){ 0 });
    varve_graph *graph = vv_graph_new_in(&w.context);
    varve_node *root = varve_graph_root(graph);
    varve_node *adam = varve_add_object(root, "adam");
    varve_node *a = varve_add_variable(varve_add_object(root, "net"), "a",
        varve_array(memory[0], 2));
    varve_add_slot(adam, a, "m", varve_array(memory[1], 2));
    varve_add_slot(adam, a, "momentums", varve_array(memory[2], 2));
    varve_restoration *r = varve_read(root, "x",
        &(varve_read_options){ .rename = { .list = renames, .count = 3 } },
        &error);
    cr_assert(r, "%s", error.message);
    cr_assert_ok(varve_assert_existing_objects_matched(r, &error), error);
    for (size_t i = 0; i < 3; i++)
        cr_assert_neq(memory[i][1], 0, "%zu", i);
    varve_restoration_free(r);
    varve_graph_free(graph);
    world_free(&w);
}

TEST(bundle_moments, are_not_slots_if_anything_differs)
{
    static const struct {
        struct spoilt spoilt;
        size_t slots; /* those of the other list */
    } cases[] = {
        { { .position = "2" }, 2 }, { { .position = "01" }, 2 },
        { { .position = "one" }, 2 }, { { .position = "9999999999" }, 2 },
        { { .other = "2" }, 2 }, { { .other = "x" }, 2 },
        { { .extent = 4 }, 2 }, { { .dtype = 3 }, 2 },
        { { .variable = 3 }, 0 }, { { .variable = 5 }, 0 },
        { { .variable = 9 }, 2 }, { { .moment = 8 }, 2 },
        { { .moment = 4 }, 2 }, { { .moment = 2 }, 2 },
        { { .has_slot = true }, 0 }, { { .has_no_variables = true }, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct world w = world_new();
        put_sample(w.memory, &cases[i].spoilt);
        varve_graph *graph = read_graph(&w, "x");
        cr_assert_eq(
            count_slots(graph, "optimizer"), cases[i].slots, "case %zu", i);
        cr_assert_eq(count_slots(graph, "model"), cases[i].spoilt.has_slot);
        varve_graph_free(graph);
        world_free(&w);
    }
}

TEST(bundle_moments, are_not_recorded_as_slots)
{
    struct losses reported;
    struct world w = world_new();
    put_sample(w.memory, &(struct spoilt){ 0 });
    varve_graph *graph = read_graph(&w, "x");
    write_to(graph, "y", VARVE_FORMAT_TENSORFLOW, &reported);
    cr_assert_str_eq(reported.text, "");
    cr_assert_eq(count_records(&w, "y"), 0);
    write_to(graph, "z", VARVE_FORMAT_VARVE, &reported);
    varve_graph_free(graph);
    graph = read_graph(&w, "y");
    check_slots(graph);
    varve_graph_free(graph);
    graph = read_graph(&w, "z");
    check_slots(graph);
    write_to(graph, "w", VARVE_FORMAT_TENSORFLOW, &reported);
    cr_assert_eq(count_records(&w, "w"), 0);
    write_to(graph, "s", VARVE_FORMAT_SAFETENSORS, &reported);
    cr_assert_null(strstr(reported.text, "slot"), "%s", reported.text);
    varve_graph_free(graph);
    world_free(&w);
}

/* A reader that finds slot records does not look for others. */
TEST(bundle_moments, are_recorded_if_there_are_other_slots)
{
    struct losses reported;
    static float memory[2];
    static const char *const paths[] = { "p", "q", "r" };
    struct world w = world_new();
    put_sample(w.memory, &(struct spoilt){ 0 });
    for (size_t i = 0; i < 3; i++) {
        varve_graph *graph = read_graph(&w, "x");
        varve_node *owner = at(graph, i == 0 ? "model" : "optimizer");
        if (i < 2)
            varve_add_slot(
                owner, at(graph, "model/a"), "m", varve_array(memory, 2));
        else
            varve_untrack(at(graph, "optimizer/_momentums"), "1");
        write_to(graph, paths[i], VARVE_FORMAT_TENSORFLOW, &reported);
        varve_graph_free(graph);
        cr_assert_eq(count_records(&w, paths[i]), 2);
        graph = read_graph(&w, paths[i]);
        cr_assert_eq(count_slots(graph, "optimizer"), 4 + (i == 1));
        cr_assert_eq(count_slots(graph, "model"), i == 0);
        varve_graph_free(graph);
    }
    world_free(&w);
}

TEST(bundle_moments, are_not_created_without_memory)
{
    varve_status status = VARVE_NO_MEMORY;
    struct world w = world_new();
    put_sample(w.memory, &(struct spoilt){ 0 });
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        varve_write_options options = { .format = VARVE_FORMAT_TENSORFLOW };
        test_fail_allocation(n, false);
        varve_graph *graph = vv_graph_from_in(&w.context, "x", NULL, &error);
        status = graph ? varve_write(
                             varve_graph_root(graph), "y", &options, &error)
                       : error.status;
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        varve_graph_free(graph);
    }
    cr_assert_eq(count_records(&w, "y"), 0);
    world_free(&w);
}
