/* target_npz.c - Fuzzes archives of NumPy arrays.
 *
 * An input that begins with "PK" is used as an archive. Any other input
 * consists of parts separated by 0x1e, from which an archive with valid
 * checksums and sizes is made. The first byte contains flags of the archive.
 * Each part is an entry: its name, 0x1f, a byte of flags, and its content.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "bytes.h"
#include "crc.h"
#include "fuzz/fuzz.h"
#include "fuzz/places.h"
#include "inflater.h"

enum { PART = 0x1e, FIELD = 0x1f, MOST_BYTES = 256 * 1024, MOST_PARTS = 32 };

enum entry_flag {
    ENTRY_DEFLATED = 1, /* the content is a deflated stream */
    /* the content is deflated here, as one stored block */
    ENTRY_IN_A_BLOCK = 2,
    ENTRY_ZIP64 = 4,
    ENTRY_SIZES_BEHIND = 8,
    /* the text of a header, 0x1f, the data; the rest of the array is added */
    ENTRY_IS_TEXT = 16,
    ENTRY_VERSION_2 = 32,
};

enum { ARCHIVE_ZIP64 = 1, ARCHIVE_COMMENT = 2 };

struct out {
    uint8_t bytes[MOST_BYTES];
    size_t size;
};

/* The output for an input; too large for the stack of a target. */
struct making {
    struct out file, directory, content;
    uint8_t inflated[MOST_BYTES / 4];
    size_t count;
};

static void add(struct out *out, const void *bytes, size_t size)
{
    if (size > MOST_BYTES - out->size)
        return;
    memcpy(out->bytes + out->size, bytes, size);
    out->size += size;
}

static void add_number(struct out *out, uint64_t number, size_t width)
{
    uint8_t bytes[8];
    vv_store64(bytes, number);
    add(out, bytes, width);
}

static size_t until(const uint8_t *bytes, size_t size, int mark)
{
    const uint8_t *at = size ? memchr(bytes, mark, size) : NULL;
    return at ? (size_t)(at - bytes) : size;
}

/* --- Content of an entry -------------------------------------------------- */

static void add_array(
    struct out *out, const uint8_t *bytes, size_t size, unsigned flags)
{
    size_t header = until(bytes, size, FIELD);
    size_t data = header + (header < size);
    bool is_second = flags & ENTRY_VERSION_2;
    add(out, is_second ? "\x93NUMPY\2" : "\x93NUMPY\1", 8);
    add_number(out, header, is_second ? 4 : 2);
    add(out, bytes, header);
    add(out, bytes + data, size - data);
}

static void *allocate(
    void *user, void *old, size_t old_size, size_t new_size)
{
    (void)user;
    (void)old_size;
    if (new_size == 0) {
        free(old);
        return NULL;
    }
    return realloc(old, new_size);
}

/* Sets the decompressed size of a stream and its checksum, up to the first
 * error. */
static size_t inflate_all(struct making *m, const uint8_t *bytes, size_t size)
{
    varve_allocator a = { .function = allocate };
    struct vv_inflater *inflater = vv_inflater_new(&a, VV_DEFLATED);
    unsigned char *out = m->inflated;
    size_t room = sizeof m->inflated, before;
    do {
        before = size + room;
        if (!inflater || vv_inflate(inflater, &bytes, &size, &out, &room) !=
                VV_INFLATION_ON)
            break;
    } while (room > 0 && size + room < before);
    vv_inflater_free(&a, inflater);
    return sizeof m->inflated - room;
}

struct entry {
    const uint8_t *name;
    size_t name_size;
    unsigned flags;
    uint32_t crc;
    size_t size, packed, offset;
};

/* Makes m->content. */
static void make_content(struct making *m, struct entry *e,
    const uint8_t *bytes, size_t size)
{
    struct out *out = &m->content;
    out->size = 0;
    if (e->flags & ENTRY_DEFLATED) {
        add(out, bytes, size);
        e->size = inflate_all(m, bytes, size);
        e->crc = vv_crc32(0, m->inflated, e->size);
    } else {
        size_t begin = 0;
        if (e->flags & ENTRY_IN_A_BLOCK) {
            add(out, "\1\0\0\0\0", 5);
            begin = 5;
        }
        if (e->flags & ENTRY_IS_TEXT)
            add_array(out, bytes, size, e->flags);
        else
            add(out, bytes, size);
        e->size = out->size - begin;
        e->crc = vv_crc32(0, out->bytes + begin, e->size);
        if (begin)
            vv_store32(out->bytes + 1,
                (uint32_t)((e->size & 0xffff) | ~e->size << 16));
    }
    e->packed = out->size;
}

