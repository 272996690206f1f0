/* npz_in.c - Reads the directory of an npz file and the header of each array,
 * or a single npy file.
 *
 * SPDX-License-Identifier: MIT
 */
#include "npz_in.h"

#include <string.h>

#include "allocator.h"
#include "crc.h"
#include "failure.h"
#include "foreign_values.h"
#include "name.h"
#include "npy_decode.h"
#include "npy_in.h"
#include "npy_kept.h"
#include "try.h"
#include "zip_in.h"
#include "zip_stream.h"

/* --- Single arrays -------------------------------------------------------- */

/* Reads an npy file: its header, exact size and single value. */

#define NAME "arr_0"

/* The state of an open file. */
struct npy {
    struct vv_npy_header header;
    uint64_t data_offset;
};

static enum vv_probe_result npy_format_probe(
    const struct vv_candidate *candidate)
{
    size_t size = strlen(candidate->path);
    if (vv_npy_is_one(candidate->head, candidate->head_size))
        return VV_PROBE_SURE;
    return size > 4 && strcmp(candidate->path + size - 4, ".npy") == 0
               ? VV_PROBE_NAME
               : VV_PROBE_NONE;
}

/* --- Bytes ---------------------------------------------------------------- */

struct npy_reading {
    const struct vv_foreign *foreign;
    uint64_t offset;
};

static varve_status npy_format_begin(void *user, varve_error *error)
{
    struct npy_reading *r = user;
    const struct npy *npy = r->foreign->state;
    (void)error;
    r->offset = npy->data_offset;
    return VARVE_OK;
}

static varve_status npy_format_read_on(
    void *user, void *bytes, size_t size, varve_error *error)
{
    struct npy_reading *r = user;
    VV_TRY(vv_foreign_read(r->foreign, 0, bytes, size, r->offset, error));
    r->offset += size;
    return VARVE_OK;
}

static varve_status npy_format_end(
    void *user, varve_status status, varve_error *error)
{
    (void)user;
    (void)error;
    return status;
}

static struct vv_npy_data npy_format_data_of(struct npy_reading *r)
{
    return (struct vv_npy_data){ .user = r,
        .begin = npy_format_begin,
        .read = npy_format_read_on,
        .end = npy_format_end };
}

static varve_status npy_format_decode(const struct vv_foreign *foreign,
    uint64_t number, unsigned char *bytes, size_t size, varve_error *error)
{
    const struct npy *npy = foreign->state;
    struct npy_reading reading = { .foreign = foreign };
    struct vv_npy_data data = npy_format_data_of(&reading);
    (void)number;
    return vv_npy_decode(
        &npy->header, &data, foreign->files[0].path, bytes, size, error);
}

/* --- Opening -------------------------------------------------------------- */

static void npy_format_free_state(struct vv_foreign *foreign)
{
    vv_release(
        &foreign->context->allocator, foreign->state, sizeof(struct npy));
    foreign->state = NULL;
}

static varve_status npy_format_read_header(const struct vv_foreign *foreign,
    struct vv_buffer *text, varve_error *error)
{
    const struct vv_foreign_file *file = &foreign->files[0];
    struct npy *npy = foreign->state;
    unsigned char head[VV_NPY_BEGIN];
    if (file->size < VV_NPY_BEGIN)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: the file ends within the header of a NumPy array", file->path);
    VV_TRY(vv_foreign_read(foreign, 0, head, sizeof head, 0, error));
    VV_TRY(vv_npy_measure(head, file->path, &npy->data_offset, error));
    if (npy->data_offset > file->size)
        return vv_fail(error, VARVE_TRUNCATED,
            "%s: the file ends within the header, which has %zu bytes",
            file->path, (size_t)npy->data_offset);
    void *bytes = vv_buffer_extend(text, (size_t)npy->data_offset);
    if (!bytes)
        return vv_fail_memory(error, "the header of an array");
    VV_TRY(vv_foreign_read(foreign, 0, bytes, text->size, 0, error));
    VV_TRY(
        vv_npy_parse(&npy->header, text->data, text->size, file->path, error));
    return vv_npy_take_size(
        &npy->header, file->size - npy->data_offset, file->path, error);
}

