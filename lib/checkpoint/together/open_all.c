/* open_all.c - Broadcasts the location, the digest and the bytes of an index;
 * then each rank opens the data files.
 *
 * SPDX-License-Identifier: MIT
 */
#include "open_all.h"

#include <string.h>

#include "comm_collectives.h"
#include "formats.h"
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

static bool is_broadcast(
    const struct vv_open_all *how, const struct vv_opened *file)
{
    return !how->context->salvages &&
           vv_checkpoint_format(file) == VARVE_FORMAT_VARVE;
}

/* Fills in the broadcast for the file that rank 0 has open. If its size is 0
 * each rank opens the file itself. */
static void open_all_describe(const struct vv_open_all *how,
    const struct vv_opened *file, struct vv_index_broadcast *broadcast)
{
    if (is_broadcast(how, file))
        vv_index_broadcast_make(broadcast, file, vv_data_in_place(file));
    else
        broadcast->place.digest =
            vv_digest_of(file->index_bytes, file->index_size);
}

/* Broadcasts the numbers, which are 0 if rank 0 has failed. */
static varve_status open_all_bcast_numbers(const varve_comm *comm,
    struct vv_index_broadcast *broadcast, varve_error *error)
{
    uint64_t numbers[VV_INDEX_BROADCAST_NUMBERS];
    vv_index_broadcast_numbers(broadcast, numbers);
    VV_TRY(vv_comm_bcast(comm, numbers, sizeof numbers, error));
    vv_index_broadcast_take(broadcast, numbers);
    return VARVE_OK;
}

static varve_status open_all_make_room(const struct vv_open_all *how,
    struct vv_index_broadcast *broadcast, struct vv_opened *file,
    varve_error *error)
{
    VV_TRY(vv_opened_begin(file, how->context, how->path, error));
    return vv_index_broadcast_make_room(broadcast, how->context, error);
}

static varve_status bcast_index(const struct vv_open_all *how,
    struct vv_index_broadcast *broadcast, varve_error *error)
{
    if (broadcast->word_count > 0)
        VV_TRY(vv_comm_bcast(how->comm, broadcast->far->words,
            (size_t)broadcast->word_count * sizeof *broadcast->far->words,
            error));
    if (broadcast->size == 0)
        return VARVE_OK;
    return vv_comm_bcast(
        how->comm, broadcast->bytes, (size_t)broadcast->size, error);
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
    struct vv_index_broadcast *broadcast, struct vv_opened *file,
    varve_error *error)
{
    if (broadcast->size > 0)
        return vv_data_in_open_told(file, broadcast, error);
    VV_TRY(open_alone(how, file, error));
    struct vv_digest found = vv_digest_of(file->index_bytes, file->index_size);
    return vv_digest_equal(&found, &broadcast->place.digest)
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
    varve_status status, struct vv_index_broadcast *broadcast,
    struct vv_opened *file, varve_error *error)
{
    bool is_first = how->comm->rank == 0;
    if (is_first && !status)
        status = open_first(how, file, error);
    if (is_first && !status)
        open_all_describe(how, file, broadcast);
    status = not_found(how, status, error);
    if (is_first && status)
        vv_index_broadcast_clear(broadcast);
    VV_TRY(open_all_bcast_numbers(how->comm, broadcast, error));
    if (!is_first && !status && broadcast->size > 0)
        status = open_all_make_room(how, broadcast, file, error);
    VV_TRY(vv_agree(how->comm, status, error));
    VV_TRY(bcast_index(how, broadcast, error));
    if (!is_first)
        status = not_found(how, open_same(how, broadcast, file, error), error);
    return vv_agree(how->comm, status, error);
}

varve_status vv_open_all(const struct vv_open_all *how, varve_status status,
    struct vv_opened *file, varve_error *error)
{
    struct vv_index_broadcast broadcast = { .size = 0 };
    status = open_all_open_together(how, status, &broadcast, file, error);
    vv_index_broadcast_clear(&broadcast);
    if (status)
        vv_opened_close(file);
    return status;
}
