/* zip_end.c - Searches the end record of a zip archive backwards from the end
 * of the file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zip_end.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "failure.h"
#include "try.h"

enum {
    END_SIZE = 22,
    LOCATOR_SIZE = 20,
    END64_SIZE = 56,
    LONGEST_COMMENT = 65535,
};

/* The state of the search. Offsets are relative to the archive. */
struct search {
    const struct vv_zip *zip;
    const char *path;
    uint64_t file_size;
    uint64_t at;    /* offset of the end record */
    uint64_t first; /* offset of the first end record (zip64 or not), where the
                       directory ends */
    unsigned char record[END_SIZE];
};

static varve_status zip_end_read_at(const struct search *s, void *bytes,
    size_t size, uint64_t offset, varve_error *error)
{
    return vv_foreign_read(s->zip->foreign, s->zip->span.file, bytes, size,
        s->zip->span.begin + offset, error);
}

/* Returns true for an end record whose comment extends to the end of the
 * file. */
static bool zip_end_is_end(const unsigned char *at, size_t left)
{
    return left >= END_SIZE && memcmp(at, VV_ZIP_END_MARK, 4) == 0 &&
           vv_zip_load16(at + 20) == left - END_SIZE;
}

static varve_status search_back(struct search *s, varve_error *error)
{
    const varve_allocator *a = &s->zip->foreign->context->allocator;
    size_t size = END_SIZE + LONGEST_COMMENT;
    if (s->file_size < size)
        size = (size_t)s->file_size;
    unsigned char *bytes = vv_allocate(a, size);
    if (!bytes)
        return vv_fail_memory(error, "the end of an archive");
    varve_status status =
        zip_end_read_at(s, bytes, size, s->file_size - size, error);
    /* Searches backwards, because the size of the comment is only stored before
     * the comment. */
    size_t left = END_SIZE;
    while (
        !status && left <= size && !zip_end_is_end(bytes + size - left, left))
        left++;
    if (!status && left > size)
        status = vv_fail(error, VARVE_TRUNCATED,
            "%s: the last %zu bytes contain no end record of a zip archive: "
            "the file is truncated",
            s->path, size);
    if (!status) {
        s->at = s->file_size - left;
        memcpy(s->record, bytes + size - left, END_SIZE);
    }
    vv_release(a, bytes, size);
    return status;
}

/* Tries the last bytes first: most archives have no comment. */
static varve_status find_record(struct search *s, varve_error *error)
{
    if (s->file_size < END_SIZE)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: too short for a zip archive: it needs at least %d bytes and "
            "has %" PRIu64,
            s->path, END_SIZE, s->file_size);
    s->at = s->file_size - END_SIZE;
    VV_TRY(zip_end_read_at(s, s->record, END_SIZE, s->at, error));
    return zip_end_is_end(s->record, END_SIZE) ? VARVE_OK
                                               : search_back(s, error);
}

static varve_status zip_end_fail_end(
    const struct search *s, const char *problem, varve_error *error)
{
    return vv_fail(error, VARVE_CORRUPT,
        "%s: end record at byte %" PRIu64 ": %s", s->path,
        s->zip->span.begin + s->at, problem);
}

/* Returns true if a number of the end record is equal to that of the zip64
 * record, or has the value that refers to the zip64 record. */
static bool agrees(uint64_t small, uint64_t limit, uint64_t large)
{
    return small == limit || small == large;
}

static varve_status read_zip64(struct search *s, const unsigned char *locator,
    struct vv_zip_end *end, varve_error *error)
{
    unsigned char r[END64_SIZE];
    uint64_t at = vv_load64(locator + 8);
    s->first = at;
    if (vv_load32(locator + 4) != 0 || vv_load32(locator + 16) != 1)
        return zip_end_fail_end(
            s, "the archive is split over several disks", error);
    if (at > s->at - LOCATOR_SIZE || s->at - LOCATOR_SIZE - at < END64_SIZE)
        return zip_end_fail_end(s, "the zip64 record is not before it", error);
    VV_TRY(zip_end_read_at(s, r, sizeof r, at, error));
    if (memcmp(r, "PK\006\006", 4) != 0 ||
        vv_load64(r + 4) != s->at - LOCATOR_SIZE - at - 12)
        return zip_end_fail_end(
            s, "the zip64 record is missing or has the wrong size", error);
    if (vv_load32(r + 16) != 0 || vv_load32(r + 20) != 0 ||
        vv_load64(r + 24) != vv_load64(r + 32))
        return zip_end_fail_end(
            s, "the archive is split over several disks", error);
    if (!agrees(end->count, UINT16_MAX, vv_load64(r + 32)) ||
        !agrees(end->size, UINT32_MAX, vv_load64(r + 40)) ||
        !agrees(end->offset, UINT32_MAX, vv_load64(r + 48)))
        return zip_end_fail_end(s, "it differs from the zip64 record", error);
    end->count = vv_load64(r + 32);
    end->size = vv_load64(r + 40);
    end->offset = vv_load64(r + 48);
    return VARVE_OK;
}

static varve_status look_for_zip64(
    struct search *s, struct vv_zip_end *end, varve_error *error)
{
    unsigned char locator[LOCATOR_SIZE];
    s->first = s->at;
    if (s->at < LOCATOR_SIZE)
        return VARVE_OK;
    VV_TRY(zip_end_read_at(
        s, locator, sizeof locator, s->at - LOCATOR_SIZE, error));
    if (memcmp(locator, "PK\006\007", 4) != 0)
        return VARVE_OK;
    return read_zip64(s, locator, end, error);
}

varve_status vv_zip_find_end(
    const struct vv_zip *zip, struct vv_zip_end *end, varve_error *error)
{
    struct search s = { .zip = zip,
        .path = zip->foreign->files[zip->span.file].path,
        .file_size = zip->span.size };
    VV_TRY(find_record(&s, error));
    if (vv_zip_load16(s.record + 4) != 0 || vv_zip_load16(s.record + 6) != 0 ||
        vv_zip_load16(s.record + 8) != vv_zip_load16(s.record + 10))
        return zip_end_fail_end(
            &s, "the archive is split over several disks", error);
    end->count = vv_zip_load16(s.record + 10);
    end->size = vv_load32(s.record + 12);
    end->offset = vv_load32(s.record + 16);
    VV_TRY(look_for_zip64(&s, end, error));
    if (end->size > s.first || end->offset != s.first - end->size)
        return zip_end_fail_end(
            &s, "the directory does not end where the record begins", error);
    if (end->count > end->size / VV_ZIP_RECORD_SIZE)
        return zip_end_fail_end(
            &s, "the directory is too small for its number of entries", error);
    end->offset += zip->span.begin;
    return VARVE_OK;
}
