/* processes.c - a star of sockets: what all say goes to rank 0, and from there
 * to all.
 *
 * A call is one such movement, or one in and one out. Rank 0 moves with all
 * others at once, as far as each is ready, into and out of the program's own
 * memory: so nobody's slowness holds up another, nothing has to be kept, and
 * whoever ends in the middle is seen while others are waited for. One that ends
 * when its part is done is no concern of the call.
 *
 * Each movement begins with what it is, so that ranks that have lost step with
 * each other do not take one thing for another. Of the bytes the first few go
 * with that: most calls have no more, and are one message then.
 *
 * SPDX-License-Identifier: MIT
 */
#include "processes.h"

#include <errno.h>
#include <string.h>

#include "allocator.h"
#include "default_allocator.h"
#include "failure.h"
#include "store.h"
#include "try.h"

enum call { AGREE, GATHER, GATHER_VARIED, BROADCAST, BARRIER };

enum { AHEAD = 48 };

struct header {
    uint64_t call;
    uint64_t size;
    unsigned char ahead[AHEAD]; /* of the bytes as many as there are */
};

/* The other end of a socket of this rank, and what is moved there now. */
struct peer {
    int socket; /* or -1 */
    struct header header, came;
    unsigned char *bytes;
    uint64_t done; /* of the header and the bytes behind it */
};

struct varve_processes {
    struct vv_context context;
    const struct vv_sockets *sockets;
    varve_comm comm;
    int64_t timeout; /* nanoseconds; below 0: none */
    uint32_t size;
    int64_t joined; /* the number of the process that has, or -1 */
    bool is_broken;
    int *ends; /* two for each rank, of which its own is the second; -1 of 0 */
    struct peer *peers; /* all others of rank 0, and rank 0 of each other */
    uint32_t peer_count;
    struct vv_wait *waits; /* as many */
    uint64_t *values;      /* of all ranks */
    varve_processes
        *parent; /* that it is a copy of; NULL: of none that lives */
    varve_processes *copies, *next;
};

/* --- One movement ------------------------------------------------------- */

static size_t ahead_of(uint64_t size)
{
    return size < AHEAD ? (size_t)size : AHEAD;
}

static bool is_done(const struct peer *peer)
{
    uint64_t size = peer->header.size;
    return peer->done == sizeof peer->header + size - ahead_of(size);
}

/* What of a peer is next to be moved, and how much of it there is. */
static size_t next_part(
    struct peer *peer, struct header *header, unsigned char **part)
{
    bool is_in_header = peer->done < sizeof *header;
    uint64_t done =
        is_in_header ? peer->done : peer->done - sizeof *header + AHEAD;
    *part = (is_in_header ? (unsigned char *)header : peer->bytes) + done;
    return is_in_header ? sizeof *header - (size_t)done
                        : (size_t)(peer->header.size - done);
}

static int64_t move_part(
    const struct varve_processes *p, struct peer *peer, bool is_out)
{
    const struct vv_sockets *s = p->sockets;
    unsigned char *part;
    size_t size = next_part(peer, is_out ? &peer->header : &peer->came, &part);
    return is_out ? s->send(s->state, peer->socket, part, size)
                  : s->receive(s->state, peer->socket, part, size);
}

static void copy(void *to, const void *from, size_t size)
{
    if (size > 0)
        memmove(to, from, size);
}

static varve_status take_header(const struct peer *peer)
{
    const struct header *came = &peer->came;
    if (came->call != peer->header.call || came->size != peer->header.size)
        return VARVE_MISUSE;
    copy(peer->bytes, came->ahead, ahead_of(peer->header.size));
    return VARVE_OK;
}

static bool is_for_later(int64_t result)
{
    return result == -EAGAIN || result == -EWOULDBLOCK || result == -EINTR;
}

/* Moves what can be moved without waiting. */
static varve_status move_some(
    const struct varve_processes *p, struct peer *peer, bool is_out)
{
    while (!is_done(peer)) {
        int64_t moved = move_part(p, peer, is_out);
        if (is_for_later(moved))
            return VARVE_OK;
        if (moved <= 0)
            return VARVE_DISCONNECTED;
        peer->done += (uint64_t)moved;
        if (!is_out && peer->done == sizeof peer->came)
            VV_TRY(take_header(peer));
    }
    return VARVE_OK;
}

static int64_t uptime(const struct varve_processes *p)
{
    return p->context.system->uptime(p->context.system->state);
}

/* Asks for those that are not done; how many. */
static size_t set_waits(struct varve_processes *p, bool is_out)
{
    size_t count = 0;
    for (uint32_t i = 0; i < p->peer_count; i++)
        if (!is_done(&p->peers[i]))
            p->waits[count++] = (struct vv_wait){
                .socket = p->peers[i].socket,
                .wanted = is_out ? VV_CAN_SEND : VV_CAN_RECEIVE,
            };
    return count;
}

