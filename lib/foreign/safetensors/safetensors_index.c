/* safetensors_index.c - {"metadata": {...}, "weight_map": {tensor: file}}.
 *
 * Every tensor has to be in the file that the map names, and every tensor of
 * each file in the map: files of two checkpoints that lie in one directory do
 * not pass for one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "safetensors_index.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "name.h"
#include "safetensors_in.h"
#include "try.h"

static const char suffix[] = ".safetensors.index.json";
static const char map_key[] = "weight_map";
static const char metadata_key[] = "metadata";

/* Both as they stand in the index, behind their quotes. */
struct entry {
    const char *name;
    const char *file;
};

struct reading {
    struct vv_foreign *foreign;
    struct vv_json_in json;
    char *bytes; /* of the index */
    size_t size;
    struct vv_buffer map;  /* struct entry */
    struct vv_buffer name; /* of a file, unescaped */
    struct vv_buffer path;
    struct vv_safetensors files;
};

/* --- The bid ------------------------------------------------------------ */

static bool is_in(const struct vv_candidate *candidate, const char *text)
{
    size_t size = strlen(text);
    for (size_t i = 0; i + size <= candidate->head_size; i++) {
        if (memcmp(candidate->head + i, text, size) == 0)
            return true;
    }
    return false;
}

static enum vv_bid bid(const struct vv_candidate *candidate)
{
    bool begins_object =
        vv_json_begins_object(candidate->head, candidate->head_size);
    if (vv_text_ends_in(candidate->path, strlen(candidate->path), suffix))
        return begins_object ? VV_BID_SURE : VV_BID_NAME;
    return begins_object && is_in(candidate, "\"weight_map\"") ? VV_BID_LIKELY
                                                               : VV_BID_NONE;
}

/* --- The map ------------------------------------------------------------ */

/* A string of the index again, from behind its opening quote. */
static void item_at(
    const struct reading *r, const char *text, struct vv_json_item *item)
{
    struct vv_json_in json = r->json;
    json.at = (size_t)(text - 1 - json.bytes);
    if (vv_json_value(&json, item))
        *item = (struct vv_json_item){ .text = "" };
}

static varve_status read_map(struct reading *r)
{
    struct vv_json_item name, file;
    bool more;
    VV_TRY(vv_json_expect(&r->json, VV_JSON_OBJECT, &name));
    for (;;) {
        VV_TRY(vv_json_member(&r->json, &name, &more));
        if (!more)
            return VARVE_OK;
        VV_TRY(vv_json_expect(&r->json, VV_JSON_STRING, &file));
        struct entry entry = { name.text, file.text };
        vv_buffer_add(&r->map, &entry, sizeof entry);
    }
}

static varve_status read_members(struct reading *r)
{
    struct vv_json_in *json = &r->json;
    struct vv_json_item key;
    bool has_map = false, has_metadata = false;
    bool more;
    VV_TRY(vv_json_expect(json, VV_JSON_OBJECT, &key));
    for (;;) {
        VV_TRY(vv_json_member(json, &key, &more));
        if (!more)
            break;
        bool is_map = vv_json_is(&key, map_key);
        bool is_metadata = vv_json_is(&key, metadata_key);
        if ((is_map && has_map) || (is_metadata && has_metadata))
            return vv_json_fail(json, key.at, "a key once", "it again");
        has_map |= is_map;
        has_metadata |= is_metadata;
        VV_TRY(is_map ? read_map(r) : vv_json_skip(json));
    }
    if (!has_map)
        return vv_json_fail(json, key.at, "a weight_map", "none");
    return vv_json_end(json);
}

static int by_name(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return vv_json_compare(x->name, y->name);
}

static int by_file(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    int order = vv_json_compare(x->file, y->file);
    return order ? order : by_name(a, b);
}

static varve_status sort_map(struct reading *r, size_t *count)
{
    struct entry *map = (void *)r->map.data;
    *count = r->map.size / sizeof *map;
    if (r->map.failed)
        return vv_fail_memory(r->json.error, "a weight_map");
    if (*count == 0)
        return VARVE_OK;
    qsort(map, *count, sizeof *map, by_name);
    for (size_t i = 1; i < *count; i++) {
        if (by_name(&map[i - 1], &map[i]) == 0)
            return vv_json_fail(&r->json, (size_t)(map[i].name - 1 - r->bytes),
                "a name once in weight_map", "it again");
    }
    qsort(map, *count, sizeof *map, by_file);
    return VARVE_OK;
}

/* --- The files ---------------------------------------------------------- */

