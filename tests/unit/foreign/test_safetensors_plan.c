/* test_safetensors_plan.c - Tests the selection of values, names and files for
 * safetensors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unit/foreign/safetensors_graph.h"

#include <math.h>

static unsigned char bytes[64];

static void add(varve_node *parent, const char *name, varve_dtype dtype,
    uint64_t extent)
{
    varve_add_variable(
        parent, name, varve_view(COPY_OF(bytes), dtype, VARVE_SHAPE(extent)));
}

TEST(safetensors_plan, sorts_by_type_and_name_like_the_reference)
{
    static const varve_dtype order[] = { VARVE_UINT64, VARVE_INT64,
        VARVE_FLOAT64, VARVE_COMPLEX64, VARVE_FLOAT32, VARVE_UINT32,
        VARVE_INT32, VARVE_BFLOAT16, VARVE_FLOAT16, VARVE_UINT16, VARVE_INT16,
        VARVE_FLOAT8_E4M3FN, VARVE_FLOAT8_E5M2, VARVE_INT8, VARVE_UINT8,
        VARVE_BOOL };
    struct written w;
    char name[8];
    begin_graph(&w);
    for (int i = 0; i < 16; i++) {
        snprintf(name, sizeof name, "n%c", 'a' + (i * 7) % 16);
        add(w.root, name, order[(i * 7) % 16], 1);
    }
    add(w.root, "A", VARVE_BOOL, 1);
    cr_assert_ok(write_to(&w, "x.safetensors"), w.error);
    const char *at = header_of(&w, "x.safetensors");
    for (int i = 0; i < 17; i++) {
        snprintf(name, sizeof name, "\"%s%c\":", i < 15 ? "n" : "",
            i < 15 ? 'a' + i : 'A');
        if (i == 16)
            strcpy(name, "\"np\":");
        at = strstr(at, name);
        cr_assert(at, "%s", name);
    }
    end_graph(&w);
}

static varve_status save(void *self, varve_sink *sink)
{
    varve_put(sink, self, 1);
    return VARVE_OK;
}

static varve_status load(void *self, const void *state, size_t size)
{
    (void)self;
    (void)state;
    (void)size;
    return VARVE_OK;
}

TEST(safetensors_plan, reports_losses)
{
    static const varve_state_callbacks callbacks = { save, load };
    static varve_string texts[2];
    static double complex_numbers[2];
    struct written w;
    begin_graph(&w);
    varve_add_variable(w.root, "texts", varve_array(texts, 2));
    varve_add_variable(w.root, "c",
        varve_view(complex_numbers, VARVE_COMPLEX128, VARVE_SCALAR));
    varve_add_state(w.root, "state", &callbacks, bytes);
    varve_node *list = varve_add_list(w.root, "list");
    add(list, VARVE_APPEND, VARVE_UINT8, 1);
    add(w.root, "v", VARVE_UINT8, 1);
    varve_tag(varve_find(w.root, "v"), "tag");
    varve_track(w.root, "z", list);
    varve_set_initializer(
        varve_add_variable(w.root, "empty", varve_view(bytes, VARVE_UINT8,
            VARVE_SCALAR)), NULL, NULL);
    cr_assert_ok(write_to(&w, "x.safetensors"), w.error);
    static const char *const losses[] = { "texts: a tensor of strings\n",
        "c: a tensor of complex128\n", "state: the bytes of a state\n",
        "list: its kind: a list\n", "v: a tag\n",
        "list: another path to it\n",
        "empty: a variable without a value\n" };
    size_t size = 0;
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++) {
        cr_assert(strstr(w.losses, losses[i]), "%s in %s", losses[i], w.losses);
        size += strlen(losses[i]);
    }
    cr_assert_eq(strlen(w.losses), size, "%s", w.losses);
    cr_assert_str_eq(header_of(&w, "x.safetensors"),
        "{\"list/0\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]},"
        "\"v\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[1,2]}}");
    end_graph(&w);
}

TEST(safetensors_plan, writes_metadata_as_text_sorted_by_name)
{
    static const varve_metadata metadata[] = {
        { .name = "step", .kind = VARVE_METADATA_INTEGER, .integer = -12 },
        { .name = "loss", .kind = VARVE_METADATA_REAL, .real = 0.1 },
        { .name = "third", .kind = VARVE_METADATA_REAL, .real = 1.0 / 3 },
        { .name = "large", .kind = VARVE_METADATA_REAL, .real = 1e300 },
        { .name = "inf", .kind = VARVE_METADATA_REAL, .real = INFINITY },
        { .name = "yes", .kind = VARVE_METADATA_BOOLEAN, .integer = 1 },
        { .name = "no", .kind = VARVE_METADATA_BOOLEAN },
        { .name = "\"", .kind = VARVE_METADATA_STRING, .string = "\n" },
    };
    struct written w;
    begin_graph(&w);
    w.options.metadata = metadata;
    w.options.metadata_count = sizeof metadata / sizeof *metadata;
    cr_assert_ok(write_to(&w, "x.safetensors"), w.error);
    cr_assert_str_eq(header_of(&w, "x.safetensors"),
        "{\"__metadata__\":{\"\\\"\":\"\\n\",\"inf\":\"inf\",\"large\":"
        "\"1e+300\",\"loss\":\"0.1\",\"no\":\"false\",\"step\":\"-12\","
        "\"third\":\"0.3333333333333333\",\"yes\":\"true\"}}");
    cr_assert_str_eq(w.losses, "");
    end_graph(&w);
}

TEST(safetensors_plan, keeps_the_save_counter_and_reports_hidden_metadata)
{
    static const varve_metadata metadata[] = {
        { .name = "save_counter", .kind = VARVE_METADATA_STRING,
            .string = "mine" },
    };
    struct written w;
    begin_graph(&w);
    varve_write_options ours = { .no_sync = true };
    cr_assert_ok(varve_save(w.root, "ckpt", &ours, &w.error), w.error);
    w.options.keep_counter = true;
    cr_assert_ok(write_to(&w, "x.safetensors"), w.error);
    cr_assert_str_eq(header_of(&w, "x.safetensors"),
        "{\"__metadata__\":{\"save_counter\":\"1\"}}");
    w.options.metadata = metadata;
    w.options.metadata_count = 1;
    cr_assert_ok(write_to(&w, "x.safetensors"), w.error);
    cr_assert_str_eq(header_of(&w, "x.safetensors"),
        "{\"__metadata__\":{\"save_counter\":\"1\"}}");
    cr_assert_str_eq(
        w.losses, ": metadata with the name of other metadata\n");
    end_graph(&w);
}

TEST(safetensors_plan, records_additional_paths_as_aliases)
{
    struct written w;
    begin_graph(&w);
    varve_node *a = varve_add_object(w.root, "a");
    varve_node *b = varve_add_object(w.root, "b");
    add(a, "w", VARVE_UINT8, 1);
    varve_track(b, "tied", varve_find(a, "w"));
    varve_track(b, "back", w.root);
    cr_assert_ok(write_to(&w, "x.safetensors"), w.error);
    cr_assert_str_eq(header_of(&w, "x.safetensors"),
        "{\"__metadata__\":{\"b/tied\":\"a/w\"},"
        "\"a/w\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}");
    cr_assert_str_eq(w.losses, ": another path to it\n");
    end_graph(&w);
}

TEST(safetensors_plan, loses_an_alias_that_has_the_name_of_a_value)
{
    struct written w;
    begin_graph(&w);
    add(varve_add_object(w.root, "x"), "y", VARVE_UINT8, 1);
    add(w.root, "v", VARVE_UINT8, 1);
    varve_track(w.root, "x/y", varve_find(w.root, "v"));
    cr_assert_ok(write_to(&w, "x.safetensors"), w.error);
    cr_assert_str_eq(w.losses, "v: another path to it\n");
    cr_assert_null(strstr(header_of(&w, "x.safetensors"), "metadata"));
    end_graph(&w);
}

TEST(safetensors_plan, names_slots_by_owner_and_variable)
{
    struct written w;
    begin_graph(&w);
    add(w.root, "v", VARVE_UINT8, 1);
    add(w.root, "seen", VARVE_UINT8, 1);
    varve_node *v = varve_find(w.root, "v");
    varve_node *adam = varve_add_object(w.root, "adam");
    varve_node *slot = varve_add_slot(
        adam, v, "m", varve_view(COPY_OF(bytes), VARVE_UINT8, VARVE_SCALAR));
    varve_node *other = varve_add_slot(
        adam, v, "n", varve_view(COPY_OF(bytes), VARVE_UINT8, VARVE_SCALAR));
    varve_track(adam, "n too", other);
    cr_assert(slot);
    cr_assert_ok(write_to(&w, "x.safetensors"), w.error);
    cr_assert(strstr(header_of(&w, "x.safetensors"), "\"adam/m(v)\":"));
    cr_assert(strstr(header_of(&w, "x.safetensors"), "\"adam/n too\":"));
    cr_assert_str_eq(
        w.losses, "adam/n too: its role as a slot variable\n");
    end_graph(&w);
}

TEST(safetensors_plan, refuses_duplicate_names)
{
    struct written w;
    begin_graph(&w);
    add(w.root, "a/b", VARVE_UINT8, 1);
    add(varve_add_object(w.root, "a"), "b", VARVE_UINT8, 1);
    cr_assert_eq(write_to(&w, "x.safetensors"), VARVE_DUPLICATE);
    cr_assert_str_eq(w.error.message, "x.safetensors: two values are named "
        "\"a/b\"");
    cr_assert_eq(memory_file_count(w.memory), 0);
    end_graph(&w);
}

TEST(safetensors_plan, refuses_the_name_of_the_metadata)
{
    struct written w;
    begin_graph(&w);
    add(w.root, "__metadata__", VARVE_UINT8, 1);
    cr_assert_eq(write_to(&w, "x.safetensors"), VARVE_BAD_NAME);
    cr_assert_eq(memory_file_count(w.memory), 0);
    end_graph(&w);
}

/* Sets the file number of each name, as "1122". */
static void shards_of(struct written *w, const char *names, char *shards)
{
    for (; *names; names++, shards++) {
        *shards = '?';
        for (char i = '1'; i <= '9'; i++) {
            char path[64], key[8];
            size_t size;
            size_t count = memory_file_count(w->memory) - 1;
            snprintf(path, sizeof path, "x-0000%c-of-0000%zu.safetensors", i,
                count);
            snprintf(key, sizeof key, "\"%c\":", *names);
            if (memory_bytes(w->memory, path, &size) &&
                strstr(header_of(w, path), key))
                *shards = i;
        }
    }
    *shards = '\0';
}

