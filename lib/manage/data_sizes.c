/* data_sizes.c - Counts each data file once, from the newest checkpoint to the
 * oldest.
 *
 * SPDX-License-Identifier: MIT
 */
#include "data_sizes.h"

#include <string.h>

#include "data_in.h"
#include "failure.h"
#include "try.h"

static bool is_known(const struct vv_buffer *nonces, const uint8_t *nonce)
{
    for (size_t at = 0; at < nonces->size; at += VV_NONCE_SIZE)
        if (memcmp(nonces->data + at, nonce, VV_NONCE_SIZE) == 0)
            return true;
    return false;
}

static void data_sizes_take_layers(struct vv_entry *entry,
    const struct vv_index *index, struct vv_buffer *nonces)
{
    if (vv_layer_is_inside(index))
        return;
    for (uint32_t i = 0; i < index->layer_count; i++) {
        const uint8_t *nonce = index->layer_nonces + (size_t)i * VV_NONCE_SIZE;
        if (is_known(nonces, nonce))
            continue;
        vv_buffer_add(nonces, nonce, VV_NONCE_SIZE);
        entry->data += vv_at64(index->layer_sizes, i);
    }
}

static varve_status find_one(struct vv_listing *l, struct vv_entry *entry,
    struct vv_buffer *nonces, varve_error *error)
{
    struct vv_opened opened;
    const char *path = vv_listing_path(l, &entry->number, VARVE_SUFFIX);
    varve_status status =
        l->path.failed ? VARVE_NO_MEMORY
                       : vv_data_in_open_index(&opened, l->context, path, NULL);
    if (status)
        return status == VARVE_NO_MEMORY
                   ? vv_fail_memory(error, "the layers of checkpoints")
                   : VARVE_OK;
    data_sizes_take_layers(entry, &opened.parsed.index, nonces);
    vv_opened_close(&opened);
    return nonces->failed ? vv_fail_memory(error, "the layers of checkpoints")
                          : VARVE_OK;
}

varve_status vv_data_sizes_find(
    struct vv_listing *l, uint64_t most, varve_error *error)
{
    struct vv_buffer nonces;
    uint64_t total = 0;
    varve_status status = VARVE_OK;
    for (size_t i = 0; i < l->count; i++)
        l->entries[i].data = 0;
    vv_buffer_init(&nonces, &l->context->allocator);
    for (size_t i = l->count; i-- > 0 && total <= most && !status;) {
        struct vv_entry *entry = &l->entries[i];
        if (!entry->is_ours || entry->is_damaged)
            continue;
        status = find_one(l, entry, &nonces, error);
        total += entry->size + entry->data;
    }
    vv_buffer_clear(&nonces);
    return status;
}
