/* test_bundle_graph.c - lib/source/bundle_graph.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "unit/source/made_bundle.h"

#define VALUE "VARIABLE_VALUE"

static varve_error error;

/* Gathers the records of a node. */
static struct vv_buffer node;

static void begin(struct made *m, const char *header)
{
    made_begin(m, header);
    vv_buffer_init(&node, test_allocator());
}

static void next_node(struct made *m)
{
    made_node(m, &node);
    node.size = 0;
}

static void put(struct made *m, struct memory *memory)
{
    vv_buffer_clear(&node);
    made_put(m, memory, "x");
}

/* net (w, b), adam (lr, slots m), the counter, Python state; the table has two
 * entries more. */
static void make_sample(struct memory *memory)
{
    struct made m;
    begin(&m, PLAIN_HEADER);
    made_child(&node, "net", 1);
    made_child(&node, "adam", 2);
    made_child(&node, "save_counter", 3);
    made_child(&node, "py", 4);
    made_child(&node, "root", 0);
    next_node(&m);
    made_child(&node, "w", 5);
    made_child(&node, "w again", 5);
    made_child(&node, "top", 0);
    next_node(&m);
    made_child(&node, "lr", 6);
    made_slot(&node, 5, "m", 7);
    next_node(&m);
    made_attribute(&node, VALUE, "save_counter", "sc");
    next_node(&m);
    made_attribute(&node, "py_state", "", "py");
    next_node(&m);
    made_attribute(&node, VALUE, "net/kernel", "w");
    next_node(&m);
    made_attribute(&node, VALUE, "adam/lr", "lr");
    next_node(&m);
    made_attribute(&node, VALUE, "adam/m", "m");
    next_node(&m);
    made_put_graph(&m);
    made_counting(&m, "lr", 4, 0, NULL, 1);
    made_counting(&m, "m", 4, 1, (uint64_t[]){ 3 }, 3);
    made_string(&m, "py", "st\0te", 5);
    made_bytes(&m, "sc", 2, (struct made_entry){ .dtype = 9 },
        "\x0c\0\0\0\0\0\0", 8);
    made_counting(&m, "unseen/thing", 4, 1, (uint64_t[]){ 2 }, 2);
    made_counting(&m, "w", 4, 1, (uint64_t[]){ 3 }, 3);
    put(&m, memory);
}

static bool same_node(varve_reader *reader, const char *a, const char *b)
{
    varve_saved_node x, y;
    return varve_reader_find(reader, a, &x) &&
           varve_reader_find(reader, b, &y) && x.id == y.id;
}

