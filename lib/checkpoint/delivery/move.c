/* move.c - plain, cast and resized copies; strings.
 *
 * SPDX-License-Identifier: MIT
 */
#include "move.h"

#include <stdlib.h>
#include <string.h>

#include "binding.h"
#include "convert.h"
#include "copy.h"
#include "dtype.h"
#include "failure.h"
#include "fate.h"
#include "layout.h"
#include "shape.h"
#include "variable.h"

static int compare_moves(const void *left, const void *right)
{
    const struct vv_move *a = left;
    const struct vv_move *b = right;
    return (a->value > b->value) - (a->value < b->value);
}

void vv_moves_sort(struct vv_move *moves, size_t count)
{
    qsort(moves, count, sizeof *moves, compare_moves);
}

enum vv_move_mode vv_move_mode_of(
    const struct vv_delivery *d, const varve_node *node, uint32_t value)
{
    if (node->kind == VARVE_STATE)
        return VV_MOVE_STATE;
    const varve_tensor *wanted = &node->variable->tensor;
    if (wanted->dtype != VARVE_STRING && vv_is_alike(d->pairing, node, value))
        return VV_MOVE_PLAIN;
    varve_tensor saved = vv_saved(d->pairing, value);
    if (saved.dtype == VARVE_STRING)
        return VV_MOVE_STRINGS;
    if (varve_tensor_count(&saved) != varve_tensor_count(wanted) ||
        vv_is_resized(d, node, &saved))
        return VV_MOVE_RESIZE;
    return saved.dtype == wanted->dtype ? VV_MOVE_PLAIN : VV_MOVE_CAST;
}

/* (An element needs no more alignment than its parts, of 8 bytes at most.) */
const char *vv_move_obstacle(const struct vv_delivery *d,
    const varve_node *node, uint32_t value, struct vv_range *range)
{
    size_t size = varve_dtype_size(vv_saved(d->pairing, value).dtype);
    struct vv_range found = {
        .path = d->file->path,
        .size = (size_t)vv_at64(d->file->parsed.index.value_sizes, value),
    };
    bool is_owned = node->variable && vv_variable_is_owned(node->variable);
    if (!node->variable || found.size < VV_PAGED_SIZE ||
        (is_owned && node->variable->extra->borrowed))
        return "";
    if (!is_owned)
        return "not mapped: its memory is the program's";
    if (vv_move_mode_of(d, node, value) != VV_MOVE_PLAIN)
        return "not mapped: it is not as it lies in the file";
    if (node->variable->tensor.data)
        return "not mapped: it had its memory before";
    if (VV_BIG_ENDIAN ||
        !vv_opened_locate(d->file, value, &found.file, &found.offset))
        return "not mapped: it is encoded in the file";
    if (found.offset % (size < 8 ? size : 8) != 0)
        return "not mapped: it is not aligned in the file";
    if (range)
        *range = found;
    return NULL;
}

#define VV_OUTSIDE UINT64_MAX

/* Where row number `row` of the saved tensor begins in the wanted one, in
 * elements; a row is all of the last dimension. */
static uint64_t row_target(
    const varve_tensor *saved, const varve_tensor *wanted, uint64_t row)
{
    uint64_t target = 0;
    uint64_t step = wanted->shape[saved->rank - 1];
    for (uint32_t i = saved->rank - 1; i > 0; i--) {
        uint64_t position = row % saved->shape[i - 1];
        row /= saved->shape[i - 1];
        if (position >= wanted->shape[i - 1])
            return VV_OUTSIDE;
        target += position * step;
        step *= wanted->shape[i - 1];
    }
    return target;
}

/* The caches have what the kernel has just cleared. */
static void put(
    const struct vv_move *move, void *to, const void *from, size_t size)
{
    if (move->is_fresh || move->is_staged)
        memcpy(to, from, size);
    else
        vv_copy_past_caches(to, from, size);
}

static void copy_elements(struct vv_move *move, varve_dtype from,
    uint64_t target, const unsigned char *bytes, uint64_t count)
{
    varve_dtype to = move->node->variable->tensor.dtype;
    unsigned char *at =
        (unsigned char *)move->target + target * varve_dtype_size(to);
    if (from == to) {
        put(move, at, bytes, (size_t)count * varve_dtype_size(to));
        return;
    }
    uint64_t misfits = vv_convert(to, at, from, bytes, count);
    if (misfits)
        atomic_fetch_add(&move->misfits, misfits);
}

