/* value_out.c - Buffers values and writes them in blocks of up to one mebibyte.
 *
 * SPDX-License-Identifier: MIT
 */
#include "value_out.h"

#include "failure.h"
#include "file.h"
#include "try.h"

enum { STAGED_SIZE = 1 << 20 };

void vv_value_out_init(struct vv_value_out *out, const struct vv_target *target)
{
    *out = (struct vv_value_out){ .target = target };
    vv_buffer_init(&out->staged, &target->context->allocator);
}

void vv_value_out_clear(struct vv_value_out *out)
{
    vv_buffer_clear(&out->staged);
}

static varve_status value_out_write_now(struct vv_value_out *out,
    const void *bytes, size_t size, varve_error *error)
{
    const struct vv_publication *p = out->file;
    VV_TRY(vv_file_write(out->target->context, p->file, p->path, bytes, size,
        out->offset, error));
    out->offset += size;
    return VARVE_OK;
}

varve_status vv_value_out_flush(struct vv_value_out *out, varve_error *error)
{
    if (out->staged.failed)
        return vv_fail_memory(error, "buffered output");
    size_t size = out->staged.size;
    out->staged.size = 0;
    return size ? value_out_write_now(out, out->staged.data, size, error)
                : VARVE_OK;
}

varve_status vv_value_out_add(
    struct vv_value_out *out, uint32_t value, uint64_t size, varve_error *error)
{
    const struct vv_target *target = out->target;
    struct vv_source source;
    size_t part;
    VV_TRY(target->value(target->user, value, &source, error));
    if (out->staged.size + size > STAGED_SIZE)
        VV_TRY(vv_value_out_flush(out, error));
    for (uint64_t at = 0; at < size; at += part) {
        const unsigned char *bytes;
        part = vv_source_part(&source, size - at);
        VV_TRY(vv_source_piece(&source, at, part, &bytes, error));
        if (size > STAGED_SIZE)
            VV_TRY(value_out_write_now(out, bytes, part, error));
        else
            vv_buffer_add(&out->staged, bytes, part);
    }
    return VARVE_OK;
}
