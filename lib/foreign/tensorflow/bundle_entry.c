/* bundle_entry.c - Parses and validates the header and the entries of an index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "bundle_entry.h"

#include <inttypes.h>

#include "allocator.h"
#include "bundle.h"
#include "name.h"
#include "ordered_code.h"
#include "table_in.h"
#include "try.h"
#include "typed_memory.h"
#include "wire.h"

struct reading {
    struct vv_bundle *bundle;
    varve_error *error;
    bool has_header;
};

static varve_status bundle_entry_fail(const struct reading *r,
    const struct vv_bundle_entry *e, const char *problem)
{
    bool is_slice = vv_bundle_is_slice(e);
    return vv_fail(r->error, VARVE_CORRUPT, "%s: %s%s: %s", r->bundle->path,
        is_slice ? "a slice of " : "",
        e->key_size == 0 ? "the header" : e->key + is_slice, problem);
}

/* --- The header ----------------------------------------------------------- */

/* Sets *is_there if a repeated number, packed or not, contains `wanted`. */
static varve_status bundle_entry_look_for(const struct vv_wire *wire,
    const struct vv_wire_field *f, uint64_t wanted, bool *is_there)
{
    const unsigned char *at = f->bytes;
    const unsigned char *end = at ? at + f->value : NULL;
    *is_there |= f->type != VV_WIRE_SIZED && f->value == wanted;
    while (at < end) {
        uint64_t value;
        at = vv_take_varint(at, end, &value);
        if (!at)
            return vv_fail(wire->error, VARVE_CORRUPT,
                "%s: %s: a list of numbers is malformed", wire->path,
                wire->what);
        *is_there |= value == wanted;
    }
    return VARVE_OK;
}

/* Returns true if an int32 is negative. TensorFlow rejects producers below
 * kTensorBundleMinProducer, which is 0. */
static bool is_below_0(const struct vv_wire_field *f)
{
    return f->type != VV_WIRE_SIZED && f->value >> 31 & 1;
}

static varve_status bundle_entry_check_version(
    const struct reading *r, struct vv_wire wire)
{
    struct vv_wire_field f;
    while (vv_wire_has_more(&wire)) {
        bool is_bad = false;
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number == VV_VERSION_BAD_CONSUMERS)
            VV_TRY(
                bundle_entry_look_for(&wire, &f, VV_BUNDLE_VERSION, &is_bad));
        else if (f.number == VV_VERSION_MIN_CONSUMER)
            is_bad = f.value > VV_BUNDLE_VERSION && !is_below_0(&f);
        else if (f.number == VV_VERSION_PRODUCER && is_below_0(&f))
            return vv_fail(r->error, VARVE_CORRUPT,
                "%s: the version: the producer is negative: %" PRId32,
                r->bundle->path, (int32_t)(uint32_t)f.value);
        if (is_bad)
            return vv_fail(r->error, VARVE_TOO_NEW,
                "%s: the checkpoint excludes readers of version %d: save it "
                "again with an older TensorFlow",
                r->bundle->path, VV_BUNDLE_VERSION);
    }
    return VARVE_OK;
}

static varve_status take_header_field(struct reading *r,
    const struct vv_wire *wire, const struct vv_wire_field *f)
{
    struct vv_bundle *b = r->bundle;
    switch (f->number) {
    case VV_HEADER_SHARD_COUNT:
        if (f->type == VV_WIRE_SIZED)
            return vv_fail(r->error, VARVE_NOT_A_CHECKPOINT,
                "%s: the checkpoint has TensorFlow's format V1, which is not "
                "supported: load it with TensorFlow and save it again with "
                "tf.compat.v1.train.Saver(write_version=2)",
                b->path);
        VV_TRY(vv_wire_expect(wire, f, VV_WIRE_VARINT));
        b->shard_count = f->value;
        return VARVE_OK;
    case VV_HEADER_ENDIANNESS:
        VV_TRY(vv_wire_expect(wire, f, VV_WIRE_VARINT));
        if (f->value > VV_BUNDLE_BIG_ENDIAN)
            return vv_fail(r->error, VARVE_CORRUPT,
                "%s: the header: the byte order must be 0 or 1, not %" PRIu64,
                b->path, f->value);
        b->is_big_endian = f->value == VV_BUNDLE_BIG_ENDIAN;
        return VARVE_OK;
    case VV_HEADER_VERSION:
        VV_TRY(vv_wire_expect(wire, f, VV_WIRE_SIZED));
        return bundle_entry_check_version(
            r, vv_wire_open(wire, f, "the version"));
    default: return VARVE_OK;
    }
}

