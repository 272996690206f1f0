/* test_page_report.c - lib/checkpoint/page/page_report.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_world.h"

/* The file: model/{a, b, half, left, table}, waits, adam with a slot. */
static void write_file(void)
{
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_node *a =
        varve_add_variable(model, "a", varve_array(page_values, 2));
    varve_add_variable(model, "b", varve_array(page_values, 3));
    varve_add_variable(model, "half", varve_array(page_values, 4));
    varve_add_variable(model, "left", varve_array(page_values, 2));
    varve_add_variable(model, "table", varve_array(page_values, 5));
    varve_add_variable(root, "waits", varve_array(page_values, 6));
    varve_add_slot(varve_add_object(root, "adam"), a, "m",
        varve_array(page_values, 2));
    good(root);
    write_root(root);
    free_root(root);
}

static float mine[64];
static double wide[8];

static varve_node *build(size_t table)
{
    varve_node *root = new_root();
    varve_node *model = varve_add_object(root, "model");
    varve_add_variable(model, "a", varve_array(mine, 2));
    varve_add_variable(model, "b", varve_array(mine + 2, 3));
    varve_add_variable(model, "half", varve_array(wide, 4));
    varve_add_variable(model, "left", varve_array(mine + 9, 2));
    varve_add_variable(model, "table",
        varve_view(mine + 20, VARVE_FLOAT32, VARVE_SHAPE(table)));
    varve_add_variable(model, "extra", varve_array(mine + 30, 7));
    varve_node *later =
        varve_add_variable(root, "later", varve_array(mine + 40, 1));
    varve_tag(later, VARVE_TAG_LATER);
    good(root);
    return root;
}

static varve_read_options options(void)
{
    static const varve_rename renames[] = { { "gone/*", "nowhere/*" } };
    return (varve_read_options){ .except = "model/left", .renames = renames,
        .rename_count = 1, .cast = VARVE_CAST_WIDEN };
}

static void damage(const char *path)
{
    size_t size;
    varve_saved_node node = { 0 };
    varve_reader *reader = open_graph();
    cr_assert(varve_reader_find(reader, path, &node));
    memory_bytes(world.memory, FILE_NAME, &size)[node.offset] ^= 1;
    varve_reader_free(reader);
}

/* The note of a node is there: its path, mark and what follows. */
static void check_note(const char *path, int mark, const char *words)
{
    char note[512];
    varve_saved_node node = { 0 };
    varve_reader *reader = open_graph();
    cr_assert(varve_reader_find(reader, path, &node), "%s", path);
    snprintf(note, sizeof note, "[%u,%d,%s", (unsigned)node.id, mark, words);
    page_has(note);
    varve_reader_free(reader);
}

static void write_report(varve_restoration *r, const varve_page_options *more)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_report_html(r, PAGE_NAME, more, &error), error);
}

TEST(page_report, has_each_finding_of_a_read)
{
    begin_world();
    write_file();
    damage("model/b");
    varve_node *root = build(5);
    varve_read_options o = options();
    o.salvage = true;
    varve_restoration *r = read_root(root, &o);
    write_report(r, NULL);
    page_has("\"marks\":[[\"arrived\",");
    check_note("model/a", 1, "0,0,0]");
    check_note("model/half", 1, "\"converted to float64[4]\",0,0]");
    check_note("waits", 2, "\"the root has no edge \\u0022waits\\u0022\",");
    check_note("adam/m(model/a)", 2, "\"");
    check_note("model/left", 7, "\"only in the file; left out by the opt");
    check_note("model/b", 6, "\"bytes ");
    check_note("model/table", 1, "0,0,0]");
    page_has("[\"model/extra\",\"float32[7]\",4,"
             "\"model of the file has no edge \\u0022extra\\u0022\",");
    page_has("[\"later\",\"float32[1]\",7,\"only in the program; it came later"
             "\",0,0]");
    page_has("[0,0,0,\"this rename matched nothing: gone/* -\\u003e nowhere/*"
             "\",0,0]");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

TEST(page_report, has_what_would_become_of_it_by_a_plan)
{
    varve_error error = { 0 };
    begin_world();
    write_file();
    varve_node *root = build(4);
    varve_read_options o = options();
    varve_restoration *r = varve_plan(root, FILE_NAME, &o, &error);
    cr_assert(r, "%s", error.message);
    write_report(r, NULL);
    page_has("\"marks\":[[\"would arrive\",");
    check_note("model/a", 1, "0,0,0]");
    check_note("waits", 3, "\"the root has no edge");
    check_note("model/table", 5,
        "\"type or shape differs; the program has float32[4]\",0,0]");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

/* Two claim one node: the first finding is on it, the other has a row. */
TEST(page_report, has_two_findings_about_one_node)
{
    const varve_rename renames[] = { { "second", "model/a" } };
    varve_read_options o = { .renames = renames, .rename_count = 1 };
    begin_world();
    write_file();
    varve_node *root = new_root();
    varve_add_variable(varve_add_object(root, "model"), "a",
        varve_array(mine, 2));
    varve_add_variable(root, "second", varve_array(mine + 4, 2));
    varve_restoration *r = read_root(root, &o);
    write_report(r, NULL);
    check_note("model/a", 1, "\"in the program: second\",0,0]");
    page_has("[\"model/a\",\"float32[2]\",1,"
             "\"a copy of what second has\",0,0]");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}

static varve_status add_words(
    void *user, const varve_saved_node *node, varve_page_note *note)
{
    if (strcmp(node->path, "model/a") == 0) {
        cr_assert_eq(note->mark, VARVE_MATCHED + 1);
        note->text = user;
    }
    return VARVE_OK;
}

TEST(page_report, lets_a_caller_say_more)
{
    varve_error error = { 0 };
    begin_world();
    write_file();
    varve_node *root = build(5);
    varve_read_options o = options();
    varve_restoration *r = read_root(root, &o);
    write_report(r, &(varve_page_options){ .title = "T",
                        .on_node = add_words, .on_node_user = "more" });
    check_note("model/a", 1, "\"more\",0,0]");
    page_has("\"title\":\"T\"");
    const varve_page_mark mark = { "x", NULL, VARVE_PAGE_BAD };
    cr_assert_eq(varve_report_html(r, PAGE_NAME,
                     &(varve_page_options){ .marks = &mark }, &error),
        VARVE_MISUSE);
    check_error(&error, VARVE_MISUSE, "expected no marks and no on_row");
    varve_restoration_free(r);
    free_root(root);
    end_world();
}
