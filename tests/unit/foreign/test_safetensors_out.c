/* test_safetensors_out.c - Tests writing safetensors files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "unit/foreign/safetensors_graph.h"

#include <errno.h>

#include "safetensors_out.h"
#include "support/faulty_system.h"
#include "system.h"

static float weights[2][3] = { { 1, 2, 3 }, { 4, 5, 6 } };
static int64_t step = 7;
static unsigned char small[3] = { 8, 9, 10 };

static void build(varve_node *root)
{
    varve_add_variable(root, "bias", varve_array(small, 3));
    varve_add_variable(
        varve_add_object(root, "gr\xc3\xb6\xc3\x9f" "e"), "w",
        varve_array(&weights[0][0], 2, 3));
    varve_add_variable(root, "step", varve_scalar(&step));
}

/* Output of safetensors.numpy.save_file 0.8.0 for the same tensors, with the
 * metadata {"format": "np"}. */
static const char reference[] =
    "\xd0\0\0\0\0\0\0\0{\"__metadata__\":{\"format\":\"np\"},"
    "\"step\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]},"
    "\"gr\xc3\xb6\xc3\x9f" "e/w\":{\"dtype\":\"F32\",\"shape\":[2,3],"
    "\"data_offsets\":[8,32]},\"bias\":{\"dtype\":\"U8\",\"shape\":[3],"
    "\"data_offsets\":[32,35]}}"
    "\7\0\0\0\0\0\0\0\0\0\x80?\0\0\0@\0\0@@\0\0\x80@\0\0\xa0@\0\0\xc0@\b\t\n";

TEST(safetensors_out, writes_the_bytes_of_the_reference_implementation)
{
    static const varve_metadata metadata[] = { { .name = "format",
        .kind = VARVE_METADATA_STRING, .string = "np" } };
    struct written w;
    size_t size;
    begin_graph(&w);
    build(w.root);
    w.options.metadata = metadata;
    w.options.metadata_count = 1;
    cr_assert_ok(write_to(&w, "x.safetensors"), w.error);
    const unsigned char *bytes =
        memory_bytes(w.memory, "x.safetensors", &size);
    cr_assert_eq(size, sizeof reference - 1, "%zu", size);
    cr_assert_eq(memcmp(bytes, reference, size), 0);
    cr_assert_str_eq(w.losses, "");
    end_graph(&w);
}

TEST(safetensors_out, writes_an_empty_graph)
{
    struct written w;
    size_t size;
    begin_graph(&w);
    cr_assert_ok(write_to(&w, "x.safetensors"), w.error);
    cr_assert_eq(memcmp(memory_bytes(w.memory, "x.safetensors", &size),
        "\x08\0\0\0\0\0\0\0{}      ", 16), 0);
    cr_assert_eq(size, 16);
    end_graph(&w);
}

TEST(safetensors_out, writes_large_values_without_staging)
{
    enum { LARGE = 3 << 20, OTHER = (1 << 20) - 100 };
    struct written w;
    size_t size;
    unsigned char *large = malloc(2 * LARGE), *other = large + LARGE;
    for (size_t i = 0; i < LARGE; i++)
        large[i] = (unsigned char)(i * 7 >> 3);
    memcpy(other, large, LARGE);
    begin_graph(&w);
    varve_add_variable(w.root, "a", varve_array(COPY_N(large, 10), 10));
    varve_add_variable(w.root, "b", varve_array(large, LARGE));
    varve_add_variable(w.root, "c", varve_array(other, OTHER));
    varve_add_variable(w.root, "d", varve_array(COPY_N(large, 300), 300));
    cr_assert_ok(write_to(&w, "x.safetensors"), w.error);
    const unsigned char *bytes =
        memory_bytes(w.memory, "x.safetensors", &size);
    const unsigned char *at = bytes + 8 + vv_load64(bytes);
    static const size_t sizes[] = { 10, LARGE, OTHER, 300 };
    for (size_t i = 0; i < 4; at += sizes[i], i++)
        cr_assert_eq(memcmp(at, large, sizes[i]), 0, "%zu", i);
    cr_assert_eq(at, bytes + size);
    end_graph(&w);
    free(large);
}