static varve_status bundle_entry_take_header(
    struct reading *r, struct vv_wire wire)
{
    struct vv_wire_field f;
    r->has_header = true;
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        VV_TRY(take_header_field(r, &wire, &f));
    }
    if (r->bundle->shard_count == 0 || r->bundle->shard_count > INT32_MAX)
        return vv_fail(r->error, VARVE_CORRUPT,
            "%s: the header: invalid number of shards: %" PRIu64,
            r->bundle->path, r->bundle->shard_count);
    return VARVE_OK;
}

/* --- Shapes and slices ---------------------------------------------------- */

static varve_status bundle_entry_add_extent(struct reading *r, uint64_t extent)
{
    struct vv_bundle *b = r->bundle;
    if (!vv_grow_array(&b->context->allocator, &b->extents, &b->extent_capacity,
            b->extent_count, sizeof extent))
        return vv_fail_memory(r->error, "shapes");
    b->extents[b->extent_count++] = extent;
    return VARVE_OK;
}

/* Reads one number of a message; it is 0 if it is left out. */
static varve_status bundle_entry_take_number(
    struct vv_wire wire, uint64_t number, uint64_t *value)
{
    struct vv_wire_field f;
    *value = 0;
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number != number)
            continue;
        VV_TRY(vv_wire_expect(&wire, &f, VV_WIRE_VARINT));
        *value = f.value;
    }
    return VARVE_OK;
}

static varve_status bundle_entry_take_shape(
    struct reading *r, struct vv_bundle_entry *e, struct vv_wire wire)
{
    struct vv_wire_field f;
    if (e->rank > 0)
        return bundle_entry_fail(r, e, "it has two shapes");
    e->first_extent = r->bundle->extent_count;
    while (vv_wire_has_more(&wire)) {
        uint64_t extent;
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number == VV_SHAPE_UNKNOWN_RANK && f.value)
            return bundle_entry_fail(r, e, "its rank is unknown");
        if (f.number != VV_SHAPE_DIM)
            continue;
        VV_TRY(vv_wire_expect(&wire, &f, VV_WIRE_SIZED));
        VV_TRY(bundle_entry_take_number(
            vv_wire_open(&wire, &f, "an extent"), VV_DIM_SIZE, &extent));
        if (extent > INT64_MAX)
            return bundle_entry_fail(r, e, "an extent is negative");
        if (++e->rank > VARVE_MAX_RANK)
            return vv_fail(r->error, VARVE_LIMIT,
                "%s: %s: it has more than %d dimensions", r->bundle->path,
                e->key + vv_bundle_is_slice(e), VARVE_MAX_RANK);
        VV_TRY(bundle_entry_add_extent(r, extent));
    }
    return VARVE_OK;
}

/* Reads the start and length in one dimension. A slice without a length covers
 * the whole dimension; its key contains -1. */
static varve_status take_extent(struct vv_wire wire, int64_t pair[2])
{
    struct vv_wire_field f;
    pair[0] = 0;
    pair[1] = -1;
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number != VV_EXTENT_START && f.number != VV_EXTENT_LENGTH)
            continue;
        VV_TRY(vv_wire_expect(&wire, &f, VV_WIRE_VARINT));
        pair[f.number == VV_EXTENT_LENGTH] = (int64_t)f.value;
    }
    return VARVE_OK;
}

static varve_status take_pairs(struct reading *r,
    const struct vv_bundle_entry *e, struct vv_wire wire, int64_t *pairs)
{
    struct vv_wire_field f;
    uint32_t rank = 0;
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        if (f.number != VV_SLICE_EXTENT)
            continue;
        VV_TRY(vv_wire_expect(&wire, &f, VV_WIRE_SIZED));
        if (rank == e->rank)
            return bundle_entry_fail(r, e, "a slice has too many dimensions");
        VV_TRY(take_extent(
            vv_wire_open(&wire, &f, "a slice"), pairs + 2 * rank++));
    }
    if (rank != e->rank || rank == 0)
        return bundle_entry_fail(r, e, "a slice has too few dimensions");
    return VARVE_OK;
}

