/* reader_names.c - Returns names and paths of the nodes of a reader.
 *
 * Returned strings live as long as the reader. Names are copied when the file
 * is opened. A path is made when it is first requested, except for children of
 * the root, whose path is their name.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reader_names.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "path_end.h"

static const struct vv_index *reader_names_index(const varve_reader *reader)
{
    return &reader->file.parsed.index;
}

varve_status vv_reader_make_names(varve_reader *reader, varve_error *error)
{
    const varve_allocator *a = &reader->context.allocator;
    const struct vv_index *index = reader_names_index(reader);
    size_t size = (size_t)index->names_size + index->name_count;
    if (index->name_count == 0)
        return VARVE_OK;
    reader->names = vv_allocate(a, size);
    if (!reader->names)
        return vv_fail_memory(error, "the names of a checkpoint");
    reader->names_size = size;
    char *at = reader->names;
    for (uint32_t i = 0; i < index->name_count; i++) {
        const char *name = vv_index_name(index, i, &size);
        memcpy(at, name, size);
        at[size] = '\0';
        at += size + 1;
    }
    return VARVE_OK;
}

const char *vv_reader_name(const varve_reader *reader, uint32_t name)
{
    return reader->names +
           vv_begin32(reader_names_index(reader)->name_ends, name) + name;
}

void vv_reader_free_names(varve_reader *reader)
{
    const varve_allocator *a = &reader->context.allocator;
    _Atomic(char *) *all = atomic_load(&reader->node_paths);
    size_t count = reader_names_index(reader)->node_count;
    for (size_t i = 0; all && i < count; i++)
        vv_release_string(a, all[i]);
    vv_release(a, all, count * sizeof *all);
    vv_release(a, reader->names, reader->names_size);
}

/* Returns the name of a child of the root if its path has the same bytes,
 * otherwise NULL. */
static const char *reader_name_as_path(
    const varve_reader *reader, uint32_t node)
{
    const struct vv_saved_paths *paths = &reader->paths;
    const struct vv_index *index = reader_names_index(reader);
    if (node == paths->root || paths->parents[node] != paths->root ||
        paths->ways[node] & VV_WAY_IS_SLOT)
        return NULL;
    uint32_t number = vv_at32(index->edge_names, paths->ways[node]);
    size_t size;
    const char *name = vv_index_name(index, number, &size);
    return size <= VV_LONGEST_PATH && vv_path_name_size(name, size) == size
               ? vv_reader_name(reader, number)
               : NULL;
}

/* Returns the table of the paths that were made, which is made if needed, or
 * NULL. If several threads make it at once, all use the first one. */
static _Atomic(char *) *reader_path_table(varve_reader *reader)
{
    const varve_allocator *a = &reader->context.allocator;
    _Atomic(char *) *known = atomic_load(&reader->node_paths);
    size_t size = reader_names_index(reader)->node_count * sizeof *known;
    if (known)
        return known;
    _Atomic(char *) *made = vv_allocate_zeroed(a, size);
    if (!made ||
        atomic_compare_exchange_strong(&reader->node_paths, &known, made))
        return made;
    vv_release(a, made, size);
    return known;
}

/* Returns a new path, or NULL. Nodes are mostly requested in order, so that the
 * path of the parent is usually there. */
static char *reader_make_path(
    const varve_reader *reader, const _Atomic(char *) *known, uint32_t node)
{
    const struct vv_saved_paths *paths = &reader->paths;
    struct vv_buffer path;
    vv_buffer_init(&path, &reader->context.allocator);
    const char *parent = NULL;
    if (node != paths->root && !(paths->ways[node] & VV_WAY_IS_SLOT)) {
        parent = reader_name_as_path(reader, paths->parents[node]);
        if (!parent)
            parent = atomic_load(&known[paths->parents[node]]);
    }
    if (parent) {
        vv_buffer_add_string(&path, parent);
        vv_saved_child_path(paths, node, &path);
    } else {
        vv_saved_path(paths, node, &path);
    }
    const char *text = vv_buffer_string(&path);
    char *copy =
        path.failed ? NULL : vv_copy_string(&reader->context.allocator, text);
    vv_buffer_clear(&path);
    return copy;
}

/* If several threads make the same path at once, all return the first one. */
const char *vv_reader_node_path(const varve_reader *reader, uint32_t node)
{
    const char *name = reader_name_as_path(reader, node);
    if (name || node == reader->paths.root)
        return name ? name : "";
    _Atomic(char *) *paths = reader_path_table((varve_reader *)reader);
    if (!paths)
        return "?";
    char *known = atomic_load(&paths[node]);
    if (known)
        return known;
    char *path = reader_make_path(reader, paths, node);
    if (!path)
        return "?";
    if (atomic_compare_exchange_strong(&paths[node], &known, path))
        return path;
    vv_release_string(&reader->context.allocator, path);
    return known;
}
