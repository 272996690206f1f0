/* test_tar_in.c - Tests reading tar archives.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "tar_in.h"

#include "arrays.h"
#include "tar_sample.h"

static varve_status find_a(const struct vv_buffer *bytes,
    struct vv_tar_member *member, varve_error *error)
{
    struct world w = world_new();
    struct vv_foreign *f = world_foreign(&w, "x.tar", bytes);
    *member = (struct vv_tar_member){ .name = "a", .is_found = true };
    varve_status status = vv_tar_find(f, 0, member, 1, error);
    vv_foreign_free(f);
    world_free(&w);
    return status;
}

/* Asserts that "a" has this text, or does not exist. */
static void check_a(struct vv_buffer b, const char *text)
{
    struct vv_tar_member m;
    varve_error error = { 0 };
    cr_assert_ok(find_a(&b, &m, &error), error);
    cr_assert_eq(m.is_found, text != NULL);
    if (text) {
        cr_assert_eq(m.size, strlen(text));
        cr_assert_eq(memcmp(b.data + m.data, text, m.size), 0);
    }
    vv_buffer_clear(&b);
}

static void check_fails(struct vv_buffer b, varve_status status,
    const char *says)
{
    struct vv_tar_member m;
    varve_error error = { 0 };
    cr_assert_eq(find_a(&b, &m, &error), status, "%s", error.message);
    cr_assert(strstr(error.message, says), "%s", error.message);
    cr_assert_eq(strncmp(error.message, "x.tar: ", 7), 0, "%s", error.message);
    vv_buffer_clear(&b);
}

TEST(tar_in, finds_the_last_member_with_a_name)
{
    struct vv_buffer b = new_bytes();
    tar_put_text(&b, "b", '0', "other");
    tar_put_text(&b, "a", '0', "first");
    tar_put_text(&b, "a", '7', "last");
    tar_put_text(&b, "a/b", '0', "");
    tar_put_end(&b);
    tar_put_text(&b, "a", '0', "behind the end");
    check_a(b, "last");
    b = new_bytes();
    check_a(b, NULL);
    b = new_bytes();
    tar_put_text(&b, "a", 0, "text");
    check_a(b, "text"); /* without an end */
}

TEST(tar_in, skips_members_without_data)
{
    struct vv_buffer b = new_bytes();
    tar_put_header(&b, "a", '2', 1000);
    tar_put_header(&b, "c", '5', 1000);
    check_a(b, NULL);
    b = new_bytes();
    tar_put_text(&b, "a", '0', "text");
    tar_put_header(&b, "a", '2', 0);
    check_a(b, NULL);
}

TEST(tar_in, reads_names_and_sizes_of_pax)
{
    struct vv_buffer b = new_bytes();
    tar_put_text(&b, "PaxHeaders/x", 'x', "13 mtime=1.5\n8 path=\n10 path=a\n");
    tar_put_text(&b, "b", '0', "text");
    tar_put_text(&b, "a/b", '0', "other");
    check_a(b, "text");
    b = new_bytes();
    tar_put_text(&b, "PaxHeaders/x", 'x', "10 path=b\n");
    tar_put_text(&b, "a", '0', "text");
    check_a(b, NULL);
    b = new_bytes();
    tar_put_text(&b, "PaxHeaders/x", 'x', "10 size=4\n");
    tar_put_header(&b, "a", '0', 0);
    tar_put_data(&b, "text", 4);
    tar_put_text(&b, "PaxHeaders/x", 'g', "10 path=b\n");
    tar_put_text(&b, "x", 'x', "");
    tar_put_text(&b, "b", '0', "other");
    check_a(b, "text");
}

TEST(tar_in, reads_names_and_sizes_of_gnu)
{
    struct vv_buffer b = new_bytes();
    tar_put_text(&b, "././@LongLink", 'L', "a long name");
    tar_put_text(&b, "a", '0', "other");
    tar_put_text(&b, "././@LongLink", 'K', "a link");
    size_t at = tar_put_text(&b, "a", '0', "text");
    memset(b.data + at + TAR_SIZE_AT, 0, 12);
    b.data[at + TAR_SIZE_AT] = 0x80;
    b.data[at + TAR_SIZE_AT + 11] = 4;
    memcpy(b.data + at + TAR_MAGIC_AT, "ustar  ", 8);
    b.data[at + TAR_PREFIX_AT] = 'p'; /* a time in GNU's header */
    tar_set_sum(b.data + at);
    check_a(b, "text");
    b = new_bytes();
    at = tar_put_text(&b, "a", '0', "text");
    b.data[at + TAR_PREFIX_AT] = 'p';
    tar_set_sum(b.data + at);
    check_a(b, NULL);
}

