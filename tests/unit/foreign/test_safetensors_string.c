/* test_safetensors_string.c - Tests strings in safetensors, which become text
 * metadata.
 *
 * SPDX-License-Identifier: MIT
 */
#include "safetensors_string.h"

#include "structure.h"
#include "targets.h"
#include "unit/foreign/safetensors_graph.h"

static unsigned char bytes[16];
static int byte_count;

static void add_string(varve_node *parent, const char *name, const char *text,
    size_t size)
{
    static varve_string strings[16];
    static int count;
    varve_string *s = &strings[count++ % 16];
    *s = (varve_string){ text, size };
    varve_add_variable(parent, name, varve_scalar(s));
}

static void add_byte(varve_node *parent, const char *name)
{
    varve_add_variable(parent, name, varve_scalar(&bytes[byte_count++ % 16]));
}

TEST(safetensors_string, is_text_metadata)
{
    struct written w;
    begin_graph(&w);
    varve_node *a = varve_add_object(w.root, "a");
    add_string(a, "line", "strong\n\"wolfe\"", 14);
    add_string(w.root, "empty", "", 0);
    add_byte(w.root, "v");
    cr_assert_ok(write_to(&w, "x.safetensors"), w.error);
    cr_assert_str_eq(w.losses, "");
    cr_assert_str_eq(header_of(&w, "x.safetensors"),
        "{\"__metadata__\":{\"varve:string:a/line\":\"strong\\n\\\"wolfe\\\"\","
        "\"varve:string:empty\":\"\"},"
        "\"v\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]}}");
    varve_error error;
    varve_reader *r = open_in(w.memory, "x.safetensors", &error);
    varve_saved_node node;
    unsigned char found[30];
    cr_assert(varve_reader_find(r, "a/line", &node));
    cr_assert(node.value.dtype == VARVE_STRING && node.value.rank == 0);
    cr_assert_eq(node.size, 8 + 14);
    cr_assert_ok(varve_reader_read(r, node.id, found, sizeof found, &error),
        error);
    cr_assert_eq(vv_load64(found), 14);
    cr_assert_eq(memcmp(found + 8, "strong\n\"wolfe\"", 14), 0);
    cr_assert(varve_reader_find(r, "empty", &node));
    cr_assert_eq(node.size, 8);
    cr_assert_null(varve_reader_metadata_at(r, 0));
    cr_assert_ok(varve_reader_verify(r, NULL, &error), error);
    varve_reader_free(r);
    end_graph(&w);
}

TEST(safetensors_string, is_lost_if_text_cannot_represent_it)
{
    enum { MOST = 1 << 16 };
    static char large[MOST + 1];
    static varve_string two[2];
    memset(large, 'x', sizeof large);
    struct written w;
    begin_graph(&w);
    add_string(w.root, "binary", "\xff", 1);
    add_string(w.root, "nul", "a\0b", 3);
    add_string(w.root, "large", large, MOST + 1);
    add_string(w.root, "limit", large, MOST);
    varve_add_variable(w.root, "two", varve_array(two, 2));
    cr_assert_ok(write_to(&w, "x.safetensors"), w.error);
    static const char *const losses[] = { "binary: a tensor of strings\n",
        "nul: a tensor of strings\n", "large: a tensor of strings\n",
        "two: a tensor of strings\n" };
    size_t size = 0;
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        cr_assert(strstr(w.losses, losses[i]), "%s in %s", losses[i], w.losses);
        size += strlen(losses[i]);
    }
    cr_assert_eq(strlen(w.losses), size, "%s", w.losses);
    varve_error error;
    varve_saved_node node;
    varve_reader *r = open_in(w.memory, "x.safetensors", &error);
    cr_assert(varve_reader_find(r, "limit", &node));
    cr_assert_eq(node.size, 8 + MOST);
    varve_reader_free(r);
    end_graph(&w);
}

/* An edge "s/t" beside a string "s", as created by names that contain '/'. */
TEST(safetensors_string, is_lost_if_a_tensor_is_below_its_name)
{
    struct written w;
    begin_graph(&w);
    add_string(w.root, "s", "text", 4);
    add_string(w.root, "t", "text", 4);
    add_byte(w.root, "s/t");
    add_byte(w.root, "s-");
    add_byte(w.root, "t-");
    add_byte(w.root, "t0");
    cr_assert_ok(write_to(&w, "x.safetensors"), w.error);
    cr_assert_str_eq(w.losses, "s: a string\n");
    cr_assert(strstr(header_of(&w, "x.safetensors"), "varve:string:t"));
    end_graph(&w);
}

TEST(safetensors_string, remains_metadata_if_its_name_is_used)
{
    static const char header[] = "{\"__metadata__\":{"
        "\"varve:string:v\":\"1\",\"varve:string:a\":\"2\","
        "\"varve:string:\":\"3\",\"varve:strin\\u0067:b\":\"4\","
        "\"varve:string:c\":\"5\"},"
        "\"v\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[0,1]},"
        "\"a/b\":{\"dtype\":\"U8\",\"shape\":[],\"data_offsets\":[1,2]}}";
    struct memory *memory = memory_new();
    varve_error error;
    varve_saved_node node;
    put_tensors(memory, "x.safetensors", header, 2);
    varve_reader *r = open_in(memory, "x.safetensors", &error);
    cr_assert(r, "%s", error.message);
    cr_assert_eq(first_byte(r, "v"), 0);
    cr_assert_eq(first_byte(r, "a/b"), 1);
    cr_assert(varve_reader_find(r, "c", &node));
    cr_assert_eq(node.value.dtype, VARVE_STRING);
    cr_assert_not(varve_reader_find(r, "b", &node));
    cr_assert(varve_reader_metadata_at(r, 3));
    cr_assert_null(varve_reader_metadata_at(r, 4));
    varve_reader_free(r);
    memory_free(memory);
}

TEST(safetensors_string, fails_without_memory)
{
    struct world w = world_new();
    put_tensors(w.memory, "x.safetensors",
        "{\"__metadata__\":{\"varve:string:c\":\"5\"}}", 0);
    varve_reader *reader = NULL;
    for (long n = 0; !reader; n++) {
        varve_error error = { 0 };
        long before = test_block_count();
        test_fail_allocation(n, false);
        reader = vv_reader_open_in(&w.context, "x.safetensors", &error);
        test_fail_allocation(-1, false);
        cr_assert(reader || error.status == VARVE_NO_MEMORY, "%s",
            error.message);
        cr_assert(reader || test_block_count() == before);
    }
    varve_reader_free(reader);
    world_free(&w);
}
