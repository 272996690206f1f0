/* data_in.c - Reads the header, the footer and the index, then chunks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "data_in.h"

#include <inttypes.h>

#include "allocator.h"
#include "failure.h"
#include "file.h"
#include "index_find.h"
#include "index_stream.h"
#include "layer_columns.h"
#include "layout.h"
#include "piece_table.h"
#include "try.h"
#include "worker.h"

enum {
    SMALLEST_SIZE = VV_HEADER_SIZE + VV_FOOTER_SIZE,
    MOST_OPENS = 100, /* of a file that is replaced repeatedly */
};

/* The state of the backing. */
struct own_file {
    int file;
    struct vv_index_place place;
    uint64_t most; /* size up to which columns are read completely */
    struct vv_paged_columns *far; /* NULL: all columns are in memory */
    struct vv_layers layers;      /* count 0: the data is in the file itself */
};

/* --- Header and footer ---------------------------------------------------- */

bool vv_data_in_is_ours(const void *head, size_t size)
{
    return size >= 8 && memcmp(head, VV_HEADER_MAGIC, 8) == 0;
}

static bool is_zero(const unsigned char *bytes, size_t size)
{
    while (size > 0 && bytes[size - 1] == 0)
        size--;
    return size == 0;
}

static varve_status fail_shorter(
    const struct vv_opened *o, uint64_t expected, varve_error *error)
{
    return vv_fail(error, VARVE_TRUNCATED,
        "%s: expected %s%" PRIu64 " bytes, found %" PRIu64, o->path,
        expected == SMALLEST_SIZE ? "at least " : "", expected, o->size);
}

static varve_status data_in_check_sum(const struct vv_opened *o,
    const unsigned char *bytes, size_t size, uint64_t offset,
    varve_error *error)
{
    uint64_t expected = vv_load64(bytes + size);
    uint64_t found = vv_hash_of(bytes, size);
    if (expected != found)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: bytes %" PRIu64 " to %" PRIu64 ": expected XXH3-64 %016" PRIx64
            ", found %016" PRIx64,
            o->path, offset, offset + size, expected, found);
    return VARVE_OK;
}

static varve_status data_in_read_bytes(const struct vv_opened *o,
    uint64_t offset, void *bytes, size_t size, varve_error *error)
{
    const struct own_file *own = o->state;
    return vv_file_read(
        o->context, own->file, o->path, bytes, size, offset, error);
}

/* Reads and checks the header. Magic and checksum are equal in all versions. */
static varve_status data_in_read_header(struct vv_opened *o,
    unsigned char header[VV_HEADER_SIZE], varve_error *error)
{
    size_t size = o->size < VV_HEADER_SIZE ? (size_t)o->size : VV_HEADER_SIZE;
    if (size == 0)
        return vv_fail(error, VARVE_EMPTY_FILE, "%s: empty file", o->path);
    VV_TRY(data_in_read_bytes(o, 0, header, size, error));
    if (!vv_data_in_is_ours(header, size))
        return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
            "%s: not a checkpoint, or not in a format this build reads",
            o->path);
    if (size < VV_HEADER_SIZE)
        return fail_shorter(o, SMALLEST_SIZE, error);
    VV_TRY(data_in_check_sum(o, header, 56, 0, error));
    uint32_t version = vv_load32(header + 8);
    if (version > VV_FORMAT_VERSION)
        return vv_fail(error, VARVE_TOO_NEW,
            "%s: this build reads format version %d, found version %" PRIu32,
            o->path, VV_FORMAT_VERSION, version);
    if (version != VV_FORMAT_VERSION || !is_zero(header + 12, 4) ||
        !is_zero(header + 32, 24))
        return vv_fail(error, VARVE_CORRUPT,
            "%s: header at offset 0: expected version %d and zeros, found "
            "version %" PRIu32 " or other bytes",
            o->path, VV_FORMAT_VERSION, version);
    return VARVE_OK;
}

