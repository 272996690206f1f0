/* processes.c - Makes a group from pairs of sockets, joins it, and duplicates
 * it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "processes.h"

#include <errno.h>

#include "allocator.h"
#include "default_allocator.h"
#include "failure.h"
#include "star.h"
#include "store.h"
#include "try.h"

/* --- Construction -------------------------------------------------------- */

static int64_t process_number(const struct varve_processes *p)
{
    return p->context.system->process(p->context.system->state, NULL, 0);
}

static size_t end_count(const struct varve_processes *p)
{
    return 2 * (size_t)p->size;
}

/* Closes all ends except those that belong to `rank`. */
static void close_others(struct varve_processes *p, uint32_t rank)
{
    for (size_t i = 0; i < end_count(p); i++) {
        bool is_own = i % 2 == 0 ? rank == 0 : i / 2 == rank;
        if (is_own || p->ends[i] < 0)
            continue;
        p->sockets->close(p->sockets->state, p->ends[i]);
        p->ends[i] = -1;
    }
}

static bool processes_has_memory(struct varve_processes *p)
{
    const varve_allocator *a = &p->context.allocator;
    p->ends = vv_allocate_array(a, end_count(p), sizeof *p->ends);
    p->peers = vv_allocate_array(a, p->size, sizeof *p->peers);
    p->waits = vv_allocate_array(a, p->size, sizeof *p->waits);
    p->values = vv_allocate_array(a, p->size, sizeof *p->values);
    p->shifts =
        vv_allocate_array(a, p->size, VV_SHIFT_WORDS * sizeof *p->shifts);
    for (size_t i = 0; p->ends && i < end_count(p); i++)
        p->ends[i] = -1;
    return p->ends && p->peers && p->waits && p->values && p->shifts;
}

static varve_status connect_all(struct varve_processes *p, varve_error *error)
{
    for (size_t i = 2; i < end_count(p); i += 2) {
        int result = p->sockets->open_pair(p->sockets->state, &p->ends[i]);
        if (result < 0)
            return vv_fail_system(
                error, -result, "socketpair", "a group of processes");
    }
    return VARVE_OK;
}

static varve_status processes_check_arguments(
    uint32_t size, const varve_processes_options *options, varve_error *error)
{
    VV_TRY(VV_CHECK_OPTIONS(options, error));
    if (size == 0)
        return vv_fail(error, VARVE_MISUSE,
            "a group of processes: at least one process is required");
    if (options->timeout_ms < 0)
        return vv_fail(error, VARVE_MISUSE,
            "a group of processes: the timeout must not be negative");
    return VARVE_OK;
}

/* Returns the timeout in nanoseconds; -1 if there is none or it is too large to
 * represent. */
static int64_t timeout_of(const varve_processes_options *options)
{
    bool has_one =
        options->timeout_ms > 0 && options->timeout_ms <= INT64_MAX / 1000000;
    return has_one ? options->timeout_ms * 1000000 : -1;
}

varve_processes *vv_processes_new_in(const struct vv_context *context,
    const struct vv_sockets *sockets, uint32_t size,
    const varve_processes_options *options, varve_error *error)
{
    static const varve_processes_options usual;
    options = options ? options : &usual;
    if (processes_check_arguments(size, options, error))
        return NULL;
    varve_processes *p = vv_allocate_zeroed(&context->allocator, sizeof *p);
    if (!p) {
        vv_fail_memory(error, "a group of processes");
        return NULL;
    }
    p->context = *context;
    p->sockets = sockets;
    p->size = size;
    p->timeout = timeout_of(options);
    p->joined = -1;
    varve_status status = processes_has_memory(p)
                              ? connect_all(p, error)
                              : vv_fail_memory(error, "a group of processes");
    if (!status)
        return p;
    varve_processes_free(p);
    return NULL;
}

varve_processes *varve_processes_new(
    uint32_t size, const varve_processes_options *options, varve_error *error)
{
    const struct vv_context context = {
        .allocator =
            vv_allocator_or_default(options ? options->allocator : NULL),
        .system = vv_default_system(),
    };
    return vv_processes_new_in(
        &context, &vv_posix_sockets, size, options, error);
}

static varve_status processes_duplicate(void *self, varve_comm **copy);

static void processes_release(void *self)
{
    varve_processes_free(self);
}

/* Initializes the peers and the communicator of a rank. Its own ends must be
 * open. */
static void take_seat(struct varve_processes *p, uint32_t rank)
{
    p->peer_count = rank > 0 ? 1 : p->size - 1;
    for (uint32_t i = 0; i < p->peer_count; i++)
        p->peers[i].socket =
            p->ends[rank > 0 ? 2 * (size_t)rank + 1 : 2 * (size_t)i + 2];
    p->comm = (varve_comm){
        .rank = rank,
        .size = p->size,
        .self = p,
        .duplicate = processes_duplicate,
        .release = p->parent ? processes_release : NULL,
    };
    vv_star_fill_in(&p->comm);
}