/* --- Archive -------------------------------------------------------------- */

static void add_header(struct out *out, const struct entry *e, bool is_local)
{
    bool is_large = e->flags & ENTRY_ZIP64;
    bool is_behind = is_local && (e->flags & ENTRY_SIZES_BEHIND);
    bool is_deflated = e->flags & (ENTRY_DEFLATED | ENTRY_IN_A_BLOCK);
    uint64_t none = is_large ? UINT32_MAX : 0;
    add(out, is_local ? "PK\3\4" : "PK\1\2\x14\3", is_local ? 4 : 6);
    add_number(out, is_large ? 45 : 20, 2);
    add_number(out, e->flags & ENTRY_SIZES_BEHIND, 2);
    add_number(out, is_deflated ? 8 : 0, 2);
    add_number(out, 0x210000, 4);
    add_number(out, is_behind ? 0 : e->crc, 4);
    add_number(out, is_large || is_behind ? none : e->packed, 4);
    add_number(out, is_large || is_behind ? none : e->size, 4);
    add_number(out, e->name_size, 2);
    add_number(out, is_large ? 20 : 0, 2);
    if (!is_local) {
        add(out, "\0\0\0\0\0\0\0\0\0\0", 10);
        add_number(out, e->offset, 4);
    }
    add(out, e->name, e->name_size);
    if (is_large) {
        add_number(out, 0x100001, 4);
        add_number(out, e->size, 8);
        add_number(out, e->packed, 8);
    }
}

static void add_part(struct making *m, const uint8_t *part, size_t size)
{
    struct entry e = { .name = part, .offset = m->file.size };
    size_t at = e.name_size = until(part, size, FIELD);
    at += at < size;
    if (at < size)
        e.flags = part[at++];
    if (e.name_size > 0xffff || m->count == MOST_PARTS)
        return;
    make_content(m, &e, part + at, size - at);
    add_header(&m->file, &e, true);
    add(&m->file, m->content.bytes, m->content.size);
    add_header(&m->directory, &e, false);
    m->count++;
}

static void add_end64(struct making *m, size_t begin)
{
    struct out *out = &m->file;
    uint64_t at = out->size;
    add(out, "PK\6\6", 4);
    add_number(out, 44, 8);
    add_number(out, 0x2d002d, 4);
    add_number(out, 0, 8);
    add_number(out, m->count, 8);
    add_number(out, m->count, 8);
    add_number(out, m->directory.size, 8);
    add_number(out, begin, 8);
    add(out, "PK\6\7\0\0\0\0", 8);
    add_number(out, at, 8);
    add_number(out, 1, 4);
}

static void add_end(struct making *m, unsigned flags)
{
    struct out *out = &m->file;
    size_t begin = out->size;
    add(out, m->directory.bytes, m->directory.size);
    if (flags & ARCHIVE_ZIP64)
        add_end64(m, begin);
    add(out, "PK\5\6\0\0\0\0", 8);
    add_number(out, m->count, 2);
    add_number(out, m->count, 2);
    add_number(out, m->directory.size, 4);
    add_number(out, begin, 4);
    add_number(out, flags & ARCHIVE_COMMENT ? 3 : 0, 2);
    if (flags & ARCHIVE_COMMENT)
        add(out, "PK\5", 3);
}

static void make_archive(struct making *m, const uint8_t *bytes, size_t size)
{
    for (size_t begin = 1; begin < size;) {
        size_t part = until(bytes + begin, size - begin, PART);
        add_part(m, bytes + begin, part);
        begin += part + 1;
    }
    add_end(m, bytes[0]);
}

void fuzz_npz(const uint8_t *bytes, size_t size)
{
    size = fuzz_file_size(bytes, size);
    places_run(bytes, size);
    if (size == 0 || bytes[0] == 'P')
        return;
    struct making *m = malloc(sizeof *m);
    m->file.size = m->directory.size = m->count = 0;
    make_archive(m, bytes, size);
    /* allocated exactly, so that reads past the end are detected */
    uint8_t *exactly = malloc(m->file.size);
    memcpy(exactly, m->file.bytes, m->file.size);
    places_run(exactly, m->file.size);
    free(exactly);
    free(m);
}
