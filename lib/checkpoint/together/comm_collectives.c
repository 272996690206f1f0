/* comm_collectives.c - Implements the collective operations with the functions
 * of a communicator.
 *
 * vv_agree finds the lowest rank that failed by a maximum, so that without a
 * failure one exchange of eight bytes is sufficient. The error message is sent
 * in the same way, eight bytes at a time. That needs no memory, which may be
 * what a rank has run out of.
 *
 * SPDX-License-Identifier: MIT
 */
#include "comm_collectives.h"

#include <inttypes.h>
#include <string.h>

#include "allocator.h"
#include "failure.h"
#include "try.h"

/* --- One process ---------------------------------------------------------- */

static varve_status alone_agree(void *self, uint64_t *value)
{
    (void)self, (void)value;
    return VARVE_OK;
}

static varve_status alone_gather(
    void *self, const void *bytes, size_t size, void *all)
{
    (void)self;
    if (size > 0)
        memcpy(all, bytes, size);
    return VARVE_OK;
}

static varve_status alone_gather_varied(void *self, const void *bytes,
    size_t size, void *all, const uint64_t *sizes)
{
    (void)sizes;
    return alone_gather(self, bytes, size, all);
}

static varve_status alone_broadcast(void *self, void *bytes, size_t size)
{
    (void)self, (void)bytes, (void)size;
    return VARVE_OK;
}

static varve_status alone_barrier(void *self)
{
    (void)self;
    return VARVE_OK;
}

const varve_comm vv_comm_alone = {
    .size = 1,
    .agree = alone_agree,
    .gather = alone_gather,
    .gather_varied = alone_gather_varied,
    .broadcast = alone_broadcast,
    .barrier = alone_barrier,
};

/* --- Agreement ------------------------------------------------------------ */

varve_status vv_check_comm(const varve_comm *comm, varve_error *error)
{
    if (!comm || comm->rank >= comm->size)
        return vv_fail(error, VARVE_MISUSE,
            "the communicator is NULL, or its rank is not below its size");
    return VV_CHECK_ROOM(comm->reserved, error);
}

varve_status vv_comm_fail(
    const varve_comm *comm, varve_status status, varve_error *error)
{
    return vv_fail(error, status,
        "rank %" PRIu32 " of %" PRIu32
        ": the collective operation failed: a rank may have ended",
        comm->rank, comm->size);
}

varve_status vv_comm_allreduce_max(
    const varve_comm *comm, uint64_t *number, varve_error *error)
{
    varve_status status = comm->agree(comm->self, number);
    return status ? vv_comm_fail(comm, status, error) : VARVE_OK;
}

/* Sets a number on all ranks to its value on the rank `from`. */
static varve_status comm_collectives_spread(
    const varve_comm *comm, uint32_t from, uint64_t *number, varve_error *error)
{
    *number = comm->rank == from ? *number : 0;
    return vv_comm_allreduce_max(comm, number, error);
}

static varve_status spread_message(
    const varve_comm *comm, uint32_t from, char *message, varve_error *error)
{
    uint64_t size = strlen(message);
    VV_TRY(comm_collectives_spread(comm, from, &size, error));
    for (size_t at = 0; at < size && at < VARVE_MESSAGE_SIZE; at += 8) {
        uint64_t word;
        memcpy(&word, message + at, sizeof word);
        VV_TRY(comm_collectives_spread(comm, from, &word, error));
        memcpy(message + at, &word, sizeof word);
    }
    message[size < VARVE_MESSAGE_SIZE ? size : VARVE_MESSAGE_SIZE - 1] = '\0';
    return VARVE_OK;
}

_Static_assert(VARVE_MESSAGE_SIZE % 8 == 0, "it goes eight bytes at a time");

/* Returns true if an inner operation has already named the rank that failed. */
static bool names_a_rank(const char *message)
{
    static const char rank[] = "rank ";
    size_t digits;
    if (strncmp(message, rank, strlen(rank)) != 0)
        return false;
    message += strlen(rank);
    digits = strspn(message, "0123456789");
    return digits && message[digits] == ':';
}

static varve_status spread_failure(const varve_comm *comm, uint32_t from,
    varve_status status, varve_error *error)
{
    varve_error reason = { 0 };
    uint64_t number = status, system_error = 0;
    if (comm->rank == from && error) {
        memcpy(reason.message, error->message, sizeof reason.message);
        system_error = (uint64_t)error->system_error;
    }
    VV_TRY(comm_collectives_spread(comm, from, &number, error));
    VV_TRY(comm_collectives_spread(comm, from, &system_error, error));
    VV_TRY(spread_message(comm, from, reason.message, error));
    reason.status = (varve_status)number;
    reason.system_error = (int)system_error;
    if (names_a_rank(reason.message))
        return vv_pass_failure(error, &reason);
    return vv_fail_because(error, &reason, "rank %" PRIu32, from);
}

