/* save_plan_copy.c - Copies the data of a save plan: small values at once,
 * large values later on all processors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "save_plan_copy.h"

#include <string.h>

#include "allocator.h"
#include "copy_elision.h"
#include "failure.h"
#include "layout.h"
#include "try.h"
#include "worker.h"

enum {
    ALIGNMENT = 64,
    SMALL = 1024, /* values up to this size are copied at once: the library
                     itself changes counters, random streams and positions in
                     data */
};

/* --- Values ------------------------------------------------------------- */

static uint64_t save_plan_copy_size_of(
    const struct vv_save_plan *save_plan, size_t value)
{
    return vv_at64(save_plan->columns.index.value_sizes.data, value);
}

/* The bytes of states already belong to the save plan. */
static bool save_plan_copy_is_state(
    const struct vv_save_plan *save_plan, size_t value)
{
    const struct vv_index_columns *c = &save_plan->columns.index;
    return c->node_kinds.data[vv_at32(c->value_nodes.data, value)] ==
           VARVE_STATE;
}

static bool save_plan_copy_is_copied(
    const struct vv_save_plan *save_plan, size_t value)
{
    return save_plan->values[value] &&
           !save_plan_copy_is_state(save_plan, value);
}

static uint64_t place_behind(const struct vv_save_plan *save_plan, size_t value)
{
    return save_plan_copy_is_copied(save_plan, value)
               ? vv_align_up(
                     save_plan_copy_size_of(save_plan, value), ALIGNMENT)
               : 0;
}

size_t vv_save_plan_copy_size(const struct vv_save_plan *save_plan)
{
    uint64_t size = 0;
    for (size_t i = 0; i < save_plan->value_count; i++)
        size += place_behind(save_plan, i);
    return (size_t)size;
}

bool vv_save_plan_is_large(const struct vv_save_plan *save_plan, size_t value)
{
    return save_plan_copy_is_copied(save_plan, value) &&
           save_plan_copy_size_of(save_plan, value) > SMALL &&
           !vv_save_plan_encodes(save_plan, value) &&
           !vv_save_plan_copies_in(save_plan, value);
}

/* Copies a value at once. Values that are read through functions are copied on
 * the thread of the graph, whatever their size, as a failure can be reported
 * there. */
static varve_status copy_now(struct vv_save_plan *save_plan, size_t value,
    struct vv_buffer *scratch, varve_error *error)
{
    const varve_node *node = vv_save_plan_copies_in(save_plan, value);
    size_t size = (size_t)save_plan_copy_size_of(save_plan, value);
    if (node)
        return vv_save_plan_copy_out(
            node, 0, save_plan->copies[value], size, error);
    const void *bytes = vv_save_plan_bytes(save_plan, (uint32_t)value, scratch);
    if (!bytes)
        return vv_fail_memory(error, "a copy of the values");
    memcpy(save_plan->copies[value], bytes, size);
    return VARVE_OK;
}

static varve_status copy_small(
    struct vv_save_plan *save_plan, void *block, varve_error *error)
{
    struct vv_buffer scratch;
    unsigned char *at = block;
    varve_status status = VARVE_OK;
    vv_buffer_init(&scratch, &save_plan->context.allocator);
    for (size_t i = 0; i < save_plan->value_count && !status; i++) {
        if (!save_plan_copy_is_copied(save_plan, i))
            continue;
        save_plan->copies[i] = at;
        at += place_behind(save_plan, i);
        if (!vv_save_plan_is_large(save_plan, i))
            status = copy_now(save_plan, i, &scratch, error);
    }
    vv_buffer_clear(&scratch);
    return status;
}

/* Adds a range to the pieces to copy. Joins it with the previous range if they
 * are adjacent. */
static void add_piece(struct vv_save_plan *save_plan, uint32_t value,
    uint64_t begin, uint64_t end)
{
    size_t count = save_plan->copied.size / sizeof(struct vv_piece);
    struct vv_piece *last =
        count > 0
            ? (struct vv_piece *)(void *)save_plan->copied.data + count - 1
            : NULL;
    struct vv_piece piece = {
        .to = (unsigned char *)save_plan->copies[value] + begin,
        .from = (const unsigned char *)save_plan->values[value] + begin,
        .size = (size_t)(end - begin),
    };
    if (last)
        piece.at = last->at + last->size;
    if (last && begin > 0 && (unsigned char *)last->to + last->size == piece.to)
        last->size += piece.size;
    else
        vv_buffer_add(&save_plan->copied, &piece, sizeof piece);
}

static varve_status save_plan_copy_take_part(
    const struct vv_save_plan *save_plan, const struct vv_elided_part *part,
    void *user, varve_error *error)
{
    (void)save_plan, (void)error;
    if (!part->is_reused)
        add_piece(user, part->value, part->begin, part->end);
    return VARVE_OK;
}

static void add_needed(struct vv_save_plan *save_plan, uint32_t value)
{
    uint64_t begin = 0, end = save_plan_copy_size_of(save_plan, value);
    if (save_plan->needed)
        save_plan->needed(save_plan->needed_user, value, &begin, &end);
    if (begin < end)
        add_piece(save_plan, value, begin, end);
}

