/* target_index.c - Fuzzes the index parser: every accepted index satisfies the
 * rules that can be checked from outside and has the canonical encoding.
 *
 * SPDX-License-Identifier: MIT
 */
#include <string.h>

#include "box.h"
#include "context.h"
#include "data_in.h"
#include "index.h"
#include "fuzz/bounded.h"
#include "fuzz/fuzz.h"
#include "fuzz/one_file.h"
#include "index_out.h"
#include "layers_in.h"
#include "layout.h"
#include "piece_table.h"

/* --- Canonical encoding --------------------------------------------------- */

struct comparison {
    const uint8_t *bytes;
    size_t size;
    size_t at;
};

static varve_status compare(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    struct comparison *c = user;
    (void)error;
    FUZZ_CHECK(size <= c->size - c->at &&
            memcmp(c->bytes + c->at, bytes, size) == 0,
        "an index that was accepted is encoded otherwise at %zu", c->at);
    c->at += size;
    return VARVE_OK;
}

/* Checks the head of a map. Counts of more than 23 pairs take a byte of their
 * own. */
static bool has_pairs(const uint8_t *bytes, size_t size, unsigned pairs)
{
    if (pairs < 24)
        return size > 0 && bytes[0] == 0xa0 + pairs;
    return size > 1 && bytes[0] == 0xb8 && bytes[1] == pairs;
}

/* Checks that encoding the index gives the same bytes. Unknown optional keys
 * were skipped and are not written again; then the head of the map has another
 * count. */
static void check_encoding(
    const struct vv_index *index, const uint8_t *bytes, size_t size)
{
    struct comparison c = { .bytes = bytes, .size = size };
    varve_error error;
    unsigned pairs = VV_REQUIRED_COLUMN_COUNT;
    pairs += index->counter > 0;
    pairs += index->metadata_count > 0;
    pairs += index->layer_count > 0 ? 5 : 0;
    pairs += index->packed_count > 0 ? 4 : 0;
    pairs += index->pieced_count > 0 ? 3 : 0;
    pairs += index->paged_count > 0 ? 2 : 0;
    pairs += index->tag_count > 0 ? 2 : 0;
    pairs += index->global_count > 0 ? 2 : 0;
    if (!has_pairs(bytes, size, pairs))
        return;
    FUZZ_CHECK(vv_index_write(index, compare, &c, &error) == VARVE_OK,
        "an index that was accepted cannot be written: %s", error.message);
    FUZZ_CHECK(c.at == size, "an index of %zu bytes is encoded in %zu", size,
        c.at);
}

/* --- Guarantees for users of an index ------------------------------------- */

static uint64_t sum;

static void touch(const void *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum += ((const uint8_t *)bytes)[i];
}

static void check_names(const struct vv_index *index)
{
    for (uint32_t i = 0; i < index->name_count; i++) {
        size_t size;
        const char *name = vv_index_name(index, i, &size);
        FUZZ_CHECK(size > 0 && size <= VARVE_MAX_NAME_SIZE &&
                !memchr(name, '\0', size),
            "name %u has %zu bytes, or a NUL", i, size);
        FUZZ_CHECK(vv_index_find_name(index, name, size) == i,
            "name %u is not found", i);
    }
}

static void check_edges(const struct vv_index *index, uint32_t node)
{
    uint32_t begin, end;
    vv_index_edges(index, node, &begin, &end);
    FUZZ_CHECK(begin <= end && end <= index->edge_count, "edges of %u", node);
    for (uint32_t e = begin; e < end; e++) {
        uint32_t name = vv_at32(index->edge_names, e);
        uint32_t child = vv_at32(index->edge_children, e);
        FUZZ_CHECK(name < index->name_count && child < index->node_count,
            "edge %u", e);
        FUZZ_CHECK(vv_index_find_child(index, node, name) == child,
            "edge %u is not found", e);
    }
}

static void check_slots(const struct vv_index *index)
{
    for (uint32_t s = 0; s < index->slot_count; s++) {
        uint32_t owner = vv_at32(index->slot_owners, s);
        uint32_t variable = vv_at32(index->slot_variables, s);
        uint32_t name = vv_at32(index->slot_names, s);
        FUZZ_CHECK(vv_index_find_slot(index, owner, variable, name) ==
                vv_at32(index->slot_nodes, s),
            "slot %u is not found", s);
    }
    for (uint32_t t = 0; t < index->tag_count; t++)
        FUZZ_CHECK(vv_at32(index->tag_nodes, t) < index->node_count &&
                vv_at32(index->tag_names, t) < index->name_count,
            "tag %u", t);
    for (uint32_t g = 0; g < index->global_count; g++) {
        uint32_t node = vv_at32(index->global_nodes, g);
        FUZZ_CHECK(node < index->node_count &&
                vv_at32(index->global_names, g) < index->name_count &&
                vv_index_find_global(index, node) ==
                    vv_at32(index->global_names, g),
            "global name %u", g);
    }
}

