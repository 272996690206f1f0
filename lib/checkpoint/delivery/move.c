/* move.c - Moves one value into place: copies it, maps it, or prepares a buffer
 * of another shape.
 *
 * SPDX-License-Identifier: MIT
 */
#include "move.h"

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "box.h"
#include "convert.h"
#include "copy.h"
#include "delivery_state.h"
#include "failure.h"
#include "layout.h"
#include "memory_table.h"
#include "piece_table.h"
#include "resizing.h"
#include "slice.h"
#include "system.h"
#include "try.h"
#include "typed_memory.h"
#include "value_bytes.h"
#include "variable.h"

/* --- Mappings ------------------------------------------------------------- */

/* Maps pages of a file. A mapping can outlive its restoration. */

struct mapping {
    struct vv_borrowed base;
    struct vv_context context;
    size_t before; /* bytes between the start of the first page and the value */
    size_t size;   /* including those */
};

static void mapping_release(struct vv_borrowed *base, void *data)
{
    struct mapping *mapping = (struct mapping *)base;
    struct vv_context context = mapping->context;
    context.system->unmap(context.system->state,
        (unsigned char *)data - mapping->before, mapping->size);
    vv_release(&context.allocator, mapping, sizeof *mapping);
}

varve_status vv_mapping_new(const struct vv_context *context,
    const struct vv_range *range, void **owner, void **data, varve_error *error)
{
    /* A mapping must begin at a page, but the range may begin anywhere. */
    size_t before = (size_t)(range->offset % VV_PAGE_ALIGNMENT);
    struct mapping *mapping = vv_allocate(&context->allocator, sizeof *mapping);
    void *address;
    if (!mapping)
        return vv_fail_memory(error, "a mapping");
    *mapping = (struct mapping){
        .base = { .release = mapping_release },
        .context = *context,
        .before = before,
        .size = before + range->size,
    };
    int result = context->system->map(context->system->state, range->file,
        range->offset - before, mapping->size, &address);
    if (result < 0) {
        vv_release(&context->allocator, mapping, sizeof *mapping);
        return vv_fail_system(error, -result, "map", range->path);
    }
    *owner = &mapping->base;
    *data = (unsigned char *)address + before;
    return VARVE_OK;
}

void vv_mapping_free(void *owner, void *data)
{
    if (owner)
        mapping_release(owner, data);
}

/* --- Moves ---------------------------------------------------------------- */

/* Copies values into variables: unchanged or converted, completely or as boxes,
 * and strings. */

enum {
    CONVERTED = 16384, /* bytes converted before a copy */
    COMPARED = 4096    /* bytes compared at once, in two buffers */
};

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

enum vv_move_mode vv_mode_of_other(const struct vv_delivery *d,
    const varve_node *node, uint32_t value, bool is_in_pieces)
{
    if (!node)
        return VV_MOVE_VERIFY;
    if (node->kind == VARVE_STATE)
        return VV_MOVE_STATE;
    /* A slice in the file is delivered only to the same slice. */
    bool is_part = vv_part_of(node) && !vv_saved_part(d->pairing, value, NULL);
    const varve_tensor *wanted = &node->variable->tensor;
    varve_tensor saved = vv_saved(d->pairing, value);
    if (saved.dtype == VARVE_STRING)
        return VV_MOVE_STRINGS;
    if (!is_part && !vv_takes_shape(node, &saved) &&
        (varve_tensor_count(&saved) != varve_tensor_count(wanted) ||
            vv_is_resized(d, node, &saved)))
        return VV_MOVE_RESIZE;
    if (is_part || is_in_pieces)
        return VV_MOVE_BOX;
    return saved.dtype == wanted->dtype ? VV_MOVE_PLAIN : VV_MOVE_CAST;
}

/* Elements need no more alignment than their components, which have at most 8
 * bytes. */
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
        return "not mapped: the program owns its memory";
    if (vv_part_of(node))
        return "not mapped: it is a part of a saved value";
    if (vv_brings_shape(d, node, value))
        return "not mapped: the saved shape differs";
    if (vv_piece_count(vv_index_of(d->pairing), value) > 1)
        return "not mapped: it is stored in several pieces";
    if (vv_mode_of(d, node, value, false) != VV_MOVE_PLAIN)
        return "not mapped: the stored bytes must be converted";
    if (node->variable->tensor.data)
        return "not mapped: its memory was allocated before";
    if (vv_saved(d->pairing, value).dtype == VARVE_BOOL)
        return "not mapped: bools are verified while reading";
    if (VV_BIG_ENDIAN ||
        !vv_opened_locate(d->file, value, &found.file, &found.offset))
        return "not mapped: it is encoded in the file";
    if (found.offset % (size < 8 ? size : 8) != 0)
        return "not mapped: it is not aligned in the file";
    if (range)
        *range = found;
    return NULL;
}

