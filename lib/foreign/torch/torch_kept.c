/* torch_kept.c - Encodes each key as one byte followed by an 8-byte hash or by
 * a short name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_kept.h"

#include "bytes.h"
#include "checksum.h"

enum { IS_NONE = 0x80, LONGEST_OF_NONE = 64 };

enum vv_torch_was vv_torch_was(const struct vv_pickle *p, uint32_t number)
{
    const struct vv_pickle_item *item = vv_pickle_item(p, number);
    switch ((enum vv_pickle_kind)item->kind) {
    case VV_PICKLE_BOOL:
    case VV_PICKLE_INTEGER:
    case VV_PICKLE_REAL: return VV_TORCH_WAS_NUMBER;
    case VV_PICKLE_LONG: return VV_TORCH_WAS_LONG;
    case VV_PICKLE_BYTES: return VV_TORCH_WAS_BYTES;
    case VV_PICKLE_DICT: return VV_TORCH_WAS_DICT;
    case VV_PICKLE_TUPLE: return VV_TORCH_WAS_TUPLE;
    case VV_PICKLE_CALL: break;
    default: return VV_TORCH_WAS_LIST;
    }
    if (vv_pickle_is_text(p, vv_pickle_item(p, item->a)->b, "scalar"))
        return VV_TORCH_WAS_NUMBER;
    if (vv_pickle_is_global(p, item->a, "_codecs", "encode"))
        return VV_TORCH_WAS_BYTES;
    if (vv_pickle_is_global(p, item->a, "collections", "OrderedDict"))
        return VV_TORCH_WAS_ORDERED;
    return item->holds == VV_PICKLE_DICT ? VV_TORCH_WAS_DICT
                                         : VV_TORCH_WAS_LIST;
}

void vv_torch_kept_add(struct vv_buffer *kept, enum vv_pickle_kind kind,
    const struct vv_torch_name *name, bool is_none)
{
    if (is_none && name->size > LONGEST_OF_NONE)
        return;
    vv_buffer_add8(kept, (uint8_t)(kind | (is_none ? IS_NONE : 0)));
    if (is_none) {
        vv_buffer_add8(kept, (uint8_t)name->size);
        vv_buffer_add(kept, name->bytes, name->size);
    } else {
        vv_buffer_add64(kept, vv_hash_of(name->bytes, name->size));
    }
}

bool vv_torch_kept_next(const unsigned char *kept, size_t size, size_t *at,
    struct vv_torch_kept_key *key)
{
    if (*at >= size)
        return false;
    unsigned head = kept[(*at)++];
    *key = (struct vv_torch_kept_key){
        .kind = (enum vv_pickle_kind)(head & ~(unsigned)IS_NONE),
        .is_none = head & IS_NONE,
    };
    if (key->is_none) {
        key->size = kept[(*at)++];
        key->name = (const char *)kept + *at;
        *at += key->size;
    } else {
        key->hash = vv_load64(kept + *at);
        *at += 8;
    }
    return true;
}
