/* test_bundle_target.c - Tests writing graphs as TensorFlow checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_target.h"

#include <stdio.h>

#include "bundles.h"
#include "graph.h"
#include "read_back.h"
#include "reader.h"
#include "unit/foreign/written.h"

/* A graph over a memory system, and the reported losses. */
struct world {
    struct memory *memory;
    struct faulty *faulty;
    varve_graph *graph;
    varve_node *root;
    varve_write_options options;
    char losses[2000];
};

static void take_loss(void *user, const char *path, const char *what)
{
    struct world *w = user;
    size_t size = strlen(w->losses);
    snprintf(w->losses + size, sizeof w->losses - size, "%s: %s\n", path, what);
}

static void begin(struct world *w, varve_format format)
{
    *w = (struct world){ .memory = memory_new() };
    w->faulty = faulty_new(memory_system(w->memory));
    struct vv_context context = test_context(faulty_system(w->faulty));
    w->graph = vv_graph_new_in(&context);
    w->root = varve_graph_root(w->graph);
    w->options.format = format;
    w->options.foreign.loss = take_loss;
    w->options.foreign.loss_user = w;
}

static void end(struct world *w)
{
    varve_graph_free(w->graph);
    cr_assert_eq(faulty_open_count(w->faulty), 0);
    faulty_free(w->faulty);
    memory_free(w->memory);
}

static void write_all(struct world *w)
{
    varve_error error;
    w->losses[0] = '\0';
    cr_assert_ok(varve_write(w->root, "m", &w->options, &error), error);
    read_back(&w->graph->context, "m");
}

static const char data_path[] = "m.data-00000-of-00001";

static bool index_has(struct world *w, const char *text)
{
    return file_has(w->memory, "m.index", text, strlen(text));
}

static bool data_has(struct world *w, const char *text)
{
    return file_has(w->memory, data_path, text, strlen(text));
}

static varve_status save_state(void *self, varve_sink *sink)
{
    (void)self;
    varve_put(sink, "state", 6);
    return VARVE_OK;
}

static varve_status load_state(void *self, const void *bytes, size_t size)
{
    (void)self;
    (void)bytes;
    (void)size;
    return VARVE_OK;
}

static const varve_state_callbacks state = { save_state, load_state };

/* --- Files of TensorFlow -------------------------------------------------- */

static float a[2] = { 2, 3 }, b = 1, k = 4, z = 7, slot_a[2] = { 8, 9 },
    slot_b = .5f;
static double r = 3;
static int v = 5;
static varve_string s[2] = { { "x", 1 }, { "yy", 2 } };

static varve_node *add_named(varve_node *node, const char *name)
{
    varve_set_global_name(node, name);
    return node;
}

/* Builds the module of make_written.py. */
static void add_module(varve_node *root)
{
    varve_node *m = varve_add_object(root, "m");
    varve_node *o = varve_add_object(root, "o");
    varve_node *va = varve_add_variable(m, "a", varve_array(a, 2));
    varve_node *vb = varve_add_variable(m, "b", varve_scalar(&b));
    varve_add_variable(varve_add_object(m, "c"), "v", varve_scalar(&v));
    varve_node *dotted = varve_add_object(m, "d.x/y");
    add_named(varve_add_variable(dotted, "k\xc3\xa9", varve_scalar(&k)),
        "global");
    varve_add_variable(m, "e",
        varve_view(NULL, VARVE_FLOAT32, VARVE_SHAPE(2, 0)));
    varve_add_object(m, "empty");
    varve_add_variable(m, "es",
        varve_view(NULL, VARVE_STRING, VARVE_SHAPE(0)));
    varve_add_state(m, "p", &state, NULL);
    varve_add_variable(m, "s", varve_array(s, 2));
    varve_add_variable(m, "z", varve_scalar(&z));
    varve_track(m, "zz_back", root);
    varve_track(o, "alias", va);
    varve_add_variable(root, "r", varve_scalar(&r));
    add_named(varve_add_slot(o, va, "mo/m.", varve_array(slot_a, 2)), "slot/a");
    add_named(varve_add_slot(o, vb, "mo/m.", varve_scalar(&slot_b)), "slot/b");
}

