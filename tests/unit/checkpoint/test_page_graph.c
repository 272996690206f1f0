/* test_page_graph.c - lib/checkpoint/page/page_graph.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "page_world.h"

static void write_page(const varve_page_options *options)
{
    varve_error error = { 0 };
    varve_reader *reader = open_graph();
    cr_assert_ok(varve_page_write(reader, PAGE_NAME, options, &error), error);
    varve_reader_free(reader);
}

/* root: adam, model, same; model: kernel, up. */
TEST(page_graph, has_every_node_edge_slot_and_tag)
{
    begin_world();
    write_graph();
    write_page(NULL);
    page_has("\"file\":\"a.varve\",\"format\":\"varve\",\"size\":");
    page_has("\"counter\":0,\n");
    page_has("\"kinds\":\"11122\"");
    page_has("\"edge_counts\":[3,0,2,0,0]");
    page_has("\"edge_children\":[1,2,2,3,0]");
    page_has("\"slot_owners\":[1],\n\"slot_variables\":[3],\n");
    page_has("\"slot_nodes\":[4]");
    page_has("\"tag_nodes\":[3]");
    page_has("\"global_nodes\":[3]");
    page_has("\"value_nodes\":[3,4]");
    page_has("\"types\":[[12,2,3],[12,2,3]]");
    page_has("\"global/kernel\"");
    page_lacks(":[,");
    end_world();
}

/* The names by the numbers that the columns have for them. */
TEST(page_graph, has_each_name_once)
{
    begin_world();
    write_graph();
    write_page(NULL);
    static const char *const names[] = { "adam", "model", "same", "kernel",
        "up", "m", "big", "global/kernel" };
    char *page = page_text();
    const char *list = strstr(page, "\"names\":[");
    cr_assert(list);
    const char *end = strchr(list, ']');
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char quoted[40];
        snprintf(quoted, sizeof quoted, "\"%s\"", names[i]);
        const char *found = strstr(list, quoted);
        cr_assert(found && found < end, "%s", quoted);
        found = strstr(found + 1, quoted);
        cr_assert(!found || found > end, "%s is there twice", quoted);
    }
    free(page);
    end_world();
}

/* Sizes, places and digests are those that the reader tells. */
TEST(page_graph, has_what_the_reader_says_of_values)
{
    char words[128];
    begin_world();
    write_graph();
    write_page(NULL);
    varve_reader *reader = open_graph();
    varve_saved_node node = { 0 };
    cr_assert(varve_reader_find(reader, "model/kernel", &node));
    snprintf(words, sizeof words, "\"places\":[%d,%d,1,", (int)node.size,
        (int)node.offset);
    page_has(words);
    strcpy(words, "\"digests\":\"");
    for (size_t i = 0; i < sizeof node.digest; i++)
        snprintf(words + strlen(words), 3, "%02x", node.digest[i]);
    page_has(words);
    page_has("\"files\":[0,\"a.varve\"]");
    varve_reader_free(reader);
    end_world();
}

TEST(page_graph, has_metadata_of_each_kind)
{
    static const varve_metadata metadata[] = {
        { .name = "a", .kind = VARVE_METADATA_INTEGER, .integer = INT64_MIN },
        { .name = "b", .kind = VARVE_METADATA_REAL, .real = 0.5 },
        { .name = "c", .kind = VARVE_METADATA_BOOLEAN, .integer = 1 },
        { .name = "d", .kind = VARVE_METADATA_STRING, .string = "<b>" },
    };
    begin_world();
    varve_node *root = new_root();
    varve_write_options options = { .metadata = metadata, .metadata_count = 4 };
    varve_error error = { 0 };
    cr_assert_ok(varve_write(root, FILE_NAME, &options, &error), error);
    free_root(root);
    write_page(NULL);
    page_has("\"metadata\":[[\"a\",\"-9223372036854775808\"],[\"b\",0.5],"
             "[\"c\",true],[\"d\",\"\\u003cb\\u003e\"]]");
    end_world();
}

/* What is in the file without a value, and a value of no elements. */
TEST(page_graph, tells_what_has_no_value)
{
    begin_world();
    varve_node *root = new_root();
    varve_tag(varve_add_variable(root, "a", varve_array(page_values, 2)),
        VARVE_TAG_LOCAL);
    varve_add_variable(
        root, "b", varve_view(NULL, VARVE_FLOAT32, VARVE_SHAPE(0, 4)));
    varve_add_variable(root, "c", varve_scalar(&page_values[0]));
    good(root);
    write_root(root);
    free_root(root);
    write_page(NULL);
    page_has("\"types\":[[12,2],[12,0,4],[12]]");
    page_has("\"places\":[0,0,0,0,64,1,4,64,1]");
    end_world();
}
