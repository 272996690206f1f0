/* place_out.c - Adds a place for each range that does not continue the previous
 * one.
 *
 * SPDX-License-Identifier: MIT
 */
#include "place_out.h"

#include <string.h>

#include "layout.h"

void vv_place_out_begin(
    struct vv_place_out *out, struct vv_index_columns *columns, bool is_inside)
{
    *out = (struct vv_place_out){
        .columns = columns, .written = VV_HEADER_SIZE, .is_packed = is_inside
    };
}

bool vv_place_continues(
    const struct vv_place_out *out, const struct vv_layer_place *place)
{
    const struct vv_layer_place *last = &out->last;
    uint64_t passed = out->written - out->begin;
    if (out->written == VV_HEADER_SIZE || last->layer != place->layer ||
        last->pack.size != place->pack.size)
        return false;
    if (place->layer == VV_NONE)
        return true;
    if (place->pack.size == 0)
        return last->offset + passed == place->offset;
    return last->offset == place->offset && last->skip + passed == place->skip;
}

static void place_out_add_zeros(struct vv_buffer *column, size_t size)
{
    void *at = size ? vv_buffer_extend(column, size) : NULL;
    if (at)
        memset(at, 0, size);
}

/* Adds the columns of compression. They are created with the first compressed
 * place, with zeros for the places before it. */
static void add_pack(
    struct vv_place_out *out, const struct vv_layer_place *place)
{
    struct vv_index_columns *c = out->columns;
    size_t before = c->place_begins.size / 8 - 1;
    if (!out->is_packed && place->pack.size == 0)
        return;
    if (!out->is_packed) {
        place_out_add_zeros(&c->place_packed, 4 * before);
        place_out_add_zeros(&c->place_plain, 4 * before);
        place_out_add_zeros(&c->place_skips, 4 * before);
        place_out_add_zeros(&c->place_planes, before);
    }
    out->is_packed = true;
    vv_buffer_add32(&c->place_packed, place->pack.size);
    vv_buffer_add32(&c->place_plain, place->pack.plain);
    vv_buffer_add32(&c->place_skips, place->skip);
    vv_buffer_add8(&c->place_planes, place->pack.planes);
}

void vv_place_out_add(
    struct vv_place_out *out, const struct vv_layer_place *place, uint64_t size)
{
    struct vv_index_columns *c = out->columns;
    if (!vv_place_continues(out, place)) {
        vv_buffer_add64(&c->place_begins, out->written);
        vv_buffer_add32(&c->place_layers, place->layer);
        vv_buffer_add64(&c->place_offsets, place->offset);
        add_pack(out, place);
        out->begin = out->written;
        out->last = *place;
    }
    out->written += size;
}
