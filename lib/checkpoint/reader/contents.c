/* contents.c - Reads all values in the order of the file, in parallel, and
 * computes a digest of a checkpoint.
 *
 * Values are read in batches. A batch is as many values as fit into one buffer,
 * or a single larger one. Workers read chunks of the batch. Then the program
 * receives the values in order.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/reader.h>

#include <stdlib.h>
#include <string.h>

#include "allocator.h"
#include "box.h"
#include "range_reading.h"
#include "bytes.h"
#include "failure.h"
#include "layout.h"
#include "piece_table.h"
#include "reader.h"
#include "reader_names.h"
#include "try.h"
#include "worker.h"

enum {
    BATCH_SIZE = 16 << 20,
    BYTES_PER_WORKER = 2 << 20, /* fewer are not worth another thread */
    BUFFER_ALIGNMENT = 64,
};

/* A value and its position. */
struct item {
    uint32_t value;
    const char *file; /* NULL: it must be decoded as a whole */
    uint64_t offset;
    size_t place; /* offset in the buffer */
};

/* A work item: a chunk, or a complete value that must be decoded. */
struct piece {
    size_t item;
    uint64_t chunk;
};

struct sweep {
    varve_reader *reader;
    struct item *items;
    size_t item_count;
    unsigned threads;
    unsigned char *bytes; /* the buffer of a batch */
    size_t room;
    struct vv_buffer pieces;
    atomic_size_t next;
    atomic_int has_failed; /* the thread that sets it also sets `status` and
                              `error` */
    varve_status status;
    varve_error error;
};

static const struct vv_index *contents_index_of(const varve_reader *reader)
{
    return &reader->file.parsed.index;
}

static uint64_t contents_size_of(const struct sweep *s, size_t item)
{
    return vv_at64(
        contents_index_of(s->reader)->value_sizes, s->items[item].value);
}

/* --- The order of the file ------------------------------------------------ */

/* Sorts by file and offset. Values that must be decoded come last. */
static int contents_by_place(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    if (!a->file != !b->file)
        return a->file ? -1 : 1;
    int order = a->file ? strcmp(a->file, b->file) : 0;
    if (order)
        return order;
    if (a->file && a->offset != b->offset)
        return a->offset < b->offset ? -1 : 1;
    return (a->value > b->value) - (a->value < b->value);
}

static varve_status list_items(struct sweep *s, varve_error *error)
{
    const struct vv_index *index = contents_index_of(s->reader);
    s->items = vv_allocate_array(
        &s->reader->context.allocator, index->value_count, sizeof *s->items);
    if (!s->items)
        return vv_fail_memory(error, "the values of a checkpoint");
    for (uint32_t value = 0; value < index->value_count; value++) {
        struct item item = { .value = value };
        if (!vv_index_is_saved(index, value))
            continue;
        item.file = vv_opened_place(&s->reader->file, value, &item.offset);
        s->items[s->item_count++] = item;
    }
    qsort(s->items, s->item_count, sizeof *s->items, contents_by_place);
    return VARVE_OK;
}

/* --- Workers -------------------------------------------------------------- */

static void contents_fail(
    struct sweep *s, varve_status status, const varve_error *error)
{
    if (atomic_exchange(&s->has_failed, 1) == 0) {
        s->status = status;
        s->error = *error;
    }
}

static varve_status contents_check_chunk(const struct sweep *s, size_t item,
    uint64_t chunk, const unsigned char *bytes, varve_error *error)
{
    uint32_t value = s->items[item].value;
    uint32_t node = vv_at32(contents_index_of(s->reader)->value_nodes, value);
    return vv_opened_check(&s->reader->file, value, chunk, bytes,
        vv_reader_node_path(s->reader, node), error);
}

/* Checks a complete value, whose checksum was verified when it was decoded. */
static varve_status check_decoded(const struct sweep *s, size_t item,
    const unsigned char *bytes, varve_error *error)
{
    uint32_t value = s->items[item].value;
    uint32_t node = vv_at32(contents_index_of(s->reader)->value_nodes, value);
    uint64_t chunks = vv_chunk_count(contents_size_of(s, item));
    for (uint64_t c = 0; c < chunks; c++, bytes += VV_CHUNK_SIZE)
        VV_TRY(vv_opened_check_bools(&s->reader->file, value, c, bytes,
            vv_reader_node_path(s->reader, node), error));
    return VARVE_OK;
}