TEST(tar_in, accepts_checksums_of_signed_bytes)
{
    struct vv_buffer b = new_bytes();
    size_t at = tar_put_text(&b, "a", '0', "text");
    b.data[at + 300] = 0xff;
    tar_set_sum(b.data + at);
    unsigned sum = 0;
    sscanf((char *)b.data + at + TAR_SUM_AT, "%o", &sum);
    snprintf((char *)b.data + at + TAR_SUM_AT, 8, "%06o", sum - 256);
    check_a(b, "text");
}

TEST(tar_in, refuses_damaged_headers)
{
    struct vv_buffer b = new_bytes();
    size_t at = tar_put_text(&b, "a", '0', "text");
    b.data[at + 1] ^= 1;
    check_fails(b, VARVE_CORRUPT, "the tar header at byte 0 has a wrong "
        "checksum");
    static const char *const sizes[] = { "x", "\x80\1\1\1\1\1\1\1\1\1\1\1",
        "\xff\1\1" };
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        b = new_bytes();
        at = tar_put_text(&b, "a", '0', "text");
        memcpy(b.data + at + TAR_SIZE_AT, sizes[i], strlen(sizes[i]));
        tar_set_sum(b.data + at);
        check_fails(b, VARVE_CORRUPT, "an invalid size");
    }
    static const struct { const char *text, *says; } records[] = {
        { "8 a=b", "an invalid pax record" },
        { "x a=b\n", "an invalid pax record" },
        { "2 a=b\n", "an invalid pax record" },
        { "0 a=b\n", "an invalid pax record" },
        { "99 a=b\n", "an invalid pax record" },
        { "nothing", "an invalid pax record" },
        { "7 path\n", "an invalid pax record" },
        { "7 abcd\n", "a pax record without a value" },
        { "10 size=x\n", "a pax record with an invalid size" },
    };
    for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
        b = new_bytes();
        tar_put_text(&b, "x", 'x', records[i].text);
        check_fails(b, VARVE_CORRUPT, i == 6 ? "" : records[i].says);
    }
}

TEST(tar_in, refuses_every_truncation)
{
    struct vv_buffer b = new_bytes();
    tar_put_text(&b, "x", 'x', "10 path=a\n");
    tar_put_text(&b, "b", '0', "some text");
    for (size_t size = 1; size < b.size - TAR_BLOCK + 9; size++) {
        if (size == 2 * TAR_BLOCK || size == TAR_BLOCK + 10)
            continue; /* complete headers; padding may be missing */
        struct vv_buffer cut = new_bytes();
        vv_buffer_add(&cut, b.data, size);
        struct vv_tar_member m;
        varve_error error = { 0 };
        if (size < TAR_BLOCK + 10 || size > 2 * TAR_BLOCK)
            cr_assert_eq(find_a(&cut, &m, &error), VARVE_TRUNCATED, "%zu: %s",
                size, error.message);
        vv_buffer_clear(&cut);
    }
    vv_buffer_clear(&b);
    b = new_bytes();
    tar_put_text(&b, "x", 'x', "29 size=18446744073709551615\n");
    tar_put_header(&b, "a", '0', 0);
    check_fails(b, VARVE_TRUNCATED, "the tar member at byte 1024 has "
        "18446744073709551615 bytes, but the file has only 0 more");
}

TEST(tar_in, refuses_sparse_members_and_large_headers)
{
    struct vv_buffer b = new_bytes();
    tar_put_text(&b, "x", 'x', "22 GNU.sparse.major=1\n");
    tar_put_text(&b, "a", '0', "text");
    check_fails(b, VARVE_TOO_NEW, "is sparse");
    b = new_bytes();
    tar_put_text(&b, "a", 'S', "text");
    check_fails(b, VARVE_TOO_NEW, "is sparse");
    b = new_bytes();
    tar_put_header(&b, "x", 'x', (1 << 20) + 1);
    for (int i = 0; i < 1 << 18; i++)
        vv_buffer_add64(&b, 0);
    check_fails(b, VARVE_LIMIT, "more than 1048576");
}

TEST(tar_in, reports_failed_allocations_for_pax_headers)
{
    struct world w = world_new();
    struct vv_buffer b = new_bytes();
    struct vv_tar_member m = { .name = "a" };
    varve_error error = { 0 };
    tar_put_text(&b, "x", 'x', "10 path=a\n");
    tar_put_text(&b, "b", '0', "text");
    struct vv_foreign *f = world_foreign(&w, "x.tar", &b);
    test_fail_allocation(0, false);
    cr_assert_eq(vv_tar_find(f, 0, &m, 1, &error), VARVE_NO_MEMORY);
    test_fail_allocation(-1, false);
    /* simulates a file that was truncated after opening */
    f->files[0].size += 512;
    cr_assert_eq(vv_tar_find(f, 0, &m, 1, &error), VARVE_TRUNCATED);
    vv_foreign_free(f);
    vv_buffer_clear(&b);
    world_free(&w);
}