static void copy_resized(struct vv_move *move, const varve_tensor *saved,
    uint64_t first, const unsigned char *bytes, uint64_t count)
{
    const varve_tensor *wanted = &move->node->variable->tensor;
    uint64_t row_size = saved->shape[saved->rank - 1];
    uint64_t wanted_row = wanted->shape[saved->rank - 1];
    size_t unit = varve_dtype_size(saved->dtype);
    while (count > 0) {
        uint64_t column = first % row_size;
        uint64_t run = row_size - column < count ? row_size - column : count;
        uint64_t target = row_target(saved, wanted, first / row_size);
        if (target != VV_OUTSIDE && column < wanted_row) {
            uint64_t kept =
                wanted_row - column < run ? wanted_row - column : run;
            copy_elements(move, saved->dtype, target + column, bytes, kept);
        }
        first += run;
        bytes += run * unit;
        count -= run;
    }
}

void vv_move_piece(const struct vv_delivery *d, struct vv_move *move,
    uint64_t first, void *bytes, size_t size)
{
    if (move->mode == VV_MOVE_VERIFY)
        return;
    if (!move->is_fresh && !move->is_staged && !vv_move_gathers(move))
        atomic_store_explicit(&move->is_touched, true, memory_order_relaxed);
    if (vv_move_gathers(move)) {
        memcpy((unsigned char *)move->block + first, bytes, size);
        return;
    }
    if (move->mode == VV_MOVE_PLAIN && !VV_BIG_ENDIAN) {
        vv_copy_past_caches((unsigned char *)move->target + first, bytes, size);
        return;
    }
    varve_tensor saved = vv_saved(d->pairing, move->value);
    size_t unit = varve_dtype_size(saved.dtype);
    if (VV_BIG_ENDIAN)
        vv_dtype_swap_copy(saved.dtype, bytes, bytes, size / unit);
    if (move->mode == VV_MOVE_RESIZE)
        copy_resized(move, &saved, first / unit, bytes, size / unit);
    else
        copy_elements(move, saved.dtype, first / unit, bytes, size / unit);
}

varve_status vv_move_strings(
    const struct vv_delivery *d, struct vv_move *move, varve_error *error)
{
    varve_tensor saved = vv_saved(d->pairing, move->value);
    uint64_t count = varve_tensor_count(&saved);
    uint64_t size = vv_at64(d->file->parsed.index.value_sizes, move->value);
    if (size == 0)
        return VARVE_OK;              /* no elements, and no block */
    uint64_t left = size - 8 * count; /* the index made sure of 8 each */
    const unsigned char *lengths = move->block;
    const char *text = (const char *)lengths + 8 * count;
    varve_string *strings = move->target;
    for (size_t i = 0; i < count; i++) {
        uint64_t length = vv_at64(lengths, i);
        if (length > left)
            break;
        strings[i] = (varve_string){ .data = text, .size = length };
        text += (size_t)length;
        left -= length;
        if (i + 1 == count && left == 0)
            return VARVE_OK;
    }
    char path[256];
    return vv_fail(error, VARVE_CORRUPT,
        "%s: %s: offset %llu: expected string lengths that sum to the value's "
        "size, found others",
        d->file->path, vv_node_text(move->node, path, sizeof path),
        (unsigned long long)vv_at64(
            d->file->parsed.index.value_offsets, move->value));
}

varve_status vv_moves_failed(const struct vv_delivery *d,
    const struct vv_move *moves, size_t count, varve_status status,
    varve_error *error)
{
    char text[256];
    size_t touched = 0;
    for (size_t i = 0; i < count; i++)
        touched += moves[i].is_touched;
    if (touched == 0)
        return status;
    if (error)
        error->status = VARVE_HALF_RESTORED;
    vv_error_add_line(error,
        "%s: half restored: %zu of %zu variables hold new bytes:",
        d->file->path, touched, count);
    for (size_t i = 0; i < count; i++) {
        if (moves[i].is_touched &&
            !vv_error_add_line(
                error, "  %s", vv_node_text(moves[i].node, text, sizeof text)))
            break;
    }
    return VARVE_HALF_RESTORED;
}
