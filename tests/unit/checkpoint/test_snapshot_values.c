/* test_snapshot_values.c - Tests values of nodes in a snapshot.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <string.h>

static struct {
    varve_graph *graph;
    varve_node *root;
    float x[2][2];
    float momentum;
    varve_string text;
    int state;
} p;

static varve_status save(void *self, varve_sink *sink)
{
    varve_put(sink, self, sizeof(int));
    return VARVE_OK;
}

static varve_status load(void *self, const void *bytes, size_t size)
{
    memcpy(self, bytes, size);
    return VARVE_OK;
}

static void begin(void)
{
    static const varve_state_callbacks callbacks = { save, load };
    memset(&p, 0, sizeof p);
    p.graph = varve_graph_new(test_allocator());
    p.root = varve_graph_root(p.graph);
    varve_node *x = varve_add_variable(varve_add_object(p.root, "net"), "x",
        varve_array(&p.x[0][0], 2, 2));
    varve_add_slot(varve_add_object(p.root, "opt"), x, "m",
        varve_scalar(&p.momentum));
    varve_tag(x, "trainable");
    varve_add_variable(p.root, "text", varve_scalar(&p.text));
    varve_add_state(p.root, "state", &callbacks, &p.state);
    p.x[1][0] = 5;
    p.momentum = 6;
    p.text = (varve_string){ "before", 6 };
    p.state = 7;
}

static varve_tensor value_of(varve_snapshot *s, const char *path)
{
    varve_tensor value;
    varve_error error = { 0 };
    cr_assert_ok(varve_snapshot_value(s, path, &value, &error), error);
    return value;
}

TEST(snapshot_value, is_the_earlier_value)
{
    begin();
    varve_error error;
    varve_snapshot *s = varve_snapshot_new(p.root, &error);
    cr_assert(s, "%s", error.message);
    p.x[1][0] = p.momentum = -1;
    p.text = (varve_string){ "after", 5 };
    p.state = -1;
    varve_tensor value = value_of(s, "net/x");
    cr_assert(value.dtype == VARVE_FLOAT32 && value.rank == 2 &&
              value.shape[1] == 2 && !value.memory);
    cr_assert_eq(((const float *)value.data)[2], 5);
    cr_assert_eq(*(const float *)value_of(s, "opt/m(net/x)").data, 6);
    const varve_string *text = value_of(s, "text").data;
    cr_assert(text->size == 6 && memcmp(text->data, "before", 6) == 0);
    value = value_of(s, "state");
    cr_assert(value.dtype == VARVE_UINT8 && value.shape[0] == sizeof(int));
    cr_assert(*(const unsigned char *)value.data == 7);
    cr_assert(p.x[1][0] == -1 && p.state == -1, "nothing is put back");
    varve_snapshot_free(s);
    varve_graph_free(p.graph);
}

TEST(snapshot_value, is_found_in_a_ring)
{
    begin();
    varve_error error;
    varve_ring *ring = varve_ring_new(p.root, 3, NULL, &error);
    for (int i = 0; i < 3; i++) {
        p.momentum = (float)i;
        cr_assert_ok(varve_ring_push(ring, &error), error);
    }
    for (size_t back = 0; back < 3; back++)
        cr_assert_eq(*(const float *)value_of(
                         varve_ring_at(ring, back), "opt/m(net/x)").data,
            2 - (float)back);
    varve_ring_free(ring);
    varve_graph_free(p.graph);
}

TEST(snapshot_value, is_not_found_at_other_paths)
{
    begin();
    varve_error error;
    varve_tensor value;
    varve_snapshot *s = varve_snapshot_new_with(p.root,
        &(varve_snapshot_options){ .except = "text" }, &error);
    cr_assert_eq(
        varve_snapshot_value(s, "net/y", &value, &error), VARVE_NOT_FOUND);
    cr_assert(strstr(error.message, "no node at this path"));
    cr_assert_eq(
        varve_snapshot_value(s, "net", &value, &error), VARVE_NOT_FOUND);
    cr_assert_eq(
        varve_snapshot_value(s, "text", &value, &error), VARVE_NOT_FOUND);
    cr_assert_eq(varve_snapshot_value(s, NULL, &value, &error), VARVE_MISUSE);
    cr_assert_eq(varve_snapshot_value(NULL, "text", &value, NULL),
        VARVE_MISUSE);
    varve_remove(varve_find(p.root, "text"));
    varve_graph_free(p.graph);
    cr_assert_eq(
        varve_snapshot_value(s, "net/x", &value, &error), VARVE_MISMATCH);
    varve_snapshot_free(s);
}

/* A snapshot of nodes with a tag, and of nodes below an object with it. */
TEST(snapshot_value, may_be_selected_by_a_tag)
{
    begin();
    varve_error error;
    varve_tensor value;
    varve_tag(varve_find(p.root, "opt"), "unused");
    varve_snapshot *s = varve_snapshot_new_with(p.root,
        &(varve_snapshot_options){ .tag = "trainable" }, &error);
    cr_assert(s, "%s", error.message);
    cr_assert_eq(((const float *)value_of(s, "net/x").data)[2], 5);
    cr_assert_eq(
        varve_snapshot_value(s, "text", &value, &error), VARVE_NOT_FOUND);
    p.x[1][0] = 0;
    p.state = 0;
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    cr_assert(p.x[1][0] == 5 && p.state == 0);
    varve_snapshot_free(s);
    varve_ring *ring = varve_ring_new(p.root, 2,
        &(varve_snapshot_options){ .tag = "trainable" }, &error);
    cr_assert_ok(varve_ring_push(ring, &error), error);
    cr_assert_eq(varve_snapshot_value(varve_ring_at(ring, 0), "text", &value,
                     &error),
        VARVE_NOT_FOUND);
    varve_ring_free(ring);
    s = varve_snapshot_new_with(
        p.root, &(varve_snapshot_options){ .tag = "none has it" }, &error);
    p.x[1][0] = 0;
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    cr_assert_eq(p.x[1][0], 0);
    varve_snapshot_free(s);
    varve_graph_free(p.graph);
}
