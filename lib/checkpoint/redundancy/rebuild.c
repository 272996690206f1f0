/* rebuild.c - Rebuilds lost files: finds what each rank has, decides what to
 * rebuild, and rebuilds it.
 *
 * A rank that has lost all its files has no record of its group. The parity
 * file of every other rank contains the groups; the lowest rank with a good one
 * broadcasts it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "rebuild.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "allocator.h"
#include "buffer.h"
#include "comm_collectives.h"
#include "directory.h"
#include "failure.h"
#include "file.h"
#include "member_status.h"
#include "parity_rounds.h"
#include "publish.h"
#include "redundancy_group.h"
#include "system.h"
#include "try.h"

/* --- Files of another set ------------------------------------------------- */

enum { MOST_SET_ASIDE = 100 }; /* number of names that are tried */

static const char *set_aside_name(
    struct vv_buffer *text, const char *name, uint64_t mark)
{
    char digits[18];
    const char *ending = strrchr(name, '.');
    size_t stem = ending ? (size_t)(ending - name) : strlen(name);
    snprintf(digits, sizeof digits, ".%016" PRIx64, mark);
    text->size = 0;
    vv_buffer_add(text, name, stem);
    vv_buffer_add_string(text, digits);
    vv_buffer_add_string(text, name + stem);
    return vv_buffer_string(text);
}

static varve_status set_aside_rename(const struct vv_redundancy *r,
    int directory, const char *path, uint64_t mark, struct vv_buffer *text,
    varve_error *message, varve_error *error)
{
    const struct vv_system *system = r->context->system;
    const char *name = vv_path_name(path), *to = NULL;
    int result = -EEXIST;
    for (unsigned i = 0; i < MOST_SET_ASIDE && result == -EEXIST; i++) {
        to = set_aside_name(text, name, mark + i);
        if (text->failed)
            return vv_fail_memory(error, "the name of a checkpoint");
        result = vv_rename_new(r->context, directory, name, to);
    }
    if (result == -ENOENT)
        return VARVE_OK;
    /* The old name must be durably gone before the rebuilt file takes it. */
    if (result == 0 && !r->no_sync)
        result = system->sync(system->state, directory);
    if (result < 0)
        return vv_fail_system(error, -result,
            "renaming a file of another checkpoint before the rebuild", path);
    vv_fail(message, VARVE_EXISTS,
        "%s: another run saved this file than the checkpoint with this number "
        "that was rebuilt; it was renamed to %s",
        path, to);
    return VARVE_OK;
}

varve_status vv_set_aside(const struct vv_redundancy *r, const char *path,
    uint64_t mark, varve_error *message, varve_error *error)
{
    struct vv_buffer text;
    int directory;
    VV_TRY(vv_directory_make_parent(
        r->context, path, r->no_sync, &directory, error));
    vv_buffer_init(&text, &r->context->allocator);
    varve_status status =
        set_aside_rename(r, directory, path, mark, &text, message, error);
    vv_buffer_clear(&text);
    vv_file_close(r->context, directory);
    return status;
}

/* --- Rebuilding ----------------------------------------------------------- */

/* The description of a set that one rank broadcasts, without the domains. */
struct layout {
    uint64_t scheme;
    uint64_t group_size;
    uint64_t age; /* `age` of that rank's file */
    struct vv_digest set;
};

struct rebuilding {
    const struct vv_redundancy *redundancy;
    const struct vv_redundant_file *own;
    struct vv_local_files local;
    bool has_local;
    bool is_tried;     /* the set of its parity file was tried */
    uint32_t *domains; /* domains of all ranks when the set was saved */
    struct vv_parity_table table;
    struct vv_member_status *all; /* status of each member of the group */
    struct vv_repair repair;
    struct vv_parity_rounds rounds;
    struct vv_parity_sink file, block;
    uint64_t age;       /* `age` of the set that is rebuilt; 0: unknown */
    varve_error *aside; /* or NULL */
};

/* --- Describing the set --------------------------------------------------- */

/* The error of an existing parity file is more useful than that of missing
 * ones. */
static varve_status fail_unprotected(
    const struct rebuilding *b, varve_error *error)
{
    const varve_error *reason = &b->local.reason;
    uint64_t has_reason = reason->status && reason->status != VARVE_NOT_FOUND;
    bool is_mine = has_reason;
    VV_TRY(vv_comm_allreduce_max(b->redundancy->comm, &has_reason, error));
    if (has_reason) {
        if (is_mine && error)
            *error = *reason;
        return vv_agree(
            b->redundancy->comm, is_mine ? reason->status : VARVE_OK, error);
    }
    varve_status status = vv_fail(error, VARVE_NOT_FOUND,
        "%s: no rank has a parity file beside it", b->own->path);
    return vv_agree(b->redundancy->comm, status, error);
}