/* Opens the file that an entry names. */
static varve_status add_file(
    struct reading *r, const struct entry *entry, uint32_t *file)
{
    varve_error *error = r->json.error;
    struct vv_json_item item;
    item_at(r, entry->file, &item);
    r->name.size = r->path.size = 0;
    vv_json_unescape(&item, &r->name);
    if (r->name.failed)
        return vv_fail_memory(error, "the name of a file");
    const char *name = (const char *)r->name.data;
    if (item.has_nul || !vv_name_stays(name, r->name.size))
        return vv_json_fail(&r->json, item.at,
            "the name of a file beside the index", "another");
    vv_sibling_path(&r->path, r->json.path, name, r->name.size);
    const char *path = vv_buffer_string(&r->path);
    if (r->path.failed)
        return vv_fail_memory(error, "the path of a file");
    varve_status status = vv_foreign_add_file(r->foreign, path, file, error);
    if (status == VARVE_NOT_FOUND)
        return vv_fail(error, status,
            "%s: weight_map: expected the file \"%.*s\" beside the index, "
            "found none: all files of a checkpoint belong into one directory",
            r->json.path, vv_json_shown(&item), item.text);
    return status;
}

/* The first entries that the file lacks, or that the map lacks. */
static varve_status fail_match(const struct reading *r, uint32_t file,
    const struct entry *entry, const struct vv_safetensors_tensor *tensor)
{
    struct vv_json_item item;
    const char *path = r->foreign->files[file].path;
    if (entry) {
        item_at(r, entry->name, &item);
        return vv_fail(r->json.error, VARVE_CORRUPT,
            "%s: weight_map: expected \"%.*s\" in %s, found no such tensor",
            r->json.path, vv_json_shown(&item), item.text, path);
    }
    struct vv_json_in json = vv_safetensors_json(&r->files, file, NULL);
    vv_safetensors_item(&json, tensor->name, &item);
    return vv_fail(r->json.error, VARVE_CORRUPT,
        "%s: expected only tensors that weight_map of %s has there, found "
        "\"%.*s\"",
        path, r->json.path, vv_json_shown(&item), item.text);
}

/* Both sorted by name. */
static varve_status match(const struct reading *r, uint32_t file,
    const struct entry *entries, size_t entry_count)
{
    size_t count;
    struct vv_safetensors_tensor *tensors =
        vv_safetensors_tensors(&r->files, &count);
    if (count > 0)
        qsort(tensors, count, sizeof *tensors, vv_safetensors_by_name);
    for (size_t i = 0; i < count || i < entry_count; i++) {
        int order = i == count ? -1
                    : i == entry_count
                        ? 1
                        : vv_json_compare(entries[i].name, tensors[i].name);
        if (order)
            return fail_match(r, file, order < 0 ? &entries[i] : NULL,
                order < 0 ? NULL : &tensors[i]);
    }
    if (count > 0)
        qsort(tensors, count, sizeof *tensors, vv_safetensors_by_data);
    return VARVE_OK;
}

static varve_status read_files(struct reading *r)
{
    size_t count, end;
    VV_TRY(sort_map(r, &count));
    const struct entry *map = (void *)r->map.data;
    for (size_t i = 0; i < count; i = end) {
        uint32_t file = 0;
        for (end = i + 1; end < count; end++) {
            if (vv_json_compare(map[i].file, map[end].file) != 0)
                break;
        }
        VV_TRY(add_file(r, &map[i], &file));
        VV_TRY(vv_safetensors_read(&r->files, file, r->json.error));
        VV_TRY(match(r, file, &map[i], end - i));
        VV_TRY(vv_safetensors_add(&r->files, r->json.error));
    }
    return VARVE_OK;
}

static varve_status read_index(struct reading *r, varve_error *error)
{
    const struct vv_foreign_file *file = &r->foreign->files[0];
    if (file->size > VV_SAFETENSORS_MOST_HEADER)
        return vv_fail(error, VARVE_LIMIT,
            "%s: expected an index of at most %d bytes, found %" PRIu64,
            file->path, VV_SAFETENSORS_MOST_HEADER, file->size);
    size_t size = (size_t)file->size;
    r->bytes = vv_allocate(&r->foreign->context->allocator, size);
    if (size > 0 && !r->bytes)
        return vv_fail_memory(error, "an index");
    r->size = size;
    r->json = (struct vv_json_in){
        .path = file->path, .bytes = r->bytes, .size = size, .error = error
    };
    if (size > 0)
        VV_TRY(vv_foreign_read(r->foreign, 0, r->bytes, size, 0, error));
    return read_members(r);
}

static varve_status open_index(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    const varve_allocator *a = &foreign->context->allocator;
    struct reading r = { .foreign = foreign };
    vv_buffer_init(&r.map, a);
    vv_buffer_init(&r.name, a);
    vv_buffer_init(&r.path, a);
    vv_safetensors_begin(&r.files, foreign, draft);
    varve_status status = read_index(&r, error);
    if (!status)
        status = read_files(&r);
    status = vv_safetensors_end(&r.files, status, error);
    vv_buffer_clear(&r.map);
    vv_buffer_clear(&r.name);
    vv_buffer_clear(&r.path);
    vv_release(a, r.bytes, r.size);
    return status;
}

const struct vv_foreign_format vv_safetensors_index_format = {
    .format = VARVE_FORMAT_SAFETENSORS,
    .bid = bid,
    .open = open_index,
};
