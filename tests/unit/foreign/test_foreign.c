/* test_foreign.c - Tests access to the files of a checkpoint in another format.
 *
 * SPDX-License-Identifier: MIT
 */
#define _XOPEN_SOURCE 700 /* symlink */
#include "support/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "arrays.h"

static struct vv_foreign *open_file(struct world *w, const char *text)
{
    struct vv_buffer bytes = new_bytes();
    vv_buffer_add_string(&bytes, text);
    struct vv_foreign *f = world_foreign(w, "dir/file", &bytes);
    vv_buffer_clear(&bytes);
    return f;
}

TEST(foreign, reads_the_size_of_a_file_when_it_is_added)
{
    struct world w = world_new();
    varve_error error = { 0 };
    uint32_t number;
    struct vv_foreign *f = open_file(&w, "12345");
    memory_put(w.memory, "dir/other", "123", 3);
    cr_assert_ok(vv_foreign_add_file(f, "dir/other", &number, &error), error);
    cr_assert_eq(number, 1);
    cr_assert(f->files[0].size == 5 && f->files[1].size == 3);
    cr_assert_eq(vv_foreign_add_file(f, "dir/none", &number, &error),
        VARVE_NOT_FOUND);
    cr_assert(strstr(error.message, "dir/none"));
    cr_assert_eq(f->file_count, 2);
    vv_foreign_free(f);
    world_free(&w);
}

TEST(foreign, reads_bytes_and_reports_the_end_of_the_file)
{
    struct world w = world_new();
    varve_error error = { 0 };
    char bytes[4] = "";
    struct vv_foreign *f = open_file(&w, "12345");
    cr_assert_ok(vv_foreign_read(f, 0, bytes, 3, 2, &error), error);
    cr_assert_str_eq(bytes, "345");
    cr_assert_eq(
        vv_foreign_read(f, 0, bytes, 3, 3, &error), VARVE_TRUNCATED);
    cr_assert_eq(strncmp(error.message, "dir/file: ", 10), 0);
    vv_foreign_free(f);
    world_free(&w);
}

static void add_many(struct world *w, struct vv_foreign *f, int count)
{
    for (int i = 1; i < count; i++) {
        char path[32];
        uint32_t number;
        snprintf(path, sizeof path, "dir/%03d", i);
        memory_put(w->memory, path, path, 7);
        cr_assert_eq(vv_foreign_add_file(f, path, &number, NULL), VARVE_OK);
        cr_assert_eq(number, (uint32_t)i);
    }
}

TEST(foreign, opens_files_beyond_the_first_128_when_they_are_read)
{
    struct world w = world_new();
    varve_error error = { 0 };
    char bytes[8] = "";
    struct vv_foreign *f = open_file(&w, "1");
    add_many(&w, f, 200);
    cr_assert_eq(memory_open_count(w.memory), 128);
    for (uint32_t i = 1; i < 200; i++) {
        char path[32];
        snprintf(path, sizeof path, "dir/%03u", (unsigned)i);
        cr_assert_eq(f->files[i].size, 7);
        cr_assert_ok(vv_foreign_read(f, i, bytes, 7, 0, &error), error);
        cr_assert_str_eq(bytes, path);
    }
    cr_assert_eq(
        vv_foreign_read(f, 199, bytes, 7, 1, &error), VARVE_TRUNCATED);
    cr_assert_eq(strncmp(error.message, "dir/199: ", 9), 0);
    cr_assert_eq(memory_open_count(w.memory), 128);
    vv_foreign_free(f);
    world_free(&w);
}

TEST(foreign, does_not_add_a_file_without_memory)
{
    struct world w = world_new();
    struct vv_foreign *f = open_file(&w, "1");
    varve_status status = VARVE_NO_MEMORY;
    memory_put(w.memory, "dir/other", "123", 3);
    for (long n = 0; status; n++) {
        uint32_t number;
        test_fail_allocation(n, false);
        status = vv_foreign_add_file(f, "dir/other", &number, NULL);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        cr_assert_eq(f->file_count, status ? 1 : 2);
        cr_assert_eq(memory_open_count(w.memory), status ? 1 : 2);
        cr_assert(n < 10);
    }
    vv_foreign_free(f);
    cr_assert_eq(test_block_count(), 0);
    world_free(&w);
}

