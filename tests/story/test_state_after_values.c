/* test_state_after_values.c - Tests serialized states: callbacks write bytes,
 * and read them after all values of the node are restored.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <string.h>

struct thing {
    char bytes[64];
    size_t size;
    int loads;
    const float *watched; /* value at the time of the load */
    float seen;
    varve_status status;      /* status returned by load */
    varve_status save_status;
    varve_node *node; /* its own */
};

static varve_status save_thing(void *self, varve_sink *sink)
{
    struct thing *thing = self;
    varve_put(sink, thing->bytes, thing->size / 2);
    varve_put(sink, thing->bytes + thing->size / 2,
        thing->size - thing->size / 2);
    return thing->save_status;
}

static varve_status load_thing(void *self, const void *bytes, size_t size)
{
    struct thing *thing = self;
    thing->loads++;
    cr_assert(bytes, "no bytes are somewhere too");
    cr_assert(size <= sizeof thing->bytes);
    memcpy(thing->bytes, bytes, size);
    thing->size = size;
    if (thing->watched)
        thing->seen = *thing->watched;
    return thing->status;
}

static const varve_state_callbacks callbacks = { save_thing, load_thing };

static void write_thing(const char *name)
{
    struct thing thing = { .bytes = "position 17", .size = 11 };
    float v = 8;
    varve_graph *graph = story_graph();
    varve_node *state = varve_add_state(
        varve_graph_root(graph), "iterator", &callbacks, &thing);
    varve_add_variable(state, "shuffle", varve_scalar(&v));
    story_write(varve_graph_root(graph), name);
    varve_graph_free(graph);
}

/* P1 */
TEST(state_after_values, saved_bytes_are_loaded)
{
    struct thing thing = { .bytes = "\1\0\2", .size = 3 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_state(root, "s", &callbacks, &thing);
    story_write(root, "f");
    memcpy(thing.bytes, "doubled", 7);
    thing.size = 7;
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(thing.size, 3);
    cr_assert_eq(memcmp(thing.bytes, "\1\0\2", 3), 0);
    cr_assert_eq(thing.loads, 1);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(state_after_values, load_runs_after_the_values_of_its_node)
{
    write_thing("f");
    float shuffle = 0;
    struct thing thing = { .watched = &shuffle };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *state = varve_add_state(root, "iterator", &callbacks, &thing);
    varve_add_variable(state, "shuffle", varve_scalar(&shuffle));
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(thing.loads, 1);
    cr_assert_eq(thing.seen, 8);
    cr_assert_eq(thing.size, 11);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* P4 */
TEST(state_after_values, load_runs_when_it_is_attached_after_the_read)
{
    write_thing("f");
    float shuffle = 0;
    struct thing thing = { .watched = &shuffle };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    varve_node *state = varve_add_state(root, "iterator", &callbacks, &thing);
    cr_assert_eq(thing.loads, 0, "its variable is not there yet");
    varve_add_variable(state, "shuffle", varve_scalar(&shuffle));
    cr_assert_eq(thing.loads, 1);
    cr_assert_eq(thing.seen, 8);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* The library allocates the variable when its value is restored. */
static varve_status load_beside(void *self, const void *bytes, size_t size)
{
    struct thing *thing = self;
    varve_node *shuffle = varve_find(thing->node, "shuffle");
    cr_assert(shuffle && varve_data(shuffle));
    if (thing->loads == 0)
        cr_assert_eq(varve_state_of(shuffle), VARVE_RESTORED);
    thing->seen = *(float *)varve_data(shuffle);
    return load_thing(self, bytes, size);
}

static void add_beside(struct thing *thing, varve_status expected)
{
    static const varve_state_callbacks beside = { save_thing, load_beside };
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    thing->node = varve_add_state(root, "iterator", &beside, thing);
    cr_assert_eq(thing->loads, 0);
    varve_node *shuffle = varve_add_allocated_variable(thing->node, "shuffle",
        VARVE_FLOAT32, VARVE_SCALAR, NULL, NULL);
    cr_assert_eq(varve_graph_check(graph, &error), expected);
    cr_assert_eq(thing->seen, 8);
    cr_assert(varve_data(shuffle));
    if (expected) {
        cr_assert_eq(varve_state_of(shuffle), VARVE_PENDING);
        cr_assert_eq(*(float *)varve_data(shuffle), 0);
        thing->status = VARVE_OK;
        cr_assert_ok(varve_restoration_retry(r, &error), error);
    }
    cr_assert_eq(*(float *)varve_data(shuffle), 8);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(state_after_values, load_can_read_library_owned_values)
{
    write_thing("f");
    struct thing thing = { .status = VARVE_OK };
    add_beside(&thing, VARVE_OK);
    struct thing failing = { .status = VARVE_CALLBACK };
    add_beside(&failing, VARVE_CALLBACK);
}

TEST(state_after_values, dropping_a_pending_value_runs_load)
{
    write_thing("f");
    varve_error error;
    struct thing thing = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    varve_add_state(root, "iterator", &callbacks, &thing);
    cr_assert_eq(thing.loads, 0);
    cr_assert_ok(varve_drop_pending(r, "iterator/shuffle", &error), error);
    cr_assert_eq(thing.loads, 1);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(state_after_values, a_failed_save_leaves_no_file)
{
    varve_error error;
    struct thing thing = { .bytes = "x", .size = 1, .save_status = VARVE_IO };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_state(root, "broken", &callbacks, &thing);
    cr_assert_eq(
        varve_write(root, test_path("f"), NULL, &error), VARVE_CALLBACK);
    cr_assert(story_says(&error, "broken"), "%s", error.message);
    cr_assert(story_is_one_line(&error));
    cr_assert_eq(test_file_count(), 0);
    varve_graph_free(graph);
}

TEST(state_after_values, an_empty_state_is_saved_and_loaded)
{
    struct thing thing = { .size = 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_add_state(root, "s", &callbacks, &thing);
    story_write(root, "f");
    thing.size = 5;
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(thing.loads, 1);
    cr_assert_eq(thing.size, 0);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* B23 */
TEST(state_after_values, a_state_missing_in_the_program_is_reported)
{
    write_thing("f");
    varve_error error;
    varve_graph *graph = story_graph();
    varve_restoration *r = story_read(varve_graph_root(graph), "f", NULL);
    story_unmatched(varve_assert_consumed(r, &error), "iterator", error);
    varve_restoration_free(r);
    varve_graph_free(graph);
}
