/* test_list_grows.c - Tests lists: appended elements are restored, and after
 * any change the current content is saved.
 *
 * SPDX-License-Identifier: MIT
 */
#include "story.h"

/* Writes a file with a list of the scalars 0, 1, 2 ... */
static void write_list(int count)
{
    float v[16];
    varve_graph *graph = story_graph();
    varve_node *list = varve_add_list(varve_graph_root(graph), "layers");
    for (int i = 0; i < count; i++) {
        v[i] = (float)i;
        varve_add_variable(list, VARVE_APPEND, varve_scalar(&v[i]));
    }
    story_write(varve_graph_root(graph), "f");
    varve_graph_free(graph);
}

TEST(list_grows, appending_restores_element_by_element)
{
    write_list(12);
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *list = varve_add_list(root, "layers");
    float v[12];
    varve_restoration *r = story_read(root, "f", NULL);
    for (int i = 0; i < 12; i++) {
        v[i] = -1;
        cr_assert_eq(varve_pending_count(r), (size_t)(12 - i));
        varve_add_variable(list, VARVE_APPEND, varve_scalar(&v[i]));
        cr_assert_eq(v[i], (float)i);
    }
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* D7, D20: the same element several times */
TEST(list_grows, an_element_may_have_several_indices)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 5;
    varve_node *list = varve_add_list(root, "l");
    varve_node *node = varve_add_variable(list, VARVE_APPEND, varve_scalar(&v));
    story_write(root, "once");
    varve_list_append(list, node);
    story_write(root, "twice");
    varve_error error;
    varve_reader *reader =
        varve_reader_open(test_path("twice"), test_allocator(), &error);
    varve_saved_node a, b;
    cr_assert(varve_reader_find(reader, "l/0", &a));
    cr_assert(varve_reader_find(reader, "l/1", &b));
    cr_assert_eq(a.id, b.id);
    varve_reader_free(reader);
    v = 0;
    varve_restoration *r = story_read(root, "once", NULL);
    cr_assert_eq(v, 5, "the older file restores the longer list");
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* D15, D17, D21, D29: changes that TensorFlow's Python wrapper rejects are
 * saved */
TEST(list_grows, a_changed_list_saves_its_current_elements)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v[4] = { 0, 1, 2, 3 };
    varve_node *list = varve_add_list(root, "l");
    for (int i = 0; i < 4; i++)
        varve_add_variable(list, VARVE_APPEND, varve_scalar(&v[i]));
    varve_list_remove(list, 1);                                /* 0 2 3 */
    varve_list_insert(list, 0, varve_list_at(list, 2));        /* 3 0 2 3 */
    varve_list_remove(list, 3);                                /* 3 0 2 */
    varve_list_reorder(list, (const size_t[]){ 2, 0, 1 }, 3);  /* 2 3 0 */
    story_write(root, "f");
    varve_graph_free(graph);

    graph = story_graph();
    root = varve_graph_root(graph);
    float w[3] = { 0 };
    list = varve_add_list(root, "l");
    for (int i = 0; i < 3; i++)
        varve_add_variable(list, VARVE_APPEND, varve_scalar(&w[i]));
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(w[0], 2);
    cr_assert_eq(w[1], 3);
    cr_assert_eq(w[2], 0);
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* D3, D28 */
TEST(list_grows, nested_lists_are_restored_when_appended_later)
{
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    float v = 6, w = 0;
    varve_node *outer = varve_add_list(root, "l");
    varve_node *inner = varve_add_list(outer, VARVE_APPEND);
    varve_add_variable(inner, VARVE_APPEND, varve_scalar(&v));
    story_write(root, "f");
    varve_graph_free(graph);

    graph = story_graph();
    root = varve_graph_root(graph);
    varve_restoration *r = story_read(root, "f", NULL);
    outer = varve_add_list(root, "l");
    inner = varve_add_list(outer, VARVE_APPEND);
    varve_add_variable(inner, VARVE_APPEND, varve_scalar(&w));
    cr_assert_eq(w, 6);
    cr_assert_eq(varve_find_path(root, "l/0/0"), varve_list_at(inner, 0));
    story_consumed(r);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* A list whose saved form is a dict need not begin at 0. */
TEST(list_grows, an_element_moved_by_an_insertion_matches_its_new_index)
{
    STORY_FILE("f", { "l/1", 11 }, { "l/2", 12 }, { "l/3/w", 13 });
    varve_error error;
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *list = varve_add_list(root, "l");
    varve_node *aside = varve_add_detached(graph);
    float u = -1, new[3] = { -1, -1, -1 }, w = -1;
    varve_add_variable(list, VARVE_APPEND, varve_scalar(&u));
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(u, -1, "the file has nothing at 0");
    varve_list_insert(list, 0, story_add(aside, "a", &new[0]));
    cr_assert_eq(u, 11);
    u = 50;
    varve_list_insert(list, 1, story_add(aside, "b", &new[1]));
    cr_assert_eq(u, 50, "it came to 2, and has a value");
    varve_list_insert(list, 2, story_add(aside, "c", &new[2]));
    cr_assert(new[0] == -1 && new[1] == -1, "0 is not there, 1 was served");
    cr_assert_eq(new[2], 12);
    cr_assert_eq(u, 50, "what is an object at 3 does not mind it");
    cr_assert_ok(varve_graph_check(graph, &error), error);
    varve_node *object = varve_add_object(aside, "d");
    varve_add_variable(object, "w", varve_scalar(&w));
    varve_list_replace(list, 3, object);
    cr_assert_eq(w, 13);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

/* Removals and reorderings move elements, too. */
TEST(list_grows, an_element_moved_by_removal_or_sort_matches_its_new_index)
{
    STORY_FILE("f", { "l/0", 10 }, { "l/1", 11 });
    for (int how = 0; how < 3; how++) {
        varve_graph *graph = story_graph();
        varve_node *root = varve_graph_root(graph);
        varve_node *list = varve_add_list(root, "l");
        float a = -1, b = -1, c = -1;
        varve_node *node = story_add(root, "a", &a);
        varve_list_append(list, node);
        varve_list_append(list, node);
        varve_node *between =
            varve_add_variable(list, VARVE_APPEND, varve_scalar(&b));
        varve_add_variable(list, VARVE_APPEND, varve_scalar(&c));
        varve_restoration *r = story_read(root, "f", NULL);
        cr_assert(a == 10 && b == -1 && c == -1);
        cr_assert_eq(varve_pending_count(r), 1, "a has one value already");
        if (how == 0)
            varve_list_reorder(list, (size_t[]){ 0, 3, 1, 2 }, 4);
        else
            varve_list_remove(list, 0);
        if (how == 0)
            cr_assert(a == 10 && b == -1 && c == 11);
        else
            cr_assert(a == 10 && b == 11 && c == -1);
        if (how == 2)
            varve_remove(between);
        cr_assert(how == 0 || c == -1, "1 was served");
        cr_assert_eq(varve_pending_count(r), 0);
        varve_restoration_free(r);
        varve_graph_free(graph);
    }
}

TEST(list_grows, a_matched_element_keeps_its_value_when_moved)
{
    STORY_FILE("f", { "l/0/w", 10 }, { "l/1/w", 11 }, { "l/1/bias", 12 });
    varve_graph *graph = story_graph();
    varve_node *root = varve_graph_root(graph);
    varve_node *list = varve_add_list(root, "l");
    varve_node *first = varve_add_object(list, VARVE_APPEND);
    float w = -1, bias = -1, v = -1, new_bias = -1;
    varve_add_variable(first, "w", varve_scalar(&w));
    varve_restoration *r = story_read(root, "f", NULL);
    cr_assert_eq(w, 10);
    varve_node *object = varve_add_object(varve_add_detached(graph), "new");
    varve_add_variable(object, "w", varve_scalar(&v));
    varve_list_insert(list, 0, object);
    cr_assert(w == 10 && v == -1);
    varve_add_variable(first, "bias", varve_scalar(&bias));
    cr_assert(bias == -1, "it is what was the first");
    cr_assert_eq(varve_pending_count(r), 2);
    object = varve_add_object(varve_add_detached(graph), "newer");
    varve_add_variable(object, "w", varve_scalar(&v));
    varve_add_variable(object, "bias", varve_scalar(&new_bias));
    varve_list_insert(list, 1, object);
    cr_assert(v == 11 && new_bias == 12);
    varve_restoration_free(r);
    varve_graph_free(graph);
}

TEST(list_grows, invalid_indices_and_names_are_errors)
{
    varve_error error;
    float v = 0;
    varve_graph *graph = story_graph();
    varve_node *list = varve_add_list(varve_graph_root(graph), "l");
    varve_list_insert(list, 1, varve_add_detached(graph));
    cr_assert_neq(varve_graph_check(graph, &error), VARVE_OK);
    varve_graph_free(graph);
    graph = story_graph();
    list = varve_add_list(varve_graph_root(graph), "l");
    varve_add_variable(list, "five", varve_scalar(&v));
    cr_assert_neq(varve_graph_check(graph, &error), VARVE_OK);
    varve_graph_free(graph);
}
