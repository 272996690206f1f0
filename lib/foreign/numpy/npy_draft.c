/* npy_draft.c - Adds the node, the value and the tag of an array.
 *
 * SPDX-License-Identifier: MIT
 */
#include "npy_draft.h"

#include "npy_kept.h"

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
    vv_npy_keep(draft, node, h);
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
