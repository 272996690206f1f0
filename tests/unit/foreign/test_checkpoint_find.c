/* test_checkpoint_find.c - Tests finding the checkpoint for a prefix, a
 * directory or a member file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "arrays.h"
#include "formats.h"

/* Creates the files of a list that is terminated by NULL; those that end in
 * "checkpoint" are records of "ckpt-7". */
static struct world world_with(const char *const *files)
{
    static const char record[] = "model_checkpoint_path: \"ckpt-7\"";
    struct world w = world_new();
    for (; *files; files++) {
        const char *end = strrchr(*files, '/');
        bool is_record = strcmp(end ? end + 1 : *files, "checkpoint") == 0;
        memory_put(w.memory, *files, record,
            is_record ? sizeof record - 1 : 1);
    }
    return w;
}

static void check_found(
    const char *path, const char *wanted, const char *const *files)
{
    struct world w = world_with(files);
    struct vv_buffer found = new_bytes();
    varve_error error = { 0 };
    cr_assert_ok(vv_checkpoint_find(&w.context, path, &found, &error), error);
    cr_assert_str_eq(vv_buffer_string(&found), wanted);
    vv_buffer_clear(&found);
    world_free(&w);
}

static void check_not_found(const char *path, varve_status status,
    const char *says, const char *const *files)
{
    struct world w = world_with(files);
    struct vv_buffer found = new_bytes();
    varve_error error = { 0 };
    cr_assert_eq(vv_checkpoint_find(&w.context, path, &found, &error), status,
        "%s", error.message);
    cr_assert(strstr(error.message, says), "%s", error.message);
    vv_buffer_clear(&found);
    world_free(&w);
}

static void check_settled(varve_status status, const char *path,
    const char *wanted, const char *const *files)
{
    struct world w = world_with(files);
    struct vv_buffer found = new_bytes();
    varve_error error = { 0 };
    vv_buffer_add_string(&found, path);
    cr_assert_eq(vv_checkpoint_settle(&w.context, &found, &error), status, "%s",
        error.message);
    cr_assert_str_eq(
        status ? error.message : vv_buffer_string(&found), wanted);
    vv_buffer_clear(&found);
    world_free(&w);
}

#define FILES(...) (const char *const[]){ __VA_ARGS__, NULL }

TEST(checkpoint_find, finds_the_index_of_a_prefix)
{
    check_found("run/ckpt-7", "run/ckpt-7.index", FILES("run/ckpt-7.index"));
    check_found("m", "m.index.json", FILES("m.index.json"));
    check_found("m", "m.safetensors.index.json",
        FILES("m.safetensors.index.json"));
    check_found("m", "m.index",
        FILES("m.safetensors.index.json", "m.index.json", "m.index"));
    check_found("m", "m.index", FILES("m.index", "m/m-1.varve"));
    check_not_found("m", VARVE_NOT_FOUND,
        "m: no checkpoint found", FILES("n.index"));
}

TEST(checkpoint_find, finds_the_highest_number_of_varve)
{
    check_found("run", "run/m-10.varve", FILES("run/m-9.varve",
        "run/m-10.varve", "run/m-2.varve", "run/m-011.varve", "run/m-12.varv",
        "run/.m-13.varve", "run/m.varve", "run/-14.varve",
        "run/m-15.varve.tmp"));
    check_found("run/", "run/m-1.varve", FILES("run/m-1.varve"));
    check_found("run", "run/m-1.varve", FILES("run/m-1.varve",
        "run/checkpoint", "run/ckpt-7.index", "run/model.safetensors"));
}

TEST(checkpoint_find, does_not_choose_between_two_prefixes)
{
    check_not_found("run", VARVE_NOT_FOUND,
        "run: the directory contains checkpoints of several names",
        FILES("run/a-1.varve", "run/b-2.varve"));
    check_not_found("run", VARVE_NOT_FOUND, "several names",
        FILES("run/b-2.varve", "run/a-1.varve", "run/b-3.varve"));
    check_found("run", "run/ckpt-7.index", FILES("run/a-1.varve",
        "run/b-2.varve", "run/checkpoint", "run/ckpt-7.index"));
}

TEST(checkpoint_find, finds_the_files_of_a_directory_in_order_of_preference)
{
    static const char *const all[] = {
        "d/checkpoint", "d/ckpt-7.index", "d/variables/variables.index",
        "d/variables.index", "d/model.safetensors.index.json",
        "d/model.safetensors", "d/pytorch_model.bin.index.json",
        "d/pytorch_model.bin", "d/.metadata", NULL
    };
    check_found("d", "d/ckpt-7.index", all);
    for (int i = 2; i < 9; i++)
        check_found("d", all[i], all + i);
    check_found("d/", "d/model.safetensors", all + 5);
    check_not_found("d", VARVE_IS_DIRECTORY,
        "d: the directory contains no checkpoint", FILES("d/other.txt"));
    check_not_found("d", VARVE_IS_DIRECTORY, "no checkpoint",
        FILES("d/model.safetensors/more"));
}

TEST(checkpoint_find, lists_single_files_of_a_directory_without_numbers)
{
    check_not_found("d", VARVE_IS_DIRECTORY,
        "d: the directory contains no numbered checkpoint, only single files "
        "such as \"best.varve\": append the name of a file to the path",
        FILES("d/net.npz", "d/best.varve", "d/a.txt", "d/.a.varve"));
    check_not_found("d/", VARVE_IS_DIRECTORY, "\"other.safetensors\"",
        FILES("d/other.safetensors"));
}