varve_status vv_agree(
    const varve_comm *comm, varve_status status, varve_error *error)
{
    varve_error local = { 0 };
    if (vv_is_alone(comm))
        return status;
    uint64_t failed = status ? comm->size - comm->rank : 0;
    varve_status talk = comm->agree(comm->self, &failed);
    if (talk && status == VARVE_DISCONNECTED)
        return status; /* its message has the reason */
    if (talk)
        return vv_comm_fail(comm, talk, error);
    if (failed == 0)
        return VARVE_OK;
    return spread_failure(
        comm, comm->size - (uint32_t)failed, status, error ? error : &local);
}

/* --- Broadcast and gather ------------------------------------------------- */

varve_status vv_comm_bcast_u64(
    const varve_comm *comm, uint64_t *number, varve_error *error)
{
    return vv_comm_bcast(comm, number, sizeof *number, error);
}

varve_status vv_comm_bcast(
    const varve_comm *comm, void *bytes, size_t size, varve_error *error)
{
    varve_status status = comm->broadcast(comm->self, bytes, size);
    return status ? vv_comm_fail(comm, status, error) : VARVE_OK;
}

varve_status vv_comm_gather_u64(const varve_comm *comm, const uint64_t *mine,
    size_t count, uint64_t *all, varve_error *error)
{
    varve_status status =
        comm->gather(comm->self, mine, count * sizeof *mine, all);
    return status ? vv_comm_fail(comm, status, error) : VARVE_OK;
}

/* Makes room for a broadcast of `size` bytes. */
static varve_status reserve_for(
    struct vv_buffer *bytes, uint64_t size, varve_error *error)
{
    bytes->size = 0;
    return size == 0 ||
                   (size <= SIZE_MAX && vv_buffer_extend(bytes, (size_t)size))
               ? VARVE_OK
               : vv_fail_memory(error, "a broadcast");
}

varve_status vv_comm_bcast_buffer(const varve_comm *comm, varve_status status,
    struct vv_buffer *bytes, varve_error *error)
{
    bool is_first = comm->rank == 0;
    if (is_first && !status && bytes->failed)
        status = vv_fail_memory(error, "a broadcast");
    uint64_t size = is_first && !status ? bytes->size : 0;
    VV_TRY(vv_comm_bcast_u64(comm, &size, error));
    if (!is_first)
        status = reserve_for(bytes, size, error);
    VV_TRY(vv_agree(comm, status, error));
    return vv_comm_bcast(comm, bytes->data, (size_t)size, error);
}

varve_status vv_comm_allgather(const varve_comm *comm, const void *bytes,
    size_t size, void *all, varve_error *error)
{
    varve_status status =
        comm->gather(comm->self, bytes, size, comm->rank == 0 ? all : NULL);
    return status ? vv_comm_fail(comm, status, error)
                  : vv_comm_bcast(comm, all, size * comm->size, error);
}

/* Allocates the buffer for the data of all ranks, on rank 0. */
static varve_status comm_collectives_reserve(const varve_comm *comm,
    struct vv_gathered *all, uint64_t total, varve_error *error)
{
    if (comm->rank == 0 && total <= SIZE_MAX)
        vv_buffer_reserve(&all->bytes, (size_t)total);
    if (comm->rank == 0 && total > 0 &&
        (total > SIZE_MAX || !vv_buffer_extend(&all->bytes, (size_t)total)))
        return vv_fail_memory(error, "gathered data");
    return VARVE_OK;
}

static varve_status gather_bytes(const varve_comm *comm,
    const struct vv_buffer *bytes, struct vv_gathered *all, varve_error *error)
{
    uint64_t size = bytes->size, total = 0;
    VV_TRY(vv_comm_gather_u64(comm, &size, 1, all->sizes, error));
    for (uint32_t i = 0; all->sizes && i < comm->size; i++)
        total += all->sizes[i];
    VV_TRY(vv_agree(
        comm, comm_collectives_reserve(comm, all, total, error), error));
    varve_status status = comm->gather_varied(
        comm->self, bytes->data, bytes->size, all->bytes.data, all->sizes);
    return status ? vv_comm_fail(comm, status, error) : VARVE_OK;
}

varve_status vv_comm_gatherv(const varve_comm *comm, varve_status status,
    const struct vv_buffer *bytes, struct vv_gathered *all, varve_error *error)
{
    *all = (struct vv_gathered){ .count = comm->size };
    vv_buffer_init(&all->bytes, bytes->allocator);
    if (!status && bytes->failed)
        status = vv_fail_memory(error, "data of a rank");
    if (!status && comm->rank == 0) {
        all->sizes =
            vv_allocate_array(bytes->allocator, comm->size, sizeof *all->sizes);
        if (!all->sizes)
            status = vv_fail_memory(error, "gathered data");
    }
    status = vv_agree(comm, status, error);
    if (!status)
        status = gather_bytes(comm, bytes, all, error);
    if (status)
        vv_gathered_clear(all);
    return status;
}

void vv_gathered_clear(struct vv_gathered *all)
{
    if (all->sizes)
        vv_release(
            all->bytes.allocator, all->sizes, all->count * sizeof *all->sizes);
    all->sizes = NULL;
    vv_buffer_clear(&all->bytes);
}
