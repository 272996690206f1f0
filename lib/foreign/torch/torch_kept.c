/* torch_kept.c - Encodes each key as one byte followed by an 8-byte hash or by
 * a short name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_kept.h"

#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "checksum.h"
#include "failure.h"
#include "name.h"

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

/* --- Order of variables --------------------------------------------------- */

/* Sets the position plus 1 of all nodes in the entry of an edge. */
static void mark_entry(
    const struct vv_index *index, uint32_t edge, uint32_t *room)
{
    uint32_t begin, end;
    uint64_t position;
    size_t size;
    const char *name =
        vv_index_name(index, vv_at32(index->edge_names, edge), &size);
    if (!vv_parse_decimal(name, size, &position) || position >= UINT32_MAX)
        return;
    vv_index_edges(index, vv_at32(index->edge_children, edge), &begin, &end);
    for (; begin < end; begin++)
        room[vv_at32(index->edge_children, begin)] = (uint32_t)position + 1;
}

uint32_t vv_torch_child(
    const struct vv_index *index, uint32_t node, const char *name)
{
    uint32_t number = vv_index_find_name(index, name, strlen(name));
    return number == VV_NONE ? VV_NONE
                             : vv_index_find_child(index, node, number);
}

static void mark_state(
    const struct vv_index *index, uint32_t owner, uint32_t *room)
{
    uint32_t state = vv_torch_child(index, owner, "state");
    uint32_t begin, end;
    if (state == VV_NONE)
        return;
    vv_index_edges(index, state, &begin, &end);
    for (; begin < end; begin++)
        mark_entry(index, begin, room);
}

varve_status vv_torch_order(
    const struct vv_target *target, uint32_t *positions, varve_error *error)
{
    const struct vv_index *index = target->index;
    const varve_allocator *a = &target->context->allocator;
    uint32_t owner = VV_NONE;
    size_t size = index->node_count * sizeof(uint32_t);
    uint32_t *room = vv_allocate_zeroed(a, size);
    if (!room)
        return vv_fail_memory(error, "the order of parameters");
    for (uint32_t i = 0; i < index->slot_count; i++) {
        uint32_t variable = vv_at32(index->slot_variables, i);
        if (vv_at32(index->slot_owners, i) != owner) {
            owner = vv_at32(index->slot_owners, i);
            mark_state(index, owner, room);
        }
        if (!positions[variable])
            positions[variable] = room[vv_at32(index->slot_nodes, i)];
    }
    vv_release(a, room, size);
    return VARVE_OK;
}
