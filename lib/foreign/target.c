/* target.c - Writes what all formats have in common: the losses of a graph,
 * names, and the bytes of values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "target.h"

#include <stdio.h>

#include "failure.h"
#include "file.h"
#include "name.h"
#include "try.h"

/* --- Graphs --------------------------------------------------------------- */

/* Reports the properties of a graph that other formats cannot store, and builds
 * names. */

/* Limit on the bytes of a path in an error message. */
enum { SHOWN = 63 };

varve_status vv_target_finish(
    const struct vv_target *target, varve_status status, varve_error *error)
{
    return status || !target->finish ? status
                                     : target->finish(target->user, error);
}

/* --- Losses --------------------------------------------------------------- */

static void report_lost_at(
    const struct vv_target *target, struct vv_buffer *path, const char *what)
{
    target->loss(target->loss_user, vv_buffer_string(path), what);
}

void vv_target_report_lost(
    const struct vv_target *target, uint32_t node, const char *what)
{
    struct vv_buffer path;
    if (!target->loss)
        return;
    vv_buffer_init(&path, &target->context->allocator);
    vv_saved_path(target->paths, node, &path);
    report_lost_at(target, &path, what);
    vv_buffer_clear(&path);
}

static void report_lost_kinds(
    const struct vv_target *target, vv_keeps_tag *keeps_tag)
{
    const struct vv_index *index = target->index;
    for (uint32_t i = 0; i < index->node_count; i++) {
        varve_kind kind = vv_index_kind(index, i);
        if (kind == VARVE_LIST)
            vv_target_report_lost(target, i, "its kind: a list");
        else if (kind == VARVE_DICT)
            vv_target_report_lost(target, i, "its kind: a dict");
    }
    for (uint32_t i = 0; i < index->tag_count; i++) {
        uint32_t node = vv_at32(index->tag_nodes, i);
        uint32_t name = vv_at32(index->tag_names, i);
        if (!keeps_tag || !keeps_tag(target, node, name))
            vv_target_report_lost(target, node, "a tag");
    }
}

/* Reports edges other than the one by which a node is reached first. */
static void report_lost_aliases(const struct vv_target *target)
{
    const struct vv_index *index = target->index;
    struct vv_buffer path;
    vv_buffer_init(&path, &target->context->allocator);
    for (uint32_t i = 0; i < index->node_count; i++) {
        uint32_t begin, end;
        vv_index_edges(index, i, &begin, &end);
        for (uint32_t e = begin; e < end; e++) {
            uint32_t child = vv_at32(index->edge_children, e);
            if (child != target->paths->root &&
                target->paths->parents[child] == i &&
                target->paths->ways[child] == e)
                continue;
            size_t size;
            const char *name =
                vv_index_name(index, vv_at32(index->edge_names, e), &size);
            vv_saved_path(target->paths, i, &path);
            if (path.size > 0)
                vv_buffer_add8(&path, '/');
            vv_path_add_name(&path, name, size);
            report_lost_at(target, &path, "another path to a node");
        }
    }
    vv_buffer_clear(&path);
}

void vv_target_report_lost_graph(
    const struct vv_target *target, bool keeps_aliases, vv_keeps_tag *keeps_tag)
{
    if (!target->loss)
        return;
    report_lost_kinds(target, keeps_tag);
    if (!keeps_aliases)
        report_lost_aliases(target);
}

/* --- Names ---------------------------------------------------------------- */

/* Returns the length of a path. Stops counting when it exceeds
 * VV_LONGEST_PATH. */
static size_t target_measure(const struct vv_target *target, uint32_t node)
{
    const struct vv_saved_paths *paths = target->paths;
    size_t sum = 0;
    while (node != paths->root && sum <= VV_LONGEST_PATH) {
        size_t size;
        vv_index_name(target->index,
            vv_at32(target->index->edge_names, paths->ways[node]), &size);
        sum += size + (sum > 0);
        node = paths->parents[node];
    }
    return sum;
}

static size_t measure_any(const struct vv_target *target, uint32_t node)
{
    const struct vv_index *index = target->index;
    uint32_t way = node == target->paths->root ? 0 : target->paths->ways[node];
    if (node == target->paths->root || !(way & VV_WAY_IS_SLOT))
        return target_measure(target, node);
    uint32_t slot = way & ~VV_WAY_IS_SLOT;
    return target_measure(target, vv_at32(index->slot_owners, slot)) +
           target_measure(target, vv_at32(index->slot_variables, slot));
}