bool vv_move_may_stay(const struct vv_delivery *d, const struct vv_move *move)
{
    uint64_t offset;
    int file;
    return d->leaves_from && move->mode == VV_MOVE_PLAIN &&
           varve_tensor_size(&move->node->variable->tensor) >= d->leaves_from &&
           (vv_opened_has_digests(d->file) ||
               vv_opened_locate(d->file, move->value, &file, &offset));
}

/* --- Boxes -------------------------------------------------------------- */

varve_box vv_move_box(const struct vv_delivery *d, const struct vv_move *move)
{
    if (move->mode == VV_MOVE_RESIZE || (move->node && vv_part_of(move->node)))
        return vv_box_of(move->node);
    varve_tensor saved = vv_saved(d->pairing, move->value);
    return vv_box_whole(&saved);
}

static bool is_verified_whole(
    const struct vv_delivery *d, const struct vv_move *move)
{
    return (move->mode == VV_MOVE_VERIFY || !d->options->no_verify) &&
           vv_opened_sums_whole(d->file, move->value);
}

bool vv_move_reads(
    const struct vv_delivery *d, const struct vv_move *move, uint64_t *chunk)
{
    const struct vv_parsed_index *parsed = &d->file->parsed;
    bool all = !move->is_boxed;
    if (move->mode == VV_MOVE_MAPPED)
        return false;
    if (!all) {
        struct vv_chunk_part part;
        const varve_box box = vv_move_box(d, move);
        all = is_verified_whole(d, move);
        if (!vv_part_from(parsed, move->value, &box, all ? 0 : *chunk, &part))
            return false;
        if (!all)
            *chunk = part.chunk;
    }
    return !all || *chunk < vv_value_chunks(
                                &parsed->index, &parsed->table, move->value);
}

uint64_t vv_move_size(const struct vv_delivery *d, const struct vv_move *move)
{
    uint64_t total = 0, offset;
    size_t size;
    if (!move->is_boxed)
        return move->mode == VV_MOVE_MAPPED
                   ? 0
                   : vv_at64(d->file->parsed.index.value_sizes, move->value);
    for (uint64_t c = 0; vv_move_reads(d, move, &c); c++) {
        vv_opened_chunk(d->file, move->value, c, &offset, &size);
        total += size;
    }
    return total;
}

/* --- Copies ------------------------------------------------------------- */

/* Fresh and staged memory was just cleared by the kernel, so it is still in the
 * caches. */
static void move_put(
    const struct vv_move *move, void *to, const void *from, size_t size)
{
    if (move->is_fresh || move->is_staged)
        memcpy(to, from, size);
    else
        vv_copy_past_caches(to, from, size);
}

static void move_convert(struct vv_move *move, void *to, varve_dtype from,
    const void *bytes, uint64_t count)
{
    uint64_t inexact =
        vv_convert(move->node->variable->tensor.dtype, to, from, bytes, count);
    if (inexact)
        atomic_fetch_add(&move->inexact, inexact);
}

bool vv_move_goes_far(const struct vv_move *move)
{
    return (vv_move_copies_in(move) || move->is_fixed) &&
           move->node->variable && vv_is_far(&move->node->variable->tensor);
}

/* Copies elements in. Elements of another type are converted in a buffer first.
 */
static varve_status move_copy_in(struct vv_move *move, varve_dtype from,
    uint64_t target, const unsigned char *bytes, uint64_t count,
    varve_error *error)
{
    varve_dtype to = move->node->variable->tensor.dtype;
    size_t unit = varve_dtype_size(to);
    _Alignas(16) unsigned char room[CONVERTED];
    if (from == to)
        return vv_value_in(
            move->node, target * unit, bytes, (size_t)count * unit, error);
    for (uint64_t at = 0, part; at < count; at += part) {
        part = count - at < CONVERTED / unit ? count - at : CONVERTED / unit;
        move_convert(
            move, room, from, bytes + at * varve_dtype_size(from), part);
        VV_TRY(vv_value_in(move->node, (target + at) * unit, room,
            (size_t)part * unit, error));
    }
    return VARVE_OK;
}

