/* bundle_in.c - Opens the index and its shards, and adds the graph or the names
 * to the draft.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_in.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "bundle.h"
#include "bundle_graph.h"
#include "bundle_kept.h"
#include "bundle_value.h"
#include "directory.h"
#include "failure.h"
#include "table_in.h"
#include "try.h"

enum { PIECE = 1 << 20 }; /* bytes of an index that are read at once */

#define INDEX_ENDING ".index"

/* An open shard. */
struct shard {
    uint32_t number;
    uint32_t file;
};

struct shards {
    struct shard *all; /* sorted by number */
    size_t count, capacity;
};

static bool has_index_name(const char *path)
{
    size_t size = strlen(path), ending = sizeof INDEX_ENDING - 1;
    return size > ending && strcmp(path + size - ending, INDEX_ENDING) == 0;
}

static enum vv_probe_result bundle_in_probe(
    const struct vv_candidate *candidate)
{
    if (vv_table_ends_in(candidate->tail, candidate->tail_size))
        return VV_PROBE_SURE;
    return has_index_name(candidate->path) ? VV_PROBE_NAME : VV_PROBE_NONE;
}

/* --- Shards --------------------------------------------------------------- */

static varve_status open_shard(struct vv_foreign *f, const struct vv_bundle *b,
    uint32_t number, uint32_t *file, varve_error *error)
{
    struct vv_buffer name, path;
    char ending[48];
    const char *last = vv_path_name(b->path);
    vv_buffer_init(&name, &b->context->allocator);
    vv_buffer_init(&path, &b->context->allocator);
    snprintf(ending, sizeof ending, ".data-%05" PRIu32 "-of-%05" PRIu64, number,
        b->shard_count);
    vv_buffer_add(&name, last, strlen(last) - (sizeof INDEX_ENDING - 1));
    vv_buffer_add_string(&name, ending);
    if (!name.failed)
        vv_sibling_path(&path, b->path, (const char *)name.data, name.size);
    varve_status status =
        name.failed || path.failed
            ? vv_fail_memory(error, "a path")
            : vv_foreign_add_file(f, (const char *)path.data, file, error);
    if (status == VARVE_NOT_FOUND)
        status = vv_fail(error, VARVE_NOT_FOUND,
            "%s: this data shard is missing (the index names %" PRIu64
            "): copy it into the directory of the index",
            vv_buffer_string(&path), b->shard_count);
    if (!status)
        status = vv_foreign_refuse_pointer(f, *file, "a data shard", error);
    vv_buffer_clear(&name);
    vv_buffer_clear(&path);
    return status;
}

/* Returns the position of a shard among the open ones, or the position to
 * insert it. */
static size_t bundle_in_place_of(const struct shards *shards, uint32_t number)
{
    size_t low = 0, high = shards->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (shards->all[middle].number < number)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static varve_status need_shard(struct vv_foreign *f, const struct vv_bundle *b,
    struct shards *shards, uint32_t number, uint32_t *file, varve_error *error)
{
    size_t at = bundle_in_place_of(shards, number);
    if (at < shards->count && shards->all[at].number == number) {
        *file = shards->all[at].file;
        return VARVE_OK;
    }
    if (!vv_grow_array(&b->context->allocator, &shards->all, &shards->capacity,
            shards->count, sizeof *shards->all))
        return vv_fail_memory(error, "the shards of a checkpoint");
    VV_TRY(open_shard(f, b, number, file, error));
    memmove(shards->all + at + 1, shards->all + at,
        (shards->count++ - at) * sizeof *shards->all);
    shards->all[at] = (struct shard){ number, *file };
    return VARVE_OK;
}

static varve_status settle_entry(struct vv_foreign *f,
    const struct vv_bundle *b, struct shards *shards, struct vv_bundle_entry *e,
    varve_error *error)
{
    if (e->slice_count > 0)
        return VARVE_OK;
    VV_TRY(need_shard(f, b, shards, e->shard, &e->file, error));
    const struct vv_foreign_file *file = &f->files[e->file];
    if (e->size > file->size || e->offset > file->size - e->size)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: %s: its %" PRIu64 " bytes at offset %" PRIu64
            " do not fit into the file of %" PRIu64 " bytes",
            file->path, e->key + vv_bundle_is_slice(e), e->size, e->offset,
            file->size);
    if (e->dtype == VARVE_STRING)
        return vv_bundle_measure_strings(f, b, e, error);
    return VARVE_OK;
}

