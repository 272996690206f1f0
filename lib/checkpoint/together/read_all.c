/* read_all.c - Restores a checkpoint on many ranks: rank 0 finds the file and
 * reads its index. If values could be lost, no rank changes its values before
 * all ranks have verified theirs.
 *
 * SPDX-License-Identifier: MIT
 */
#include "read_all.h"

#include <string.h>

#include "at_risk.h"
#include "bytes.h"
#include "formats.h"
#include "comm_collectives.h"
#include "data_in.h"
#include "default_allocator.h"
#include "failure.h"
#include "graph.h"
#include "index_broadcast.h"
#include "questions.h"
#include "save.h"
#include "try.h"
#include "write.h"

/* --- Opening -------------------------------------------------------------- */

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

static varve_status open_all_reserve(const struct vv_open_all *how,
    struct vv_index_broadcast *broadcast, struct vv_opened *file,
    varve_error *error)
{
    VV_TRY(vv_opened_begin(file, how->context, how->path, error));
    return vv_index_broadcast_reserve(broadcast, how->context, error);
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
        return vv_data_in_open_broadcast(file, broadcast, error);
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
        status = open_all_reserve(how, broadcast, file, error);
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

/* --- Dividing the verification -------------------------------------------- */

/* The data of a rank, in the byte order of a file. */
struct entry {
    unsigned char node[8];
    unsigned char numbers[VV_NEEDS][8];
};

static struct entry portion_entry_of(
    const varve_comm *comm, const struct vv_division *division)
{
    struct entry entry;
    vv_store64(entry.node, comm->node);
    for (int k = 0; k < VV_NEEDS; k++)
        vv_store64(entry.numbers[k], division->numbers[k]);
    return entry;
}

static void count_machine(const varve_comm *comm, const struct entry *all,
    struct vv_division *division)
{
    unsigned differs = 0; /* a bit for each need */
    division->at = division->parts = 0;
    division->need = VV_NEEDS_WHOLE;
    for (uint32_t i = 0; i < comm->size; i++) {
        if (vv_load64(all[i].node) != comm->node)
            continue;
        division->at += i < comm->rank;
        division->parts++;
        for (int k = 0; k < VV_NEEDS; k++) {
            uint64_t number = vv_load64(all[i].numbers[k]);
            if (number == 0 || number != division->numbers[k])
                differs |= 1u << k;
        }
    }
    while (division->need < VV_NEEDS && differs & 1u << division->need)
        division->need = (enum vv_need)(division->need + 1);
}

varve_status vv_portion_find(const varve_comm *comm,
    const varve_allocator *allocator, struct vv_division *division,
    varve_error *error)
{
    uint64_t most = division->numbers[VV_NEEDS_WHOLE];
    division->need = VV_NEEDS;
    VV_TRY(vv_comm_allreduce_max(comm, &most, error));
    if (most == 0)
        return VARVE_OK;
    const struct entry mine = portion_entry_of(comm, division);
    struct entry *all = vv_allocate_array(allocator, comm->size, sizeof *all);
    varve_status status = vv_agree(comm,
        all ? VARVE_OK : vv_fail_memory(error, "data for all ranks"), error);
    if (!status)
        status = vv_comm_allgather(comm, &mine, sizeof mine, all, error);
    if (!status)
        count_machine(comm, all, division);
    vv_release(allocator, all, comm->size * sizeof *all);
    return status;
}

/* --- Restoring ------------------------------------------------------------ */

/* A collective restore on one rank. The flags record the steps that were
 * completed, as each rank must take part in all collective operations. */
struct reading {
    struct vv_collective_open consent;
    const varve_comm *comm;
    const struct vv_opening *opening;
    const varve_allocator *allocator;
    bool has_opened;  /* this rank has called vv_open_all */
    bool is_open;     /* all ranks have the same file open */
    bool has_divided; /* this rank has called vv_portion_find */
    bool is_agreed;   /* all ranks have the data they need, and change their
                         values */
};

static varve_status read_all_open_file(void *user, struct vv_opened *file,
    const struct vv_context *context, const char *path, varve_error *error)
{
    struct reading *reading = user;
    const struct vv_open_all how = {
        .comm = reading->comm,
        .context = context,
        .path = path,
        .most_told = VV_MOST_TOLD,
    };
    reading->has_opened = true;
    varve_status status = vv_open_all(&how, VARVE_OK, file, error);
    reading->is_open = !status;
    return status;
}

/* Takes part in vv_open_all on a rank that cannot open the file. */
static varve_status fail_to_open(
    const struct reading *reading, varve_status status, varve_error *error)
{
    struct vv_opened none = { 0 };
    const struct vv_open_all how = { .comm = reading->comm,
        .path = reading->opening->path };
    return vv_open_all(&how, status, &none, error);
}

static varve_status divide(
    void *user, struct vv_division *division, varve_error *error)
{
    struct reading *reading = user;
    reading->has_divided = true;
    return vv_portion_find(reading->comm, reading->allocator, division, error);
}

/* Agrees with the other ranks on whether to continue. A rank that has not
 * called vv_portion_find, because it verifies nothing in advance or has failed,
 * calls it here, unless all ranks read only once. */
static varve_status read_all_agree(
    void *user, varve_status status, varve_error *error)
{
    struct reading *reading = user;
    struct vv_division nothing = { .numbers = { 0 } };
    varve_error reason = { 0 };
    if (!reading->has_divided && !reading->consent.reads_once &&
        divide(reading, &nothing, &reason) && !status) {
        status = reason.status;
        *error = reason;
    }
    status = vv_agree(reading->comm, status, error);
    reading->is_agreed = !status;
    return status;
}

/* --- The file ------------------------------------------------------------- */

/* Fails if this rank has another path than rank 0; compares their hashes. */
static varve_status read_all_check_path(const varve_comm *comm,
    varve_status status, const char *path, varve_error *error)
{
    uint64_t here = status ? 0 : vv_hash_of(path, strlen(path)), there = here;
    VV_TRY(vv_comm_bcast_u64(comm, &there, error));
    if (!status && here != there)
        status =
            vv_fail(error, VARVE_MISUSE, "%s: rank 0 reads another path", path);
    return vv_agree(comm, status, error);
}

/* Finds the file on rank 0 only, as a network file system may show different
 * files on different machines for a while. Sets `found` to the path with a
 * NUL. */
static varve_status read_all_find(const varve_comm *comm,
    const varve_node *root, const struct vv_opening *opening,
    struct vv_buffer *found, varve_error *error)
{
    varve_status status = VARVE_OK;
    if (comm->rank == 0) {
        status = vv_find_checkpoint(&root->graph->context, opening->path,
            opening->is_numbered, found, error);
        found->size += !status; /* include the NUL */
    }
    return vv_comm_bcast_buffer(comm, status, found, error);
}

/* --- The result ----------------------------------------------------------- */

/* Decides to read only once if each rank requests that or has no values to
 * lose. */
static varve_status read_all_choose_passes(
    struct reading *reading, const varve_graph *graph, varve_error *error)
{
    const varve_read_options *options = reading->opening->options;
    uint64_t may_lose =
        vv_may_lose(graph, 0, options ? options->passes : VARVE_PASSES_AUTO);
    VV_TRY(vv_comm_allreduce_max(reading->comm, &may_lose, error));
    reading->consent.reads_once = may_lose == 0;
    return VARVE_OK;
}

/* Converts an error on this rank: after the agreement, other ranks already have
 * new values. */
static varve_status read_all_partially_restored(
    varve_status status, varve_error *error)
{
    if (status == VARVE_PARTIALLY_RESTORED || status == VARVE_DISCONNECTED)
        return status;
    error->status = VARVE_PARTIALLY_RESTORED;
    vv_error_add_line(error, "partially restored: other ranks have new values");
    return VARVE_PARTIALLY_RESTORED;
}

/* Agrees on the result. The file belongs to another program if no rank has
 * matched any value. */
static varve_status read_all_conclude(
    const varve_comm *comm, struct varve_restoration *r, varve_error *error)
{
    enum { MATCHES_NOTHING, MATCHES, FAILS };
    varve_status status =
        r ? vv_restoration_require_any(r, error) : error->status;
    bool matches_nothing = status == VARVE_UNMATCHED;
    if (status && !matches_nothing)
        status = read_all_partially_restored(status, error);
    uint64_t most = !status           ? MATCHES
                    : matches_nothing ? MATCHES_NOTHING
                                      : FAILS;
    VV_TRY(vv_comm_allreduce_max(comm, &most, error));
    if (most == FAILS && matches_nothing)
        status = VARVE_OK; /* returns the failure of another rank */
    return most == MATCHES ? VARVE_OK : vv_agree(comm, status, error);
}

/* Opens and restores the checkpoint. Each rank must take part in all collective
 * operations: opening the file, the agreement on whether all can continue, and
 * the agreement on the result. A rank that has skipped one of them because of
 * an error takes part in it here. */
static varve_restoration *read_all_open_all(const varve_comm *comm,
    varve_node *root, struct vv_opening *opening, varve_error *error)
{
    struct reading reading = { .comm = comm,
        .opening = opening,
        .allocator = &root->graph->context.allocator };
    reading.consent = (struct vv_collective_open){ .open = read_all_open_file,
        .divide = divide,
        .ask = read_all_agree,
        .user = &reading };
    opening->consent = &reading.consent;
    if (read_all_choose_passes(&reading, root->graph, error))
        return NULL;
    varve_restoration *r = vv_restoration_open(root, opening, error);
    varve_status status = r ? VARVE_OK : error->status;
    if (!reading.has_opened)
        status = fail_to_open(&reading, status, error);
    if (reading.is_open && !reading.consent.was_asked)
        status = read_all_agree(&reading, status, error);
    if (reading.is_agreed)
        status = read_all_conclude(comm, r, error);
    if (status && r) {
        vv_restoration_leave_half(r);
        vv_restoration_free(r);
        r = NULL;
    }
    error->status = status;
    return r;
}

varve_restoration *vv_read_together(const varve_comm *comm, varve_node *root,
    varve_status status, struct vv_opening *opening, varve_error *error)
{
    const varve_allocator allocator = vv_allocator_or_default(NULL);
    struct vv_buffer found;
    varve_restoration *r = NULL;
    if (vv_is_alone(comm))
        return status ? NULL : vv_restoration_open(root, opening, error);
    vv_buffer_init(&found, &allocator);
    status = read_all_check_path(comm, status, opening->path, error);
    if (!status)
        status = read_all_find(comm, root, opening, &found, error);
    if (!status) {
        opening->path = (const char *)found.data;
        opening->is_numbered = false;
        r = read_all_open_all(comm, root, opening, error);
    }
    vv_buffer_clear(&found);
    return r;
}

static varve_restoration *read_all_read_all(const varve_comm *comm,
    varve_node *root, struct vv_opening *opening, varve_error *error)
{
    varve_error reason = { 0 };
    if (vv_check_comm(comm, error))
        return NULL;
    varve_status status = vv_check_call(root, opening->path, "path", &reason);
    varve_restoration *r =
        vv_read_together(comm, root, status, opening, &reason);
    if (!r && error)
        *error = reason;
    return r;
}

varve_restoration *varve_read_all(const varve_comm *comm, varve_node *root,
    const char *path, const varve_read_options *options, varve_error *error)
{
    struct vv_opening opening = { .path = path, .options = options };
    return read_all_read_all(comm, root, &opening, error);
}

varve_restoration *varve_restore_all(const varve_comm *comm, varve_node *root,
    const char *path, const varve_read_options *options, varve_error *error)
{
    struct vv_opening opening = {
        .path = path, .options = options, .is_numbered = true, .is_save = true
    };
    return read_all_read_all(comm, root, &opening, error);
}
