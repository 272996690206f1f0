/* test_checkpoint_in.c - lib/foreign/formats/checkpoint_in.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "checkpoint_in.h"

#include "support/test.h"
#include "data_in.h"
#include "formats.h"
#include "graph.h"

TEST(part_name, says_which_of_how_many)
{
    uint64_t number, count;
    cr_assert(
        vv_part_name("a/model-00002-of-00003.safetensors", &number, &count));
    cr_assert_eq(number, 2);
    cr_assert_eq(count, 3);
    cr_assert(vv_part_name("-0012-of-0100.bin", &number, &count));
    cr_assert_eq(number, 12);
    cr_assert_eq(count, 100);
}

TEST(part_name, is_none_of_other_names)
{
    static const char *const names[] = { "", "model.bin", "00001-of-00002.bin",
        "m-00001-of-00002", "m-1-of-2.bin", "m-00000-of-00002.bin",
        "m-00003-of-00002.bin", "m-00001_of-00002.bin", "m_00001-of-00002.bin",
        "m-0001-of-00002.bin", "-of-00002.bin", "a-00001-of-00002.d/model.bin",
        "m-0000000001-of-0000000002.bin" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint64_t number, count;
        cr_assert_not(vv_part_name(names[i], &number, &count), "%s", names[i]);
    }
}

/* --- Bids ----------------------------------------------------------------- */

static void put_array(struct world *w, const char *path)
{
    static const float values[2] = { 1, 2 };
    struct vv_buffer b = new_bytes();
    add_array(&b, 1, DICTIONARY("<f4", "False", "(2,)"), values, 8);
    memory_put(w->memory, path, b.data, b.size);
    vv_buffer_clear(&b);
}

static void check_opens(
    struct world *w, const char *path, varve_format format)
{
    struct vv_opened in;
    varve_error error = { 0 };
    cr_assert_ok(vv_checkpoint_open(&in, &w->context, path, &error), error);
    cr_assert_eq(vv_checkpoint_format(&in), format);
    cr_assert_str_eq(in.path, path);
    vv_opened_close(&in);
    cr_assert_eq(memory_open_count(w->memory), 0);
}

static void check_not(struct world *w, const char *path, varve_status status,
    const char *says)
{
    struct vv_opened in;
    varve_error error = { 0 };
    cr_assert_eq(
        vv_checkpoint_open(&in, &w->context, path, &error), status, "%s",
        error.message);
    cr_assert(strstr(error.message, says), "%s", error.message);
    cr_assert_eq(memory_open_count(w->memory), 0);
    cr_assert_eq(test_block_count(), 0);
}

TEST(checkpoint_in, is_opened_by_the_highest_bid_whatever_its_name)
{
    struct world w = world_new();
    put_array(&w, "a.npy");
    put_array(&w, "a.safetensors"); /* called like one, and does not look so */
    put_array(&w, "a.gguf");
    check_opens(&w, "a.npy", VARVE_FORMAT_NPY);
    check_opens(&w, "a.safetensors", VARVE_FORMAT_NPY);
    check_opens(&w, "a.gguf", VARVE_FORMAT_NPY);
    world_free(&w);
}

TEST(checkpoint_in, is_ours_alone_under_our_ending)
{
    struct world w = world_new();
    put_array(&w, "a.varve");
    check_not(&w, "a.varve", VARVE_NOT_A_CHECKPOINT,
        "a.varve: the name ends with .varve, but the file is a NumPy file: "
        "rename it to read it");
    memory_put(w.memory, "b.varve", "no checkpoint at all", 20);
    check_not(&w, "b.varve", VARVE_NOT_A_CHECKPOINT, "b.varve: ");
    put_array(&w, ".varve"); /* a name without an ending */
    check_opens(&w, ".varve", VARVE_FORMAT_NPY);
    world_free(&w);
}

TEST(checkpoint_in, is_opened_by_its_name_to_say_what_is_wrong)
{
    struct world w = world_new();
    memory_put(w.memory, "a.safetensors", "?", 1);
    struct vv_opened in;
    varve_error error = { 0 };
    varve_status status =
        vv_checkpoint_open(&in, &w.context, "a.safetensors", &error);
    cr_assert_neq(status, VARVE_OK);
    cr_assert_neq(status, VARVE_NOT_A_CHECKPOINT);
    cr_assert_eq(test_block_count(), 0);
    world_free(&w);
}

TEST(checkpoint_in, is_ours_before_anybody_bids)
{
    struct world w = world_new();
    varve_error error = { 0 };
    varve_graph *graph = vv_graph_new_in(&w.context);
    cr_assert_ok(varve_write(
        varve_graph_root(graph), "a.npy", NULL, &error), error);
    varve_graph_free(graph);
    check_opens(&w, "a.npy", VARVE_FORMAT_VARVE);
    size_t size;
    unsigned char *bytes = memory_bytes(w.memory, "a.npy", &size);
    bytes[size - 1] ^= 1; /* still ours, and damaged */
    struct vv_opened in;
    varve_status status = vv_checkpoint_open(&in, &w.context, "a.npy", &error);
    cr_assert(status == VARVE_CORRUPT || status == VARVE_TRUNCATED);
    world_free(&w);
}

