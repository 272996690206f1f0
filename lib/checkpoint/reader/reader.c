/* reader.c - Opens a checkpoint without a program and lists its nodes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reader.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "box.h"
#include "formats.h"
#include "range_reading.h"
#include "default_allocator.h"
#include "failure.h"
#include "layout.h"
#include "piece_table.h"
#include "reader_names.h"
#include "save.h"
#include "store.h"
#include "try.h"
#include "worker.h"

static const struct vv_index *reader_index_of(const varve_reader *reader)
{
    return &reader->file.parsed.index;
}

/* --- Opening ------------------------------------------------------------ */

static varve_status reader_make_paths(varve_reader *reader, varve_error *error)
{
    return vv_saved_paths_begin(&reader->paths, &reader->context.allocator,
        reader_index_of(reader), 0, error);
}

struct vv_reader_part {
    uint32_t value;
    varve_slice part;
};

static varve_status make_parts(varve_reader *reader, varve_error *error)
{
    const struct vv_index *index = reader_index_of(reader);
    const struct vv_value_table *table = &reader->file.parsed.table;
    size_t count = 0;
    for (uint32_t v = 0; index->whole_count && v < index->value_count; v++)
        count += vv_index_part(index, table, v, NULL);
    if (count == 0)
        return VARVE_OK;
    reader->parts = vv_allocate_array(
        &reader->context.allocator, count, sizeof *reader->parts);
    if (!reader->parts)
        return vv_fail_memory(error, "the parts of values");
    reader->part_count = count;
    struct vv_reader_part *next = reader->parts;
    for (uint32_t v = 0; v < index->value_count; v++) {
        struct vv_reader_part found = { .value = v };
        if (vv_index_part(index, table, v, &found.part))
            *next++ = found;
    }
    return VARVE_OK;
}

static int compare_parts(const void *key, const void *item)
{
    const uint32_t *value = key;
    const struct vv_reader_part *part = item;
    return (*value > part->value) - (*value < part->value);
}

/* Returns the slice of a larger value that this value is, or NULL if it is
 * complete. */
static const varve_slice *reader_find_part(
    const varve_reader *reader, uint32_t value)
{
    const struct vv_reader_part *found =
        reader->part_count == 0
            ? NULL
            : bsearch(&value, reader->parts, reader->part_count,
                  sizeof *reader->parts, compare_parts);
    return found ? &found->part : NULL;
}

struct making {
    varve_reader *reader;
    varve_status status[2];
    varve_error errors[2];
};

static void make_part(void *user, size_t part)
{
    struct making *m = user;
    m->status[part] = part == 0
                          ? reader_make_paths(m->reader, &m->errors[0])
                          : vv_reader_make_names(m->reader, &m->errors[1]);
}

static varve_status reader_make_tables(varve_reader *reader, varve_error *error)
{
    struct making m = { .reader = reader };
    vv_run_parts(&reader->context, reader->file.index_size, 2, make_part, &m);
    size_t failed = m.status[0] ? 0 : 1;
    if (m.status[failed] && error)
        *error = m.errors[failed];
    return m.status[failed];
}

static varve_reader *reader_make(
    const struct vv_context *context, varve_error *error)
{
    varve_reader *reader =
        vv_allocate_zeroed(&context->allocator, sizeof *reader);
    if (reader)
        reader->context = *context;
    else
        vv_fail_memory(error, "a reader");
    return reader;
}

/* Completes a reader after its file was opened with `status`. Returns NULL on
 * failure. */
static varve_reader *complete(
    varve_reader *reader, varve_status status, varve_error *error)
{
    if (!status && !reader_make_tables(reader, error) &&
        !make_parts(reader, error))
        return reader;
    varve_reader_free(reader);
    return NULL;
}

varve_reader *vv_reader_open_by(const struct vv_context *context,
    vv_reader_opener *open, void *user, varve_error *error)
{
    varve_reader *reader = reader_make(context, error);
    if (!reader)
        return NULL;
    varve_status status = open(user, &reader->file, &reader->context, error);
    return complete(reader, status, error);
}

