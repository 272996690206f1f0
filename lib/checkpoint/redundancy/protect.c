/* protect.c - Gathers the digests of the files of a group, then computes parity
 * blocks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "protect.h"

#include "allocator.h"
#include "bytes.h"
#include "comm_collectives.h"
#include "failure.h"
#include "file.h"
#include "member_status.h"
#include "parity_rounds.h"
#include "redundancy_group.h"
#include "try.h"

struct protection {
    const struct vv_redundancy *redundancy;
    const struct vv_redundant_file *own;
    struct vv_parity_table table;
    struct vv_parity_rounds rounds;
    struct vv_parity_sink block;
};

static varve_status protect_find_group(struct protection *p, varve_error *error)
{
    const struct vv_redundancy *r = p->redundancy;
    const uint32_t rank_and_size[] = { r->comm->rank, r->comm->size };
    p->table = (struct vv_parity_table){
        .scheme = r->scheme,
        .group_size = r->group_size,
        .rank = r->comm->rank,
        .size = r->comm->size,
        .number = p->own->number,
        .domains = r->domains,
    };
    return vv_redundancy_group_of(&p->table.group, r->domains, rank_and_size,
        r->group_size, &r->context->allocator, error);
}

static varve_status protect_look_at_file(
    struct protection *p, varve_error *error)
{
    const struct vv_context *context = p->redundancy->context;
    const char *path = p->own->path;
    struct vv_member_file *file = &p->table.files[p->table.group.index];
    VV_TRY(vv_file_open(context, path, &p->rounds.file, &file->size, error));
    const uint64_t range[] = { 0, file->size };
    return vv_digest_file(
        context, p->rounds.file, path, range, &file->digest, error);
}

/* Computes the digest that identifies the save. The number alone does not:
 * nodes that cannot see each other's files may use a number twice. `all` is a
 * buffer on rank 0. */
static varve_status protect_sum_all(
    struct protection *p, struct vv_member_file *all, varve_error *error)
{
    const varve_comm *comm = p->redundancy->comm;
    struct vv_member_file mine = p->table.files[p->table.group.index];
    mine.size = vv_order64(mine.size);
    varve_status status = comm->gather(comm->self, &mine, sizeof mine, all);
    if (status)
        return vv_comm_fail(comm, status, error);
    if (comm->rank == 0)
        p->table.set = vv_digest_of(all, comm->size * sizeof *all);
    return vv_comm_bcast(comm, &p->table.set, sizeof p->table.set, error);
}

static varve_status name_set(struct protection *p, varve_error *error)
{
    const struct vv_redundancy *r = p->redundancy;
    const varve_allocator *a = &r->context->allocator;
    struct vv_member_file *all = NULL;
    varve_status status = VARVE_OK;
    if (r->comm->rank == 0) {
        all = vv_allocate_array(a, r->comm->size, sizeof *all);
        if (!all)
            status = vv_fail_memory(error, "the files of all ranks");
    }
    status = vv_agree(r->comm, status, error);
    if (!status)
        status = protect_sum_all(p, all, error);
    vv_release(a, all, all ? r->comm->size * sizeof *all : 0);
    return status;
}

static varve_status protect_make_block(struct protection *p, varve_error *error)
{
    const struct vv_parity_table *t = &p->table;
    struct vv_parity_rounds *r = &p->rounds;
    vv_sink_begin(r, &p->block, p->own->parity, vv_parity_head_size(t),
        vv_block_size(t, t->group.index));
    varve_status talk =
        t->scheme == VARVE_XOR
            ? vv_rounds_make_blocks(r, &p->block, error)
            : vv_rounds_copy_on(r, UINT64_MAX, &p->block, error);
    vv_rounds_agree(r, talk, error);
    vv_sink_end_block(r, &p->block);
    return vv_rounds_outcome(r, error);
}

/* Each step must be called on all ranks or on none. */
static varve_status protect(
    struct protection *p, varve_status status, varve_error *error)
{
    const struct vv_redundancy *r = p->redundancy;
    const varve_allocator *a = &r->context->allocator;
    if (!status)
        status = protect_find_group(p, error);
    if (!status)
        status = protect_look_at_file(p, error);
    if (!status)
        status = vv_rounds_begin(&p->rounds, error);
    VV_TRY(vv_agree(r->comm, status, error));
    VV_TRY(name_set(p, error));
    VV_TRY(vv_pass_around(r->comm, a, &p->table.group, p->table.files,
        sizeof *p->table.files, error));
    return protect_make_block(p, error);
}

varve_status vv_protect(const struct vv_redundancy *redundancy,
    const struct vv_redundant_file *own, varve_status status,
    varve_error *error)
{
    struct protection p = {
        .redundancy = redundancy,
        .own = own,
        .rounds = { .redundancy = redundancy,
            .own = own,
            .file = -1,
            .block = -1,
            .is_needed = true },
    };
    varve_error local = { 0 };
    p.rounds.table = &p.table;
    status = protect(&p, status, error ? error : &local);
    vv_rounds_end(&p.rounds);
    vv_file_close(redundancy->context, p.rounds.file);
    return status;
}
