/* bundle_kept.c - Encodes the information as a protobuf message, in memory
 * only.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_kept.h"

#include "bundle.h"
#include "wire.h"

enum field {
    FIELD_ROLE = 1,
    FIELD_RECORD = 2,
    FIELD_ENTRY = 3,
    FIELD_MEMBERS = 4,
    FIELD_NUMBER = 5,
    FIELD_EXTENT = 6,
    FIELD_REST = 7,
};

/* Big-endian variants are not kept, because their checksums are in a byte order
 * that is not written. */
void vv_bundle_keep_type(const struct vv_bundle *b,
    const struct vv_bundle_entry *e, struct vv_bundle_kept *kept)
{
    if (vv_bundle_dtype_number(e->dtype) == e->number ||
        (e->number == VV_BUNDLE_VARIANT && b->is_big_endian))
        return;
    kept->number = e->number;
    if (!e->dtype)
        kept->shape = vv_bundle_tensor(b, e);
}

void vv_bundle_keep(
    struct vv_draft *draft, uint32_t node, const struct vv_bundle_kept *kept)
{
    struct vv_buffer b;
    vv_buffer_init(&b, &draft->context->allocator);
    vv_wire_number(&b, FIELD_ROLE, kept->role);
    vv_wire_bytes(&b, FIELD_RECORD, kept->record, kept->record_size);
    vv_wire_bytes(&b, FIELD_ENTRY, kept->entry, kept->entry_size);
    vv_wire_number(&b, FIELD_MEMBERS, kept->members);
    vv_wire_number(&b, FIELD_NUMBER, kept->number);
    for (uint32_t i = 0; i < kept->shape.rank; i++) {
        vv_wire_varint(&b, FIELD_EXTENT << 3);
        vv_wire_varint(&b, kept->shape.shape[i]);
    }
    vv_wire_bytes(&b, FIELD_REST, kept->rest, kept->rest_size);
    if (b.failed)
        vv_draft_fail(draft, VARVE_NO_MEMORY, "out of memory: records");
    else if (b.size > 0)
        vv_draft_keep(draft, node, b.data, b.size);
    vv_buffer_clear(&b);
}

/* --- Decoding ------------------------------------------------------------- */

/* Returns false at the end. Parsing cannot fail: the bytes were written by this
 * file or checked when they were read. */
static bool bundle_kept_next(struct vv_wire *wire, struct vv_wire_field *f)
{
    return vv_wire_has_more(wire) && vv_wire_next(wire, f) == VARVE_OK;
}

static void take_record(struct vv_bundle_kept *kept)
{
    varve_error unwanted;
    struct vv_wire_field f;
    struct vv_wire wire = { .path = "",
        .what = "",
        .bytes = kept->record,
        .size = kept->record_size,
        .error = &unwanted };
    while (bundle_kept_next(&wire, &f)) {
        const char *text = (const char *)f.bytes;
        size_t size = (size_t)f.value;
        if (f.number == VV_ATTRIBUTE_NAME)
            kept->name = text, kept->name_size = size;
        else if (f.number == VV_ATTRIBUTE_FULL_NAME)
            kept->full_name = text, kept->full_name_size = size;
        else if (f.number == VV_ATTRIBUTE_KEY)
            kept->key = text, kept->key_size = size;
    }
}

static void bundle_kept_take_field(
    struct vv_bundle_kept *kept, const struct vv_wire_field *f)
{
    /* The message was written by this file, so it is not validated. */
    switch (f->number) {
    case FIELD_ROLE: kept->role = (enum vv_bundle_role)f->value; break;
    case FIELD_RECORD:
        kept->record = f->bytes;
        kept->record_size = (size_t)f->value;
        break;
    case FIELD_ENTRY:
        kept->entry = (const char *)f->bytes;
        kept->entry_size = (size_t)f->value;
        break;
    case FIELD_MEMBERS: kept->members = (uint32_t)f->value; break;
    case FIELD_NUMBER: kept->number = (uint32_t)f->value; break;
    case FIELD_EXTENT: kept->shape.shape[kept->shape.rank++] = f->value; break;
    case FIELD_REST:
        kept->rest = f->bytes;
        kept->rest_size = (size_t)f->value;
        break;
    default: break;
    }
}

bool vv_bundle_kept_of(
    const struct vv_target *target, uint32_t node, struct vv_bundle_kept *kept)
{
    varve_error unwanted;
    struct vv_wire_field f;
    struct vv_wire wire = { .path = "", .what = "", .error = &unwanted };
    *kept = (struct vv_bundle_kept){ .name = "", .full_name = "", .key = "" };
    if (target->kept)
        wire.bytes = target->kept(target->user, node, &wire.size);
    while (bundle_kept_next(&wire, &f))
        bundle_kept_take_field(kept, &f);
    take_record(kept);
    return wire.bytes != NULL;
}

/* --- Encoding ------------------------------------------------------------- */

void vv_bundle_kept_record(const struct vv_bundle_kept *kept,
    const struct vv_buffer *full_name, const struct vv_buffer *key,
    struct vv_buffer *to)
{
    varve_error unwanted;
    struct vv_wire_field f;
    struct vv_wire wire = { .path = "",
        .what = "",
        .bytes = kept->record,
        .size = kept->record_size,
        .error = &unwanted };
    size_t record = vv_wire_begin(to, VV_OBJECT_ATTRIBUTE);
    vv_wire_bytes(to, VV_ATTRIBUTE_NAME, kept->name, kept->name_size);
    vv_wire_bytes(to, VV_ATTRIBUTE_FULL_NAME, full_name->data, full_name->size);
    vv_wire_bytes(to, VV_ATTRIBUTE_KEY, key->data, key->size);
    for (size_t at = 0; bundle_kept_next(&wire, &f); at = wire.at) {
        if (f.number > VV_ATTRIBUTE_KEY)
            vv_buffer_add(to, kept->record + at, wire.at - at);
    }
    vv_wire_end(to, record);
    to->failed |= full_name->failed || key->failed;
}
