/* reader.c - the saved graph for people and tools.
 *
 * Names and paths are put into one block when the file is opened, so that what
 * is handed out lives as long as the reader and nothing is allocated later.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reader.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "layout.h"
#include "name.h"
#include "save.h"
#include "system.h"
#include "try.h"

static const struct vv_index *index_of(const varve_reader *reader)
{
    return &reader->file.parsed.index;
}

/* --- Opening ------------------------------------------------------------ */

/* Most paths are that of the parent, which stands in `all` already, and one
 * more name; false for the others. */
static bool add_to_parent(
    varve_reader *reader, struct vv_buffer *all, uint32_t node)
{
    const struct vv_index *index = index_of(reader);
    uint32_t parent = reader->paths.parents[node];
    uint32_t way = reader->paths.ways[node];
    if (node == 0 || parent >= node || (way & VV_WAY_IS_SLOT))
        return false;
    size_t begin = (size_t)reader->path_at[parent];
    size_t end = (size_t)(parent + 1 < node ? reader->path_at[parent + 1]
                                            : reader->path_at[node]);
    size_t size = end - begin - 1;
    char *at = vv_buffer_extend(all, size + (size > 0));
    if (!at)
        return true;
    memcpy(at, all->data + begin, size);
    if (size)
        at[size] = '/';
    const char *name =
        vv_index_name(index, vv_at32(index->edge_names, way), &size);
    vv_path_add_name(all, name, size);
    return true;
}

static void add_texts(
    varve_reader *reader, struct vv_buffer *all, struct vv_buffer *path)
{
    const struct vv_index *index = index_of(reader);
    for (uint32_t i = 0; i < index->name_count; i++) {
        size_t size;
        const char *name = vv_index_name(index, i, &size);
        reader->name_at[i] = all->size;
        vv_buffer_add(all, name, size);
        vv_buffer_add8(all, 0);
    }
    for (uint32_t i = 0; i < index->node_count; i++) {
        reader->path_at[i] = all->size;
        if (!add_to_parent(reader, all, i)) {
            vv_saved_path(&reader->paths, i, path);
            vv_buffer_add(all, path->data, path->size);
        }
        vv_buffer_add8(all, 0);
    }
}

static varve_status make_texts(varve_reader *reader, varve_error *error)
{
    const varve_allocator *a = &reader->context.allocator;
    const struct vv_index *index = index_of(reader);
    struct vv_buffer all;
    struct vv_buffer path;
    vv_buffer_init(&all, a);
    vv_buffer_init(&path, a);
    reader->name_at =
        vv_allocate_array(a, index->name_count, sizeof *reader->name_at);
    reader->path_at =
        vv_allocate_array(a, index->node_count, sizeof *reader->path_at);
    bool done =
        (reader->name_at || !index->name_count) && reader->path_at != NULL;
    if (done) {
        add_texts(reader, &all, &path);
        done = !all.failed && !path.failed;
    }
    vv_buffer_clear(&path);
    if (!done) {
        vv_buffer_clear(&all);
        return vv_fail_memory(error, "the paths of a checkpoint");
    }
    reader->texts = (char *)all.data;
    reader->text_size = all.capacity;
    return VARVE_OK;
}

static varve_status make_values(varve_reader *reader, varve_error *error)
{
    const struct vv_index *index = index_of(reader);
    reader->value_of = vv_allocate_array(&reader->context.allocator,
        index->node_count, sizeof *reader->value_of);
    if (!reader->value_of)
        return vv_fail_memory(error, "the values of a checkpoint");
    memset(
        reader->value_of, 0xff, index->node_count * sizeof *reader->value_of);
    for (uint32_t v = 0; v < index->value_count; v++)
        reader->value_of[vv_at32(index->value_nodes, v)] = v;
    return VARVE_OK;
}

static varve_status open_all(
    varve_reader *reader, const char *path, varve_error *error)
{
    struct vv_buffer found;
    vv_buffer_init(&found, &reader->context.allocator);
    varve_status status =
        vv_find_checkpoint(&reader->context, path, true, &found, error);
    if (!status)
        status = vv_data_in_open(
            &reader->file, &reader->context, (const char *)found.data, error);
    vv_buffer_clear(&found);
    if (status)
        return status;
    VV_TRY(vv_saved_paths_begin(&reader->paths, &reader->context.allocator,
        index_of(reader), 0, error));
    VV_TRY(make_texts(reader, error));
    return make_values(reader, error);
}

