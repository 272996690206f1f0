/* test_bundle_graph.c - Tests reading the object graph of a TensorFlow
 * checkpoint.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_graph.h"

#include "made_bundles.h"

#define VALUE "VARIABLE_VALUE"

/* --- Graphs --------------------------------------------------------------- */

static struct vv_buffer graph;
static size_t object; /* offset of the object being built */
static bool has_object;

static void end_object(void)
{
    if (has_object)
        vv_wire_end(&graph, object);
    has_object = false;
}

static void begin_graph(void)
{
    begin_bundle();
    vv_buffer_init(&graph, test_allocator());
}

/* Begins the next object, to which the following fields belong. */
static void add_object(void)
{
    end_object();
    object = vv_wire_begin(&graph, VV_OBJECTS_NODE);
    has_object = true;
}

static void add_child(uint64_t node, const char *name)
{
    size_t begin = vv_wire_begin(&graph, VV_OBJECT_CHILD);
    vv_wire_number(&graph, VV_CHILD_NODE, node);
    vv_wire_bytes(&graph, VV_CHILD_NAME, name, strlen(name));
    vv_wire_end(&graph, begin);
}

static void add_attribute(const char *name, const char *full, const char *key)
{
    size_t begin = vv_wire_begin(&graph, VV_OBJECT_ATTRIBUTE);
    vv_wire_bytes(&graph, VV_ATTRIBUTE_NAME, name, strlen(name));
    vv_wire_bytes(&graph, VV_ATTRIBUTE_FULL_NAME, full, strlen(full));
    vv_wire_bytes(&graph, VV_ATTRIBUTE_KEY, key, strlen(key));
    vv_wire_end(&graph, begin);
}

static void add_slot(uint64_t variable, const char *name, uint64_t node)
{
    size_t begin = vv_wire_begin(&graph, VV_OBJECT_SLOT);
    vv_wire_number(&graph, VV_SLOT_VARIABLE, variable);
    vv_wire_bytes(&graph, VV_SLOT_NAME, name, strlen(name));
    vv_wire_number(&graph, VV_SLOT_NODE, node);
    vv_wire_end(&graph, begin);
}

static void add_saver(const char *name)
{
    size_t begin = vv_wire_begin(&graph, VV_OBJECT_SAVER);
    vv_wire_bytes(&graph, VV_SAVER_NAME, name, strlen(name));
    vv_wire_end(&graph, begin);
}

/* The key precedes those in lower case. */
static void end_graph(void)
{
    end_object();
    add_string(
        VV_BUNDLE_GRAPH_KEY, graph.data ? graph.data : (void *)"", graph.size);
    vv_buffer_clear(&graph);
}

static varve_saved_node node_at(varve_reader *reader, const char *path)
{
    varve_saved_node node;
    cr_assert(varve_reader_find(reader, path, &node), "%s", path);
    return node;
}

static bool is_there(varve_reader *reader, const char *path)
{
    varve_saved_node node;
    return varve_reader_find(reader, path, &node);
}

/* --- Nodes ---------------------------------------------------------------- */

TEST(bundle_graph, creates_variables_states_and_objects)
{
    begin_graph();
    add_object();
    add_child(1, "v");
    add_child(2, "state");
    add_child(3, "table");
    add_child(4, "empty");
    add_child(0, "root");
    add_object();
    add_attribute(VALUE, "net/v", "v");
    add_object();
    add_attribute("py_state", "", "st");
    add_object();
    add_attribute("-keys", "", "ta");
    add_attribute("-values", "", "tb");
    add_object();
    end_graph();
    add_string("st", "abc", 3);
    add_floats("ta", 2);
    add_floats("tb", 2);
    add_floats("v", 1);
    varve_reader *reader = open_bundle();
    cr_assert_eq(varve_reader_format(reader), VARVE_FORMAT_TENSORFLOW);
    cr_assert_eq(varve_reader_node_count(reader), 7);
    cr_assert_eq(node_at(reader, "v").kind, VARVE_VARIABLE);
    cr_assert_str_eq(node_at(reader, "v").global_name, "net/v");
    cr_assert_eq(node_at(reader, "state").kind, VARVE_STATE);
    check_bytes(reader, "state", "616263");
    cr_assert_eq(node_at(reader, "table").kind, VARVE_OBJECT);
    check_bytes(reader, "table/-keys", "00000000 0000803f");
    cr_assert_eq(node_at(reader, "empty").kind, VARVE_OBJECT);
    cr_assert_eq(node_at(reader, "root").id, 0);
    end_bundle(reader);
}

