/* zip_in.h - the directory of a zip archive (APPNOTE.TXT of PKWARE, 6.3), read
 * strictly.
 *
 * The central directory says what there is; the header before each entry has to
 * agree. Accepted: entries that are stored or deflated, zip64, sizes behind the
 * data (as an archive written to a pipe has them). Refused: several disks,
 * encryption, anything before the first entry that the offsets do not know of,
 * entries that overlap, names that come twice or are no UTF-8.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ZIP_IN_H
#define VV_ZIP_IN_H

#include <varve/error.h>

#include "buffer.h"
#include "foreign.h"

/* What begins an entry, and what an empty archive begins with. */
#define VV_ZIP_ENTRY_MARK "PK\003\004"
#define VV_ZIP_END_MARK "PK\005\006"

/* Bytes of a record of the directory without its name and what follows. */
enum { VV_ZIP_RECORD_SIZE = 46 };

enum vv_zip_method { VV_ZIP_STORED = 0, VV_ZIP_DEFLATED = 8 };

struct vv_zip_entry {
    /* to fill in: by vv_zip_read, or by who has such entries elsewhere */
    uint64_t offset; /* of the header before its data */
    uint64_t data;   /* where its bytes begin */
    uint64_t packed; /* how many there are in the file */
    uint64_t size;   /* and how many they stand for */
    size_t name;     /* where its name begins in the directory */
    uint32_t crc;    /* CRC-32 of those they stand for */
    uint16_t name_size;
    uint16_t flags;
    uint16_t method; /* enum vv_zip_method */
    uint32_t file;   /* which of the files it is in */
};

/* Bytes of a file that are an archive. */
struct vv_zip_span {
    /* to fill in */
    uint32_t file;
    uint64_t begin;
    uint64_t size;
};

struct vv_zip {
    /* to fill in: by the same */
    const struct vv_foreign *foreign;
    struct vv_zip_span span;
    struct vv_zip_entry *entries; /* in the order of the directory */
    size_t count;
    unsigned char *directory; /* its bytes */
    size_t directory_size;
    uint64_t directory_offset;
};

/* Reads and checks the directory and the header of every entry. VARVE_CORRUPT,
 * VARVE_TRUNCATED, VARVE_TOO_NEW for other ways to compress,
 * VARVE_NOT_A_CHECKPOINT for what is encrypted or in several parts. The span is
 * inside its file. End with vv_zip_clear, after success or failure. */
varve_status vv_zip_read(struct vv_zip *zip, const struct vv_foreign *foreign,
    struct vv_zip_span span, varve_error *error);
void vv_zip_clear(struct vv_zip *zip);

/* All of a file. */
struct vv_zip_span vv_zip_whole(
    const struct vv_foreign *foreign, uint32_t file);

/* Gives an archive, which has begun, the entries and the names of a directory
 * that was put together elsewhere. False without memory. */
bool vv_zip_take(struct vv_zip *zip, const struct vv_buffer *entries,
    const struct vv_buffer *names);

static inline const char *vv_zip_name(
    const struct vv_zip *zip, const struct vv_zip_entry *entry)
{
    return (const char *)zip->directory + entry->name;
}

/* Sets `where` to file and entry, as messages begin: "x.npz: \"a.npy\"". */
void vv_zip_where(const struct vv_zip *zip, const struct vv_zip_entry *entry,
    struct vv_buffer *where);

#endif