const varve_comm *varve_processes_join(
    varve_processes *p, uint32_t rank, varve_error *error)
{
    if (!p || rank >= p->size || p->joined >= 0) {
        if (!p)
            vv_fail(error, VARVE_MISUSE, "the group of processes is NULL");
        else
            vv_fail(error, VARVE_MISUSE,
                "a group of processes: each process must join once, with a "
                "rank below %u, found rank %u%s",
                p->size, rank, p->joined >= 0 ? ", which joins again" : "");
        return NULL;
    }
    p->joined = process_number(p);
    close_others(p, rank);
    take_seat(p, rank);
    return &p->comm;
}

/* --- Duplication --------------------------------------------------------- */

/* Makes a copy of the group. Rank 0 also creates its sockets. */
static varve_processes *new_copy(varve_processes *p)
{
    varve_processes *copy =
        vv_allocate_zeroed(&p->context.allocator, sizeof *copy);
    if (!copy)
        return NULL;
    copy->context = p->context;
    copy->sockets = p->sockets;
    copy->timeout = p->timeout;
    copy->size = p->size;
    copy->joined = p->joined;
    copy->parent = p;
    copy->next = p->copies;
    p->copies = copy;
    if (processes_has_memory(copy) &&
        (p->comm.rank > 0 || connect_all(copy, NULL) == VARVE_OK))
        return copy;
    varve_processes_free(copy);
    return NULL;
}

/* Moves one socket from rank 0 to a peer. If the peer has no free descriptor,
 * nothing is changed. */
static varve_status move_end(
    struct varve_processes *p, const struct vv_star_peer *peer, int *end)
{
    const struct vv_sockets *s = p->sockets;
    bool is_out = p->comm.rank == 0;
    int64_t since = vv_star_uptime(p);
    for (;;) {
        int result = is_out ? s->pass(s->state, peer->socket, *end)
                            : s->take(s->state, peer->socket, end);
        if (result >= 0)
            return VARVE_OK;
        if (!vv_star_is_for_later(result))
            return is_out || result == -EPIPE || result == -ECONNRESET
                       ? vv_star_settle(p, VARVE_DISCONNECTED)
                       : VARVE_NO_MEMORY;
        p->waits[0] = (struct vv_wait){ .socket = peer->socket,
            .wanted = is_out ? VV_CAN_SEND : VV_CAN_RECEIVE };
        varve_status status = vv_star_wait(p, 1, since);
        if (status)
            return vv_star_settle(p, status);
    }
}

/* Moves sockets from rank 0, which keeps the first of each pair, to all
 * others. */
static varve_status move_ends(varve_processes *p, varve_processes *copy)
{
    uint32_t rank = p->comm.rank;
    if (rank > 0)
        return move_end(p, &p->peers[0], &copy->ends[2 * (size_t)rank + 1]);
    for (uint32_t i = 0; i < p->peer_count; i++)
        VV_TRY(move_end(p, &p->peers[i], &copy->ends[2 * (size_t)i + 3]));
    close_others(copy, rank);
    return VARVE_OK;
}

/* Returns the largest status of all ranks, so that all fail if one does. */
static varve_status all_have(varve_processes *p, varve_status status)
{
    uint64_t worst = status;
    VV_TRY(vv_star_agree(p, &worst));
    return (varve_status)worst;
}

static varve_status processes_duplicate(void *self, varve_comm **made)
{
    varve_processes *p = self;
    varve_processes *copy = p->is_broken ? NULL : new_copy(p);
    varve_status status = all_have(p, copy ? VARVE_OK : VARVE_NO_MEMORY);
    if (!status) {
        status = move_ends(p, copy);
        if (!p->is_broken)
            status = all_have(p, status);
    }
    if (status) {
        varve_processes_free(copy);
        return status;
    }
    take_seat(copy, p->comm.rank);
    *made = &copy->comm;
    return VARVE_OK;
}

static bool is_here(const varve_processes *p)
{
    return p->joined >= 0 && p->joined == process_number(p);
}

/* Disconnects the copies. Their memory belongs to their owners. */
static void leave_copies(varve_processes *p)
{
    for (varve_processes *copy = p->copies; copy; copy = copy->next) {
        copy->parent = NULL;
        if (is_here(p))
            vv_star_leave(copy);
        else
            close_others(copy, UINT32_MAX);
    }
}

static void part_from(varve_processes *parent, varve_processes *copy)
{
    varve_processes **link = &parent->copies;
    while (*link != copy)
        link = &(*link)->next;
    *link = copy->next;
}

/* Leaves and frees the group. A forked child of a rank only closes its
 * inherited copies of the sockets. */
void varve_processes_free(varve_processes *p)
{
    if (!p)
        return;
    leave_copies(p);
    if (p->parent)
        part_from(p->parent, p);
    if (is_here(p))
        vv_star_leave(p);
    if (p->ends)
        close_others(p, UINT32_MAX);
    const varve_allocator a = p->context.allocator;
    if (p->ends)
        vv_release(&a, p->ends, end_count(p) * sizeof *p->ends);
    if (p->peers)
        vv_release(&a, p->peers, p->size * sizeof *p->peers);
    if (p->waits)
        vv_release(&a, p->waits, p->size * sizeof *p->waits);
    if (p->values)
        vv_release(&a, p->values, p->size * sizeof *p->values);
    if (p->shifts)
        vv_release(&a, p->shifts, p->size * VV_SHIFT_WORDS * sizeof *p->shifts);
    vv_release(&a, p, sizeof *p);
}
