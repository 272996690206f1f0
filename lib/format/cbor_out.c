/* cbor_out.c - Writes heads with libcbor's streaming encoders, which use the
 * shortest form and do not allocate memory.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cbor_out.h"

#include <cbor.h>

enum { MAX_HEAD_SIZE = 9 };

static void cbor_out_put(
    struct vv_cbor_out *out, const void *bytes, size_t size)
{
    if (!out->status && size > 0)
        out->status = out->sink(out->user, bytes, size, out->error);
}

void vv_cbor_put_unsigned(struct vv_cbor_out *out, uint64_t value)
{
    unsigned char head[MAX_HEAD_SIZE];
    cbor_out_put(out, head, cbor_encode_uint(value, head, sizeof head));
}

void vv_cbor_put_integer(struct vv_cbor_out *out, int64_t value)
{
    unsigned char head[MAX_HEAD_SIZE];
    if (value >= 0)
        vv_cbor_put_unsigned(out, (uint64_t)value);
    else /* CBOR stores a negative n as -1 - n */
        cbor_out_put(out, head,
            cbor_encode_negint((uint64_t)(-1 - value), head, sizeof head));
}

void vv_cbor_put_boolean(struct vv_cbor_out *out, bool value)
{
    unsigned char head[MAX_HEAD_SIZE];
    cbor_out_put(out, head, cbor_encode_bool(value, head, sizeof head));
}

void vv_cbor_put_bytes_head(struct vv_cbor_out *out, uint64_t size)
{
    unsigned char head[MAX_HEAD_SIZE];
    cbor_out_put(out, head,
        cbor_encode_bytestring_start((size_t)size, head, sizeof head));
}

void vv_cbor_put_bytes(struct vv_cbor_out *out, const void *bytes, size_t size)
{
    vv_cbor_put_bytes_head(out, size);
    cbor_out_put(out, bytes, size);
}

void vv_cbor_put_text(struct vv_cbor_out *out, const char *text, size_t size)
{
    unsigned char head[MAX_HEAD_SIZE];
    cbor_out_put(out, head, cbor_encode_string_start(size, head, sizeof head));
    cbor_out_put(out, text, size);
}

void vv_cbor_put_tag(struct vv_cbor_out *out, uint64_t number)
{
    unsigned char head[MAX_HEAD_SIZE];
    cbor_out_put(out, head, cbor_encode_tag(number, head, sizeof head));
}

void vv_cbor_put_map(struct vv_cbor_out *out, size_t count)
{
    unsigned char head[MAX_HEAD_SIZE];
    cbor_out_put(out, head, cbor_encode_map_start(count, head, sizeof head));
}
