/* star.c - Implements collective operations with a star of sockets around rank
 * 0.
 *
 * An operation consists of a gather to rank 0, a broadcast from it, or both.
 * Rank 0 transfers data to or from all others concurrently, as each is ready,
 * directly in the program's memory. So a slow rank does not delay others,
 * nothing is buffered, and a rank that ends during the operation is detected
 * while rank 0 waits for others. A rank that ends after it has completed its
 * part does not affect the operation.
 *
 * Each transfer begins with a header that contains the operation and the size,
 * so that ranks which are out of step detect it. The header contains the first
 * few bytes too; most operations have no more bytes and need only one message.
 *
 * SPDX-License-Identifier: MIT
 */
#include "star.h"

#include <string.h>

#include "allocator.h"
#include "system.h"
#include "try.h"

enum call { AGREE, GATHER, GATHER_VARIED, BROADCAST, BARRIER, SHIFT };

/* Words in which a rank describes its shift. */
enum { TO, OUT_SIZE, FROM, IN_SIZE };

/* --- One transfer ------------------------------------------------------- */

static size_t ahead_of(uint64_t size)
{
    return size < VV_STAR_AHEAD ? (size_t)size : VV_STAR_AHEAD;
}

static bool is_done(const struct vv_star_peer *peer)
{
    uint64_t size = peer->header.size;
    return peer->done == sizeof peer->header + size - ahead_of(size);
}

/* Sets *part to the next bytes to transfer for a peer, and returns their
 * number. */
static size_t star_next_part(struct vv_star_peer *peer,
    struct vv_star_header *header, unsigned char **part)
{
    bool is_in_header = peer->done < sizeof *header;
    uint64_t done =
        is_in_header ? peer->done : peer->done - sizeof *header + VV_STAR_AHEAD;
    *part = (is_in_header ? (unsigned char *)header : peer->bytes) + done;
    return is_in_header ? sizeof *header - (size_t)done
                        : (size_t)(peer->header.size - done);
}

static int64_t move_part(
    const struct varve_processes *p, struct vv_star_peer *peer, bool is_out)
{
    const struct vv_sockets *s = p->sockets;
    unsigned char *part;
    size_t size =
        star_next_part(peer, is_out ? &peer->header : &peer->came, &part);
    return is_out ? s->send(s->state, peer->socket, part, size)
                  : s->receive(s->state, peer->socket, part, size);
}

static void star_copy(void *to, const void *from, size_t size)
{
    if (size > 0)
        memmove(to, from, size);
}

static varve_status star_take_header(const struct vv_star_peer *peer)
{
    const struct vv_star_header *came = &peer->came;
    if (came->call != peer->header.call || came->size != peer->header.size)
        return VARVE_MISUSE;
    star_copy(peer->bytes, came->ahead, ahead_of(peer->header.size));
    return VARVE_OK;
}

/* Transfers as much as possible without waiting. */
static varve_status move_some(
    const struct varve_processes *p, struct vv_star_peer *peer, bool is_out)
{
    while (!is_done(peer)) {
        int64_t moved = move_part(p, peer, is_out);
        if (vv_star_is_for_later(moved))
            return VARVE_OK;
        if (moved <= 0)
            return VARVE_DISCONNECTED;
        peer->done += (uint64_t)moved;
        if (!is_out && peer->done == sizeof peer->came)
            VV_TRY(star_take_header(peer));
    }
    return VARVE_OK;
}

int64_t vv_star_uptime(const struct varve_processes *p)
{
    return p->context.system->uptime(p->context.system->state);
}

/* Sets `waits` to the peers that are not done, and returns their number. */
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

/* Waits until a peer is ready; `since` is the time of the last transfer. */
varve_status vv_star_wait(
    struct varve_processes *p, size_t count, int64_t since)
{
    const struct vv_sockets *s = p->sockets;
    int64_t left = -1;
    if (p->timeout >= 0) {
        int64_t waited = vv_star_uptime(p) - since;
        if (waited >= p->timeout)
            return VARVE_TIMEOUT;
        left = p->timeout - waited;
    }
    int result = s->wait(s->state, p->waits, count, left);
    return result >= 0 || result == -EINTR || result == -EAGAIN
               ? VARVE_OK
               : VARVE_DISCONNECTED;
}

/* Transfers data for the peers that are ready, or, if `all`, for all. */
static varve_status move_with_ready(
    struct varve_processes *p, bool is_out, bool all, bool *has_moved)
{
    size_t at = 0;
    for (uint32_t i = 0; i < p->peer_count; i++) {
        struct vv_star_peer *peer = &p->peers[i];
        if (is_done(peer) || (!all && !p->waits[at++].found))
            continue;
        uint64_t before = peer->done;
        VV_TRY(move_some(p, peer, is_out));
        *has_moved = *has_moved || peer->done != before;
    }
    return VARVE_OK;
}

