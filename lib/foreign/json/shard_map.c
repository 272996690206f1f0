/* shard_map.c - Reads {"metadata": {...}, "weight_map": {tensor: file}}.
 *
 * SPDX-License-Identifier: MIT
 */
#include "shard_map.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "name.h"
#include "try.h"

enum { MOST_BYTES = 100 * 1000 * 1000 }; /* as for a header of safetensors */

static const char map_key[] = "weight_map";
static const char metadata_key[] = "metadata";

/* --- Bidding ------------------------------------------------------------ */

static bool shard_map_is_in(
    const struct vv_candidate *candidate, const char *text)
{
    size_t size = strlen(text);
    for (size_t i = 0; i + size <= candidate->head_size; i++) {
        if (memcmp(candidate->head + i, text, size) == 0)
            return true;
    }
    return false;
}

enum vv_probe_result vv_shard_map_probe(
    const struct vv_candidate *candidate, const char *ending)
{
    bool begins_object =
        vv_json_begins_object(candidate->head, candidate->head_size);
    if (vv_text_ends_in(candidate->path, strlen(candidate->path), ending))
        return begins_object ? VV_PROBE_SURE : VV_PROBE_NAME;
    return begins_object && shard_map_is_in(candidate, "\"weight_map\"")
               ? VV_PROBE_LIKELY
               : VV_PROBE_NONE;
}

/* --- Lifetime ----------------------------------------------------------- */

void vv_shard_map_begin(
    struct vv_shard_map *m, struct vv_foreign *foreign, varve_error *error)
{
    const varve_allocator *a = &foreign->context->allocator;
    *m = (struct vv_shard_map){ .foreign = foreign };
    m->json =
        (struct vv_json_in){ .path = foreign->files[0].path, .error = error };
    vv_buffer_init(&m->map, a);
    vv_buffer_init(&m->name, a);
    vv_buffer_init(&m->path, a);
}

void vv_shard_map_clear(struct vv_shard_map *m)
{
    vv_release(m->map.allocator, m->bytes, m->size);
    vv_buffer_clear(&m->map);
    vv_buffer_clear(&m->name);
    vv_buffer_clear(&m->path);
}

/* --- The map ------------------------------------------------------------ */

/* Parses a string of the index again; `text` points after its opening
 * quote. */
void vv_shard_map_item(
    const struct vv_shard_map *m, const char *text, struct vv_json_item *item)
{
    struct vv_json_in json = m->json;
    json.at = (size_t)(text - 1 - json.bytes);
    if (vv_json_value(&json, item))
        *item = (struct vv_json_item){ .text = "" };
}

static varve_status shard_map_read_map(struct vv_shard_map *m)
{
    struct vv_json_item name, file;
    bool more;
    VV_TRY(vv_json_expect(&m->json, VV_JSON_OBJECT, &name));
    for (;;) {
        VV_TRY(vv_json_member(&m->json, &name, &more));
        if (!more)
            return VARVE_OK;
        VV_TRY(vv_json_expect(&m->json, VV_JSON_STRING, &file));
        struct vv_shard_entry entry = { name.text, file.text };
        vv_buffer_add(&m->map, &entry, sizeof entry);
    }
}

static varve_status shard_map_read_members(struct vv_shard_map *m)
{
    struct vv_json_in *json = &m->json;
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
            return vv_json_fail(
                json, key.at, "each key only once", "a duplicate");
        has_map |= is_map;
        has_metadata |= is_metadata;
        VV_TRY(is_map ? shard_map_read_map(m) : vv_json_skip(json));
    }
    if (!has_map)
        return vv_json_fail(json, key.at, "a weight_map", "none");
    return vv_json_end(json);
}

static int shard_map_by_name(const void *a, const void *b)
{
    const struct vv_shard_entry *x = a, *y = b;
    return vv_json_compare(x->name, y->name);
}

static int by_file(const void *a, const void *b)
{
    const struct vv_shard_entry *x = a, *y = b;
    int order = vv_json_compare(x->file, y->file);
    return order ? order : shard_map_by_name(a, b);
}

