/* zip_in.c - Reads and validates the directory of a zip archive, the header of
 * each entry, and the entries as a whole.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zip_in.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "checksum.h"
#include "failure.h"
#include "hash_table.h"
#include "inflater.h"
#include "name.h"
#include "try.h"

/* Size of a record of the directory without its name and extra fields. */
enum { RECORD_SIZE = 46 };

/* --- The end record ------------------------------------------------------- */

/* Reads a little-endian number. */
static inline uint16_t zip_load16(const unsigned char *at)
{
    return (uint16_t)(at[0] | at[1] << 8);
}

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
           zip_load16(at + 20) == left - END_SIZE;
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
    if (zip_load16(s.record + 4) != 0 || zip_load16(s.record + 6) != 0 ||
        zip_load16(s.record + 8) != zip_load16(s.record + 10))
        return zip_end_fail_end(
            &s, "the archive is split over several disks", error);
    end->count = zip_load16(s.record + 10);
    end->size = vv_load32(s.record + 12);
    end->offset = vv_load32(s.record + 16);
    VV_TRY(look_for_zip64(&s, end, error));
    if (end->size > s.first || end->offset != s.first - end->size)
        return zip_end_fail_end(
            &s, "the directory does not end where the record begins", error);
    if (end->count > end->size / RECORD_SIZE)
        return zip_end_fail_end(
            &s, "the directory is too small for its number of entries", error);
    end->offset += zip->span.begin;
    return VARVE_OK;
}

/* --- The directory -------------------------------------------------------- */

enum {
    LOCAL_SIZE = 30,
    ZIP64_EXTRA = 1,
    ENCRYPTED = 1 << 0,
    SIZES_BEHIND = 1 << 3,
    PATCHED = 1 << 5,
    STRONGLY_ENCRYPTED = 1 << 6,
    MASKED = 1 << 13,
};

static const char *zip_in_path_of(const struct vv_zip *zip)
{
    return zip->foreign->files[zip->span.file].path;
}

static varve_status fail_entry(const struct vv_zip *zip, uint64_t offset,
    varve_status status, const char *problem, varve_error *error)
{
    return vv_fail(error, status, "%s: entry at byte %" PRIu64 ": %s",
        zip_in_path_of(zip), offset, problem);
}

void vv_zip_where(const struct vv_zip *zip, const struct vv_zip_entry *entry,
    struct vv_buffer *where)
{
    const char *name = vv_zip_name(zip, entry);
    where->size = 0;
    vv_buffer_add_string(where, zip_in_path_of(zip));
    vv_buffer_add_string(where, ": \"");
    for (size_t i = 0; i < entry->name_size; i++) {
        unsigned char c = (unsigned char)name[i];
        vv_buffer_add8(where, c < ' ' || c == 127 ? '?' : c);
    }
    vv_buffer_add8(where, '"');
}

/* --- Extra fields --------------------------------------------------------- */

/* Numbers that do not fit in 32 bits and are in the zip64 extra field, in this
 * order. NULL: the number is not in it. */
struct large {
    uint64_t *numbers[3];
};

static bool take_large(
    const struct large *large, const unsigned char *at, size_t size)
{
    for (size_t i = 0; i < 3; i++) {
        if (!large->numbers[i])
            continue;
        if (size < 8)
            return false;
        *large->numbers[i] = vv_load64(at);
        at += 8;
        size -= 8;
    }
    return true;
}

/* Parses the extra fields. Returns false if they are malformed, or if the zip64
 * field is needed and does not occur exactly once. */
static bool read_fields(
    const struct large *large, const unsigned char *at, size_t size)
{
    bool is_wanted =
        large->numbers[0] || large->numbers[1] || large->numbers[2];
    bool is_found = false;
    while (size > 0) {
        if (size < 4 || zip_load16(at + 2) > size - 4)
            return false;
        size_t part = zip_load16(at + 2);
        if (zip_load16(at) == ZIP64_EXTRA) {
            if (is_found || !take_large(large, at + 4, part))
                return false;
            is_found = true;
        }
        at += 4 + part;
        size -= 4 + part;
    }
    return is_found || !is_wanted;
}

static uint64_t *if_large(uint64_t *number)
{
    return *number == UINT32_MAX ? number : NULL;
}