TEST(checkpoint_in, that_nobody_knows_is_told_as_our_format_does)
{
    struct world w = world_new();
    varve_error own = { 0 };
    struct vv_opened in;
    memory_put(w.memory, "text", "no checkpoint at all", 20);
    memory_put(w.memory, "empty", "", 0);
    vv_data_in_open(&in, &w.context, "text", &own);
    check_not(&w, "text", VARVE_NOT_A_CHECKPOINT, own.message);
    vv_data_in_open(&in, &w.context, "empty", &own);
    check_not(&w, "empty", own.status, own.message);
    check_not(&w, "none", VARVE_NOT_FOUND, "none: ");
    world_free(&w);
}

TEST(checkpoint_in, may_be_a_pointer_of_git_lfs)
{
    static const char pointer[] =
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 9\n";
    struct world w = world_new();
    memory_put(w.memory, "a.npy", pointer, sizeof pointer - 1);
    memory_put(w.memory, "text", pointer, 36);
    check_not(&w, "a.npy", VARVE_NOT_A_CHECKPOINT,
        "a.npy: expected a checkpoint, found a Git LFS pointer: run `git lfs "
        "pull` to fetch the file");
    struct vv_opened in;
    varve_error error = { 0 };
    vv_checkpoint_open(&in, &w.context, "text", &error);
    cr_assert_null(strstr(error.message, "LFS"));
    world_free(&w);
}

/* --- Opening -------------------------------------------------------------- */

static varve_status fail_with_file(
    struct vv_foreign *f, struct vv_draft *draft, varve_error *error)
{
    uint32_t number;
    (void)draft;
    cr_assert_eq(vv_foreign_add_file(f, "dir/other", &number, error), 0);
    return vv_fail(error, VARVE_TOO_NEW, "too new");
}

static varve_status fail_draft(
    struct vv_foreign *f, struct vv_draft *draft, varve_error *error)
{
    (void)f;
    (void)error;
    vv_draft_fail(draft, VARVE_LIMIT, "too much");
    return VARVE_OK;
}

static varve_status add_other(
    struct vv_foreign *f, struct vv_draft *draft, varve_error *error)
{
    uint32_t number;
    (void)draft;
    return vv_foreign_add_file(f, "dir/other", &number, error);
}

static struct world begin(void)
{
    struct world w = world_new();
    memory_put(w.memory, "dir/file", "0123456789", 10);
    memory_put(w.memory, "dir/other", "0123", 4);
    made_count = 0;
    made_more = NULL;
    return w;
}

static void check_made_fails(
    struct world *w, varve_status status, const char *says)
{
    struct vv_opened in;
    varve_error error = { 0 };
    cr_assert_eq(open_as_made(w, &in, &error), status);
    cr_assert(strstr(error.message, says), "%s", error.message);
    cr_assert_eq(free_count, 1);
    cr_assert_eq(test_block_count(), 0);
    cr_assert_eq(memory_open_count(w->memory), 0);
}

TEST(checkpoint_in, that_cannot_be_opened_leaves_nothing_open)
{
    struct world w = begin();
    made_more = fail_with_file;
    check_made_fails(&w, VARVE_TOO_NEW, "too new");
    made_more = fail_draft;
    check_made_fails(&w, VARVE_LIMIT, "too much");
    world_free(&w);
}

TEST(checkpoint_in, has_the_size_of_all_its_files)
{
    struct world w = begin();
    struct vv_opened in;
    varve_error error = { 0 };
    made_more = add_other;
    cr_assert_ok(open_as_made(&w, &in, &error), error);
    cr_assert_eq(in.size, 14);
    cr_assert_eq(vv_checkpoint_format(&in), VARVE_FORMAT_GGUF);
    cr_assert_eq(free_count, 0);
    vv_opened_close(&in);
    cr_assert_eq(free_count, 1);
    world_free(&w);
}

static void add_value(uint64_t size, uint32_t file, uint64_t offset)
{
    made_count = 1;
    made_values[0] = (struct made_value){
        .size = size, .place = { .file = file, .offset = offset } };
}

TEST(checkpoint_in, is_truncated_where_a_value_is_outside_its_file)
{
    struct world w = begin();
    struct vv_opened in;
    varve_error error = { 0 };
    add_value(5, 0, 6);
    check_made_fails(&w, VARVE_TRUNCATED,
        "dir/file: the file ends early: a value has 5 bytes at offset 6, the "
        "file has 10 bytes");
    add_value(0, 0, 11);
    check_made_fails(&w, VARVE_TRUNCATED, "at offset 11");
    add_value(5, 0, UINT64_MAX - 2);
    check_made_fails(&w, VARVE_TRUNCATED, "at offset 18446744073709551613");
    add_value(5, 1, 0);
    made_more = add_other;
    check_made_fails(&w, VARVE_TRUNCATED,
        "dir/other: the file ends early: a value has 5 bytes");
    add_value(5, 0, 5);
    cr_assert_ok(open_as_made(&w, &in, &error), error);
    vv_opened_close(&in);
    add_value(50, VV_DECODED, 99); /* lies nowhere */
    cr_assert_ok(open_as_made(&w, &in, &error), error);
    vv_opened_close(&in);
    world_free(&w);
}

TEST(checkpoint_in, fails_without_memory)
{
    struct world w = world_new();
    varve_status status = VARVE_NO_MEMORY;
    put_array(&w, "a.npy");
    for (long n = 0; status; n++) {
        struct vv_opened in;
        varve_error error = { 0 };
        test_fail_allocation(n, false);
        status = vv_checkpoint_open(&in, &w.context, "a.npy", &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        if (!status)
            vv_opened_close(&in);
        cr_assert_eq(test_block_count(), 0);
        cr_assert_eq(memory_open_count(w.memory), 0);
        cr_assert(n < 1000);
    }
    world_free(&w);
}
