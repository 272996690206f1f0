/* manager_nodes.c - Performs the collective operations of managers with a
 * directory for each rank, and rebuilds lost files afterwards.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manager_nodes.h"

#include <inttypes.h>

#include "allocator.h"
#include "comm_collectives.h"
#include "failure.h"
#include "file.h"
#include "listing_refresh.h"
#include "name.h"
#include "protect.h"
#include "rebuild.h"
#include "redundancy_group.h"
#include "run_identity.h"
#include "try.h"

/* --- Rebuilding ----------------------------------------------------------- */

/* Rebuilds one set after the other, the newest first. */

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

/* --- Managers ------------------------------------------------------------- */

/* Performs the collective operations of managers with a directory for each
 * rank. */

/* --- Beginning and end -------------------------------------------------- */

static varve_status manager_nodes_refuse(
    const char *what, const char *found, varve_error *error)
{
    return vv_fail(error, VARVE_MISUSE,
        "redundancy: requires a manager %s, but found %s", what, found);
}

static varve_status check_scheme(const varve_redundancy *r, varve_error *error)
{
    VV_TRY(VV_CHECK_OPTIONS(r, error));
    if (r->scheme != VARVE_XOR && r->scheme != VARVE_PARTNER)
        return vv_fail(error, VARVE_MISUSE,
            "redundancy: `scheme` must be VARVE_XOR or VARVE_PARTNER, found %d",
            (int)r->scheme);
    if (r->group_size == 1 || r->group_size > VV_LARGEST_GROUP)
        return vv_fail(error, VARVE_MISUSE,
            "redundancy: `group_size` must be 2 to %d nodes, found %" PRIu32,
            VV_LARGEST_GROUP, r->group_size);
    return VARVE_OK;
}

varve_status vv_nodes_check_options(
    const varve_manager_options *o, varve_error *error)
{
    if (!o->redundancy)
        return VARVE_OK;
    VV_TRY(check_scheme(o->redundancy, error));
    if (vv_is_alone(o->comm))
        return manager_nodes_refuse("with `comm`", "no `comm`", error);
    if (o->async)
        return manager_nodes_refuse(
            "without asynchronous saves", "`async`", error);
    if (o->number_by_step) /* the older set would go before the newer is there
                            */
        return manager_nodes_refuse(
            "that counts its checkpoints", "`number_by_step`", error);
    if (o->write && o->write->incremental)
        return manager_nodes_refuse(
            "without incremental checkpoints", "`write.incremental`", error);
    if (o->read && o->read->salvage.on)
        return manager_nodes_refuse("that restores intact checkpoints only",
            "`read.salvage.on`", error);
    return VARVE_OK;
}

varve_status vv_nodes_begin(struct vv_manager_nodes *n,
    const struct vv_context *context, const varve_manager_options *o,
    struct vv_buffer *path, varve_error *error)
{
    const varve_redundancy *r = o->redundancy;
    n->domains = vv_allocate_array(
        &context->allocator, o->comm->size, sizeof *n->domains);
    n->domain = r->domain ? r->domain : o->comm->node;
    n->redundancy = (struct vv_redundancy){
        .context = context,
        .comm = o->comm,
        .scheme = r->scheme,
        .group_size = r->group_size ? r->group_size : VV_USUAL_GROUP,
        .domains = n->domains,
        .round_size = VV_PASSED_AT_ONCE,
        .no_sync = o->write && o->write->no_sync,
    };
    vv_buffer_add_string(path, "/rank-");
    vv_buffer_add_decimal(path, o->comm->rank);
    vv_buffer_string(path);
    return n->domains && !path->failed
               ? VARVE_OK
               : vv_fail_memory(error, "where ranks run");
}

void vv_nodes_end(struct vv_manager_nodes *n)
{
    const struct vv_redundancy *r = &n->redundancy;
    if (n->domains)
        vv_release(&r->context->allocator, n->domains,
            r->comm->size * sizeof *n->domains);
    n->domains = NULL;
}

/* Checks that a group can be made. The group is made when it is needed. */
varve_status vv_nodes_exchange(struct vv_manager_nodes *n, varve_error *error)
{
    const struct vv_redundancy *r = &n->redundancy;
    struct vv_redundancy_group group;
    if (!vv_has_nodes(n))
        return VARVE_OK;
    const uint32_t rank_and_size[] = { r->comm->rank, r->comm->size };
    VV_TRY(vv_comm_allgather(
        r->comm, &n->domain, sizeof n->domain, n->domains, error));
    varve_status status = vv_redundancy_group_of(&group, r->domains,
        rank_and_size, r->group_size, &r->context->allocator, error);
    return vv_agree(r->comm, status, error);
}

/* --- Saving ------------------------------------------------------------- */

varve_status vv_nodes_count(const struct vv_manager_nodes *n,
    varve_status status, uint64_t *counter, varve_error *error)
{
    const varve_comm *comm = n->redundancy.comm;
    if (!comm)
        return status;
    VV_TRY(vv_agree(comm, status, error));
    return vv_comm_allreduce_max(comm, counter, error);
}

/* Makes the names of the files of this rank. */
struct names {
    struct vv_buffer path, parity;
    struct vv_redundant_file file;
};

