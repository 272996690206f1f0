/* dcp_metadata.c - Indexes the parts of values by name and start, and checks
 * that they do not overlap.
 *
 * SPDX-License-Identifier: MIT
 */
#include "dcp_metadata.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "failure.h"
#include "torch_tensor.h"
#include "try.h"

#define MODULE "torch.distributed.checkpoint.metadata"

enum { MOST_FIELDS = 16 }; /* maximum number of fields that are read */

/* The keys of a value in nested dicts. */
struct path {
    uint32_t name;
    uint32_t keys;
};

/* --- Failures ------------------------------------------------------------- */

varve_status vv_dcp_fail(const struct vv_dcp_metadata *m, varve_status status,
    uint32_t name, const char *problem)
{
    const struct vv_pickle_item *text = vv_pickle_item(m->p, name);
    return vv_fail(m->error, status, "%s: \"%.*s\": %s", m->where,
        vv_dcp_shown(text->b), vv_pickle_bytes(m->p, text), problem);
}

static varve_status dcp_metadata_fail_memory(const struct vv_dcp_metadata *m)
{
    return vv_fail_memory(m->error, "the metadata of a checkpoint");
}

static varve_status dcp_metadata_fail(
    const struct vv_dcp_metadata *m, const char *problem)
{
    return vv_fail(m->error, VARVE_CORRUPT, "%s: %s", m->where, problem);
}

/* --- Objects -------------------------------------------------------------- */

bool vv_dcp_is_a(const struct vv_pickle *p, uint32_t object, const char *class)
{
    const struct vv_pickle_item *item = vv_pickle_item(p, object);
    return item->kind == VV_PICKLE_CALL &&
           vv_pickle_is_global(p, item->a, MODULE, class);
}

uint32_t vv_dcp_field(
    const struct vv_pickle *p, uint32_t object, const char *name)
{
    const struct vv_pickle_item *item = vv_pickle_item(p, object);
    uint32_t found = VV_PICKLE_THE_NONE;
    if (item->kind != VV_PICKLE_CALL)
        return found;
    const struct vv_pickle_item *state = vv_pickle_item(p, item->state);
    uint32_t at = state->kind == VV_PICKLE_DICT ? state->first : 0;
    for (int i = 0; at && i < MOST_FIELDS; i++) {
        struct vv_pickle_link key = vv_pickle_link(p, at);
        struct vv_pickle_link value = vv_pickle_link(p, key.next);
        if (vv_pickle_is_text(p, key.item, name))
            found = value.item;
        at = value.next;
    }
    return found;
}

/* --- Parts ---------------------------------------------------------------- */

/* The key of a part in `by_name`. */
struct key {
    const struct vv_pickle *p;
    uint32_t name;
    uint32_t rank;
    const uint64_t *starts;
};

static bool is_same_text(const struct vv_pickle *p, uint32_t a, uint32_t b)
{
    const struct vv_pickle_item *x = vv_pickle_item(p, a);
    const struct vv_pickle_item *y = vv_pickle_item(p, b);
    return x->b == y->b &&
           memcmp(vv_pickle_bytes(p, x), vv_pickle_bytes(p, y), x->b) == 0;
}

static uint64_t hash_of_text(const struct vv_pickle *p, uint32_t text)
{
    const struct vv_pickle_item *item = vv_pickle_item(p, text);
    return vv_hash_of(vv_pickle_bytes(p, item), item->b);
}

static size_t starts_size(uint32_t rank)
{
    return rank == VV_DCP_OBJECT ? 0 : rank * sizeof(uint64_t);
}

static uint64_t dcp_metadata_hash_of(const struct key *key)
{
    size_t size = starts_size(key->rank);
    uint64_t hash = size ? vv_hash_of(key->starts, size) : key->rank;
    return hash_of_text(key->p, key->name) ^ vv_map_mix(hash);
}

static bool dcp_metadata_is_part(const void *item, const void *wanted)
{
    const struct vv_dcp_part *part = item;
    const struct key *key = wanted;
    size_t size = starts_size(key->rank);
    return part->rank == key->rank &&
           is_same_text(key->p, part->name, key->name) &&
           (size == 0 || memcmp(part->starts, key->starts, size) == 0);
}

struct vv_dcp_part *vv_dcp_part_of(const struct vv_dcp_metadata *m,
    uint32_t name, uint32_t rank, const uint64_t *starts)
{
    struct key key = {
        .p = m->p, .name = name, .rank = rank, .starts = starts
    };
    return vv_map_find(
        &m->by_name, dcp_metadata_hash_of(&key), dcp_metadata_is_part, &key);
}

