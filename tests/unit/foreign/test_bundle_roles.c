/* test_bundle_roles.c - Tests that attributes, entries and unsupported types
 * are written back in their original roles.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "made_bundle.h"
#include "reader.h"
#include "structure.h"
#include "table_in.h"
#include "targets.h"

#define CONFIG "layer_with_weights-0/.ATTRIBUTES/OBJECT_CONFIG_JSON"
#define WEIGHT "layer_with_weights-0/w/.ATTRIBUTES/VARIABLE_VALUE"
#define UNTYPED "untyped/.ATTRIBUTES/VARIABLE_VALUE"
#define MOMENTUM                                                               \
    "layer_with_weights-0/w/.OPTIMIZER_SLOT/opt/m/.ATTRIBUTES/VARIABLE_VALUE"

/* Builds a root, layer, its weight, a table, a variable without a value, a
 * position, an optimizer and a momentum. */
static void make_objects(struct made *m)
{
    struct vv_buffer nodes[8];
    for (size_t i = 0; i < 8; i++)
        vv_buffer_init(&nodes[i], test_allocator());
    made_child(&nodes[0], "layer-0", 1);
    made_child(&nodes[0], "layer_with_weights-0", 1);
    made_child(&nodes[0], "table", 3);
    made_child(&nodes[0], "untyped", 4);
    made_child(&nodes[0], "position", 5);
    made_child(&nodes[0], "opt", 6);
    made_child(&nodes[1], "w", 2);
    made_attribute(&nodes[1], "OBJECT_CONFIG_JSON", "", CONFIG);
    made_attribute(&nodes[2], "VARIABLE_VALUE", "twice", WEIGHT);
    made_attribute(&nodes[3], "t", "", "table/.ATTRIBUTES/t");
    vv_wire_bytes(&nodes[3], VV_OBJECT_SAVER, "\x0a\x01s", 3);
    made_attribute(&nodes[4], "VARIABLE_VALUE", "twice", UNTYPED);
    made_attribute(&nodes[5], "ITERATOR", "", "position/.ATTRIBUTES/ITERATOR");
    made_slot(&nodes[6], 2, "m", 7);
    made_attribute(&nodes[7], "VARIABLE_VALUE", "", MOMENTUM);
    for (size_t i = 0; i < 8; i++) {
        made_node(m, &nodes[i]);
        vv_buffer_clear(&nodes[i]);
    }
    made_put_graph(m);
}

/* Adds a variant with an element of 2 bytes: its length, the bytes, and their
 * checksum. */
static void make_variant(struct made *m)
{
    unsigned char variant[7] = { 2, 'h', 'i' };
    unsigned char fixed[8] = { 2 };
    uint32_t sum = vv_crc32c(vv_crc32c(0, fixed, 8), "hi", 2);
    vv_store32(variant + 3, vv_crc32c_mask(sum));
    made_bytes(m, "position/.ATTRIBUTES/ITERATOR", 29,
        (struct made_entry){ .dtype = VV_BUNDLE_VARIANT, .rank = 1,
            .shape = (uint64_t[]){ 1 },
            .sum = vv_crc32c_mask(vv_crc32c(sum, variant + 3, 4)) },
        variant, sizeof variant);
}

/* Writes a checkpoint "x" with everything that a graph cannot represent. */
static void put_sample(struct memory *memory)
{
    struct made m;
    static const uint64_t one[] = { 1 }, two[] = { 2, 2 }, three[] = { 3 };
    made_begin(&m, PLAIN_HEADER);
    make_objects(&m);
    made_string(&m, CONFIG, "{}", 2);
    made_counting(&m, WEIGHT, 11, 1, three, 3);
    made_counting(&m, MOMENTUM, 1, 1, one, 4);
    make_variant(&m);
    made_counting(&m, "table/.ATTRIBUTES/t-keys", 9, 1, two, 16);
    made_counting(&m, "table/.ATTRIBUTES/t-values", 1, 1, two, 8);
    made_counting(&m, "zz/unlisted", 29, 2, two, 4);
    made_put(&m, memory, "x");
}

static varve_graph *read_sample(struct world *w)
{
    varve_error error;
    put_sample(w->memory);
    varve_graph *graph = vv_graph_from_in(&w->context, "x", NULL, &error);
    cr_assert(graph, "%s", error.message);
    return graph;
}

static void write_to(varve_graph *graph, const char *path,
    varve_format format, struct losses *reported)
{
    varve_error error;
    varve_write_options options = { .format = format,
        .foreign = { .loss = add_loss, .loss_user = reported } };
    *reported->text = '\0';
    cr_assert_ok(
        varve_write(varve_graph_root(graph), path, &options, &error), error);
    read_back(&graph->context, path);
}

/* A text of the keys and values of an index, and of the fields of all nodes. */
struct listing {
    struct vv_buffer text;
    struct vv_context context;
};

static varve_status list_entry(void *user, const unsigned char *key,
    size_t key_size, const unsigned char *value, size_t value_size,
    varve_error *error)
{
    struct listing *l = user;
    (void)error;
    (void)value;
    (void)value_size;
    vv_buffer_add(&l->text, key, key_size);
    vv_buffer_add_string(&l->text, "\n");
    return VARVE_OK;
}

static void list_keys(struct world *w, const char *path, struct listing *l)
{
    size_t size;
    varve_error error;
    const unsigned char *bytes = memory_bytes(w->memory, path, &size);
    struct vv_table_in table = { &w->context, path, bytes, size };
    vv_buffer_init(&l->text, test_allocator());
    cr_assert_ok(vv_table_each(&table, list_entry, l, &error), error);
    vv_buffer_string(&l->text);
}