/* Waits for one of them; `since` is when something was moved last. */
static varve_status wait_for_some(
    struct varve_processes *p, size_t count, int64_t since)
{
    const struct vv_sockets *s = p->sockets;
    int64_t left = -1;
    if (p->timeout >= 0) {
        int64_t waited = uptime(p) - since;
        if (waited >= p->timeout)
            return VARVE_TIMEOUT;
        left = p->timeout - waited;
    }
    int result = s->wait(s->state, p->waits, count, left);
    return result >= 0 || result == -EINTR || result == -EAGAIN
               ? VARVE_OK
               : VARVE_DISCONNECTED;
}

/* Moves with those that were found ready; all of them at first. */
static varve_status move_with_ready(
    struct varve_processes *p, bool is_out, bool all, bool *has_moved)
{
    size_t at = 0;
    for (uint32_t i = 0; i < p->peer_count; i++) {
        struct peer *peer = &p->peers[i];
        if (is_done(peer) || (!all && !p->waits[at++].found))
            continue;
        uint64_t before = peer->done;
        VV_TRY(move_some(p, peer, is_out));
        *has_moved = *has_moved || peer->done != before;
    }
    return VARVE_OK;
}

/* Moves everything of all peers. */
static varve_status move_all(struct varve_processes *p, bool is_out)
{
    bool has_moved = true;
    int64_t since = 0;
    size_t count;
    VV_TRY(move_with_ready(p, is_out, true, &has_moved));
    while ((count = set_waits(p, is_out)) > 0) {
        if (has_moved && p->timeout >= 0)
            since = uptime(p);
        has_moved = false;
        VV_TRY(wait_for_some(p, count, since));
        VV_TRY(move_with_ready(p, is_out, false, &has_moved));
    }
    return VARVE_OK;
}

/* Whoever waits for this rank is told by the end of its sockets. */
static void leave(struct varve_processes *p)
{
    const struct vv_sockets *s = p->sockets;
    for (uint32_t i = 0; i < p->peer_count; i++)
        s->end(s->state, p->peers[i].socket);
}

static varve_status settle(struct varve_processes *p, varve_status status)
{
    if (status && !p->is_broken) {
        p->is_broken = true;
        leave(p);
    }
    return status;
}

static void begin(struct peer *peer, enum call call, void *bytes, uint64_t size)
{
    peer->header = (struct header){ .call = call, .size = size };
    peer->bytes = bytes;
    peer->done = 0;
}

static void begin_out(
    struct peer *peer, enum call call, void *bytes, uint64_t size)
{
    begin(peer, call, bytes, size);
    copy(peer->header.ahead, bytes, ahead_of(size));
}

/* --- From all to rank 0, and back ---------------------------------------- */

/* Rank 0's own come first. Without `sizes` all have `size`. What is sent is
 * only read. */
static varve_status collect(struct varve_processes *p, enum call call,
    const void *bytes, size_t size, void *all, const uint64_t *sizes)
{
    if (p->is_broken)
        return VARVE_DISCONNECTED;
    if (p->comm.rank > 0) {
        begin_out(&p->peers[0], call, (void *)bytes, size);
        return settle(p, move_all(p, true));
    }
    unsigned char *to = all;
    copy(to, bytes, size);
    uint64_t offset = size;
    for (uint32_t i = 0; i < p->peer_count; i++) {
        uint64_t more = sizes ? sizes[i + 1] : size;
        begin(&p->peers[i], call, more ? to + offset : NULL, more);
        offset += more;
    }
    return settle(p, move_all(p, false));
}

static varve_status distribute(
    struct varve_processes *p, enum call call, void *bytes, size_t size)
{
    if (p->is_broken)
        return VARVE_DISCONNECTED;
    for (uint32_t i = 0; i < p->peer_count; i++)
        (p->comm.rank == 0 ? begin_out : begin)(
            &p->peers[i], call, bytes, size);
    return settle(p, move_all(p, p->comm.rank == 0));
}

static varve_status agree(void *self, uint64_t *value)
{
    struct varve_processes *p = self;
    uint64_t largest = *value;
    VV_TRY(collect(p, AGREE, value, sizeof *value, p->values, NULL));
    for (uint32_t i = 1; p->comm.rank == 0 && i < p->size; i++)
        largest = p->values[i] > largest ? p->values[i] : largest;
    VV_TRY(distribute(p, AGREE, &largest, sizeof largest));
    *value = largest;
    return VARVE_OK;
}

static varve_status gather(
    void *self, const void *bytes, size_t size, void *all)
{
    return collect(self, GATHER, bytes, size, all, NULL);
}

/* What rank 0 says of itself has to be what it hands in. */
static varve_status gather_varied(void *self, const void *bytes, size_t size,
    void *all, const uint64_t *sizes)
{
    struct varve_processes *p = self;
    if (p->comm.rank == 0 && sizes[0] != size)
        return settle(p, VARVE_MISUSE);
    return collect(p, GATHER_VARIED, bytes, size, all, sizes);
}

static varve_status broadcast(void *self, void *bytes, size_t size)
{
    return distribute(self, BROADCAST, bytes, size);
}