static varve_status open_found(void *user, struct vv_opened *opened,
    const struct vv_context *context, varve_error *error)
{
    return vv_open_found(
        context, user, true, vv_checkpoint_open, opened, error);
}

varve_reader *vv_reader_open_in(
    const struct vv_context *context, const char *path, varve_error *error)
{
    if (!path) {
        vv_fail(error, VARVE_MISUSE, "path is NULL");
        return NULL;
    }
    return vv_reader_open_by(context, open_found, (void *)path, error);
}

varve_reader *vv_reader_over(const struct vv_context *context,
    const struct vv_opened *file, varve_error *error)
{
    varve_reader *reader = reader_make(context, error);
    if (!reader)
        return NULL;
    reader->file = *file;
    reader->has_lent_file = true;
    return complete(reader, VARVE_OK, error);
}

static struct vv_context context_of(const varve_allocator *allocator)
{
    return (struct vv_context){
        .allocator = vv_allocator_or_default(allocator),
        .system = vv_default_system(),
    };
}

varve_reader *varve_reader_open(
    const char *path, const varve_allocator *allocator, varve_error *error)
{
    struct vv_context context = context_of(allocator);
    return vv_reader_open_in(&context, path, error);
}

varve_reader *varve_reader_salvage(
    const char *path, const varve_allocator *allocator, varve_error *error)
{
    struct vv_context context = context_of(allocator);
    context.salvages = true;
    return vv_reader_open_in(&context, path, error);
}

varve_reader *varve_reader_open_with(
    const char *path, const varve_reader_options *options, varve_error *error)
{
    static const varve_reader_options defaults;
    if (!options)
        options = &defaults;
    if (VV_CHECK_OPTIONS(options, error) ||
        VV_CHECK_ROOM(options->foreign.reserved, error))
        return NULL;
    struct vv_context context = context_of(options->allocator);
    context.dots = options->foreign.dots;
    context.no_hdf5 = options->foreign.no_hdf5;
    context.follows_links = options->foreign.follow_links;
    context.salvages = options->salvage;
    return vv_reader_open_in(&context, path, error);
}

void varve_reader_free(varve_reader *reader)
{
    if (!reader)
        return;
    const varve_allocator a = reader->context.allocator;
    vv_reader_free_names(reader);
    vv_saved_paths_end(&reader->paths);
    vv_release(&a, reader->parts, reader->part_count * sizeof *reader->parts);
    if (!reader->has_lent_file)
        vv_opened_close(&reader->file);
    vv_release(&a, reader, sizeof *reader);
}

/* --- The file ----------------------------------------------------------- */

varve_format varve_reader_format(const varve_reader *reader)
{
    return reader ? vv_checkpoint_format(&reader->file) : VARVE_FORMAT_VARVE;
}

/* The compiler warns about formats that are missing here. */
#pragma GCC diagnostic error "-Wswitch"
bool varve_reader_has_checksums(const varve_reader *reader)
{
    if (!reader)
        return false;
    switch (varve_reader_format(reader)) {
    case VARVE_FORMAT_VARVE:
    case VARVE_FORMAT_TENSORFLOW:
    case VARVE_FORMAT_TENSORFLOW_NAMES:
    case VARVE_FORMAT_NPZ:
    case VARVE_FORMAT_TORCH:
    case VARVE_FORMAT_DCP: return true;
    case VARVE_FORMAT_SAFETENSORS:
    case VARVE_FORMAT_NPY:
    case VARVE_FORMAT_GGUF:
    case VARVE_FORMAT_ONNX:
    case VARVE_FORMAT_FLAX:
    case VARVE_FORMAT_HDF5: return false;
    }
    return false;
}

const char *varve_reader_path(const varve_reader *reader)
{
    return reader ? reader->file.path : NULL;
}

uint64_t varve_reader_size(const varve_reader *reader)
{
    return reader ? reader->file.size : 0;
}

uint64_t varve_reader_counter(const varve_reader *reader)
{
    return reader ? reader_index_of(reader)->counter : 0;
}

const varve_metadata *varve_reader_metadata_at(
    const varve_reader *reader, size_t index)
{
    if (!reader)
        return NULL;
    if (index >= reader_index_of(reader)->metadata_count)
        return NULL;
    return &reader_index_of(reader)->metadata[index];
}