static varve_status npy_format_add_array(const struct vv_foreign *foreign,
    struct vv_draft *draft, varve_error *error)
{
    const struct npy *npy = foreign->state;
    const struct vv_npy_header *h = &npy->header;
    struct vv_npy_item item = {
        .name = NAME,
        .name_size = strlen(NAME),
        .place = { .file = 0, .offset = npy->data_offset },
    };
    struct npy_reading reading = { .foreign = foreign };
    struct vv_npy_data data = npy_format_data_of(&reading);
    if (!vv_npy_is_plain(h))
        item.place = (struct vv_place){ .file = VV_DECODED };
    if (h->type.dtype == VARVE_STRING)
        VV_TRY(vv_npy_strings_size(
            h, &data, foreign->files[0].path, &item.strings_size, error));
    vv_npy_add(draft, h, &item);
    return VARVE_OK;
}

static varve_status npy_format_open_source(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    const varve_allocator *a = &foreign->context->allocator;
    struct vv_buffer text;
    foreign->state = vv_allocate_zeroed(a, sizeof(struct npy));
    if (!foreign->state)
        return vv_fail_memory(error, "a NumPy array");
    foreign->free = npy_format_free_state;
    foreign->decode = npy_format_decode;
    vv_buffer_init(&text, a);
    varve_status status = npy_format_read_header(foreign, &text, error);
    if (!status)
        status = npy_format_add_array(foreign, draft, error);
    vv_buffer_clear(&text); /* the type as text is not used after this */
    return status;
}

const struct vv_foreign_format vv_npy_format = { .format = VARVE_FORMAT_NPY,
    .probe = npy_format_probe,
    .open = npy_format_open_source };

/* --- Archives ------------------------------------------------------------- */

/* Reads the directory of an npz file and the header of each array; decodes
 * values that cannot be read in place. */

#define SUFFIX ".npy"

enum {
    SUFFIX_SIZE = sizeof SUFFIX - 1,
    /* A deflated header can be larger than the file. NumPy rejects longer ones,
     * too. */
    LONGEST_INFLATED = 10000,
};

/* A value that must be decoded. */
struct made {
    struct vv_npy_header header;
    size_t entry;
    uint64_t data_offset; /* in the decompressed entry */
};

struct npz {
    struct vv_zip zip;
    struct made *made;
    size_t made_count, made_capacity;
};

static enum vv_probe_result npz_in_probe(const struct vv_candidate *candidate)
{
    const unsigned char *head = candidate->head;
    bool is_zip =
        candidate->head_size >= 4 && (memcmp(head, VV_ZIP_ENTRY_MARK, 4) == 0 ||
                                         memcmp(head, VV_ZIP_END_MARK, 4) == 0);
    bool is_npz =
        vv_text_ends_in(candidate->path, strlen(candidate->path), ".npz");
    if (is_zip)
        return is_npz ? VV_PROBE_SURE : VV_PROBE_LIKELY;
    return is_npz ? VV_PROBE_NAME : VV_PROBE_NONE;
}

/* --- The bytes of an array ------------------------------------------------ */

struct reading {
    const struct vv_zip *zip;
    const struct vv_zip_entry *entry;
    uint64_t data_offset;
    const char *where;
    struct vv_zip_stream stream;
};

/* The header is read again because the checksum includes it. */
static varve_status skip_header(struct reading *r, varve_error *error)
{
    unsigned char piece[512];
    for (uint64_t left = r->data_offset; left > 0;) {
        size_t size = left < sizeof piece ? (size_t)left : sizeof piece;
        VV_TRY(vv_zip_stream_read(&r->stream, piece, size, error));
        left -= size;
    }
    return VARVE_OK;
}

static varve_status npz_in_begin(void *user, varve_error *error)
{
    struct reading *r = user;
    VV_TRY(vv_zip_stream_begin(&r->stream, r->zip, r->entry, r->where, error));
    varve_status status = skip_header(r, error);
    return status ? vv_zip_stream_end(&r->stream, status, error) : VARVE_OK;
}

static varve_status npz_in_read_on(
    void *user, void *bytes, size_t size, varve_error *error)
{
    struct reading *r = user;
    return vv_zip_stream_read(&r->stream, bytes, size, error);
}

static varve_status npz_in_end(
    void *user, varve_status status, varve_error *error)
{
    struct reading *r = user;
    return vv_zip_stream_end(&r->stream, status, error);
}

static struct vv_npy_data npz_in_data_of(struct reading *r)
{
    return (struct vv_npy_data){ .user = r,
        .begin = npz_in_begin,
        .read = npz_in_read_on,
        .end = npz_in_end };
}

