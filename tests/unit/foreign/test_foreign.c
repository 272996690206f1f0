/* test_foreign.c - lib/foreign/foreign.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include <stdio.h>

#include "arrays.h"

static struct vv_foreign *open_file(struct world *w, const char *text)
{
    struct vv_buffer bytes = new_bytes();
    vv_buffer_add_string(&bytes, text);
    struct vv_foreign *f = world_foreign(w, "dir/file", &bytes);
    vv_buffer_clear(&bytes);
    return f;
}

TEST(foreign, finds_out_how_large_a_file_is_as_it_is_added)
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

TEST(foreign, reads_bytes_and_says_where_there_are_none)
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

TEST(foreign, keeps_nothing_of_a_file_that_is_added_without_memory)
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

TEST(foreign, lets_names_of_siblings_pass_and_no_others)
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
