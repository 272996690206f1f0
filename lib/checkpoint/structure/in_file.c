/* in_file.c - Provides access to values that stay in their file. Each access
 * reads and verifies a range.
 *
 * SPDX-License-Identifier: MIT
 */
#include "in_file.h"

#include <string.h>

#include "allocator.h"
#include "dtype.h"
#include "failure.h"
#include "graph.h"
#include "layout.h"
#include "memory_table.h"
#include "try.h"
#include "variable.h"

enum {
    MOST_HELD = 8 << 20, /* bytes of values in memory, all together */
    LEAST_LEFT = 256,
};

struct in_file {
    struct vv_observer observer;
    varve_allocator allocator;
    varve_reader *reader;
    size_t count;
    struct value_in_file {
        const struct in_file *file;
        uint32_t node;
        uint32_t value;
    } values[];
};

uint64_t vv_in_file_from(const struct vv_index *index)
{
    uint64_t from = VV_PAGED_SIZE;
    for (;;) {
        uint64_t held = 0;
        for (uint32_t i = 0; i < index->value_count; i++) {
            uint64_t size = vv_at64(index->value_sizes, i);
            held += size < from ? size : 0;
        }
        if (held <= MOST_HELD || from == LEAST_LEFT)
            return from;
        from /= 2;
    }
}

/* --- A value ------------------------------------------------------------ */

static varve_status copy_chunk(
    const struct value_in_file *v, uint64_t chunk, unsigned char *bytes)
{
    return vv_reader_read_chunk(
        v->file->reader, v->node, v->value, chunk, bytes, NULL);
}

/* Copies a range that is not exactly one chunk. */
static varve_status copy_parts(const struct value_in_file *v, uint64_t offset,
    unsigned char *bytes, size_t size)
{
    varve_status status = VARVE_OK;
    unsigned char *room = vv_allocate(&v->file->allocator, VV_CHUNK_SIZE);
    if (!room)
        return VARVE_NO_MEMORY;
    for (size_t at = 0, part; at < size && !status; at += part) {
        size_t begin = (size_t)((offset + at) % VV_CHUNK_SIZE);
        part = VV_CHUNK_SIZE - begin;
        part = part < size - at ? part : size - at;
        status = copy_chunk(v, (offset + at) / VV_CHUNK_SIZE, room);
        if (!status)
            memcpy(bytes + at, room + begin, part);
    }
    vv_release(&v->file->allocator, room, VV_CHUNK_SIZE);
    return status;
}

static varve_status in_file_copy_out(
    void *self, uint64_t offset, void *bytes, size_t size)
{
    const struct value_in_file *v = self;
    const struct vv_index *index = &v->file->reader->file.parsed.index;
    uint64_t left = vv_at64(index->value_sizes, v->value) - offset;
    bool is_chunk =
        offset % VV_CHUNK_SIZE == 0 && (size == VV_CHUNK_SIZE || size == left);
    varve_status status = is_chunk
                              ? copy_chunk(v, offset / VV_CHUNK_SIZE, bytes)
                              : copy_parts(v, offset, bytes, size);
    varve_dtype dtype = (varve_dtype)index->value_dtypes[v->value];
    if (!status && VV_BIG_ENDIAN)
        vv_dtype_swap_copy(dtype, bytes, bytes, size / varve_dtype_size(dtype));
    return status;
}

/* --- All of them -------------------------------------------------------- */

static void in_file_graph_freed(struct vv_observer *self)
{
    struct in_file *file = (struct in_file *)self;
    const varve_allocator a = file->allocator;
    size_t size = sizeof *file + file->count * sizeof *file->values;
    varve_reader_free(file->reader);
    vv_release(&a, file, size);
}

static bool in_file_stays(const varve_node *node)
{
    return node && node->variable && node->value_state == VARVE_RESTORED &&
           vv_variable_is_owned(node->variable) &&
           !node->variable->tensor.data &&
           varve_tensor_size(&node->variable->tensor) > 0;
}

static bool in_file_reach(struct in_file *file, varve_node *node, uint32_t id)
{
    struct value_in_file *v = &file->values[file->count];
    const struct vv_index *index = &file->reader->file.parsed.index;
    *v = (struct value_in_file){ file, id, vv_index_find_value(index, id) };
    if (!vv_variable_reach(
            node, &(varve_memory){ .copy_out = in_file_copy_out, .self = v }))
        return false;
    file->count++;
    return true;
}

varve_status vv_leave_in_file(varve_graph *graph, varve_reader *reader,
    varve_node *const *nodes, size_t count, varve_error *error)
{
    const varve_allocator *a = &graph->context.allocator;
    size_t staying = 0;
    for (size_t id = 0; id < count; id++)
        staying += in_file_stays(nodes[id]);
    size_t size =
        sizeof(struct in_file) + staying * sizeof(struct value_in_file);
    struct in_file *file = vv_allocate_zeroed(a, size);
    if (!file)
        return vv_fail_memory(error, "a graph");
    file->allocator = *a;
    file->reader = reader;
    for (size_t id = 0; id < count; id++) {
        if (in_file_stays(nodes[id]) &&
            !in_file_reach(file, nodes[id], (uint32_t)id)) {
            vv_release(a, file, size);
            return vv_fail_memory(error, "a graph");
        }
    }
    file->observer.graph_freed = in_file_graph_freed;
    vv_graph_observe(graph, &file->observer);
    return VARVE_OK;
}