static varve_status read_footer(struct vv_opened *o,
    unsigned char footer[VV_FOOTER_SIZE], varve_error *error)
{
    if (o->size < SMALLEST_SIZE)
        return fail_shorter(o, SMALLEST_SIZE, error);
    uint64_t at = o->size - VV_FOOTER_SIZE;
    VV_TRY(data_in_read_bytes(o, at, footer, VV_FOOTER_SIZE, error));
    /* If neither is right, these bytes are no footer: the file is truncated. If
     * one is right, the footer is damaged. */
    bool has_magic = memcmp(footer + 56, VV_FOOTER_MAGIC, 8) == 0;
    bool has_sum = vv_load64(footer + 48) == vv_hash_of(footer, 48);
    if (!has_magic && !has_sum)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: no footer at offset %" PRIu64 ": the file ends after %" PRIu64
            " bytes; it is truncated or has extra bytes",
            o->path, at, o->size);
    if (!has_magic)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: the footer at offset %" PRIu64
            " is damaged: wrong magic bytes",
            o->path, at + 56);
    VV_TRY(data_in_check_sum(o, footer, 48, at, error));
    uint64_t size = vv_load64(footer + 32);
    if (size > o->size)
        return fail_shorter(o, size, error);
    if (size < o->size)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: expected %" PRIu64 " bytes, found %" PRIu64, o->path, size,
            o->size);
    return VARVE_OK;
}

/* Reads the position of the index from the footer. */
static varve_status find_index(struct vv_opened *o, const unsigned char *footer,
    struct vv_index_place *place, varve_error *error)
{
    uint64_t offset = vv_load64(footer);
    uint64_t size = vv_load64(footer + 8);
    uint64_t end = o->size - VV_FOOTER_SIZE;
    if (offset % VV_ALIGNMENT != 0 || offset < VV_HEADER_SIZE || offset > end ||
        size != end - offset || size == 0)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: footer at offset %" PRIu64
            ": expected an index up to there, found %" PRIu64
            " bytes at offset %" PRIu64,
            o->path, end, size, offset);
    *place = (struct vv_index_place){ .offset = offset, .size = size };
    memcpy(place->digest.bytes, footer + 16, sizeof place->digest.bytes);
    return VARVE_OK;
}

/* Checks that header and footer belong to the same file. */
static varve_status check_ends(const struct vv_opened *o,
    const unsigned char *header, const unsigned char *footer,
    varve_error *error)
{
    uint64_t end = o->size - VV_FOOTER_SIZE;
    if (memcmp(header + 16, footer + 16, 16) != 0 ||
        memcmp(header + 16, footer + 40, 8) != 0)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: footer at offset %" PRIu64
            ": its nonce differs from that of the header: it belongs to "
            "another file",
            o->path, end + 40);
    return VARVE_OK;
}

/* --- Values --------------------------------------------------------------- */

static varve_status fail_digest(const char *path, const char *what,
    uint64_t offset, uint64_t size, const struct vv_digest *expected,
    const struct vv_digest *found, varve_error *error)
{
    char texts[2][33];
    vv_digest_text(expected, texts[0]);
    vv_digest_text(found, texts[1]);
    return vv_fail(error, VARVE_CORRUPT,
        "%s: %s%sbytes %" PRIu64 " to %" PRIu64
        ": expected XXH3-128 %s, found %s",
        path, what ? what : "", what ? ": " : "", offset, offset + size,
        texts[0], texts[1]);
}

static varve_status data_in_digest_at(const struct vv_opened *o,
    uint64_t number, struct vv_digest *digest, varve_error *error)
{
    const struct own_file *own = o->state;
    if (vv_is_in_file(&o->parsed.index, VV_KEY_DIGESTS))
        return vv_paged_digest(own->far, number, digest, error);
    memcpy(digest->bytes,
        o->parsed.index.digests + number * sizeof digest->bytes,
        sizeof digest->bytes);
    return VARVE_OK;
}

/* Reads data of the file or of its layers. */
static varve_status read_data(const struct vv_opened *o, uint64_t offset,
    void *bytes, size_t size, varve_error *error)
{
    const struct own_file *own = o->state;
    if (own->layers.count == 0)
        return data_in_read_bytes(o, offset, bytes, size, error);
    return vv_layers_read(
        &own->layers, o->context, &o->parsed.index, offset, bytes, size, error);
}

static void data_in_plan(const struct vv_opened *o, const void *owner,
    uint64_t offset, uint64_t size)
{
    const struct own_file *own = o->state;
    vv_layers_plan(&own->layers, o->context, &o->parsed.index, own->file, owner,
        offset, size);
}

static void rest(const struct vv_opened *o)
{
    const struct own_file *own = o->state;
    vv_layers_rest(&own->layers);
}

/* Returns the path of the file that contains a range of the data, and sets
 * *offset and *file; the path of the checkpoint if several files contain it. */
