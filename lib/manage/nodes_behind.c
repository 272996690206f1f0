/* nodes_behind.c - Rebuilds one set after the other, the newest first.
 *
 * SPDX-License-Identifier: MIT
 */
#include "nodes_behind.h"

#include "comm_collectives.h"
#include "allocator.h"
#include "failure.h"
#include "rebuild.h"
#include "try.h"

static struct vv_redundant_file *files_of(
    const struct vv_nodes_behind *b, size_t *count)
{
    *count = b->files.size / sizeof(struct vv_redundant_file);
    return (struct vv_redundant_file *)(void *)b->files.data;
}

static void nodes_behind_free_names(
    const varve_allocator *a, const struct vv_redundant_file *file)
{
    vv_release_string(a, (char *)(uintptr_t)file->path);
    vv_release_string(a, (char *)(uintptr_t)file->parity);
}

varve_status vv_nodes_behind_add(struct vv_nodes_behind *b,
    const struct vv_redundancy *r, const struct vv_redundant_file *own,
    varve_error *error)
{
    const varve_allocator *a = &r->context->allocator;
    const struct vv_redundant_file file = { .number = own->number,
        .age = own->age,
        .path = vv_copy_string(a, own->path),
        .parity = vv_copy_string(a, own->parity) };
    if (!b->files.allocator)
        vv_buffer_init(&b->files, a);
    if (file.path && file.parity)
        vv_buffer_add(&b->files, &file, sizeof file);
    if (file.path && file.parity && !b->files.failed)
        return VARVE_OK;
    nodes_behind_free_names(a, &file);
    return vv_fail_memory(error, "what is to be rebuilt");
}

/* Returns the same status on all ranks, so that all continue with the next
 * set. */
static void nodes_behind_make(struct vv_nodes_behind *b)
{
    size_t count;
    const struct vv_redundant_file *files = files_of(b, &count);
    varve_status status = VARVE_OK;
    for (size_t i = 0; i < count && status != VARVE_DISCONNECTED; i++) {
        varve_error reason = { 0 }, aside = { 0 };
        status = vv_rebuild(&b->redundancy, &files[i], NULL, &aside, &reason);
        if (aside.status && !b->failure.status)
            b->failure = aside;
        if (status && !b->failure.status)
            b->failure = reason;
    }
}

/* Rebuilds inside the monitor, which only vv_nodes_behind_end enters. */
static bool nodes_behind_work(void *user)
{
    struct vv_nodes_behind *b = user;
    if (!b->is_made)
        nodes_behind_make(b);
    b->is_made = true;
    return false;
}

/* On all ranks or on none. */
static bool nodes_behind_has_copy(
    struct vv_nodes_behind *b, const varve_comm *comm)
{
    varve_error error = { 0 };
    uint64_t lacks = comm->duplicate == NULL;
    if (vv_comm_allreduce_max(comm, &lacks, &error) || lacks)
        return false;
    lacks = comm->duplicate(comm->self, &b->copy) != VARVE_OK;
    if (lacks)
        b->copy = NULL;
    return !vv_comm_allreduce_max(comm, &lacks, &error) && !lacks;
}

static void nodes_behind_let_go(struct vv_nodes_behind *b)
{
    if (b->copy)
        b->copy->release(b->copy->self);
    b->copy = NULL;
}

varve_status vv_nodes_behind_begin(struct vv_nodes_behind *b,
    const struct vv_redundancy *r, varve_status status, varve_error *error)
{
    VV_TRY(vv_agree(r->comm, status, error));
    b->context = *r->context;
    b->context.durable = &b->durable;
    b->durable = (struct vv_durable){ 0 };
    b->redundancy = *r;
    b->redundancy.context = &b->context;
    b->is_made = false;
    if (nodes_behind_has_copy(b, r->comm)) {
        b->redundancy.comm = b->copy;
        if (vv_worker_thread_init(
                &b->worker, &b->context, nodes_behind_work, b))
            vv_worker_thread_start(&b->worker);
    } else {
        nodes_behind_let_go(b);
    }
    if (!b->worker.is_started)
        nodes_behind_make(b); /* the other ranks wait for it */
    return VARVE_OK;
}

varve_status vv_nodes_behind_end(struct vv_nodes_behind *b, varve_error *error)
{
    if (!vv_worker_thread_end(&b->worker))
        b->worker = (struct vv_worker_thread){ .monitor = NULL };
    nodes_behind_let_go(b);
    size_t count;
    const struct vv_redundant_file *files = files_of(b, &count);
    for (size_t i = 0; i < count; i++)
        nodes_behind_free_names(b->files.allocator, &files[i]);
    if (count > 0)
        vv_buffer_clear(&b->files);
    varve_status status = b->failure.status;
    if (status && error)
        *error = b->failure;
    b->failure.status = VARVE_OK;
    return status;
}
