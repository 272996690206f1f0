/* npy_format.c - Reads an npy file: its header, exact size and single value.
 *
 * SPDX-License-Identifier: MIT
 */
#include "npy_format.h"

#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "npy_decode.h"
#include "npy_kept.h"
#include "npy_in.h"
#include "try.h"

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

struct reading {
    const struct vv_foreign *foreign;
    uint64_t offset;
};

static varve_status npy_format_begin(void *user, varve_error *error)
{
    struct reading *r = user;
    const struct npy *npy = r->foreign->state;
    (void)error;
    r->offset = npy->data_offset;
    return VARVE_OK;
}

static varve_status npy_format_read_on(
    void *user, void *bytes, size_t size, varve_error *error)
{
    struct reading *r = user;
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

static struct vv_npy_data npy_format_data_of(struct reading *r)
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
    struct reading reading = { .foreign = foreign };
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
    struct reading reading = { .foreign = foreign };
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