/* Fails if only ranks that cannot read their parity files now have the youngest
 * set. */
static varve_status fail_unread(
    const struct rebuilding *b, bool is_mine, varve_error *error)
{
    varve_status status = VARVE_OK;
    if (is_mine)
        status = vv_fail(error, VARVE_IO,
            "%s: it cannot be read now, and no other rank has a parity file of "
            "this run",
            b->own->parity);
    return vv_agree(b->redundancy->comm, status, error);
}

/* Finds the lowest rank that has a set which was not tried yet and whose file
 * is of the youngest run. A node that was offline may return with an abandoned
 * set of the same number. */
static varve_status find_source(const struct rebuilding *b, uint32_t *rank,
    bool *is_there, varve_error *error)
{
    const varve_comm *comm = b->redundancy->comm;
    bool knows = b->local.has_table && !b->is_tried;
    bool may_know = knows || (!b->local.has_table && b->local.is_unread);
    uint64_t youngest = may_know ? b->own->age : 0;
    VV_TRY(vv_comm_allreduce_max(comm, &youngest, error));
    bool is_youngest = knows && b->own->age == youngest;
    uint64_t best = is_youngest ? comm->size - comm->rank : 0;
    VV_TRY(vv_comm_allreduce_max(comm, &best, error));
    *is_there = best > 0;
    *rank = comm->size - (uint32_t)best;
    return best || !youngest ? VARVE_OK : fail_unread(b, may_know, error);
}

/* Broadcasts bytes of one rank. */
static varve_status bcast_from(const struct rebuilding *b, uint32_t rank,
    void *bytes, size_t size, varve_error *error)
{
    const struct vv_redundancy *r = b->redundancy;
    const varve_comm *comm = r->comm;
    varve_shift shift = { .out = bytes, .in = bytes, .to = 0, .from = rank };
    if (rank > 0 && comm->rank == rank)
        shift.out_size = size;
    if (rank > 0 && comm->rank == 0)
        shift.in_size = size;
    if (rank > 0)
        VV_TRY(vv_pass(comm, &r->context->allocator, &shift, error));
    return vv_comm_bcast(comm, bytes, size, error);
}

static varve_status receive_layout(
    struct rebuilding *b, uint32_t source, varve_error *error)
{
    const struct vv_redundancy *r = b->redundancy;
    const struct vv_parity_table *mine = &b->local.parity.table;
    struct layout layout = { 0 };
    size_t size = r->comm->size * sizeof *b->domains;
    if (r->comm->rank == source) {
        layout.scheme = mine->scheme;
        layout.group_size = mine->group_size;
        layout.set = mine->set;
        layout.age = b->own->age;
        memcpy(b->domains, mine->domains, size);
    }
    VV_TRY(bcast_from(b, source, &layout, sizeof layout, error));
    VV_TRY(bcast_from(b, source, b->domains, size, error));
    b->table = (struct vv_parity_table){
        .scheme = (uint32_t)layout.scheme,
        .group_size = (uint32_t)layout.group_size,
        .set = layout.set,
        .rank = r->comm->rank,
        .size = r->comm->size,
        .number = b->own->number,
        .domains = b->domains,
    };
    b->age = layout.age;
    const uint32_t rank_and_size[] = { r->comm->rank, r->comm->size };
    varve_status status = vv_redundancy_group_of(&b->table.group, b->domains,
        rank_and_size, b->table.group_size, &r->context->allocator, error);
    return vv_agree(r->comm, status, error);
}

/* --- Choosing a set ------------------------------------------------------- */

static bool is_of_layout(const struct rebuilding *b)
{
    const struct vv_parity_table *mine = &b->local.parity.table;
    return b->local.has_table && mine->scheme == b->table.scheme &&
           mine->group_size == b->table.group_size &&
           vv_digest_equal(&mine->set, &b->table.set) &&
           memcmp(mine->domains, b->domains,
               b->table.size * sizeof *b->domains) == 0;
}

