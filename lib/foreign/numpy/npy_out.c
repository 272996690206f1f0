/* npy_out.c - Writes single arrays with their headers, and archives of arrays.
 *
 * SPDX-License-Identifier: MIT
 */
#include "npy_out.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "bytes.h"
#include "failure.h"
#include "file.h"
#include "name_set.h"
#include "npy_in.h"
#include "npy_kept.h"
#include "store.h"
#include "try.h"
#include "typed_memory.h"
#include "zip_out.h"

/* --- Arrays --------------------------------------------------------------- */

/* Writes the header, formatted as by NumPy's repr, and then the data. */

enum {
    ALIGNMENT = 64,
    GROWTH_DIGITS = 21, /* space that NumPy reserves for a larger first
                           extent */
    PIECE_SIZE = 4096,
};

/* --- Representable values ------------------------------------------------- */

/* Sets *largest to the size of the largest element. Returns false if an element
 * ends in NUL, which NumPy's padding would hide, or is larger than NumPy
 * supports. */
static bool measure_strings(const struct vv_npy_out *out, uint64_t *largest)
{
    *largest = 1; /* NumPy does not have strings of size 0 */
    if (out->count == 0)
        return true;
    const unsigned char *at = out->source.bytes + 8 * out->count;
    for (uint64_t i = 0; i < out->count; i++) {
        uint64_t size = vv_load64(out->source.bytes + 8 * i);
        if (size > INT32_MAX || (size > 0 && at[size - 1] == 0))
            return false;
        if (size > *largest)
            *largest = size;
        at += size;
    }
    return true;
}

static void report_lost_type(const struct vv_npy_out *out, uint32_t node)
{
    char what[64];
    snprintf(what, sizeof what, "its type, %s: NumPy reads it as raw bytes",
        varve_dtype_name(out->type.dtype));
    vv_target_report_lost(out->target, node, what);
}

static bool is_type_lost(varve_dtype dtype)
{
    const char *descr = vv_npy_type_of(dtype);
    return descr && descr[1] == 'V';
}

/* --- The header ----------------------------------------------------------- */

static void npy_out_add_number(struct vv_buffer *text, uint64_t number)
{
    char digits[24];
    snprintf(digits, sizeof digits, "%" PRIu64, number);
    vv_buffer_add_string(text, digits);
}

static void add_descr(const struct vv_npy_out *out, struct vv_buffer *text)
{
    const char *descr = vv_npy_type_of(out->type.dtype);
    const char *quote = out->is_kept && out->kept.is_structured ? "" : "'";
    vv_buffer_add_string(text, quote);
    if (out->is_kept)
        vv_buffer_add(text, out->kept.descr, out->kept.descr_size);
    else
        vv_buffer_add_string(text, descr ? descr : "|S");
    if (!out->is_kept && !descr)
        npy_out_add_number(text, out->item_size);
    vv_buffer_add_string(text, quote);
}

static void add_dictionary(const struct vv_npy_out *out, struct vv_buffer *text)
{
    bool is_fortran = out->is_kept && out->kept.is_fortran;
    vv_buffer_add_string(text, "{'descr': ");
    add_descr(out, text);
    vv_buffer_add_string(text, ", 'fortran_order': ");
    vv_buffer_add_string(text, is_fortran ? "True" : "False");
    vv_buffer_add_string(text, ", 'shape': (");
    for (uint32_t i = 0; i < out->type.rank; i++) {
        vv_buffer_add_string(text, i > 0 ? ", " : "");
        npy_out_add_number(text, out->type.shape[i]);
    }
    vv_buffer_add_string(text, out->type.rank == 1 ? ",), }" : "), }");
}

static void add_spaces(struct vv_buffer *text, size_t count)
{
    for (size_t i = 0; i < count; i++)
        vv_buffer_add8(text, ' ');
}