static void check_golden(
    struct world *w, const char *path, const char *golden)
{
    char golden_path[1000];
    size_t size;
    snprintf(golden_path, sizeof golden_path, "%s/%s", WRITTEN_DIRECTORY,
        golden);
    void *bytes = test_read_file(golden_path, &size);
    cr_assert(file_is(w->memory, path, bytes, size), "%s", golden);
    free(bytes);
}

TEST(bundle_target, writes_the_bytes_that_tensorflow_writes)
{
    struct world w;
    varve_error error;
    begin(&w, VARVE_FORMAT_TENSORFLOW);
    add_module(w.root);
    cr_assert_ok(varve_save(w.root, "own", NULL, &error), error);
    w.options.keep_counter = true;
    write_all(&w);
    check_golden(&w, "m.index", "module-1.index");
    check_golden(&w, data_path, "module-1.data-00000-of-00001");
    cr_assert_str_eq(w.losses, "");
    end(&w);
}

/* --- Object-based --------------------------------------------------------- */

TEST(bundle_target, reports_losses_of_a_tensorflow_checkpoint)
{
    struct world w;
    begin(&w, VARVE_FORMAT_TENSORFLOW);
    varve_node *list = varve_add_list(w.root, "list");
    varve_tag(list, "frozen");
    varve_add_dict(w.root, "dict");
    varve_metadata metadata[] = {
        { .name = "step", .kind = VARVE_METADATA_INTEGER, .integer = 7 },
    };
    w.options.metadata = metadata;
    w.options.metadata_count = 1;
    write_all(&w);
    cr_assert(strstr(w.losses, "list: its kind: a list\n"), "%s", w.losses);
    cr_assert(strstr(w.losses, "dict: its kind: a dict\n"));
    cr_assert(strstr(w.losses, "list: a tag\n"));
    cr_assert(strstr(w.losses, ": metadata \"step\"\n"));
    cr_assert(!strstr(w.losses, "counter"));
    end(&w);
}

TEST(bundle_target, keeps_a_child_named_save_counter)
{
    struct world w;
    varve_error error;
    begin(&w, VARVE_FORMAT_TENSORFLOW);
    w.options.keep_counter = true;
    cr_assert_ok(varve_save(w.root, "own", NULL, &error), error);
    write_all(&w);
    cr_assert(index_has(&w, "save_counter/.ATTRIBUTES/VARIABLE_VALUE"));
    cr_assert_str_eq(w.losses, "");
    varve_add_variable(w.root, "save_counter", varve_scalar(&r));
    write_all(&w);
    cr_assert(index_has(&w, "save_counter/.ATTRIBUTES/VARIABLE_VALUE"));
    cr_assert_str_eq(w.losses, ": the save counter\n");
    end(&w);
}

/* A list has children 0, 1, ..., so it cannot have "save_counter". */
TEST(bundle_target, adds_the_counter_to_any_root_that_can_have_children)
{
    struct world w;
    varve_error error;
    begin(&w, VARVE_FORMAT_TENSORFLOW);
    w.options.keep_counter = true;
    w.root = varve_add_list(w.root, "list");
    cr_assert_ok(varve_save(w.root, "own", NULL, &error), error);
    write_all(&w);
    cr_assert(index_has(&w, "save_counter/.ATTRIBUTES/VARIABLE_VALUE"));
    cr_assert(data_has(&w, "\x08\x01\x12\x0csave_counter\x2a\x02\x08\x01"));
    cr_assert(data_has(&w, "\x12\x0csave_counter\x1a"));
    w.root = varve_add_variable(
        varve_graph_root(w.graph), "z", varve_scalar(&z));
    cr_assert_ok(varve_save(w.root, "other", NULL, &error), error);
    write_all(&w);
    cr_assert(index_has(&w, "/.ATTRIBUTES/VARIABLE_VALUE"));
    cr_assert(!index_has(&w, "save_counter"));
    cr_assert_str_eq(w.losses, ": the save counter\n");
    end(&w);
}

