/* zip_in.h - Reads the directory of a zip archive (APPNOTE.TXT of PKWARE, 6.3)
 * and validates it strictly.
 *
 * The central directory lists the entries; the local header of each entry must
 * agree. Accepted: stored and deflated entries, zip64, and sizes after the
 * data, as in archives written to a pipe. Rejected: archives on several disks,
 * encryption, data before the first entry that the offsets do not include,
 * overlapping entries, and duplicate names.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ZIP_IN_H
#define VV_ZIP_IN_H

#include <varve/error.h>

#include "buffer.h"
#include "foreign.h"

/* --- The directory -------------------------------------------------------- */

/* The signature of an entry, and that at the start of an empty archive. */
#define VV_ZIP_ENTRY_MARK "PK\003\004"
#define VV_ZIP_END_MARK "PK\005\006"

enum vv_zip_method { VV_ZIP_STORED = 0, VV_ZIP_DEFLATED = 8 };

struct vv_zip_entry {
    /* to fill in: by vv_zip_read, or by a caller that gets entries elsewhere */
    uint64_t offset; /* of the local header */
    uint64_t data;   /* offset of the data */
    uint64_t packed; /* size of the data in the file */
    uint64_t size;   /* size of the data after decompression */
    size_t name;     /* offset of the name in the directory */
    uint32_t crc;    /* CRC-32 of the decompressed data */
    uint16_t name_size;
    uint16_t flags;
    uint16_t method; /* enum vv_zip_method */
    uint32_t file;   /* number of the file that contains the entry */
};

/* The range of a file that contains an archive. */
struct vv_zip_span {
    /* to fill in */
    uint32_t file;
    uint64_t begin;
    uint64_t size;
};

struct vv_zip {
    /* to fill in: as above */
    const struct vv_foreign *foreign;
    struct vv_zip_span span;
    struct vv_zip_entry *entries; /* in the order of the directory */
    size_t count;
    unsigned char *directory; /* the bytes of the directory */
    size_t directory_size;
    uint64_t directory_offset;
};

/* Reads and checks the directory and the local header of every entry. Returns
 * VARVE_CORRUPT, VARVE_TRUNCATED, VARVE_TOO_NEW for other compression methods,
 * or VARVE_NOT_A_CHECKPOINT for encrypted or split archives. The span must be
 * inside its file. Call vv_zip_clear after success and after failure. */
varve_status vv_zip_read(struct vv_zip *zip, const struct vv_foreign *foreign,
    struct vv_zip_span span, varve_error *error);
void vv_zip_clear(struct vv_zip *zip);

/* Returns the span of a whole file. */
struct vv_zip_span vv_zip_whole(
    const struct vv_foreign *foreign, uint32_t file);

/* Copies entries and names that were collected elsewhere into an archive that
 * has begun. Returns false if memory runs out. */
bool vv_zip_take(struct vv_zip *zip, const struct vv_buffer *entries,
    const struct vv_buffer *names);

static inline const char *vv_zip_name(
    const struct vv_zip *zip, const struct vv_zip_entry *entry)
{
    return (const char *)zip->directory + entry->name;
}

/* Sets `where` to the file and the entry, as the start of a message: "x.npz:
 * \"a.npy\"". */
void vv_zip_where(const struct vv_zip *zip, const struct vv_zip_entry *entry,
    struct vv_buffer *where);

/* --- The end record ------------------------------------------------------- */

/* Finds the end record of a zip archive, which locates its directory. */

struct vv_zip_end {
    uint64_t count;  /* number of entries */
    uint64_t offset; /* offset of the directory in the file */
    uint64_t size;   /* size of the directory */
};

/* Finds the end record and the zip64 record, if there is one, and checks that
 * they agree and that the directory ends where they begin. */
varve_status vv_zip_find_end(
    const struct vv_zip *zip, struct vv_zip_end *end, varve_error *error);

#endif