static void npy_out_make_header(struct vv_npy_out *out)
{
    struct vv_buffer *text = &out->header;
    char digits[24];
    size_t before = out->is_kept && out->kept.version > 2 ? 12 : 10;
    vv_buffer_add(text,
        before == 12 ? "\x93NUMPY\x03\x00\x00\x00\x00\x00"
                     : "\x93NUMPY\x01\x00\x00\x00",
        before);
    add_dictionary(out, text);
    if (out->type.rank > 0)
        add_spaces(text, GROWTH_DIGITS - (size_t)snprintf(digits, sizeof digits,
                                             "%" PRIu64, out->type.shape[0]));
    /* At least one and at most a whole line of spaces. */
    add_spaces(text, ALIGNMENT - (text->size + 1) % ALIGNMENT);
    vv_buffer_add8(text, '\n');
    if (text->failed)
        return;
    text->data[8] = (unsigned char)(text->size - before);
    text->data[9] = (unsigned char)((text->size - before) >> 8);
}

varve_status vv_npy_out_begin(struct vv_npy_out *out,
    const struct vv_target *target, uint32_t value, bool *is_held,
    varve_error *error)
{
    uint32_t node = vv_at32(target->index->value_nodes, value);
    *out = (struct vv_npy_out){ .target = target, .value = value };
    vv_buffer_init(&out->header, &target->context->allocator);
    VV_TRY(target->value(target->user, value, &out->source, error));
    out->type = vv_index_tensor(target->index, target->table, value);
    out->is_kept = vv_npy_kept_of(target, node, &out->kept);
    if (out->is_kept)
        out->type = out->kept.type;
    out->count = varve_tensor_count(&out->type);
    out->item_size = vv_dtype_file_size(out->type.dtype);
    *is_held = true;
    if (out->type.dtype == VARVE_STRING)
        *is_held = measure_strings(out, &out->item_size);
    if (out->is_kept) {
        out->size = out->kept.size;
    } else if (!*is_held ||
               !vv_size_of(out->count, out->item_size, &out->size)) {
        *is_held = false;
        vv_target_report_lost(target, node,
            "its value: NumPy cannot store strings that end in NUL or are so "
            "large");
        return VARVE_OK;
    }
    if (!out->is_kept && is_type_lost(out->type.dtype))
        report_lost_type(out, node);
    npy_out_make_header(out);
    return out->header.failed ? vv_fail_memory(error, "a header") : VARVE_OK;
}

void vv_npy_out_end(struct vv_npy_out *out)
{
    vv_buffer_clear(&out->header);
}

/* --- The data ------------------------------------------------------------- */

/* A buffer that collects small writes. */
struct piece {
    const struct vv_npy_sink *sink;
    size_t size;
    unsigned char bytes[PIECE_SIZE];
};

/* `bytes` NULL: adds zeros. */
static varve_status npy_out_add(struct piece *piece, const unsigned char *bytes,
    uint64_t size, varve_error *error)
{
    while (size > 0) {
        if (piece->size == PIECE_SIZE) {
            VV_TRY(piece->sink->write(
                piece->sink->user, piece->bytes, piece->size, error));
            piece->size = 0;
        }
        size_t room = PIECE_SIZE - piece->size;
        size_t part = size < room ? (size_t)size : room;
        if (bytes) {
            memcpy(piece->bytes + piece->size, bytes, part);
            bytes += part;
        } else {
            memset(piece->bytes + piece->size, 0, part);
        }
        piece->size += part;
        size -= part;
    }
    return VARVE_OK;
}

static varve_status write_strings(const struct vv_npy_out *out,
    const struct vv_npy_sink *sink, varve_error *error)
{
    struct piece piece = { .sink = sink };
    const unsigned char *at = out->source.bytes;
    if (out->count > 0)
        at += 8 * out->count;
    for (uint64_t i = 0; i < out->count; i++) {
        uint64_t size = vv_load64(out->source.bytes + 8 * i);
        VV_TRY(npy_out_add(&piece, at, size, error));
        VV_TRY(npy_out_add(&piece, NULL, out->item_size - size, error));
        at += size;
    }
    return sink->write(sink->user, piece.bytes, piece.size, error);
}

static varve_status write_numbers(const struct vv_npy_out *out,
    const struct vv_npy_sink *sink, varve_error *error)
{
    size_t part;
    for (uint64_t at = 0; at < out->size; at += part) {
        const unsigned char *bytes;
        part = vv_source_part(&out->source, out->size - at);
        VV_TRY(vv_source_piece(&out->source, at, part, &bytes, error));
        VV_TRY(sink->write(sink->user, bytes, part, error));
    }
    return VARVE_OK;
}

