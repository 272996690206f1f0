/* opened.c - Manages the index of an opened checkpoint, and calls the functions
 * of its backing.
 *
 * SPDX-License-Identifier: MIT
 */
#include "opened.h"

#include <inttypes.h>
#include <stdio.h>

#include "allocator.h"
#include "bool_bytes.h"
#include "failure.h"
#include "paged_columns.h"
#include "layout.h"
#include "piece_table.h"
#include "system.h"
#include "try.h"

/* --- Opening and closing -------------------------------------------------- */

varve_status vv_opened_begin(struct vv_opened *o,
    const struct vv_context *context, const char *path, varve_error *error)
{
    *o = (struct vv_opened){ .context = context };
    vv_buffer_init(&o->left_out, &context->allocator);
    vv_buffer_init(&o->left_out_texts, &context->allocator);
    o->path = vv_copy_string(&context->allocator, path);
    return o->path ? VARVE_OK : vv_fail_memory(error, "a path");
}

static void forget_index(struct vv_opened *o)
{
    vv_parsed_index_clear(o->context, &o->parsed);
    vv_release_aligned(
        &o->context->allocator, o->index_bytes, o->index_size, VV_ALIGNMENT);
    o->index_bytes = NULL;
    o->index_size = 0;
}

varve_status vv_opened_reserve(
    struct vv_opened *o, size_t size, varve_error *error)
{
    forget_index(o);
    o->index_bytes =
        vv_allocate_aligned(&o->context->allocator, size, VV_ALIGNMENT);
    if (!o->index_bytes && size > 0)
        return vv_fail_memory(error, "the index of a checkpoint");
    o->index_size = size;
    return VARVE_OK;
}

void vv_opened_take_index(struct vv_opened *o, void *bytes, size_t size)
{
    forget_index(o);
    o->index_bytes = bytes;
    o->index_size = size;
}

varve_status vv_opened_parse(struct vv_opened *o, varve_error *error)
{
    const struct vv_index_rest all = { .bytes = o->index_bytes,
        .size = o->index_size,
        .data_end = o->data_end,
        .like = o->like };
    return vv_index_parse_rest(o->context, o->path, &all, &o->parsed, error);
}

varve_status vv_opened_parse_undigested(struct vv_opened *o, varve_error *error)
{
    const struct vv_index_rest rest = { .bytes = o->index_bytes,
        .size = o->index_size,
        .data_end = o->data_end,
        .has_no_digests = true };
    return vv_index_parse_rest(o->context, o->path, &rest, &o->parsed, error);
}

void vv_opened_close(struct vv_opened *o)
{
    if (!o->context)
        return;
    if (o->backing)
        o->backing->close(o);
    forget_index(o);
    vv_buffer_clear(&o->left_out);
    vv_buffer_clear(&o->left_out_texts);
    vv_release_string(&o->context->allocator, o->path);
    *o = (struct vv_opened){ 0 };
}

/* --- Values --------------------------------------------------------------- */

static bool is_in_pieces(const struct vv_opened *o, uint32_t value)
{
    return vv_index_find_pieces(&o->parsed.index, value) != VV_NONE;
}

void vv_opened_chunk(const struct vv_opened *o, uint32_t value, uint64_t chunk,
    uint64_t *offset, size_t *size)
{
    const struct vv_index *index = &o->parsed.index;
    uint64_t begin;
    vv_chunk_range(index, &o->parsed.table, value, chunk, &begin, size);
    *offset = vv_at64(index->value_offsets, value) + begin;
}

varve_status vv_opened_read(const struct vv_opened *o, uint64_t offset,
    void *bytes, size_t size, varve_error *error)
{
    VV_TRY(vv_index_failure(&o->parsed.index, error));
    return o->backing->read(o, offset, bytes, size, error);
}

void vv_opened_plan(const struct vv_opened *o, const void *owner,
    uint64_t offset, uint64_t size)
{
    if (o->context->system->plan && o->backing->plan && size > 0 &&
        !vv_index_has_failed(&o->parsed.index))
        o->backing->plan(o, owner, offset, size);
}

void vv_opened_drop_plan(const struct vv_opened *o, const void *owner)
{
    const struct vv_system *system = o->context->system;
    if (system->drop_plan)
        system->drop_plan(system->state, owner);
}

void vv_opened_rest(const struct vv_opened *o)
{
    if (o->backing->rest)
        o->backing->rest(o);
}

varve_status vv_opened_check_sum(const struct vv_opened *o, uint32_t value,
    uint64_t chunk, const void *bytes, const char *what, varve_error *error)
{
    const struct vv_index *index = &o->parsed.index;
    if (vv_index_has_failed(index))
        return vv_index_failure(index, error);
    VV_TRY(o->backing->check(o, value, chunk, bytes, what, error));
    return vv_index_has_failed(index) ? vv_index_failure(index, error)
                                      : VARVE_OK;
}