TEST(safetensors_plan, distributes_values_like_hugging_face)
{
    static const struct {
        uint64_t sizes[4]; /* of a, b, c, d */
        uint64_t shard_size;
        const char *shards;
    } rows[] = {
        { { 4, 4, 4, 4 }, 8, "1122" }, { { 4, 4, 4, 4 }, 7, "1234" },
        { { 4, 4, 4, 4 }, 12, "1112" }, { { 3, 9, 3, 3 }, 6, "2123" },
        { { 9, 1, 1, 9 }, 2, "1332" }, { { 9, 9, 9, 9 }, 1, "1234" },
        { { 0, 0, 4, 0 }, 4, "" }, { { 1, 0, 4, 0 }, 4, "1122" },
        { { 4, 4, 4, 4 }, 16, "" }, { { 4, 4, 4, 4 }, 0, "" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct written w;
        char name[2] = "a", shards[8];
        begin_graph(&w);
        for (int k = 0; k < 4; k++, name[0]++)
            add(w.root, name, VARVE_UINT8, rows[i].sizes[k]);
        w.options.foreign.shard_size = rows[i].shard_size;
        cr_assert_ok(write_to(&w, "x.safetensors"), w.error);
        if (*rows[i].shards) {
            shards_of(&w, "abcd", shards);
            cr_assert_str_eq(shards, rows[i].shards, "row %zu: %s", i, shards);
        } else {
            cr_assert_eq(memory_file_count(w.memory), 1);
            cr_assert(strstr(header_of(&w, "x.safetensors"), "\"a\":"));
        }
        end_graph(&w);
    }
}