TEST(foreign, accepts_only_names_of_siblings)
{
    cr_assert(vv_name_stays("a", 1));
    cr_assert(vv_name_stays("...", 3));
    cr_assert(vv_name_stays("..a", 3));
    cr_assert(vv_name_stays(".a", 2));
    cr_assert_not(vv_name_stays("", 0));
    cr_assert_not(vv_name_stays(".", 1));
    cr_assert_not(vv_name_stays("..", 2));
    cr_assert_not(vv_name_stays("a/b", 3));
    cr_assert_not(vv_name_stays("/a", 2));
    cr_assert_not(vv_name_stays("a\0b", 3));
}

TEST(foreign, finds_siblings)
{
    struct vv_buffer path = new_bytes();
    vv_buffer_add_string(&path, "older");
    vv_sibling_path(&path, "a/b/file", "other and more", 5);
    cr_assert_str_eq(vv_buffer_string(&path), "a/b/other");
    vv_sibling_path(&path, "file", "other", 5);
    cr_assert_str_eq(vv_buffer_string(&path), "other");
    vv_sibling_path(&path, "/file", "other", 5);
    cr_assert_str_eq(vv_buffer_string(&path), "/other");
    vv_buffer_clear(&path);
}

/* --- Links ---------------------------------------------------------------- */

#ifdef VV_HAVE_FORMATS

static void move_and_link(const char *from, const char *to, const char *target)
{
    cr_assert_eq(rename(test_path(from), test_path(to)), 0, "%s", from);
    cr_assert_eq(symlink(target, test_path(from)), 0, "%s", from);
}

static void write_shards(const char *path, varve_format format)
{
    static float a[64], b[64];
    varve_error error = { 0 };
    const varve_write_options o = { .format = format,
        .foreign.shard_size = format == VARVE_FORMAT_TENSORFLOW ? 0 : 256 };
    varve_graph *graph = varve_graph_new(NULL);
    varve_node *root = varve_graph_root(graph);
    varve_add_variable(root, "a", varve_array(a, 64));
    varve_add_variable(root, "b", varve_array(b, 64));
    cr_assert_ok(varve_write(root, test_path(path), &o, &error), error);
    varve_graph_free(graph);
}

/* Returns the status of opening a checkpoint with a reader. */
static varve_status reads(const char *path, bool follows, varve_error *error)
{
    const varve_reader_options o = { .foreign.follow_links = follows };
    varve_reader *reader = varve_reader_open_with(test_path(path), &o, error);
    varve_status status =
        reader ? varve_reader_verify(reader, NULL, error) : error->status;
    varve_reader_free(reader);
    return status;
}

static void check_refused(const char *path)
{
    varve_error error = { 0 };
    cr_assert_eq(reads(path, false, &error), VARVE_NO_PERMISSION, "%s: %s",
        path, error.message);
    cr_assert(strstr(error.message, "a symbolic link to a file outside"));
    varve_graph *graph = varve_graph_new(NULL);
    cr_assert_null(
        varve_read(varve_graph_root(graph), test_path(path), NULL, &error));
    cr_assert_eq(error.status, VARVE_NO_PERMISSION);
    varve_graph_free(graph);
    cr_assert_eq(reads(path, true, &error), VARVE_OK, "%s", error.message);
}

#define SHARD(n) "x/m-0000" #n "-of-00002.safetensors"

TEST(foreign, follows_no_link_out_of_the_directory)
{
    varve_error error = { 0 };
    cr_assert_eq(mkdir(test_path("x"), 0777), 0);
    cr_assert_eq(mkdir(test_path("blobs"), 0777), 0);
    write_shards("x/m.safetensors", VARVE_FORMAT_SAFETENSORS);
    move_and_link(SHARD(1), "x/data", "data");
    cr_assert_eq(reads("x/m.safetensors.index.json", false, &error), VARVE_OK,
        "%s", error.message);
    move_and_link(SHARD(2), "blobs/2", "../blobs/2");
    check_refused("x/m.safetensors.index.json");
}

