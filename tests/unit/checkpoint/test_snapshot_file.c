/* test_snapshot_file.c - Tests writing snapshots to files and reading them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static struct {
    varve_graph *graph;
    varve_node *root;
    float x[1000];
    float momentum[1000];
    float local;
    float list[2];
    varve_string texts[2];
    char state[32];
} p;

static varve_status save(void *self, varve_sink *sink)
{
    varve_put(sink, self, strlen(self));
    return VARVE_OK;
}

static varve_status load(void *self, const void *bytes, size_t size)
{
    memcpy(self, bytes, size);
    ((char *)self)[size] = 0;
    return VARVE_OK;
}

/* Builds slots, lists with shared elements, a cycle, tags, states, strings, and
 * variables without a value. */
static void build(void)
{
    static const varve_state_callbacks callbacks = { save, load };
    p.graph = varve_graph_new(test_allocator());
    p.root = varve_graph_root(p.graph);
    varve_node *model = varve_add_object(p.root, "model");
    varve_node *x = varve_add_variable(model, "x", varve_array(p.x, 1000));
    varve_node *adam = varve_add_object(p.root, "adam");
    varve_node *m =
        varve_add_slot(adam, x, "m", varve_array(p.momentum, 1000));
    varve_add_allocated_slot(
        adam, x, "v", VARVE_FLOAT32, VARVE_SHAPE(2), NULL, NULL);
    varve_tag(x, VARVE_TAG_TRAINABLE);
    varve_tag(varve_add_variable(p.root, "local", varve_scalar(&p.local)),
        VARVE_TAG_LOCAL);
    varve_node *list = varve_add_list(p.root, "z list");
    varve_add_variable(list, VARVE_APPEND, varve_scalar(&p.list[0]));
    varve_track(list, VARVE_APPEND, x);
    varve_add_variable(list, VARVE_APPEND, varve_scalar(&p.list[1]));
    varve_track(list, VARVE_APPEND, p.root);
    varve_track(p.root, "the slot", m);
    varve_alias(x, "weights");
    varve_add_variable(varve_add_dict(p.root, "dict"), "texts",
        varve_array(p.texts, 2));
    varve_node *s = varve_add_state(p.root, "state", &callbacks, p.state);
    varve_track(s, "child", x);
}

static void set(float value, const char *text)
{
    for (int i = 0; i < 1000; i++) {
        p.x[i] = value + (float)i;
        p.momentum[i] = -value;
    }
    p.local = p.list[0] = p.list[1] = value;
    p.texts[0] = (varve_string){ text, strlen(text) };
    p.texts[1] = (varve_string){ NULL, 0 };
    strcpy(p.state, text);
}

static bool is_set(float value, const char *text)
{
    size_t size = strlen(text);
    return p.x[0] == value && p.x[999] == value + 999 &&
           p.momentum[7] == -value && p.list[1] == value &&
           p.texts[0].size == size &&
           memcmp(p.texts[0].data, text, size) == 0 && p.texts[1].size == 0 &&
           strcmp(p.state, text) == 0;
}

static void begin(void)
{
    memset(&p, 0, sizeof p);
    build();
}

static void same_files(const char *one, const char *other)
{
    size_t size[2];
    void *bytes[2] = { test_read_file(one, &size[0]),
        test_read_file(other, &size[1]) };
    cr_assert_eq(size[0], size[1]);
    cr_assert_eq(memcmp(bytes[0], bytes[1], size[0]), 0);
    free(bytes[0]);
    free(bytes[1]);
}

TEST(snapshot_file, equals_a_save_at_that_time)
{
    varve_error error;
    begin();
    set(1, "some text");
    cr_assert_ok(varve_write(p.root, test_path("then"), NULL, &error), error);
    varve_snapshot *s = varve_snapshot_new(p.root, &error);
    set(2, "another text, and longer");
    cr_assert_ok(varve_snapshot_write(s, test_path("s"), NULL, &error), error);
    same_files(test_path("then"), test_path("s"));
    cr_assert(is_set(2, "another text, and longer"), "the present stays");
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    cr_assert(is_set(1, "some text"));
    varve_snapshot_free(s);
    varve_graph_free(p.graph);
}