/* Opens all shards that contain values, and the first shard in any case: an
 * index without data is no checkpoint. */
static varve_status settle_entries(
    struct vv_foreign *f, struct vv_bundle *b, varve_error *error)
{
    struct shards shards = { 0 };
    uint32_t file;
    varve_status status = need_shard(f, b, &shards, 0, &file, error);
    for (size_t i = 0; i < b->entry_count && !status; i++)
        status = settle_entry(f, b, &shards, &b->entries[i], error);
    vv_release(&b->context->allocator, shards.all,
        shards.capacity * sizeof *shards.all);
    return status;
}

/* --- The graph or the names ----------------------------------------------- */

static varve_status check_slices_used(
    const struct vv_bundle *b, varve_error *error)
{
    for (size_t i = 0; i < b->entry_count; i++) {
        const struct vv_bundle_entry *e = &b->entries[i];
        if (vv_bundle_is_slice(e) && !e->is_added)
            return vv_fail(error, VARVE_CORRUPT,
                "%s: a slice of %s: no tensor refers to it", b->path,
                e->key + 1);
    }
    return VARVE_OK;
}

/* Adds an entry that no attribute of the graph names as a child of the root, so
 * that it can be found. */
static uint32_t add_unlisted(
    struct vv_draft *draft, const struct vv_bundle_entry *e)
{
    uint32_t node = vv_draft_node(draft, vv_bundle_kind(e));
    vv_draft_edge(draft, 0, e->key, e->key_size, node);
    vv_draft_global(draft, node, e->key, e->key_size);
    vv_draft_tag(draft, node, "tensorflow:unlisted");
    return node;
}

/* Adds these entries, or all entries if there is no graph. */
static void bundle_in_add_names(
    struct vv_bundle *b, struct vv_draft *draft, bool has_graph)
{
    for (size_t i = 0; i < b->entry_count && !draft->failed; i++) {
        struct vv_bundle_entry *e = &b->entries[i];
        struct vv_bundle_kept kept = { .role = VV_ROLE_OBJECT };
        if (e->is_added || vv_bundle_is_slice(e))
            continue;
        uint32_t node = has_graph ? add_unlisted(draft, e)
                                  : vv_draft_path(draft, vv_bundle_kind(e),
                                        e->key, e->key_size);
        if (has_graph) {
            kept.role = VV_ROLE_ENTRY;
            kept.entry = e->key;
            kept.entry_size = e->key_size;
        }
        vv_bundle_keep_type(b, e, &kept);
        vv_bundle_keep(draft, node, &kept);
        if (!draft->failed)
            vv_bundle_add(b, draft, node, e);
    }
}

static varve_status bundle_in_add_all(struct vv_foreign *f, struct vv_bundle *b,
    struct vv_draft *draft, varve_error *error)
{
    struct vv_bundle_entry *graph =
        vv_bundle_find(b, VV_BUNDLE_GRAPH_KEY, sizeof VV_BUNDLE_GRAPH_KEY - 1);
    VV_TRY(check_slices_used(b, error));
    if (graph)
        VV_TRY(vv_bundle_read_graph(f, b, graph, draft, error));
    else
        f->format = VARVE_FORMAT_TENSORFLOW_NAMES;
    bundle_in_add_names(b, draft, graph != NULL);
    return VARVE_OK;
}

/* --- Opening -------------------------------------------------------------- */

