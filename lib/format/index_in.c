/* index_in.c - Parses the map of columns and the metadata of an index.
 *
 * SPDX-License-Identifier: MIT
 */
#include "index_in.h"

#include <inttypes.h>

#include "allocator.h"
#include "cbor_in.h"
#include "failure.h"
#include "index.h"
#include "index_check.h"
#include "layer_columns.h"
#include "layout.h"
#include "name.h"
#include "paged_columns.h"
#include "try.h"
#include "value_check.h"
#include "worker.h"

/* --- Metadata ------------------------------------------------------------- */

/* Parses the map twice with the same function: first to check and measure, then
 * to copy. */

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

/* --- The index ------------------------------------------------------------ */

/* Parses the map of columns. The columns are used in place. */

struct parser {
    struct vv_cbor_in in;
    struct vv_parsed_index *parsed;
    size_t metadata_at; /* 0: no metadata */
    struct vv_paged_columns *far;
    bool has_no_digests;
    const struct vv_index *like;
};

static varve_status index_in_fail(const struct parser *p, size_t at,
    varve_status status, const char *expected, const char *found)
{
    return vv_fail(p->in.error, status,
        "%s: index at offset %" PRIu64 ": expected %s, found %s", p->in.path,
        p->in.base + at, expected, found);
}

static varve_status index_in_check_count(const struct parser *p, size_t at,
    const struct vv_column *column, uint64_t count)
{
    uint64_t expected = vv_column_count(column, &p->parsed->index);
    if (column->key >= VV_REQUIRED_COLUMN_COUNT && count == 0)
        return index_in_fail(p, at, VARVE_CORRUPT,
            "a non-empty optional column", "an empty one");
    if (column->is_first && !column->is_wide && count >= VV_NONE)
        return index_in_fail(
            p, at, VARVE_LIMIT, "fewer than 2^32 - 1 elements", "more");
    if (!column->is_first && count != expected)
        return vv_fail(p->in.error, VARVE_CORRUPT,
            "%s: index at offset %" PRIu64 ": expected %" PRIu64
            " %s, found %" PRIu64,
            p->in.path, p->in.base + at, expected, column->name, count);
    return VARVE_OK;
}

static varve_status index_in_read_column(
    struct parser *p, const struct vv_column *column)
{
    struct vv_cbor_item item;
    size_t at = p->in.at;
    if (column->tag) {
        VV_TRY(vv_cbor_expect(&p->in, VV_CBOR_TAG, &item));
        if (item.number != column->tag)
            return index_in_fail(p, at, VARVE_CORRUPT,
                "the tag of a column's type", "another tag");
    }
    VV_TRY(vv_cbor_expect(&p->in, VV_CBOR_BYTES, &item));
    if (item.number % column->element != 0)
        return index_in_fail(p, at, VARVE_CORRUPT, "a column of whole elements",
            "a partial element at its end");
    uint64_t count = item.number / column->element;
    if (p->far && column->key < VV_FAR_COLUMNS && count == 0)
        count = p->far->columns[column->key].size / column->element;
    VV_TRY(index_in_check_count(p, at, column, count));
    vv_column_set(column, &p->parsed->index, item.bytes, count);
    return VARVE_OK;
}

static varve_status read_counter(struct parser *p)
{
    struct vv_cbor_item item;
    size_t at = p->in.at;
    VV_TRY(vv_cbor_expect(&p->in, VV_CBOR_UNSIGNED, &item));
    if (item.number == 0)
        return index_in_fail(
            p, at, VARVE_CORRUPT, "a save counter above 0", "0");
    p->parsed->index.counter = item.number;
    return VARVE_OK;
}

static varve_status read_optional(struct parser *p, uint64_t key)
{
    const struct vv_column *column = vv_column_find(key);
    if (column)
        return index_in_read_column(p, column);
    if (key == VV_KEY_COUNTER)
        return read_counter(p);
    if (key == VV_KEY_METADATA)
        /* parsed later, after the limit of its memory is known */
        p->metadata_at = p->in.at;
    return vv_cbor_skip(&p->in);
}

/* Columns that depend on each other must all exist, or none of them. */
static varve_status index_in_check_columns(const struct parser *p)
{
    const struct vv_index *index = &p->parsed->index;
    if ((index->layer_nonces || index->place_begins) &&
        !(index->layer_sizes && index->place_layers && index->place_offsets))
        return index_in_fail(p, p->in.at, VARVE_CORRUPT,
            "data files with sizes and places with data files and offsets",
            "only some of these columns");
    if (index->place_packed &&
        !(index->place_plain && index->place_skips && index->place_planes))
        return index_in_fail(p, p->in.at, VARVE_CORRUPT,
            "compressed places with plain sizes, skips and planes",
            "only some of these columns");
    if ((index->pieced_values || index->piece_boxes) &&
        !(index->piece_ends && index->piece_boxes))
        return index_in_fail(p, p->in.at, VARVE_CORRUPT,
            "values in pieces with ends and boxes",
            "only some of these columns");
    if (!index->paged_chunks != !index->page_digests)
        return index_in_fail(p, p->in.at, VARVE_CORRUPT,
            "page checksums for the chunks that have them",
            "only one of these columns");
    if (!index->whole_extents != !index->part_starts ||
        (index->whole_extents && index->whole_count != index->extent_count))
        return index_in_fail(p, p->in.at, VARVE_CORRUPT,
            "an extent and a start of parts for each extent", "others");
    if (index->tag_nodes && !index->tag_names)
        return index_in_fail(
            p, p->in.at, VARVE_CORRUPT, "names for the nodes of tags", "none");
    if (index->global_nodes && !index->global_names)
        return index_in_fail(
            p, p->in.at, VARVE_CORRUPT, "global names for their nodes", "none");
    return VARVE_OK;
}

