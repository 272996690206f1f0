/* test_bundle_in.c - lib/source/bundle_in.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_in.h"

#include "made_bundles.h"
#include "support/faulty_system.h"

#include <errno.h>

static void add_sample(void)
{
    begin_bundle();
    add_floats("adam/m(net/w)", 2);
    add_floats("net", 1);
    add_floats("net/w", 2);
    add_string("note", "hello", 5);
}

TEST(bundle_in, gives_flat_names_as_paths)
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

TEST(bundle_in, says_where_a_value_lies_and_that_it_is_damaged)
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
    cr_assert(strstr(error.message, "net: bytes 8 to 12"), "%s",
        error.message);
    end_bundle(reader);
}

TEST(bundle_in, demands_the_shards_that_it_needs)
{
    begin_bundle();
    add_floats("x", 1);
    maker.no_shard = true;
    refuse_bundle(VARVE_NOT_FOUND, SHARD ": expected this data shard, one of 1 "
        "that the index names, found none: copy it beside the index");
    begin_empty_bundle();
    add_header(3, 0);
    add_told("x", 1, &(struct told){ .dtype = FLOAT, .shard = 2, .size = 4 });
    memory_put(maker.memory, "c.data-00000-of-00003", "", 0);
    refuse_bundle(VARVE_NOT_FOUND, "c.data-00002-of-00003: expected this");
}

TEST(bundle_in, reads_from_several_shards)
{
    begin_empty_bundle();
    add_header(3, 0);
    uint32_t sum = vv_crc32c_mask(vv_crc32c(0, "abcd", 4));
    add_told("x", 1, &(struct told){ .dtype = FLOAT, .shard = 2, .size = 4,
        .offset = 1, .sum = sum });
    memory_put(maker.memory, "c.data-00000-of-00003", "", 0);
    memory_put(maker.memory, "c.data-00002-of-00003", "-abcd", 5);
    varve_reader *reader = open_bundle();
    check_bytes(reader, "x", "61626364");
    end_bundle(reader);
}

TEST(bundle_in, knows_pointers_that_git_lfs_left)
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

TEST(bundle_in, wants_its_own_name_and_its_own_form)
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
    cr_assert(strstr(error.message, "ends in .index"), "%s", error.message);
    memory_put(maker.memory, INDEX, "something else", 14);
    cr_assert_null(try_bundle(&error));
    cr_assert_eq(error.status, VARVE_TRUNCATED, "%s", error.message);
    end_bundle(NULL);
}

/* --- What the machine may do ---------------------------------------------- */

static void look_at_all(varve_reader *reader, varve_status *status)
{
    unsigned char bytes[64];
    varve_saved_node node;
    varve_error error;
    for (size_t i = 0; varve_reader_node_at(reader, i, &node); i++) {
        if (node.has_value && !*status)
            *status = varve_reader_read(
                reader, i, bytes, sizeof bytes, &error);
    }
}

TEST(bundle_in, survives_the_lack_of_any_memory)
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

TEST(bundle_in, survives_reads_that_fail)
{
    varve_error error = { 0 };
    add_sample();
    put_bundle();
    for (int n = 0;; n++) {
        struct faulty *faulty = faulty_new(memory_system(maker.memory));
        faulty_plan(faulty, &(struct faulty_plan){
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
