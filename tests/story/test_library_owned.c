/* test_library_owned.c - Tests that library-owned memory may be mapped from the
 * file, and program-owned memory may move.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 50000 };

static void write_large(void)
{
    float *v = malloc(sizeof *v * COUNT);
    for (int i = 0; i < COUNT; i++)
        v[i] = (float)i;
    varve_graph *graph = story_graph();
    varve_add_variable(varve_graph_root(graph), "v", varve_array(v, COUNT));
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
    free(v);
}

TEST(library_owned, a_mapped_variable_can_be_changed_by_the_program)
{
    write_large();
    varve_error error;
    varve_read_options options = { .map = true };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", &options);
    size_t before = test_byte_count();
    varve_node *node = varve_add_allocated_variable(
        root, "v", VARVE_FLOAT32, VARVE_SHAPE(COUNT), NULL, NULL);
    cr_assert_lt(test_byte_count() - before, sizeof(float) * COUNT / 2,
        "it took memory as if it were not mapped");
    float *v = varve_data(node);
    cr_assert_eq((uintptr_t)v % 64, 0);
    cr_assert_eq(v[COUNT - 1], COUNT - 1);
    cr_assert_ok(varve_restoration_verify(r, &error), error);
    v[3] = -1;
    cr_assert_ok(varve_restoration_verify(r, &error), error);
    varve_restoration_free(r);
    cr_assert_eq(remove(test_path("f")), 0);
    cr_assert_eq(v[3], -1);
    cr_assert_eq(v[COUNT - 2], COUNT - 2, "it lives as long as the variable");
    varve_graph_free(graph);
}

static const char *reason_of(varve_restoration *r, const char *path)
{
    static char reason[100];
    varve_error error;
    varve_finding finding;
    varve_report *report = varve_report_new(r, &error);
    cr_assert(report, "%s", error.message);
    strcpy(reason, "no finding");
    for (size_t i = 0;
         varve_report_at(report, VARVE_FINDING_MATCHED, i, &finding); i++)
        if (strcmp(finding.program_path, path) == 0)
            snprintf(reason, sizeof reason, "%s", finding.reason);
    varve_report_free(report);
    return reason;
}

TEST(library_owned, the_reason_for_not_mapping_is_reported)
{
    static float held[COUNT];
    float small = 0;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    const char *names[] = { "before", "later", "cast", "theirs", "other" };
    for (int i = 0; i < 5; i++)
        varve_add_variable(root, names[i], varve_array(COPY_OF(held), COUNT));
    varve_add_variable(root, "small", varve_scalar(&small));
    story_write(root, "f");
    varve_graph_free(graph);
    graph = story_graph();
    root = varve_graph_root(graph);
    varve_node *node = varve_add_allocated_variable(
        root, "before", VARVE_FLOAT32, VARVE_SHAPE(COUNT), NULL, NULL);
    const float *before = varve_data(node);
    varve_add_variable(root, "theirs", varve_array(held, COUNT));
    varve_add_variable(root, "small", varve_scalar(&small));
    varve_read_options options = { .map = true, .cast = VARVE_CAST_ANY };
    varve_restoration *r = story_read(root, "f", &options);
    varve_add_allocated_variable(
        root, "later", VARVE_FLOAT32, VARVE_SHAPE(COUNT), NULL, NULL);
    varve_add_allocated_variable(
        root, "cast", VARVE_FLOAT64, VARVE_SHAPE(COUNT), NULL, NULL);
    cr_assert_eq(varve_data(node), before, "pointers to it stay good");
    cr_assert_str_eq(
        reason_of(r, "before"), "not mapped: its memory was allocated before");
    cr_assert_str_eq(
        reason_of(r, "theirs"), "not mapped: the program owns its memory");
    cr_assert_str_eq(
        reason_of(r, "cast"), "not mapped: the stored bytes must be converted");
    cr_assert_str_eq(reason_of(r, "later"), "");
    cr_assert_str_eq(reason_of(r, "small"), "");
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(library_owned, verify_finds_damage_in_mapped_values)
{
    write_large();
    varve_error error;
    story_damage("f", "v", 5);
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_read_options options = { .map = true };
    varve_restoration *r = story_read(root, "f", &options);
    varve_add_allocated_variable(
        root, "v", VARVE_FLOAT32, VARVE_SHAPE(COUNT), NULL, NULL);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    cr_assert_eq(varve_restoration_verify(r, &error), VARVE_CORRUPT);
    cr_assert(story_says(&error, "v"), "%s", error.message);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(library_owned, rebind_moves_a_variable_and_later_values)
{
    STORY_FILE("f", { "v", 3 });
    varve_error error;
    float old = 1, new = 2;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *v = story_add(root, "v", &old);
    varve_rebind(v, varve_scalar(&new));
    cr_assert_eq(varve_data(v), &new);
    varve_restoration_free(story_read(root, "f", NULL));
    cr_assert_eq(old, 1);
    cr_assert_eq(new, 3);
    double other;
    varve_rebind(v, varve_scalar(&other));
    cr_assert_neq(varve_graph_check(graph, &error), VARVE_OK);
    cr_assert_eq(varve_data(v), &new);
    varve_graph_free(graph);
}

/* --- In one line --------------------------------------------------------- */

