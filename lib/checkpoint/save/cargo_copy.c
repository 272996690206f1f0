/* cargo_copy.c - small things at once, large values by all processors.
 *
 * SPDX-License-Identifier: MIT
 */
#include "cargo_copy.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "layout.h"
#include "pieces.h"
#include "spared.h"
#include "try.h"

enum {
    ALIGNMENT = 64,
    SMALL = 1024, /* such values are copied at once: counters, random streams
                     and positions in data, which the library changes itself */
};

/* --- Values ------------------------------------------------------------- */

static uint64_t size_of(const struct vv_cargo *cargo, size_t value)
{
    return vv_at64(cargo->columns.index.value_sizes.data, value);
}

/* The bytes of states are the cargo's own. */
static bool is_state(const struct vv_cargo *cargo, size_t value)
{
    const struct vv_index_columns *c = &cargo->columns.index;
    return c->node_kinds.data[vv_at32(c->value_nodes.data, value)] ==
           VARVE_STATE;
}

static bool is_copied(const struct vv_cargo *cargo, size_t value)
{
    return cargo->values[value] && !is_state(cargo, value);
}

static uint64_t place_behind(const struct vv_cargo *cargo, size_t value)
{
    return is_copied(cargo, value)
               ? vv_align_up(size_of(cargo, value), ALIGNMENT)
               : 0;
}

size_t vv_cargo_copy_size(const struct vv_cargo *cargo)
{
    uint64_t size = 0;
    for (size_t i = 0; i < cargo->value_count; i++)
        size += place_behind(cargo, i);
    return (size_t)size;
}

bool vv_cargo_is_large(const struct vv_cargo *cargo, size_t value)
{
    return is_copied(cargo, value) && size_of(cargo, value) > SMALL &&
           !vv_cargo_encodes(cargo, value) && !vv_cargo_elsewhere(cargo, value);
}

/* What lies elsewhere, whatever its size, is copied at once too: by the thread
 * of the graph, whom a failure can be told. */
static varve_status copy_now(struct vv_cargo *cargo, size_t value,
    struct vv_buffer *scratch, varve_error *error)
{
    const varve_node *node = vv_cargo_elsewhere(cargo, value);
    size_t size = (size_t)size_of(cargo, value);
    if (node)
        return vv_cargo_copy_out(node, 0, cargo->copies[value], size, error);
    const void *bytes = vv_cargo_bytes(cargo, (uint32_t)value, scratch);
    if (!bytes)
        return vv_fail_memory(error, "a copy of the values");
    memcpy(cargo->copies[value], bytes, size);
    return VARVE_OK;
}

static varve_status copy_small(
    struct vv_cargo *cargo, void *block, varve_error *error)
{
    struct vv_buffer scratch;
    unsigned char *at = block;
    varve_status status = VARVE_OK;
    vv_buffer_init(&scratch, &cargo->context.allocator);
    for (size_t i = 0; i < cargo->value_count && !status; i++) {
        if (!is_copied(cargo, i))
            continue;
        cargo->copies[i] = at;
        at += place_behind(cargo, i);
        if (!vv_cargo_is_large(cargo, i))
            status = copy_now(cargo, i, &scratch, error);
    }
    vv_buffer_clear(&scratch);
    return status;
}

/* Neighbours of a value become one. */
static void add_piece(
    struct vv_cargo *cargo, uint32_t value, uint64_t begin, uint64_t end)
{
    size_t count = cargo->copied.size / sizeof(struct vv_piece);
    struct vv_piece *last =
        count > 0 ? (struct vv_piece *)(void *)cargo->copied.data + count - 1
                  : NULL;
    struct vv_piece piece = {
        .to = (unsigned char *)cargo->copies[value] + begin,
        .from = (const unsigned char *)cargo->values[value] + begin,
        .size = (size_t)(end - begin),
    };
    if (last)
        piece.at = last->at + last->size;
    if (last && begin > 0 && (unsigned char *)last->to + last->size == piece.to)
        last->size += piece.size;
    else
        vv_buffer_add(&cargo->copied, &piece, sizeof piece);
}

static varve_status take_part(const struct vv_cargo *cargo,
    const struct vv_spared_part *part, void *user, varve_error *error)
{
    (void)cargo, (void)error;
    if (!part->is_spared)
        add_piece(user, part->value, part->begin, part->end);
    return VARVE_OK;
}

static void add_needed(struct vv_cargo *cargo, uint32_t value)
{
    uint64_t begin = 0, end = size_of(cargo, value);
    if (cargo->needed)
        cargo->needed(cargo->needed_user, value, &begin, &end);
    if (begin < end)
        add_piece(cargo, value, begin, end);
}

