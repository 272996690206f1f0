/* test_checkpoint_find_in.c - Tests the choice of the format for a file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "data_in.h"
#include "arrays.h"
#include "formats.h"
#include "graph.h"

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

TEST(checkpoint_in, is_opened_by_the_most_certain_format)
{
    struct world w = world_new();
    put_array(&w, "a.npy");
    put_array(&w, "a.safetensors"); /* has the name, but not the content */
    put_array(&w, "a.gguf");
    check_opens(&w, "a.npy", VARVE_FORMAT_NPY);
    check_opens(&w, "a.safetensors", VARVE_FORMAT_NPY);
    check_opens(&w, "a.gguf", VARVE_FORMAT_NPY);
    world_free(&w);
}

TEST(checkpoint_in, with_the_suffix_is_opened_only_as_varve)
{
    struct world w = world_new();
    put_array(&w, "a.varve");
    check_not(&w, "a.varve", VARVE_NOT_A_CHECKPOINT,
        "a.varve: the name ends with .varve, but the file is a NumPy file: "
        "rename it to read it");
    memory_put(w.memory, "b.varve", "no checkpoint at all", 20);
    check_not(&w, "b.varve", VARVE_NOT_A_CHECKPOINT, "b.varve: ");
    put_array(&w, ".varve"); /* a name without an extension */
    check_opens(&w, ".varve", VARVE_FORMAT_NPY);
    world_free(&w);
}

TEST(checkpoint_in, is_opened_by_its_name_to_report_the_error)
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

TEST(checkpoint_in, of_varve_is_recognized_first)
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
    bytes[size - 1] ^= 1; /* still a Varve file, and damaged */
    struct vv_opened in;
    varve_status status = vv_checkpoint_open(&in, &w.context, "a.npy", &error);
    cr_assert(status == VARVE_CORRUPT || status == VARVE_TRUNCATED);
    world_free(&w);
}

TEST(checkpoint_in, of_an_unknown_format_is_reported_like_varve)
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
