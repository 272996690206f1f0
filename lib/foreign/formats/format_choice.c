/* format_choice.c - Selects the format that opens a file, by the result of its
 * probe, or that writes a graph, by its number.
 *
 * SPDX-License-Identifier: MIT
 */
#include "format_choice.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <varve/format.h>

#include "allocator.h"
#include "bundle_in.h"
#include "bundle_target.h"
#include "dcp_in.h"
#include "directory.h"
#include "draft_parts.h"
#include "failure.h"
#include "flax_in.h"
#include "foreign_values.h"
#include "format_extras.h"
#include "formats.h"
#include "gguf_in.h"
#include "gguf_out.h"
#include "hdf5_in.h"
#include "hdf5_out.h"
#include "npy_out.h"
#include "npz_in.h"
#include "onnx_in.h"
#include "safetensors_in.h"
#include "safetensors_out.h"
#include "torch_in.h"
#include "torch_out.h"
#include "try.h"
#include "unreadable_format.h"

/* --- Opening -------------------------------------------------------------- */

/* All readable formats except Varve's own. The first of equal bids wins. To add
 * one, write a struct vv_foreign_format and add it here. */
static const struct vv_foreign_format *const formats[] = {
    &vv_bundle_format,
    &vv_safetensors_format,
    &vv_safetensors_index_format,
    &vv_torch_format,
    &vv_torch_index_format,
    &vv_npz_format,
    &vv_npy_format,
    &vv_gguf_format,
    &vv_onnx_format,
    &vv_flax_format,
    &vv_dcp_format,
    &vv_hdf5_format,
};

/* Limit on attempts to open a checkpoint whose index is replaced repeatedly. */
enum { MOST_OPENS = 100 };

/* --- HDF5 ----------------------------------------------------------------- */

static atomic_bool forbids_hdf5;

void varve_forbid_hdf5(void)
{
    atomic_store(&forbids_hdf5, true);
}

static varve_status refuse_hdf5(
    const struct vv_context *context, const char *path, varve_error *error)
{
    bool is_forbidden = atomic_load(&forbids_hdf5);
    if (!context->no_hdf5 && !is_forbidden)
        return VARVE_OK;
    return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
        "%s: reading HDF5 files is disabled by %s", path,
        is_forbidden ? "varve_forbid_hdf5 or --no-hdf5" : "`foreign.no_hdf5`");
}

/* --- Opening -------------------------------------------------------------- */

/* Checks that all values are inside their files. The formats should have
 * checked it; this check covers all of them. */
static varve_status check_places(const struct vv_foreign *f,
    const struct vv_draft *draft, varve_error *error)
{
    size_t count;
    const struct vv_draft_value *values =
        VV_PARTS(draft, values, struct vv_draft_value, &count);
    for (size_t i = 0; i < count; i++) {
        const struct vv_place *place = &values[i].place;
        if (!values[i].is_saved || place->file == VV_DECODED)
            continue;
        const struct vv_foreign_file *file = &f->files[place->file];
        if (place->offset > file->size ||
            values[i].size > file->size - place->offset)
            return vv_fail(error, VARVE_TRUNCATED,
                "%s: the file ends early: a value has %" PRIu64
                " bytes at offset %" PRIu64 ", the file has %" PRIu64 " bytes",
                file->path, values[i].size, place->offset, file->size);
    }
    return VARVE_OK;
}

static bool is_about_bytes(varve_status status)
{
    return status == VARVE_NOT_A_CHECKPOINT || status == VARVE_CORRUPT ||
           status == VARVE_TRUNCATED || status == VARVE_TOO_NEW ||
           status == VARVE_LIMIT;
}

/* If a file, or one that it refers to, cannot be opened because of its
 * contents, replaces the error by one that names its actual format, if that is
 * known. */
static varve_status name_unreadable_format(
    const struct vv_foreign *f, varve_status status, varve_error *error)
{
    varve_status found = VARVE_OK;
    if (!is_about_bytes(status))
        return status;
    for (size_t i = 0; i < f->file_count && !found; i++)
        found = vv_unreadable_format_file(f->context, f->files[i].path, error);
    return found ? found : status;
}