varve_status vv_target_check_names(
    const struct vv_target *target, varve_error *error)
{
    const struct vv_index *index = target->index;
    struct vv_buffer path;
    vv_buffer_init(&path, &target->context->allocator);
    varve_status status = VARVE_OK;
    for (uint32_t i = 0; i < index->value_count && !status; i++) {
        uint32_t node = vv_at32(index->value_nodes, i);
        if (!vv_saved_path_exists(target->paths, node) ||
            (target->global_names &&
                vv_index_find_global(index, node) != VV_NONE) ||
            measure_any(target, node) <= VV_LONGEST_PATH)
            continue;
        vv_saved_path(target->paths, node, &path);
        vv_path_shorten(&path, SHOWN);
        status = vv_fail(error, VARVE_LIMIT,
            "%s: %s: the path is too long: this format stores the path of each "
            "value, and the limit is %d bytes",
            target->path, vv_buffer_string(&path), VV_LONGEST_PATH);
    }
    vv_buffer_clear(&path);
    return status;
}

void vv_target_name(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name)
{
    vv_saved_name(target->paths, node, name);
    vv_buffer_string(name);
}

void vv_target_full_name(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name)
{
    uint32_t global = vv_index_find_global(target->index, node);
    size_t size;
    if (global == VV_NONE) {
        vv_target_name(target, node, name);
        return;
    }
    const char *text = vv_index_name(target->index, global, &size);
    name->size = 0;
    vv_buffer_add(name, text, size);
    vv_buffer_string(name);
}

void vv_target_key(
    const struct vv_target *target, uint32_t node, struct vv_buffer *name)
{
    if (target->global_names)
        vv_target_full_name(target, node, name);
    else
        vv_target_name(target, node, name);
}

/* --- Global names --------------------------------------------------------- */

void vv_target_report_lost_globals(const struct vv_target *target)
{
    const struct vv_index *index = target->index;
    struct vv_buffer name;
    if (!target->loss)
        return;
    vv_buffer_init(&name, &target->context->allocator);
    for (uint32_t i = 0; i < index->global_count; i++) {
        uint32_t node = vv_at32(index->global_nodes, i);
        size_t size;
        const char *global =
            vv_index_name(index, vv_at32(index->global_names, i), &size);
        vv_target_key(target, node, &name);
        if (name.size != size || memcmp(name.data, global, size) != 0)
            vv_target_report_lost(target, node, "its global name");
    }
    vv_buffer_clear(&name);
}

void vv_target_report_lost_metadata(const struct vv_target *target)
{
    const struct vv_index *index = target->index;
    uint32_t root = target->paths->root;
    if (index->counter > 0)
        vv_target_report_lost(target, root, "the save counter");
    for (size_t i = 0; i < index->metadata_count; i++) {
        char what[128];
        snprintf(what, sizeof what, "metadata \"%s\"", index->metadata[i].name);
        vv_target_report_lost(target, root, what);
    }
}

/* --- Values --------------------------------------------------------------- */

/* Buffers values and writes them in blocks of up to one mebibyte. */

enum { STAGED_SIZE = 1 << 20 };

void vv_value_out_init(struct vv_value_out *out, const struct vv_target *target)
{
    *out = (struct vv_value_out){ .target = target };
    vv_buffer_init(&out->staged, &target->context->allocator);
}

void vv_value_out_clear(struct vv_value_out *out)
{
    vv_buffer_clear(&out->staged);
}

static varve_status value_out_write_now(struct vv_value_out *out,
    const void *bytes, size_t size, varve_error *error)
{
    const struct vv_publication *p = out->file;
    VV_TRY(vv_file_write(out->target->context, p->file, p->path, bytes, size,
        out->offset, error));
    out->offset += size;
    return VARVE_OK;
}

varve_status vv_value_out_flush(struct vv_value_out *out, varve_error *error)
{
    if (out->staged.failed)
        return vv_fail_memory(error, "buffered output");
    size_t size = out->staged.size;
    out->staged.size = 0;
    return size ? value_out_write_now(out, out->staged.data, size, error)
                : VARVE_OK;
}

varve_status vv_value_out_add(
    struct vv_value_out *out, uint32_t value, uint64_t size, varve_error *error)
{
    const struct vv_target *target = out->target;
    struct vv_source source;
    size_t part;
    VV_TRY(target->value(target->user, value, &source, error));
    if (out->staged.size + size > STAGED_SIZE)
        VV_TRY(vv_value_out_flush(out, error));
    for (uint64_t at = 0; at < size; at += part) {
        const unsigned char *bytes;
        part = vv_source_part(&source, size - at);
        VV_TRY(vv_source_piece(&source, at, part, &bytes, error));
        if (size > STAGED_SIZE)
            VV_TRY(value_out_write_now(out, bytes, part, error));
        else
            vv_buffer_add(&out->staged, bytes, part);
    }
    return VARVE_OK;
}
