/* cbor_out.h - Writes CBOR items in their deterministic form into a sink. The
 * first failure is kept in `status` and later calls do nothing, so callers need
 * to check `status` only at the end.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_CBOR_OUT_H
#define VV_CBOR_OUT_H

#include <varve/error.h>

typedef varve_status vv_cbor_sink(
    void *user, const void *bytes, size_t size, varve_error *error);

struct vv_cbor_out {
    vv_cbor_sink *sink;
    void *user;
    varve_error *error;
    varve_status status;
};

void vv_cbor_put_unsigned(struct vv_cbor_out *out, uint64_t value);
void vv_cbor_put_integer(struct vv_cbor_out *out, int64_t value);
void vv_cbor_put_boolean(struct vv_cbor_out *out, bool value);
void vv_cbor_put_bytes(struct vv_cbor_out *out, const void *bytes, size_t size);
void vv_cbor_put_text(struct vv_cbor_out *out, const char *text, size_t size);

/* Writes the head of a byte string of `size` bytes. The caller passes the bytes
 * to the sink. */
void vv_cbor_put_bytes_head(struct vv_cbor_out *out, uint64_t size);

/* Writes a tag, which applies to the next item. */
void vv_cbor_put_tag(struct vv_cbor_out *out, uint64_t number);

/* Writes the head of a map. The caller writes `count` pairs next. */
void vv_cbor_put_map(struct vv_cbor_out *out, size_t count);

#endif
