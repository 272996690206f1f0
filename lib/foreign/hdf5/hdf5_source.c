/* hdf5_source.c - Locates the HDF5 file, provides its bytes to the module, and
 * decodes its values.
 *
 * SPDX-License-Identifier: MIT
 */
#include "hdf5_source.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "bytes.h"
#include "failure.h"
#include "module.h"
#include "name.h"
#include "try.h"

/* --- The module ----------------------------------------------------------- */

#ifndef VV_MODULES
#define VV_MODULES "" /* this build does not have modules */
#endif

#define REMEDY                                                                 \
    "load it with Keras and write a tf.train.Checkpoint, or read it with "     \
    "h5py and use numpy.savez"

varve_status vv_hdf5_load(const struct vv_context *context, const char *path,
    const struct vv_hdf5_calls **calls, varve_error *error)
{
    struct vv_buffer reason;
    varve_status status = VARVE_OK;
    vv_buffer_init(&reason, &context->allocator);
    *calls = *VV_MODULES ? vv_module_find("varve-hdf5.so", VV_HDF5_SYMBOL,
                               VV_MODULES, &reason)
                         : NULL;
    if (reason.failed)
        status = vv_fail_memory(error, "the name of a module");
    else if (!*VV_MODULES)
        status = vv_fail(error, VARVE_TOO_NEW,
            "%s: this build does not support HDF5 files (Keras, h5py, NetCDF "
            "4): " REMEDY ", or build Varve with -Dhdf5=enabled",
            path);
    else if (!*calls)
        status = vv_fail(error, VARVE_TOO_NEW,
            "%s: HDF5 files need the module varve-hdf5 (build option "
            "-Dhdf5=enabled), which cannot be loaded: %s",
            path, vv_buffer_string(&reason));
    else if ((*calls)->version != VV_HDF5_VERSION)
        status = vv_fail(error, VARVE_TOO_NEW,
            "%s: expected version %d of the module varve-hdf5, found version "
            "%u",
            path, VV_HDF5_VERSION, (*calls)->version);
    vv_buffer_clear(&reason);
    return status;
}

/* --- The file ------------------------------------------------------------- */

#define WEIGHTS "model.weights.h5"
#define CONFIG "config.json"

/* The size of texts and the bytes read for metadata can exceed the size of the
 * file by this much, because parts of the file may be read several times. */
static const uint64_t free_bytes = UINT64_C(64) << 20;
enum { MOST_LISTINGS = 64 };

/* --- Messages ------------------------------------------------------------- */

varve_status vv_hdf5_fail_at(const struct vv_hdf5_source *s, const char *name,
    const varve_error *said, varve_error *error)
{
    const char *path = s->foreign->files[0].path;
    const char *message = said->message;
    if (strncmp(message, path, strlen(path)) == 0 ||
        said->status == VARVE_NO_MEMORY)
        return vv_fail(error, said->status, "%s", message);
    if (!name)
        return vv_fail(error, said->status, "%s: %s", path, message);
    return vv_fail(
        error, said->status, "%s: \"%.200s\": %s", path, name, message);
}

/* --- Bytes ---------------------------------------------------------------- */

static bool hdf5_source_read_bytes(
    void *user, uint64_t offset, void *bytes, size_t size, varve_error *error)
{
    const struct vv_hdf5_source *s = user;
    return !vv_foreign_read(
        s->foreign, 0, bytes, size, s->base + offset, error);
}

uint64_t vv_hdf5_most_text(const struct vv_hdf5_source *s)
{
    return free_bytes + s->size;
}

/* --- Archives ------------------------------------------------------------- */

bool vv_hdf5_is_archive(const unsigned char *head, size_t size)
{
    return size >= 4 && memcmp(head, VV_ZIP_ENTRY_MARK, 4) == 0;
}

static const struct vv_zip_entry *hdf5_source_find_entry(
    const struct vv_zip *zip, const char *name)
{
    for (size_t i = 0; i < zip->count; i++) {
        const struct vv_zip_entry *e = &zip->entries[i];
        if (e->name_size == strlen(name) &&
            memcmp(vv_zip_name(zip, e), name, e->name_size) == 0)
            return e;
    }
    return NULL;
}

static varve_status find_weights(struct vv_hdf5_source *s, varve_error *error)
{
    const char *path = s->foreign->files[0].path;
    struct vv_zip_span whole = vv_zip_whole(s->foreign, 0);
    VV_TRY(vv_zip_read(&s->zip, s->foreign, whole, error));
    const struct vv_zip_entry *e = hdf5_source_find_entry(&s->zip, WEIGHTS);
    if (!e)
        return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
            "%s: not a Keras archive: it does not contain \"" WEIGHTS "\"",
            path);
    if (e->method != VV_ZIP_STORED)
        return vv_fail(error, VARVE_NOT_A_CHECKPOINT,
            "%s: \"" WEIGHTS
            "\": deflated data is not supported: unpack it first",
            path);
    s->base = e->data;
    s->size = e->size;
    s->config = hdf5_source_find_entry(&s->zip, CONFIG);
    if (s->config && s->config->method != VV_ZIP_STORED)
        s->config = NULL;
    return VARVE_OK;
}