/* Compares bit by bit with the value of the program: NaNs with the same bits
 * are equal, and 0 differs from -0. */
static varve_status move_compare_elements(struct vv_move *move,
    varve_dtype from, uint64_t target, const unsigned char *bytes,
    uint64_t count, varve_error *error)
{
    const varve_tensor *now = &move->node->variable->tensor;
    size_t unit = varve_dtype_size(now->dtype);
    _Alignas(16) unsigned char came[COMPARED], has[COMPARED];
    for (uint64_t at = 0, part; at < count; at += part) {
        part = count - at < COMPARED / unit ? count - at : COMPARED / unit;
        const unsigned char *a = bytes + at * varve_dtype_size(from);
        const unsigned char *b = has;
        if (from != now->dtype)
            move_convert(move, came, from, a, part);
        if (vv_needs_copy_in(now))
            VV_TRY(vv_value_out(move->node, (target + at) * unit, has,
                (size_t)part * unit, error));
        else
            b = (const unsigned char *)now->data + (target + at) * unit;
        if (memcmp(from == now->dtype ? a : came, b, (size_t)part * unit) != 0)
            atomic_fetch_add(&move->inexact, 1);
    }
    return VARVE_OK;
}

static varve_status copy_elements(struct vv_move *move, varve_dtype from,
    uint64_t target, const unsigned char *bytes, uint64_t count,
    varve_error *error)
{
    varve_dtype to = move->node->variable->tensor.dtype;
    if (move->is_fixed)
        return move_compare_elements(move, from, target, bytes, count, error);
    if (vv_move_copies_in(move))
        return move_copy_in(move, from, target, bytes, count, error);
    unsigned char *at =
        (unsigned char *)move->target + target * varve_dtype_size(to);
    if (from == to)
        move_put(move, at, bytes, (size_t)count * varve_dtype_size(to));
    else
        move_convert(move, at, from, bytes, count);
    return VARVE_OK;
}

static void move_note_touched(struct vv_move *move)
{
    if (!move->is_fresh && !move->is_staged && !move->is_fixed &&
        !vv_move_gathers(move))
        atomic_store_explicit(&move->is_touched, true, memory_order_relaxed);
}

static void begin_rows(const struct vv_delivery *d, const struct vv_move *move,
    const struct vv_chunk_part *part, struct vv_rows *rows)
{
    const varve_box box = vv_move_box(d, move);
    uint32_t rank = vv_index_of(d->pairing)->value_ranks[move->value];
    vv_rows_begin(rows, rank, &part->box, &box, part->first, part->end);
}

varve_status vv_move_part(const struct vv_delivery *d, struct vv_move *move,
    const struct vv_chunk_part *part, void *bytes, varve_error *error)
{
    varve_dtype dtype = vv_saved(d->pairing, move->value).dtype;
    size_t unit = varve_dtype_size(dtype);
    struct vv_rows rows;
    if (move->mode == VV_MOVE_VERIFY)
        return VARVE_OK;
    move_note_touched(move);
    if (VV_BIG_ENDIAN)
        vv_dtype_swap_copy(dtype, bytes, bytes, part->end - part->first);
    begin_rows(d, move, part, &rows);
    while (vv_rows_next(&rows))
        VV_TRY(copy_elements(move, dtype, rows.to,
            (unsigned char *)bytes + (rows.from - part->first) * unit,
            rows.count, error));
    return VARVE_OK;
}

void *vv_move_place(const struct vv_delivery *d, const struct vv_move *move,
    const struct vv_chunk_part *part)
{
    varve_dtype dtype = vv_saved(d->pairing, move->value).dtype;
    struct vv_rows rows;
    if (VV_BIG_ENDIAN || dtype != move->node->variable->tensor.dtype ||
        vv_move_copies_in(move))
        return NULL;
    begin_rows(d, move, part, &rows);
    if (!vv_rows_next(&rows) || rows.count < part->end - part->first)
        return NULL;
    return (unsigned char *)move->target + rows.to * varve_dtype_size(dtype);
}

