/* metadata_in.c - Parses the map twice with the same function: first to check
 * and measure, then to copy.
 *
 * SPDX-License-Identifier: MIT
 */
#include "metadata_in.h"

#include <inttypes.h>

#include "allocator.h"
#include "failure.h"
#include "layout.h"
#include "name.h"
#include "try.h"

/* Destination of strings, and the number of bytes used or needed. */
struct strings {
    char *to; /* NULL: only count */
    size_t size;
};

static const char *metadata_in_keep(
    struct strings *strings, const struct vv_cbor_item *text)
{
    size_t size = (size_t)text->number;
    char *at = NULL;
    if (strings->to) {
        at = strings->to + strings->size;
        memcpy(at, text->bytes, size);
        at[size] = '\0';
    }
    strings->size += size + 1;
    return at;
}

static varve_status metadata_in_fail(const struct vv_cbor_in *in, size_t at,
    const char *expected, const char *found)
{
    return vv_fail(in->error, VARVE_CORRUPT,
        "%s: index at offset %" PRIu64 ": metadata: expected %s, found %s",
        in->path, in->base + at, expected, found);
}

static varve_status read_real(
    struct vv_cbor_in *in, size_t at, uint64_t tag, varve_metadata *m)
{
    struct vv_cbor_item item;
    VV_TRY(vv_cbor_expect(in, VV_CBOR_BYTES, &item));
    if (tag != VV_REAL_TAG || item.number != sizeof m->real)
        return metadata_in_fail(
            in, at, "one float64 under tag 86", "another tag or size");
    uint64_t bits = vv_load64(item.bytes);
    m->kind = VARVE_METADATA_REAL;
    memcpy(&m->real, &bits, sizeof bits);
    return VARVE_OK;
}

static varve_status metadata_in_read_value(
    struct vv_cbor_in *in, struct strings *strings, varve_metadata *m)
{
    struct vv_cbor_item item;
    size_t at = in->at;
    VV_TRY(vv_cbor_next(in, &item));
    bool is_integer =
        item.kind == VV_CBOR_UNSIGNED || item.kind == VV_CBOR_NEGATIVE;
    if (is_integer && item.number > INT64_MAX)
        return metadata_in_fail(
            in, at, "a signed 64-bit integer", "a larger one");
    switch (item.kind) {
    case VV_CBOR_UNSIGNED:
        m->kind = VARVE_METADATA_INTEGER;
        m->integer = (int64_t)item.number;
        return VARVE_OK;
    case VV_CBOR_NEGATIVE:
        m->kind = VARVE_METADATA_INTEGER;
        m->integer = -1 - (int64_t)item.number;
        return VARVE_OK;
    case VV_CBOR_BOOLEAN:
        m->kind = VARVE_METADATA_BOOLEAN;
        m->integer = (int64_t)item.number;
        return VARVE_OK;
    case VV_CBOR_TEXT:
        m->kind = VARVE_METADATA_STRING;
        m->string = metadata_in_keep(strings, &item);
        return VARVE_OK;
    case VV_CBOR_TAG: return read_real(in, at, item.number, m);
    default:
        return metadata_in_fail(in, at, "an integer, boolean, text or real",
            vv_cbor_kind_text(item.kind));
    }
}

/* Reads the pairs of the map into `to`. If that is NULL, only checks them. */
static varve_status read_pairs(struct vv_cbor_in *in, uint64_t count,
    struct strings *strings, varve_metadata *to)
{
    for (uint64_t i = 0; i < count; i++) {
        struct vv_cbor_item name;
        varve_metadata m = { 0 };
        size_t at = in->at;
        VV_TRY(vv_cbor_expect(in, VV_CBOR_TEXT, &name));
        if (!vv_name_is_valid((const char *)name.bytes, (size_t)name.number))
            return metadata_in_fail(
                in, at, "a name of 1 to 65535 bytes", "a name of another size");
        m.name = metadata_in_keep(strings, &name);
        VV_TRY(metadata_in_read_value(in, strings, &m));
        if (to)
            to[i] = m;
    }
    return VARVE_OK;
}

varve_status vv_metadata_parse(const struct vv_context *context,
    struct vv_cbor_in *in, struct vv_parsed_index *parsed)
{
    const varve_allocator *a = &context->allocator;
    struct vv_cbor_item map;
    struct strings strings = { 0 };
    size_t at = in->at;
    VV_TRY(vv_cbor_expect(in, VV_CBOR_MAP, &map));
    if (map.number == 0)
        return metadata_in_fail(in, at, "a non-empty map", "one");
    /* The first pass checks and measures, the second copies. */
    struct vv_cbor_in again = *in;
    VV_TRY(read_pairs(in, map.number, &strings, NULL));
    size_t count = (size_t)map.number;
    parsed->metadata = vv_allocate_array(a, count, sizeof *parsed->metadata);
    parsed->strings = vv_allocate(a, strings.size);
    parsed->index.metadata = parsed->metadata;
    parsed->index.metadata_count = count;
    parsed->strings_size = strings.size;
    if (!parsed->metadata || !parsed->strings)
        return vv_fail_memory(in->error, "metadata");
    strings = (struct strings){ .to = parsed->strings };
    return read_pairs(&again, map.number, &strings, parsed->metadata);
}

void vv_metadata_clear(
    const struct vv_context *context, struct vv_parsed_index *parsed)
{
    const varve_allocator *a = &context->allocator;
    vv_release(a, parsed->metadata,
        parsed->index.metadata_count * sizeof *parsed->metadata);
    vv_release(a, parsed->strings, parsed->strings_size);
}
