/* npy_kept.c - Stores the rank, the extents and the text of a type, and adds
 * the node, the value and the tag of an array.
 *
 * SPDX-License-Identifier: MIT
 */
#include "npy_kept.h"

#include <string.h>

#include "bytes.h"

/* --- Types that Varve does not have --------------------------------------- */

enum {
    STRUCTURED = 0, /* offsets of the fields */
    FORTRAN = 1,
    VERSION = 2,
    RANK = 3,
    SIZE = 4,
    SHAPE = 12,
    LONGEST_DESCR = 4096,
};

/* Stores the type and the shape of a header that was just parsed with a node of
 * the draft. A type whose text is longer than 4 KiB is not stored. */
static void npy_keep(
    struct vv_draft *draft, uint32_t node, const struct vv_npy_header *h)
{
    unsigned char kept[SHAPE + 8 * VARVE_MAX_RANK + LONGEST_DESCR];
    size_t size = SHAPE;
    if (h->descr_size > LONGEST_DESCR)
        return;
    kept[STRUCTURED] = h->is_structured;
    kept[FORTRAN] = h->is_fortran;
    kept[VERSION] = (unsigned char)h->version;
    kept[RANK] = (unsigned char)h->type.rank;
    vv_store64(kept + SIZE, h->size);
    for (uint32_t i = 0; i < h->type.rank; i++, size += 8)
        vv_store64(kept + size, h->type.shape[i]);
    if (h->descr_size > 0)
        memcpy(kept + size, h->descr, h->descr_size);
    vv_draft_keep(draft, node, kept, size + h->descr_size);
}

bool vv_npy_kept_of(
    const struct vv_target *target, uint32_t node, struct vv_npy_header *h)
{
    size_t size = 0, at = SHAPE;
    const struct vv_index *index = target->index;
    uint32_t value = vv_index_find_value(index, node);
    const unsigned char *kept =
        target->kept ? target->kept(target->user, node, &size) : NULL;
    if (!kept || value == VV_NONE ||
        vv_index_kind(index, node) != VARVE_STATE ||
        vv_load64(kept + SIZE) != vv_at64(index->value_sizes, value))
        return false;
    *h = (struct vv_npy_header){ .kind = VV_NPY_OPAQUE,
        .size = vv_load64(kept + SIZE),
        .is_structured = kept[STRUCTURED],
        .is_fortran = kept[FORTRAN],
        .version = kept[VERSION] };
    h->type.rank = kept[RANK];
    for (uint32_t i = 0; i < h->type.rank; i++, at += 8)
        h->type.shape[i] = vv_load64(kept + at);
    h->descr = (const char *)kept + at;
    h->descr_size = size - at;
    return true;
}

bool vv_npy_keeps_tag(
    const struct vv_target *target, uint32_t node, uint32_t name)
{
    struct vv_npy_header h;
    struct vv_buffer tag;
    size_t size;
    if (!vv_npy_kept_of(target, node, &h))
        return false;
    const char *text = vv_index_name(target->index, name, &size);
    vv_buffer_init(&tag, &target->context->allocator);
    vv_npy_tag(&h, &tag);
    bool keeps =
        !tag.failed && tag.size == size && memcmp(tag.data, text, size) == 0;
    vv_buffer_clear(&tag);
    return keeps;
}

/* --- Adding arrays -------------------------------------------------------- */

static void npy_draft_add_state(struct vv_draft *draft,
    const struct vv_npy_header *h, const struct vv_npy_item *t)
{
    struct vv_buffer tag;
    uint32_t node = vv_draft_path(draft, VARVE_STATE, t->name, t->name_size);
    vv_buffer_init(&tag, &draft->context->allocator);
    vv_npy_tag(h, &tag);
    const char *text = vv_buffer_string(&tag);
    if (tag.failed)
        vv_draft_fail(draft, VARVE_NO_MEMORY, "out of memory: a tag");
    vv_draft_state(draft, node, h->size, &t->place);
    vv_draft_tag(draft, node, text);
    npy_keep(draft, node, h);
    vv_buffer_clear(&tag);
}

void vv_npy_add(struct vv_draft *draft, const struct vv_npy_header *h,
    const struct vv_npy_item *t)
{
    if (h->kind == VV_NPY_OPAQUE) {
        npy_draft_add_state(draft, h, t);
        return;
    }
    uint32_t node = vv_draft_path(draft, VARVE_VARIABLE, t->name, t->name_size);
    vv_draft_value(draft, node, &h->type, t->strings_size, &t->place);
}