static bool data_has(struct world *w, const struct vv_buffer *bytes)
{
    size_t size;
    const unsigned char *data =
        memory_bytes(w->memory, "y.data-00000-of-00001", &size);
    for (size_t at = 0; at + bytes->size <= size; at++) {
        if (memcmp(data + at, bytes->data, bytes->size) == 0)
            return true;
    }
    return false;
}

static bool has_record(struct world *w, const char *name, const char *full,
    const char *key)
{
    struct vv_buffer record;
    vv_buffer_init(&record, test_allocator());
    made_attribute(&record, name, full, key);
    bool result = data_has(w, &record);
    vv_buffer_clear(&record);
    return result;
}

TEST(bundle_roles, are_written_as_they_were_read)
{
    struct losses reported;
    struct listing before, after;
    struct world w = world_new();
    varve_graph *graph = read_sample(&w);
    write_to(graph, "y", VARVE_FORMAT_TENSORFLOW, &reported);
    varve_graph_free(graph);
    cr_assert_str_eq(reported.text, "");
    list_keys(&w, "x.index", &before);
    list_keys(&w, "y.index", &after);
    cr_assert_str_eq((char *)after.text.data, (char *)before.text.data);
    cr_assert(has_record(&w, "OBJECT_CONFIG_JSON", "", CONFIG));
    cr_assert(has_record(&w, "VARIABLE_VALUE", "twice",
        WEIGHT));
    cr_assert(has_record(&w, "VARIABLE_VALUE", "twice", UNTYPED));
    cr_assert(has_record(&w, "t", "", "table/.ATTRIBUTES/t"));
    cr_assert(has_record(
        &w, "ITERATOR", "", "position/.ATTRIBUTES/ITERATOR"));
    vv_buffer_clear(&before.text);
    vv_buffer_clear(&after.text);
    world_free(&w);
}

/* Changed paths have other keys; a node with another parent is no attribute; a
 * part of a table is none either. */
TEST(bundle_roles, are_lost_if_the_graph_changed)
{
    struct losses reported;
    struct listing after;
    struct world w = world_new();
    varve_graph *graph = read_sample(&w);
    varve_node *root = varve_graph_root(graph);
    varve_untrack(root, "layer_with_weights-0");
    varve_track(root, "state", varve_find_path(root, "position/ITERATOR"));
    varve_untrack(varve_find(root, "table"), "t-keys");
    varve_set_global_name(varve_find_path(root, "layer-0/w"), "other");
    write_to(graph, "y", VARVE_FORMAT_TENSORFLOW, &reported);
    varve_graph_free(graph);
    cr_assert(strstr(reported.text,
        "table/t-values: its kind: an attribute of its object\n"));
    cr_assert(
        strstr(reported.text, "state: its kind: an attribute of its object\n"),
        "%s", reported.text);
    list_keys(&w, "y.index", &after);
    const char *keys = (char *)after.text.data;
    cr_assert(strstr(keys, "layer-0/.ATTRIBUTES/OBJECT_CONFIG_JSON\n"));
    cr_assert(strstr(keys, "layer-0/w/.OPTIMIZER_SLOT/opt/m/.ATTRIBUTES/"));
    cr_assert(
        strstr(keys, "table/t-values/.ATTRIBUTES/VARIABLE_VALUE\n"));
    cr_assert(strstr(keys, "state/.ATTRIBUTES/py_state\n"), "%s", keys);
    cr_assert(has_record(&w, "VARIABLE_VALUE", "other",
        "layer-0/w/.ATTRIBUTES/VARIABLE_VALUE"));
    vv_buffer_clear(&after.text);
    world_free(&w);
}

/* Unsupported types are kept for checkpoints without an object graph too. */
TEST(bundle_roles, keep_types_without_objects)
{
    struct losses reported;
    varve_error error;
    varve_saved_node node;
    struct world w = world_new();
    varve_graph *graph = read_sample(&w);
    write_to(graph, "y", VARVE_FORMAT_TENSORFLOW_NAMES, &reported);
    varve_graph_free(graph);
    graph = vv_graph_from_in(&w.context, "y", NULL, &error);
    cr_assert(graph, "%s", error.message);
    write_to(graph, "z", VARVE_FORMAT_TENSORFLOW_NAMES, &reported);
    cr_assert_str_eq(reported.text, "");
    varve_graph_free(graph);
    varve_reader *reader = vv_reader_open_in(&w.context, "z", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert(varve_reader_find(reader, "zz/unlisted", &node));
    cr_assert_str_eq(
        varve_reader_tag_at(reader, node.id, 0), "tensorflow:int4");
    cr_assert(varve_reader_find(reader, "position/ITERATOR", &node));
    cr_assert_str_eq(
        varve_reader_tag_at(reader, node.id, 0), "tensorflow:variant");
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    varve_reader_free(reader);
    world_free(&w);
}

TEST(bundle_roles, report_failed_allocations)
{
    varve_status status = VARVE_NO_MEMORY;
    struct world w = world_new();
    put_sample(w.memory);
    for (long n = 0; status; n++) {
        varve_error error = { 0 };
        varve_write_options options = { .format = VARVE_FORMAT_TENSORFLOW };
        test_fail_allocation(n, false);
        varve_graph *graph = vv_graph_from_in(&w.context, "x", NULL, &error);
        status = graph ? varve_write(
                             varve_graph_root(graph), "y", &options, &error)
                       : error.status;
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        varve_graph_free(graph);
        cr_assert(n < 3000);
    }
    world_free(&w);
}