TEST(bundle_graph, adds_attributes_next_to_children)
{
    begin_graph();
    add_object();
    add_child(1, "layer");
    add_child(2, "other");
    add_attribute(VALUE, "", "root");
    add_object();
    add_child(2, VALUE);
    add_attribute(VALUE, "", "a");
    add_attribute("OBJECT_CONFIG_JSON", "", "c");
    add_object();
    end_graph();
    add_floats("a", 1);
    add_string("c", "{}", 2);
    add_floats("root", 1);
    varve_reader *reader = open_bundle();
    check_bytes(reader, VALUE, "00000000");
    check_bytes(reader, "layer/.ATTRIBUTES%2F" VALUE, "00000000");
    varve_saved_node config = node_at(reader, "layer/OBJECT_CONFIG_JSON");
    cr_assert_eq(config.kind, VARVE_STATE);
    cr_assert_str_eq(
        varve_reader_tag_at(reader, config.id, 0), VARVE_TAG_OPTIONAL);
    check_bytes(reader, "layer/OBJECT_CONFIG_JSON", "7b7d");
    end_bundle(reader);
}

TEST(bundle_graph, ignores_optional_attributes_for_the_kind_of_a_node)
{
    begin_graph();
    add_object();
    add_child(1, "layer");
    add_child(2, "v");
    add_object();
    add_attribute("OBJECT_CONFIG_JSON", "", "c");
    add_object();
    add_attribute(VALUE, "", "v");
    add_attribute("OBJECT_CONFIG_JSON", "", "d");
    end_graph();
    add_string("c", "{}", 2);
    add_string("d", "{}", 2);
    add_floats("v", 1);
    varve_reader *reader = open_bundle();
    cr_assert_eq(node_at(reader, "layer").kind, VARVE_OBJECT);
    check_bytes(reader, "layer/OBJECT_CONFIG_JSON", "7b7d");
    cr_assert_eq(node_at(reader, "v").kind, VARVE_VARIABLE);
    check_bytes(reader, "v", "00000000");
    varve_saved_node other = node_at(reader, "d");
    cr_assert_str_eq(
        varve_reader_tag_at(reader, other.id, 0), "tensorflow:unlisted");
    end_bundle(reader);
}

TEST(bundle_graph, declares_variables_without_values)
{
    begin_graph();
    add_object();
    add_child(1, "v");
    add_child(2, "layer");
    add_object();
    add_attribute(VALUE, "net/v", "v");
    add_object();
    add_child(1, "w");
    add_attribute(VALUE, "", "layer");
    end_graph();
    varve_reader *reader = open_bundle();
    static const char *const paths[] = { "v", "layer/" VALUE };
    for (size_t i = 0; i < 2; i++) {
        varve_saved_node node = node_at(reader, paths[i]);
        cr_assert_eq(node.kind, VARVE_VARIABLE);
        cr_assert(!node.has_value);
        cr_assert_str_eq(
            varve_reader_tag_at(reader, node.id, 0), "tensorflow:untyped");
    }
    cr_assert_str_eq(node_at(reader, "v").global_name, "net/v");
    end_bundle(reader);
}