/* Finds the entry of a slice. Slices sort before all tensors. */
static varve_status find_slice(const struct reading *r,
    const struct vv_bundle_entry *e, const int64_t *pairs, uint32_t *number)
{
    const struct vv_bundle *b = r->bundle;
    struct vv_buffer key;
    vv_buffer_init(&key, &b->context->allocator);
    vv_slice_key(&key, e->key, e->key_size, e->rank, pairs);
    bool failed = key.failed;
    struct vv_bundle_entry *slice =
        failed ? NULL : vv_bundle_find(b, (const char *)key.data, key.size);
    vv_buffer_clear(&key);
    if (failed)
        return vv_fail_memory(r->error, "slices");
    if (!slice)
        return bundle_entry_fail(r, e, "a slice has no entry in the index");
    if (slice->number != e->number || slice->rank != e->rank)
        return bundle_entry_fail(r, e, "a slice has a different type or rank");
    *number = (uint32_t)(slice - b->entries);
    return VARVE_OK;
}

/* Replaces the length -1 by the whole dimension, and checks that the pair
 * agrees with the shape of the slice. */
static varve_status settle_pair(const struct reading *r,
    const struct vv_bundle_entry *e, uint32_t slice, uint32_t i,
    int64_t pair[2])
{
    const struct vv_bundle *b = r->bundle;
    uint64_t whole = b->extents[e->first_extent + i];
    uint64_t extent = b->extents[b->entries[slice].first_extent + i];
    if (pair[1] == -1 && pair[0] == 0)
        pair[1] = (int64_t)whole;
    if (pair[0] < 0 || pair[1] < 0 || (uint64_t)pair[1] != extent ||
        extent > whole || (uint64_t)pair[0] > whole - extent)
        return bundle_entry_fail(r, e, "a slice does not fit into its shape");
    return VARVE_OK;
}

static varve_status take_slice(
    struct reading *r, struct vv_bundle_entry *e, struct vv_wire wire)
{
    struct vv_bundle *b = r->bundle;
    int64_t pairs[2 * VARVE_MAX_RANK];
    uint32_t number = 0;
    VV_TRY(take_pairs(r, e, wire, pairs));
    VV_TRY(find_slice(r, e, pairs, &number));
    if (!vv_grow_array(&b->context->allocator, &b->slices, &b->slice_capacity,
            b->slice_count, sizeof *b->slices))
        return vv_fail_memory(r->error, "slices");
    if (e->slice_count++ == 0) {
        e->first_slice = (uint32_t)b->slice_count;
        e->first_pair = b->extent_count;
    }
    b->slices[b->slice_count++] = number;
    b->entries[number].is_added = true;
    for (uint32_t i = 0; i < e->rank; i++) {
        VV_TRY(settle_pair(r, e, number, i, pairs + 2 * i));
        VV_TRY(bundle_entry_add_extent(r, (uint64_t)pairs[2 * i]));
        VV_TRY(bundle_entry_add_extent(r, (uint64_t)pairs[2 * i + 1]));
    }
    return VARVE_OK;
}

/* --- Entries -------------------------------------------------------------- */

static varve_status take_scalar(struct reading *r, struct vv_bundle_entry *e,
    const struct vv_wire *wire, const struct vv_wire_field *f)
{
    if (f->number == VV_ENTRY_SUM) {
        VV_TRY(vv_wire_expect(wire, f, VV_WIRE_FIXED32));
        e->sum = (uint32_t)f->value;
        return VARVE_OK;
    }
    VV_TRY(vv_wire_expect(wire, f, VV_WIRE_VARINT));
    if (f->value > INT64_MAX)
        return bundle_entry_fail(r, e, "a number is negative");
    if (f->number == VV_ENTRY_OFFSET)
        e->offset = f->value;
    else if (f->number == VV_ENTRY_SIZE)
        e->size = f->value;
    else if (f->value > INT32_MAX)
        return bundle_entry_fail(
            r, e, "the number of its type or shard is too large");
    else if (f->number == VV_ENTRY_DTYPE)
        e->number = (uint32_t)vv_bundle_dtype_referred(f->value);
    else
        e->shard = (uint32_t)f->value;
    return VARVE_OK;
}