static varve_status find_names(
    struct vv_listing *l, uint64_t number, struct names *n, varve_error *error)
{
    vv_buffer_init(&n->path, &l->context->allocator);
    vv_buffer_init(&n->parity, &l->context->allocator);
    vv_buffer_add_string(&n->path, vv_listing_path(l, &number, VARVE_SUFFIX));
    bool failed = l->path.failed;
    vv_buffer_add_string(
        &n->parity, vv_listing_path(l, &number, VV_PARITY_SUFFIX));
    const struct vv_entry *entry = vv_listing_find(l, number);
    n->file = (struct vv_redundant_file){
        .number = number,
        .age = entry ? vv_run_identity_time(entry->run) : 0,
        .path = vv_buffer_string(&n->path),
        .parity = vv_buffer_string(&n->parity),
    };
    return failed || l->path.failed || n->path.failed || n->parity.failed
               ? vv_fail_memory(error, "the name of a checkpoint")
               : VARVE_OK;
}

static void manager_nodes_clear_names(struct names *n)
{
    vv_buffer_clear(&n->path);
    vv_buffer_clear(&n->parity);
}

static void remove_file(const struct vv_context *context, const char *path)
{
    vv_file_remove(context, VV_WORKING_DIRECTORY, path, path, NULL);
}

varve_status vv_nodes_protect(const struct vv_manager_nodes *n,
    struct vv_listing *l, uint64_t number, varve_status status,
    varve_error *error)
{
    struct names names;
    if (!vv_has_nodes(n))
        return status;
    bool is_saved = !status;
    varve_error reason = { 0 };
    varve_status named = find_names(l, number, &names, &reason);
    if (named && !status) {
        *error = reason;
        status = named;
    }
    status = vv_protect(&n->redundancy, &names.file, status, error);
    /* The set failed on a rank, so no other rank needs this file. */
    if (status && is_saved && !named && status != VARVE_DISCONNECTED &&
        status != VARVE_UNKNOWN_OUTCOME) {
        remove_file(l->context, names.file.parity);
        remove_file(l->context, names.file.path);
    }
    manager_nodes_clear_names(&names);
    return status;
}

/* --- Resuming ----------------------------------------------------------- */

/* All ranks use the size of the largest file, so that all keep the same
 * sets. */
varve_status vv_nodes_find_oldest_to_keep(struct vv_manager_nodes *n,
    struct vv_listing *l, uint64_t most, varve_error *error)
{
    const varve_comm *comm = n->redundancy.comm;
    uint64_t number = UINT64_MAX, oldest = UINT64_MAX;
    n->weighed = 0;
    if (!comm || most == 0)
        return VARVE_OK;
    VV_TRY(vv_agree(comm, vv_listing_refresh(l, error), error));
    for (;;) {
        number = vv_listing_below(l, number);
        VV_TRY(vv_comm_allreduce_max(comm, &number, error));
        if (number == 0)
            return VARVE_OK;
        const struct vv_entry *entry = vv_listing_find(l, number);
        uint64_t size = entry ? entry->size : 0;
        VV_TRY(vv_comm_allreduce_max(comm, &size, error));
        if (size > most)
            break;
        most -= size;
        oldest = number;
    }
    n->weighed = oldest;
    return VARVE_OK;
}

void vv_nodes_note_weights(
    const struct vv_manager_nodes *n, struct vv_listing *l)
{
    for (size_t i = 0; n->weighed && i < l->count; i++) {
        struct vv_entry *e = &l->entries[i];
        e->data = e->number < n->weighed ? UINT64_MAX - e->size : 0;
    }
}

varve_status vv_nodes_rebuild(const struct vv_manager_nodes *n,
    struct vv_listing *l, uint64_t number, bool *was_lost, varve_error *aside,
    varve_error *error)
{
    struct names names;
    varve_status status = find_names(l, number, &names, error);
    status = vv_agree(n->redundancy.comm, status, error);
    if (!status)
        status =
            vv_rebuild(&n->redundancy, &names.file, was_lost, aside, error);
    manager_nodes_clear_names(&names);
    return status;
}

static varve_status add_set(struct vv_manager_nodes *n, struct vv_listing *l,
    uint64_t number, varve_error *error)
{
    struct names names;
    varve_status status = find_names(l, number, &names, error);
    if (!status)
        status =
            vv_nodes_behind_add(&n->behind, &n->redundancy, &names.file, error);
    manager_nodes_clear_names(&names);
    return status;
}

varve_status vv_nodes_rebuild_rest(struct vv_manager_nodes *n,
    struct vv_listing *l, uint64_t number, varve_error *error)
{
    const varve_comm *comm = n->redundancy.comm;
    varve_status status = VARVE_OK;
    while (number > 0) {
        if (!status)
            status = add_set(n, l, number, error);
        number = vv_listing_below(l, number);
        VV_TRY(vv_comm_allreduce_max(comm, &number, error));
    }
    return vv_nodes_behind_begin(&n->behind, &n->redundancy, status, error);
}

varve_status vv_nodes_any(
    const struct vv_manager_nodes *n, bool *is_so, varve_error *error)
{
    const varve_comm *comm = n->redundancy.comm;
    uint64_t most = *is_so;
    if (!comm)
        return VARVE_OK;
    VV_TRY(vv_comm_allreduce_max(comm, &most, error));
    *is_so = most != 0;
    return VARVE_OK;
}