static varve_status exchange_status(struct rebuilding *b, varve_error *error)
{
    const struct vv_redundancy *r = b->redundancy;
    struct vv_member_status *mine = &b->all[b->table.group.index];
    *mine = (struct vv_member_status){
        .has_file = b->local.file >= 0,
        .has_table = is_of_layout(b),
        .has_block = b->local.has_block,
        .is_unread = b->local.is_unread,
        .is = b->local.is,
    };
    if (mine->has_table)
        memcpy(mine->files, b->local.parity.table.files, sizeof mine->files);
    VV_TRY(vv_pass_around(r->comm, &r->context->allocator, &b->table.group,
        b->all, sizeof *b->all, error));
    varve_status status = vv_decide_repair(
        b->all, &b->table, &b->repair, b->own, &r->context->allocator, error);
    return vv_agree(r->comm, status, error);
}

/* Chooses the youngest set that can be rebuilt. Files with the same number may
 * be of different saves, some of them from nodes that were offline. Each set
 * that cannot be rebuilt excludes at least one rank from the next search. */
static varve_status choose_set(struct rebuilding *b, varve_error *error)
{
    varve_error first = { 0 };
    for (;;) {
        uint32_t source;
        bool is_there;
        varve_error reason = { 0 };
        VV_TRY(find_source(b, &source, &is_there, error));
        if (!is_there)
            break;
        VV_TRY(receive_layout(b, source, error));
        varve_status status = exchange_status(b, &reason);
        if (!status)
            return VARVE_OK;
        if (!first.status)
            first = reason;
        if (status != VARVE_CORRUPT) {
            *error = reason;
            return status;
        }
        b->is_tried = b->is_tried || is_of_layout(b) ||
                      b->redundancy->comm->rank == source;
    }
    if (!first.status)
        return fail_unprotected(b, error);
    *error = first;
    return first.status;
}

/* --- Rebuilding ----------------------------------------------------------- */

static bool is_mine(const struct rebuilding *b, uint64_t members)
{
    return members >> b->table.group.index & 1;
}

/* Returns true if this rank's file, which differs from that of the set that
 * is rebuilt, belongs to another set. Otherwise it is a damaged file of this
 * set. */
static bool is_of_other_set(const struct rebuilding *b)
{
    if (b->local.has_table)
        return !is_of_layout(b);
    return b->own->age && b->age && b->own->age != b->age;
}

static void set_aside_other(struct rebuilding *b, const char *path)
{
    varve_error error = { 0 }, message = { 0 };
    const struct vv_digest *of =
        b->local.has_table ? &b->local.parity.table.set : &b->local.is.digest;
    uint64_t mark = vv_hash_of(of->bytes, sizeof of->bytes);
    if (b->rounds.status || !is_of_other_set(b))
        return;
    varve_status status =
        vv_set_aside(b->redundancy, path, mark, &message, &error);
    vv_rounds_fail(&b->rounds, status, &error);
    if (b->aside && message.status)
        *b->aside = message;
}

static void rebuild_begin_file(struct rebuilding *b)
{
    const struct vv_parity_table *t = &b->table;
    if (!is_mine(b, b->repair.files))
        return;
    set_aside_other(b, b->own->path);
    vv_sink_begin(
        &b->rounds, &b->file, b->own->path, 0, t->files[t->group.index].size);
}

static void rebuild_begin_block(struct rebuilding *b)
{
    const struct vv_parity_table *t = &b->table;
    if (!is_mine(b, b->repair.blocks))
        return;
    set_aside_other(b, b->own->parity);
    vv_sink_begin(&b->rounds, &b->block, b->own->parity, vv_parity_head_size(t),
        vv_block_size(t, t->group.index));
}

static uint32_t rebuild_first_of(uint64_t members)
{
    uint32_t index = 0;
    while (members && !(members >> index & 1))
        index++;
    return index;
}

/* Opens the rebuilt file instead of the old one. */
static void rebuild_reopen(struct rebuilding *b)
{
    const struct vv_redundancy *r = b->redundancy;
    uint64_t size;
    varve_error error = { 0 };
    if (!is_mine(b, b->repair.files) || b->rounds.status)
        return;
    vv_file_close(r->context, b->local.file);
    b->local.file = -1;
    varve_status status =
        vv_file_open(r->context, b->own->path, &b->local.file, &size, &error);
    vv_rounds_fail(&b->rounds, status, &error);
    b->rounds.file = b->local.file;
}