static varve_status bundle_entry_take_fields(
    struct reading *r, struct vv_bundle_entry *e, struct vv_wire wire)
{
    struct vv_wire_field f;
    while (vv_wire_has_more(&wire)) {
        VV_TRY(vv_wire_next(&wire, &f));
        switch (f.number) {
        case VV_ENTRY_SHAPE:
            VV_TRY(vv_wire_expect(&wire, &f, VV_WIRE_SIZED));
            VV_TRY(bundle_entry_take_shape(
                r, e, vv_wire_open(&wire, &f, "a shape")));
            break;
        case VV_ENTRY_SLICES:
            VV_TRY(vv_wire_expect(&wire, &f, VV_WIRE_SIZED));
            VV_TRY(take_slice(r, e, vv_wire_open(&wire, &f, "a slice")));
            break;
        case VV_ENTRY_DTYPE:
        case VV_ENTRY_SHARD:
        case VV_ENTRY_OFFSET:
        case VV_ENTRY_SIZE:
        case VV_ENTRY_SUM: VV_TRY(take_scalar(r, e, &wire, &f)); break;
        default: break;
        }
    }
    return VARVE_OK;
}

/* Checks that the slices have as many elements as the tensor. Overlaps are
 * detected when the slices are read. */
static varve_status check_slices(
    const struct reading *r, const struct vv_bundle_entry *e)
{
    const struct vv_bundle *b = r->bundle;
    uint64_t left = e->count;
    for (uint32_t i = 0; i < e->slice_count; i++) {
        uint64_t count = b->entries[b->slices[e->first_slice + i]].count;
        if (count > left)
            return bundle_entry_fail(
                r, e, "its slices have more elements than its shape");
        left -= count;
    }
    if (left > 0)
        return bundle_entry_fail(
            r, e, "its slices have fewer elements than its shape");
    if (e->size > 0 || vv_bundle_is_slice(e))
        return bundle_entry_fail(
            r, e, "it has both slices and bytes of its own");
    if (e->dtype == 0 || e->dtype == VARVE_STRING)
        return bundle_entry_fail(
            r, e, "a tensor of this type cannot have slices");
    return VARVE_OK;
}

static varve_status bundle_entry_check_entry(
    const struct reading *r, struct vv_bundle_entry *e)
{
    uint64_t size;
    const uint64_t *extents =
        e->rank ? r->bundle->extents + e->first_extent : NULL;
    e->dtype = vv_bundle_dtype(e->number);
    size_t element = vv_dtype_file_size(e->dtype);
    if (e->shard >= r->bundle->shard_count)
        return bundle_entry_fail(r, e, "its shard does not exist");
    if (e->number == 0)
        return bundle_entry_fail(r, e, "it has no element type");
    if (!vv_shape_count(e->rank, extents, &e->count) ||
        !vv_size_of(e->count, element ? element : 16, &size))
        return bundle_entry_fail(r, e, "its shape has 2^64 bytes or more");
    if (e->slice_count > 0)
        return check_slices(r, e);
    if (element > 0 && size != e->size)
        return bundle_entry_fail(r, e, "its size does not match its shape");
    return VARVE_OK;
}

static varve_status bundle_entry_take_entry(void *user,
    const unsigned char *key, size_t key_size, const unsigned char *value,
    size_t value_size, varve_error *error)
{
    struct reading *r = user;
    struct vv_bundle *b = r->bundle;
    r->error = error;
    struct vv_wire wire = {
        .path = b->path,
        .what = key_size ? "an entry of the index" : "the header",
        .bytes = value,
        .size = value_size,
        .error = error,
    };
    if (key_size == 0)
        return bundle_entry_take_header(r, wire);
    struct vv_bundle_entry e = { .key_size = (uint32_t)key_size };
    if (!r->has_header)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: the index does not begin with a header", b->path);
    e.key = vv_arena_text(&b->keys, (const char *)key, key_size);
    if (!e.key || !vv_grow_array(&b->context->allocator, &b->entries,
                      &b->entry_capacity, b->entry_count, sizeof e))
        return vv_fail_memory(error, "the entries of an index");
    VV_TRY(bundle_entry_take_fields(r, &e, wire));
    VV_TRY(bundle_entry_check_entry(r, &e));
    b->entries[b->entry_count++] = e;
    return VARVE_OK;
}

/* --- All ------------------------------------------------------------------ */

