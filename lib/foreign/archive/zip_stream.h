/* zip_stream.h - Reads the bytes of an entry of a zip archive sequentially,
 * inflating them and verifying the checksum.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_ZIP_STREAM_H
#define VV_ZIP_STREAM_H

#include "inflater.h"
#include "zip_in.h"

struct vv_zip_stream {
    const struct vv_zip *zip;
    const struct vv_zip_entry *entry;
    const char *where; /* for error messages */
    uint64_t left;     /* bytes not read yet */
    uint64_t taken;    /* packed bytes read from the file, including those in
                          `input` */
    uint32_t crc;
    bool is_at_end; /* of the deflated stream */
    struct vv_inflater *inflater;
    unsigned char *input;
    size_t input_at, input_size, input_room;
};

/* Begins at the first byte. Returns VARVE_TOO_NEW if the entry is deflated and
 * the library was built without zlib. */
varve_status vv_zip_stream_begin(struct vv_zip_stream *stream,
    const struct vv_zip *zip, const struct vv_zip_entry *entry,
    const char *where, varve_error *error);

/* Reads the next bytes. Returns VARVE_TRUNCATED or VARVE_CORRUPT if there are
 * not enough. */
varve_status vv_zip_stream_read(
    struct vv_zip_stream *stream, void *bytes, size_t size, varve_error *error);

/* Must be called after each successful begin. If `status` is VARVE_OK, checks
 * that the whole entry was read, and its checksum. With any other status,
 * including VARVE_CANCELLED, it only frees memory. Returns `status` or the
 * status of a new failure. */
varve_status vv_zip_stream_end(
    struct vv_zip_stream *stream, varve_status status, varve_error *error);

#endif