/* Returns true for a value of another format that is not stored contiguously.
 */
static bool is_made_whole(const struct sweep *s, const struct item *item)
{
    return !item->file && !vv_opened_has_digests(&s->reader->file);
}

/* Reads a chunk of a value that is stored in several pieces. */
static varve_status contents_read_part(
    const struct sweep *s, const struct piece *piece, varve_error *error)
{
    const struct item *item = &s->items[piece->item];
    const struct vv_parsed_index *parsed = &s->reader->file.parsed;
    varve_tensor saved =
        vv_index_tensor(&parsed->index, &parsed->table, item->value);
    struct vv_chunk_part part;
    struct vv_box_reading b = {
        .reader = s->reader,
        .node = vv_at32(parsed->index.value_nodes, item->value),
        .value = item->value,
        .box = vv_box_whole(&saved),
        .to = s->bytes + item->place,
    };
    vv_part_of_chunk(parsed, item->value, piece->chunk, &part);
    varve_status status = vv_box_read_part(&b, &part, error);
    vv_box_reading_clear(&b);
    return status;
}

static varve_status contents_read_piece(
    const struct sweep *s, const struct piece *piece, varve_error *error)
{
    const struct item *item = &s->items[piece->item];
    const struct vv_opened *file = &s->reader->file;
    if (vv_piece_count(contents_index_of(s->reader), item->value) > 1)
        return contents_read_part(s, piece, error);
    unsigned char *to = s->bytes + item->place + piece->chunk * VV_CHUNK_SIZE;
    uint64_t offset;
    size_t size;
    vv_opened_chunk(file, item->value, piece->chunk, &offset, &size);
    bool is_decoded = is_made_whole(s, item);
    if (is_decoded)
        size = (size_t)contents_size_of(s, piece->item);
    VV_TRY(vv_opened_read(file, offset, to, size, error));
    return is_decoded
               ? check_decoded(s, piece->item, to, error)
               : contents_check_chunk(s, piece->item, piece->chunk, to, error);
}

static void contents_work(void *user, unsigned worker)
{
    struct sweep *s = user;
    const struct piece *pieces = (void *)s->pieces.data;
    size_t count = s->pieces.size / sizeof *pieces;
    size_t at;
    (void)worker;
    while (!s->has_failed && (at = atomic_fetch_add(&s->next, 1)) < count) {
        varve_error error = { 0 };
        varve_status status = contents_read_piece(s, &pieces[at], &error);
        if (status)
            contents_fail(s, status, &error);
    }
}

/* --- A batch -------------------------------------------------------------- */

/* Sets the offsets of the values from `first` on that are read together.
 * Returns the end of the batch. */
static size_t contents_gather(struct sweep *s, size_t first, uint64_t *used)
{
    size_t next = first;
    *used = 0;
    for (; next < s->item_count; next++) {
        uint64_t begin = (*used + BUFFER_ALIGNMENT - 1) / BUFFER_ALIGNMENT *
                         BUFFER_ALIGNMENT;
        uint64_t size = contents_size_of(s, next);
        if (next > first && (size > BATCH_SIZE || begin + size > BATCH_SIZE))
            break;
        s->items[next].place = (size_t)begin;
        *used = begin + size;
    }
    return next;
}

static varve_status contents_reserve(
    struct sweep *s, uint64_t size, varve_error *error)
{
    const varve_allocator *a = &s->reader->context.allocator;
    if (s->bytes && size <= s->room)
        return VARVE_OK;
    vv_release_aligned(a, s->bytes, s->room, BUFFER_ALIGNMENT);
    s->room = (size_t)(size > 0 ? size : 1);
    s->bytes = size > SIZE_MAX
                   ? NULL
                   : vv_allocate_aligned(a, s->room, BUFFER_ALIGNMENT);
    return s->bytes ? VARVE_OK : vv_fail_memory(error, "a batch of values");
}

static void contents_run(struct sweep *s, uint64_t size)
{
    const struct vv_context *context = &s->reader->context;
    unsigned workers =
        vv_worker_count_for(context, s->threads, 1 + size / BYTES_PER_WORKER);
    s->next = 0;
    vv_run_workers(context, workers, contents_work, s);
}

