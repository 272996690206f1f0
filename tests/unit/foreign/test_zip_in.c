/* test_zip_in.c - Tests reading the directory of zip archives.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zip_in.h"

#include "support/test.h"
#include "arrays.h"

/* Reads an archive and returns the status; `check` is called after success. */
static varve_status read_zip(const struct archive *a, varve_error *error,
    void (*check)(const struct vv_zip *zip))
{
    struct world w = world_new();
    struct vv_foreign *f = world_foreign(&w, "a.npz", &a->file);
    struct vv_zip zip;
    varve_status status = vv_zip_read(&zip, f, vv_zip_whole(f, 0), error);
    if (!status && check)
        check(&zip);
    vv_zip_clear(&zip);
    vv_foreign_free(f);
    world_free(&w);
    return status;
}

static void add_three(struct archive *a)
{
    archive_add(a, (struct entry){ .name = "a", .bytes = "xyz", .size = 3 });
    archive_add(a, (struct entry){
        .name = "b/c", .bytes = "12345", .size = 5, .is_deflated = true });
    archive_add(a, (struct entry){
        .name = "\xc3\xbc", .bytes = "", .size = 0, .is_zip64 = true });
}

static void check_three(const struct vv_zip *zip)
{
    struct vv_buffer where = new_bytes();
    cr_assert_eq(zip->count, 3);
    const struct vv_zip_entry *e = zip->entries;
    cr_assert(e[0].method == VV_ZIP_STORED && e[0].size == 3 &&
        e[0].packed == 3 && e[0].data == 31);
    cr_assert_eq(e[0].crc, vv_crc32(0, "xyz", 3));
    cr_assert(e[1].method == VV_ZIP_DEFLATED && e[1].size == 5 &&
        e[1].packed == 10);
    cr_assert(e[2].size == 0 && e[2].packed == 0 && e[2].name_size == 2);
    cr_assert_eq(memcmp(vv_zip_name(zip, &e[1]), "b/c", 3), 0);
    vv_zip_where(zip, &e[1], &where);
    cr_assert_str_eq(vv_buffer_string(&where), "a.npz: \"b/c\"");
    vv_buffer_clear(&where);
}

TEST(zip_in, reads_entries_of_every_kind)
{
    for (int is_zip64 = 0; is_zip64 < 2; is_zip64++) {
        struct archive a = archive_new();
        varve_error error = { 0 };
        add_three(&a);
        if (is_zip64)
            archive_end64(&a);
        else
            archive_end(&a);
        cr_assert_ok(read_zip(&a, &error, check_three), error);
        archive_clear(&a);
    }
}

static void check_none(const struct vv_zip *zip)
{
    cr_assert_eq(zip->count, 0);
}

TEST(zip_in, reads_an_empty_archive)
{
    struct archive a = archive_new();
    varve_error error = { 0 };
    archive_end(&a);
    cr_assert_ok(read_zip(&a, &error, check_none), error);
    archive_clear(&a);
}

static void check_behind(const struct vv_zip *zip)
{
    cr_assert(zip->entries[0].size == 3 && zip->entries[1].size == 2);
}

TEST(zip_in, uses_sizes_of_the_directory_with_data_descriptors)
{
    struct archive a = archive_new();
    varve_error error = { 0 };
    archive_add(&a, (struct entry){
        .name = "a", .bytes = "xyz", .size = 3, .flags = 8 });
    archive_add(&a, (struct entry){ .name = "b", .bytes = "xy", .size = 2,
        .flags = 8, .is_deflated = true });
    archive_end(&a);
    cr_assert_ok(read_zip(&a, &error, check_behind), error);
    archive_clear(&a);
}

/* A changed byte in the record or header of an entry, and the expected
 * error. */
struct damage {
    size_t entry, at;
    bool is_local;
    unsigned char byte;
    varve_status status;
    const char *says;
};

