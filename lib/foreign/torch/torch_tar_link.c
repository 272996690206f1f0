/* torch_tar_link.c - Adds items for the tensors that a pickle refers to.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_tar_link.h"

#include <inttypes.h>
#include <string.h>

#include "failure.h"
#include "name.h"
#include "torch_tensor.h"
#include "try.h"

/* The texts of every tensor, one behind the other. */
static const char *const words[] = { "torch", "storage", "torch._utils",
    "_rebuild_tensor_v2" };

enum { TORCH, STORAGE, UTILS, FUNCTION, WORDS };

struct linking {
    struct vv_torch_tar *tar;
    struct vv_pickle *p;
    uint32_t words[WORDS]; /* items */
    uint32_t function;
};

/* --- Texts ---------------------------------------------------------------- */

void vv_torch_tar_add_texts(struct vv_torch_tar *t, struct vv_buffer *pickle)
{
    if (!t->is_one)
        return;
    t->texts = (uint32_t)pickle->size;
    for (int i = 0; i < WORDS; i++)
        vv_buffer_add_string(pickle, words[i]);
    for (struct vv_torch_tar_storage *s = t->first_storage; s; s = s->next) {
        s->text = (uint32_t)pickle->size;
        vv_buffer_add_decimal(pickle, s->key);
        s->text_size = (uint32_t)pickle->size - s->text;
        vv_buffer_add_string(pickle, vv_torch_storage_of(s->dtype));
    }
}

/* --- Items ---------------------------------------------------------------- */

/* A lack of memory is found at the end. */
static uint32_t torch_tar_add_item(
    const struct linking *l, struct vv_pickle_item item)
{
    vv_buffer_add(&l->p->items, &item, sizeof item);
    return l->p->items.failed ? VV_PICKLE_THE_NONE : vv_pickle_count(l->p) - 1;
}

static uint32_t torch_tar_add_text(
    const struct linking *l, uint32_t at, size_t size)
{
    return torch_tar_add_item(
        l, (struct vv_pickle_item){
               .kind = VV_PICKLE_TEXT, .a = at, .b = (uint32_t)size });
}

static uint32_t torch_tar_add_integer(const struct linking *l, uint64_t number)
{
    return torch_tar_add_item(
        l, (struct vv_pickle_item){ .kind = VV_PICKLE_INTEGER,
               .a = (uint32_t)number,
               .b = (uint32_t)(number >> 32) });
}

static uint32_t torch_tar_add_global(
    const struct linking *l, uint32_t module, uint32_t name)
{
    return torch_tar_add_item(
        l, (struct vv_pickle_item){
               .kind = VV_PICKLE_GLOBAL, .a = module, .b = name });
}

/* Adds a tuple of items that are there already. */
static uint32_t torch_tar_add_tuple(
    const struct linking *l, const uint32_t *members, size_t count)
{
    uint32_t first = vv_pickle_link_count(l->p);
    struct vv_pickle_item tuple = { .kind = VV_PICKLE_TUPLE };
    for (size_t i = 0; i < count; i++) {
        struct vv_pickle_link link = { .item = members[i] };
        if (i + 1 < count)
            link.next = first + (uint32_t)i + 1;
        vv_buffer_add(&l->p->links, &link, sizeof link);
    }
    if (count > 0 && !l->p->links.failed) {
        tuple.first = first;
        tuple.last = first + (uint32_t)count - 1;
    }
    return torch_tar_add_item(l, tuple);
}

/* Adds a tuple of consecutive new integers. */
static uint32_t torch_tar_add_sizes(
    const struct linking *l, const uint64_t *sizes, uint64_t count)
{
    uint32_t first = vv_pickle_link_count(l->p);
    struct vv_pickle_item tuple = { .kind = VV_PICKLE_TUPLE };
    for (uint64_t i = 0; i < count; i++) {
        struct vv_pickle_link link = { .item =
                                           torch_tar_add_integer(l, sizes[i]) };
        if (i + 1 < count)
            link.next = first + (uint32_t)i + 1;
        vv_buffer_add(&l->p->links, &link, sizeof link);
    }
    if (count > 0 && !l->p->links.failed) {
        tuple.first = first;
        tuple.last = first + (uint32_t)count - 1;
    }
    return torch_tar_add_item(l, tuple);
}

/* --- Tensors -------------------------------------------------------------- */