/* --- Opening -------------------------------------------------------------- */

static void hdf5_source_free_state(struct vv_foreign *foreign)
{
    struct vv_hdf5_source *s = foreign->state;
    varve_error ignored;
    if (s->calls)
        s->calls->close(s->file, &ignored);
    vv_zip_clear(&s->zip);
    vv_buffer_clear(&s->made);
    vv_arena_clear(&s->names);
    vv_release(&foreign->context->allocator, s, sizeof *s);
    foreign->state = NULL;
}

static varve_status hdf5_source_open_file(
    struct vv_hdf5_source *s, varve_error *error)
{
    varve_error said = { VARVE_OK, 0, "" };
    const struct vv_hdf5_bytes bytes = { .user = s,
        .size = s->size,
        .listing = free_bytes + MOST_LISTINGS * s->size,
        .read = hdf5_source_read_bytes };
    return s->calls->open(&bytes, &s->file, &s->root, &said)
               ? vv_hdf5_fail_at(s, NULL, &said, error)
               : VARVE_OK;
}

/* Implements `decode` of struct vv_foreign for the values in `made`. */
static varve_status hdf5_decode(const struct vv_foreign *foreign,
    uint64_t number, unsigned char *bytes, size_t size, varve_error *error);

varve_status vv_hdf5_open(struct vv_foreign *foreign,
    struct vv_hdf5_source **source, varve_error *error)
{
    const varve_allocator *a = &foreign->context->allocator;
    unsigned char head[4] = { 0 };
    uint64_t size = foreign->files[0].size;
    struct vv_hdf5_source *s = vv_allocate_zeroed(a, sizeof *s);
    if (!s)
        return vv_fail_memory(error, "an HDF5 file");
    *source = foreign->state = s;
    foreign->free = hdf5_source_free_state;
    foreign->decode = hdf5_decode;
    s->foreign = foreign;
    s->size = size;
    vv_buffer_init(&s->made, a);
    vv_arena_init(&s->names, a);
    if (size >= sizeof head)
        VV_TRY(vv_foreign_read(foreign, 0, head, sizeof head, 0, error));
    if (vv_hdf5_is_archive(head, sizeof head))
        VV_TRY(find_weights(s, error));
    VV_TRY(vv_hdf5_load(
        foreign->context, foreign->files[0].path, &s->calls, error));
    return hdf5_source_open_file(s, error);
}

/* --- Values --------------------------------------------------------------- */

struct filling {
    unsigned char *bytes;
    uint64_t next, lengths; /* offset of the next length, and the end of the
                               lengths */
    uint64_t at, size;      /* offset of the next text, and the end of the
                               texts */
};

static bool hdf5_source_fill(void *user, const char *text, size_t size)
{
    struct filling *f = user;
    if (size > f->size - f->at || f->next == f->lengths)
        return false;
    vv_store64(f->bytes + f->next, size);
    if (size > 0)
        memcpy(f->bytes + f->at, text, size);
    f->next += 8;
    f->at += size;
    return true;
}

static varve_status decode_texts(const struct vv_hdf5_source *s,
    const struct vv_hdf5_made *made, unsigned char *bytes, size_t size,
    varve_error *said)
{
    struct filling f = { .bytes = bytes,
        .lengths = 8 * made->count,
        .at = 8 * made->count,
        .size = size };
    varve_status status = s->calls->strings(s->file, made->object,
        vv_hdf5_most_text(s), hdf5_source_fill, &f, said);
    if ((!status && f.at != size) || status == VARVE_CANCELLED)
        status = vv_fail(said, VARVE_CORRUPT,
            "the strings, of %zu bytes, have changed since the file was opened",
            size);
    return status;
}

static varve_status hdf5_decode(const struct vv_foreign *foreign,
    uint64_t number, unsigned char *bytes, size_t size, varve_error *error)
{
    const struct vv_hdf5_source *s = foreign->state;
    const struct vv_hdf5_made *made =
        (const struct vv_hdf5_made *)(const void *)s->made.data + number;
    varve_error said = { VARVE_OK, 0, "" };
    varve_status status =
        made->is_text
            ? decode_texts(s, made, bytes, size, &said)
            : s->calls->read(s->file, made->object, bytes, size, &said);
    return status ? vv_hdf5_fail_at(s, made->name, &said, error) : VARVE_OK;
}
