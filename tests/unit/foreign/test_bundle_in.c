/* test_bundle_in.c - Tests opening TensorFlow checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_in.h"

#include "made_bundles.h"
#include "support/faulty_system.h"
#include "unit/foreign/made_bundle.h"
#include "unit/foreign/written.h"

#include <errno.h>
#include <stdlib.h>

static void add_sample(void)
{
    begin_bundle();
    add_floats("adam/m(net/w)", 2);
    add_floats("net", 1);
    add_floats("net/w", 2);
    add_string("note", "hello", 5);
}

TEST(bundle_in, returns_flat_names_as_paths)
{
    varve_saved_node node, adam;
    const char *name;
    uint32_t variable, slot;
    add_sample();
    varve_reader *reader = open_bundle();
    cr_assert_str_eq(varve_reader_path(reader), INDEX);
    cr_assert(varve_reader_find(reader, "net%2Fw", &node), "net is a value");
    cr_assert_str_eq(node.global_name, "net/w");
    cr_assert(varve_reader_find(reader, "adam", &adam));
    cr_assert_eq(adam.kind, VARVE_OBJECT);
    cr_assert(
        varve_reader_slot_at(reader, adam.id, 0, &name, &variable, &slot));
    cr_assert_str_eq(name, "m");
    cr_assert_eq(variable, node.id);
    check_bytes(reader, "net", "00000000");
    check_bytes(reader, "note", "0500000000000000 68656c6c6f");
    end_bundle(reader);
}

TEST(bundle_in, returns_the_offset_of_a_value_and_detects_damage)
{
    varve_error error;
    varve_saved_node node;
    add_sample();
    put_bundle();
    size_t size;
    unsigned char *bytes = memory_bytes(maker.memory, SHARD, &size);
    bytes[9] ^= 1; /* in `net` */
    varve_reader *reader = try_bundle(&error);
    cr_assert(varve_reader_find(reader, "net", &node));
    cr_assert_eq(node.offset, 8);
    refuse_value(reader, "net", SHARD ": net: bytes 8 to 12: expected CRC-32C");
    cr_assert_eq(varve_reader_verify(reader, NULL, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "net: bytes 8 to 12"), "%s", error.message);
    end_bundle(reader);
}

TEST(bundle_in, requires_the_shards_that_it_needs)
{
    begin_bundle();
    add_floats("x", 1);
    maker.no_shard = true;
    refuse_bundle(VARVE_NOT_FOUND,
        SHARD ": this data shard is missing (the "
              "index names 1): copy it into the directory of the index");
    begin_empty_bundle();
    add_header(3, 0);
    add_index_entry(
        "x", 1, &(struct index_entry){ .dtype = FLOAT, .shard = 2, .size = 4 });
    memory_put(maker.memory, "c.data-00000-of-00003", "", 0);
    refuse_bundle(VARVE_NOT_FOUND, "c.data-00002-of-00003: this data");
}

TEST(bundle_in, reads_from_several_shards)
{
    begin_empty_bundle();
    add_header(3, 0);
    uint32_t sum = vv_crc32c_mask(vv_crc32c(0, "abcd", 4));
    add_index_entry("x", 1,
        &(struct index_entry){
            .dtype = FLOAT, .shard = 2, .size = 4, .offset = 1, .sum = sum });
    memory_put(maker.memory, "c.data-00000-of-00003", "", 0);
    memory_put(maker.memory, "c.data-00002-of-00003", "-abcd", 5);
    varve_reader *reader = open_bundle();
    check_bytes(reader, "x", "61626364");
    end_bundle(reader);
}