static const char *data_in_find_range(
    const struct vv_opened *o, uint64_t *offset, uint64_t size, int *file)
{
    const struct own_file *own = o->state;
    *file = own->file;
    if (own->layers.count == 0)
        return o->path;
    const struct vv_layer *layer =
        vv_layers_find(&own->layers, &o->parsed.index, *offset, size, offset);
    *file = layer ? layer->file : -1;
    return layer ? layer->path : o->path;
}

static varve_status data_in_check_chunk(const struct vv_opened *o,
    uint32_t value, uint64_t chunk, const void *bytes, const char *what,
    varve_error *error)
{
    const struct vv_index *index = &o->parsed.index;
    uint64_t first = vv_first_digest(index, &o->parsed.table, value), offset;
    size_t size = vv_opened_chunk_size(o, value, chunk);
    struct vv_digest expected;
    VV_TRY(data_in_digest_at(o, first + chunk, &expected, error));
    struct vv_digest found = vv_page_sums_find(index, first + chunk)
                                 ? vv_page_sums_of_chunk(bytes)
                                 : vv_digest_of(bytes, size);
    if (vv_digest_equal(&expected, &found))
        return VARVE_OK;
    int file;
    vv_opened_chunk(o, value, chunk, &offset, &size);
    const char *path = data_in_find_range(o, &offset, size, &file);
    return fail_digest(path, what, offset, size, &expected, &found, error);
}

static bool data_in_locate(
    const struct vv_opened *o, uint32_t value, int *file, uint64_t *offset)
{
    const struct vv_index *index = &o->parsed.index;
    *offset = vv_at64(index->value_offsets, value);
    data_in_find_range(o, offset, vv_at64(index->value_sizes, value), file);
    return *file >= 0;
}

static const char *data_in_place_of(
    const struct vv_opened *o, uint32_t value, uint64_t *offset)
{
    const struct vv_index *index = &o->parsed.index;
    int file;
    *offset = vv_at64(index->value_offsets, value);
    const char *path = data_in_find_range(
        o, offset, vv_at64(index->value_sizes, value), &file);
    return file >= 0 ? path : NULL;
}

static struct vv_digest data_in_digest_of(
    const struct vv_opened *o, uint32_t value)
{
    const struct vv_index *index = &o->parsed.index;
    uint64_t first = vv_first_digest(index, &o->parsed.table, value);
    uint64_t count = vv_value_chunks(index, &o->parsed.table, value);
    const struct own_file *own = o->state;
    struct vv_digest only = { { 0 } };
    if (vv_page_sums_any(index, first, count))
        return only;
    if (count == 1 && data_in_digest_at(o, first, &only, NULL))
        return (struct vv_digest){ { 0 } };
    if (count == 1)
        return only;
    if (vv_is_in_file(index, VV_KEY_DIGESTS))
        return vv_paged_digest_of(own->far, first, count);
    return vv_digest_of(index->digests + first * sizeof(struct vv_digest),
        (size_t)count * sizeof(struct vv_digest));
}

static void data_in_close_file(struct vv_opened *o)
{
    struct own_file *own = o->state;
    vv_layers_close(&own->layers, o->context);
    vv_paged_columns_free(own->far);
    vv_file_close(o->context, own->file);
    vv_release(&o->context->allocator, own, sizeof *own);
}

const struct vv_layers *vv_data_in_layers(const struct vv_opened *o)
{
    const struct own_file *own = o->state;
    return &own->layers;
}

const struct vv_index_place *vv_data_in_place(const struct vv_opened *o)
{
    const struct own_file *own = o->state;
    return &own->place;
}

static const struct vv_backing own_backing = {
    .read = read_data,
    .check = data_in_check_chunk,
    .locate = data_in_locate,
    .place = data_in_place_of,
    .plan = data_in_plan,
    .digest = data_in_digest_of,
    .rest = rest,
    .close = data_in_close_file,
};

/* --- Opening -------------------------------------------------------------- */

/* An index that is parsed while its checksum is computed. */
struct indexing {
    struct vv_opened *opened;
    struct vv_digest found;
    varve_status status; /* result of parsing */
    varve_error error;
};

static void index_part(void *user, size_t part)
{
    struct indexing *i = user;
    struct vv_opened *o = i->opened;
    if (part == 0)
        i->status = vv_opened_parse(o, &i->error);
    else
        i->found = vv_digest_of(o->index_bytes, o->index_size);
}

