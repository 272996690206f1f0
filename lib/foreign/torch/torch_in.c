/* torch_in.c - Opens a torch.save file: archive, pickle, graph and slots.
 *
 * SPDX-License-Identifier: MIT
 */
#include "torch_in.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "name.h"
#include "pickle_in.h"
#include "magic_bytes.h"
#include "shard_map.h"
#include "torch_decode.h"
#include "torch_graph.h"
#include "torch_merge.h"
#include "torch_slots.h"
#include "try.h"

/* --- One file ------------------------------------------------------------- */

/* An archive could also be one of NumPy, unless its name has an ending of torch
 * files. */
static enum vv_probe_result torch_in_probe(const struct vv_candidate *c)
{
    static const char *const endings[] = { ".pt", ".pth", ".bin", ".ckpt",
        ".pkl" };
    enum { LOCAL_SIZE = 30 };
    if (vv_torch_is_legacy(c->head, c->head_size) ||
        vv_torch_is_tar(c->head, c->head_size))
        return VV_PROBE_SURE;
    if (c->head_size < LOCAL_SIZE || memcmp(c->head, VV_ZIP_ENTRY_MARK, 4) != 0)
        return VV_PROBE_NONE;
    size_t size = (size_t)c->head[26] | (size_t)c->head[27] << 8;
    if (size <= c->head_size - LOCAL_SIZE &&
        vv_text_ends_in((const char *)c->head + LOCAL_SIZE, size, "/data.pkl"))
        return VV_PROBE_SURE;
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        if (vv_text_ends_in(c->path, strlen(c->path), endings[i]))
            return VV_PROBE_LIKELY;
    }
    return VV_PROBE_NONE;
}

varve_status vv_torch_read_graph(struct vv_draft *draft,
    struct vv_torch_file *file, const struct vv_pickle *pickle,
    varve_error *error)
{
    struct vv_torch_graph graph;
    varve_status status =
        vv_torch_graph_make(&graph, draft, file, pickle, error);
    if (!status && !draft->failed)
        status = vv_torch_add_slots(&graph);
    vv_torch_graph_clear(&graph);
    return status;
}

static varve_status torch_in_open_source(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    struct vv_pickle pickle;
    struct vv_torch_file *file = vv_torch_file_new(foreign);
    if (!file)
        return vv_fail_memory(error, "an archive");
    foreign->decode = vv_torch_decode;
    VV_TRY(vv_torch_file_read(file, foreign, vv_zip_whole(foreign, 0), error));
    varve_status status = vv_torch_file_pickle(file, &pickle, error);
    if (!status)
        status = vv_torch_read_graph(draft, file, &pickle, error);
    vv_pickle_clear(&pickle);
    return status;
}

const struct vv_foreign_format vv_torch_format = { .format = VARVE_FORMAT_TORCH,
    .probe = torch_in_probe,
    .open = torch_in_open_source };

/* --- Several files -------------------------------------------------------- */

/* Merges the dicts of the files that an index lists.
 *
 * Every tensor of the index must be in the file that the index names. A tensor
 * that is not in the index is left out, as with safetensors. */

struct reading {
    const struct vv_foreign *foreign;
    struct vv_draft *draft;
    varve_error *error;
    struct vv_shard_map map;
    struct vv_torch_merge merge;
    struct vv_buffer members; /* items of the merged dict: keys and values */
    struct vv_buffer text;    /* names of the index, unescaped */
    struct vv_buffer wanted, found; /* struct name */
};

struct name {
    const char *bytes;
    size_t at; /* offset in `text`, until that is complete */
    size_t size;
    const struct vv_shard_entry *entry; /* NULL: a name of the file */
};

static enum vv_probe_result torch_index_probe(
    const struct vv_candidate *candidate)
{
    return vv_shard_map_probe(candidate, ".bin.index.json");
}

/* --- Comparing files with the index --------------------------------------- */

static int torch_index_compare(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    size_t both = x->size < y->size ? x->size : y->size;
    int order = both ? memcmp(x->bytes, y->bytes, both) : 0;
    return order ? order : (x->size > y->size) - (x->size < y->size);
}

static struct name *sorted(const struct vv_buffer *names, size_t *count)
{
    struct name *all = (void *)names->data;
    *count = names->size / sizeof *all;
    if (*count > 0)
        qsort(all, *count, sizeof *all, torch_index_compare);
    return all;
}

static varve_status list_wanted(
    struct reading *r, const struct vv_shard_entry *entries, size_t count)
{
    r->text.size = r->wanted.size = 0;
    for (size_t i = 0; i < count; i++) {
        struct vv_json_item item;
        struct name name = { .at = r->text.size, .entry = &entries[i] };
        vv_shard_map_item(&r->map, entries[i].name, &item);
        vv_json_unescape(&item, &r->text);
        name.size = r->text.size - name.at;
        vv_buffer_add(&r->wanted, &name, sizeof name);
    }
    struct name *all = (void *)r->wanted.data;
    if (r->text.failed || r->wanted.failed)
        return vv_fail_memory(r->error, "names of tensors");
    for (size_t i = 0; i < count; i++)
        all[i].bytes = (const char *)r->text.data + all[i].at;
    return VARVE_OK;
}