/* Reads the name of a value, and the start of a piece. */
static varve_status take_index(const struct vv_dcp_metadata *m, uint32_t index,
    struct key *key, uint64_t starts[VARVE_MAX_RANK])
{
    uint32_t offset = vv_dcp_field(m->p, index, "offset");
    key->name = vv_dcp_field(m->p, index, "fqn");
    key->rank = VV_DCP_OBJECT;
    key->starts = starts;
    if (vv_pickle_item(m->p, key->name)->kind != VV_PICKLE_TEXT)
        return dcp_metadata_fail(
            m, "an entry of storage_data does not name its value");
    if (offset == VV_PICKLE_THE_NONE)
        return VARVE_OK;
    if (!vv_torch_sizes(m->p, offset, starts, &key->rank))
        return vv_dcp_fail(m, VARVE_CORRUPT, key->name,
            "the offset of a piece is not a sequence of integers");
    return key->rank <= VARVE_MAX_RANK ? VARVE_OK
                                       : vv_dcp_fail(m, VARVE_LIMIT, key->name,
                                             "a piece has too many dimensions");
}

static varve_status take_info(
    const struct vv_dcp_metadata *m, uint32_t info, struct vv_dcp_part *part)
{
    uint32_t packed = vv_dcp_field(m->p, info, "transform_descriptors");
    uint64_t end;
    part->path = vv_dcp_field(m->p, info, "relative_path");
    if (packed != VV_PICKLE_THE_NONE && vv_pickle_item(m->p, packed)->first)
        return vv_dcp_fail(m, VARVE_TOO_NEW, part->name,
            "its bytes were encoded by an extension, which is not supported");
    if (vv_pickle_item(m->p, part->path)->kind != VV_PICKLE_TEXT ||
        !vv_torch_size_of(
            m->p, vv_dcp_field(m->p, info, "offset"), &part->begin) ||
        !vv_torch_size_of(
            m->p, vv_dcp_field(m->p, info, "length"), &part->size) ||
        __builtin_add_overflow(part->begin, part->size, &end))
        return vv_dcp_fail(m, VARVE_CORRUPT, part->name,
            "its file, offset or length is missing or invalid");
    return VARVE_OK;
}

static varve_status dcp_metadata_add_part(
    struct vv_dcp_metadata *m, uint32_t index, uint32_t info)
{
    uint64_t starts[VARVE_MAX_RANK];
    struct key key = { .p = m->p };
    VV_TRY(take_index(m, index, &key, starts));
    size_t size = starts_size(key.rank);
    struct vv_dcp_part *part = vv_arena_take(&m->arena, sizeof *part + size);
    if (!part)
        return dcp_metadata_fail_memory(m);
    *part = (struct vv_dcp_part){ .name = key.name, .rank = key.rank };
    if (size > 0)
        memcpy(part->starts, starts, size);
    VV_TRY(take_info(m, info, part));
    uint64_t hash = dcp_metadata_hash_of(&key);
    if (vv_map_find(&m->by_name, hash, dcp_metadata_is_part, &key))
        return vv_dcp_fail(
            m, VARVE_CORRUPT, key.name, "a piece is stored twice");
    vv_buffer_add(&m->parts, &part, sizeof part);
    if (m->parts.failed || !vv_map_add(&m->by_name, hash, part))
        return dcp_metadata_fail_memory(m);
    return VARVE_OK;
}

/* --- Overlaps ------------------------------------------------------------- */

/* A part that is being sorted. */
struct spot {
    const char *path;
    uint32_t path_size;
    struct vv_dcp_part *part;
};

static int compare_paths(const struct spot *a, const struct spot *b)
{
    uint32_t both = a->path_size < b->path_size ? a->path_size : b->path_size;
    int order = both ? memcmp(a->path, b->path, both) : 0;
    return order
               ? order
               : (a->path_size > b->path_size) - (a->path_size < b->path_size);
}

static int dcp_metadata_compare(const void *left, const void *right)
{
    const struct spot *a = left, *b = right;
    int order = compare_paths(a, b);
    uint64_t x = a->part->begin, y = b->part->begin;
    return order ? order : (x > y) - (x < y);
}

/* Fails if two parts share bytes. Therefore reading all parts takes no longer
 * than reading the files. */
static varve_status check_spots(
    struct vv_dcp_metadata *m, const struct spot *spots, size_t count)
{
    struct vv_dcp_part **parts = (struct vv_dcp_part **)(void *)m->parts.data;
    for (size_t i = 0; i < count; i++) {
        const struct vv_dcp_part *before = i > 0 ? spots[i - 1].part : NULL;
        parts[i] = spots[i].part;
        if (before && compare_paths(&spots[i - 1], &spots[i]) == 0 &&
            before->begin + before->size > spots[i].part->begin)
            return vv_dcp_fail(m, VARVE_CORRUPT, spots[i].part->name,
                "its bytes overlap those of another value");
    }
    return VARVE_OK;
}