static varve_status barrier(void *self)
{
    VV_TRY(collect(self, BARRIER, NULL, 0, NULL, NULL));
    return distribute(self, BARRIER, NULL, 0);
}

/* --- Beginning ----------------------------------------------------------- */

static int64_t process_number(const struct varve_processes *p)
{
    return p->context.system->process(p->context.system->state, NULL, 0);
}

static size_t end_count(const struct varve_processes *p)
{
    return 2 * (size_t)p->size;
}

/* Closes all ends but those that `rank` keeps. */
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

static bool has_memory(struct varve_processes *p)
{
    const varve_allocator *a = &p->context.allocator;
    p->ends = vv_allocate_array(a, end_count(p), sizeof *p->ends);
    p->peers = vv_allocate_array(a, p->size, sizeof *p->peers);
    p->waits = vv_allocate_array(a, p->size, sizeof *p->waits);
    p->values = vv_allocate_array(a, p->size, sizeof *p->values);
    for (size_t i = 0; p->ends && i < end_count(p); i++)
        p->ends[i] = -1;
    return p->ends && p->peers && p->waits && p->values;
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

static varve_status check_arguments(
    uint32_t size, const varve_processes_options *options, varve_error *error)
{
    VV_TRY(VV_CHECK_OPTIONS(options, error));
    if (size == 0)
        return vv_fail(error, VARVE_MISUSE,
            "a group of processes: expected at least one, found none");
    if (options->timeout_ms < 0)
        return vv_fail(error, VARVE_MISUSE,
            "a group of processes: expected a timeout of 0 ms or more, found "
            "one below");
    return VARVE_OK;
}

/* One that no clock will show is none. */
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
    if (check_arguments(size, options, error))
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
    varve_status status = has_memory(p)
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

static varve_status duplicate(void *self, varve_comm **copy);

static void release(void *self)
{
    varve_processes_free(self);
}

/* Its own ends are there. */
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
        .agree = agree,
        .gather = gather,
        .gather_varied = gather_varied,
        .broadcast = broadcast,
        .barrier = barrier,
        .duplicate = duplicate,
        .release = p->parent ? release : NULL,
    };
}

const varve_comm *varve_processes_join(
    varve_processes *p, uint32_t rank, varve_error *error)
{
    if (!p || rank >= p->size || p->joined >= 0) {
        vv_fail(error, VARVE_MISUSE,
            "a group of processes: expected to be joined once by each, as a "
            "rank below %u, found rank %u%s",
            p ? p->size : 0, rank, p && p->joined >= 0 ? ", a second one" : "");
        return NULL;
    }
    p->joined = process_number(p);
    close_others(p, rank);
    take_seat(p, rank);
    return &p->comm;
}

/* --- Another one --------------------------------------------------------- */

/* At rank 0 with its sockets. */
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
    if (has_memory(copy) &&
        (p->comm.rank > 0 || connect_all(copy, NULL) == VARVE_OK))
        return copy;
    varve_processes_free(copy);
    return NULL;
}

/* Moves one socket from rank 0 to a peer. The peer may lack a descriptor, and
 * then all is as it was. */
static varve_status move_end(
    struct varve_processes *p, const struct peer *peer, int *end)
{
    const struct vv_sockets *s = p->sockets;
    bool is_out = p->comm.rank == 0;
    int64_t since = uptime(p);
    for (;;) {
        int result = is_out ? s->pass(s->state, peer->socket, *end)
                            : s->take(s->state, peer->socket, end);
        if (result >= 0)
            return VARVE_OK;
        if (!is_for_later(result))
            return is_out || result == -EPIPE || result == -ECONNRESET
                       ? settle(p, VARVE_DISCONNECTED)
                       : VARVE_NO_MEMORY;
        p->waits[0] = (struct vv_wait){ .socket = peer->socket,
            .wanted = is_out ? VV_CAN_SEND : VV_CAN_RECEIVE };
        varve_status status = wait_for_some(p, 1, since);
        if (status)
            return settle(p, status);
    }
}

/* From rank 0, which keeps the first of each pair, to all. */
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

/* What one of them lacks all do. */
static varve_status all_have(varve_processes *p, varve_status status)
{
    uint64_t worst = status;
    VV_TRY(agree(p, &worst));
    return (varve_status)worst;
}

static varve_status duplicate(void *self, varve_comm **made)
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

/* Copies belong to who made them: here they only come to their end. */
static void leave_copies(varve_processes *p)
{
    for (varve_processes *copy = p->copies; copy; copy = copy->next) {
        copy->parent = NULL;
        if (is_here(p))
            leave(copy);
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

/* A child that a rank has forked lets go of its copies of the sockets, and of
 * no more. */
void varve_processes_free(varve_processes *p)
{
    if (!p)
        return;
    leave_copies(p);
    if (p->parent)
        part_from(p->parent, p);
    if (is_here(p))
        leave(p);
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
    vv_release(&a, p, sizeof *p);
}
