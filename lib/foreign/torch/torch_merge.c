/* torch_merge.c - Appends the items, links and bytes of pickles to those of the
 * merged pickle and shifts their numbers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_merge.h"

#include <string.h>

#include "failure.h"
#include "name.h"
#include "pickle_in.h"
#include "try.h"

enum {
    MOST_BYTES = 1 << 30, /* the same limit as for one pickle */
    THE_ITEMS = VV_PICKLE_THE_TRUE + 1,
    LONGEST_NAME = UINT16_MAX,
};

static varve_status torch_merge_fail_memory(const struct vv_torch_merge *m)
{
    return vv_fail_memory(m->error, "a pickle");
}

void vv_torch_merge_begin(struct vv_torch_merge *m, struct vv_torch_file *file,
    const struct vv_foreign *foreign, varve_error *error)
{
    const varve_allocator *a = &foreign->context->allocator;
    *m = (struct vv_torch_merge){ .file = file, .error = error };
    vv_buffer_init(&m->entries, a);
    vv_buffer_init(&m->names, a);
    vv_buffer_init(&m->pickle.items, a);
    vv_buffer_init(&m->pickle.links, a);
    vv_pickle_begin(&m->pickle);
    file->zip = (struct vv_zip){ .foreign = foreign };
    file->is_merged = true;
}

void vv_torch_merge_clear(struct vv_torch_merge *m)
{
    vv_buffer_clear(&m->entries);
    vv_buffer_clear(&m->names);
    vv_pickle_clear(&m->pickle);
}

/* --- Items ---------------------------------------------------------------- */

/* Offsets that are added to the numbers of items, links, bytes and parts. */
struct shift {
    uint32_t items, links, bytes, part;
};

/* The items that every pickle has are not shifted. */
static uint32_t item_of(const struct shift *s, uint32_t number)
{
    return number < THE_ITEMS ? number : number + s->items;
}

static uint32_t link_of(const struct shift *s, uint32_t link)
{
    return link ? link + s->links : 0;
}

static void shift_item(const struct shift *s, struct vv_pickle_item *item)
{
    item->first = link_of(s, item->first);
    item->last = link_of(s, item->last);
    switch ((enum vv_pickle_kind)item->kind) {
    case VV_PICKLE_NONE:
    case VV_PICKLE_BOOL:
    case VV_PICKLE_INTEGER:
    case VV_PICKLE_REAL:
    case VV_PICKLE_EXTENSION:
    case VV_PICKLE_TUPLE:
    case VV_PICKLE_LIST:
    case VV_PICKLE_DICT:
    case VV_PICKLE_SET: break;
    case VV_PICKLE_LONG:
    case VV_PICKLE_TEXT:
    case VV_PICKLE_BYTES: item->a += s->bytes; break;
    case VV_PICKLE_CALL:
        item->state = item_of(s, item->state);
        item->a = item_of(s, item->a);
        item->b = item_of(s, item->b);
        break;
    case VV_PICKLE_GLOBAL:
        item->a = item_of(s, item->a);
        item->b = item_of(s, item->b);
        break;
    case VV_PICKLE_OUTSIDE:
        item->a = item_of(s, item->a);
        item->b = s->part;
        break;
    }
}

static varve_status add_items(
    struct vv_torch_merge *m, const struct vv_pickle *p, uint32_t *root)
{
    uint32_t links = vv_pickle_link_count(p);
    struct shift s = { .items = vv_pickle_count(&m->pickle) - THE_ITEMS,
        .links = vv_pickle_link_count(&m->pickle) - 1,
        .bytes = (uint32_t)m->file->pickle.size,
        .part = m->parts };
    for (uint32_t i = THE_ITEMS; i < vv_pickle_count(p); i++) {
        struct vv_pickle_item item = *vv_pickle_item(p, i);
        shift_item(&s, &item);
        vv_buffer_add(&m->pickle.items, &item, sizeof item);
    }
    for (uint32_t i = 1; i < links; i++) {
        struct vv_pickle_link link = vv_pickle_link(p, i);
        link.item = item_of(&s, link.item);
        link.next = link_of(&s, link.next);
        vv_buffer_add(&m->pickle.links, &link, sizeof link);
    }
    *root = item_of(&s, p->root);
    return m->pickle.items.failed || m->pickle.links.failed
               ? torch_merge_fail_memory(m)
               : VARVE_OK;
}