static varve_status read_batch(struct sweep *s, size_t first, size_t end,
    uint64_t size, varve_error *error)
{
    s->pieces.size = 0;
    for (size_t i = first; i < end; i++) {
        uint64_t chunks = vv_value_chunks(contents_index_of(s->reader),
            &s->reader->file.parsed.table, s->items[i].value);
        if (is_made_whole(s, &s->items[i]) && chunks > 1)
            chunks = 1;
        for (uint64_t c = 0; c < chunks; c++)
            vv_buffer_add(
                &s->pieces, &(struct piece){ i, c }, sizeof(struct piece));
    }
    if (s->pieces.failed)
        return vv_fail_memory(error, "a batch of values");
    contents_run(s, size);
    if (s->has_failed && error)
        *error = s->error;
    return s->has_failed ? s->status : VARVE_OK;
}

/* Announces all reads to a system that prefetches. */
static void contents_plan(const struct sweep *s)
{
    const struct vv_index *index = contents_index_of(s->reader);
    for (size_t i = 0; i < s->item_count; i++) {
        if (vv_piece_count(index, s->items[i].value) <= 1)
            vv_opened_plan(&s->reader->file, s,
                vv_at64(index->value_offsets, s->items[i].value),
                contents_size_of(s, i));
    }
}

static varve_status contents_give(const struct sweep *s, size_t item,
    varve_on_value *on_value, void *user, varve_error *error)
{
    varve_saved_node node;
    varve_error own = { 0 };
    varve_reader_node_at(s->reader,
        vv_at32(
            contents_index_of(s->reader)->value_nodes, s->items[item].value),
        &node);
    varve_status status =
        on_value(user, &node, s->bytes + s->items[item].place, &own);
    if (!status)
        return VARVE_OK;
    if (!own.status)
        return vv_fail(error, VARVE_CALLBACK,
            "%s: %s: the callback returned %s", s->reader->file.path, node.path,
            varve_status_name(status));
    if (error)
        *error = own;
    return own.status;
}

varve_status varve_reader_each(varve_reader *reader, varve_on_value *on_value,
    void *user, unsigned threads, varve_error *error)
{
    if (!reader || !on_value)
        return vv_fail(error, VARVE_MISUSE, "reader or callback is NULL");
    const varve_allocator *a = &reader->context.allocator;
    struct sweep s = { .reader = reader, .threads = threads };
    vv_buffer_init(&s.pieces, a);
    varve_status status = contents_index_of(reader)->value_count > 0
                              ? list_items(&s, error)
                              : VARVE_OK;
    if (!status)
        contents_plan(&s);
    /* Each batch is read by all threads. Then this thread passes its values on
     * in order. */
    for (size_t first = 0, end; !status && first < s.item_count; first = end) {
        uint64_t used;
        end = contents_gather(&s, first, &used);
        if ((status = contents_reserve(&s, used, error)) ||
            (status = read_batch(&s, first, end, used, error)))
            break;
        for (size_t i = first; i < end && !status; i++)
            status = contents_give(&s, i, on_value, user, error);
    }
    vv_opened_drop_plan(&reader->file, &s);
    vv_release_aligned(a, s.bytes, s.bytes ? s.room : 0, BUFFER_ALIGNMENT);
    vv_buffer_clear(&s.pieces);
    vv_release(
        a, s.items, contents_index_of(reader)->value_count * sizeof *s.items);
    return status;
}

/* --- The digest ----------------------------------------------------------- */

/* One record for each value, and the digests of all records, sorted. */
struct summing {
    varve_reader *reader;
    struct vv_buffer record;
    struct vv_buffer digests;
};