TEST(safetensors_out, writes_the_index_last_and_like_python)
{
    struct written w;
    begin_graph(&w);
    build(w.root);
    w.options.foreign.shard_size = 24;
    cr_assert_ok(write_to(&w, "d/m.safetensors"), w.error);
    cr_assert_eq(memory_file_count(w.memory), 3);
    cr_assert_str_eq(text_of_file(&w, "d/m.safetensors.index.json"),
        "{\n"
        "  \"metadata\": {\n"
        "    \"total_size\": 35\n"
        "  },\n"
        "  \"weight_map\": {\n"
        "    \"bias\": \"m-00001-of-00002.safetensors\",\n"
        "    \"gr\\u00f6\\u00dfe/w\": \"m-00002-of-00002.safetensors\",\n"
        "    \"step\": \"m-00001-of-00002.safetensors\"\n"
        "  }\n"
        "}\n");
    cr_assert_str_eq(header_of(&w, "d/m-00001-of-00002.safetensors"),
        "{\"step\":{\"dtype\":\"I64\",\"shape\":[],\"data_offsets\":[0,8]},"
        "\"bias\":{\"dtype\":\"U8\",\"shape\":[3],\"data_offsets\":[8,11]}}");
    end_graph(&w);
}

TEST(safetensors_out, writes_an_index_if_its_name_is_given)
{
    struct written w;
    begin_graph(&w);
    cr_assert_ok(write_to(&w, "m.safetensors.index.json"), w.error);
    cr_assert_eq(memory_file_count(w.memory), 2);
    cr_assert_str_eq(text_of_file(&w, "m.safetensors.index.json"),
        "{\n  \"metadata\": {\n    \"total_size\": 0\n  },\n"
        "  \"weight_map\": {}\n}\n");
    cr_assert_str_eq(header_of(&w, "m-00001-of-00001.safetensors"), "{}");
    end_graph(&w);
}

TEST(safetensors_out, writes_a_readable_file)
{
    static const uint64_t shard_sizes[] = { 0, 24, 1 };
    for (size_t i = 0; i < 3; i++) {
        struct written w;
        varve_error error;
        varve_saved_node node;
        float back[6];
        begin_graph(&w);
        build(w.root);
        varve_track(w.root, "tied", varve_find(w.root, "step"));
        w.options.foreign.shard_size = shard_sizes[i];
        cr_assert_ok(write_to(&w, "m.safetensors"), w.error);
        varve_reader *reader = open_in(w.memory, "m.safetensors", &error);
        cr_assert(reader, "%s", error.message);
        cr_assert(varve_reader_find(reader, "gr\xc3\xb6\xc3\x9f" "e/w", &node));
        cr_assert_ok(varve_reader_read(
            reader, node.id, back, sizeof back, &error), error);
        cr_assert_eq(memcmp(back, weights, sizeof back), 0);
        cr_assert(varve_reader_find(reader, "tied", &node));
        cr_assert_eq(node.value.dtype, VARVE_INT64);
        varve_reader_free(reader);
        end_graph(&w);
    }
}

TEST(safetensors_out, does_not_write_a_single_file_next_to_an_index)
{
    struct written w;
    begin_graph(&w);
    build(w.root);
    cr_assert_ok(write_to(&w, "m.safetensors"), w.error);
    w.options.foreign.shard_size = 1;
    cr_assert_eq(write_to(&w, "m.safetensors"), VARVE_EXISTS);
    cr_assert_str_eq(w.error.message, "m.safetensors: a single file of the "
        "same name exists, which readers could open instead: remove it first");
    cr_assert_eq(memory_file_count(w.memory), 1);
    end_graph(&w);
}

TEST(safetensors_out, replaces_no_file_with_no_replace)
{
    struct written w;
    begin_graph(&w);
    build(w.root);
    w.options.no_replace = true;
    w.options.foreign.shard_size = 1;
    put_text(w.memory, "m.safetensors.index.json", "old");
    cr_assert_eq(write_to(&w, "m.safetensors"), VARVE_EXISTS);
    cr_assert_eq(memory_file_count(w.memory), 1);
    cr_assert_str_eq(text_of_file(&w, "m.safetensors.index.json"), "old");
    end_graph(&w);
}

