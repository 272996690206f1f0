/* test_page_notes.c - lib/checkpoint/page/page_notes.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_world.h"

#include <math.h>

static const varve_page_mark marks[] = {
    { "changed", "differs", VARVE_PAGE_CHANGED },
    { "bad", NULL, VARVE_PAGE_BAD },
};

static uint32_t asked;
static size_t wrong_mark;
static varve_status fails_with;

static varve_status on_node(
    void *user, const varve_saved_node *node, varve_page_note *note)
{
    static const uint64_t bins[] = { 1, 0, 5 };
    static const varve_page_statistics statistics = { .count = 6, .zeros = 1,
        .nans = 2, .infinities = 3, .least = -1, .most = 0.5, .mean = NAN,
        .deviation = 2, .bins = bins, .bin_count = 3, .low = -1, .high = 1 };
    cr_assert_str_eq(user, "me");
    cr_assert_eq(node->id, asked);
    cr_assert_eq(note->mark, 0);
    cr_assert_null(note->text);
    asked++;
    note->mark = wrong_mark;
    if (strcmp(node->path, "model/kernel") == 0)
        *note = (varve_page_note){ .mark = 2, .text = "a \"reason\"",
            .nearest = "model/other", .statistics = &statistics };
    return fails_with;
}

static varve_status on_row(void *user, size_t index, varve_page_row *row)
{
    cr_assert_str_eq(user, "rows");
    cr_assert_eq(row->note.mark, 0);
    if (index == 0) {
        row->path = "model/new";
        row->value = varve_array(page_values, 4);
        row->note.mark = 1;
    } else if (index == 1) {
        row->note.text = "a remark";
    }
    return index < 2 ? VARVE_OK : VARVE_NOT_FOUND;
}

static varve_page_options all_options(void)
{
    return (varve_page_options){ .marks = marks, .mark_count = 2,
        .on_node = on_node, .on_node_user = "me", .on_row = on_row,
        .on_row_user = "rows", .title = "T", .chosen = "model" };
}

static varve_error write_page(const varve_page_options *options)
{
    varve_error error = { 0 };
    varve_reader *reader = open_graph();
    asked = 0;
    varve_status status = varve_page_write(reader, PAGE_NAME, options, &error);
    cr_assert_eq(status, error.status);
    varve_reader_free(reader);
    return error;
}

TEST(page_notes, has_what_is_said_of_nodes_and_of_what_is_none)
{
    begin_world();
    write_graph();
    varve_page_options options = all_options();
    varve_error error = write_page(&options);
    cr_assert_eq(error.status, VARVE_OK, "%s", error.message);
    cr_assert_eq(asked, 5);
    page_has("\"title\":\"T\",\"chosen\":\"model\",");
    page_has("\"marks\":[[\"changed\",\"differs\",5],[\"bad\",0,6]]");
    page_has("\"notes\":[[3,2,\"a \\u0022reason\\u0022\",\"model/other\","
             "[6,1,2,3,-1,0.5,null,2,-1,1,[1,0,5]]]]");
    page_has("\"rows\":[[\"model/new\",\"float32[4]\",1,0,0,0],"
             "[0,0,0,\"a remark\",0,0]]}</script>");
    end_world();
}

TEST(page_notes, refuses_marks_that_there_are_not)
{
    begin_world();
    write_graph();
    varve_page_options options = all_options();
    wrong_mark = 3;
    varve_error error = write_page(&options);
    check_error(&error, VARVE_MISUSE, "expected a mark of 0 to 2, found 3");
    cr_assert_null(memory_bytes(world.memory, PAGE_NAME, &(size_t){ 0 }));
    wrong_mark = 0;
    options.mark_count = 33;
    error = write_page(&options);
    check_error(&error, VARVE_MISUSE, "up to 32 marks, found 33");
    options.marks = NULL;
    options.mark_count = 1;
    error = write_page(&options);
    check_error(&error, VARVE_MISUSE, "found 1 at NULL");
    options.marks = &(varve_page_mark){ .tone = VARVE_PAGE_BAD };
    error = write_page(&options);
    check_error(&error, VARVE_MISUSE, "a name for mark 1");
    options.marks = &(varve_page_mark){ "x", NULL, (varve_page_tone)8 };
    error = write_page(&options);
    check_error(&error, VARVE_MISUSE, "tone of 0 to 7 for mark 1, found 8");
    end_world();
}

static varve_status no_row(void *user, size_t index, varve_page_row *row)
{
    (void)user;
    (void)row;
    return index == 1 ? VARVE_TIMEOUT : VARVE_OK;
}

TEST(page_notes, ends_where_a_callback_fails)
{
    begin_world();
    write_graph();
    varve_page_options options = all_options();
    fails_with = VARVE_IO;
    varve_error error = write_page(&options);
    check_error(&error, VARVE_CALLBACK, "on_node failed with VARVE_IO");
    cr_assert_eq(asked, 1);
    fails_with = VARVE_NO_MEMORY;
    error = write_page(&options);
    check_error(&error, VARVE_NO_MEMORY, "on_node failed with");
    fails_with = VARVE_OK;
    options.on_row = no_row;
    error = write_page(&options);
    check_error(&error, VARVE_CALLBACK, "on_row failed with VARVE_TIMEOUT");
    cr_assert_null(memory_bytes(world.memory, PAGE_NAME, &(size_t){ 0 }));
    end_world();
}
