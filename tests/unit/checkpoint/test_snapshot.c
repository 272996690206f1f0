/* test_snapshot.c - Tests snapshots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "worlds.h"

static struct {
    float x[4];
    float local;
    varve_string texts[2];
    struct text_state state;
    varve_node *root;
} program;

static void begin(void)
{
    begin_world();
    memset(&program, 0, sizeof program);
    program.root = new_root();
    program.x[3] = 4;
    program.texts[0] = (varve_string){ "abc", 3 };
    strcpy(program.state.text, "state");
    varve_add_variable(program.root, "x", varve_array(program.x, 4));
    varve_tag(varve_add_variable(
                  program.root, "local", varve_scalar(&program.local)),
        VARVE_TAG_LOCAL);
    varve_add_variable(program.root, "texts", varve_array(program.texts, 2));
    varve_add_state(program.root, "s", &text_callbacks, &program.state);
}

static void change(const char *text)
{
    program.x[3] = program.local = (float)strlen(text);
    program.texts[0] = (varve_string){ text, strlen(text) };
    program.texts[1] = (varve_string){ "second", 6 };
    snprintf(program.state.text, sizeof program.state.text, "%.*s",
        (int)sizeof program.state.text - 1, text);
}

static void check_first(void)
{
    cr_assert_eq(program.x[3], 4);
    cr_assert_eq(program.local, 0);
    cr_assert_eq(program.texts[0].size, 3);
    cr_assert_eq(memcmp(program.texts[0].data, "abc", 3), 0);
    cr_assert_eq(program.texts[1].size, 0);
    cr_assert_str_eq(program.state.text, "state");
}

static varve_snapshot *take(void)
{
    varve_error error = { 0 };
    varve_snapshot *s = varve_snapshot_new(program.root, &error);
    cr_assert(s, "%s", error.message);
    return s;
}

static void end(varve_snapshot *s)
{
    varve_snapshot_free(s);
    free_root(program.root);
    end_world();
}

TEST(snapshot, restores_every_kind_of_value)
{
    varve_error error = { 0 };
    begin();
    varve_snapshot *s = take();
    for (int i = 0; i < 3; i++) {
        change("something longer than before");
        cr_assert_ok(varve_snapshot_restore(s, &error), error);
        check_first();
    }
    /* Restored strings outlive the snapshot and later retakes. */
    const char *data = program.texts[0].data;
    cr_assert_ok(varve_snapshot_retake(s, &error), error);
    varve_snapshot_free(s);
    cr_assert_eq(memcmp(data, "abc", 3), 0);
    end(NULL);
}

TEST(snapshot, contains_the_current_values_after_a_retake)
{
    varve_error error = { 0 };
    begin();
    varve_snapshot *s = take();
    change("longer");
    cr_assert_ok(varve_snapshot_retake(s, &error), error);
    change("x");
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    cr_assert_eq(program.x[3], 6);
    cr_assert_eq(memcmp(program.texts[0].data, "longer", 6), 0);
    cr_assert_eq(memcmp(program.texts[1].data, "second", 6), 0);
    cr_assert_str_eq(program.state.text, "longer");
    end(s);
}

TEST(snapshot, allocates_nothing_while_nothing_grows)
{
    varve_error error = { 0 };
    begin();
    varve_snapshot *s = take();
    test_fail_allocation(0, true);
    for (int i = 0; i < 5; i++) {
        cr_assert_ok(varve_snapshot_restore(s, &error), error);
        cr_assert_ok(varve_snapshot_retake(s, &error), error);
        cr_assert_ok(varve_snapshot_restore(s, &error), error);
    }
    cr_assert_eq(test_allocation_count(), 0);
    test_fail_allocation(-1, false);
    check_first();
    end(s);
}

TEST(snapshot, is_unchanged_after_a_failed_retake)
{
    static char text[300];
    memset(text, 'x', sizeof text - 1);
    begin();
    varve_snapshot *s = take();
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        change("a text of some forty bytes, for the state");
        program.texts[0] = (varve_string){ text, sizeof text - 1 };
        test_fail_allocation(n, true);
        status = varve_snapshot_retake(s, &error);
        test_fail_allocation(-1, false);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY);
        cr_assert_ok(varve_snapshot_restore(s, &error), error);
        check_first();
    }
    end(s);
}

TEST(snapshot, is_unchanged_if_a_state_cannot_be_saved)
{
    varve_error error = { 0 };
    begin();
    varve_snapshot *s = take();
    change("other");
    program.state.save_status = VARVE_IO;
    cr_assert_eq(varve_snapshot_retake(s, &error), VARVE_CALLBACK);
    program.state.save_status = VARVE_OK;
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    check_first();
    end(s);
}