static void torch_tar_add_words(struct linking *l)
{
    uint32_t at = l->tar->texts;
    for (int i = 0; i < WORDS; i++) {
        l->words[i] = torch_tar_add_text(l, at, strlen(words[i]));
        at += (uint32_t)strlen(words[i]);
    }
    l->function = torch_tar_add_global(l, l->words[UTILS], l->words[FUNCTION]);
}

/* ('storage', class, key, None, number of elements) */
static uint32_t torch_tar_storage_item(
    const struct linking *l, struct vv_torch_tar_storage *s)
{
    if (s->item)
        return s->item;
    uint32_t class = torch_tar_add_text(
        l, s->text + s->text_size, strlen(vv_torch_storage_of(s->dtype)));
    const uint32_t members[] = { l->words[STORAGE],
        torch_tar_add_global(l, l->words[TORCH], class),
        torch_tar_add_text(l, s->text, s->text_size), VV_PICKLE_THE_NONE,
        torch_tar_add_integer(l, s->count) };
    uint32_t id =
        torch_tar_add_tuple(l, members, sizeof members / sizeof *members);
    s->item = torch_tar_add_item(
        l, (struct vv_pickle_item){ .kind = VV_PICKLE_OUTSIDE, .a = id });
    return s->item;
}

/* _rebuild_tensor_v2(storage, offset, sizes, strides, False) */
static struct vv_pickle_item torch_tar_call(
    const struct linking *l, struct vv_torch_tar_tensor *t)
{
    if (!t->item) {
        const uint32_t arguments[] = { torch_tar_storage_item(l, t->storage),
            torch_tar_add_integer(l, t->offset),
            torch_tar_add_sizes(l, t->sizes, t->rank),
            torch_tar_add_sizes(l, t->sizes + t->rank, t->rank),
            VV_PICKLE_THE_FALSE };
        t->item = torch_tar_add_tuple(
            l, arguments, sizeof arguments / sizeof *arguments);
    }
    return (struct vv_pickle_item){
        .kind = VV_PICKLE_CALL, .a = l->function, .b = t->item
    };
}

/* --- Ids ------------------------------------------------------------------ */

static bool torch_tar_key_of(
    const struct vv_pickle *p, const struct vv_pickle_item *id, uint64_t *key)
{
    if (id->kind == VV_PICKLE_TEXT)
        return vv_parse_decimal(vv_pickle_bytes(p, id), id->b, key);
    *key = (uint64_t)vv_pickle_integer(id);
    return id->kind == VV_PICKLE_INTEGER;
}

/* The id of a class is (class, file, source). A storage by itself remains: as
 * in later files, it is not read. */
static varve_status torch_tar_replace(const struct linking *l, uint32_t number,
    const char *where, varve_error *error)
{
    uint64_t key = 0;
    struct vv_pickle *p = l->p;
    uint32_t id = vv_pickle_item(p, number)->a;
    struct vv_pickle_item item = *vv_pickle_item(p, number);
    struct vv_torch_tar_tensor *tensor = NULL;
    bool is_key = torch_tar_key_of(p, vv_pickle_item(p, id), &key);
    if (is_key)
        tensor = vv_torch_tar_tensor(l->tar, key);
    if (tensor)
        item = torch_tar_call(l, tensor);
    else if (vv_pickle_item(p, id)->kind == VV_PICKLE_TUPLE)
        item = *vv_pickle_item(p, vv_pickle_nth(p, id, 0));
    else if (!is_key || !vv_torch_tar_storage(l->tar, key))
        return vv_fail(error, VARVE_CORRUPT,
            "%s refers to an object that is not in \"tensors\"", where);
    if (!p->items.failed)
        ((struct vv_pickle_item *)(void *)p->items.data)[number] = item;
    return VARVE_OK;
}

varve_status vv_torch_tar_link(struct vv_torch_tar *t, struct vv_pickle *p,
    const char *where, varve_error *error)
{
    struct linking l = { .tar = t, .p = p };
    uint32_t count = vv_pickle_count(p);
    if (!t->is_one)
        return VARVE_OK;
    for (struct vv_torch_tar_storage *s = t->first_storage; s; s = s->next)
        s->item = 0;
    for (struct vv_torch_tar_tensor *s = t->first_tensor; s; s = s->next)
        s->item = 0;
    torch_tar_add_words(&l);
    for (uint32_t i = 0; i < count && !p->items.failed; i++) {
        if (vv_pickle_item(p, i)->kind == VV_PICKLE_OUTSIDE)
            VV_TRY(torch_tar_replace(&l, i, where, error));
    }
    return p->items.failed || p->links.failed
               ? vv_fail_memory(error, "a pickle")
               : VARVE_OK;
}