/* Lists the keys of the dict of a file. */
static varve_status list_found(
    struct reading *r, uint32_t file, const struct vv_pickle *p)
{
    bool are_texts = vv_pickle_has_keys(p, p->root);
    uint32_t at = are_texts ? vv_pickle_item(p, p->root)->first : 0;
    r->found.size = 0;
    while (at && are_texts) {
        struct vv_pickle_link key = vv_pickle_link(p, at);
        const struct vv_pickle_item *text = vv_pickle_item(p, key.item);
        struct name name = { .bytes = vv_pickle_bytes(p, text),
            .size = text->b };
        are_texts = text->kind == VV_PICKLE_TEXT;
        vv_buffer_add(&r->found, &name, sizeof name);
        at = vv_pickle_link(p, key.next).next;
    }
    if (r->found.failed)
        return vv_fail_memory(r->error, "names of tensors");
    if (are_texts)
        return VARVE_OK;
    return vv_fail(r->error, VARVE_CORRUPT,
        "%s: the file is not a dict with strings as keys",
        r->foreign->files[file].path);
}

static varve_status torch_index_match(struct reading *r, uint32_t file)
{
    size_t wanted_count, count, j = 0;
    struct name *wanted = sorted(&r->wanted, &wanted_count);
    struct name *found = sorted(&r->found, &count);
    for (size_t i = 0; i < count || j < wanted_count; i++) {
        if (i > 0 && i < count &&
            torch_index_compare(&found[i - 1], &found[i]) == 0)
            continue; /* a duplicate key */
        int order = i == count ? -1
                    : j == wanted_count
                        ? 1
                        : torch_index_compare(&wanted[j], &found[i]);
        if (order < 0)
            return vv_shard_map_fail_missing(&r->map, wanted[j].entry, file);
        if (order > 0)
            vv_shard_map_leave_out(r->draft, found[i].bytes, found[i].size);
        j += order == 0;
    }
    return VARVE_OK;
}

static bool torch_index_is_wanted(const struct reading *r,
    const struct vv_pickle *p, const struct vv_pickle_item *key)
{
    struct name name = { .bytes = vv_pickle_bytes(p, key), .size = key->b };
    size_t count = r->wanted.size / sizeof name;
    return count > 0 && bsearch(&name, r->wanted.data, count, sizeof name,
                            torch_index_compare);
}

/* --- Merging -------------------------------------------------------------- */

static varve_status torch_index_add_members(struct reading *r, uint32_t root)
{
    const struct vv_pickle *p = &r->merge.pickle;
    for (uint32_t at = vv_pickle_item(p, root)->first; at;) {
        struct vv_pickle_link key = vv_pickle_link(p, at);
        struct vv_pickle_link value = vv_pickle_link(p, key.next);
        uint32_t items[] = { key.item, value.item };
        if (torch_index_is_wanted(r, p, vv_pickle_item(p, key.item)))
            vv_buffer_add(&r->members, items, sizeof items);
        at = value.next;
    }
    return r->members.failed ? vv_fail_memory(r->error, "names of tensors")
                             : VARVE_OK;
}

static varve_status torch_index_read_file(void *user, uint32_t file,
    const struct vv_shard_entry *entries, size_t count, varve_error *error)
{
    struct reading *r = user;
    struct vv_torch_file part;
    struct vv_pickle p = { 0 };
    uint32_t root = 0;
    VV_TRY(list_wanted(r, entries, count));
    vv_torch_file_init(&part, r->text.allocator);
    varve_status status = vv_torch_file_read(
        &part, r->foreign, vv_zip_whole(r->foreign, file), error);
    if (!status)
        status = vv_torch_file_pickle(&part, &p, error);
    if (!status)
        status = list_found(r, file, &p);
    if (!status)
        status = torch_index_match(r, file);
    if (!status)
        status = vv_torch_merge_add(&r->merge, &part, &p, &root);
    if (!status)
        status = torch_index_add_members(r, root);
    vv_pickle_clear(&p);
    vv_torch_file_clear(&part);
    return status;
}

static varve_status make_dict(struct reading *r)
{
    struct vv_torch_merge *m = &r->merge;
    const uint32_t *members = (const void *)r->members.data;
    uint32_t root = 0;
    VV_TRY(vv_torch_merge_item(
        m, (struct vv_pickle_item){ .kind = VV_PICKLE_DICT }, &root));
    for (size_t i = 0; i < r->members.size / sizeof *members; i++)
        VV_TRY(vv_torch_merge_member(m, root, members[i]));
    return vv_torch_merge_end(m, root);
}

static varve_status torch_index_read_all(struct reading *r)
{
    VV_TRY(vv_shard_map_read(&r->map));
    VV_TRY(vv_shard_map_each(&r->map, torch_index_read_file, r));
    VV_TRY(make_dict(r));
    return vv_torch_read_graph(
        r->draft, r->merge.file, &r->merge.pickle, r->error);
}

static varve_status torch_index_open_index(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    struct reading r = { .foreign = foreign, .draft = draft, .error = error };
    const varve_allocator *a = &foreign->context->allocator;
    struct vv_torch_file *file = vv_torch_file_new(foreign);
    if (!file)
        return vv_fail_memory(error, "an index");
    foreign->decode = vv_torch_decode;
    vv_shard_map_begin(&r.map, foreign, error);
    vv_torch_merge_begin(&r.merge, file, foreign, error);
    struct vv_buffer *all[] = { &r.members, &r.text, &r.wanted, &r.found };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        vv_buffer_init(all[i], a);
    varve_status status = torch_index_read_all(&r);
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        vv_buffer_clear(all[i]);
    vv_torch_merge_clear(&r.merge);
    vv_shard_map_clear(&r.map);
    return status;
}

const struct vv_foreign_format vv_torch_index_format = {
    .format = VARVE_FORMAT_TORCH,
    .probe = torch_index_probe,
    .open = torch_index_open_index,
};