varve_status vv_npy_out_write(const struct vv_npy_out *out,
    const struct vv_npy_sink *sink, varve_error *error)
{
    VV_TRY(sink->write(sink->user, out->header.data, out->header.size, error));
    if (!out->is_kept && out->type.dtype == VARVE_STRING)
        return write_strings(out, sink, error);
    return write_numbers(out, sink, error);
}

/* --- Losses --------------------------------------------------------------- */

bool vv_npy_is_written(const struct vv_target *target, uint32_t value)
{
    uint32_t node = vv_at32(target->index->value_nodes, value);
    struct vv_npy_header kept;
    return (vv_index_kind(target->index, node) == VARVE_VARIABLE &&
               vv_index_is_saved(target->index, value)) ||
           vv_npy_kept_of(target, node, &kept);
}

static void report_lost_values(const struct vv_target *target)
{
    const struct vv_index *index = target->index;
    for (uint32_t i = 0; i < index->value_count; i++) {
        uint32_t node = vv_at32(index->value_nodes, i);
        if (vv_npy_is_written(target, i))
            continue;
        if (vv_index_kind(index, node) == VARVE_STATE)
            vv_target_report_lost(target, node, "its state");
        else if (!vv_index_is_saved(index, i))
            vv_target_report_lost(target, node,
                "the type and shape of a variable without a value");
    }
}

void vv_npy_report_lost_rest(const struct vv_target *target)
{
    if (!target->loss)
        return;
    vv_target_report_lost_graph(target, false, vv_npy_keeps_tag);
    report_lost_values(target);
    vv_target_report_lost_globals(target);
    vv_target_report_lost_metadata(target);
}

/* --- Files with a single array -------------------------------------------- */

struct file_out {
    const struct vv_target *target;
    int file;
    uint64_t offset;
};

static varve_status npy_out_write_on(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    struct file_out *f = user;
    const struct vv_target *target = f->target;
    VV_TRY(vv_file_write(
        target->context, f->file, target->path, bytes, size, f->offset, error));
    f->offset += size;
    return VARVE_OK;
}

static varve_status npy_out_publish(
    const struct vv_npy_out *out, varve_error *error)
{
    const struct vv_target *target = out->target;
    struct vv_publication p;
    VV_TRY(vv_publish_begin(
        &p, target->context, target->path, target->flags, error));
    struct file_out file = { .target = target, .file = p.file };
    struct vv_npy_sink sink = { .user = &file, .write = npy_out_write_on };
    varve_status status = vv_npy_out_write(out, &sink, error);
    status = vv_target_finish(target, status, error);
    return vv_publish_end(&p, status, error);
}

static varve_status find_only(
    const struct vv_target *target, uint32_t *value, varve_error *error)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < target->index->value_count; i++) {
        if (!vv_npy_is_written(target, i))
            continue;
        *value = i;
        count++;
    }
    if (count != 1)
        return vv_fail(error, VARVE_MISUSE,
            "%s: an npy file stores exactly one variable with a value, found "
            "%" PRIu32 ": write npz, or a subtree with one",
            target->path, count);
    return VARVE_OK;
}

static varve_status npy_out_write_target(
    const struct vv_target *target, varve_error *error)
{
    struct vv_npy_out out;
    uint32_t value = 0;
    bool is_held = false;
    VV_TRY(find_only(target, &value, error));
    varve_status status =
        vv_npy_out_begin(&out, target, value, &is_held, error);
    if (!status && !is_held)
        status = vv_fail(error, VARVE_MISUSE,
            "%s: NumPy cannot store strings that end in NUL or are too large",
            target->path);
    if (!status)
        vv_npy_report_lost_rest(target);
    if (!status)
        status = npy_out_publish(&out, error);
    vv_npy_out_end(&out);
    return status;
}

const struct vv_target_format vv_npy_target = { .format = VARVE_FORMAT_NPY,
    .write = npy_out_write_target };

/* --- Archives ------------------------------------------------------------- */

/* Writes one entry for each value, in the order of the nodes. */

#define SUFFIX ".npy"