/* Uses the parsed index, or the error, only if the digest is right. */
static varve_status use_index(
    struct vv_opened *o, const struct vv_digest *expected, varve_error *error)
{
    struct indexing i = { .opened = o };
    vv_run_parts(o->context, o->index_size, 2, index_part, &i);
    if (!vv_digest_equal(expected, &i.found)) {
        vv_parsed_index_clear(o->context, &o->parsed);
        return fail_digest(o->path, "index", o->data_end, o->index_size,
            expected, &i.found, error);
    }
    if (i.status && error)
        *error = i.error;
    return i.status;
}

/* Reads the index without large columns; false if it has none or on failure. */
static bool read_index_but_for_much(
    struct vv_opened *o, const struct vv_index_place *place)
{
    struct own_file *own = o->state;
    struct vv_index_broadcast sent;
    const struct vv_index_stream reading = { .context = o->context,
        .path = o->path,
        .file = own->file,
        .place = *place,
        .most = own->most };
    if (place->size <= own->most || !vv_index_broadcast_read(&sent, &reading))
        return false;
    bool good = !vv_index_broadcast_use(&sent, o, &own->far, own->file, NULL);
    vv_index_broadcast_clear(&sent);
    if (!good) {
        vv_paged_columns_free(own->far);
        own->far = NULL;
    }
    return good;
}

static varve_status data_in_read_index(
    struct vv_opened *o, const struct vv_index_place *place, varve_error *error)
{
    if (place->size > SIZE_MAX)
        return vv_fail(error, VARVE_LIMIT,
            "%s: the index does not fit in memory: %" PRIu64 " bytes", o->path,
            place->size);
    struct own_file *own = o->state;
    o->data_end = place->offset;
    own->place = *place;
    if (read_index_but_for_much(o, place))
        return VARVE_OK;
    VV_TRY(vv_opened_reserve(o, (size_t)place->size, error));
    VV_TRY(vv_file_read_much(o->context, own->file, o->path, o->index_bytes,
        o->index_size, o->data_end, error));
    return use_index(o, &place->digest, error);
}

static varve_status data_in_open_file(
    struct vv_opened *o, uint64_t most, varve_error *error)
{
    struct own_file *own =
        vv_allocate_zeroed(&o->context->allocator, sizeof *own);
    if (!own)
        return vv_fail_memory(error, "a checkpoint");
    own->file = -1;
    own->most = most;
    o->backing = &own_backing;
    o->state = own;
    return vv_file_open(o->context, o->path, &own->file, &o->size, error);
}

static varve_status read_structure(struct vv_opened *o, varve_error *error)
{
    unsigned char header[VV_HEADER_SIZE], footer[VV_FOOTER_SIZE];
    struct vv_index_place place;
    VV_TRY(data_in_read_header(o, header, error));
    VV_TRY(read_footer(o, footer, error));
    VV_TRY(check_ends(o, header, footer, error));
    VV_TRY(find_index(o, footer, &place, error));
    return data_in_read_index(o, &place, error);
}

/* --- Salvage -------------------------------------------------------------- */

/* Returns true if the status means that the file is damaged. */
static bool is_damage(varve_status status)
{
    return status == VARVE_CORRUPT || status == VARVE_TRUNCATED ||
           status == VARVE_IO || status == VARVE_NOT_A_CHECKPOINT;
}

static varve_status read_by_footer(struct vv_opened *o, varve_error *error)
{
    unsigned char footer[VV_FOOTER_SIZE];
    struct vv_index_place place;
    VV_TRY(read_footer(o, footer, error));
    VV_TRY(find_index(o, footer, &place, error));
    return data_in_read_index(o, &place, error);
}

static varve_status read_by_header(struct vv_opened *o, varve_error *error)
{
    const struct own_file *own = o->state;
    unsigned char header[VV_HEADER_SIZE];
    struct vv_index_place place;
    VV_TRY(data_in_read_header(o, header, error));
    memcpy(place.digest.bytes, header + 16, sizeof place.digest.bytes);
    VV_TRY(vv_index_find(o->context, own->file, o->size, &place, error));
    return place.size ? data_in_read_index(o, &place, error) : VARVE_CORRUPT;
}

/* Reads the index of a damaged file. Header and footer both contain its digest;
 * one intact copy is sufficient, and an index without either is not used. */
static varve_status salvage_structure(struct vv_opened *o, varve_error *error)
{
    varve_error reason = { 0 }, other = { 0 };
    varve_status status = read_structure(o, &reason);
    if (is_damage(status))
        status = read_by_footer(o, &other);
    if (is_damage(status))
        status = read_by_header(o, &other);
    if (status && error)
        *error = is_damage(status) || !other.status ? reason : other;
    return is_damage(status) ? reason.status : status;
}

