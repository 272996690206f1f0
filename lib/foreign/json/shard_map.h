/* shard_map.h - the index that Hugging Face puts beside the files of a model:
 * in which of them each tensor is.
 *
 *     begin; read; each; clear
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SHARD_MAP_H
#define VV_SHARD_MAP_H

#include "foreign_format.h"
#include "json_in.h"

/* Both as they stand in the index, behind their quotes. */
struct vv_shard_entry {
    /* to read */
    const char *name;
    const char *file;
};

struct vv_shard_map {
    /* own */
    struct vv_foreign *foreign;
    struct vv_json_in json;
    char *bytes; /* of the index */
    size_t size;
    struct vv_buffer map;  /* struct vv_shard_entry */
    struct vv_buffer name; /* of a file, unescaped */
    struct vv_buffer path;
};

/* That of an index whose name ends so; another file that looks like an index is
 * likely to be one. */
enum vv_bid vv_shard_map_bid(
    const struct vv_candidate *candidate, const char *ending);

/* The index is the first file of `foreign`. */
void vv_shard_map_begin(
    struct vv_shard_map *map, struct vv_foreign *foreign, varve_error *error);
void vv_shard_map_clear(struct vv_shard_map *map);

varve_status vv_shard_map_read(struct vv_shard_map *map);

/* Takes one of the files, whose number is that in `foreign`, and the entries
 * that it has, in order of their names. */
typedef varve_status vv_shard_map_file(void *user, uint32_t file,
    const struct vv_shard_entry *entries, size_t count, varve_error *error);

/* Opens each file that the map names, and calls `each` with it, in the order of
 * their names. VARVE_NOT_FOUND where there is none, VARVE_CORRUPT for a name
 * that leaves the directory and for a tensor that comes twice. */
varve_status vv_shard_map_each(
    struct vv_shard_map *map, vv_shard_map_file *each, void *user);

/* A string of the index again, from behind its opening quote. */
void vv_shard_map_item(const struct vv_shard_map *map, const char *text,
    struct vv_json_item *item);

/* VARVE_CORRUPT: the file lacks what an entry says. */
varve_status vv_shard_map_fail_missing(const struct vv_shard_map *map,
    const struct vv_shard_entry *entry, uint32_t file);

/* Lists a tensor of a file that the map does not have there. */
void vv_shard_map_leave_out(
    struct vv_draft *draft, const char *name, size_t size);

#endif