/* Lists the other parts if one part of a model was opened alone. Only for
 * formats whose parts are recognized by their names. */
static void list_other_parts(const struct vv_foreign *f, struct vv_draft *draft)
{
    uint64_t number, count;
    char text[160];
    bool is_known = draft->kept.format == VARVE_FORMAT_SAFETENSORS ||
                    draft->kept.format == VARVE_FORMAT_TORCH;
    if (!is_known || f->file_count != 1 ||
        !vv_part_name(f->files[0].path, &number, &count) || count == 1)
        return;
    snprintf(text, sizeof text,
        "the other parts: this file is part %" PRIu64 " of %" PRIu64
        " of a model; open its .index.json to read all of them",
        number, count);
    vv_draft_leave_out(draft, "", text);
}

static varve_status format_in_open_with(struct vv_opened *o,
    struct vv_foreign *f, const struct vv_foreign_format *format,
    varve_error *error)
{
    uint32_t first;
    struct vv_draft draft;
    VV_TRY(vv_foreign_add_file(f, o->path, &first, error));
    vv_draft_begin(&draft, o->context, o->path);
    draft.kept.format = format->format;
    varve_status status = format->open(f, &draft, error);
    if (status)
        status = name_unreadable_format(f, status, error);
    if (!status && !draft.failed)
        status = check_places(f, &draft, error);
    if (!status)
        list_other_parts(f, &draft);
    for (size_t i = 0; i < f->file_count; i++)
        draft.room += f->files[i].size;
    if (!status)
        status = vv_draft_end(&draft, o, &f->places, &f->place_count, error);
    if (!status)
        vv_kept_move(&f->kept, &draft.kept, draft.kept.items.allocator);
    vv_draft_clear(&draft);
    if (status)
        return status;
    o->size = draft.room;
    return vv_foreign_begin(f, &o->parsed, error);
}

static varve_status open_once(struct vv_opened *o,
    const struct vv_context *context, const char *path,
    const struct vv_foreign_format *format, varve_error *error)
{
    const varve_allocator *a = &context->allocator;
    VV_TRY(vv_opened_begin(o, context, path, error));
    struct vv_foreign *f = vv_allocate_zeroed(a, sizeof *f);
    if (!f)
        return vv_fail_memory(error, "a checkpoint");
    f->context = o->context;
    vv_kept_init(&f->kept, a);
    f->format = format->format;
    o->backing = &vv_foreign_backing;
    o->state = f;
    return format_in_open_with(o, f, format, error);
}

/* Sets *is_replaced to true if the index was replaced while its files were
 * opened. Otherwise all of them belong to it: they exist as long as the index
 * does, and names are not reused (file_set.h). */
static varve_status format_in_look_again(const struct vv_opened *o,
    varve_status status, bool *is_replaced, varve_error *error)
{
    const struct vv_foreign *f = o->state;
    *is_replaced = false;
    if (!f || f->file_count == 0 ||
        (f->file_count == 1 && status != VARVE_NOT_FOUND))
        return status;
    varve_status looked =
        vv_foreign_is_replaced(f, is_replaced, status ? NULL : error);
    return status ? status : looked;
}

varve_status vv_checkpoint_open_as(struct vv_opened *o,
    const struct vv_context *context, const char *path,
    const struct vv_foreign_format *format, varve_error *error)
{
    bool is_replaced = true;
    varve_status status = VARVE_OK;
    if (format->format == VARVE_FORMAT_HDF5)
        VV_TRY(refuse_hdf5(context, path, error));
    for (int i = 0; i < MOST_OPENS && is_replaced; i++) {
        status = open_once(o, context, path, format, error);
        status = format_in_look_again(o, status, &is_replaced, error);
        if (status || is_replaced)
            vv_opened_close(o);
    }
    if (!status && is_replaced)
        status = vv_fail(error, VARVE_NOT_FOUND,
            "%s: the checkpoint was replaced %d times while its files were "
            "opened",
            path, MOST_OPENS);
    return status;
}