static varve_status sort_parts(struct vv_dcp_metadata *m)
{
    struct vv_buffer room;
    size_t count = m->parts.size / sizeof(struct vv_dcp_part *);
    struct vv_dcp_part **parts = (struct vv_dcp_part **)(void *)m->parts.data;
    vv_buffer_init(&room, m->parts.allocator);
    for (size_t i = 0; i < count; i++) {
        const struct vv_pickle_item *path =
            vv_pickle_item(m->p, parts[i]->path);
        struct spot spot = { .path = vv_pickle_bytes(m->p, path),
            .path_size = path->b,
            .part = parts[i] };
        vv_buffer_add(&room, &spot, sizeof spot);
    }
    struct spot *spots = (struct spot *)(void *)room.data;
    varve_status status = room.failed ? dcp_metadata_fail_memory(m) : VARVE_OK;
    if (!status && count > 0)
        qsort(spots, count, sizeof *spots, dcp_metadata_compare);
    if (!status)
        status = check_spots(m, spots, count);
    vv_buffer_clear(&room);
    return status;
}

/* --- Paths ---------------------------------------------------------------- */

struct name {
    const struct vv_pickle *p;
    uint32_t text;
};

static bool is_path(const void *item, const void *wanted)
{
    const struct path *path = item;
    const struct name *name = wanted;
    return is_same_text(name->p, path->name, name->text);
}

static varve_status dcp_metadata_add_path(
    struct vv_dcp_metadata *m, uint32_t name, uint32_t keys)
{
    if (vv_pickle_item(m->p, name)->kind != VV_PICKLE_TEXT)
        return VARVE_OK;
    struct path *path = vv_arena_take(&m->arena, sizeof *path);
    if (!path)
        return dcp_metadata_fail_memory(m);
    *path = (struct path){ .name = name, .keys = keys };
    uint64_t hash = hash_of_text(m->p, name);
    if (vv_map_find(&m->paths, hash, is_path, &(struct name){ m->p, name }))
        return VARVE_OK;
    return vv_map_add(&m->paths, hash, path) ? VARVE_OK
                                             : dcp_metadata_fail_memory(m);
}

uint32_t vv_dcp_path_of(const struct vv_dcp_metadata *m, uint32_t name)
{
    const struct path *path = vv_map_find(&m->paths, hash_of_text(m->p, name),
        is_path, &(struct name){ m->p, name });
    return path ? path->keys : (uint32_t)VV_PICKLE_THE_NONE;
}

/* --- All ------------------------------------------------------------------ */

static varve_status each_pair(struct vv_dcp_metadata *m, uint32_t dict,
    varve_status (*each)(struct vv_dcp_metadata *, uint32_t, uint32_t))
{
    for (uint32_t at = vv_pickle_item(m->p, dict)->first; at;) {
        struct vv_pickle_link key = vv_pickle_link(m->p, at);
        struct vv_pickle_link value = vv_pickle_link(m->p, key.next);
        VV_TRY(each(m, key.item, value.item));
        at = value.next;
    }
    return VARVE_OK;
}

varve_status vv_dcp_metadata_read(struct vv_dcp_metadata *m,
    const struct vv_pickle *p, const varve_allocator *a, const char *where,
    varve_error *error)
{
    *m = (struct vv_dcp_metadata){ .p = p, .where = where, .error = error };
    vv_arena_init(&m->arena, a);
    vv_buffer_init(&m->parts, a);
    vv_map_init(&m->by_name, a);
    vv_map_init(&m->paths, a);
    if (!vv_dcp_is_a(p, p->root, "Metadata"))
        return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
            "%s: the pickle is not the Metadata of a torch.distributed "
            "checkpoint",
            where);
    uint32_t parts = vv_dcp_field(p, p->root, "storage_data");
    uint32_t paths = vv_dcp_field(p, p->root, "planner_data");
    m->values = vv_dcp_field(p, p->root, "state_dict_metadata");
    if (!vv_pickle_has_keys(p, m->values))
        return dcp_metadata_fail(m, "state_dict_metadata is not a dict");
    if (!vv_pickle_has_keys(p, parts))
        return dcp_metadata_fail(m, "storage_data is not a dict");
    VV_TRY(each_pair(m, parts, dcp_metadata_add_part));
    VV_TRY(sort_parts(m));
    return vv_pickle_has_keys(p, paths)
               ? each_pair(m, paths, dcp_metadata_add_path)
               : VARVE_OK;
}

void vv_dcp_metadata_clear(struct vv_dcp_metadata *m)
{
    vv_buffer_clear(&m->parts);
    vv_map_clear(&m->by_name);
    vv_map_clear(&m->paths);
    vv_arena_clear(&m->arena);
}