/* --- The graph ---------------------------------------------------------- */

size_t varve_reader_node_count(const varve_reader *reader)
{
    return reader ? reader_index_of(reader)->node_count : 0;
}

static void reader_fill_value(
    const varve_reader *reader, uint32_t value, varve_saved_node *node)
{
    const struct vv_index *index = reader_index_of(reader);
    node->has_value = vv_index_is_saved(index, value);
    node->value = vv_index_tensor(index, &reader->file.parsed.table, value);
    node->part = reader_find_part(reader, value);
    node->size = vv_at64(index->value_sizes, value);
    if (node->has_value) {
        node->file = vv_opened_place(&reader->file, value, &node->offset);
        struct vv_digest digest = vv_opened_digest(&reader->file, value);
        memcpy(node->digest, digest.bytes, sizeof node->digest);
    }
}

bool vv_reader_describe(
    const varve_reader *reader, size_t id, varve_saved_node *node)
{
    const struct vv_index *index = reader_index_of(reader);
    if (id >= index->node_count)
        return false;
    uint32_t begin, end;
    *node = (varve_saved_node){
        .id = (uint32_t)id,
        .kind = vv_index_kind(index, (uint32_t)id),
    };
    vv_index_edges(index, node->id, &begin, &end);
    node->edge_count = end - begin;
    vv_index_slots(index, node->id, &begin, &end);
    node->slot_count = end - begin;
    vv_index_tags(index, node->id, &begin, &end);
    node->tag_count = end - begin;
    uint32_t global = vv_index_find_global(index, node->id);
    if (global != VV_NONE)
        node->global_name = vv_reader_name(reader, global);
    uint32_t value = vv_index_find_value(index, node->id);
    if (value != VV_NONE)
        reader_fill_value(reader, value, node);
    return true;
}

bool varve_reader_node_at(
    const varve_reader *reader, size_t id, varve_saved_node *node)
{
    if (!reader)
        return false;
    if (!vv_reader_describe(reader, id, node))
        return false;
    node->path = vv_reader_node_path(reader, node->id);
    return true;
}

bool varve_reader_find(
    const varve_reader *reader, const char *path, varve_saved_node *node)
{
    if (!reader)
        return false;
    struct vv_buffer scratch;
    vv_buffer_init(&scratch, &reader->context.allocator);
    uint32_t found = vv_saved_find(
        reader_index_of(reader), 0, path + (*path == '/'), &scratch);
    vv_buffer_clear(&scratch);
    return found != VV_NONE && varve_reader_node_at(reader, found, node);
}

bool varve_reader_edge_at(const varve_reader *reader, size_t id, size_t edge,
    const char **name, uint32_t *child)
{
    if (!reader)
        return false;
    const struct vv_index *index = reader_index_of(reader);
    if (id >= index->node_count)
        return false;
    uint32_t begin, end;
    vv_index_edges(index, (uint32_t)id, &begin, &end);
    if (edge >= end - begin)
        return false;
    size_t at = begin + edge;
    *name = vv_reader_name(reader, vv_at32(index->edge_names, at));
    *child = vv_at32(index->edge_children, at);
    return true;
}

bool varve_reader_slot_at(const varve_reader *reader, size_t id, size_t slot,
    const char **name, uint32_t *variable, uint32_t *node)
{
    if (!reader)
        return false;
    const struct vv_index *index = reader_index_of(reader);
    if (id >= index->node_count)
        return false;
    uint32_t begin, end;
    vv_index_slots(index, (uint32_t)id, &begin, &end);
    if (slot >= end - begin)
        return false;
    size_t at = begin + slot;
    *name = vv_reader_name(reader, vv_at32(index->slot_names, at));
    *variable = vv_at32(index->slot_variables, at);
    *node = vv_at32(index->slot_nodes, at);
    return true;
}

const char *varve_reader_tag_at(
    const varve_reader *reader, size_t id, size_t tag)
{
    if (!reader)
        return NULL;
    const struct vv_index *index = reader_index_of(reader);
    if (id >= index->node_count)
        return NULL;
    uint32_t begin, end;
    vv_index_tags(index, (uint32_t)id, &begin, &end);
    if (tag >= end - begin)
        return NULL;
    return vv_reader_name(reader, vv_at32(index->tag_names, begin + tag));
}