/* Fails for an invalid bool. The message has no offset for values that are
 * decoded or in pieces. */
static varve_status opened_fail_bool(const struct vv_opened *o, uint32_t value,
    uint64_t at, unsigned byte, const char *what, varve_error *error)
{
    uint64_t offset;
    const char *path = vv_opened_place(o, value, &offset);
    char place[48] = "";
    if (path)
        snprintf(place, sizeof place, "offset %" PRIu64 ": ", offset + at);
    return vv_fail(error, VARVE_CORRUPT,
        "%s: %s%s%sa bool must be 0 or 1, found the byte %u",
        path ? path : o->path, what ? what : "", what ? ": " : "", place, byte);
}

varve_status vv_opened_check_bools(const struct vv_opened *o, uint32_t value,
    uint64_t chunk, const void *bytes, const char *what, varve_error *error)
{
    uint64_t offset;
    size_t size;
    if (o->parsed.index.value_dtypes[value] != VARVE_BOOL)
        return VARVE_OK;
    vv_opened_chunk(o, value, chunk, &offset, &size);
    size_t at = vv_bool_bytes_find(bytes, size);
    if (at == size)
        return VARVE_OK;
    return opened_fail_bool(o, value, chunk * VV_CHUNK_SIZE + at,
        ((const unsigned char *)bytes)[at], what, error);
}

bool vv_opened_locate(
    const struct vv_opened *o, uint32_t value, int *file, uint64_t *offset)
{
    return !is_in_pieces(o, value) &&
           o->backing->locate(o, value, file, offset);
}

const char *vv_opened_place(
    const struct vv_opened *o, uint32_t value, uint64_t *offset)
{
    return is_in_pieces(o, value) ? NULL : o->backing->place(o, value, offset);
}

bool vv_opened_has_digests(const struct vv_opened *o)
{
    return o->backing->digest != NULL;
}

bool vv_opened_sums_whole(const struct vv_opened *o, uint32_t value)
{
    return o->backing->sums_whole && o->backing->sums_whole(o, value);
}

struct vv_digest vv_opened_digest(const struct vv_opened *o, uint32_t value)
{
    bool is_known = o->backing->digest && !is_in_pieces(o, value);
    return is_known ? o->backing->digest(o, value) : (struct vv_digest){ 0 };
}

/* Two buffers of this size are on the stack, so that a comparison does not
 * allocate memory. */
enum { COMPARED_SIZE = 16 << 10 };

static bool opened_has_equal_bytes(
    const struct vv_opened *o, uint32_t one, uint32_t other)
{
    const struct vv_index *index = &o->parsed.index;
    unsigned char left[COMPARED_SIZE];
    unsigned char right[COMPARED_SIZE];
    uint64_t size = vv_at64(index->value_sizes, one);
    for (uint64_t at = 0; at < size; at += COMPARED_SIZE) {
        varve_error error;
        size_t count =
            size - at < COMPARED_SIZE ? (size_t)(size - at) : COMPARED_SIZE;
        uint64_t from = vv_at64(index->value_offsets, one) + at;
        uint64_t against = vv_at64(index->value_offsets, other) + at;
        if (vv_opened_read(o, from, left, count, &error) ||
            vv_opened_read(o, against, right, count, &error) ||
            memcmp(left, right, count) != 0)
            return false;
    }
    return true;
}

/* Returns true if all bytes of a value are stored, and in order. */
static bool opened_is_whole(const struct vv_opened *o, uint32_t value)
{
    const struct vv_parsed_index *p = &o->parsed;
    return vv_index_is_saved(&p->index, value) && !is_in_pieces(o, value) &&
           !vv_index_part(&p->index, &p->table, value, NULL);
}

static bool opened_has_equal_types(
    const struct vv_opened *o, uint32_t one, uint32_t other)
{
    const struct vv_parsed_index *p = &o->parsed;
    varve_tensor left = vv_index_tensor(&p->index, &p->table, one);
    varve_tensor right = vv_index_tensor(&p->index, &p->table, other);
    size_t size = left.rank * sizeof *left.shape;
    return left.dtype == right.dtype && left.rank == right.rank &&
           memcmp(left.shape, right.shape, size) == 0 &&
           vv_at64(p->index.value_sizes, one) ==
               vv_at64(p->index.value_sizes, other);
}

bool vv_opened_is_equal(const struct vv_opened *o, uint32_t one, uint32_t other)
{
    static const struct vv_digest none;
    struct vv_digest first = vv_opened_digest(o, one);
    struct vv_digest second = vv_opened_digest(o, other);
    if (!opened_is_whole(o, one) || !opened_is_whole(o, other) ||
        !opened_has_equal_types(o, one, other))
        return false;
    if (memcmp(&first, &none, sizeof none) != 0 &&
        memcmp(&second, &none, sizeof none) != 0)
        return memcmp(&first, &second, sizeof first) == 0;
    return opened_has_equal_bytes(o, one, other);
}