TEST(snapshot, refuses_a_program_that_has_changed)
{
    varve_error error = { 0 };
    for (int i = 0; i < 5; i++) {
        static float other = 1;
        begin();
        varve_snapshot *s = take();
        varve_node *x = varve_find(program.root, "x");
        change("other");
        if (i == 0)
            varve_untrack(program.root, "x");
        else if (i == 1)
            varve_remove(x);
        else if (i == 2)
            varve_add_variable(program.root, "new", varve_scalar(&other));
        else if (i == 3)
            varve_replace(program.root, "x",
                varve_add_variable(varve_add_detached(varve_node_graph(
                                       program.root)),
                    "n", varve_scalar(&other)));
        else
            varve_add_slot(program.root, x, "m", varve_scalar(&other));
        for (int k = 0; k < 2; k++) {
            cr_assert_eq(varve_snapshot_retake(s, &error), VARVE_MISMATCH);
            cr_assert_eq(varve_snapshot_restore(s, &error), VARVE_MISMATCH);
        }
        cr_assert_eq(program.local, 5);
        end(s);
    }
}

TEST(snapshot, refuses_a_variable_of_another_type)
{
    varve_error error = { 0 };
    begin();
    varve_node *y = varve_add_allocated_variable(
        program.root, "y", VARVE_FLOAT32, VARVE_SHAPE(3), NULL, NULL);
    ((float *)varve_data(y))[2] = 1.5F;
    varve_snapshot *s = take();
    change("other");
    cr_assert_ok(varve_retype(y, VARVE_INT32, NULL, &error), error);
    cr_assert_eq(varve_snapshot_restore(s, &error), VARVE_MISMATCH);
    cr_assert_str_eq(error.message,
        "snapshot: y: was float32[3] when it was taken, is now int32[3]");
    cr_assert_eq(varve_snapshot_retake(s, &error), VARVE_MISMATCH);
    cr_assert_eq(((int32_t *)varve_data(y))[2], 1);
    cr_assert_eq(program.local, 5);
    cr_assert_ok(varve_retype(y, VARVE_FLOAT32, NULL, &error), error);
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    cr_assert_eq(((float *)varve_data(y))[2], 1.5F);
    check_first();
    end(s);
}

TEST(snapshot, restores_values_to_the_current_memory)
{
    varve_error error = { 0 };
    float x[4] = { 0 };
    begin();
    varve_snapshot *s = take();
    varve_rebind(varve_find(program.root, "x"), varve_array(x, 4));
    program.x[3] = 7;
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    cr_assert_eq(x[3], 4);
    cr_assert_eq(program.x[3], 7);
    end(s);
}

TEST(snapshot, ignores_objects_and_order)
{
    varve_error error = { 0 };
    begin();
    varve_node *list = varve_add_list(program.root, "list");
    float a = 1, b = 2;
    varve_add_variable(list, VARVE_APPEND, varve_scalar(&a));
    varve_add_variable(list, VARVE_APPEND, varve_scalar(&b));
    varve_snapshot *s = take();
    varve_list_reorder(list, (const size_t[]){ 1, 0 }, 2);
    varve_add_object(program.root, "a");
    a = b = 0;
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    cr_assert(a == 1 && b == 2);
    end(s);
}

TEST(snapshot, outlives_its_graph)
{
    varve_error error = { 0 };
    begin();
    varve_snapshot *s = take();
    free_root(program.root);
    cr_assert_eq(varve_snapshot_restore(s, &error), VARVE_MISMATCH);
    cr_assert_eq(varve_snapshot_retake(s, &error), VARVE_MISMATCH);
    varve_snapshot_free(s);
    varve_snapshot_free(NULL);
    end_world();
}

TEST(snapshot, handles_every_failed_allocation)
{
    varve_snapshot *s = NULL;
    begin();
    for (long n = 0; !s; n++) {
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        s = varve_snapshot_new(program.root, &error);
        test_fail_allocation(-1, false);
        cr_assert_eq(error.status, s ? VARVE_OK : VARVE_NO_MEMORY);
    }
    end(s);
}

TEST(snapshot, outlives_its_node)
{
    varve_error error = { 0 };
    begin();
    varve_node *empty = varve_add_object(program.root, "empty");
    varve_snapshot *s = varve_snapshot_new(empty, &error);
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    varve_remove(empty);
    cr_assert_eq(varve_snapshot_restore(s, &error), VARVE_MISMATCH);
    cr_assert_eq(varve_snapshot_retake(s, &error), VARVE_MISMATCH);
    end(s);
}