static varve_status find_pieces(
    struct vv_save_plan *save_plan, varve_error *error)
{
    for (uint32_t i = 0; i < save_plan->value_count; i++) {
        if (!vv_save_plan_is_large(save_plan, i))
            continue;
        if (save_plan->reused)
            VV_TRY(vv_save_plan_each_part(
                save_plan, i, save_plan_copy_take_part, save_plan, error));
        else
            add_needed(save_plan, i);
    }
    return save_plan->copied.failed
               ? vv_fail_memory(error, "a copy of the values")
               : VARVE_OK;
}

static struct vv_piece save_plan_copy_piece(const void *user, size_t i)
{
    const struct vv_save_plan *save_plan = user;
    return ((const struct vv_piece *)(const void *)save_plan->copied.data)[i];
}

void vv_save_plan_copy(struct vv_save_plan *save_plan)
{
    struct vv_pieces pieces = {
        .count = save_plan->copied.size / sizeof(struct vv_piece),
        .piece = save_plan_copy_piece,
        .user = save_plan,
    };
    if (pieces.count > 0) {
        const struct vv_piece last =
            save_plan_copy_piece(save_plan, pieces.count - 1);
        pieces.size = last.at + last.size;
    }
    vv_copy_pieces(&save_plan->context, &pieces);
    vv_save_plan_poison(save_plan);
    for (size_t i = 0; i < save_plan->value_count; i++) {
        if (save_plan_copy_is_copied(save_plan, i))
            save_plan->values[i] = save_plan->copies[i];
    }
    save_plan->is_encoded = true;
}

/* --- Strings of the options, and format-specific data --------------------- */

/* Copies bytes to reserved space, so that the addresses of earlier copies stay
 * valid. */
static const void *save_plan_copy_keep(
    struct vv_buffer *texts, const void *bytes, size_t size)
{
    void *copy = texts->data + texts->size;
    vv_buffer_add(texts, bytes, size);
    return copy;
}

static const char *keep_text(struct vv_buffer *texts, const char *text)
{
    return text ? save_plan_copy_keep(texts, text, strlen(text) + 1) : NULL;
}

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static size_t borrowed_size(const struct vv_save_plan *save_plan)
{
    const varve_write_options *o = &save_plan->options;
    size_t size = text_size(o->increment.base);
    for (size_t i = 0; i < o->metadata_count; i++)
        size += text_size(o->metadata[i].name) +
                (o->metadata[i].kind == VARVE_METADATA_STRING
                        ? text_size(o->metadata[i].string)
                        : 0);
    for (size_t i = 0; save_plan->kept && i < save_plan->node_count; i++)
        size += save_plan->kept[i].size;
    return size;
}

static void save_plan_copy_keep_metadata(struct vv_save_plan *save_plan)
{
    /* The sorted array belongs to the save plan. */
    varve_metadata *m = (varve_metadata *)save_plan->options.metadata;
    for (size_t i = 0; i < save_plan->options.metadata_count; i++) {
        m[i].name = keep_text(&save_plan->texts, m[i].name);
        m[i].string = m[i].kind == VARVE_METADATA_STRING
                          ? keep_text(&save_plan->texts, m[i].string)
                          : NULL;
    }
}

static void keep_kept(struct vv_save_plan *save_plan)
{
    for (size_t i = 0; save_plan->kept && i < save_plan->node_count; i++) {
        struct vv_save_plan_kept *k = &save_plan->kept[i];
        if (k->size)
            k->bytes =
                save_plan_copy_keep(&save_plan->texts, k->bytes, k->size);
    }
}

/* --- All ---------------------------------------------------------------- */

varve_status vv_save_plan_detach(
    struct vv_save_plan *save_plan, void *block, varve_error *error)
{
    const varve_allocator *a = &save_plan->context.allocator;
    size_t size = borrowed_size(save_plan);
    vv_buffer_init(&save_plan->texts, a);
    vv_buffer_reserve(&save_plan->texts, size);
    size_t table = save_plan->value_count * sizeof *save_plan->copies;
    save_plan->copies = vv_allocate_zeroed(a, table);
    vv_buffer_init(&save_plan->copied, a);
    bool has_room =
        (!size || save_plan->texts.data) && (!table || save_plan->copies);
    varve_status status = has_room
                              ? copy_small(save_plan, block, error)
                              : vv_fail_memory(error, "a copy of the values");
    if (!status)
        status = find_pieces(save_plan, error);
    if (status) {
        vv_buffer_clear(&save_plan->copied);
        vv_buffer_clear(&save_plan->texts);
        vv_release(a, save_plan->copies, table);
        save_plan->copies = NULL;
        return status;
    }
    save_plan->options.increment.base =
        keep_text(&save_plan->texts, save_plan->options.increment.base);
    save_plan_copy_keep_metadata(save_plan);
    keep_kept(save_plan);
    vv_save_plan_settle_carried(save_plan);
    return VARVE_OK;
}