varve_reader *vv_reader_open_in(
    const struct vv_context *context, const char *path, varve_error *error)
{
    if (!path) {
        vv_fail(error, VARVE_MISUSE, "expected a path, found none");
        return NULL;
    }
    varve_reader *reader =
        vv_allocate_zeroed(&context->allocator, sizeof *reader);
    if (!reader) {
        vv_fail_memory(error, "a reader");
        return NULL;
    }
    reader->context = *context;
    if (open_all(reader, path, error)) {
        varve_reader_free(reader);
        return NULL;
    }
    return reader;
}

varve_reader *varve_reader_open(
    const char *path, const varve_allocator *allocator, varve_error *error)
{
    struct vv_context context = {
        .allocator = vv_allocator_or_default(allocator),
        .system = &vv_posix_system,
    };
    return vv_reader_open_in(&context, path, error);
}

void varve_reader_free(varve_reader *reader)
{
    if (!reader)
        return;
    const varve_allocator a = reader->context.allocator;
    const struct vv_index *index = index_of(reader);
    vv_release(&a, reader->texts, reader->text_size);
    vv_release(
        &a, reader->name_at, index->name_count * sizeof *reader->name_at);
    vv_release(
        &a, reader->path_at, index->node_count * sizeof *reader->path_at);
    vv_release(
        &a, reader->value_of, index->node_count * sizeof *reader->value_of);
    vv_saved_paths_end(&reader->paths);
    if (reader->file.context)
        vv_data_in_close(&reader->file);
    vv_release(&a, reader, sizeof *reader);
}

/* --- The file ----------------------------------------------------------- */

const char *varve_reader_path(const varve_reader *reader)
{
    return reader->file.path;
}

uint64_t varve_reader_size(const varve_reader *reader)
{
    return reader->file.size;
}

uint64_t varve_reader_counter(const varve_reader *reader)
{
    return index_of(reader)->counter;
}

const varve_metadata *varve_reader_metadata_at(
    const varve_reader *reader, size_t index)
{
    if (index >= index_of(reader)->metadata_count)
        return NULL;
    return &index_of(reader)->metadata[index];
}

/* --- The graph ---------------------------------------------------------- */

size_t varve_reader_node_count(const varve_reader *reader)
{
    return index_of(reader)->node_count;
}

const char *vv_reader_node_path(const varve_reader *reader, uint32_t node)
{
    return reader->texts + reader->path_at[node];
}

/* The tags of a node are numbers *begin to *end - 1, as they are sorted. */
static void find_tags(
    const struct vv_index *index, uint32_t node, uint32_t *begin, uint32_t *end)
{
    uint32_t low = 0;
    for (uint32_t high = index->tag_count; low < high;) {
        uint32_t middle = low + (high - low) / 2;
        if (vv_at32(index->tag_nodes, middle) < node)
            low = middle + 1;
        else
            high = middle;
    }
    *begin = *end = low;
    while (*end < index->tag_count && vv_at32(index->tag_nodes, *end) == node)
        ++*end;
}

static void fill_value(
    const varve_reader *reader, uint32_t value, varve_saved_node *node)
{
    const struct vv_index *index = index_of(reader);
    node->has_value = vv_index_is_saved(index, value);
    node->value = vv_index_tensor(index, &reader->file.parsed.table, value);
    node->size = vv_at64(index->value_sizes, value);
    node->offset = vv_at64(index->value_offsets, value);
    if (node->has_value) {
        struct vv_digest digest = vv_data_in_digest(&reader->file, value);
        memcpy(node->digest, digest.bytes, sizeof node->digest);
    }
}

bool varve_reader_node_at(
    const varve_reader *reader, size_t id, varve_saved_node *node)
{
    const struct vv_index *index = index_of(reader);
    if (id >= index->node_count)
        return false;
    uint32_t begin, end;
    *node = (varve_saved_node){
        .id = (uint32_t)id,
        .kind = vv_index_kind(index, (uint32_t)id),
        .path = vv_reader_node_path(reader, (uint32_t)id),
    };
    vv_index_edges(index, node->id, &begin, &end);
    node->edge_count = end - begin;
    vv_index_slots(index, node->id, &begin, &end);
    node->slot_count = end - begin;
    find_tags(index, node->id, &begin, &end);
    node->tag_count = end - begin;
    if (reader->value_of[id] != VV_NONE)
        fill_value(reader, reader->value_of[id], node);
    return true;
}