static const struct vv_foreign_format *highest_bidder(
    const struct vv_candidate *candidate)
{
    const struct vv_foreign_format *best = NULL;
    enum vv_probe_result highest = VV_PROBE_NONE;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
        enum vv_probe_result result = formats[i]->probe(candidate);
        if (result > highest) {
            highest = result;
            best = formats[i];
        }
    }
    return best;
}

varve_status vv_format_open(struct vv_opened *o,
    const struct vv_context *context, const struct vv_candidate *candidate,
    bool *is_known, varve_error *error)
{
    const struct vv_foreign_format *format = highest_bidder(candidate);
    *is_known = format != NULL;
    return format ? vv_checkpoint_open_as(
                        o, context, candidate->path, format, error)
                  : VARVE_OK;
}

/* --- Properties of opened files ------------------------------------------- */

static struct vv_foreign *foreign_of(const struct vv_opened *o)
{
    return o->backing == &vv_foreign_backing ? o->state : NULL;
}

struct vv_kept *vv_checkpoint_kept(const struct vv_opened *o)
{
    struct vv_foreign *f = foreign_of(o);
    return f ? &f->kept : NULL;
}

varve_format vv_checkpoint_format(const struct vv_opened *o)
{
    const struct vv_foreign *f = foreign_of(o);
    return f ? f->format : VARVE_FORMAT_VARVE;
}

/* --- Names of parts ------------------------------------------------------- */

/* Parses the name of a file of a split model from its end. */

enum { FEWEST_DIGITS = 4, MOST_DIGITS = 9 };

/* Parses the digits that end before `end`. Returns their number. */
static size_t digits_before(const char *begin, const char *end, uint64_t *value)
{
    size_t size = 0;
    *value = 0;
    while (size < (size_t)(end - begin) && end[-1 - (ptrdiff_t)size] >= '0' &&
           end[-1 - (ptrdiff_t)size] <= '9')
        size++;
    for (size_t i = size; i > 0 && size <= MOST_DIGITS; i--)
        *value = 10 * *value + (uint64_t)(end[-(ptrdiff_t)i] - '0');
    return size;
}

bool vv_part_name(const char *path, uint64_t *number, uint64_t *count)
{
    static const char between[] = "-of-";
    const size_t between_size = sizeof between - 1;
    const char *name = vv_path_name(path), *end = strrchr(name, '.');
    if (!end)
        return false;
    size_t size = digits_before(name, end, count);
    end -= size;
    if (size < FEWEST_DIGITS || size > MOST_DIGITS ||
        (size_t)(end - name) < between_size + size + 1 ||
        memcmp(end - between_size, between, between_size) != 0)
        return false;
    end -= between_size;
    return digits_before(name, end, number) == size &&
           end[-1 - (ptrdiff_t)size] == '-' && *number > 0 && *number <= *count;
}

/* --- Writing -------------------------------------------------------------- */

/* Selects the writer of a format. */

/* All writable formats except Varve's own. To add one, write a struct
 * vv_target_format and add it here. */
static const struct vv_target_format *const target_formats[] = {
    &vv_bundle_target,
    &vv_bundle_names_target,
    &vv_safetensors_target,
    &vv_npy_target,
    &vv_npz_target,
    &vv_torch_target,
    &vv_gguf_target,
    &vv_hdf5_target,
};

varve_status vv_target_write(
    const struct vv_target *target, varve_format format, varve_error *error)
{
    if (vv_has_our_ending(target->path))
        return vv_fail(error, VARVE_MISUSE,
            "%s: the name ends with " VARVE_SUFFIX
            ", but `format` is %s: use another name",
            target->path, varve_format_name(format));
    for (size_t i = 0; i < sizeof target_formats / sizeof *target_formats;
         i++) {
        if (target_formats[i]->format != format)
            continue;
        if (format != VARVE_FORMAT_NPY) /* npy files have no names */
            VV_TRY(vv_target_check_names(target, error));
        return target_formats[i]->write(target, error);
    }
    return vv_fail(error, VARVE_MISUSE, "%s: the format %s cannot be written",
        target->path, varve_format_name(format));
}