TEST(bundle_graph, separates_many_attributes_from_children)
{
    enum { MANY = 70 };
    char names[MANY][16];
    begin_graph();
    add_object();
    for (int i = 0; i < MANY; i++) {
        snprintf(names[i], sizeof names[i], "k%02d", i);
        add_attribute(names[i], "", names[i]);
    }
    end_graph();
    for (int i = 0; i < MANY; i++)
        add_floats(names[i], 1);
    varve_reader *reader = open_bundle();
    check_bytes(reader, ".ATTRIBUTES%2Fk69", "00000000");
    end_bundle(reader);
}

TEST(bundle_graph, reads_slots_and_savers)
{
    const char *name;
    uint32_t variable, slot;
    begin_graph();
    add_object();
    add_child(1, "v");
    add_child(2, "adam");
    add_object();
    add_attribute(VALUE, "v", "v");
    add_object();
    add_slot(1, "m", 3);
    add_saver("package.Saver");
    add_object();
    add_attribute(VALUE, "v/m", "v.m");
    end_graph();
    add_floats("v", 1);
    add_floats("v.m", 2);
    varve_reader *reader = open_bundle();
    varve_saved_node adam = node_at(reader, "adam");
    cr_assert(varve_reader_slot_at(
        reader, adam.id, 0, &name, &variable, &slot));
    cr_assert_str_eq(name, "m");
    cr_assert_eq(variable, node_at(reader, "v").id);
    cr_assert_str_eq(varve_reader_tag_at(reader, adam.id, 0),
        "registered:package.Saver");
    check_bytes(reader, "adam/m(v)", "00000000 0000803f");
    end_bundle(reader);
}

TEST(bundle_graph, shows_entries_without_a_node)
{
    begin_graph();
    add_object();
    end_graph();
    add_floats("net/w", 1);
    varve_reader *reader = open_bundle();
    varve_saved_node node = node_at(reader, "net%2Fw");
    cr_assert_str_eq(
        varve_reader_tag_at(reader, node.id, 0), "tensorflow:unlisted");
    end_bundle(reader);
}

TEST(bundle_graph, omits_unreachable_nodes)
{
    begin_graph();
    add_object();
    add_object();
    add_child(1, "itself");
    end_graph();
    varve_reader *reader = open_bundle();
    cr_assert_eq(varve_reader_node_count(reader), 1);
    end_bundle(reader);
}

/* --- Attributes of several tensors --------------------------------------- */

TEST(bundle_graph, adds_all_tensors_of_one_attribute)
{
    begin_graph();
    add_object();
    add_child(1, "table");
    add_child(2, "other");
    add_object();
    add_attribute("table", "", "t/table");
    add_object();
    add_attribute(VALUE, "", "t/table-v");
    end_graph();
    add_floats("t/table-keys", 2);
    add_floats("t/table-more", 1);
    add_floats("t/table-v", 1);
    varve_reader *reader = open_bundle();
    cr_assert_eq(varve_reader_node_count(reader), 5);
    cr_assert_eq(node_at(reader, "table").kind, VARVE_OBJECT);
    cr_assert_eq(node_at(reader, "table").edge_count, 2);
    check_bytes(reader, "table/table-keys", "00000000 0000803f");
    check_bytes(reader, "table/table-more", "00000000");
    check_bytes(reader, "other", "00000000");
    end_bundle(reader);
}

TEST(bundle_graph, assigns_tensors_of_a_table_to_one_attribute)
{
    begin_graph();
    add_object();
    add_attribute("a", "", "t");
    add_attribute("b", "", "t");
    end_graph();
    add_floats("t-keys", 1);
    varve_reader *reader = open_bundle();
    cr_assert_eq(varve_reader_node_count(reader), 2);
    check_bytes(reader, "a-keys", "00000000");
    end_bundle(reader);
}

TEST(bundle_graph, does_not_use_deeper_paths_as_tensors_of_a_table)
{
    static const char *const keys[] = { "t", "" };
    for (size_t i = 0; i < 2; i++) {
        begin_graph();
        add_object();
        add_attribute("a", "", keys[i]);
        end_graph();
        add_floats("t/below", 1);
        refuse_bundle(VARVE_CORRUPT, "the index has no entry");
    }
}

