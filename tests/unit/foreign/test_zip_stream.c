/* test_zip_stream.c - Tests reading the data of zip entries.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/test.h"

#include "zip_stream.h"

#include "arrays.h"

static unsigned char text[5000];

/* An archive with one opened entry. */
struct opened {
    struct archive archive;
    struct world world;
    struct vv_foreign *foreign;
    struct vv_zip zip;
};

static void open_entry(struct opened *o, bool is_deflated)
{
    varve_error error = { 0 };
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = (unsigned char)(i * i >> 3);
    o->archive = archive_new();
    archive_add(&o->archive, (struct entry){ .name = "a", .bytes = text,
        .size = sizeof text, .is_deflated = is_deflated });
    archive_end(&o->archive);
    o->world = world_new();
    o->foreign = world_foreign(&o->world, "a.npz", &o->archive.file);
    cr_assert_ok(vv_zip_read(&o->zip, o->foreign, vv_zip_whole(o->foreign, 0),
            &error), error);
}

static void close_entry(struct opened *o)
{
    vv_zip_clear(&o->zip);
    vv_foreign_free(o->foreign);
    world_free(&o->world);
    archive_clear(&o->archive);
}

/* Reads `size` bytes in pieces and ends. */
static varve_status read_all(struct opened *o, unsigned char *bytes,
    size_t size, size_t piece, varve_error *error)
{
    struct vv_zip_stream s;
    varve_status status =
        vv_zip_stream_begin(&s, &o->zip, &o->zip.entries[0], "x", error);
    if (status)
        return status;
    for (size_t at = 0; at < size && !status; at += piece) {
        size_t part = piece < size - at ? piece : size - at;
        status = vv_zip_stream_read(&s, bytes + at, part, error);
    }
    return vv_zip_stream_end(&s, status, error);
}

TEST(zip_stream, returns_every_byte_in_chunks_of_any_size)
{
    for (int is_deflated = 0; is_deflated <= vv_inflater_exists();
         is_deflated++) {
        struct opened o;
        open_entry(&o, is_deflated);
        for (size_t piece = 1; piece <= sizeof text; piece = 3 * piece + 1) {
            unsigned char bytes[sizeof text] = { 0 };
            varve_error error = { 0 };
            cr_assert_ok(
                read_all(&o, bytes, sizeof bytes, piece, &error), error);
            cr_assert_eq(memcmp(bytes, text, sizeof text), 0);
        }
        close_entry(&o);
    }
}

static void check_damage(size_t at, unsigned char flip, bool is_deflated,
    const char *says)
{
    struct opened o;
    unsigned char bytes[sizeof text];
    varve_error error = { 0 };
    size_t size;
    open_entry(&o, is_deflated);
    memory_bytes(o.world.memory, "a.npz", &size)[
        o.zip.entries[0].data + at] ^= flip;
    cr_assert_eq(read_all(&o, bytes, sizeof bytes, 1000, &error),
        VARVE_CORRUPT, "%zu", at);
    cr_assert(strstr(error.message, says), "%s", error.message);
    close_entry(&o);
}

TEST(zip_stream, detects_a_flipped_bit)
{
    check_damage(4999, 1, false, "expected CRC-32");
    if (!vv_inflater_exists())
        return;
    check_damage(4999, 1, true, "expected CRC-32");
    check_damage(0, 6, true, "invalid deflated data");
    check_damage(0, 1, true, "the deflated data does not end within the entry");
}

/* The entry has another size than its deflated data. */
static void check_size(int64_t more, const char *says)
{
    struct opened o;
    unsigned char bytes[sizeof text + 1];
    varve_error error = { 0 };
    open_entry(&o, true);
    o.zip.entries[0].size += (uint64_t)more;
    size_t size = (size_t)o.zip.entries[0].size;
    cr_assert_eq(read_all(&o, bytes, size, size, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message, says), "%s", error.message);
    close_entry(&o);
}

TEST(zip_stream, detects_deflated_data_of_another_size)
{
    if (!vv_inflater_exists())
        return;
    check_size(1, "the deflated data ends early");
    check_size(-1, "the deflated data is larger than the size of the entry");
}

TEST(zip_stream, detects_trailing_bytes_of_deflated_data)
{
    struct opened o;
    unsigned char bytes[sizeof text];
    varve_error error = { 0 };
    if (!vv_inflater_exists())
        return;
    open_entry(&o, true);
    o.zip.entries[0].packed++;
    cr_assert_eq(read_all(&o, bytes, sizeof bytes, 5000, &error),
        VARVE_CORRUPT);
    cr_assert(strstr(error.message, "unread bytes at the end of the "
        "entry"), "%s",
        error.message);
    o.zip.entries[0].packed = 0;
    cr_assert_eq(read_all(&o, bytes, sizeof bytes, 5000, &error),
        VARVE_CORRUPT);
    close_entry(&o);
}

TEST(zip_stream, requires_exactly_all_bytes_to_be_read)
{
    struct opened o;
    unsigned char bytes[sizeof text + 1];
    varve_error error = { 0 };
    open_entry(&o, false);
    cr_assert_eq(read_all(&o, bytes, sizeof bytes, 5001, &error),
        VARVE_TRUNCATED);
    cr_assert_eq(read_all(&o, bytes, 4999, 5000, &error), VARVE_CORRUPT);
    cr_assert(strstr(error.message, "the end of the entry"), "%s",
        error.message);
    close_entry(&o);
}

TEST(zip_stream, returns_the_given_status_at_its_end)
{
    struct opened o;
    struct vv_zip_stream s;
    varve_error error = { 0 };
    open_entry(&o, false);
    cr_assert_ok(vv_zip_stream_begin(
        &s, &o.zip, &o.zip.entries[0], "x", &error), error);
    cr_assert_eq(
        vv_zip_stream_end(&s, VARVE_CANCELLED, &error), VARVE_CANCELLED);
    cr_assert_eq(error.status, VARVE_OK);
    close_entry(&o);
}

TEST(zip_stream, reports_a_build_without_zlib)
{
    struct opened o;
    unsigned char bytes[sizeof text];
    varve_error error = { 0 };
    if (vv_inflater_exists())
        return;
    open_entry(&o, true);
    cr_assert_eq(read_all(&o, bytes, sizeof bytes, 5000, &error),
        VARVE_TOO_NEW);
    cr_assert(strstr(error.message, "built without zlib"));
    close_entry(&o);
}

TEST(zip_stream, leaks_nothing_without_memory)
{
    struct opened o;
    varve_status status = VARVE_NO_MEMORY;
    if (!vv_inflater_exists())
        return;
    open_entry(&o, true);
    for (long n = 0; status; n++) {
        unsigned char bytes[sizeof text];
        varve_error error = { 0 };
        long before = test_block_count();
        test_fail_allocation(n, false);
        status = read_all(&o, bytes, sizeof bytes, 1000, &error);
        test_fail_allocation(-1, false);
        cr_assert(!status || status == VARVE_NO_MEMORY, "%s", error.message);
        cr_assert_eq(test_block_count(), before);
        cr_assert(n < 100);
    }
    close_entry(&o);
}
