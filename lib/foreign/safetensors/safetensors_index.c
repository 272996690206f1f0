/* safetensors_index.c - Reads the files of an index and matches their tensors
 * with its map.
 *
 * Every tensor must be in the file to which it is mapped. Tensors that are in a
 * file but are not mapped to it are left out.
 *
 * SPDX-License-Identifier: MIT
 */
#include "safetensors_index.h"

#include <stdlib.h>

#include "failure.h"
#include "safetensors_in.h"
#include "shard_map.h"
#include "try.h"

struct reading {
    struct vv_shard_map map;
    struct vv_safetensors files;
};

static enum vv_probe_result safetensors_index_probe(
    const struct vv_candidate *candidate)
{
    return vv_shard_map_probe(candidate, ".safetensors.index.json");
}

static void safetensors_index_leave_out(const struct reading *r, uint32_t file,
    const struct vv_safetensors_tensor *tensor)
{
    struct vv_json_item item;
    struct vv_json_in json = vv_safetensors_json(&r->files, file, NULL);
    vv_safetensors_item(&json, tensor->name, &item);
    vv_shard_map_leave_out(r->files.draft, item.text, item.size);
}

/* Merges two lists sorted by name. Tensors that the map does not contain are
 * marked as left out. */
static varve_status safetensors_index_match(const struct reading *r,
    uint32_t file, const struct vv_shard_entry *entries, size_t entry_count)
{
    size_t count, entry = 0;
    struct vv_safetensors_tensor *tensors =
        vv_safetensors_tensors(&r->files, &count);
    if (count > 0)
        qsort(tensors, count, sizeof *tensors, vv_safetensors_by_name);
    for (size_t i = 0; i < count || entry < entry_count;) {
        int order = i == count ? -1
                    : entry == entry_count
                        ? 1
                        : vv_json_compare(entries[entry].name, tensors[i].name);
        if (order < 0)
            return vv_shard_map_fail_missing(&r->map, &entries[entry], file);
        if (order > 0) {
            safetensors_index_leave_out(r, file, &tensors[i]);
            tensors[i].is_left_out = true;
        }
        entry += order == 0;
        i++;
    }
    if (count > 0)
        qsort(tensors, count, sizeof *tensors, vv_safetensors_by_data);
    return VARVE_OK;
}

static varve_status safetensors_index_read_file(void *user, uint32_t file,
    const struct vv_shard_entry *entries, size_t count, varve_error *error)
{
    struct reading *r = user;
    VV_TRY(vv_safetensors_read(&r->files, file, error));
    VV_TRY(safetensors_index_match(r, file, entries, count));
    return vv_safetensors_add(&r->files, error);
}

static varve_status safetensors_index_open_index(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    struct reading r;
    vv_shard_map_begin(&r.map, foreign, error);
    vv_safetensors_begin(&r.files, foreign, draft);
    varve_status status = vv_shard_map_read(&r.map);
    if (!status)
        status = vv_shard_map_each(&r.map, safetensors_index_read_file, &r);
    status = vv_safetensors_end(&r.files, status, error);
    vv_shard_map_clear(&r.map);
    return status;
}

const struct vv_foreign_format vv_safetensors_index_format = {
    .format = VARVE_FORMAT_SAFETENSORS,
    .probe = safetensors_index_probe,
    .open = safetensors_index_open_index,
};