/* --- Opening -------------------------------------------------------------- */

static varve_status open_layers(struct vv_opened *o, varve_error *error)
{
    struct own_file *own = o->state;
    const struct vv_index *index = &o->parsed.index;
    if (index->layer_count == 0)
        return VARVE_OK;
    o->data_end = o->parsed.data_end;
    VV_TRY(vv_layers_open(
        &own->layers, o->context, o->path, own->file, index, error));
    for (uint32_t i = 0; !vv_layer_is_inside(index) && i < index->layer_count;
         i++)
        o->size += vv_at64(index->layer_sizes, i);
    return VARVE_OK;
}

/* Returns true if the path refers to another file now, or to none. */
static bool is_replaced(const struct vv_opened *o)
{
    const struct own_file *own = o->state;
    struct vv_file_info ours, now;
    if (vv_file_info(o->context, own->file, o->path, &ours, NULL))
        return false;
    varve_status status = vv_file_look(o->context, o->path, &now, NULL);
    return status == VARVE_NOT_FOUND ||
           (!status &&
               (now.device != ours.device || now.serial != ours.serial));
}

/* Sets *again if the file was replaced, and perhaps its layers deleted. */
static varve_status data_in_open_with(struct vv_opened *o,
    const struct vv_context *context, const char *path, bool with_layers,
    uint64_t most, const struct vv_index *like, bool *again, varve_error *error)
{
    varve_status status = vv_opened_begin(o, context, path, error);
    o->like = like;
    if (!status)
        status = data_in_open_file(o, most, error);
    if (!status)
        status = with_layers && context->salvages ? salvage_structure(o, error)
                                                  : read_structure(o, error);
    *again = false;
    if (!status && with_layers) {
        const struct own_file *own = o->state;
        status = open_layers(o, error);
        *again = (status || own->layers.lost) && is_replaced(o);
    }
    if (status)
        vv_opened_close(o);
    return status;
}

static varve_status open_as(struct vv_opened *o,
    const struct vv_context *context, const char *path, bool with_layers,
    uint64_t most, const struct vv_index *like, varve_error *error)
{
    varve_status status = VARVE_OK;
    bool again = true;
    *o = (struct vv_opened){ 0 };
    for (int i = 0; i < MOST_OPENS && again; i++) {
        vv_opened_close(o);
        status = data_in_open_with(
            o, context, path, with_layers, most, like, &again, error);
    }
    return status;
}

varve_status vv_data_in_open_like(struct vv_opened *o,
    const struct vv_context *context, const char *path,
    const struct vv_index *like, varve_error *error)
{
    return open_as(o, context, path, true, UINT64_MAX, like, error);
}

varve_status vv_data_in_open_far(struct vv_opened *o,
    const struct vv_context *context, const char *path, uint64_t most,
    varve_error *error)
{
    return open_as(o, context, path, true, most, NULL, error);
}

varve_status vv_data_in_open_index(struct vv_opened *o,
    const struct vv_context *context, const char *path, varve_error *error)
{
    return open_as(o, context, path, false, VV_MOST_TOLD, NULL, error);
}

/* --- Broadcast indices ---------------------------------------------------- */

static varve_status use_broadcast(
    struct vv_opened *o, struct vv_index_broadcast *sent, varve_error *error)
{
    const struct vv_index_place *place = &sent->place;
    const struct vv_digest found = vv_index_broadcast_digest(sent);
    unsigned char header[VV_HEADER_SIZE];
    VV_TRY(data_in_open_file(o, UINT64_MAX, error));
    VV_TRY(data_in_read_header(o, header, error));
    if (memcmp(header + 16, place->digest.bytes, 16) != 0)
        return vv_fail(error, VARVE_MISMATCH,
            "%s: the file differs from the checkpoint that rank 0 has open: it "
            "may have been replaced",
            o->path);
    if (!vv_digest_equal(&sent->digest, &found))
        return fail_digest(o->path, "index, as broadcast", place->offset,
            place->size, &sent->digest, &found, error);
    struct own_file *own = o->state;
    own->place = *place;
    o->data_end = place->offset;
    return vv_index_broadcast_use(sent, o, &own->far, own->file, error);
}

varve_status vv_data_in_open_broadcast(
    struct vv_opened *o, struct vv_index_broadcast *sent, varve_error *error)
{
    varve_status status = use_broadcast(o, sent, error);
    if (!status)
        status = open_layers(o, error);
    if (status)
        vv_opened_close(o);
    return status;
}