static varve_status fill_with_ones(const varve_tensor *tensor, void *user)
{
    float *x = tensor->data;
    for (uint64_t i = 0; i < varve_tensor_count(tensor); i++)
        x[i] = 1;
    ++*(int *)user;
    return VARVE_OK;
}

TEST(library_owned, a_slot_is_allocated_like_its_variable)
{
    int ran = 0;
    float v[6] = { 0 };
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *adam = varve_add_object(root, "adam");
    varve_node *w =
        varve_add_variable(root, "w", varve_array(v, 2, 3));
    varve_node *m = varve_add_slot_like(adam, w, "m", fill_with_ones, &ran);
    cr_assert(ran == 1 && ((float *)varve_data(m))[5] == 1);
    cr_assert_eq(varve_find_slot(adam, w, "m"), m);
    char text[2][VARVE_TENSOR_TEXT_SIZE];
    cr_assert_str_eq(varve_tensor_text(varve_value(m), text[0]),
        varve_tensor_text(varve_value(w), text[1]));
    ((float *)varve_data(m))[5] = 7;
    story_write(root, "f");
    varve_remove(m);
    varve_restoration *r = story_read(root, "f", NULL);
    m = varve_add_slot_like(adam, w, "m", fill_with_ones, &ran);
    cr_assert(ran == 1 && ((float *)varve_data(m))[5] == 7);
    varve_add_slot_like(adam, adam, "m", NULL, NULL);
    cr_assert_eq(varve_graph_clear_error(graph, NULL), VARVE_MISUSE);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* A table that grew during the run: the next run allocates the saved size. */
TEST(library_owned, a_variable_is_allocated_with_the_pending_shape)
{
    varve_error error;
    int ran = 0;
    for (int saved = 0; saved < 2; saved++) {
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_node *list = varve_add_list(root, "list");
        varve_restoration *r = saved ? story_read(root, "f", NULL) : NULL;
        uint64_t size = saved ? 5 : 3;
        varve_node *nodes[] = {
            varve_add_variable_as_saved(root, "table", VARVE_FLOAT32,
                VARVE_SHAPE(3), fill_with_ones, &ran),
            varve_add_variable_as_saved(list, VARVE_APPEND, VARVE_FLOAT32,
                VARVE_SHAPE(3), fill_with_ones, &ran),
        };
        for (int i = 0; i < 2; i++) {
            cr_assert_eq(varve_value(nodes[i])->shape[0], size);
            cr_assert_eq(*(float *)varve_data(nodes[i]), saved ? 9 : 1);
        }
        cr_assert_eq(ran, 2);
        cr_assert_ok(varve_graph_check(graph, &error), error);
        varve_restoration_free(r);
        varve_graph_free(graph);
        if (saved)
            break;
        float grown[5] = { 9, 9, 9, 9, 9 };
        graph = story_graph();
        root = varve_graph_root(graph);
        varve_add_variable(root, "table", varve_array(grown, 5));
        varve_list_append(varve_add_list(root, "list"),
            varve_add_detached_variable(
                graph, varve_array(COPY_OF(grown), 5)));
        story_write(root, "f");
        varve_graph_free(graph);
    }
}

TEST(library_owned, a_detached_variable_is_restored_when_tracked)
{
    varve_error error;
    STORY_FILE("f", { "a/v", 5 });
    float v = 1, w = 2;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    varve_node *node = varve_add_detached_variable(graph, varve_scalar(&v));
    varve_snapshot *before = varve_snapshot_new(root, &error);
    cr_assert(before && v == 1 && varve_pending_count(r) == 1);
    varve_node *a = varve_add_object(root, "a");
    cr_assert_not_null(varve_pending(a, "v"));
    varve_track(a, "v", node);
    cr_assert(v == 5 && varve_pending_count(r) == 0);
    varve_track(root, "shared", node);
    cr_assert_eq(varve_snapshot_restore(before, &error), VARVE_MISMATCH);
    varve_snapshot *after = varve_snapshot_new(root, &error);
    v = 6;
    cr_assert_ok(varve_snapshot_restore(after, &error), error);
    cr_assert_eq(v, 5);
    cr_assert_eq(varve_node_kind(varve_add_detached_variable(
                     graph, varve_array(&w, 0xffffffff, 0xffffffff,
                         0xffffffff))), VARVE_NIL);
    cr_assert_eq(varve_graph_clear_error(graph, NULL), VARVE_BAD_SHAPE);
    varve_snapshot_free(before);
    varve_snapshot_free(after);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(library_owned, a_variable_is_shared_by_its_name)
{
    int ran = 0;
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *one = varve_find_or_add_variable(root, "w", VARVE_FLOAT32,
        VARVE_SHAPE(2), fill_with_ones, &ran);
    varve_node *two = varve_find_or_add_variable(root, "w", VARVE_FLOAT32,
        VARVE_SHAPE(2), fill_with_ones, &ran);
    cr_assert(one == two && ran == 1);
    cr_assert_ok(varve_graph_check(graph, &error), error);
    varve_find_or_add_variable(
        root, "w", VARVE_FLOAT64, VARVE_SHAPE(2), NULL, NULL);
    cr_assert_eq(varve_graph_clear_error(graph, &error), VARVE_MISMATCH);
    cr_assert_str_eq(error.message, "w: expected float64[2], found float32[2]");
    varve_find_or_add_variable(
        root, "w", VARVE_FLOAT32, VARVE_SCALAR, NULL, NULL);
    cr_assert_eq(varve_graph_clear_error(graph, &error), VARVE_MISMATCH);
    varve_add_object(root, "o");
    varve_find_or_add_variable(
        root, "o", VARVE_FLOAT32, VARVE_SCALAR, NULL, NULL);
    cr_assert_eq(varve_graph_clear_error(graph, &error), VARVE_MISMATCH);
    varve_graph_free(graph);
}

/* --- Large ones, of a program that brings no allocator ------------------- */

static bool has_numbers(const varve_node *node, uint64_t count)
{
    const varve_tensor *tensor = varve_value(node);
    bool good = tensor->shape[0] == count;
    for (uint64_t i = 0; i < count && good; i++) {
        uint8_t k = (uint8_t)(i % 200);
        if (tensor->dtype == VARVE_FLOAT32)
            good = ((const float *)varve_data(node))[i] == k;
        else if (tensor->dtype == VARVE_FLOAT64)
            good = ((const double *)varve_data(node))[i] == k;
        else
            good = ((const uint8_t *)varve_data(node))[i] == k;
    }
    return good;
}

static varve_node *add_numbers(varve_node *root, uint64_t count, bool has_them)
{
    varve_node *node = varve_add_allocated_variable(
        root, "v", VARVE_FLOAT32, VARVE_SHAPE(count), NULL, NULL);
    float *v = varve_data(node);
    for (uint64_t i = 0; i < count && has_them; i++) {
        cr_assert_eq(v[i], 0);
        v[i] = (float)(i % 200);
    }
    return node;
}

/* Some types make them large enough for separate pages, others do not. */
TEST(library_owned, large_variables_can_change_type_and_be_removed)
{
    static const varve_dtype types[] = { VARVE_FLOAT64, VARVE_UINT8,
        VARVE_FLOAT64, VARVE_FLOAT32, VARVE_UINT8, VARVE_FLOAT32 };
    varve_error error;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_node *v = add_numbers(root, COUNT, true);
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        cr_assert_ok(varve_retype(v, types[i], NULL, &error), error);
        cr_assert(has_numbers(v, COUNT), "%zu", i);
    }
    varve_snapshot *kept = varve_snapshot_new(root, &error);
    cr_assert(kept, "%s", error.message);
    memset(varve_data(v), 1, COUNT * sizeof(float));
    cr_assert_ok(varve_snapshot_restore(kept, &error), error);
    cr_assert(has_numbers(v, COUNT));
    varve_remove(v);
    varve_snapshot_free(kept);
    varve_graph_free(graph);
}

TEST(library_owned, large_variables_get_pending_values_and_new_shapes)
{
    static const uint64_t before[] = { COUNT, 10, 7 * COUNT };
    varve_error error;
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    add_numbers(root, COUNT, true);
    story_write(root, "f");
    varve_graph_free(graph);
    for (size_t i = 0; i < sizeof before / sizeof *before; i++) {
        graph = varve_graph_new(NULL);
        root = varve_graph_root(graph);
        varve_node *v = add_numbers(root, before[i], false);
        varve_set_resizing(v, &(varve_resizing){ NULL, NULL }, NULL);
        varve_restoration_free(story_read(root, "f", NULL));
        cr_assert(has_numbers(v, COUNT));
        varve_remove(v);
        varve_restoration *r = story_read(root, "f", NULL);
        cr_assert(has_numbers(add_numbers(root, COUNT, false), COUNT));
        story_consumed(r);
        cr_assert_ok(varve_graph_check(graph, &error), error);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

TEST(library_owned, large_variables_of_a_damaged_file_leak_nothing)
{
    write_large();
    varve_error error;
    varve_graph *made = varve_graph_from(test_path("f"), NULL, &error);
    cr_assert(made, "%s", error.message);
    float *v = varve_data(varve_find(varve_graph_root(made), "v"));
    cr_assert(v[1] == 1 && v[COUNT - 1] == COUNT - 1);
    varve_graph_free(made);
    story_damage("f", "v", 5);
    cr_assert_null(varve_graph_from(test_path("f"), NULL, &error));
    cr_assert_eq(error.status, VARVE_CORRUPT);
}