TEST(bundle_in, detects_git_lfs_pointers)
{
    static const char pointer[] =
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 4\n";
    varve_error error;
    begin_bundle();
    add_floats("x", 1);
    put_bundle();
    memory_put(maker.memory, SHARD, pointer, sizeof pointer - 1);
    cr_assert_null(try_bundle(&error));
    cr_assert(strstr(error.message, SHARD), "%s", error.message);
    cr_assert(strstr(error.message, "git lfs pull"), "%s", error.message);
    memory_put(maker.memory, INDEX, pointer, sizeof pointer - 1);
    cr_assert_null(try_bundle(&error));
    cr_assert(strstr(error.message, "git lfs pull"), "%s", error.message);
    end_bundle(NULL);
}

TEST(bundle_in, requires_its_own_name_and_format)
{
    varve_error error;
    add_sample();
    put_bundle();
    size_t size;
    unsigned char *bytes = memory_bytes(maker.memory, INDEX, &size);
    struct vv_context context = test_context(memory_system(maker.memory));
    memory_put(maker.memory, "other", bytes, size);
    cr_assert_null(vv_reader_open_in(&context, "other", &error));
    cr_assert_eq(error.status, VARVE_NOT_A_CHECKPOINT);
    cr_assert(strstr(error.message, "end in .index"), "%s", error.message);
    memory_put(maker.memory, INDEX, "something else", 14);
    cr_assert_null(try_bundle(&error));
    cr_assert_eq(error.status, VARVE_TRUNCATED, "%s", error.message);
    end_bundle(NULL);
}

/* --- Failures of the system ----------------------------------------------- */

static void look_at_all(varve_reader *reader, varve_status *status)
{
    unsigned char bytes[64];
    varve_saved_node node;
    varve_error error;
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++) {
        if (node.has_value && !*status)
            *status = varve_reader_read(reader, i, bytes, sizeof bytes, &error);
    }
}

TEST(bundle_in, handles_failed_allocations)
{
    varve_error error;
    add_sample();
    put_bundle();
    for (int n = 0;; n++) {
        varve_status status = VARVE_OK;
        test_fail_allocation(n, false);
        varve_reader *reader = try_bundle(&error);
        if (reader)
            look_at_all(reader, &status);
        else
            status = error.status;
        test_fail_allocation(-1, false);
        varve_reader_free(reader);
        cr_assert_eq(memory_open_count(maker.memory), 0);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_NO_MEMORY, "%s", error.message);
        cr_assert_lt(n, 500);
    }
    end_bundle(NULL);
}

TEST(bundle_in, handles_failed_reads)
{
    varve_error error = { 0 };
    add_sample();
    put_bundle();
    for (int n = 0;; n++) {
        struct faulty *faulty = faulty_new(memory_system(maker.memory));
        faulty_plan(
            faulty, &(struct faulty_plan){
                        .kinds = FAULTY_READ, .number = n, .error = EIO });
        struct vv_context context = test_context(faulty_system(faulty));
        varve_status status = VARVE_OK;
        varve_reader *reader = vv_reader_open_in(&context, "c", &error);
        if (reader)
            look_at_all(reader, &status);
        else
            status = error.status;
        varve_reader_free(reader);
        faulty_free(faulty);
        if (!status)
            break;
        cr_assert_eq(status, VARVE_IO, "%s", error.message);
        cr_assert_lt(n, 100);
    }
    end_bundle(NULL);
}

/* --- Rule by rule --------------------------------------------------------- */

static varve_error error;

/* Writes the example of the format description: w, s, and p in two slices. */
static void put_golden(struct memory *memory)
{
    size_t size;
    unsigned char *index = hex_bytes(
        "00000608011a020801"
        "000a15007000010102807f8081"
        "0801120812020802120208012028280835604fe774"
        "0802158182080112081202080212020802203028103552d1ee6e"
        "00011e700801120812020802120208033a060a000a0210013a080a000a0408011002"
        "00011173080712041202080220182810351b4cd607"
        "00011377080112081202080212020803281835c0db3d17"
        "0000000001000000 00f43e0397 0000000001000000 00c0f2a1b0"
        "00010378009b01 0000000001000000 0023ff8c59 a00108 ad010f"
        "00000000000000000000000000000000000000000000000000000000000000000000"
        "57fb808b247547db",
        &size);
    memory_put(memory, "run/x.index", index, size);
    free(index);
    unsigned char *data =
        hex_bytes("000000000000803f0000004000004040000080400000a040"
                  "0505b56f994f68656c6c6f776f726c64"
                  "0000000000004040 0000803f00000040000080400000a040",
            &size);
    memory_put(memory, "run/x.data-00000-of-00001", data, size);
    free(data);
}