static varve_status npz_in_decode(const struct vv_foreign *foreign,
    uint64_t number, unsigned char *bytes, size_t size, varve_error *error)
{
    const struct npz *npz = foreign->state;
    const struct made *made = &npz->made[number];
    struct reading r = {
        .zip = &npz->zip,
        .entry = &npz->zip.entries[made->entry],
        .data_offset = made->data_offset,
    };
    struct vv_npy_data data = npz_in_data_of(&r);
    struct vv_buffer where;
    vv_buffer_init(&where, &foreign->context->allocator);
    vv_zip_where(&npz->zip, r.entry, &where);
    r.where = vv_buffer_string(&where);
    varve_status status = where.failed ? vv_fail_memory(error, "a name")
                                       : vv_npy_decode(&made->header, &data,
                                             r.where, bytes, size, error);
    vv_buffer_clear(&where);
    return status;
}

/* --- Opening -------------------------------------------------------------- */

/* The state while an archive is opened: the array that is being read. */
struct opening {
    struct vv_foreign *foreign;
    struct vv_draft *draft;
    struct vv_buffer where;
    struct vv_buffer text; /* the header of the array */
    struct vv_npy_header header;
    struct reading reading;
    size_t array_count;
    varve_error reason; /* why the first entry was left out */
};

static varve_status check_header_size(
    const struct opening *o, uint64_t size, varve_error *error)
{
    const struct vv_zip_entry *e = o->reading.entry;
    if (size > e->size)
        return vv_fail(error, VARVE_CORRUPT,
            "%s: the header is longer than the entry", o->reading.where);
    if (e->method != VV_ZIP_STORED && size > LONGEST_INFLATED)
        return vv_fail(error, VARVE_LIMIT,
            "%s: the deflated header is longer than %d bytes", o->reading.where,
            LONGEST_INFLATED);
    return VARVE_OK;
}

/* Reads the header from a stream that has begun. */
static varve_status npz_in_read_text(struct opening *o, varve_error *error)
{
    struct vv_zip_stream *stream = &o->reading.stream;
    unsigned char head[VV_NPY_BEGIN];
    uint64_t size;
    if (o->reading.entry->size < VV_NPY_BEGIN)
        return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
            "%s: too short for a NumPy array", o->reading.where);
    VV_TRY(vv_zip_stream_read(stream, head, sizeof head, error));
    VV_TRY(vv_npy_measure(head, o->reading.where, &size, error));
    VV_TRY(check_header_size(o, size, error));
    o->text.size = 0;
    unsigned char *bytes = vv_buffer_extend(&o->text, (size_t)size);
    if (!bytes)
        return vv_fail_memory(error, "the header of an array");
    memcpy(bytes, head, sizeof head);
    o->reading.data_offset = size;
    return vv_zip_stream_read(
        stream, bytes + sizeof head, (size_t)size - sizeof head, error);
}

static varve_status npz_in_give_up(
    struct vv_zip_stream *stream, varve_status status)
{
    vv_zip_stream_end(stream, status ? status : VARVE_CANCELLED, NULL);
    return status;
}

static varve_status npz_in_read_header(struct opening *o, varve_error *error)
{
    struct reading *r = &o->reading;
    VV_TRY(vv_zip_stream_begin(&r->stream, r->zip, r->entry, r->where, error));
    VV_TRY(npz_in_give_up(&r->stream, npz_in_read_text(o, error)));
    VV_TRY(
        vv_npy_parse(&o->header, o->text.data, o->text.size, r->where, error));
    return vv_npy_take_size(
        &o->header, r->entry->size - r->data_offset, r->where, error);
}

/* The checksum in the archive covers header and data. Removing the header's
 * part gives the checksum of the data. */
static struct vv_place npz_in_place_of(const struct opening *o)
{
    const struct reading *r = &o->reading;
    uint32_t before = vv_crc32(0, o->text.data, o->text.size);
    return (struct vv_place){
        .file = 0,
        .sum_kind = VV_SUM_CRC32,
        .sum =
            vv_sum_combine(VV_SUM_CRC32, before, r->entry->crc, o->header.size),
        .offset = r->entry->data + r->data_offset,
    };
}

static varve_status npz_in_note_made(
    struct opening *o, struct vv_place *place, varve_error *error)
{
    struct npz *npz = o->foreign->state;
    if (!vv_grow_array(&o->foreign->context->allocator, &npz->made,
            &npz->made_capacity, npz->made_count, sizeof *npz->made))
        return vv_fail_memory(error, "the values of an archive");
    struct made *made = &npz->made[npz->made_count];
    *made = (struct made){
        .header = o->header,
        .entry = (size_t)(o->reading.entry - npz->zip.entries),
        .data_offset = o->reading.data_offset,
    };
    made->header.descr = NULL; /* the text it points to is freed */
    *place =
        (struct vv_place){ .file = VV_DECODED, .offset = npz->made_count++ };
    return VARVE_OK;
}