/* --- The directory -------------------------------------------------------- */

static varve_status check_features(const struct vv_zip *zip,
    const struct vv_zip_entry *e, uint64_t at, varve_error *error)
{
    if (e->flags & (ENCRYPTED | STRONGLY_ENCRYPTED | MASKED))
        return fail_entry(zip, at, VARVE_NOT_A_CHECKPOINT,
            "encrypted entries are not supported", error);
    if (e->flags & PATCHED)
        return fail_entry(zip, at, VARVE_NOT_A_CHECKPOINT,
            "patched data is not supported", error);
    if (e->method != VV_ZIP_STORED && e->method != VV_ZIP_DEFLATED)
        return vv_fail(error, VARVE_TOO_NEW,
            "%s: entry at byte %" PRIu64
            ": compression method %d is not supported, only stored (0) and "
            "deflated (8) are",
            zip_in_path_of(zip), at, e->method);
    if (e->method == VV_ZIP_STORED && e->packed != e->size)
        return fail_entry(zip, at, VARVE_CORRUPT,
            "the two sizes of a stored entry differ", error);
    /* Deflated data cannot expand by more. Checked so that no memory is
     * allocated for an impossible size. */
    if (e->size / VV_LARGEST_INFLATION > e->packed)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: entry at byte %" PRIu64
            ": deflated data can expand at most %d times, but the entry "
            "declares %" PRIu64 " bytes for %" PRIu64,
            zip_in_path_of(zip), at, VV_LARGEST_INFLATION, e->size, e->packed);
    return VARVE_OK;
}

/* Adds the name of the entry to the error message. */
static varve_status zip_in_name_failure(const struct vv_zip *zip,
    const struct vv_zip_entry *e, varve_status status, varve_error *error)
{
    if (status && status != VARVE_NO_MEMORY)
        vv_fail_of(error, zip_in_path_of(zip), "member", vv_zip_name(zip, e),
            e->name_size);
    return status;
}

/* Reads one record. Moves *at from its beginning to its end. */
static varve_status zip_in_read_record(const struct vv_zip *zip, size_t *at,
    struct vv_zip_entry *e, varve_error *error)
{
    const unsigned char *r = zip->directory + *at;
    size_t left = zip->directory_size - *at;
    uint64_t place = zip->directory_offset + *at;
    if (left < RECORD_SIZE || memcmp(r, "PK\001\002", 4) != 0)
        return fail_entry(
            zip, place, VARVE_CORRUPT, "not a record of the directory", error);
    size_t name_size = zip_load16(r + 28);
    size_t fields_size = zip_load16(r + 30);
    size_t size = name_size + fields_size + zip_load16(r + 32);
    if (size > left - RECORD_SIZE)
        return fail_entry(zip, place, VARVE_CORRUPT,
            "the record extends past the end of the directory", error);
    *e = (struct vv_zip_entry){
        .flags = zip_load16(r + 8),
        .method = zip_load16(r + 10),
        .crc = vv_load32(r + 16),
        .packed = vv_load32(r + 20),
        .size = vv_load32(r + 24),
        .offset = vv_load32(r + 42),
        .file = zip->span.file,
        .name = *at + RECORD_SIZE,
        .name_size = (uint16_t)name_size,
    };
    struct large large = { { if_large(&e->size), if_large(&e->packed),
        if_large(&e->offset) } };
    if (!read_fields(&large, r + RECORD_SIZE + name_size, fields_size))
        return fail_entry(
            zip, place, VARVE_CORRUPT, "the extra fields are malformed", error);
    if (__builtin_add_overflow(e->offset, zip->span.begin, &e->offset))
        e->offset = UINT64_MAX; /* past the directory; check_local rejects it */
    if (zip_load16(r + 34) != 0)
        return fail_entry(zip, place, VARVE_NOT_A_CHECKPOINT,
            "the archive is split over several disks", error);
    *at += RECORD_SIZE + size;
    return zip_in_name_failure(
        zip, e, check_features(zip, e, place, error), error);
}