/* Checks that pieces are consecutive and contain all elements together. */
static void check_pieces(const struct vv_parsed_index *parsed, uint32_t value)
{
    const struct vv_index *index = &parsed->index;
    varve_tensor tensor = vv_index_tensor(index, &parsed->table, value);
    uint32_t count = vv_piece_count(index, value);
    uint64_t at = 0, chunk = 0, elements = 0;
    for (uint32_t i = 0; count > 1 && i < count; i++) {
        struct vv_value_piece piece;
        vv_piece_at(index, &parsed->table, value, i, &piece);
        FUZZ_CHECK(vv_box_leaves(&tensor, &piece.box) == tensor.rank &&
                piece.begin == at && piece.size > 0 &&
                piece.first_chunk == chunk,
            "piece %u of value %u", i, value);
        at += piece.size;
        chunk += vv_chunk_count(piece.size);
        elements += vv_box_count(&tensor, &piece.box);
    }
    FUZZ_CHECK(count == 1 ||
            (at == vv_at64(index->value_sizes, value) &&
                elements == varve_tensor_count(&tensor) &&
                chunk == vv_value_chunks(index, &parsed->table, value)),
        "pieces of value %u", value);
}

static void check_value(const struct vv_parsed_index *parsed, uint32_t value,
    uint64_t data_end)
{
    const struct vv_index *index = &parsed->index;
    uint32_t node = vv_at32(index->value_nodes, value);
    uint64_t offset = vv_at64(index->value_offsets, value);
    uint64_t size = vv_at64(index->value_sizes, value);
    FUZZ_CHECK(vv_index_find_value(index, node) == value, "value %u", value);
    FUZZ_CHECK(offset <= data_end && size <= data_end - offset &&
            (offset == 0 || offset >= VV_HEADER_SIZE),
        "value %u is outside the data", value);
    varve_tensor tensor = vv_index_tensor(index, &parsed->table, value);
    FUZZ_CHECK(tensor.rank <= VARVE_MAX_RANK && varve_dtype_size(tensor.dtype),
        "value %u has no type", value);
    if (offset != 0 && tensor.dtype != VARVE_STRING)
        FUZZ_CHECK(varve_tensor_size(&tensor) == size, "size of %u", value);
    uint64_t first = vv_first_digest(index, &parsed->table, value);
    touch(index->digests + 16 * first,
        16 * (size_t)vv_value_chunks(index, &parsed->table, value));
    check_pieces(parsed, value);
}

static void check_parsed(
    const struct vv_parsed_index *parsed, uint64_t data_end)
{
    const struct vv_index *index = &parsed->index;
    check_names(index);
    for (uint32_t node = 0; node < index->node_count; node++)
        check_edges(index, node);
    check_slots(index);
    for (uint32_t v = 0; v < index->value_count; v++)
        check_value(parsed, v, data_end);
    for (uint32_t p = 0; p < index->place_count; p++) {
        uint64_t begin = vv_at64(index->place_begins, p);
        uint32_t layer = vv_at32(index->place_layers, p);
        FUZZ_CHECK(begin >= VV_HEADER_SIZE && begin < data_end &&
                vv_place_of(index, begin) == p &&
                (layer == VV_NONE || layer < index->layer_count),
            "place %u", p);
        struct vv_layer_place place = vv_layer_place_at(index, p, begin);
        FUZZ_CHECK(place.pack.size <= place.pack.plain &&
                place.pack.plain <= VV_CHUNK_SIZE &&
                place.skip <= place.pack.plain,
            "pack of place %u", p);
    }
    for (size_t i = 0; i < index->metadata_count; i++) {
        touch(index->metadata[i].name, strlen(index->metadata[i].name) + 1);
        if (index->metadata[i].kind == VARVE_METADATA_STRING)
            touch(index->metadata[i].string,
                strlen(index->metadata[i].string) + 1);
    }
}

/* --- Entry points --------------------------------------------------------- */

static void parse_file(const uint8_t *bytes, size_t size, bool salvages)
{
    struct bounded bounded = bounded_by(size);
    struct one_file file;
    one_file_init(&file, bytes, size);
    struct vv_context context = {
        .allocator = bounded_allocator(&bounded),
        .system = &file.system,
        .salvages = salvages,
    };
    struct vv_opened in;
    varve_error error = { 0 };
    varve_status status = vv_data_in_open(&in, &context, FUZZ_PATH, &error);
    if (status) {
        fuzz_check_failure(status, &error);
    } else {
        check_parsed(&in.parsed, in.data_end);
        check_encoding(&in.parsed.index, in.index_bytes, in.index_size);
        vv_opened_close(&in);
    }
    FUZZ_CHECK(file.opened == 0, "%d descriptors are left", file.opened);
    bounded_check_empty(&bounded);
}

/* Parses the input itself as an index, in an allocation of exactly its size. */
static void parse_bytes(const uint8_t *bytes, size_t size)
{
    struct bounded bounded = bounded_by(size);
    struct vv_context context = { .allocator = bounded_allocator(&bounded) };
    struct vv_parsed_index parsed;
    varve_error error = { 0 };
    varve_status status = vv_index_parse(&context, FUZZ_PATH, bytes, size,
        VV_HEADER_SIZE, &parsed, &error);
    if (status) {
        fuzz_check_failure(status, &error);
    } else {
        check_parsed(&parsed, parsed.data_end);
        check_encoding(&parsed.index, bytes, size);
        vv_parsed_index_clear(&context, &parsed);
    }
    bounded_check_empty(&bounded);
}

void fuzz_index(const uint8_t *bytes, size_t size)
{
    size = fuzz_file_size(bytes, size);
    parse_file(bytes, size, false);
    parse_file(bytes, size, true);
    if (!vv_data_in_is_ours(bytes, size))
        parse_bytes(bytes, size);
}
