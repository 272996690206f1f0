/* zip_out.c - Writes the data of an entry before its local header, which
 * contains the checksum.
 *
 * SPDX-License-Identifier: MIT
 */
#include "zip_out.h"

#include <string.h>

#include "bytes.h"
#include "crc.h"
#include "failure.h"
#include "file.h"
#include "try.h"

enum {
    LOCAL_SIZE = 30,
    LARGE_FIELD = 20,    /* size of the zip64 field in the local header: id,
                            size and two sizes */
    PADDING_ID = 0xd935, /* as zipalign: the alignment, then zeros */
    SMALLEST_PADDING = 6,
    AS_UTF8 = 1 << 11,
    FIRST_DAY = 0x0021, /* 1980-01-01 */
    PLAIN_VERSION = 20,
    LARGE_VERSION = 45,
    MADE_ON_UNIX = 3,
    LAST16 = 0xffff,
};

static const uint64_t LAST32 = UINT32_MAX; /* refers to the zip64 field */
static const uint32_t MODE = UINT32_C(0100644) << 16;

void vv_zip_out_init(struct vv_zip_out *zip, const struct vv_context *context,
    int file, const char *path)
{
    *zip = (struct vv_zip_out){
        .context = context, .file = file, .path = path, .padding = PADDING_ID
    };
    vv_buffer_init(&zip->directory, &context->allocator);
    vv_buffer_init(&zip->local, &context->allocator);
}

void vv_zip_out_clear(struct vv_zip_out *zip)
{
    vv_buffer_clear(&zip->directory);
    vv_buffer_clear(&zip->local);
}

static void add16(struct vv_buffer *b, uint64_t value)
{
    vv_buffer_add8(b, (uint8_t)value);
    vv_buffer_add8(b, (uint8_t)(value >> 8));
}

/* Returns the content of a 32-bit field for a number that may be larger. */
static uint32_t in32(uint64_t value)
{
    return value < LAST32 ? (uint32_t)value : UINT32_MAX;
}

/* --- Entries -------------------------------------------------------------- */

static bool is_ascii(const char *name, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)name[i] >= 128)
            return false;
    }
    return true;
}

static void add_padding(struct vv_zip_out *zip, size_t size)
{
    if (size == 0)
        return;
    add16(&zip->local, zip->padding);
    add16(&zip->local, size - 4);
    add16(&zip->local, VV_ZIP_ALIGNMENT);
    for (size_t i = SMALLEST_PADDING; i < size; i++)
        vv_buffer_add8(&zip->local, 0);
}

/* Returns the number of bytes between the name and the next aligned offset. */
static size_t padding_at(uint64_t offset)
{
    uint64_t size = vv_align_up(offset, VV_ZIP_ALIGNMENT) - offset;
    if (size > 0 && size < SMALLEST_PADDING)
        size += VV_ZIP_ALIGNMENT;
    return (size_t)size;
}

/* Builds the local header without the checksum, which vv_zip_out_end adds. */
varve_status vv_zip_out_begin(struct vv_zip_out *zip, const char *name,
    size_t name_size, uint64_t size, varve_error *error)
{
    struct vv_buffer *b = &zip->local;
    bool is_large = size >= LAST32;
    size_t field = is_large ? LARGE_FIELD : 0;
    size_t padding = padding_at(zip->offset + LOCAL_SIZE + name_size + field);
    zip->begin = zip->offset;
    zip->size = size;
    zip->crc = 0;
    zip->is_ascii = is_ascii(name, name_size);
    b->size = 0;
    vv_buffer_add(b, "PK\003\004", 4);
    add16(b, is_large ? LARGE_VERSION : PLAIN_VERSION);
    add16(b, zip->is_ascii ? 0 : AS_UTF8);
    add16(b, 0); /* stored */
    add16(b, 0);
    add16(b, FIRST_DAY);
    vv_buffer_add32(b, 0);
    vv_buffer_add32(b, in32(size));
    vv_buffer_add32(b, in32(size));
    add16(b, name_size);
    add16(b, field + padding);
    vv_buffer_add(b, name, name_size);
    if (is_large) {
        add16(b, 1);
        add16(b, 16);
        vv_buffer_add64(b, size);
        vv_buffer_add64(b, size);
    }
    add_padding(zip, padding);
    zip->offset += b->size;
    return b->failed ? vv_fail_memory(error, "an entry") : VARVE_OK;
}