static const struct damage damages[] = {
    { 0, 0, false, 'Q', VARVE_CORRUPT, "not a record of the directory" },
    { 2, 3, false, 9, VARVE_CORRUPT, "not a record of the directory" },
    { 0, 8, false, 1, VARVE_NOT_A_CHECKPOINT, "encrypted" },
    { 0, 8, false, 64, VARVE_NOT_A_CHECKPOINT, "encrypted" },
    { 0, 9, false, 32, VARVE_NOT_A_CHECKPOINT, "encrypted" },
    { 0, 8, false, 32, VARVE_NOT_A_CHECKPOINT, "patched" },
    { 0, 8, false, 8, VARVE_CORRUPT, "those in the directory" },
    { 0, 10, false, 12, VARVE_TOO_NEW, "method 12 is not" },
    { 0, 10, false, 8, VARVE_CORRUPT, "those in the directory" },
    { 0, 16, false, 1, VARVE_CORRUPT, "those in the directory" },
    { 0, 20, false, 4, VARVE_CORRUPT, "the two sizes" },
    { 0, 24, false, 4, VARVE_CORRUPT, "the two sizes" },
    { 1, 20, false, 11, VARVE_CORRUPT, "\": entry at byte " },
    { 1, 24, false, 6, VARVE_CORRUPT, "those in the directory" },
    { 1, 25, false, 64, VARVE_CORRUPT, "at most 1032 times" },
    { 0, 28, false, 200, VARVE_CORRUPT, "extends past the end" },
    { 0, 30, false, 1, VARVE_CORRUPT, "the extra fields" },
    { 2, 20, false, 0, VARVE_CORRUPT, "the two sizes" },
    { 2, 48, false, 2, VARVE_CORRUPT, "the extra fields" },
    { 2, 50, false, 15, VARVE_CORRUPT, "the extra fields" },
    { 0, 34, false, 1, VARVE_NOT_A_CHECKPOINT, "several disks" },
    { 0, 42, false, 1, VARVE_CORRUPT, "not the header of an entry" },
    { 0, 45, false, 1, VARVE_CORRUPT, "not before the directory" },
    { 0, 46, false, 'b', VARVE_CORRUPT, "those in the directory" },
    { 0, 46, false, 0, VARVE_CORRUPT, "those in the directory" },
    { 2, 46, false, 0xff, VARVE_CORRUPT, "those in the directory" },
    { 0, 3, true, 5, VARVE_CORRUPT, "not the header of an entry" },
    { 0, 6, true, 1, VARVE_CORRUPT, "those in the directory" },
    { 0, 6, true, 8, VARVE_CORRUPT, "those in the directory" },
    { 0, 8, true, 8, VARVE_CORRUPT, "those in the directory" },
    { 0, 14, true, 1, VARVE_CORRUPT, "those in the directory" },
    { 0, 18, true, 1, VARVE_CORRUPT, "those in the directory" },
    { 0, 22, true, 1, VARVE_CORRUPT, "those in the directory" },
    { 0, 26, true, 2, VARVE_CORRUPT, "those in the directory" },
    { 0, 27, true, 1, VARVE_CORRUPT, "extends into the directory" },
    { 0, 29, true, 1, VARVE_CORRUPT, "extends into the directory" },
    { 0, 30, true, 'b', VARVE_CORRUPT, "those in the directory" },
    { 2, 32, true, 2, VARVE_CORRUPT, "those in the directory" },
    { 2, 36, true, 1, VARVE_CORRUPT, "those in the directory" },
    { 2, 44, true, 1, VARVE_CORRUPT, "those in the directory" },
};

TEST(zip_in, refuses_inconsistent_records)
{
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        const struct damage *d = &damages[i];
        struct archive a = archive_new();
        varve_error error = { 0 };
        add_three(&a);
        archive_end(&a);
        size_t at = d->is_local ? a.locals[d->entry]
                                : a.begin + a.records[d->entry];
        a.file.data[at + d->at] = d->byte;
        varve_status status = read_zip(&a, &error, NULL);
        cr_assert_eq(status, d->status, "%zu: %s: %s", i,
            varve_status_name(status), error.message);
        cr_assert(strstr(error.message, d->says), "%zu: %s", i, error.message);
        cr_assert_eq(strncmp(error.message, "a.npz: ", 7), 0);
        archive_clear(&a);
    }
}

