/* pickle.c - Accesses the items of a parsed pickle.
 *
 * SPDX-License-Identifier: MIT
 */
#include "pickle.h"

#include <string.h>

#include "bytes.h"

void vv_pickle_begin(struct vv_pickle *p)
{
    static const struct vv_pickle_item begin[] = {
        [VV_PICKLE_THE_NONE] = { .kind = VV_PICKLE_NONE },
        [VV_PICKLE_THE_FALSE] = { .kind = VV_PICKLE_BOOL },
        [VV_PICKLE_THE_TRUE] = { .kind = VV_PICKLE_BOOL, .a = 1 },
    };
    static const struct vv_pickle_link none = { 0 };
    vv_buffer_add(&p->items, begin, sizeof begin);
    vv_buffer_add(&p->links, &none, sizeof none);
}

double vv_pickle_real(const struct vv_pickle_item *item)
{
    return vv_real_of((uint64_t)item->b << 32 | item->a);
}

bool vv_pickle_is_text(
    const struct vv_pickle *p, uint32_t item, const char *text)
{
    const struct vv_pickle_item *i = vv_pickle_item(p, item);
    size_t size = strlen(text);
    return i->kind == VV_PICKLE_TEXT && i->b == size &&
           memcmp(vv_pickle_bytes(p, i), text, size) == 0;
}

bool vv_pickle_is_global(const struct vv_pickle *p, uint32_t item,
    const char *module, const char *name)
{
    const struct vv_pickle_item *i = vv_pickle_item(p, item);
    return i->kind == VV_PICKLE_GLOBAL && vv_pickle_is_text(p, i->a, module) &&
           vv_pickle_is_text(p, i->b, name);
}

uint32_t vv_pickle_nth(const struct vv_pickle *p, uint32_t item, unsigned index)
{
    const struct vv_pickle_item *i = vv_pickle_item(p, item);
    if (i->kind != VV_PICKLE_TUPLE && i->kind != VV_PICKLE_LIST)
        return VV_PICKLE_THE_NONE;
    uint32_t link = i->first;
    while (link && index-- > 0)
        link = vv_pickle_link(p, link).next;
    return link ? vv_pickle_link(p, link).item : VV_PICKLE_THE_NONE;
}

bool vv_pickle_has_keys(const struct vv_pickle *p, uint32_t item)
{
    const struct vv_pickle_item *i = vv_pickle_item(p, item);
    return i->kind == VV_PICKLE_DICT ||
           (i->kind == VV_PICKLE_CALL &&
               (i->holds == VV_PICKLE_DICT ||
                   vv_pickle_is_global(p, i->a, "collections", "OrderedDict")));
}

uint32_t vv_pickle_look_up(
    const struct vv_pickle *p, uint32_t item, const char *text)
{
    uint32_t found = VV_PICKLE_THE_NONE;
    if (!vv_pickle_has_keys(p, item))
        return found;
    for (uint32_t at = vv_pickle_item(p, item)->first; at;) {
        struct vv_pickle_link key = vv_pickle_link(p, at);
        struct vv_pickle_link value = vv_pickle_link(p, key.next);
        if (vv_pickle_is_text(p, key.item, text))
            found = value.item;
        at = value.next;
    }
    return found;
}