static varve_status zip_in_read_directory(
    struct vv_zip *zip, const struct vv_zip_end *end, varve_error *error)
{
    const varve_allocator *a = &zip->foreign->context->allocator;
    size_t at = 0;
    if (end->count == 0 && end->size == 0)
        return VARVE_OK;
    if (end->size > SIZE_MAX)
        return vv_fail_memory(error, "the directory of an archive");
    zip->directory_offset = end->offset;
    zip->directory_size = (size_t)end->size;
    zip->directory = vv_allocate(a, zip->directory_size);
    zip->entries =
        vv_allocate_array(a, (size_t)end->count, sizeof *zip->entries);
    zip->count = zip->entries ? (size_t)end->count : 0;
    if (!zip->directory || (end->count > 0 && !zip->entries))
        return vv_fail_memory(error, "the directory of an archive");
    VV_TRY(vv_foreign_read(zip->foreign, zip->span.file, zip->directory,
        zip->directory_size, end->offset, error));
    for (size_t i = 0; i < zip->count; i++)
        VV_TRY(zip_in_read_record(zip, &at, &zip->entries[i], error));
    if (at != zip->directory_size)
        return fail_entry(zip, end->offset + at, VARVE_CORRUPT,
            "unexpected bytes after the last record of the directory", error);
    return VARVE_OK;
}

/* --- Local headers -------------------------------------------------------- */

static bool sizes_agree(const struct vv_zip_entry *e, const unsigned char *r,
    const unsigned char *fields, size_t fields_size)
{
    uint64_t packed = vv_load32(r + 18), size = vv_load32(r + 22);
    struct large large = { { if_large(&size), if_large(&packed), NULL } };
    if (!(e->flags & SIZES_BEHIND))
        return read_fields(&large, fields, fields_size) &&
               packed == e->packed && size == e->size &&
               vv_load32(r + 14) == e->crc;
    return read_fields(&(struct large){ { NULL } }, fields, fields_size);
}

static varve_status check_local(const struct vv_zip *zip,
    struct vv_zip_entry *e, struct vv_buffer *more, varve_error *error)
{
    unsigned char r[LOCAL_SIZE];
    uint64_t end = zip->directory_offset;
    if (e->offset > end || end - e->offset < LOCAL_SIZE)
        return fail_entry(zip, e->offset, VARVE_CORRUPT,
            "the header is not before the directory", error);
    VV_TRY(vv_foreign_read(
        zip->foreign, zip->span.file, r, sizeof r, e->offset, error));
    size_t name_size = zip_load16(r + 26);
    size_t size = name_size + zip_load16(r + 28);
    if (memcmp(r, VV_ZIP_ENTRY_MARK, 4) != 0)
        return fail_entry(
            zip, e->offset, VARVE_CORRUPT, "not the header of an entry", error);
    e->data = e->offset + LOCAL_SIZE + size;
    if (size > end - e->offset - LOCAL_SIZE || e->packed > end - e->data)
        return fail_entry(zip, e->offset, VARVE_CORRUPT,
            "the data extends into the directory", error);
    more->size = 0;
    if (size > 0 && !vv_buffer_extend(more, size))
        return vv_fail_memory(error, "the entry of an archive");
    VV_TRY(vv_foreign_read(zip->foreign, zip->span.file, more->data, size,
        e->offset + LOCAL_SIZE, error));
    /* `more` has no memory if name and fields are empty. */
    const unsigned char *name = size > 0 ? more->data : r;
    /* Programs differ in which of the two headers they use, so both must
     * agree. */
    if (name_size != e->name_size ||
        memcmp(name, vv_zip_name(zip, e), name_size) != 0 ||
        ((zip_load16(r + 6) ^ e->flags) & (ENCRYPTED | SIZES_BEHIND)) ||
        zip_load16(r + 8) != e->method ||
        !sizes_agree(e, r, name + name_size, size - name_size))
        return fail_entry(zip, e->offset, VARVE_CORRUPT,
            "name, method, sizes or CRC differ from those in the directory",
            error);
    return VARVE_OK;
}

/* --- Validation of all entries -------------------------------------------- */

static int compare_offsets(const void *a, const void *b)
{
    const struct vv_zip_entry *const *left = a, *const *right = b;
    return ((*left)->offset > (*right)->offset) -
           ((*left)->offset < (*right)->offset);
}

