/* safetensors_string.c - The strings that were read are copied to a buffer, as
 * they are in a file of Varve: 8 bytes of the size, and the bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "safetensors_string.h"

#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "name.h"
#include "try.h"

enum { SIZE_SIZE = 8, MOST_BYTES = 1 << 16 };

/* --- Writing -------------------------------------------------------------- */

varve_status vv_safetensors_string_of(const struct vv_target *target,
    uint32_t value, const char **text, size_t *size, varve_error *error)
{
    const struct vv_index *index = target->index;
    struct vv_source source;
    const unsigned char *bytes;
    *text = NULL;
    if (index->value_dtypes[value] != VARVE_STRING ||
        !vv_index_is_saved(index, value) ||
        vv_index_tensor(index, target->table, value).rank != 0)
        return VARVE_OK;
    uint64_t all = vv_at64(index->value_sizes, value);
    if (all < SIZE_SIZE || all > SIZE_SIZE + MOST_BYTES)
        return VARVE_OK;
    VV_TRY(target->value(target->user, value, &source, error));
    VV_TRY(vv_source_piece(&source, 0, (size_t)all, &bytes, error));
    *size = (size_t)all - SIZE_SIZE;
    if (vv_utf8_is_valid((const char *)bytes + SIZE_SIZE, *size))
        *text = (const char *)bytes + SIZE_SIZE;
    return VARVE_OK;
}

/* --- Reading -------------------------------------------------------------- */

static varve_status safetensors_string_decode(const struct vv_foreign *foreign,
    uint64_t number, unsigned char *bytes, size_t size, varve_error *error)
{
    const struct vv_buffer *strings = foreign->state;
    (void)error;
    memcpy(bytes, strings->data + number, size);
    return VARVE_OK;
}

static void safetensors_string_free(struct vv_foreign *foreign)
{
    vv_buffer_clear(foreign->state);
    vv_release(
        &foreign->context->allocator, foreign->state, sizeof(struct vv_buffer));
    foreign->state = NULL;
}

static struct vv_buffer *safetensors_string_buffer(struct vv_foreign *foreign)
{
    const varve_allocator *a = &foreign->context->allocator;
    if (foreign->state)
        return foreign->state;
    struct vv_buffer *strings = vv_allocate(a, sizeof *strings);
    if (!strings)
        return NULL;
    vv_buffer_init(strings, a);
    foreign->state = strings;
    foreign->free = safetensors_string_free;
    foreign->decode = safetensors_string_decode;
    return strings;
}

bool vv_safetensors_add_string(struct vv_foreign *foreign,
    struct vv_draft *draft, const char *name, size_t name_size,
    const char *text, size_t size)
{
    static const varve_tensor type = { .dtype = VARVE_STRING };
    struct vv_buffer *strings = safetensors_string_buffer(foreign);
    if (!strings)
        return false;
    struct vv_place place = { .file = VV_DECODED, .offset = strings->size };
    vv_buffer_add64(strings, size);
    vv_buffer_add(strings, text, size);
    if (strings->failed)
        return false;
    uint32_t node = vv_draft_path(draft, VARVE_VARIABLE, name, name_size);
    vv_draft_value(draft, node, &type, SIZE_SIZE + (uint64_t)size, &place);
    return true;
}