TEST(bundle_graph, is_the_graph_that_was_saved)
{
    struct memory *memory = memory_new();
    varve_saved_node n;
    make_sample(memory);
    varve_reader *reader = open_in(memory, "x.index", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(varve_reader_format(reader), VARVE_FORMAT_TENSORFLOW);
    cr_assert(varve_reader_find(reader, "net", &n));
    cr_assert(n.kind == VARVE_OBJECT && n.edge_count == 3);
    cr_assert(same_node(reader, "net/w", "net/w again"));
    cr_assert(same_node(reader, "net/top/root/net", "net"));
    cr_assert(varve_reader_find(reader, "net/w", &n));
    cr_assert(n.kind == VARVE_VARIABLE && n.value.shape[0] == 3);
    cr_assert_str_eq(n.global_name, "net/kernel");
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(bundle_graph, makes_slots_of_slot_records)
{
    struct memory *memory = memory_new();
    varve_saved_node adam, w, m;
    const char *name;
    uint32_t variable, slot;
    make_sample(memory);
    varve_reader *reader = open_in(memory, "x.index", &error);
    cr_assert(varve_reader_find(reader, "adam", &adam));
    cr_assert(varve_reader_find(reader, "net/w", &w));
    cr_assert(adam.slot_count == 1 && adam.edge_count == 1);
    cr_assert(
        varve_reader_slot_at(reader, adam.id, 0, &name, &variable, &slot));
    cr_assert_str_eq(name, "m");
    cr_assert_eq(variable, w.id);
    cr_assert(varve_reader_node_at(reader, slot, &m));
    cr_assert(m.has_value);
    cr_assert_str_eq(m.global_name, "adam/m");
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(bundle_graph, takes_the_save_counter_out_of_the_graph)
{
    struct memory *memory = memory_new();
    varve_saved_node n;
    make_sample(memory);
    varve_reader *reader = open_in(memory, "x.index", &error);
    cr_assert_eq(varve_reader_counter(reader), 12);
    cr_assert_not(varve_reader_find(reader, "save_counter", &n));
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(bundle_graph, makes_a_state_of_the_bytes_of_python_state)
{
    struct memory *memory = memory_new();
    varve_saved_node n;
    char bytes[5];
    make_sample(memory);
    varve_reader *reader = open_in(memory, "x.index", &error);
    cr_assert(varve_reader_find(reader, "py", &n));
    cr_assert(n.kind == VARVE_STATE && n.size == 5);
    cr_assert_ok(varve_reader_read(reader, n.id, bytes, 5, &error), error);
    cr_assert(memcmp(bytes, "st\0te", 5) == 0);
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(bundle_graph, hides_nothing_that_no_attribute_names)
{
    struct memory *memory = memory_new();
    const char *name;
    uint32_t child;
    size_t i = 0;
    make_sample(memory);
    varve_reader *reader = open_in(memory, "x.index", &error);
    while (varve_reader_edge_at(reader, 0, i, &name, &child) &&
           strcmp(name, "unseen/thing") != 0)
        i++;
    cr_assert(varve_reader_edge_at(reader, 0, i, &name, &child));
    cr_assert_str_eq(
        varve_reader_tag_at(reader, child, 0), "tensorflow:unlisted");
    varve_reader_free(reader);
    memory_free(memory);
}

/* --- Counters that are none ----------------------------------------------- */

/* A root whose save_counter is a value of this type; with a second edge. */
static varve_reader *open_counter(struct memory *memory, uint32_t dtype,
    const char *bytes, size_t size, bool is_shared)
{
    struct made m;
    begin(&m, PLAIN_HEADER);
    made_child(&node, "save_counter", 1);
    if (is_shared)
        made_child(&node, "step", 1);
    next_node(&m);
    made_attribute(&node, VALUE, "", "sc");
    next_node(&m);
    made_put_graph(&m);
    made_bytes(&m, "sc", 2, (struct made_entry){ .dtype = dtype }, bytes, size);
    put(&m, memory);
    varve_reader *reader = open_in(memory, "x.index", &error);
    cr_assert(reader, "%s", error.message);
    return reader;
}

TEST(bundle_graph, leaves_what_is_merely_called_a_save_counter)
{
    static const struct {
        uint32_t dtype;
        const char *bytes;
        size_t size;
        bool is_shared;
    } rows[] = {
        { 9, "\1\0\0\0\0\0\0", 8, true },
        { 3, "\1\0\0", 4, false },
        { 9, "\xff\xff\xff\xff\xff\xff\xff\xff", 8, false },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct memory *memory = memory_new();
        varve_saved_node n;
        varve_reader *reader = open_counter(memory, rows[i].dtype,
            rows[i].bytes, rows[i].size, rows[i].is_shared);
        cr_assert_eq(varve_reader_counter(reader), 0);
        cr_assert(varve_reader_find(reader, "save_counter", &n));
        cr_assert_eq(n.size, rows[i].size);
        varve_reader_free(reader);
        memory_free(memory);
    }
}

TEST(bundle_graph, takes_a_counter_of_a_big_endian_writer)
{
    struct memory *memory = memory_new();
    struct made m;
    begin(&m, BIG_HEADER);
    made_child(&node, "save_counter", 1);
    next_node(&m);
    made_attribute(&node, VALUE, "", "sc");
    next_node(&m);
    const char *text = (const char *)m.graph.data;
    made_strings(&m, VV_BUNDLE_GRAPH_KEY, 0, 1, &text, &m.graph.size, true);
    made_bytes(&m, "sc", 2, (struct made_entry){ .dtype = 9 },
        "\0\0\0\0\0\0\1\2", 8);
    put(&m, memory);
    varve_reader *reader = open_in(memory, "x.index", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(varve_reader_counter(reader), 258);
    varve_reader_free(reader);
    memory_free(memory);
}

/* --- Attributes ----------------------------------------------------------- */

TEST(bundle_graph, hangs_attributes_below_their_object)
{
    struct memory *memory = memory_new();
    struct made m;
    varve_saved_node n;
    begin(&m, PLAIN_HEADER);
    made_child(&node, "table", 1);
    made_child(&node, "both", 2);
    made_child(&node, "config", 4);
    made_attribute(&node, "own", "", "r");
    next_node(&m);
    made_attribute(&node, "-keys", "", "k");
    made_attribute(&node, "-values", "", "v");
    next_node(&m);
    made_attribute(&node, "x", "", "x"); /* a child is called so */
    made_child(&node, "x", 3);
    next_node(&m);
    next_node(&m);
    made_attribute(&node, VALUE, "", "a");
    made_attribute(&node, "OBJECT_CONFIG_JSON", "", "j");
    next_node(&m);
    made_put_graph(&m);
    made_counting(&m, "a", 4, 0, NULL, 1);
    made_string(&m, "j", "{}", 2);
    made_string(&m, "k", "key", 3);
    made_counting(&m, "r", 4, 0, NULL, 1);
    made_counting(&m, "v", 4, 0, NULL, 1);
    made_counting(&m, "x", 4, 0, NULL, 1);
    put(&m, memory);
    varve_reader *reader = open_in(memory, "x.index", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert(varve_reader_find(reader, "own", &n) && n.has_value);
    cr_assert(varve_reader_find(reader, "table", &n) && n.edge_count == 2);
    cr_assert(varve_reader_find(reader, "table/-keys", &n) && n.size == 3);
    cr_assert(varve_reader_find(reader, "table/-values", &n) && n.size == 1);
    cr_assert(varve_reader_find(reader, "both/x", &n));
    cr_assert_eq(n.kind, VARVE_OBJECT);
    cr_assert(varve_reader_find(reader, "both", &n));
    cr_assert_eq(n.edge_count, 2);
    cr_assert(varve_reader_find(reader, "config/OBJECT_CONFIG_JSON", &n));
    cr_assert_str_eq(varve_reader_tag_at(reader, n.id, 0), "optional");
    cr_assert(varve_reader_find(reader, "config/" VALUE, &n));
    cr_assert_null(varve_reader_tag_at(reader, n.id, 0));
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(bundle_graph, reads_an_attribute_that_stands_for_several_tensors)
{
    struct memory *memory = memory_new();
    struct made m;
    varve_saved_node n;
    begin(&m, PLAIN_HEADER);
    made_child(&node, "table", 1);
    next_node(&m);
    made_attribute(&node, "table", "", "t/.ATTRIBUTES/table");
    next_node(&m);
    made_put_graph(&m);
    made_counting(&m, "t/.ATTRIBUTES/table-keys", 4, 1, (uint64_t[]){ 2 }, 2);
    made_counting(&m, "t/.ATTRIBUTES/table-values", 4, 1, (uint64_t[]){ 3 }, 3);
    put(&m, memory);
    varve_reader *reader = open_in(memory, "x.index", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(varve_reader_node_count(reader), 4);
    cr_assert(varve_reader_find(reader, "table/table-keys", &n));
    cr_assert_eq(n.size, 2);
    cr_assert(varve_reader_find(reader, "table/table-values", &n));
    cr_assert_eq(n.size, 3);
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(bundle_graph, tags_what_a_registered_saver_saved)
{
    struct memory *memory = memory_new();
    struct made m;
    begin(&m, PLAIN_HEADER);
    size_t at = vv_wire_begin(&node, VV_OBJECT_SAVER);
    vv_wire_bytes(&node, VV_SAVER_NAME, "pack.Saver", 10);
    vv_wire_bytes(&node, VV_SAVER_OBJECT, "thing", 5);
    vv_wire_end(&node, at);
    next_node(&m);
    made_put_graph(&m);
    put(&m, memory);
    varve_reader *reader = open_in(memory, "x.index", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_str_eq(varve_reader_tag_at(reader, 0, 0),
        "registered:pack.Saver");
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(bundle_graph, keeps_the_value_of_an_object_with_children)
{
    struct memory *memory = memory_new();
    struct made m;
    varve_saved_node n;
    begin(&m, PLAIN_HEADER);
    made_child(&node, "v", 1);
    next_node(&m);
    made_attribute(&node, VALUE, "", "v");
    made_child(&node, "part", 2);
    next_node(&m);
    next_node(&m);
    made_put_graph(&m);
    made_counting(&m, "v", 4, 0, NULL, 1);
    put(&m, memory);
    varve_reader *reader = open_in(memory, "x.index", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert(varve_reader_find(reader, "v", &n));
    cr_assert(n.kind == VARVE_OBJECT && n.edge_count == 2);
    cr_assert(varve_reader_find(reader, "v/" VALUE, &n) && n.has_value);
    varve_reader_free(reader);
    memory_free(memory);
}

/* --- Refused -------------------------------------------------------------- */

/* A graph of these bytes, and an entry "w". */
static void check_graph(
    const char *hex, varve_status status, const char *says)
{
    struct memory *memory = memory_new();
    struct made m;
    size_t size;
    unsigned char *graph = hex_bytes(hex, &size);
    begin(&m, PLAIN_HEADER);
    made_string(&m, VV_BUNDLE_GRAPH_KEY, (const char *)graph, size);
    made_counting(&m, "w", 4, 0, NULL, 1);
    put(&m, memory);
    free(graph);
    refused(memory, "x.index", status, says);
    memory_free(memory);
}

#define ATTRIBUTE_W "1213 0a0e 5641524941424c455f56414c5545 1a0177"
#define NODE_W "0a15" ATTRIBUTE_W

TEST(bundle_graph, refuses_graphs_that_break_a_rule)
{
    check_graph("", VARVE_CORRUPT, "a root, found an empty one");
    check_graph("0a06 0a04 0801 1201", VARVE_CORRUPT, "object graph");
    check_graph("0a07 0a05 0801 120161", VARVE_CORRUPT,
        "object graph, node 0: expected the number of a node that there is");
    check_graph("0a07 0a05 08ffffffffffffffffff01", VARVE_CORRUPT, "object");
    check_graph("0a06 1204 1a02 6162", VARVE_CORRUPT,
        "node 0: expected an entry \"ab\" in the index, found none");
    check_graph("0a02 1200", VARVE_CORRUPT, "an entry \"\" in the index");
    check_graph("0a0e 0a05 0801 120161 0a05 0801 120161" "0a00",
        VARVE_CORRUPT, "a");
    check_graph("0a04 0a02 0801 0a00", VARVE_BAD_NAME, "a name of 1 to");
    check_graph("0a07 0a05 0801 1201ff 0a00", VARVE_BAD_NAME, "a name of 1 to");
    check_graph("0a02 0801", VARVE_CORRUPT, "wire type 2, found 0");
    check_graph("0801", VARVE_CORRUPT, "wire type 2, found 0");
    /* Two nodes of one value. */
    check_graph("0a0e 0a05 0801 120161 0a05 0802 120162" NODE_W NODE_W,
        VARVE_CORRUPT, "an entry \"w\" of one node, found it in two");
    /* A slot of an object. */
    check_graph("0a0e 0a05 0801 120161 1a05 0801 12016d" "0a00",
        VARVE_CORRUPT, "x.index: ");
}

TEST(bundle_graph, refuses_a_graph_that_is_no_string)
{
    struct memory *memory = memory_new();
    struct made m;
    made_begin(&m, PLAIN_HEADER);
    made_counting(&m, VV_BUNDLE_GRAPH_KEY, 4, 0, NULL, 1);
    made_put(&m, memory, "x");
    refused(memory, "x.index", VARVE_CORRUPT,
        VV_BUNDLE_GRAPH_KEY ": expected a string");
    memory_free(memory);
}

TEST(bundle_graph, gives_back_all_memory_when_there_is_none)
{
    struct memory *memory = memory_new();
    make_sample(memory);
    for (long n = 0;; n++) {
        test_fail_allocation(n, false);
        varve_reader *reader = open_in(memory, "x.index", &error);
        test_fail_allocation(-1, false);
        varve_reader_free(reader);
        cr_assert_eq(test_block_count(), 0);
        cr_assert_eq(memory_open_count(memory), 0);
        if (reader)
            break;
        cr_assert_eq(error.status, VARVE_NO_MEMORY, "%s", error.message);
    }
    memory_free(memory);
}
