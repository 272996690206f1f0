/* test_zip_in_zip_end.c - Tests finding the end record of zip archives.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "zip_in.h"

#include "arrays.h"

static struct archive two_entries(bool is_zip64)
{
    struct archive a = archive_new();
    archive_add(&a, (struct entry){ .name = "a", .bytes = "xy", .size = 2 });
    archive_add(&a, (struct entry){ .name = "b", .bytes = "z", .size = 1 });
    if (is_zip64)
        archive_end64(&a);
    else
        archive_end(&a);
    return a;
}

static varve_status find(const struct vv_buffer *bytes,
    struct vv_zip_end *end, varve_error *error)
{
    struct world w = world_new();
    struct vv_foreign *f = world_foreign(&w, "a.zip", bytes);
    struct vv_zip zip = { .span = vv_zip_whole(f, 0), .foreign = f };
    varve_status status = vv_zip_find_end(&zip, end, error);
    vv_foreign_free(f);
    world_free(&w);
    return status;
}

TEST(zip_end, is_found_with_and_without_zip64_and_comment)
{
    for (int i = 0; i < 4; i++) {
        struct archive a = two_entries(i & 1);
        struct vv_zip_end end = { 0 };
        varve_error error = { 0 };
        if (i & 2) {
            a.file.data[a.file.size - 2] = 0x34; /* 0x1234 bytes */
            a.file.data[a.file.size - 1] = 0x12;
            for (int k = 0; k < 0x1234; k++)
                vv_buffer_add8(&a.file, 'P');
        }
        cr_assert_ok(find(&a.file, &end, &error), error);
        cr_assert_eq(end.count, 2);
        cr_assert_eq(end.offset, a.begin);
        cr_assert_eq(end.size, a.directory.size);
        archive_clear(&a);
    }
}

TEST(zip_end, is_not_found_in_any_truncated_file)
{
    for (int is_zip64 = 0; is_zip64 < 2; is_zip64++) {
        struct archive a = two_entries(is_zip64);
        while (a.file.size-- > 1) {
            struct vv_zip_end end;
            varve_error error = { 0 };
            cr_assert_eq(find(&a.file, &end, &error), VARVE_TRUNCATED);
            cr_assert_eq(strncmp(error.message, "a.zip: ", 7), 0);
        }
        archive_clear(&a);
    }
}

TEST(zip_end, requires_a_comment_that_ends_with_the_file)
{
    struct archive a = two_entries(false);
    struct vv_zip_end end;
    varve_error error = { 0 };
    vv_buffer_add8(&a.file, 'x');
    cr_assert_eq(find(&a.file, &end, &error), VARVE_TRUNCATED);
    a.file.size--;
    a.file.data[a.file.size - 2] = 1;
    cr_assert_eq(find(&a.file, &end, &error), VARVE_TRUNCATED);
    archive_clear(&a);
}

/* Offset from the end of the file. */
struct damage {
    size_t before;
    unsigned char byte;
    const char *says;
};

static void check_damage(bool is_zip64, const struct damage *damage)
{
    struct archive a = two_entries(is_zip64);
    struct vv_zip_end end;
    varve_error error = { 0 };
    a.file.data[a.file.size - damage->before] = damage->byte;
    cr_assert_eq(find(&a.file, &end, &error), VARVE_CORRUPT, "%zu: %s",
        damage->before, error.message);
    cr_assert(strstr(error.message, damage->says), "%zu: %s", damage->before,
        error.message);
    archive_clear(&a);
}

TEST(zip_end, must_be_consistent_with_the_directory)
{
    static const struct damage plain[] = {
        { 18, 1, "disks" }, { 16, 1, "disks" }, { 14, 3, "disks" },
        { 12, 1, "disks" }, { 10, 95, "does not end" },
        { 6, 1, "does not end" }, { 3, 1, "does not end" },
    };
    static const struct damage large[] = {
        { 38, 1, "disks" }, { 26, 2, "disks" },
        { 29, 1, "not before it" }, { 34, 1, "missing or has" },
        { 98, 'Q', "missing or has" }, { 94, 45, "missing or has" },
        { 82, 1, "disks" }, { 78, 1, "disks" }, { 74, 3, "disks" },
        { 66, 1, "disks" }, { 58, 1, "does not end" },
        { 50, 1, "does not end" }, { 43, 1, "does not end" },
        { 10, 0, "differs from" }, { 6, 0, "differs from" },
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        check_damage(false, &plain[i]);
    for (size_t i = 0; i < sizeof large / sizeof *large; i++)
        check_damage(true, &large[i]);
}

TEST(zip_end, is_limited_to_the_entries_that_fit_the_directory)
{
    struct archive a = two_entries(false);
    struct vv_zip_end end;
    varve_error error = { 0 };
    a.file.data[a.file.size - 14] = a.file.data[a.file.size - 12] = 3;
    cr_assert_eq(find(&a.file, &end, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "too small for"), "%s", error.message);
    archive_clear(&a);
}

TEST(zip_end, reports_failed_allocations_for_a_comment)
{
    struct archive a = two_entries(false);
    struct vv_zip_end end;
    struct world w = world_new();
    varve_error error = { 0 };
    a.file.data[a.file.size - 2] = 1;
    vv_buffer_add8(&a.file, 'x');
    struct vv_foreign *f = world_foreign(&w, "a.zip", &a.file);
    struct vv_zip zip = { .span = vv_zip_whole(f, 0), .foreign = f };
    test_fail_allocation(0, false);
    cr_assert_eq(vv_zip_find_end(&zip, &end, &error), VARVE_NO_MEMORY);
    test_fail_allocation(-1, false);
    cr_assert_ok(vv_zip_find_end(&zip, &end, &error), error);
    vv_foreign_free(f);
    world_free(&w);
    archive_clear(&a);
}
