/* shard_map.h - Reads the index that Hugging Face stores beside the files of a
 * model: it maps each tensor to a file.
 *
 *     begin; read; each; clear
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SHARD_MAP_H
#define VV_SHARD_MAP_H

#include "foreign_format.h"
#include "json_in.h"

/* An entry of weight_map. Both strings point into the index, after their
 * opening quotes. */
struct vv_shard_entry {
    /* to read */
    const char *name;
    const char *file;
};

struct vv_shard_map {
    /* own */
    struct vv_foreign *foreign;
    struct vv_json_in json;
    char *bytes; /* the bytes of the index */
    size_t size;
    struct vv_buffer map;  /* struct vv_shard_entry */
    struct vv_buffer name; /* of a file, unescaped */
    struct vv_buffer path;
};

/* Returns the probe result for an index file. `ending` is the end of its usual
 * name; another file that looks like an index is VV_PROBE_LIKELY. */
enum vv_probe_result vv_shard_map_probe(
    const struct vv_candidate *candidate, const char *ending);

/* Initializes a map. The index is the first file of `foreign`. */
void vv_shard_map_begin(
    struct vv_shard_map *map, struct vv_foreign *foreign, varve_error *error);
void vv_shard_map_clear(struct vv_shard_map *map);

varve_status vv_shard_map_read(struct vv_shard_map *map);

/* Called for each file with its number in `foreign` and its entries, sorted by
 * name. */
typedef varve_status vv_shard_map_file(void *user, uint32_t file,
    const struct vv_shard_entry *entries, size_t count, varve_error *error);

/* Opens each file of the map and calls `each` with it, sorted by file name.
 * Returns VARVE_NOT_FOUND if a file does not exist, and VARVE_CORRUPT if a name
 * leaves the directory or a tensor is listed twice. */
varve_status vv_shard_map_each(
    struct vv_shard_map *map, vv_shard_map_file *each, void *user);

/* Parses a string of the index again; `text` points after its opening
 * quote. */
void vv_shard_map_item(const struct vv_shard_map *map, const char *text,
    struct vv_json_item *item);

/* Returns VARVE_CORRUPT: the tensor of an entry is not in the file. */
varve_status vv_shard_map_fail_missing(const struct vv_shard_map *map,
    const struct vv_shard_entry *entry, uint32_t file);

/* Lists a tensor of a file that the map does not list there. */
void vv_shard_map_leave_out(
    struct vv_draft *draft, const char *name, size_t size);

#endif