/* --- Save counter --------------------------------------------------------- */

static varve_reader *open_counter(
    uint64_t dtype, int64_t counter, const char *other_edge)
{
    unsigned char bytes[8];
    vv_store64(bytes, (uint64_t)counter);
    begin_graph();
    add_object();
    add_child(1, "save_counter");
    if (other_edge)
        add_child(1, other_edge);
    add_object();
    add_attribute(VALUE, "save_counter", "save_counter");
    end_graph();
    add_value("save_counter", (struct index_entry){ .dtype = dtype }, bytes,
        dtype == INT64 ? 8 : 4);
    return open_bundle();
}

TEST(bundle_graph, reads_the_save_counter_from_its_variable_only)
{
    varve_reader *reader = open_counter(INT64, 7, NULL);
    cr_assert_eq(varve_reader_counter(reader), 7);
    cr_assert_eq(varve_reader_node_count(reader), 1);
    end_bundle(reader);
    reader = open_counter(INT64, 7, "steps");
    cr_assert_eq(varve_reader_counter(reader), 0);
    check_bytes(reader, "steps", "0700000000000000");
    end_bundle(reader);
    reader = open_counter(INT64, -1, NULL);
    cr_assert_eq(varve_reader_counter(reader), 0);
    cr_assert(is_there(reader, "save_counter"));
    end_bundle(reader);
    reader = open_counter(INT32, 7, NULL);
    cr_assert(is_there(reader, "save_counter"));
    end_bundle(reader);
}

/* --- Invalid graphs ------------------------------------------------------- */

static void refuse_graph(const char *says)
{
    end_graph();
    refuse_bundle(VARVE_CORRUPT, says);
}

TEST(bundle_graph, refuses_invalid_graphs)
{
    begin_graph();
    refuse_graph("the object graph is empty");
    begin_graph();
    add_object();
    add_child(2, "a");
    add_object();
    refuse_graph("node 0: it refers to a node that does not exist");
    begin_graph();
    add_object();
    add_child(1, "a");
    add_child(1, "a");
    add_object();
    refuse_graph("two children named \"a\"");
    begin_graph();
    add_object();
    add_attribute("py_state", "", "nowhere");
    refuse_graph("node 0: the index has no entry \"nowhere\"");
    begin_graph();
    add_object();
    add_slot(1, "m", 2);
    add_child(1, "v");
    add_object();
    add_object();
    refuse_graph("slot \"m\": the owner is not an object");
    begin_graph();
    add_object();
    vv_wire_bytes(&graph, VV_OBJECT_CHILD, "\x0a", 1);
    refuse_graph("object graph, a child at byte 1");
}

TEST(bundle_graph, refuses_an_entry_in_two_nodes_and_bad_names)
{
    begin_graph();
    add_object();
    add_child(1, "a");
    add_child(2, "b");
    add_object();
    add_attribute(VALUE, "", "v");
    add_object();
    add_attribute(VALUE, "", "v");
    end_graph();
    add_floats("v", 1);
    refuse_bundle(VARVE_CORRUPT,
        "two nodes have the entry \"v\"");
    begin_graph();
    add_object();
    add_child(0, "\xff");
    end_graph();
    refuse_bundle(VARVE_BAD_NAME, "bytes of UTF-8 without NUL");
    begin_bundle();
    add_floats(VV_BUNDLE_GRAPH_KEY, 1);
    refuse_bundle(VARVE_CORRUPT, "is not a string");
}

TEST(bundle_graph, reads_cycles)
{
    begin_graph();
    add_object();
    add_child(1, "a");
    add_object();
    add_child(0, "parent");
    add_child(1, "self");
    end_graph();
    varve_reader *reader = open_bundle();
    cr_assert_eq(node_at(reader, "a/parent").id, 0);
    cr_assert_eq(node_at(reader, "a/self/self").id, node_at(reader, "a").id);
    end_bundle(reader);
}