bool varve_reader_left_out_at(const varve_reader *reader, size_t index,
    const char **path, const char **what)
{
    if (!reader ||
        index >= reader->file.left_out.size / sizeof(struct vv_left_out))
        return false;
    const struct vv_left_out *all =
        (const struct vv_left_out *)(const void *)reader->file.left_out.data;
    const char *texts = (const char *)reader->file.left_out_texts.data;
    *path = texts + all[index].path;
    *what = texts + all[index].what;
    return true;
}

/* --- Values ------------------------------------------------------------- */

varve_status vv_reader_find_value(
    const varve_reader *reader, size_t id, uint32_t *value, varve_error *error)
{
    const struct vv_index *index = reader_index_of(reader);
    *value = id < index->node_count ? vv_index_find_value(index, (uint32_t)id)
                                    : VV_NONE;
    if (*value == VV_NONE || !vv_index_is_saved(index, *value))
        return vv_fail(error, VARVE_NOT_FOUND, "%s: node %zu has no value",
            reader->file.path, id);
    return VARVE_OK;
}

varve_status vv_reader_read_chunk(const varve_reader *reader, uint32_t node,
    uint32_t value, uint64_t chunk, void *bytes, varve_error *error)
{
    uint64_t offset;
    size_t size;
    vv_opened_chunk(&reader->file, value, chunk, &offset, &size);
    VV_TRY(vv_opened_read(&reader->file, offset, bytes, size, error));
    /* The path is only computed after a failure. */
    if (!vv_opened_check(&reader->file, value, chunk, bytes, NULL, NULL))
        return VARVE_OK;
    return vv_opened_check(&reader->file, value, chunk, bytes,
        vv_reader_node_path(reader, node), error);
}

static varve_status reader_read_whole(const varve_reader *reader, uint32_t node,
    uint32_t value, unsigned char *to, varve_error *error)
{
    uint64_t size = vv_at64(reader_index_of(reader)->value_sizes, value);
    uint64_t chunks = vv_chunk_count(size);
    const void *owner = to;
    varve_status status = VARVE_OK;
    if (chunks > 1)
        vv_opened_plan(&reader->file, owner,
            vv_at64(reader_index_of(reader)->value_offsets, value), size);
    for (uint64_t c = 0; c < chunks && !status; c++, to += VV_CHUNK_SIZE)
        status = vv_reader_read_chunk(reader, node, value, c, to, error);
    if (chunks > 1)
        vv_opened_drop_plan(&reader->file, owner);
    return status;
}

static varve_status reader_read_pieces(const varve_reader *reader,
    uint32_t node, uint32_t value, unsigned char *to, varve_error *error)
{
    varve_tensor saved = vv_index_tensor(
        reader_index_of(reader), &reader->file.parsed.table, value);
    struct vv_box_reading b = {
        .reader = reader,
        .node = node,
        .value = value,
        .box = vv_box_whole(&saved),
        .to = to,
    };
    varve_status status = vv_box_read(&b, error);
    vv_box_reading_clear(&b);
    return status;
}

varve_status varve_reader_read(varve_reader *reader, size_t id, void *buffer,
    size_t size, varve_error *error)
{
    if (!reader)
        return vv_fail_none(error, "reader", "an open");
    uint32_t value;
    VV_TRY(vv_reader_find_value(reader, id, &value, error));
    uint64_t wanted = vv_at64(reader_index_of(reader)->value_sizes, value);
    if (size < wanted)
        return vv_fail(error, VARVE_MISUSE,
            "%s: %s: the buffer is too small: %llu bytes are needed, found %zu",
            reader->file.path, vv_reader_node_path(reader, (uint32_t)id),
            (unsigned long long)wanted, size);
    return vv_piece_count(reader_index_of(reader), value) > 1
               ? reader_read_pieces(reader, (uint32_t)id, value, buffer, error)
               : reader_read_whole(reader, (uint32_t)id, value, buffer, error);
}