static int cancel(void *user, uint64_t done, uint64_t total, const char *what)
{
    (void)total;
    (void)what;
    return done >= *(uint64_t *)user;
}

TEST(safetensors_out, leaves_no_file_when_cancelled)
{
    struct written w;
    uint64_t at = 3;
    begin_graph(&w);
    build(w.root);
    w.options.progress = cancel;
    w.options.progress_user = &at;
    w.options.foreign.shard_size = 8;
    cr_assert_eq(write_to(&w, "m.safetensors"), VARVE_CANCELLED);
    cr_assert_eq(memory_file_count(w.memory), 0);
    end_graph(&w);
}

struct most {
    struct memory *memory;
    int open;
};

static int note_open(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    struct most *most = user;
    int open = memory_open_count(most->memory);
    (void)done;
    (void)total;
    (void)what;
    most->open = open > most->open ? open : most->open;
    return 0;
}

/* More files than may be open. */
TEST(safetensors_out, writes_many_files_one_at_a_time)
{
    enum { COUNT = 66 };
    struct written w;
    char name[16];
    varve_error error;
    begin_graph(&w);
    for (int i = 0; i < COUNT; i++) {
        snprintf(name, sizeof name, "v%d", i);
        varve_add_variable(w.root, name, varve_array(COPY_OF(small), 3));
    }
    struct most most = { w.memory, 0 };
    w.options.progress = note_open;
    w.options.progress_user = &most;
    w.options.foreign.shard_size = 1;
    cr_assert_ok(write_to(&w, "m.safetensors"), w.error);
    cr_assert_eq(memory_file_count(w.memory), COUNT + 1);
    cr_assert_lt(most.open, 6);
    varve_reader *reader = open_in(w.memory, "m", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(first_byte(reader, name), 8);
    varve_reader_free(reader);
    end_graph(&w);
}

static bool has_file(struct written *w, const char *path)
{
    size_t size;
    return memory_bytes(w->memory, path, &size) != NULL;
}

TEST(safetensors_out, replaces_several_files_by_others)
{
    struct written w;
    begin_graph(&w);
    build(w.root);
    w.options.foreign.shard_size = 24;
    cr_assert_ok(write_to(&w, "d/m.safetensors"), w.error);
    cr_assert_ok(write_to(&w, "d/m.safetensors"), w.error);
    cr_assert_eq(memory_file_count(w.memory), 3);
    cr_assert(has_file(&w, "d/m.save2-00001-of-00002.safetensors"));
    w.options.foreign.shard_size = 1;
    cr_assert_ok(write_to(&w, "d/m.safetensors.index.json"), w.error);
    cr_assert_eq(memory_file_count(w.memory), 4);
    cr_assert(has_file(&w, "d/m.save3-00003-of-00003.safetensors"));
    const char *index = text_of_file(&w, "d/m.safetensors.index.json");
    cr_assert(strstr(index, "\"m.save3-00001-of-00003.safetensors\""));
    end_graph(&w);
}

/* Also if another program wrote the index. */
TEST(safetensors_out, removes_only_files_named_by_the_older_index)
{
    static const char *const others[] = { "m-00003-of-00003.safetensors",
        "m-1-of-2.safetensors", "n-00001-of-00002.safetensors",
        "m.save1-00001-of-00002.safetensors", "m.saved.safetensors",
        "m.save2-00001-of-00002.safetensors.bak", "notes.txt" };
    enum { OTHERS = sizeof others / sizeof *others };
    struct written w;
    begin_graph(&w);
    build(w.root);
    for (int i = 0; i < OTHERS; i++)
        put_text(w.memory, others[i], "other");
    put_text(w.memory, "m-00001-of-00002.safetensors", "older");
    put_text(w.memory, "m-00002-of-00002.safetensors", "older");
    put_text(w.memory, "m.safetensors.index.json", "{\"weight_map\":{\"a\":"
        "\"m-00001-of-00002.safetensors\",\"b\":"
        "\"m-00002-of-00002.safetensors\",\"c\":\"notes.txt\"}}");
    w.options.foreign.shard_size = 24;
    cr_assert_ok(write_to(&w, "m.safetensors"), w.error);
    for (int i = 0; i < OTHERS; i++)
        cr_assert(has_file(&w, others[i]), "%s", others[i]);
    cr_assert_eq(memory_file_count(w.memory), OTHERS + 3);
    end_graph(&w);
}

TEST(safetensors_out, does_not_write_an_index_next_to_a_single_file)
{
    struct written w;
    begin_graph(&w);
    build(w.root);
    w.options.foreign.shard_size = 24;
    cr_assert_ok(write_to(&w, "m.safetensors"), w.error);
    w.options.foreign.shard_size = 0;
    cr_assert_eq(write_to(&w, "m.safetensors"), VARVE_EXISTS);
    cr_assert_str_eq(w.error.message, "m.safetensors.index.json: an index of "
        "the same name exists, which readers could open instead: remove it "
        "first");
    cr_assert_eq(memory_file_count(w.memory), 3);
    end_graph(&w);
}

/* Every system call fails once: the write must return an error (except for
 * calls that back up the older index, which is optional), and leave no
 * files. */
TEST(safetensors_out, reports_every_system_error)
{
    for (int way = 0; way < 2; way++) {
        struct memory *memory = memory_new();
        struct faulty *faulty = faulty_new(memory_system(memory));
        struct vv_context context = test_context(faulty_system(faulty));
        varve_graph *graph = vv_graph_new_in(&context);
        build(varve_graph_root(graph));
        varve_write_options options = { .format = VARVE_FORMAT_SAFETENSORS,
            .foreign.shard_size = way ? 8 : 0 };
        for (long n = 0;; n++) {
            varve_error error = { 0 };
            faulty_plan(faulty, &(struct faulty_plan){ .number = n,
                .error = EIO, .kinds = FAULTY_ALL & ~(FAULTY_OPEN |
                    FAULTY_OPEN_DIRECTORY | FAULTY_RESERVE |
                    FAULTY_START_WRITE_BACK | FAULTY_CLOSE |
                    FAULTY_CLOSE_DIRECTORY | FAULTY_EACH_NAME |
                    FAULTY_PROCESSORS | FAULTY_INFO | FAULTY_REMOVE |
                    FAULTY_LOCK) });
            varve_status status = varve_write(varve_graph_root(graph),
                "m.safetensors", &options, &error);
            bool hit = faulty_hit(faulty);
            faulty_plan(faulty, NULL);
            cr_assert_eq(faulty_open_count(faulty), 0);
            if (!hit) {
                cr_assert_ok(status, error);
                break;
            }
            bool is_new = !status || status == VARVE_UNKNOWN_OUTCOME;
            cr_assert(is_new || status == VARVE_IO, "%ld: %s", n,
                varve_status_name(status));
            cr_assert(way || status != VARVE_OK);
            if (status)
                cr_assert_eq(error.status, status);
            size_t count = memory_file_count(memory), all = way ? 4 : 1;
            cr_assert(count == all || (status && count == 0) ||
                (status == VARVE_UNKNOWN_OUTCOME && count == 2 * all - 1),
                "%ld: %zu files", n, count);
            for (size_t i = 0; i < count; i++)
                cr_assert_not(strstr(memory_file_path(memory, i), ".tmp"));
        }
        varve_graph_free(graph);
        faulty_free(faulty);
        memory_free(memory);
    }
}

TEST(safetensors_out, leaks_nothing_without_memory)
{
    static const varve_metadata metadata[] = {
        { .name = "a", .kind = VARVE_METADATA_INTEGER } };
    struct written w;
    begin_graph(&w);
    build(w.root);
    varve_track(w.root, "tied", varve_find(w.root, "step"));
    w.options.metadata = metadata;
    w.options.metadata_count = 1;
    w.options.foreign.shard_size = 24;
    cr_assert_ok(write_to(&w, "first.safetensors"), w.error);
    long blocks = test_block_count(); /* the graph holds some */
    size_t files = memory_file_count(w.memory);
    for (long n = 0;; n++) {
        test_fail_allocation(n, false);
        varve_status status = write_to(&w, "m.safetensors");
        test_fail_allocation(-1, false);
        cr_assert_eq(test_block_count(), blocks, "%ld", n);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY, "%ld: %s", n, w.error.message);
        cr_assert_eq(memory_file_count(w.memory), files, "%ld", n);
    }
    end_graph(&w);
}
