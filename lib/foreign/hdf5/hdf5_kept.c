/* hdf5_kept.c - Stores a letter and two terminated texts for a node.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_kept.h"

#include <string.h>

void vv_hdf5_keep(struct vv_hdf5_graph *g, size_t thing,
    enum vv_hdf5_kept_kind kind, const char *first, const char *second)
{
    struct vv_buffer *text = &g->text;
    vv_hdf5_thing_at(g, thing)->is_kept = true;
    text->size = 0;
    vv_buffer_add8(text, (uint8_t)kind);
    vv_buffer_add(text, first, strlen(first) + 1);
    vv_buffer_add(text, second, strlen(second) + 1);
    if (!text->failed)
        vv_draft_keep(
            g->draft, vv_hdf5_thing_at(g, thing)->node, text->data, text->size);
}

struct vv_hdf5_kept vv_hdf5_kept_of(
    const struct vv_target *target, uint32_t node)
{
    struct vv_hdf5_kept kept = { .kind = VV_HDF5_KEPT_NOTHING };
    size_t size = 0;
    const unsigned char *bytes =
        target->kept ? target->kept(target->user, node, &size) : NULL;
    if (!bytes || size < 3 || bytes[0] == VV_HDF5_KEPT_TYPE)
        return kept;
    kept.kind = (enum vv_hdf5_kept_kind)bytes[0];
    kept.first = (const char *)bytes + 1;
    kept.second = kept.first + strlen(kept.first) + 1;
    return kept;
}