bool varve_reader_find(
    const varve_reader *reader, const char *path, varve_saved_node *node)
{
    struct vv_buffer scratch;
    vv_buffer_init(&scratch, &reader->context.allocator);
    uint32_t found = vv_saved_find(
        index_of(reader), 0, *path == '/' ? path + 1 : path, &scratch);
    vv_buffer_clear(&scratch);
    /* A slot variable has no edge that leads to it; its path is unique. */
    for (uint32_t s = 0; found == VV_NONE && s < index_of(reader)->slot_count;
         s++) {
        uint32_t slot = vv_at32(index_of(reader)->slot_nodes, s);
        if (strcmp(vv_reader_node_path(reader, slot), path) == 0)
            found = slot;
    }
    return found != VV_NONE && varve_reader_node_at(reader, found, node);
}

bool varve_reader_edge_at(const varve_reader *reader, size_t id, size_t edge,
    const char **name, uint32_t *child)
{
    const struct vv_index *index = index_of(reader);
    if (id >= index->node_count)
        return false;
    uint32_t begin, end;
    vv_index_edges(index, (uint32_t)id, &begin, &end);
    if (edge >= end - begin)
        return false;
    size_t at = begin + edge;
    *name = reader->texts + reader->name_at[vv_at32(index->edge_names, at)];
    *child = vv_at32(index->edge_children, at);
    return true;
}

bool varve_reader_slot_at(const varve_reader *reader, size_t id, size_t slot,
    const char **name, uint32_t *variable, uint32_t *node)
{
    const struct vv_index *index = index_of(reader);
    if (id >= index->node_count)
        return false;
    uint32_t begin, end;
    vv_index_slots(index, (uint32_t)id, &begin, &end);
    if (slot >= end - begin)
        return false;
    size_t at = begin + slot;
    *name = reader->texts + reader->name_at[vv_at32(index->slot_names, at)];
    *variable = vv_at32(index->slot_variables, at);
    *node = vv_at32(index->slot_nodes, at);
    return true;
}

const char *varve_reader_tag_at(
    const varve_reader *reader, size_t id, size_t tag)
{
    const struct vv_index *index = index_of(reader);
    if (id >= index->node_count)
        return NULL;
    uint32_t begin, end;
    find_tags(index, (uint32_t)id, &begin, &end);
    if (tag >= end - begin)
        return NULL;
    return reader->texts +
           reader->name_at[vv_at32(index->tag_names, begin + tag)];
}

/* --- Values ------------------------------------------------------------- */

varve_status varve_reader_read(varve_reader *reader, size_t id, void *buffer,
    size_t size, varve_error *error)
{
    const struct vv_index *index = index_of(reader);
    uint32_t value = id < index->node_count ? reader->value_of[id] : VV_NONE;
    if (value == VV_NONE || !vv_index_is_saved(index, value))
        return vv_fail(error, VARVE_NOT_FOUND,
            "%s: node %zu: expected a value, found none", reader->file.path,
            id);
    uint64_t wanted = vv_at64(index->value_sizes, value);
    if (size < wanted)
        return vv_fail(error, VARVE_MISUSE,
            "%s: %s: expected room for %llu bytes, found %zu",
            reader->file.path, vv_reader_node_path(reader, (uint32_t)id),
            (unsigned long long)wanted, size);
    for (uint64_t c = 0; c < vv_chunk_count(wanted); c++) {
        unsigned char *at = (unsigned char *)buffer + c * VV_CHUNK_SIZE;
        uint64_t offset;
        size_t part;
        vv_data_in_chunk(&reader->file, value, c, &offset, &part);
        VV_TRY(vv_data_in_read(&reader->file, offset, at, part, error));
        VV_TRY(vv_data_in_check(&reader->file, value, c, at,
            vv_reader_node_path(reader, (uint32_t)id), error));
    }
    return VARVE_OK;
}