static varve_status check_overlaps(const struct vv_zip *zip, varve_error *error)
{
    const varve_allocator *a = &zip->foreign->context->allocator;
    struct vv_zip_entry **order =
        vv_allocate_array(a, zip->count, sizeof *order);
    varve_status status = VARVE_OK;
    if (!order)
        return vv_fail_memory(error, "the order of entries");
    for (size_t i = 0; i < zip->count; i++)
        order[i] = &zip->entries[i];
    qsort(order, zip->count, sizeof *order, compare_offsets);
    for (size_t i = 1; i < zip->count && !status; i++) {
        const struct vv_zip_entry *before = order[i - 1];
        if (before->data + before->packed > order[i]->offset)
            status = zip_in_name_failure(zip, order[i],
                fail_entry(zip, order[i]->offset, VARVE_CORRUPT,
                    "the entry overlaps the one before it", error),
                error);
    }
    vv_release(a, order, zip->count * sizeof *order);
    return status;
}

struct key {
    const struct vv_zip *zip;
    const struct vv_zip_entry *entry;
};

static bool zip_in_has_name(const void *item, const void *key)
{
    const struct key *k = key;
    const struct vv_zip_entry *e = item;
    return e->name_size == k->entry->name_size &&
           memcmp(vv_zip_name(k->zip, e), vv_zip_name(k->zip, k->entry),
               e->name_size) == 0;
}

static varve_status zip_in_check_names(
    const struct vv_zip *zip, varve_error *error)
{
    struct vv_map map;
    varve_status status = VARVE_OK;
    vv_map_init(&map, &zip->foreign->context->allocator);
    for (size_t i = 0; i < zip->count && !status; i++) {
        struct vv_zip_entry *e = &zip->entries[i];
        uint64_t hash = vv_hash_of(vv_zip_name(zip, e), e->name_size);
        if (vv_map_find(&map, hash, zip_in_has_name, &(struct key){ zip, e }))
            status = zip_in_name_failure(zip, e,
                fail_entry(
                    zip, e->offset, VARVE_CORRUPT, "duplicate name", error),
                error);
        else if (!vv_map_add(&map, hash, e))
            status = vv_fail_memory(error, "the names of entries");
    }
    vv_map_clear(&map);
    return status;
}

varve_status vv_zip_read(struct vv_zip *zip, const struct vv_foreign *foreign,
    struct vv_zip_span span, varve_error *error)
{
    struct vv_zip_end end;
    struct vv_buffer more;
    varve_status status = VARVE_OK;
    *zip = (struct vv_zip){ .foreign = foreign, .span = span };
    VV_TRY(vv_zip_find_end(zip, &end, error));
    VV_TRY(zip_in_read_directory(zip, &end, error));
    vv_buffer_init(&more, &foreign->context->allocator);
    for (size_t i = 0; i < zip->count && !status; i++) {
        struct vv_zip_entry *e = &zip->entries[i];
        status = zip_in_name_failure(
            zip, e, check_local(zip, e, &more, error), error);
    }
    vv_buffer_clear(&more);
    if (status || zip->count == 0)
        return status;
    VV_TRY(check_overlaps(zip, error));
    return zip_in_check_names(zip, error);
}

struct vv_zip_span vv_zip_whole(const struct vv_foreign *foreign, uint32_t file)
{
    return (
        struct vv_zip_span){ .file = file, .size = foreign->files[file].size };
}

bool vv_zip_take(struct vv_zip *zip, const struct vv_buffer *entries,
    const struct vv_buffer *names)
{
    const varve_allocator *a = &zip->foreign->context->allocator;
    zip->count = entries->size / sizeof *zip->entries;
    zip->entries = vv_allocate(a, entries->size);
    zip->directory_size = names->size;
    zip->directory = vv_allocate(a, names->size);
    if (zip->entries && entries->size > 0)
        memcpy(zip->entries, entries->data, entries->size);
    if (zip->directory && names->size > 0)
        memcpy(zip->directory, names->data, names->size);
    return (zip->entries || entries->size == 0) &&
           (zip->directory || names->size == 0);
}

void vv_zip_clear(struct vv_zip *zip)
{
    if (!zip->foreign)
        return;
    const varve_allocator *a = &zip->foreign->context->allocator;
    vv_release(a, zip->directory, zip->directory_size);
    vv_release(a, zip->entries, zip->count * sizeof *zip->entries);
    *zip = (struct vv_zip){ 0 };
}