/* Ends a step on all ranks and returns its result. */
static varve_status end_step(
    struct rebuilding *b, varve_status talk, varve_error *error)
{
    struct vv_parity_rounds *r = &b->rounds;
    vv_rounds_agree(r, talk, error);
    vv_sink_end_file(r, &b->file);
    vv_sink_end_block(r, &b->block);
    return vv_rounds_outcome(r, error);
}

/* Rebuilds the files of groups that lack one, together with their blocks. */
static varve_status rebuild_make_files(struct rebuilding *b, varve_error *error)
{
    struct vv_parity_rounds *r = &b->rounds;
    varve_status talk;
    r->is_needed = b->repair.files != 0;
    rebuild_begin_file(b);
    if (b->table.scheme == VARVE_PARTNER) {
        talk = vv_rounds_copy_back(r, b->repair.files, &b->file, error);
    } else {
        if (r->is_needed)
            rebuild_begin_block(b);
        talk = vv_rounds_make_file(
            r, rebuild_first_of(b->repair.files), &b->file, &b->block, error);
        if (r->is_needed)
            b->repair.blocks = 0;
    }
    return end_step(b, talk, error);
}

static varve_status make_blocks(struct rebuilding *b, varve_error *error)
{
    struct vv_parity_rounds *r = &b->rounds;
    r->is_needed = b->repair.blocks != 0;
    rebuild_reopen(b);
    rebuild_begin_block(b);
    varve_status talk =
        b->table.scheme == VARVE_PARTNER
            ? vv_rounds_copy_on(r, b->repair.blocks, &b->block, error)
            : vv_rounds_make_blocks(r, &b->block, error);
    return end_step(b, talk, error);
}

static varve_status rebuild_reserve(struct rebuilding *b, varve_error *error)
{
    const varve_allocator *a = &b->redundancy->context->allocator;
    b->domains =
        vv_allocate_array(a, b->redundancy->comm->size, sizeof *b->domains);
    b->all = vv_allocate_array(a, VV_MOST_MEMBERS, sizeof *b->all);
    return b->domains && b->all ? vv_rounds_begin(&b->rounds, error)
                                : vv_fail_memory(error, "a rebuild");
}

/* Converts VARVE_NOT_FOUND of a write, as the set is not at fault: if the
 * response to a rename was lost, the retried rename does not find the file. */
static varve_status rebuild_unwritten(varve_status status, varve_error *error)
{
    if (status != VARVE_NOT_FOUND)
        return status;
    if (error)
        error->status = VARVE_IO;
    return VARVE_IO;
}

static varve_status rebuild(
    struct rebuilding *b, bool *was_lost, varve_error *error)
{
    const varve_comm *comm = b->redundancy->comm;
    varve_status status = rebuild_reserve(b, error);
    if (!status)
        status = vv_local_files_look(&b->local, b->redundancy, b->own, error);
    b->has_local = !status;
    VV_TRY(vv_agree(comm, status, error));
    VV_TRY(choose_set(b, error));
    uint64_t is_needed = (b->repair.files | b->repair.blocks) != 0;
    VV_TRY(vv_comm_allreduce_max(comm, &is_needed, error));
    if (was_lost)
        *was_lost = is_needed;
    if (!is_needed)
        return VARVE_OK;
    b->rounds.file = b->local.file;
    b->rounds.block = b->local.has_table ? b->local.parity.file : -1;
    VV_TRY(rebuild_unwritten(rebuild_make_files(b, error), error));
    return was_lost ? VARVE_OK
                    : rebuild_unwritten(make_blocks(b, error), error);
}

varve_status vv_rebuild(const struct vv_redundancy *redundancy,
    const struct vv_redundant_file *own, bool *was_lost, varve_error *aside,
    varve_error *error)
{
    const varve_allocator *a = &redundancy->context->allocator;
    varve_error local = { 0 };
    struct rebuilding b = {
        .redundancy = redundancy,
        .own = own,
        .aside = aside,
        .rounds = { .redundancy = redundancy,
            .own = own,
            .file = -1,
            .block = -1 },
    };
    b.rounds.table = &b.table;
    varve_status status = rebuild(&b, was_lost, error ? error : &local);
    if (b.has_local)
        vv_local_files_close(&b.local, redundancy);
    vv_rounds_end(&b.rounds);
    vv_release(a, b.all, b.all ? VV_MOST_MEMBERS * sizeof *b.all : 0);
    vv_release(a, b.domains,
        b.domains ? redundancy->comm->size * sizeof *b.domains : 0);
    return status;
}