TEST(zip_in, refuses_data_that_overlaps_the_directory)
{
    struct archive a = archive_new();
    varve_error error = { 0 };
    archive_add(&a, (struct entry){ .name = "a", .bytes = "xyz", .size = 3 });
    archive_end(&a);
    a.file.data[18] = a.file.data[22] = 4;
    a.file.data[a.begin + 20] = a.file.data[a.begin + 24] = 4;
    cr_assert_eq(read_zip(&a, &error, NULL), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "extends into the directory"));
    archive_clear(&a);
}

TEST(zip_in, refuses_entries_that_overlap)
{
    struct archive a = archive_new();
    varve_error error = { 0 };
    archive_add(&a, (struct entry){ .name = "a", .bytes = "xyz", .size = 3 });
    archive_add(&a, (struct entry){ .name = "a", .bytes = "xyz", .size = 3 });
    archive_end(&a);
    vv_store32(a.file.data + a.begin + a.records[1] + 42, 0);
    cr_assert_eq(read_zip(&a, &error, NULL), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "overlaps the one before"), "%s",
        error.message);
    archive_clear(&a);
}

TEST(zip_in, refuses_duplicate_names)
{
    struct archive a = archive_new();
    varve_error error = { 0 };
    archive_add(&a, (struct entry){ .name = "a", .bytes = "xyz", .size = 3 });
    archive_add(&a, (struct entry){ .name = "b", .bytes = "xyz", .size = 3 });
    archive_add(&a, (struct entry){ .name = "a", .bytes = "xyz", .size = 3 });
    archive_end(&a);
    cr_assert_eq(read_zip(&a, &error, NULL), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "duplicate name"), "%s", error.message);
    archive_clear(&a);
}

TEST(zip_in, refuses_a_directory_with_trailing_bytes)
{
    struct archive a = archive_new();
    varve_error error = { 0 };
    archive_add(&a, (struct entry){ .name = "a", .bytes = "xyz", .size = 3 });
    vv_buffer_add8(&a.directory, 0);
    archive_end(&a);
    cr_assert_eq(read_zip(&a, &error, NULL), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "after the last record"), "%s",
        error.message);
    archive_clear(&a);
}

/* Every changed byte must be handled without a leak. */
TEST(zip_in, handles_every_changed_byte)
{
    struct archive a = archive_new();
    add_three(&a);
    archive_end64(&a);
    for (size_t i = 0; i < a.file.size; i++) {
        static const unsigned char flips[] = { 1, 0x80, 0xff };
        for (size_t k = 0; k < sizeof flips; k++) {
            varve_error error = { 0 };
            a.file.data[i] ^= flips[k];
            varve_status status = read_zip(&a, &error, NULL);
            cr_assert_eq(status, error.status);
            a.file.data[i] ^= flips[k];
        }
    }
    archive_clear(&a);
}

TEST(zip_in, leaks_nothing_without_memory)
{
    struct archive a = archive_new();
    struct world w = world_new();
    varve_status status = VARVE_NO_MEMORY;
    add_three(&a);
    archive_end(&a);
    struct vv_foreign *f = world_foreign(&w, "a.npz", &a.file);
    for (long n = 0; status; n++) {
        struct vv_zip zip;
        varve_error error = { 0 };
        long before = test_block_count();
        test_fail_allocation(n, false);
        status = vv_zip_read(&zip, f, vv_zip_whole(f, 0), &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY);
        vv_zip_clear(&zip);
        cr_assert_eq(test_block_count(), before);
        cr_assert(n < 100);
    }
    vv_foreign_free(f);
    world_free(&w);
    archive_clear(&a);
}
