/* zip_stream.h - the bytes of an entry of a zip archive, from its first to its
 * last, inflated and summed on the way.
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
    const char *where; /* for messages */
    uint64_t left;     /* bytes to come */
    uint64_t taken;    /* of the packed bytes; of these some are in `input` */
    uint32_t crc;
    bool is_at_end; /* of the deflated stream */
    struct vv_inflater *inflater;
    unsigned char *input;
    size_t input_at, input_size, input_room;
};

/* Begins at the first byte. VARVE_TOO_NEW for deflated ones without zlib. */
varve_status vv_zip_stream_begin(struct vv_zip_stream *stream,
    const struct vv_zip *zip, const struct vv_zip_entry *entry,
    const char *where, varve_error *error);

/* The next bytes. VARVE_CORRUPT where there are not as many. */
varve_status vv_zip_stream_read(
    struct vv_zip_stream *stream, void *bytes, size_t size, varve_error *error);

/* After every begin that succeeded. With VARVE_OK, checks that it was all, and
 * the sum; returns `status` or what failed now. A status other than VARVE_OK,
 * VARVE_CANCELLED too, gives up. */
varve_status vv_zip_stream_end(
    struct vv_zip_stream *stream, varve_status status, varve_error *error);

#endif
