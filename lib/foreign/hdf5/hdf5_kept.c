/* hdf5_kept.c - Stores a letter and two terminated texts for a node.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_kept.h"

#include <string.h>

#include "bytes.h"
#include "draft_parts.h"
#include "failure.h"
#include "try.h"

void vv_hdf5_keep(struct vv_hdf5_graph *g, size_t item,
    enum vv_hdf5_kept_kind kind, const char *first, const char *second)
{
    struct vv_buffer *text = &g->text;
    vv_hdf5_item_at(g, item)->is_kept = true;
    text->size = 0;
    vv_buffer_add8(text, (uint8_t)kind);
    vv_buffer_add(text, first, strlen(first) + 1);
    vv_buffer_add(text, second, strlen(second) + 1);
    if (!text->failed)
        vv_draft_keep(
            g->draft, vv_hdf5_item_at(g, item)->node, text->data, text->size);
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

/* --- Types ---------------------------------------------------------------- */

enum { KIND = 0, RANK = 1, SIZE = 2, SHAPE = 10, MOST_BYTES = 4096 };

/* --- Reading -------------------------------------------------------------- */

static bool is_state(
    const struct vv_hdf5_graph *g, const struct vv_hdf5_item *item)
{
    return !item->is_group && !item->is_kept &&
           vv_draft_node_at(g->draft, item->node)->kind == VARVE_STATE;
}

static uint64_t size_of(const struct vv_hdf5_object *what)
{
    uint64_t size = what->type.size;
    for (uint32_t i = 0; i < what->rank; i++)
        size *= what->extents[i]; /* which was found not to overflow */
    return size;
}

static varve_status keep_type(
    struct vv_hdf5_graph *g, const struct vv_hdf5_item *item, uint64_t *left)
{
    struct vv_hdf5_object what;
    unsigned char type[MOST_BYTES];
    size_t size = sizeof type;
    struct vv_hdf5_source *s = g->source;
    varve_error said = { VARVE_OK, 0, "" };
    if (s->calls->describe(s->file, item->object, &what, &said) ||
        s->calls->encode_type(s->file, item->object, type, &size, &said))
        return vv_hdf5_fail_at(s, item->path, &said, g->error);
    if (size == 0 || size > *left || strcmp(what.type.name, "state") == 0)
        return VARVE_OK;
    *left -= size;
    struct vv_buffer *kept = vv_emptied(&g->text);
    vv_buffer_add8(kept, VV_HDF5_KEPT_TYPE);
    vv_buffer_add8(kept, (uint8_t)what.rank);
    vv_buffer_add64(kept, size_of(&what));
    for (uint32_t i = 0; i < what.rank; i++)
        vv_buffer_add64(kept, what.extents[i]);
    vv_buffer_add(kept, type, size);
    if (kept->failed)
        return vv_fail_memory(g->error, "types of an HDF5 file");
    vv_draft_keep(g->draft, item->node, kept->data, kept->size);
    return VARVE_OK;
}

varve_status vv_hdf5_keep_types(struct vv_hdf5_graph *g)
{
    size_t count = g->items.size / sizeof(struct vv_hdf5_item);
    uint64_t left = g->source->size;
    for (size_t i = 0; i < count && !g->draft->failed; i++) {
        if (is_state(g, vv_hdf5_item_at(g, i)))
            VV_TRY(keep_type(g, vv_hdf5_item_at(g, i), &left));
    }
    return VARVE_OK;
}

/* --- Writing -------------------------------------------------------------- */

bool vv_hdf5_kept_type_of(
    const struct vv_target *target, uint32_t node, struct vv_hdf5_kept_type *k)
{
    size_t size = 0, at = SHAPE;
    const struct vv_index *index = target->index;
    uint32_t value = vv_index_find_value(index, node);
    const unsigned char *kept =
        target->kept ? target->kept(target->user, node, &size) : NULL;
    if (!kept || size < SHAPE || kept[KIND] != VV_HDF5_KEPT_TYPE ||
        value == VV_NONE || vv_index_kind(index, node) != VARVE_STATE ||
        vv_load64(kept + SIZE) != vv_at64(index->value_sizes, value))
        return false;
    *k = (struct vv_hdf5_kept_type){ .rank = kept[RANK] };
    for (uint32_t i = 0; i < k->rank; i++, at += 8)
        k->extents[i] = vv_load64(kept + at);
    k->type = kept + at;
    k->type_size = size - at;
    return true;
}

bool vv_hdf5_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name)
{
    static const char prefix[] = "hdf5:";
    struct vv_hdf5_kept_type kept;
    size_t size;
    const char *tag = vv_index_name(target->index, name, &size);
    return size >= sizeof prefix - 1 &&
           memcmp(tag, prefix, sizeof prefix - 1) == 0 &&
           vv_hdf5_kept_type_of(target, node, &kept);
}
