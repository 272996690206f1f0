/* test_format_choice.c - lib/foreign/formats/format_choice.c
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "made_format.h"

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

TEST(format_in, that_cannot_be_opened_leaves_nothing_open)
{
    struct world w = begin();
    made_more = fail_with_file;
    check_made_fails(&w, VARVE_TOO_NEW, "too new");
    made_more = fail_draft;
    check_made_fails(&w, VARVE_LIMIT, "too much");
    world_free(&w);
}

TEST(format_in, has_the_size_of_all_its_files)
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

TEST(format_in, is_truncated_if_a_value_is_outside_its_file)
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