struct writing {
    const struct vv_target *target;
    struct vv_zip_out zip;
    struct vv_buffer name;
    struct vv_taken taken;
};

static varve_status npz_out_take_name(struct writing *w, varve_error *error)
{
    const char *name = (const char *)w->name.data;
    bool is_new;
    if (!vv_taken_add(&w->taken, name, w->name.size, &is_new))
        return vv_fail_memory(error, "a name");
    return is_new ? VARVE_OK
                  : vv_fail(error, VARVE_DUPLICATE,
                        "%s: two values are named \"%.*s\"", w->target->path,
                        (int)(w->name.size - strlen(SUFFIX)), name);
}

/* Sets w->name. Sets *is_held to false if the name is too long for an entry. */
static varve_status name_value(
    struct writing *w, uint32_t node, bool *is_held, varve_error *error)
{
    vv_target_key(w->target, node, &w->name);
    if (w->name.size == 0)
        vv_buffer_add_string(&w->name, "arr_0"); /* the root itself */
    vv_buffer_add_string(&w->name, SUFFIX);
    if (w->name.failed)
        return vv_fail_memory(error, "a name");
    *is_held = w->name.size <= VV_ZIP_LONGEST_NAME;
    if (!*is_held) {
        vv_target_report_lost(w->target, node,
            "its value: its name is too long for a zip archive");
        return VARVE_OK;
    }
    return npz_out_take_name(w, error);
}

static varve_status npz_out_write_on(
    void *user, const void *bytes, size_t size, varve_error *error)
{
    struct writing *w = user;
    return vv_zip_out_write(&w->zip, bytes, size, error);
}

static varve_status write_entry(
    struct writing *w, const struct vv_npy_out *out, varve_error *error)
{
    struct vv_npy_sink sink = { .user = w, .write = npz_out_write_on };
    uint64_t size;
    if (__builtin_add_overflow(out->size, out->header.size, &size))
        return vv_fail(error, VARVE_LIMIT, "%s: a value has 2^64 bytes or more",
            w->target->path);
    VV_TRY(vv_zip_out_begin(
        &w->zip, (const char *)w->name.data, w->name.size, size, error));
    VV_TRY(vv_npy_out_write(out, &sink, error));
    return vv_zip_out_end(&w->zip, error);
}

static varve_status npz_out_write_value(
    struct writing *w, uint32_t value, varve_error *error)
{
    struct vv_npy_out out;
    bool is_held = false;
    uint32_t node = vv_at32(w->target->index->value_nodes, value);
    VV_TRY(name_value(w, node, &is_held, error));
    if (!is_held)
        return VARVE_OK;
    varve_status status =
        vv_npy_out_begin(&out, w->target, value, &is_held, error);
    if (!status && is_held)
        status = write_entry(w, &out, error);
    vv_npy_out_end(&out);
    return status;
}

static varve_status npz_out_write_values(struct writing *w, varve_error *error)
{
    for (uint32_t i = 0; i < w->target->index->value_count; i++) {
        if (vv_npy_is_written(w->target, i))
            VV_TRY(npz_out_write_value(w, i, error));
    }
    return vv_zip_out_finish(&w->zip, error);
}

static varve_status npz_out_write_target(
    const struct vv_target *target, varve_error *error)
{
    const varve_allocator *a = &target->context->allocator;
    struct writing w = { .target = target };
    struct vv_publication p;
    vv_npy_report_lost_rest(target);
    VV_TRY(vv_store_refuse_any(target->path, VV_STORE_IN_ORDER, error));
    VV_TRY(vv_publish_begin(
        &p, target->context, target->path, target->flags, error));
    vv_zip_out_init(&w.zip, target->context, p.file, target->path);
    vv_buffer_init(&w.name, a);
    vv_taken_init(&w.taken, a);
    varve_status status = npz_out_write_values(&w, error);
    vv_zip_out_clear(&w.zip);
    vv_buffer_clear(&w.name);
    vv_taken_clear(&w.taken);
    status = vv_target_finish(target, status, error);
    return vv_publish_end(&p, status, error);
}

const struct vv_target_format vv_npz_target = { .format = VARVE_FORMAT_NPZ,
    .write = npz_out_write_target };