/* Edges to nodes that were visited before are not counted. */
TEST(bundle_target, numbers_the_counter_after_the_children_of_the_root)
{
    struct world w;
    varve_error error;
    begin(&w, VARVE_FORMAT_TENSORFLOW);
    w.options.keep_counter = true;
    varve_node *child = varve_add_object(w.root, "a");
    varve_add_object(child, "b");
    varve_track(w.root, "self", w.root);
    cr_assert_ok(varve_save(w.root, "own", NULL, &error), error);
    write_all(&w);
    cr_assert(data_has(&w, "\x08\x02\x12\x0csave_counter\x2a\x02\x08\x01"));
    cr_assert(data_has(&w, "\x0a\x05\x08\x03\x12\x01" "b\x2a"));
    end(&w);
}

TEST(bundle_target, finds_values_below_an_owner_of_slots)
{
    struct world w;
    begin(&w, VARVE_FORMAT_TENSORFLOW);
    varve_node *va = varve_add_variable(w.root, "a", varve_array(a, 2));
    varve_add_slot(varve_add_object(w.root, "o"), va, "m",
        varve_array(slot_a, 2));
    write_all(&w);
    cr_assert(data_has(
        &w, "\x1a\x07\x08\x01\x12\x01m\x18\x03\x2a\x02\x08\x01"));
    end(&w);
}

TEST(bundle_target, records_a_variable_without_a_value_as_an_object)
{
    struct world w;
    begin(&w, VARVE_FORMAT_TENSORFLOW);
    varve_tag(varve_add_variable(w.root, "here", varve_scalar(&z)),
        VARVE_TAG_LOCAL);
    write_all(&w);
    cr_assert(!index_has(&w, "here"));
    cr_assert(file_has(w.memory, data_path,
        "\x0a\x0c\x0a\x08\x08\x01\x12\x04here\x2a\x00\x0a\x02\x2a\x00", 18));
    end(&w);
}