static varve_status index_in_read_map(struct parser *p)
{
    struct vv_cbor_item item;
    VV_TRY(vv_cbor_expect(&p->in, VV_CBOR_MAP, &item));
    uint64_t count = item.number;
    uint64_t lowest = 0; /* smallest key that can follow */
    for (uint64_t i = 0; i < count; i++) {
        size_t at = p->in.at;
        VV_TRY(vv_cbor_expect(&p->in, VV_CBOR_UNSIGNED, &item));
        uint64_t key = item.number;
        if (key < lowest || (i > 0 && lowest == 0))
            return index_in_fail(
                p, at, VARVE_CORRUPT, "keys in order", "a key out of order");
        lowest = key + 1;
        if (i < VV_REQUIRED_COLUMN_COUNT && key != i)
            return index_in_fail(
                p, at, VARVE_CORRUPT, "each required key", "another key");
        if (key < VV_FIRST_TAG_COLUMN)
            VV_TRY(index_in_read_column(p, &vv_columns[key]));
        else if (key < VV_FIRST_OPTIONAL_KEY)
            return vv_fail(p->in.error, VARVE_TOO_NEW,
                "%s: index at offset %" PRIu64
                ": this build reads keys of version %d, found the required key "
                "%" PRIu64,
                p->in.path, p->in.base + at, VV_FORMAT_VERSION, key);
        else
            VV_TRY(read_optional(p, key));
    }
    if (count < VV_REQUIRED_COLUMN_COUNT)
        return index_in_fail(p, 0, VARVE_CORRUPT, "all required keys", "fewer");
    VV_TRY(index_in_check_columns(p));
    return vv_cbor_end(&p->in);
}

/* --- Checks --------------------------------------------------------------- */

/* Errors in the graph are reported before errors in values. */
enum part { GRAPH, VALUES, PARTS };

struct checking {
    struct vv_index_check check;
    struct vv_parsed_index *parsed;
    const struct vv_index *like;
    varve_status status[PARTS];
    varve_error errors[PARTS];
};

static void index_in_check_part(void *user, size_t part)
{
    struct checking *c = user;
    struct vv_index_check check = c->check;
    check.error = &c->errors[part];
    if (part == GRAPH)
        c->status[part] =
            c->like && vv_index_has_same_graph(c->like, check.index)
                ? VARVE_OK
                : vv_check_graph(&check);
    else
        c->status[part] = vv_check_values(
            &check, c->like, &c->parsed->table, &c->parsed->data_end);
}

static varve_status check_columns(
    const struct vv_index_check *check, struct parser *p)
{
    struct checking c; /* an error is only filled in by a failure */
    c.check = *check;
    c.parsed = p->parsed;
    c.like = p->like;
    vv_run_parts(check->context, p->in.size, PARTS, index_in_check_part, &c);
    for (size_t i = 0; i < PARTS; i++) {
        if (c.status[i] && p->in.error)
            *p->in.error = c.errors[i];
        if (c.status[i])
            return c.status[i];
    }
    return VARVE_OK;
}

static varve_status index_in_parse(
    const struct vv_context *context, struct parser *p)
{
    struct vv_parsed_index *parsed = p->parsed;
    struct vv_index *index = &parsed->index;
    VV_TRY(index_in_read_map(p));
    index->far = p->far;
    index->has_no_digests = p->has_no_digests;
    struct vv_index_check check = { .context = context,
        .path = p->in.path,
        .bytes = p->in.bytes,
        .data_end = p->in.base,
        .index = index,
        .error = p->in.error };
    VV_TRY(vv_value_table_make(
        &parsed->table, &context->allocator, index, p->in.error));
    VV_TRY(check_columns(&check, p));
    VV_TRY(vv_check_layers(&check, parsed->data_end));
    VV_TRY(vv_check_page_sums(&check, &parsed->table));
    VV_TRY(vv_index_failure(index, p->in.error));
    if (p->metadata_at == 0)
        return VARVE_OK;
    p->in.at = p->metadata_at;
    return vv_metadata_parse(context, &p->in, parsed);
}

varve_status vv_index_parse_rest(const struct vv_context *context,
    const char *path, const struct vv_index_rest *rest,
    struct vv_parsed_index *parsed, varve_error *error)
{
    struct vv_parsed_index result = { 0 };
    struct parser p = { .parsed = &result,
        .far = rest->far,
        .has_no_digests = rest->has_no_digests,
        .like = rest->like,
        .in = { .path = path,
            .base = rest->data_end,
            .bytes = rest->bytes,
            .size = rest->size,
            .error = error } };
    if (rest->data_end > INT64_MAX)
        return index_in_fail(
            &p, 0, VARVE_CORRUPT, "an offset below 2^63", "a larger offset");
    varve_status status = index_in_parse(context, &p);
    if (status)
        vv_parsed_index_clear(context, &result);
    else
        *parsed = result;
    return status;
}

varve_status vv_index_parse(const struct vv_context *context, const char *path,
    const void *bytes, size_t size, uint64_t data_end,
    struct vv_parsed_index *parsed, varve_error *error)
{
    const struct vv_index_rest all = {
        .bytes = bytes, .size = size, .data_end = data_end
    };
    return vv_index_parse_rest(context, path, &all, parsed, error);
}

void vv_parsed_index_clear(
    const struct vv_context *context, struct vv_parsed_index *parsed)
{
    const varve_allocator *a = &context->allocator;
    vv_value_table_clear(&parsed->table, a);
    vv_metadata_clear(context, parsed);
    *parsed = (struct vv_parsed_index){ 0 };
}