/* Reads a string without its length. */
static varve_status decode_only_string(const struct vv_foreign *f,
    const struct vv_bundle_entry *e, unsigned char *bytes, size_t size,
    varve_error *error)
{
    const struct vv_bundle *b = f->state;
    const varve_allocator *a = &f->context->allocator;
    unsigned char *whole = vv_allocate(a, 8 + size);
    if (!whole)
        return vv_fail_memory(error, "the bytes of a state");
    varve_status status = vv_bundle_decode(f, b, e, whole, 8 + size, error);
    if (!status)
        memcpy(bytes, whole + 8, size);
    vv_release(a, whole, 8 + size);
    return status;
}

static varve_status bundle_in_decode(const struct vv_foreign *f,
    uint64_t number, unsigned char *bytes, size_t size, varve_error *error)
{
    const struct vv_bundle *b = f->state;
    const struct vv_bundle_entry *e =
        &b->entries[number & ~VV_BUNDLE_ONLY_STRING];
    if (number & VV_BUNDLE_ONLY_STRING)
        return decode_only_string(f, e, bytes, size, error);
    return vv_bundle_decode(f, b, e, bytes, size, error);
}

static void bundle_in_end(struct vv_foreign *f)
{
    struct vv_bundle *b = f->state;
    const varve_allocator *a = &f->context->allocator;
    if (!b)
        return;
    vv_bundle_clear(b);
    vv_release(a, b, sizeof *b);
}

static varve_status fail_hole(
    const struct vv_bundle *b, size_t at, varve_error *error)
{
    return vv_fail(error, VARVE_CORRUPT,
        "%s: bytes %zu to %zu are all zero, which no table contains", b->path,
        at, at + PIECE);
}

static bool is_hole(const unsigned char *piece, size_t size)
{
    return size == PIECE && *piece == 0 &&
           memcmp(piece, piece + 1, size - 1) == 0;
}

/* The buffer grows with the bytes read, so a sparse file takes no memory for
 * its hole. */
static varve_status load_index(struct vv_foreign *f, const struct vv_bundle *b,
    struct vv_buffer *index, size_t size, varve_error *error)
{
    for (size_t at = 0; at < size; at = index->size) {
        size_t part = size - at < PIECE ? size - at : PIECE;
        unsigned char *piece = vv_buffer_extend(index, part);
        if (!piece)
            return vv_fail_memory(error, "an index");
        VV_TRY(vv_foreign_read(f, 0, piece, part, at, error));
        if (is_hole(piece, part))
            return fail_hole(b, at, error);
    }
    return VARVE_OK;
}

static varve_status bundle_in_read_index(
    struct vv_foreign *f, struct vv_bundle *b, varve_error *error)
{
    struct vv_buffer index;
    uint64_t size = f->files[0].size;
    if (size > SIZE_MAX / 2)
        return vv_fail(error, VARVE_LIMIT,
            "%s: the index of %" PRIu64 " bytes does not fit into memory",
            b->path, size);
    vv_buffer_init(&index, &f->context->allocator);
    if (size < PIECE)
        vv_buffer_reserve(&index, (size_t)size);
    varve_status status = load_index(f, b, &index, (size_t)size, error);
    if (!status)
        status = vv_bundle_read_index(b, index.data, index.size, error);
    vv_buffer_clear(&index);
    return status;
}

static varve_status open_bundle(
    struct vv_foreign *f, struct vv_draft *draft, varve_error *error)
{
    struct vv_bundle *b = vv_allocate_zeroed(&f->context->allocator, sizeof *b);
    f->state = b;
    f->free = bundle_in_end;
    f->decode = bundle_in_decode;
    if (!b)
        return vv_fail_memory(error, "a checkpoint");
    b->context = f->context;
    b->path = f->files[0].path;
    VV_TRY(bundle_in_read_index(f, b, error));
    if (!has_index_name(b->path))
        return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
            "%s: the name of the index of a TensorFlow checkpoint must end in "
            "%s",
            b->path, INDEX_ENDING);
    VV_TRY(settle_entries(f, b, error));
    return bundle_in_add_all(f, b, draft, error);
}

const struct vv_foreign_format vv_bundle_format = {
    .format = VARVE_FORMAT_TENSORFLOW,
    .probe = bundle_in_probe,
    .open = open_bundle,
};
