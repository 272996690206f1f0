/* open_all.c - Broadcasts the location, the digest and the bytes of an index;
 * then each rank opens the data files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "open_all.h"

#include <string.h>

#include "comm_collectives.h"
#include "checkpoint_in.h"
#include "data_in.h"
#include "failure.h"
#include "try.h"

static varve_status open_alone(
    const struct vv_open_all *how, struct vv_opened *file, varve_error *error)
{
    return vv_checkpoint_open(file, how->context, how->path, error);
}

/* Opens the checkpoint on rank 0, which reads no more of the index into memory
 * than the other ranks. For salvaging, each rank reads the whole index. */
static varve_status open_first(
    const struct vv_open_all *how, struct vv_opened *file, varve_error *error)
{
    uint64_t most = how->context->salvages ? UINT64_MAX : how->most_told;
    return vv_checkpoint_open_far(file, how->context, how->path, most, error);
}

static bool is_told(const struct vv_open_all *how, const struct vv_opened *file)
{
    return !how->context->salvages &&
           vv_checkpoint_format(file) == VARVE_FORMAT_VARVE;
}

/* Fills in the broadcast for the file that rank 0 has open. If its size is 0
 * each rank opens the file itself. */
static void open_all_describe(const struct vv_open_all *how,
    const struct vv_opened *file, struct vv_index_broadcast *told)
{
    if (is_told(how, file))
        vv_index_broadcast_make(told, file, vv_data_in_place(file));
    else
        told->place.digest = vv_digest_of(file->index_bytes, file->index_size);
}

/* Broadcasts the numbers, which are 0 if rank 0 has failed. */
static varve_status open_all_tell_numbers(
    const varve_comm *comm, struct vv_index_broadcast *told, varve_error *error)
{
    uint64_t numbers[VV_INDEX_BROADCAST_NUMBERS];
    vv_index_broadcast_numbers(told, numbers);
    VV_TRY(vv_comm_bcast(comm, numbers, sizeof numbers, error));
    vv_index_broadcast_take(told, numbers);
    return VARVE_OK;
}

static varve_status open_all_make_room(const struct vv_open_all *how,
    struct vv_index_broadcast *told, struct vv_opened *file, varve_error *error)
{
    VV_TRY(vv_opened_begin(file, how->context, how->path, error));
    return vv_index_broadcast_make_room(told, how->context, error);
}

static varve_status tell_index(const struct vv_open_all *how,
    struct vv_index_broadcast *told, varve_error *error)
{
    if (told->word_count > 0)
        VV_TRY(vv_comm_bcast(how->comm, told->far->words,
            (size_t)told->word_count * sizeof *told->far->words, error));
    if (told->size == 0)
        return VARVE_OK;
    return vv_comm_bcast(how->comm, told->bytes, (size_t)told->size, error);
}

static varve_status open_all_fail_other(
    const struct vv_open_all *how, const char *found, varve_error *error)
{
    return vv_fail(error, VARVE_MISMATCH,
        "%s: differs from the checkpoint that rank 0 has open (this rank found "
        "%s): it may have been replaced",
        how->path, found);
}

/* Opens the same file as rank 0. Another checkpoint may have replaced it, or
 * the file system may return an older one. This is detected by the index, which
 * contains the digests of all values. */
static varve_status open_same(const struct vv_open_all *how,
    struct vv_index_broadcast *told, struct vv_opened *file, varve_error *error)
{
    if (told->size > 0)
        return vv_data_in_open_told(file, told, error);
    VV_TRY(open_alone(how, file, error));
    struct vv_digest found = vv_digest_of(file->index_bytes, file->index_size);
    return vv_digest_equal(&found, &told->place.digest)
               ? VARVE_OK
               : open_all_fail_other(how, "another", error);
}

/* Converts VARVE_NOT_FOUND on other ranks than 0: the program would start from
 * scratch, although the checkpoint exists. */
static varve_status not_found(
    const struct vv_open_all *how, varve_status status, varve_error *error)
{
    return status == VARVE_NOT_FOUND && how->comm->rank != 0
               ? open_all_fail_other(how, "none", error)
               : status;
}

static varve_status open_all_open_together(const struct vv_open_all *how,
    varve_status status, struct vv_index_broadcast *told,
    struct vv_opened *file, varve_error *error)
{
    bool is_first = how->comm->rank == 0;
    if (is_first && !status)
        status = open_first(how, file, error);
    if (is_first && !status)
        open_all_describe(how, file, told);
    status = not_found(how, status, error);
    if (is_first && status)
        vv_index_broadcast_clear(told);
    VV_TRY(open_all_tell_numbers(how->comm, told, error));
    if (!is_first && !status && told->size > 0)
        status = open_all_make_room(how, told, file, error);
    VV_TRY(vv_agree(how->comm, status, error));
    VV_TRY(tell_index(how, told, error));
    if (!is_first)
        status = not_found(how, open_same(how, told, file, error), error);
    return vv_agree(how->comm, status, error);
}

varve_status vv_open_all(const struct vv_open_all *how, varve_status status,
    struct vv_opened *file, varve_error *error)
{
    struct vv_index_broadcast told = { .size = 0 };
    status = open_all_open_together(how, status, &told, file, error);
    vv_index_broadcast_clear(&told);
    if (status)
        vv_opened_close(file);
    return status;
}