varve_status vv_torch_merge_item(
    struct vv_torch_merge *m, struct vv_pickle_item item, uint32_t *number)
{
    *number = vv_pickle_count(&m->pickle);
    vv_buffer_add(&m->pickle.items, &item, sizeof item);
    return m->pickle.items.failed || m->pickle.links.failed
               ? torch_merge_fail_memory(m)
               : VARVE_OK;
}

varve_status vv_torch_merge_member(
    struct vv_torch_merge *m, uint32_t to, uint32_t member)
{
    struct vv_pickle_link link = { .item = member };
    uint32_t number = vv_pickle_link_count(&m->pickle);
    vv_buffer_add(&m->pickle.links, &link, sizeof link);
    if (m->pickle.links.failed)
        return torch_merge_fail_memory(m);
    struct vv_pickle_item *item =
        (struct vv_pickle_item *)(void *)m->pickle.items.data + to;
    if (item->last)
        ((struct vv_pickle_link *)(void *)m->pickle.links.data)[item->last]
            .next = number;
    else
        item->first = number;
    item->last = number;
    return VARVE_OK;
}

/* --- Storages ------------------------------------------------------------- */

/* Renames TOP/data/KEY, in the folder of the object, to PART/data/KEY. */
static varve_status add_entries(
    struct vv_torch_merge *m, const struct vv_torch_file *part)
{
    static const char data[] = "data/";
    const char *object = vv_zip_name(&part->zip, part->object);
    size_t top = part->object->name_size - (sizeof "data.pkl" - 1);
    for (size_t i = 0; i < part->zip.count; i++) {
        struct vv_zip_entry e = part->zip.entries[i];
        const char *name = vv_zip_name(&part->zip, &e);
        if (e.name_size < top + sizeof data - 1 ||
            memcmp(name, object, top) != 0 ||
            memcmp(name + top, data, sizeof data - 1) != 0)
            continue;
        size_t begin = m->names.size;
        vv_buffer_add_decimal(&m->names, m->parts);
        vv_buffer_add8(&m->names, '/');
        vv_buffer_add(&m->names, name + top, e.name_size - top);
        e.name = begin;
        if (m->names.size - begin > LONGEST_NAME)
            continue; /* longer than any key */
        e.name_size = (uint16_t)(m->names.size - begin);
        vv_buffer_add(&m->entries, &e, sizeof e);
    }
    return m->names.failed || m->entries.failed ? torch_merge_fail_memory(m)
                                                : VARVE_OK;
}

varve_status vv_torch_merge_order(
    struct vv_torch_merge *m, const struct vv_torch_file *part)
{
    bool is_big = part->is_big_endian;
    if (!m->has_order)
        m->file->is_big_endian = is_big;
    m->has_order = true;
    if (is_big == m->file->is_big_endian)
        return VARVE_OK;
    return vv_fail(m->error, VARVE_CORRUPT,
        "%s: the byte order differs from that of the previous files",
        part->zip.foreign->files[part->zip.span.file].path);
}

/* --- All ------------------------------------------------------------------ */

varve_status vv_torch_merge_add(struct vv_torch_merge *m,
    const struct vv_torch_file *part, const struct vv_pickle *p, uint32_t *root)
{
    struct vv_buffer *bytes = &m->file->pickle;
    if (m->pickle.items.failed || m->pickle.links.failed)
        return torch_merge_fail_memory(m);
    if (p->used > MOST_BYTES - bytes->size)
        return vv_fail(m->error, VARVE_LIMIT,
            "%s: the pickles have more than %d bytes in total",
            m->file->zip.foreign->files[0].path, MOST_BYTES);
    VV_TRY(add_items(m, p, root));
    vv_buffer_add(bytes, p->bytes, p->used);
    if (bytes->failed)
        return torch_merge_fail_memory(m);
    m->pickle.bytes = bytes->data;
    m->pickle.size = (uint32_t)bytes->size;
    if (part) {
        VV_TRY(vv_torch_merge_order(m, part));
        VV_TRY(add_entries(m, part));
    }
    m->parts++;
    return VARVE_OK;
}

varve_status vv_torch_merge_end(struct vv_torch_merge *m, uint32_t root)
{
    m->pickle.root = root;
    if (m->pickle.items.failed || m->pickle.links.failed)
        return torch_merge_fail_memory(m);
    if (!vv_zip_take(&m->file->zip, &m->entries, &m->names))
        return torch_merge_fail_memory(m);
    return vv_torch_file_list(m->file, m->error);
}