/* Without a record of the latest checkpoint, the highest number is used. */
TEST(checkpoint_find, finds_the_highest_number_of_tensorflow)
{
    check_found("run", "run/ckpt-10.index",
        FILES("run/ckpt-9.index", "run/ckpt-10.index", "run/ckpt-2.index"));
    check_found("run/ckpt", "run/ckpt-10.index", FILES("run/ckpt-9.index",
        "run/ckpt-10.index", "run/other-11.index"));
    check_found("ckpt", "ckpt-3.index", FILES("ckpt-3.index"));
    check_not_found("run", VARVE_NOT_FOUND, "several names",
        FILES("run/a-1.index", "run/b-2.index"));
    check_not_found("run", VARVE_NOT_FOUND,
        "run/ckpt-7.index: the latest checkpoint of the record `checkpoint` "
        "does not exist; the record contains \"ckpt-7\"; the "
        "directory contains ckpt-10, ckpt-9, other",
        FILES("run/checkpoint", "run/other.index", "run/ckpt-9.index",
            "run/ckpt-10.index"));
    check_not_found("run", VARVE_NOT_FOUND, "ckpt-15, ckpt-14, ckpt-13, "
        "ckpt-12, ckpt-11 and 1 more",
        FILES("run/checkpoint", "run/ckpt-10.index", "run/ckpt-11.index",
            "run/ckpt-12.index", "run/ckpt-13.index", "run/ckpt-14.index",
            "run/ckpt-15.index"));
    check_not_found("run", VARVE_NOT_FOUND,
        "contains \"ckpt-7\"; the directory contains no other checkpoint",
        FILES("run/checkpoint"));
    check_not_found("run/ckpt", VARVE_NOT_FOUND,
        "run/ckpt: no checkpoint found",
        FILES("run/ckpt2-9.index"));
}

TEST(checkpoint_find, resolves_a_shard_to_its_index)
{
    check_settled(VARVE_OK, "d/c.data-00001-of-00002", "d/c.index",
        FILES("d/c.data-00001-of-00002", "d/c.index"));
    check_settled(VARVE_NOT_FOUND, "d/c.data-00001-of-00002",
        "d/c.index: the index of this data shard is missing: copy it beside "
        "the shards",
        FILES("d/c.data-00001-of-00002"));
    const char *others[] = { "c.data-00001-of-0002", "c.data-0000a-of-00002",
        "c.data-00001-on-00002", ".data-00001-of-00002",
        "c.date-00001-of-00002", "c.data-00001-of-00002x" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        check_settled(
            VARVE_OK, others[i], others[i], FILES(others[i], "c.index"));
}

TEST(checkpoint_find, resolves_a_record_to_its_latest_checkpoint)
{
    check_settled(VARVE_OK, "d/checkpoint", "d/ckpt-7.index",
        FILES("d/checkpoint", "d/ckpt-7.index"));
    check_settled(VARVE_OK, "checkpoint", "ckpt-7.index",
        FILES("checkpoint", "ckpt-7.index"));
    check_settled(VARVE_OK, "d/other", "d/other", FILES("d/other"));
    struct world w = world_with(FILES("d/checkpoint"));
    struct vv_buffer found = new_bytes();
    varve_error error = { 0 };
    vv_buffer_add_string(&found, "d/checkpoint");
    cr_assert_eq(
        vv_checkpoint_settle(&w.context, &found, &error), VARVE_NOT_FOUND);
    cr_assert(strstr(error.message, "d/ckpt-7.index"), "%s", error.message);
    /* has the name of a record, but not its content */
    memory_put(w.memory, "d/checkpoint", "varve", 5);
    found.size = 0;
    vv_buffer_add_string(&found, "d/checkpoint");
    cr_assert_ok(vv_checkpoint_settle(&w.context, &found, &error), error);
    cr_assert_str_eq(vv_buffer_string(&found), "d/checkpoint");
    vv_buffer_clear(&found);
    world_free(&w);
}

static void check_memory(const char *path, const char *const *files)
{
    struct world w = world_with(files);
    varve_status status = VARVE_NO_MEMORY;
    for (long n = 0; status; n++) {
        struct vv_buffer found = new_bytes();
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = vv_checkpoint_find(&w.context, path, &found, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%ld: %s", n,
            error.message);
        vv_buffer_clear(&found);
        cr_assert_eq(test_block_count(), 0);
        cr_assert_eq(memory_open_count(w.memory), 0);
        cr_assert(n < 1000);
    }
    world_free(&w);
}

TEST(checkpoint_find, fails_without_memory)
{
    check_memory("p", FILES("p.index"));
    check_memory("d", FILES("d/m-1.varve", "d/m-2.varve"));
    check_memory("d", FILES("d/checkpoint", "d/ckpt-7.index"));
    check_memory("d", FILES("d/model.safetensors"));
}

TEST(checkpoint_find, recognizes_the_suffix)
{
    cr_assert(vv_has_our_ending("a.varve") && vv_has_our_ending("d/.varve"));
    cr_assert_not(vv_has_our_ending(".varve"));
    cr_assert_not(vv_has_our_ending("a.varve2") || vv_has_our_ending("varve"));
    cr_assert_not(vv_has_our_ending(""));
}