static void write_index(const char *path, const char *shard)
{
    FILE *index = fopen(test_path(path), "w");
    cr_assert(index);
    fprintf(index, "{\"weight_map\":{\"a\":\"%s\"}}", shard);
    fclose(index);
}

/* A folder in an index may be a link, like a file. */
TEST(foreign, follows_no_linked_directory_out_of_the_directory)
{
    varve_error error = { 0 };
    cr_assert_eq(mkdir(test_path("x"), 0777), 0);
    cr_assert_eq(mkdir(test_path("x/sub"), 0777), 0);
    write_shards("x/sub/m.safetensors", VARVE_FORMAT_SAFETENSORS);
    write_index("x/n.safetensors.index.json",
        "sub/m-00001-of-00002.safetensors");
    cr_assert_eq(reads("x/n.safetensors.index.json", false, &error), VARVE_OK,
        "%s", error.message);
    move_and_link("x/sub", "x/real", "real");
    cr_assert_eq(reads("x/n.safetensors.index.json", false, &error), VARVE_OK,
        "%s", error.message);
    move_and_link("x/real", "away", "../away");
    check_refused("x/n.safetensors.index.json");
}

TEST(foreign, follows_links_of_the_hugging_face_cache)
{
    varve_error error = { 0 };
    cr_assert_eq(mkdir(test_path("x"), 0777), 0);
    cr_assert_eq(mkdir(test_path("blobs"), 0777), 0);
    write_shards("x/m.safetensors", VARVE_FORMAT_SAFETENSORS);
    move_and_link(SHARD(1), "blobs/1", "../blobs/1");
    move_and_link(SHARD(2), "blobs/2", "../blobs/2");
    move_and_link(
        "x/m.safetensors.index.json", "blobs/3", "../blobs/3");
    cr_assert_eq(reads("x/m.safetensors.index.json", false, &error), VARVE_OK,
        "%s", error.message);
    cr_assert_eq(
        reads("x/m", false, &error), VARVE_OK, "%s", error.message);
}

static void write_record(const char *latest)
{
    FILE *record = fopen(test_path("x/checkpoint"), "w");
    cr_assert(record);
    fprintf(record, "model_checkpoint_path: \"%s\"\n", latest);
    fclose(record);
}

TEST(foreign, lists_other_checkpoints_if_the_recorded_latest_is_missing)
{
    varve_error error = { 0 };
    cr_assert_eq(mkdir(test_path("x"), 0777), 0);
    write_shards("x/ckpt-3", VARVE_FORMAT_TENSORFLOW);
    write_record("ckpt-7");
    varve_graph *graph = varve_graph_new(NULL);
    for (int i = 0; i < 2; i++) {
        cr_assert_eq(i ? varve_restore(varve_graph_root(graph),
                             test_path("x"), NULL, &error)
                             ? VARVE_OK
                             : error.status
                       : reads("x", false, &error),
            VARVE_NOT_FOUND, "%s", error.message);
        cr_assert(strstr(error.message, "the directory contains ckpt-3"), "%s",
            error.message);
        error = (varve_error){ 0 };
    }
    varve_graph_free(graph);
}

TEST(foreign, follows_no_link_named_by_a_bundle_or_record)
{
    cr_assert_eq(mkdir(test_path("x"), 0777), 0);
    cr_assert_eq(mkdir(test_path("y"), 0777), 0);
    write_shards("x/m", VARVE_FORMAT_TENSORFLOW);
    write_record("m");
    move_and_link("x/m.index", "y/m.index", "../y/m.index");
    check_refused("x");
    cr_assert_eq(rename(test_path("y/m.index"), test_path("x/m.index")), 0);
    move_and_link(
        "x/m.data-00000-of-00001", "y/data", "../y/data");
    check_refused("x/m.index");
}

#endif