/* Completes the transfer for all peers. */
static varve_status move_all(struct varve_processes *p, bool is_out)
{
    bool has_moved = true;
    int64_t since = 0;
    size_t count;
    VV_TRY(move_with_ready(p, is_out, true, &has_moved));
    while ((count = set_waits(p, is_out)) > 0) {
        if (has_moved && p->timeout >= 0)
            since = vv_star_uptime(p);
        has_moved = false;
        VV_TRY(vv_star_wait(p, count, since));
        VV_TRY(move_with_ready(p, is_out, false, &has_moved));
    }
    return VARVE_OK;
}

/* Shuts down the sockets, which wakes the ranks that wait for this one. */
void vv_star_leave(struct varve_processes *p)
{
    const struct vv_sockets *s = p->sockets;
    for (uint32_t i = 0; i < p->peer_count; i++)
        s->end(s->state, p->peers[i].socket);
}

varve_status vv_star_settle(struct varve_processes *p, varve_status status)
{
    if (status && !p->is_broken) {
        p->is_broken = true;
        vv_star_leave(p);
    }
    return status;
}

static void star_begin(
    struct vv_star_peer *peer, enum call call, void *bytes, uint64_t size)
{
    peer->header = (struct vv_star_header){ .call = call, .size = size };
    peer->bytes = bytes;
    peer->done = 0;
}

static void star_begin_out(
    struct vv_star_peer *peer, enum call call, void *bytes, uint64_t size)
{
    star_begin(peer, call, bytes, size);
    star_copy(peer->header.ahead, bytes, ahead_of(size));
}

/* --- Gather and broadcast ------------------------------------------------ */

/* Gathers to rank 0, whose own bytes come first. Without `sizes` all ranks
 * contribute `size` bytes. `bytes` is only read, although the const is cast
 * away. */
static varve_status star_collect(struct varve_processes *p, enum call call,
    const void *bytes, size_t size, void *all, const uint64_t *sizes)
{
    if (p->is_broken)
        return VARVE_DISCONNECTED;
    if (p->comm.rank > 0) {
        star_begin_out(&p->peers[0], call, (void *)bytes, size);
        return vv_star_settle(p, move_all(p, true));
    }
    unsigned char *to = all;
    star_copy(to, bytes, size);
    uint64_t offset = size;
    for (uint32_t i = 0; i < p->peer_count; i++) {
        uint64_t more = sizes ? sizes[i + 1] : size;
        star_begin(&p->peers[i], call, more ? to + offset : NULL, more);
        offset += more;
    }
    return vv_star_settle(p, move_all(p, false));
}

static varve_status distribute(
    struct varve_processes *p, enum call call, void *bytes, size_t size)
{
    if (p->is_broken)
        return VARVE_DISCONNECTED;
    for (uint32_t i = 0; i < p->peer_count; i++)
        (p->comm.rank == 0 ? star_begin_out : star_begin)(
            &p->peers[i], call, bytes, size);
    return vv_star_settle(p, move_all(p, p->comm.rank == 0));
}

varve_status vv_star_agree(void *self, uint64_t *value)
{
    struct varve_processes *p = self;
    uint64_t largest = *value;
    VV_TRY(star_collect(p, AGREE, value, sizeof *value, p->values, NULL));
    for (uint32_t i = 1; p->comm.rank == 0 && i < p->size; i++)
        largest = p->values[i] > largest ? p->values[i] : largest;
    VV_TRY(distribute(p, AGREE, &largest, sizeof largest));
    *value = largest;
    return VARVE_OK;
}

static varve_status star_gather(
    void *self, const void *bytes, size_t size, void *all)
{
    return star_collect(self, GATHER, bytes, size, all, NULL);
}

/* Fails if rank 0 contributes another size than it declared. */
static varve_status star_gather_varied(void *self, const void *bytes,
    size_t size, void *all, const uint64_t *sizes)
{
    struct varve_processes *p = self;
    if (p->comm.rank == 0 && sizes[0] != size)
        return vv_star_settle(p, VARVE_MISUSE);
    return star_collect(p, GATHER_VARIED, bytes, size, all, sizes);
}

static varve_status star_broadcast(void *self, void *bytes, size_t size)
{
    return distribute(self, BROADCAST, bytes, size);
}

static varve_status star_barrier(void *self)
{
    VV_TRY(star_collect(self, BARRIER, NULL, 0, NULL, NULL));
    return distribute(self, BARRIER, NULL, 0);
}

/* --- Shift --------------------------------------------------------------- */