varve_status vv_move_bytes(const struct vv_delivery *d, struct vv_move *move,
    uint64_t first, void *bytes, size_t size, varve_error *error)
{
    if (move->mode == VV_MOVE_VERIFY)
        return VARVE_OK;
    move_note_touched(move);
    if (vv_move_gathers(move)) {
        memcpy((unsigned char *)move->block + first, bytes, size);
        return VARVE_OK;
    }
    if (move->mode == VV_MOVE_PLAIN && !VV_BIG_ENDIAN &&
        !vv_move_copies_in(move) && !move->is_fixed) {
        vv_copy_past_caches((unsigned char *)move->target + first, bytes, size);
        return VARVE_OK;
    }
    varve_dtype dtype = vv_saved(d->pairing, move->value).dtype;
    size_t unit = varve_dtype_size(dtype);
    if (VV_BIG_ENDIAN)
        vv_dtype_swap_copy(dtype, bytes, bytes, size / unit);
    return copy_elements(move, dtype, first / unit, bytes, size / unit, error);
}

varve_status vv_move_strings(
    const struct vv_delivery *d, struct vv_move *move, varve_error *error)
{
    varve_tensor saved = vv_saved(d->pairing, move->value);
    uint64_t count = varve_tensor_count(&saved);
    uint64_t size = vv_at64(d->file->parsed.index.value_sizes, move->value);
    if (size == 0)
        return VARVE_OK;              /* no elements and no block */
    uint64_t left = size - 8 * count; /* the index has verified that there
                                         are 8 bytes each */
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
        "%s: %s: offset %llu: the lengths of its strings do not add up to the "
        "size of the value",
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
    for (size_t i = 0; i < count; i++)
        moves[i].node->is_half |= moves[i].is_touched;
    if (error)
        error->status = VARVE_PARTIALLY_RESTORED;
    vv_error_add_line(error,
        "%s: partially restored: %zu of %zu variable%s %s new bytes:",
        d->file->path, touched, count, vv_plural_s(count),
        touched == 1 ? "has" : "have");
    for (size_t i = 0; i < count; i++) {
        if (moves[i].is_touched &&
            !vv_error_add_line(
                error, "  %s", vv_node_text(moves[i].node, text, sizeof text)))
            break;
    }
    return VARVE_PARTIALLY_RESTORED;
}

varve_status vv_check_named(const struct vv_delivery *d, const varve_node *node,
    uint32_t value, uint64_t chunk, const void *bytes, bool only_bools,
    varve_error *error)
{
    char text[256];
    const char *what = node ? vv_node_text(node, text, sizeof text) : NULL;
    return only_bools
               ? vv_opened_check_bools(
                     d->file, value, chunk, bytes, what, error)
               : vv_opened_check(d->file, value, chunk, bytes, what, error);
}

/* --- Resized values ------------------------------------------------------- */

/* Lists the buffers of resized variables and the moves into them. */

struct room {
    struct vv_resize room;
    struct vv_move *move;
};

static struct room *resize_buffers_of(
    const struct vv_buffer *resize_buffers, size_t *count)
{
    *count = resize_buffers->size / sizeof(struct room);
    return (struct room *)(void *)resize_buffers->data;
}

varve_status vv_resize_buffers_add(const struct vv_delivery *d,
    struct vv_buffer *resize_buffers, struct vv_move *move, varve_error *error)
{
    varve_tensor saved = vv_saved(d->pairing, move->value);
    struct room *room = vv_buffer_extend(resize_buffers, sizeof *room);
    if (!room)
        return vv_fail_memory(error, "a restoration");
    varve_status status =
        vv_resize_prepare(&room->room, move->node, &saved, error);
    if (status) {
        resize_buffers->size -= sizeof *room;
        return status;
    }
    room->move = move;
    move->is_fresh = true;
    move->target = room->room.data;
    return VARVE_OK;
}

void vv_resize_buffers_exchange(struct vv_buffer *resize_buffers)
{
    size_t count;
    struct room *all = resize_buffers_of(resize_buffers, &count);
    for (size_t i = 0; i < count; i++)
        vv_resize_exchange(&all[i].room);
}

void vv_resize_buffers_settle(struct vv_buffer *resize_buffers)
{
    size_t count;
    struct room *all = resize_buffers_of(resize_buffers, &count);
    for (size_t i = 0; i < count; i++) {
        all[i].move->target = NULL;
        vv_resize_settle(&all[i].room);
    }
    resize_buffers->size = 0;
}