varve_status vv_bundle_read_index(
    struct vv_bundle *b, const void *index, size_t size, varve_error *error)
{
    struct reading r = { .bundle = b, .error = error };
    struct vv_table_in table = { b->context, b->path, index, size };
    vv_arena_init(&b->keys, &b->context->allocator);
    VV_TRY(vv_table_each(&table, bundle_entry_take_entry, &r, error));
    if (!r.has_header)
        return vv_fail(error, VARVE_CORRUPT, "%s: the index is empty", b->path);
    return VARVE_OK;
}

void vv_bundle_clear(struct vv_bundle *b)
{
    const varve_allocator *a = &b->context->allocator;
    vv_release(a, b->entries, b->entry_capacity * sizeof *b->entries);
    vv_release(a, b->extents, b->extent_capacity * sizeof *b->extents);
    vv_release(a, b->slices, b->slice_capacity * sizeof *b->slices);
    vv_arena_clear(&b->keys);
}

size_t vv_bundle_find_from(
    const struct vv_bundle *b, const char *key, size_t size)
{
    size_t low = 0, high = b->entry_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct vv_bundle_entry *e = &b->entries[middle];
        size_t both = e->key_size < size ? e->key_size : size;
        int order = memcmp(e->key, key, both);
        if (order < 0 || (order == 0 && e->key_size < size))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct vv_bundle_entry *vv_bundle_find(
    const struct vv_bundle *b, const char *key, size_t size)
{
    size_t at = vv_bundle_find_from(b, key, size);
    if (at == b->entry_count || b->entries[at].key_size != size ||
        memcmp(b->entries[at].key, key, size) != 0)
        return NULL;
    return &b->entries[at];
}

bool vv_bundle_is_member(
    const struct vv_bundle *b, size_t number, const char *key, size_t size)
{
    if (number >= b->entry_count || size == 0)
        return false;
    const struct vv_bundle_entry *e = &b->entries[number];
    return e->key_size > size && memcmp(e->key, key, size) == 0 &&
           !memchr(e->key + size, '/', e->key_size - size);
}

varve_tensor vv_bundle_tensor(
    const struct vv_bundle *b, const struct vv_bundle_entry *e)
{
    varve_tensor tensor = { .dtype = e->dtype, .rank = e->rank };
    for (uint32_t i = 0; i < e->rank; i++)
        tensor.shape[i] = b->extents[e->first_extent + i];
    return tensor;
}

varve_kind vv_bundle_kind(const struct vv_bundle_entry *e)
{
    return e->dtype ? VARVE_VARIABLE : VARVE_STATE;
}

/* Returns true if the bytes have the layout of Varve's own format and can be
 * read without decoding. */
static bool lies_as_ours(
    const struct vv_bundle *b, const struct vv_bundle_entry *e)
{
    const struct vv_dtype *type = vv_dtype_of(e->dtype);
    return e->slice_count == 0 && e->dtype != VARVE_STRING &&
           (!b->is_big_endian || !type || type->part_size == 1);
}

void vv_bundle_add(const struct vv_bundle *b, struct vv_draft *draft,
    uint32_t node, struct vv_bundle_entry *e)
{
    varve_tensor type = vv_bundle_tensor(b, e);
    struct vv_place place = {
        .file = e->file,
        .sum_kind = VV_SUM_CRC32C,
        .sum = e->sum,
        .offset = e->offset,
    };
    if (!lies_as_ours(b, e) || e->number == VV_BUNDLE_VARIANT)
        place = (struct vv_place){ .file = VV_DECODED,
            .offset = (uint64_t)(e - b->entries) };
    e->is_added = true;
    if (e->dtype) {
        vv_draft_value(draft, node, &type, e->strings_size, &place);
    } else {
        char number[24], tag[64] = "tensorflow:";
        const char *name = vv_bundle_dtype_name(e->number);
        number[vv_decimal(e->number, number)] = '\0';
        strcat(strcat(tag, name ? name : "dtype "), name ? "" : number);
        vv_draft_state(draft, node, e->size, &place);
        vv_draft_tag(draft, node, tag);
    }
}

void vv_bundle_add_bytes(const struct vv_bundle *b, struct vv_draft *draft,
    uint32_t node, struct vv_bundle_entry *e)
{
    struct vv_place place = {
        .file = VV_DECODED,
        .offset = VV_BUNDLE_ONLY_STRING | (uint64_t)(e - b->entries),
    };
    e->is_added = true;
    vv_draft_state(draft, node, e->strings_size - 8, &place);
}