static varve_status find_pieces(struct vv_cargo *cargo, varve_error *error)
{
    for (uint32_t i = 0; i < cargo->value_count; i++) {
        if (!vv_cargo_is_large(cargo, i))
            continue;
        if (cargo->spared)
            VV_TRY(vv_cargo_each_part(cargo, i, take_part, cargo, error));
        else
            add_needed(cargo, i);
    }
    return cargo->copied.failed ? vv_fail_memory(error, "a copy of the values")
                                : VARVE_OK;
}

static struct vv_piece piece(const void *user, size_t i)
{
    const struct vv_cargo *cargo = user;
    return ((const struct vv_piece *)(const void *)cargo->copied.data)[i];
}

void vv_cargo_copy(struct vv_cargo *cargo)
{
    struct vv_pieces pieces = {
        .count = cargo->copied.size / sizeof(struct vv_piece),
        .piece = piece,
        .user = cargo,
    };
    if (pieces.count > 0) {
        const struct vv_piece last = piece(cargo, pieces.count - 1);
        pieces.size = last.at + last.size;
    }
    vv_copy_pieces(&cargo->context, &pieces);
    vv_cargo_poison(cargo);
    for (size_t i = 0; i < cargo->value_count; i++) {
        if (is_copied(cargo, i))
            cargo->values[i] = cargo->copies[i];
    }
    cargo->is_encoded = true;
}

/* --- What else is borrowed ------------------------------------------------ */

/* Into room that is there: so what is pointed to stays where it is. */
static const void *keep(struct vv_buffer *texts, const void *bytes, size_t size)
{
    void *copy = texts->data + texts->size;
    vv_buffer_add(texts, bytes, size);
    return copy;
}

static const char *keep_text(struct vv_buffer *texts, const char *text)
{
    return text ? keep(texts, text, strlen(text) + 1) : NULL;
}

static size_t text_size(const char *text)
{
    return text ? strlen(text) + 1 : 0;
}

static size_t borrowed_size(const struct vv_cargo *cargo)
{
    const varve_write_options *o = &cargo->options;
    size_t size = text_size(o->layers.base);
    for (size_t i = 0; i < o->metadata_count; i++)
        size += text_size(o->metadata[i].name) +
                (o->metadata[i].kind == VARVE_METADATA_STRING
                        ? text_size(o->metadata[i].string)
                        : 0);
    for (size_t i = 0; cargo->kept && i < cargo->node_count; i++)
        size += cargo->kept[i].size;
    return size;
}

static void keep_metadata(struct vv_cargo *cargo)
{
    /* The sorted array is the cargo's own. */
    varve_metadata *m = (varve_metadata *)cargo->options.metadata;
    for (size_t i = 0; i < cargo->options.metadata_count; i++) {
        m[i].name = keep_text(&cargo->texts, m[i].name);
        m[i].string = m[i].kind == VARVE_METADATA_STRING
                          ? keep_text(&cargo->texts, m[i].string)
                          : NULL;
    }
}

static void keep_kept(struct vv_cargo *cargo)
{
    for (size_t i = 0; cargo->kept && i < cargo->node_count; i++) {
        struct vv_cargo_kept *k = &cargo->kept[i];
        if (k->size)
            k->bytes = keep(&cargo->texts, k->bytes, k->size);
    }
}

/* --- All ---------------------------------------------------------------- */

varve_status vv_cargo_detach(
    struct vv_cargo *cargo, void *block, varve_error *error)
{
    const varve_allocator *a = &cargo->context.allocator;
    size_t size = borrowed_size(cargo);
    vv_buffer_init(&cargo->texts, a);
    vv_buffer_reserve(&cargo->texts, size);
    size_t table = cargo->value_count * sizeof *cargo->copies;
    cargo->copies = vv_allocate_zeroed(a, table);
    vv_buffer_init(&cargo->copied, a);
    bool has_room = (!size || cargo->texts.data) && (!table || cargo->copies);
    varve_status status = has_room
                              ? copy_small(cargo, block, error)
                              : vv_fail_memory(error, "a copy of the values");
    if (!status)
        status = find_pieces(cargo, error);
    if (status) {
        vv_buffer_clear(&cargo->copied);
        vv_buffer_clear(&cargo->texts);
        vv_release(a, cargo->copies, table);
        cargo->copies = NULL;
        return status;
    }
    cargo->options.layers.base =
        keep_text(&cargo->texts, cargo->options.layers.base);
    keep_metadata(cargo);
    keep_kept(cargo);
    vv_cargo_settle_carried(cargo);
    return VARVE_OK;
}