TEST(bundle_in, reads_a_golden_bundle)
{
    static const float counting[] = { 0, 1, 2, 3, 4, 5 };
    struct memory *memory = memory_new();
    varve_saved_node node;
    float floats[6];
    put_golden(memory);
    varve_reader *reader = open_in(memory, "run/x.index", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(varve_reader_format(reader), VARVE_FORMAT_TENSORFLOW_NAMES);
    cr_assert_eq(varve_reader_size(reader), 241 + 64);
    cr_assert_eq(varve_reader_node_count(reader), 4);
    for (int i = 0; i < 2; i++) {
        cr_assert(varve_reader_find(reader, i ? "w" : "p", &node));
        cr_assert(node.kind == VARVE_VARIABLE &&
                  node.value.dtype == VARVE_FLOAT32 && node.value.rank == 2 &&
                  node.value.shape[0] == 2 && node.value.shape[1] == 3);
        cr_assert_ok(
            varve_reader_read(reader, node.id, floats, sizeof floats, &error),
            error);
        cr_assert(memcmp(floats, counting, sizeof floats) == 0);
    }
    cr_assert(varve_reader_find(reader, "s", &node));
    cr_assert(node.value.dtype == VARVE_STRING && node.size == 26);
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(bundle_in, reports_damage_of_a_value_when_it_is_read)
{
    struct memory *memory = memory_new();
    varve_saved_node node;
    float floats[6];
    size_t size;
    put_golden(memory);
    memory_bytes(memory, "run/x.data-00000-of-00001", &size)[5] ^= 1;
    varve_reader *reader = open_in(memory, "run/x.index", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert(varve_reader_find(reader, "w", &node));
    cr_assert_eq(
        varve_reader_read(reader, node.id, floats, sizeof floats, &error),
        VARVE_CORRUPT);
    cr_assert(strstr(error.message, "run/x.data-00000-of-00001"), "%s",
        error.message);
    cr_assert_eq(varve_reader_verify(reader, NULL, &error), VARVE_CORRUPT);
    varve_reader_free(reader);
    memory_free(memory);
}

TEST(bundle_in, opens_a_bundle_by_any_of_its_files)
{
    struct memory *memory = memory_new();
    static const char record[] = "model_checkpoint_path: \"x\"";
    static const char *const names[] = { "run/x", "run/x.index",
        "run/x.data-00000-of-00001", "run/checkpoint", "run" };
    put_golden(memory);
    memory_put(memory, "run/checkpoint", record, sizeof record - 1);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        varve_reader *reader = open_in(memory, names[i], &error);
        cr_assert(reader, "%s", error.message);
        cr_assert_eq(varve_reader_node_count(reader), 4);
        varve_reader_free(reader);
    }
    memory_free(memory);
}

static struct memory *put_three(void)
{
    struct memory *memory = memory_new();
    struct made m;
    made_begin(&m, "08031a020801");
    m.shard = 2;
    made_counting(&m, "a", 4, 0, NULL, 1);
    m.shard = 1;
    made_counting(&m, "b/c", 4, 1, (uint64_t[]){ 9 }, 9);
    m.shard = 2;
    made_counting(&m, "b/d", 4, 1, (uint64_t[]){ 3 }, 3);
    made_put(&m, memory, "d/x");
    return memory;
}

TEST(bundle_in, reads_values_from_several_shards)
{
    struct memory *memory = put_three();
    varve_saved_node node;
    varve_reader *reader = open_in(memory, "d/x.index", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(first_byte(reader, "a"), 0);
    cr_assert_eq(first_byte(reader, "b/c"), 0);
    cr_assert_eq(first_byte(reader, "b/d"), 0);
    cr_assert(varve_reader_find(reader, "b/c", &node));
    cr_assert_eq(node.size, 9);
    cr_assert_str_eq(node.global_name, "b/c");
    cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
    varve_reader_free(reader);
    memory_free(memory);
}

/* Copies the files of a checkpoint except one to another prefix. */
static struct memory *without(const char *left_out)
{
    struct memory *memory = put_three(), *copy = memory_new();
    for (size_t i = 0; i < memory_file_count(memory); i++) {
        size_t size;
        const char *path = memory_file_path(memory, i);
        unsigned char *bytes = memory_bytes(memory, path, &size);
        if (strcmp(path, left_out) != 0)
            memory_put(copy, path, size ? bytes : (unsigned char *)"", size);
    }
    memory_free(memory);
    return copy;
}

TEST(bundle_in, reports_a_missing_shard_with_a_hint)
{
    for (unsigned i = 0; i < 3; i++) {
        char path[64], says[256];
        snprintf(path, sizeof path, "d/x.data-%05u-of-00003", i);
        snprintf(says, sizeof says,
            "%s: this data shard is missing (the "
            "index names 3): copy it into the directory of the index",
            path);
        struct memory *memory = without(path);
        refused(memory, "d/x.index", VARVE_NOT_FOUND, says);
        memory_free(memory);
    }
}

TEST(bundle_in, refuses_truncated_shards)
{
    struct memory *memory = put_three();
    memory_resize(memory, "d/x.data-00001-of-00003", 8);
    refused(memory, "d/x.index", VARVE_TRUNCATED,
        "d/x.data-00001-of-00003: b/c: its 9 bytes at offset 0 do not fit "
        "into the file of 8 bytes");
    memory_free(memory);
}

TEST(bundle_in, reports_git_lfs_pointers_with_a_hint)
{
    static const char pointer[] =
        "version https://git-lfs.github.com/spec/v1\n"
        "oid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d1"
        "7e2393\nsize 12345\n";
    struct memory *memory = put_three();
    memory_put(memory, "d/x.data-00001-of-00003", pointer, sizeof pointer - 1);
    refused(memory, "d/x.index", VARVE_NOT_A_CHECKPOINT,
        "d/x.data-00001-of-00003: expected a data shard, found a Git LFS "
        "pointer: run `git lfs pull` to fetch the file");
    memory_put(memory, "d/x.index", pointer, sizeof pointer - 1);
    refused(memory, "d/x.index", VARVE_NOT_A_CHECKPOINT, "`git lfs pull`");
    memory_free(memory);
}

TEST(bundle_in, refuses_a_table_with_another_name_and_text_with_its_name)
{
    struct memory *memory = put_three();
    size_t size;
    unsigned char *bytes = memory_bytes(memory, "d/x.index", &size);
    memory_put(memory, "d/y", bytes, size);
    refused(memory, "d/y", VARVE_NOT_A_CHECKPOINT, "must end in .index");
    memory_put(memory, "d/z.index", "text", 4);
    refused(memory, "d/z.index", VARVE_TRUNCATED, "the footer of a table");
    memory_free(memory);
}

/* A sparse file with only its last page on disk. */
TEST(bundle_in, needs_no_memory_for_a_hole_in_an_index)
{
    enum { HOLE = 64 << 20 };
    struct memory *memory = memory_new();
    struct vv_context context = test_context(memory_system(memory));
    error = (varve_error){ 0 };
    char path[512];
    size_t size;
    snprintf(path, sizeof path, "%s/empty.index", FOREIGN_DIRECTORY);
    void *index = test_read_file(path, &size);
    unsigned char *bytes = calloc(1, HOLE + size);
    memcpy(bytes + HOLE, index, size);
    memory_put(memory, "a.index", bytes, HOLE + size);
    memory_put(memory, "a.data-00000-of-00001", "", 0);
    free(bytes);
    free(index);
    test_reset_peak();
    size_t before = test_byte_count();
    cr_assert_null(vv_reader_open_in(&context, "a.index", &error));
    cr_assert_eq(error.status, VARVE_CORRUPT, "%s", error.message);
    cr_assert(strstr(error.message, "bytes 0 to 1048576 are all zero"), "%s",
        error.message);
    cr_assert_lt(test_peak_bytes() - before, 2 << 20);
    memory_free(memory);
}

TEST(bundle_in, lists_unsupported_types_as_opaque_bytes)
{
    static const struct {
        uint32_t dtype;
        const char *tag;
    } rows[] = {
        { 20, "tensorflow:resource" },
        { 26, "tensorflow:float8_e4m3fnuz" },
        { 29, "tensorflow:int4" },
        { 129, "tensorflow:int4" },
        { 33, "tensorflow:float4_e2m1fn" },
        { 77, "tensorflow:dtype 77" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct memory *memory = memory_new();
        struct made m;
        varve_saved_node node;
        made_begin(&m, i % 2 ? BIG_HEADER : PLAIN_HEADER);
        made_counting(&m, "v", rows[i].dtype, 1, (uint64_t[]){ 5 }, 5);
        made_put(&m, memory, "x");
        varve_reader *reader = open_in(memory, "x.index", &error);
        cr_assert(reader, "%s", error.message);
        cr_assert(varve_reader_find(reader, "v", &node));
        cr_assert(node.kind == VARVE_STATE && node.size == 5);
        cr_assert_str_eq(varve_reader_tag_at(reader, node.id, 0), rows[i].tag);
        cr_assert_eq(first_byte(reader, "v"), 0);
        cr_assert_ok(varve_reader_verify(reader, NULL, &error), error);
        varve_reader_free(reader);
        memory_free(memory);
    }
}

TEST(bundle_in, accepts_overlapping_entries)
{
    struct memory *memory = memory_new();
    struct made m;
    made_begin(&m, PLAIN_HEADER);
    made_counting(&m, "a", 4, 1, (uint64_t[]){ 4 }, 4);
    made_add(&m, "b", 1,
        &(struct made_entry){ .dtype = 4,
            .rank = 1,
            .shape = (uint64_t[]){ 2 },
            .offset = 2,
            .size = 2,
            .sum = vv_crc32c_mask(vv_crc32c(0, "\2\3", 2)) });
    made_put(&m, memory, "x");
    varve_reader *reader = open_in(memory, "x.index", &error);
    cr_assert(reader, "%s", error.message);
    cr_assert_eq(first_byte(reader, "a"), 0);
    cr_assert_eq(first_byte(reader, "b"), 2);
    varve_reader_free(reader);
    memory_free(memory);
}

static enum vv_probe_result bid_for(
    const char *path, const char *tail, size_t size)
{
    struct vv_candidate candidate = { .path = path,
        .size = size,
        .tail = (const unsigned char *)tail,
        .tail_size = size };
    return vv_bundle_format.probe(&candidate);
}

TEST(bundle_in, recognizes_files_that_end_in_the_table_magic)
{
    static const char mark[] = "\x57\xfb\x80\x8b\x24\x75\x47\xdb";
    cr_assert_eq(bid_for("x", mark, 8), VV_PROBE_SURE);
    cr_assert_eq(bid_for("x.index", mark, 7), VV_PROBE_NAME);
    cr_assert_eq(bid_for("x", mark, 7), VV_PROBE_NONE);
    cr_assert_eq(bid_for(".index", "text", 4), VV_PROBE_NONE);
    cr_assert_eq(bid_for("x", "", 0), VV_PROBE_NONE);
}

TEST(bundle_in, leaks_nothing_without_memory)
{
    struct memory *memory = put_three();
    for (long n = 0;; n++) {
        test_fail_allocation(n, false);
        varve_reader *reader = open_in(memory, "d/x.index", &error);
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