static varve_status contents_add_record(struct summing *s,
    const varve_saved_node *node, struct vv_digest digest, varve_error *error)
{
    struct vv_buffer *r = &s->record;
    const varve_tensor *t = &node->value;
    const char *type =
        node->kind == VARVE_STATE ? "state" : varve_dtype_name(t->dtype);
    vv_saved_path(&s->reader->paths, node->id, r);
    vv_buffer_add8(r, 0);
    vv_buffer_add(r, type, strlen(type) + 1);
    vv_buffer_add64(r, t->rank);
    for (uint32_t i = 0; i < t->rank; i++)
        vv_buffer_add64(r, t->shape[i]);
    for (uint32_t i = 0; node->part && i < t->rank; i++)
        vv_buffer_add64(r, node->part->shape.extents[i]);
    for (uint32_t i = 0; node->part && i < t->rank; i++)
        vv_buffer_add64(r, node->part->start[i]);
    vv_buffer_add(r, digest.bytes, sizeof digest.bytes);
    if (!r->failed) {
        struct vv_digest of = vv_digest_of(r->data, r->size);
        vv_buffer_add(&s->digests, of.bytes, sizeof of.bytes);
    }
    return r->failed || s->digests.failed
               ? vv_fail_memory(error, "the digest of a checkpoint")
               : VARVE_OK;
}

/* Computes the digest that the value would have in a Varve file. */
static varve_status sum_value(void *user, const varve_saved_node *node,
    const void *bytes, varve_error *error)
{
    struct summing *s = user;
    uint64_t chunks = vv_chunk_count(node->size);
    if (chunks == 1)
        return contents_add_record(
            s, node, vv_digest_of(bytes, (size_t)node->size), error);
    s->record.size = 0;
    for (uint64_t c = 0; c < chunks; c++) {
        uint64_t left = node->size - c * VV_CHUNK_SIZE;
        struct vv_digest digest =
            vv_digest_of((const unsigned char *)bytes + c * VV_CHUNK_SIZE,
                left < VV_CHUNK_SIZE ? (size_t)left : VV_CHUNK_SIZE);
        vv_buffer_add(&s->record, digest.bytes, sizeof digest.bytes);
    }
    if (s->record.failed)
        return vv_fail_memory(error, "the digest of a checkpoint");
    return contents_add_record(
        s, node, vv_digest_of(s->record.data, s->record.size), error);
}

/* Reads a value without a digest in the index. */
static varve_status sum_bytes(
    struct summing *s, const varve_saved_node *node, varve_error *error)
{
    const varve_allocator *a = &s->reader->context.allocator;
    void *bytes = vv_allocate(a, (size_t)node->size);
    if (!bytes)
        return vv_fail_memory(error, "a value");
    varve_status status = varve_reader_read(
        s->reader, node->id, bytes, (size_t)node->size, error);
    if (!status)
        status = sum_value(s, node, bytes, error);
    vv_release(a, bytes, (size_t)node->size);
    return status;
}

static varve_status sum_ours(struct summing *s, varve_error *error)
{
    static const struct vv_digest none;
    varve_saved_node node;
    for (size_t i = 0; varve_reader_node_at(s->reader, i, &node); i++) {
        struct vv_digest digest;
        memcpy(digest.bytes, node.digest, sizeof digest.bytes);
        if (node.has_value)
            VV_TRY(vv_digest_equal(&digest, &none)
                       ? sum_bytes(s, &node, error)
                       : contents_add_record(s, &node, digest, error));
    }
    return VARVE_OK;
}

static int contents_compare(const void *a, const void *b)
{
    return memcmp(a, b, sizeof(struct vv_digest));
}

varve_status varve_reader_digest(
    varve_reader *reader, uint8_t digest[16], varve_error *error)
{
    if (!reader || !digest)
        return vv_fail(error, VARVE_MISUSE, "reader or digest is NULL");
    const varve_allocator *a = &reader->context.allocator;
    struct summing s = { .reader = reader };
    vv_buffer_init(&s.record, a);
    vv_buffer_init(&s.digests, a);
    varve_status status =
        vv_opened_has_digests(&reader->file)
            ? sum_ours(&s, error)
            : varve_reader_each(reader, sum_value, &s, 0, error);
    if (!status) {
        /* Sorting makes the result independent of the order of the values in
         * the file. */
        size_t count = s.digests.size / sizeof(struct vv_digest);
        if (count > 0)
            qsort(s.digests.data, count, sizeof(struct vv_digest),
                contents_compare);
        struct vv_digest all = vv_digest_of(
            count ? (const void *)s.digests.data : "", s.digests.size);
        memcpy(digest, all.bytes, sizeof all.bytes);
    }
    vv_buffer_clear(&s.record);
    vv_buffer_clear(&s.digests);
    return status;
}