varve_status vv_zip_out_write(
    struct vv_zip_out *zip, const void *bytes, size_t size, varve_error *error)
{
    VV_TRY(vv_file_write(
        zip->context, zip->file, zip->path, bytes, size, zip->offset, error));
    zip->crc = vv_crc32(zip->crc, bytes, size);
    zip->offset += size;
    return VARVE_OK;
}

/* Adds the numbers that do not fit in 32 bits, in the order of the zip64
 * field. */
static void add_large(struct vv_buffer *b, const struct vv_zip_out *zip)
{
    bool has_size = zip->size >= LAST32, has_place = zip->begin >= LAST32;
    if (!has_size && !has_place)
        return;
    add16(b, 1);
    add16(b, (has_size ? 16u : 0u) + (has_place ? 8u : 0u));
    if (has_size) {
        vv_buffer_add64(b, zip->size);
        vv_buffer_add64(b, zip->size);
    }
    if (has_place)
        vv_buffer_add64(b, zip->begin);
}

static void zip_out_add_record(struct vv_zip_out *zip)
{
    struct vv_buffer *b = &zip->directory;
    size_t name_size = zip->local.data[26] | (size_t)zip->local.data[27] << 8;
    bool has_size = zip->size >= LAST32, has_place = zip->begin >= LAST32;
    size_t fields = (has_size ? 16u : 0u) + (has_place ? 8u : 0u);
    unsigned version = has_size || has_place ? LARGE_VERSION : PLAIN_VERSION;
    vv_buffer_add(b, "PK\001\002", 4);
    add16(b, MADE_ON_UNIX << 8 | version);
    add16(b, version);
    vv_buffer_add(b, zip->local.data + 6, 8); /* from the flags to the date */
    vv_buffer_add32(b, zip->crc);
    vv_buffer_add32(b, in32(zip->size));
    vv_buffer_add32(b, in32(zip->size));
    add16(b, name_size);
    add16(b, fields ? fields + 4 : 0);
    add16(b, 0); /* no comment */
    add16(b, 0); /* disk */
    add16(b, 0);
    vv_buffer_add32(b, MODE);
    vv_buffer_add32(b, in32(zip->begin));
    vv_buffer_add(b, zip->local.data + LOCAL_SIZE, name_size);
    add_large(b, zip);
}

varve_status vv_zip_out_end(struct vv_zip_out *zip, varve_error *error)
{
    vv_store32(zip->local.data + 14, zip->crc);
    zip_out_add_record(zip);
    zip->count++;
    if (zip->directory.failed)
        return vv_fail_memory(error, "the directory of an archive");
    return vv_file_write(zip->context, zip->file, zip->path, zip->local.data,
        zip->local.size, zip->begin, error);
}

/* --- Finishing ------------------------------------------------------------ */

static void add_end64(struct vv_buffer *b, const struct vv_zip_out *zip)
{
    uint64_t size = b->size, at = zip->offset + size;
    vv_buffer_add(b, "PK\006\006", 4);
    vv_buffer_add64(b, 44);
    add16(b, MADE_ON_UNIX << 8 | LARGE_VERSION);
    add16(b, LARGE_VERSION);
    vv_buffer_add32(b, 0);
    vv_buffer_add32(b, 0);
    vv_buffer_add64(b, zip->count);
    vv_buffer_add64(b, zip->count);
    vv_buffer_add64(b, size);
    vv_buffer_add64(b, zip->offset);
    vv_buffer_add(b, "PK\006\007", 4);
    vv_buffer_add32(b, 0);
    vv_buffer_add64(b, at);
    vv_buffer_add32(b, 1);
}

varve_status vv_zip_out_finish(struct vv_zip_out *zip, varve_error *error)
{
    struct vv_buffer *b = &zip->directory;
    uint64_t size = b->size;
    uint64_t count = zip->count < LAST16 ? zip->count : LAST16;
    if (zip->count >= LAST16 || size >= LAST32 || zip->offset >= LAST32)
        add_end64(b, zip);
    vv_buffer_add(b, "PK\005\006", 4);
    vv_buffer_add32(b, 0);
    add16(b, count);
    add16(b, count);
    vv_buffer_add32(b, in32(size));
    vv_buffer_add32(b, in32(zip->offset));
    add16(b, 0);
    if (b->failed)
        return vv_fail_memory(error, "the directory of an archive");
    return vv_file_write(zip->context, zip->file, zip->path, b->data, b->size,
        zip->offset, error);
}