/* Slots of and for variables that are not saved, beside one that is. */
TEST(bundle_target, omits_slots_without_values)
{
    struct world w;
    varve_error error;
    varve_saved_node node;
    begin(&w, VARVE_FORMAT_TENSORFLOW);
    varve_node *o = varve_add_object(w.root, "o");
    varve_node *va = varve_add_variable(w.root, "a", varve_array(a, 2));
    varve_node *vb = varve_add_variable(w.root, "b", varve_scalar(&b));
    varve_tag(varve_add_slot(o, va, "m", varve_array(slot_a, 2)),
        VARVE_TAG_LOCAL);
    varve_add_slot(o, va, "v", varve_array(COPY_OF(slot_a), 2));
    varve_tag(vb, VARVE_TAG_LOCAL);
    varve_add_slot(o, vb, "m", varve_scalar(&slot_b));
    varve_node *shared =
        varve_add_slot(o, vb, "v", varve_scalar(COPY_AT(&slot_b)));
    varve_track(w.root, "shared", shared);
    write_all(&w);
    cr_assert(strstr(w.losses, "o/m(a): its kind: a slot, but it or its "
        "variable has no value\n"), "%s", w.losses);
    cr_assert(strstr(w.losses, "o/m(b): its value: its variable has none\n"));
    cr_assert(!strstr(w.losses, "shared: its value"));
    varve_reader *reader =
        vv_reader_open_in(&w.graph->context, "m", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert(varve_reader_find(reader, "o/v(a)", &node) && node.has_value);
    cr_assert(varve_reader_find(reader, "shared", &node) && node.has_value);
    cr_assert_not(varve_reader_find(reader, "o/m(a)", &node));
    cr_assert_not(varve_reader_find(reader, "o/m(b)", &node));
    varve_reader_free(reader);
    end(&w);
}

TEST(bundle_target, starts_another_file_before_one_is_too_large)
{
    struct world w;
    begin(&w, VARVE_FORMAT_TENSORFLOW);
    varve_add_variable(w.root, "a", varve_array(a, 2));
    varve_add_variable(w.root, "b", varve_scalar(&b));
    w.options.foreign.shard_size = 8;
    write_all(&w);
    size_t size;
    cr_assert_eq(memory_file_count(w.memory), 4);
    cr_assert(memory_bytes(w.memory, "m.data-00000-of-00003", &size));
    cr_assert_eq(size, 8);
    cr_assert(memory_bytes(w.memory, "m.data-00001-of-00003", &size));
    cr_assert_eq(size, 4);
    end(&w);
}

/* Reads the file into a program with other values; every value of the file must
 * be used, and every variable of the program restored. */
static void check_read_back(varve_format format, uint64_t shard_size)
{
    struct world w;
    varve_error error;
    begin(&w, format);
    add_module(w.root);
    w.options.foreign.shard_size = shard_size;
    write_all(&w);
    a[0] = slot_a[1] = 0;
    k = slot_b = 0;
    s[1] = (varve_string){ NULL, 0 };
    varve_restoration *restoration =
        varve_read(w.root, "m", NULL, &error);
    cr_assert(restoration, "%s", error.message);
    if (format == VARVE_FORMAT_TENSORFLOW)
        cr_assert_ok(varve_assert_consumed(restoration, &error), error);
    cr_assert(a[0] == 2 && slot_a[1] == 9 && k == 4 && slot_b == .5f);
    cr_assert(s[1].size == 2 && memcmp(s[1].data, "yy", 2) == 0);
    varve_restoration_free(restoration);
    end(&w);
    s[0] = (varve_string){ "x", 1 };
    s[1] = (varve_string){ "yy", 2 };
}

/* Writes `count` scalars in separate objects: most keys of the table share a
 * prefix with the previous one. */
static void check_many(varve_format format, int count)
{
    struct world w;
    varve_error error;
    char name[64];
    begin(&w, format);
    w.options.foreign.loss = NULL;
    for (int i = 0; i < count; i++) {
        snprintf(name, sizeof name, "layer_%d", i);
        varve_node *layer = varve_add_object(w.root, name);
        varve_add_variable(varve_add_object(layer, "kernel"), "Adam",
            varve_scalar(COPY_AT(&b)));
    }
    write_all(&w);
    varve_reader *reader =
        vv_reader_open_in(&w.graph->context, "m", &error);
    cr_assert(reader, "%d: %s", count, error.message);
    cr_assert_eq(varve_reader_node_count(reader), 1 + 3 * (size_t)count);
    varve_reader_free(reader);
    end(&w);
}

TEST(bundle_target, writes_any_number_of_readable_names)
{
    for (int count = 1000; count <= 100000; count *= 10)
        check_many(VARVE_FORMAT_TENSORFLOW_NAMES, count);
    check_many(VARVE_FORMAT_TENSORFLOW, 10000);
}

TEST(bundle_target, writes_readable_checkpoints)
{
    check_read_back(VARVE_FORMAT_TENSORFLOW, 0);
    check_read_back(VARVE_FORMAT_TENSORFLOW, 9);
}

/* --- Name-based ----------------------------------------------------------- */

TEST(bundle_target, writes_values_under_their_names)
{
    struct world w;
    begin(&w, VARVE_FORMAT_TENSORFLOW_NAMES);
    add_module(w.root);
    write_all(&w);
    cr_assert(index_has(&w, "m/a"));
    cr_assert(index_has(&w, "global"));
    cr_assert(index_has(&w, "slot/a"));
    cr_assert(!index_has(&w, "ATTRIBUTES"));
    cr_assert(!index_has(&w, "_CHECKPOINTABLE"));
    cr_assert(data_has(&w, "xyy"));
    cr_assert(strstr(w.losses, "m/p: its kind: a state"), "%s", w.losses);
    cr_assert(strstr(w.losses, "o/alias: another path to a node"));
    end(&w);
}

TEST(bundle_target, names_slot_variables_by_owner_and_variable)
{
    struct world w;
    varve_error error;
    varve_metadata metadata[] = {
        { .name = "step", .kind = VARVE_METADATA_INTEGER, .integer = 7 },
    };
    begin(&w, VARVE_FORMAT_TENSORFLOW_NAMES);
    w.options.keep_counter = true;
    w.options.metadata = metadata;
    w.options.metadata_count = 1;
    varve_node *o = varve_add_object(w.root, "o");
    varve_node *va = varve_add_variable(w.root, "a", varve_array(a, 2));
    varve_add_slot(o, va, "m", varve_array(slot_a, 2));
    cr_assert_ok(varve_save(w.root, "own", NULL, &error), error);
    write_all(&w);
    cr_assert(index_has(&w, "o/m(a)"));
    cr_assert_str_eq(
        w.losses, ": metadata \"step\"\n: the save counter\n");
    end(&w);
}

TEST(bundle_target, omits_variables_without_a_value)
{
    struct world w;
    begin(&w, VARVE_FORMAT_TENSORFLOW_NAMES);
    varve_add_variable(w.root, "a", varve_array(a, 2));
    varve_tag(varve_add_variable(w.root, "here", varve_scalar(&z)),
        VARVE_TAG_LOCAL);
    write_all(&w);
    cr_assert(index_has(&w, "a"));
    cr_assert(!index_has(&w, "here"));
    end(&w);
}

static void check_refused(
    struct world *w, varve_status expected, const char *message)
{
    varve_error error;
    cr_assert_eq(varve_write(w->root, "m", &w->options, &error), expected);
    cr_assert(strstr(error.message, message), "%s", error.message);
    cr_assert_eq(memory_file_count(w->memory), 0);
}

TEST(bundle_target, refuses_names_with_another_meaning)
{
    struct world w;
    begin(&w, VARVE_FORMAT_TENSORFLOW_NAMES);
    varve_node *root = w.root;
    w.root = varve_add_variable(root, "a", varve_array(a, 2));
    check_refused(&w, VARVE_BAD_NAME,
        "m: the value of the root needs a global name");
    w.root = root;
    varve_add_variable(
        root, "_CHECKPOINTABLE_OBJECT_GRAPH", varve_scalar(&z));
    check_refused(&w, VARVE_BAD_NAME,
        "can have the name \"_CHECKPOINTABLE_OBJECT_GRAPH\"");
    end(&w);
    begin(&w, VARVE_FORMAT_TENSORFLOW_NAMES);
    varve_add_variable(w.root, "x", varve_scalar(&z));
    add_named(varve_add_variable(w.root, "y", varve_scalar(&b)), "x");
    check_refused(&w, VARVE_DUPLICATE, "two values have the key \"x\"");
    end(&w);
}

/* --- Failures ------------------------------------------------------------- */

static int stop_third(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    (void)done;
    (void)total;
    (void)what;
    return ++*(int *)user == 3;
}

TEST(bundle_target, leaves_no_file_when_cancelled)
{
    int calls = 0;
    struct world w;
    varve_error error;
    begin(&w, VARVE_FORMAT_TENSORFLOW);
    add_module(w.root);
    w.options.progress = stop_third;
    w.options.progress_user = &calls;
    cr_assert_eq(
        varve_write(w.root, "m", &w.options, &error), VARVE_CANCELLED);
    cr_assert_eq(memory_file_count(w.memory), 0);
    end(&w);
}

TEST(bundle_target, leaves_no_file_without_memory)
{
    static const varve_format formats[] = { VARVE_FORMAT_TENSORFLOW,
        VARVE_FORMAT_TENSORFLOW_NAMES };
    for (size_t i = 0; i < 2; i++) {
        varve_status status = VARVE_NO_MEMORY;
        for (long n = 0; status; n++) {
            struct world w;
            varve_error error;
            begin(&w, formats[i]);
            add_module(w.root);
            test_fail_allocation(n, false);
            status = varve_write(w.root, "m", &w.options, &error);
            test_fail_allocation(-1, false);
            cr_assert(status == VARVE_OK || status == VARVE_NO_MEMORY);
            cr_assert_eq(memory_file_count(w.memory), status ? 0 : 2);
            end(&w);
        }
    }
}