TEST(snapshot, refuses_a_graph_with_an_error)
{
    varve_error error = { 0 };
    begin();
    varve_snapshot *s = take();
    change("changed");
    varve_add_object(program.root, "");
    cr_assert_eq(varve_snapshot_restore(s, &error), VARVE_BAD_NAME);
    cr_assert_eq(program.x[3], 7);
    cr_assert_str_eq(program.state.text, "changed");
    cr_assert_eq(varve_snapshot_retake(s, &error), VARVE_BAD_NAME);
    cr_assert_null(varve_snapshot_new(program.root, &error));
    cr_assert_eq(error.status, VARVE_BAD_NAME);
    end(s);
}

TEST(snapshot, reports_the_state_that_fails_to_load)
{
    varve_error error = { 0 };
    begin();
    varve_snapshot *s = take();
    program.state.fails_at = 1;
    program.state.load_status = VARVE_IO;
    program.x[3] = 0;
    cr_assert_eq(varve_snapshot_restore(s, &error), VARVE_CALLBACK);
    cr_assert_eq(strncmp(error.message, "s: ", 3), 0, "%s", error.message);
    cr_assert_eq(program.x[3], 4);
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    check_first();
    end(s);
}

TEST(snapshot, restores_empty_values)
{
    varve_error error = { 0 };
    varve_string texts[2] = { { 0 } }, none[1];
    struct text_state state = { .text = "" };
    begin_world();
    varve_node *root = new_root();
    varve_snapshot *s = varve_snapshot_new(root, &error);
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    varve_snapshot_free(s);
    varve_add_variable(
        root, "floats", varve_view(NULL, VARVE_FLOAT32, VARVE_SHAPE(0, 3)));
    varve_add_variable(
        root, "none", varve_view(none, VARVE_STRING, VARVE_SHAPE(0)));
    varve_add_state(root, "state", &text_callbacks, &state);
    s = varve_snapshot_new(root, &error);
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    varve_snapshot_free(s);
    varve_add_variable(root, "texts", varve_array(texts, 2));
    s = varve_snapshot_new(root, &error);
    texts[1] = (varve_string){ "later", 5 };
    strcpy(state.text, "later");
    for (int i = 0; i < 2; i++) {
        cr_assert_ok(varve_snapshot_restore(s, &error), error);
        cr_assert(texts[0].size == 0 && texts[1].size == 0);
        cr_assert_str_eq(state.text, "");
        cr_assert_ok(varve_snapshot_retake(s, &error), error);
    }
    varve_snapshot_free(s);
    free_root(root);
    end_world();
}

/* A read replaced the strings by smaller ones. */
static void restore_long(varve_snapshot *s, const char *text, bool is_changed)
{
    varve_error error = { 0 };
    varve_status status = VARVE_NO_MEMORY;
    varve_restoration_free(read_root(program.root, NULL));
    program.local = 0; /* not stored in any file */
    check_first();
    if (is_changed)
        varve_add_object(program.root, "new");
    for (long n = 0; status; n++) {
        test_fail_allocation(n, false);
        status = varve_snapshot_restore(s, &error);
        test_fail_allocation(-1, false);
        cr_assert(status == VARVE_NO_MEMORY || (!status && n > 0));
        if (status)
            check_first();
    }
    cr_assert(is_changed || strstr(error.message, "strings"));
    cr_assert_eq(program.texts[0].size, strlen(text));
    cr_assert_arr_eq(program.texts[0].data, text, strlen(text));
    cr_assert_str_eq(program.state.text, "then");
}

TEST(snapshot, changes_nothing_without_memory_to_restore)
{
    static char text[300];
    varve_error error = { 0 };
    memset(text, 'x', sizeof text - 1);
    begin();
    write_root(program.root);
    change(text);
    strcpy(program.state.text, "then");
    varve_snapshot *s = take();
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    restore_long(s, text, false);
    restore_long(s, text, true);
    end(s);
}

/* The same number of values, but different ones. */
TEST(snapshot, is_refused_if_patterns_select_other_values)
{
    varve_error error = { 0 };
    float x = 1, y = 2;
    begin_world();
    varve_node *root = new_root();
    varve_node *shared = varve_add_variable(root, "x", varve_scalar(&x));
    varve_track(root, "kept", shared);
    varve_snapshot *s = varve_snapshot_new_with(
        root, &(varve_snapshot_options){ .except = "x" }, &error);
    cr_assert(s, "%s", error.message);
    varve_untrack(root, "kept");
    varve_add_variable(root, "y", varve_scalar(&y));
    x = y = 3;
    cr_assert_eq(varve_snapshot_restore(s, &error), VARVE_MISMATCH);
    cr_assert_eq(varve_snapshot_retake(s, &error), VARVE_MISMATCH);
    cr_assert_eq(x, 3);
    varve_track(root, "kept", shared);
    varve_remove(varve_find(root, "y"));
    cr_assert_ok(varve_snapshot_restore(s, &error), error);
    cr_assert_eq(x, 1);
    varve_snapshot_free(s);
    free_root(root);
    end_world();
}