static varve_status npz_in_add_array(struct opening *o, varve_error *error)
{
    const struct vv_zip_entry *e = o->reading.entry;
    struct vv_npy_item item = {
        .name = vv_zip_name(o->reading.zip, e),
        .name_size = (size_t)e->name_size - SUFFIX_SIZE,
    };
    struct vv_npy_data data = npz_in_data_of(&o->reading);
    if (o->header.type.dtype == VARVE_STRING)
        VV_TRY(vv_npy_strings_size(
            &o->header, &data, o->reading.where, &item.strings_size, error));
    if (e->method == VV_ZIP_STORED && vv_npy_is_plain(&o->header))
        item.place = npz_in_place_of(o);
    else
        VV_TRY(npz_in_note_made(o, &item.place, error));
    vv_npy_add(o->draft, &o->header, &item);
    return VARVE_OK;
}

static varve_status open_entry(
    struct opening *o, const struct vv_zip_entry *e, varve_error *error)
{
    const struct npz *npz = o->foreign->state;
    const char *name = vv_zip_name(&npz->zip, e);
    vv_zip_where(&npz->zip, e, &o->where);
    o->reading = (struct reading){
        .zip = &npz->zip, .entry = e, .where = vv_buffer_string(&o->where)
    };
    if (o->where.failed)
        return vv_fail_memory(error, "a name");
    bool is_text = vv_name_is_valid(name, e->name_size);
    if (!is_text || e->name_size < sizeof SUFFIX ||
        !vv_text_ends_in(name, e->name_size, SUFFIX))
        return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
            "%s: not an array: the name %s", o->reading.where,
            is_text ? "is not of the form NAME.npy"
                    : vv_name_fault(name, e->name_size));
    VV_TRY(npz_in_read_header(o, error));
    o->array_count++;
    return npz_in_add_array(o, error);
}

/* Entries that are not arrays, or that NumPy reads only with pickle, are left
 * out. */
static void npz_in_leave_out(
    struct opening *o, const struct vv_zip_entry *e, const varve_error *reason)
{
    size_t where = strlen(o->reading.where);
    const char *what = reason->message;
    if (strncmp(what, o->reading.where, where) == 0 &&
        strncmp(what + where, ": ", 2) == 0)
        what += where + 2;
    vv_draft_leave_out_name(
        o->draft, vv_zip_name(o->reading.zip, e), e->name_size, what);
    if (o->reason.status == VARVE_OK)
        o->reason = *reason;
}

static varve_status open_entries(struct opening *o, varve_error *error)
{
    const struct npz *npz = o->foreign->state;
    varve_status status = VARVE_OK;
    for (size_t i = 0; i < npz->zip.count && !status && !o->draft->failed;
         i++) {
        varve_error found = { 0 };
        status = open_entry(o, &npz->zip.entries[i], &found);
        if (status == VARVE_NOT_A_CHECKPOINT) {
            npz_in_leave_out(o, &npz->zip.entries[i], &found);
            status = VARVE_OK;
        } else if (status && error) {
            *error = found;
        }
    }
    /* An archive without any array is not an npz file. */
    if (!status && o->array_count == 0 && o->reason.status) {
        if (error)
            *error = o->reason;
        return o->reason.status;
    }
    return status;
}

static void npz_in_free_state(struct vv_foreign *foreign)
{
    const varve_allocator *a = &foreign->context->allocator;
    struct npz *npz = foreign->state;
    vv_zip_clear(&npz->zip);
    vv_release(a, npz->made, npz->made_capacity * sizeof *npz->made);
    vv_release(a, npz, sizeof *npz);
    foreign->state = NULL;
}

static varve_status npz_in_open_source(
    struct vv_foreign *foreign, struct vv_draft *draft, varve_error *error)
{
    const varve_allocator *a = &foreign->context->allocator;
    struct npz *npz = vv_allocate_zeroed(a, sizeof *npz);
    struct opening o = { .foreign = foreign, .draft = draft };
    if (!npz)
        return vv_fail_memory(error, "an archive");
    foreign->state = npz;
    foreign->free = npz_in_free_state;
    foreign->decode = npz_in_decode;
    VV_TRY(vv_zip_read(&npz->zip, foreign, vv_zip_whole(foreign, 0), error));
    vv_buffer_init(&o.where, a);
    vv_buffer_init(&o.text, a);
    varve_status status = open_entries(&o, error);
    vv_buffer_clear(&o.where);
    vv_buffer_clear(&o.text);
    return status;
}

const struct vv_foreign_format vv_npz_format = { .format = VARVE_FORMAT_NPZ,
    .probe = npz_in_probe,
    .open = npz_in_open_source };
