/* open_all.c - where the index lies and its digest; its bytes; then each opens
 * the files that have the data.
 *
 * SPDX-License-Identifier: MIT
 */
#include "open_all.h"

#include <string.h>

#include "agreement.h"
#include "checkpoint_in.h"
#include "data_in.h"
#include "failure.h"
#include "try.h"

static varve_status open_alone(
    const struct vv_open_all *how, struct vv_opened *file, varve_error *error)
{
    return vv_checkpoint_open(file, how->context, how->path, error);
}

/* What is told of the file that rank 0 has open. A place of size 0: each opens
 * it for itself. */
static void describe(const struct vv_open_all *how,
    const struct vv_opened *file, struct vv_told_index *told)
{
    if (how->context->salvages ||
        vv_checkpoint_format(file) != VARVE_FORMAT_VARVE) {
        told->place.digest = vv_digest_of(file->index_bytes, file->index_size);
        return;
    }
    told->place = *vv_data_in_place(file);
    vv_told_choose(told, file, how->most_digests);
}

/* Zero where rank 0 has failed. */
static varve_status tell_place(
    const varve_comm *comm, struct vv_told_index *told, varve_error *error)
{
    struct vv_index_place *place = &told->place;
    uint64_t all[] = { place->offset, place->size, 0, 0, told->digests_at,
        told->digests_size };
    memcpy(&all[2], place->digest.bytes, sizeof place->digest.bytes);
    VV_TRY(vv_tell_bytes(comm, all, sizeof all, error));
    place->offset = all[0];
    place->size = all[1];
    memcpy(place->digest.bytes, &all[2], sizeof place->digest.bytes);
    told->digests_at = all[4];
    told->digests_size = all[5];
    return VARVE_OK;
}

static varve_status make_room(const struct vv_open_all *how,
    struct vv_told_index *told, struct vv_opened *file, varve_error *error)
{
    VV_TRY(vv_opened_begin(file, how->context, how->path, error));
    return vv_told_begin(told, file, error);
}

/* Rank 0 has the bytes where they belong. */
static varve_status tell_index(const struct vv_open_all *how,
    struct vv_told_index *told, struct vv_opened *file, varve_error *error)
{
    bool is_first = how->comm->rank == 0;
    size_t size;
    for (uint64_t at = 0; at < told->place.size; at += size) {
        size = vv_told_part(told, at);
        void *bytes = is_first ? (unsigned char *)file->index_bytes + at
                               : vv_told_room(told, file, at);
        VV_TRY(vv_tell_bytes(how->comm, bytes, size, error));
        if (!is_first)
            vv_told_take(told, file, at);
    }
    return VARVE_OK;
}

static varve_status fail_other(
    const struct vv_open_all *how, const char *found, varve_error *error)
{
    return vv_fail(error, VARVE_MISMATCH,
        "%s: expected the checkpoint that rank 0 has open, found %s: was it "
        "replaced meanwhile?",
        how->path, found);
}

/* Another checkpoint may have come to its name, or a file system show an older
 * one: the index tells, and with its digests all values. */
static varve_status open_same(const struct vv_open_all *how,
    struct vv_told_index *told, struct vv_opened *file, varve_error *error)
{
    if (told->place.size > 0)
        return vv_data_in_open_told(file, told, error);
    VV_TRY(open_alone(how, file, error));
    struct vv_digest found = vv_digest_of(file->index_bytes, file->index_size);
    return vv_digest_equal(&found, &told->place.digest)
               ? VARVE_OK
               : fail_other(how, "another", error);
}

/* A program that is told of nothing begins anew; but there is something. */
static varve_status not_found(
    const struct vv_open_all *how, varve_status status, varve_error *error)
{
    return status == VARVE_NOT_FOUND && how->comm->rank != 0
               ? fail_other(how, "none", error)
               : status;
}

static varve_status open_together(const struct vv_open_all *how,
    varve_status status, struct vv_told_index *told, struct vv_opened *file,
    varve_error *error)
{
    bool is_first = how->comm->rank == 0;
    if (is_first && !status)
        status = open_alone(how, file, error);
    if (is_first && !status)
        describe(how, file, told);
    status = not_found(how, status, error);
    VV_TRY(tell_place(how->comm, told, error));
    if (!is_first && !status && told->place.size > 0)
        status = make_room(how, told, file, error);
    VV_TRY(vv_agree(how->comm, status, error));
    VV_TRY(tell_index(how, told, file, error));
    if (!is_first)
        status = not_found(how, open_same(how, told, file, error), error);
    return vv_agree(how->comm, status, error);
}

varve_status vv_open_all(const struct vv_open_all *how, varve_status status,
    struct vv_opened *file, varve_error *error)
{
    struct vv_told_index told = { 0 };
    status = open_together(how, status, &told, file, error);
    if (how->context)
        vv_told_clear(&told, &how->context->allocator);
    if (status)
        vv_opened_close(file);
    return status;
}