static const uint64_t *shift_of(const struct varve_processes *p, uint64_t rank)
{
    return p->shifts + VV_SHIFT_WORDS * rank;
}

/* Checks that the declared sends and receives of all ranks match. Sets *relayed
 * to the number of bytes that pass through rank 0 and are not for it. */
static varve_status check_shifts(
    const struct varve_processes *p, uint64_t *relayed)
{
    *relayed = 0;
    for (uint32_t i = 0; i < p->size; i++) {
        const uint64_t *w = shift_of(p, i);
        if (w[OUT_SIZE] > 0 &&
            (w[TO] >= p->size || w[TO] == i || shift_of(p, w[TO])[FROM] != i ||
                shift_of(p, w[TO])[IN_SIZE] != w[OUT_SIZE]))
            return VARVE_MISUSE;
        if (w[IN_SIZE] > 0 && (w[FROM] >= p->size || w[FROM] == i ||
                                  shift_of(p, w[FROM])[TO] != i ||
                                  shift_of(p, w[FROM])[OUT_SIZE] != w[IN_SIZE]))
            return VARVE_MISUSE;
        *relayed += i > 0 && w[TO] > 0 ? w[OUT_SIZE] : 0;
    }
    return VARVE_OK;
}

/* Receives from all ranks. Bytes for rank 0 go directly to their
 * destination. */
static varve_status star_take_all(
    struct varve_processes *p, const varve_shift *s, unsigned char *relay)
{
    for (uint32_t i = 1; i < p->size; i++) {
        const uint64_t *w = shift_of(p, i);
        bool is_for_first = w[OUT_SIZE] > 0 && w[TO] == 0;
        star_begin(
            &p->peers[i - 1], SHIFT, is_for_first ? s->in : relay, w[OUT_SIZE]);
        relay += w[OUT_SIZE] > 0 && !is_for_first ? w[OUT_SIZE] : 0;
    }
    return move_all(p, false);
}

/* Returns the position of a rank's bytes in the relay buffer. */
static unsigned char *relayed_of(
    const struct varve_processes *p, uint64_t rank, unsigned char *relay)
{
    for (uint64_t i = 1; i < rank; i++)
        relay += shift_of(p, i)[TO] > 0 ? shift_of(p, i)[OUT_SIZE] : 0;
    return relay;
}

static varve_status give_all(
    struct varve_processes *p, const varve_shift *s, unsigned char *relay)
{
    for (uint32_t i = 1; i < p->size; i++) {
        const uint64_t *w = shift_of(p, i);
        void *bytes = w[IN_SIZE] == 0 ? NULL
                      : w[FROM] == 0  ? (void *)s->out
                                      : relayed_of(p, w[FROM], relay);
        star_begin_out(&p->peers[i - 1], SHIFT, bytes, w[IN_SIZE]);
    }
    return move_all(p, true);
}

static varve_status relay_all(struct varve_processes *p, const varve_shift *s)
{
    const varve_allocator *a = &p->context.allocator;
    uint64_t size;
    VV_TRY(check_shifts(p, &size));
    unsigned char *relay = vv_allocate(a, (size_t)size);
    if (size > 0 && !relay)
        return VARVE_NO_MEMORY;
    varve_status status = star_take_all(p, s, relay);
    if (!status)
        status = give_all(p, s, relay);
    vv_release(a, relay, (size_t)size);
    return status;
}

static varve_status star_pass(struct varve_processes *p, const varve_shift *s)
{
    star_begin_out(&p->peers[0], SHIFT, (void *)s->out, s->out_size);
    VV_TRY(move_all(p, true));
    star_begin(&p->peers[0], SHIFT, s->in, s->in_size);
    return move_all(p, false);
}

/* Implements `shift`. All data passes through rank 0, which buffers it during
 * the operation. */
static varve_status star_shift(void *self, const varve_shift *s)
{
    struct varve_processes *p = self;
    const uint64_t words[VV_SHIFT_WORDS] = {
        [TO] = s->to,
        [OUT_SIZE] = s->out_size,
        [FROM] = s->from,
        [IN_SIZE] = s->in_size,
    };
    VV_TRY(star_collect(p, SHIFT, words, sizeof words, p->shifts, NULL));
    return vv_star_settle(
        p, p->comm.rank > 0 ? star_pass(p, s) : relay_all(p, s));
}

/* --- Calls ---------------------------------------------------------------- */

void vv_star_fill_in(varve_comm *comm)
{
    comm->agree = vv_star_agree;
    comm->gather = star_gather;
    comm->gather_varied = star_gather_varied;
    comm->broadcast = star_broadcast;
    comm->barrier = star_barrier;
    comm->shift = star_shift;
}