static varve_status sort_map(struct vv_shard_map *m, size_t *count)
{
    struct vv_shard_entry *map = (void *)m->map.data;
    *count = m->map.size / sizeof *map;
    if (m->map.failed)
        return vv_fail_memory(m->json.error, "a weight_map");
    if (*count == 0)
        return VARVE_OK;
    qsort(map, *count, sizeof *map, shard_map_by_name);
    for (size_t i = 1; i < *count; i++) {
        if (shard_map_by_name(&map[i - 1], &map[i]) == 0)
            return vv_json_fail(&m->json, (size_t)(map[i].name - 1 - m->bytes),
                "each name only once in weight_map", "a duplicate");
    }
    qsort(map, *count, sizeof *map, by_file);
    return VARVE_OK;
}

varve_status vv_shard_map_read(struct vv_shard_map *m)
{
    varve_error *error = m->json.error;
    const struct vv_foreign_file *file = &m->foreign->files[0];
    if (file->size > MOST_BYTES)
        return vv_fail(error, VARVE_LIMIT,
            "%s: the index is too large: the limit is %d bytes, it has "
            "%" PRIu64,
            file->path, MOST_BYTES, file->size);
    size_t size = (size_t)file->size;
    m->bytes = vv_allocate(&m->foreign->context->allocator, size);
    if (size > 0 && !m->bytes)
        return vv_fail_memory(error, "an index");
    m->size = size;
    m->json.bytes = m->bytes;
    m->json.size = size;
    if (size > 0)
        VV_TRY(vv_foreign_read(m->foreign, 0, m->bytes, size, 0, error));
    vv_json_skip_mark(&m->json);
    return shard_map_read_members(m);
}

/* --- The files ---------------------------------------------------------- */

/* Opens the file of an entry. */
static varve_status shard_map_add_file(
    struct vv_shard_map *m, const struct vv_shard_entry *entry, uint32_t *file)
{
    varve_error *error = m->json.error;
    struct vv_json_item item;
    vv_shard_map_item(m, entry->file, &item);
    m->name.size = m->path.size = 0;
    vv_json_unescape(&item, &m->name);
    if (m->name.failed)
        return vv_fail_memory(error, "the name of a file");
    const char *name = (const char *)m->name.data;
    size_t size = m->name.size;
    name = vv_name_without_dots(name, &size);
    if (item.has_nul || !vv_path_stays(name, size))
        return vv_fail(error, VARVE_CORRUPT,
            "%s: weight_map: \"%.*s\" is not the name of a file in the "
            "directory of the index",
            m->json.path, vv_json_shown(&item), item.text);
    vv_sibling_path(&m->path, m->json.path, name, size);
    const char *path = vv_buffer_string(&m->path);
    if (m->path.failed)
        return vv_fail_memory(error, "the path of a file");
    varve_status status = vv_foreign_add_file(m->foreign, path, file, error);
    if (status == VARVE_NOT_FOUND)
        return vv_fail(error, status,
            "%s: weight_map: the file \"%.*s\" is missing in the directory of "
            "the index",
            m->json.path, vv_json_shown(&item), item.text);
    return status;
}

varve_status vv_shard_map_each(
    struct vv_shard_map *m, vv_shard_map_file *each, void *user)
{
    size_t count, end;
    VV_TRY(sort_map(m, &count));
    const struct vv_shard_entry *map = (void *)m->map.data;
    for (size_t i = 0; i < count; i = end) {
        uint32_t file = 0;
        for (end = i + 1; end < count; end++) {
            if (vv_json_compare(map[i].file, map[end].file) != 0)
                break;
        }
        VV_TRY(shard_map_add_file(m, &map[i], &file));
        VV_TRY(each(user, file, &map[i], end - i, m->json.error));
    }
    return VARVE_OK;
}

varve_status vv_shard_map_fail_missing(const struct vv_shard_map *m,
    const struct vv_shard_entry *entry, uint32_t file)
{
    struct vv_json_item item;
    vv_shard_map_item(m, entry->name, &item);
    return vv_fail(m->json.error, VARVE_CORRUPT,
        "%s: weight_map: the tensor \"%.*s\" is missing in %s", m->json.path,
        vv_json_shown(&item), item.text, m->foreign->files[file].path);
}

void vv_shard_map_leave_out(
    struct vv_draft *draft, const char *name, size_t size)
{
    vv_draft_leave_out_name(draft, name, size,
        "a tensor that the weight_map of the index does not list");
}