TEST(snapshot_file, excluded_values_are_written_as_they_are)
{
    varve_error error;
    begin();
    set(1, "one");
    varve_snapshot *s = varve_snapshot_new_with(p.root,
        &(varve_snapshot_options){ .except = "model|state|z list" }, &error);
    set(2, "two");
    cr_assert_ok(varve_snapshot_write(s, test_path("s"), NULL, &error), error);
    varve_snapshot_free(s);
    set(3, "three");
    varve_restoration *r = varve_read(p.root, test_path("s"), NULL, &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(p.x[0], 2);
    cr_assert_str_eq(p.state, "two");
    cr_assert_eq(p.momentum[0], -1);
    cr_assert_eq(p.texts[0].size, 3);
    cr_assert_eq(memcmp(p.texts[0].data, "one", 3), 0);
    varve_restoration_free(r);
    varve_graph_free(p.graph);
}

TEST(snapshot_file, a_file_is_read_without_changing_the_program)
{
    varve_error error;
    begin();
    set(1, "written before");
    cr_assert_ok(varve_write(p.root, test_path("f"), NULL, &error), error);
    set(2, "two");
    varve_snapshot *s = varve_snapshot_new(p.root, &error);
    set(3, "three");
    cr_assert_ok(varve_snapshot_read(s, test_path("f"), NULL, &error), error);
    cr_assert(is_set(3, "three"));
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    cr_assert(is_set(1, "written before"));
    cr_assert_eq(p.local, 2, "it is in no file");
    varve_snapshot_free(s);
    varve_graph_free(p.graph);
}

TEST(snapshot_file, a_partial_snapshot_reads_only_its_part)
{
    varve_error error;
    begin();
    set(1, "one");
    cr_assert_ok(varve_write(p.root, test_path("f"), NULL, &error), error);
    set(2, "two");
    varve_snapshot *s = varve_snapshot_new_with(
        p.root, &(varve_snapshot_options){
            .except = "model|dict|z list|state/child" }, &error);
    cr_assert_ok(varve_snapshot_read(s, test_path("f"), NULL, &error), error);
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    cr_assert_eq(p.x[0], 2);
    cr_assert_eq(p.momentum[0], -1);
    cr_assert_eq(memcmp(p.texts[0].data, "two", 3), 0);
    cr_assert_str_eq(p.state, "one");
    varve_snapshot_free(s);
    varve_graph_free(p.graph);
}

TEST(snapshot_file, a_damaged_file_does_not_change_the_snapshot)
{
    varve_error error;
    size_t size;
    begin();
    set(1, "one");
    cr_assert_ok(varve_write(p.root, test_path("f"), NULL, &error), error);
    unsigned char *bytes = test_read_file(test_path("f"), &size);
    bytes[64 + 512] ^= 1;
    test_write_file(test_path("f"), bytes, size);
    free(bytes);
    set(2, "two");
    varve_snapshot *s = varve_snapshot_new(p.root, &error);
    varve_read_options streaming = { .passes = VARVE_ONE_PASS };
    cr_assert_neq(
        varve_snapshot_read(s, test_path("f"), NULL, &error), VARVE_OK);
    cr_assert_neq(
        varve_snapshot_read(s, test_path("f"), &streaming, &error), VARVE_OK);
    cr_assert_eq(
        varve_snapshot_read(s, test_path("none"), NULL, &error),
        VARVE_NOT_FOUND);
    set(3, "three");
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    cr_assert(is_set(2, "two"));
    varve_snapshot_free(s);
    varve_graph_free(p.graph);
}

TEST(snapshot_file, without_memory_nothing_changes)
{
    varve_error error;
    varve_write_options fast = { .no_sync = true };
    begin();
    set(1, "a text that was written before");
    cr_assert_ok(varve_write(p.root, test_path("f"), &fast, &error), error);
    set(2, "two");
    varve_snapshot *s = varve_snapshot_new(p.root, &error);
    for (long n = 0;; n++) {
        test_fail_allocation(n, false);
        varve_status status =
            varve_snapshot_write(s, test_path("s"), &fast, &error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY, "allocation %ld", n);
        cr_assert_eq(test_file_count(), 1);
    }
    for (long n = 0;; n++) {
        test_fail_allocation(n, false);
        varve_status status =
            varve_snapshot_read(s, test_path("f"), NULL, &error);
        test_fail_allocation(-1, false);
        set(3, "three");
        cr_assert_ok(varve_snapshot_restore(s, &error), error);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY, "allocation %ld", n);
        cr_assert(is_set(2, "two"), "allocation %ld", n);
    }
    cr_assert(is_set(1, "a text that was written before"));
    varve_snapshot_free(s);
    varve_graph_free(p.graph);
}

/* Relevant under UndefinedBehaviorSanitizer. */
TEST(snapshot_file, empty_values_are_read_and_restored)
{
    varve_error error;
    varve_write_options fast = { .no_sync = true };
    varve_string empty[2] = { { NULL, 0 }, { NULL, 0 } };
    float none[1];
    varve_graph *graph = varve_graph_new(test_allocator());
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "empty", varve_array(empty, 2));
    varve_add_variable(root, "none", varve_array(none, 0));
    varve_add_variable(
        root, "no_strings", varve_view(NULL, VARVE_STRING, VARVE_SHAPE(0)));
    cr_assert_ok(varve_write(root, test_path("f"), &fast, &error), error);
    for (int i = 0; i < 2; i++) {
        varve_snapshot_options options = { .except = i ? "**" : NULL };
        varve_snapshot *s = varve_snapshot_new_with(root, &options, &error);
        cr_assert_ok(
            varve_snapshot_read(s, test_path("f"), NULL, &error), error);
        cr_assert_ok(varve_snapshot_restore(s, &error), error);
        cr_assert_ok(
            varve_snapshot_write(s, test_path("s"), &fast, &error), error);
        varve_snapshot_free(s);
    }
    cr_assert_eq(empty[1].size, 0);
    varve_graph_free(graph);
}

TEST(snapshot_file, null_and_a_changed_program_are_refused)
{
    varve_error error;
    float more = 0;
    begin();
    set(1, "one");
    varve_snapshot *s = varve_snapshot_new(p.root, &error);
    varve_add_variable(p.root, "more", varve_scalar(&more));
    cr_assert_eq(varve_snapshot_write(s, test_path("s"), NULL, &error),
        VARVE_MISMATCH);
    cr_assert_eq(
        varve_snapshot_read(s, test_path("s"), NULL, &error), VARVE_MISMATCH);
    error.status = VARVE_OK;
    cr_assert_eq(varve_snapshot_write(NULL, test_path("s"), NULL, &error),
        VARVE_MISUSE);
    cr_assert_eq(varve_snapshot_read(NULL, test_path("s"), NULL, &error),
        VARVE_MISUSE);
    cr_assert_eq(test_file_count(), 0);
    varve_snapshot_free(s);
    varve_graph_free(p.graph);
}
