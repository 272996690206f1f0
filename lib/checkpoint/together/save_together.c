/* save_together.c - Implements the four steps of a collective save.
 *
 * SPDX-License-Identifier: MIT
 */
#include "save_together.h"

#include "comm_collectives.h"
#include "contribution.h"
#include "data_files.h"
#include "data_out.h"
#include "default_allocator.h"
#include "difference.h"
#include "failure.h"
#include "graph.h"
#include "layer_prune.h"
#include "merge_rounds.h"
#include "publish.h"
#include "save.h"
#include "save_plan_digests.h"
#include "store.h"
#include "try.h"
#include "write.h"
#include "write_options.h"

/* --- The first step ------------------------------------------------------- */

/* Returns VARVE_MISUSE for options that collective saves do not support.
 * `options` may be NULL. */
static varve_status save_together_check(
    const varve_write_options *o, varve_error *error)
{
    VV_TRY(vv_write_options_check(o, error));
    if (o && o->format != VARVE_FORMAT_VARVE)
        return vv_fail(error, VARVE_MISUSE,
            "`format` must be VARVE_FORMAT_VARVE in a collective save, found "
            "%s: convert the checkpoint with `varve convert`",
            varve_format_name(o->format));
    return VARVE_OK;
}

varve_status vv_save_together_gather(struct vv_save_together *save,
    const struct vv_save_request *request, varve_error *error)
{
    struct vv_save_request own = *request;
    own.of = VV_OF_SEVERAL;
    VV_TRY(save_together_check(own.options, error));
    VV_TRY(vv_request_gather(&own, save->save_plan, error));
    varve_status status = vv_private_parts_gather(
        &save->privates, own.root, save->save_plan, save->comm, error);
    if (status)
        vv_save_plan_clear(save->save_plan);
    return status;
}

varve_status vv_save_together_share(
    struct vv_save_together *save, varve_error *error)
{
    VV_TRY(vv_share_make(
        &save->share, save->save_plan, &save->privates, save->comm, error));
    save->has_share = true;
    return VARVE_OK;
}

static varve_status save_together_digest(
    struct vv_save_together *save, varve_error *error)
{
    VV_TRY(vv_recall_digests(save->save_plan, NULL, NULL, error));
    return vv_private_parts_digest(&save->privates, error);
}

static varve_status save_together_prepare(
    struct vv_save_together *save, varve_error *error)
{
    const varve_increment_options *o = &save->save_plan->options.increment;
    save->may_recompute = o->only_dirty || o->track;
    VV_TRY(save_together_digest(save, error));
    return vv_save_together_share(save, error);
}

varve_status vv_save_together_begin(struct vv_save_together *save,
    const struct vv_save_request *request, varve_error *error)
{
    VV_TRY(vv_begin_save(request->root, request->target, "path", error));
    VV_TRY(vv_store_refuse_any(request->target, VV_STORE_ALONE, error));
    VV_TRY(vv_save_together_gather(save, request, error));
    varve_status status = save_together_prepare(save, error);
    if (status) {
        vv_save_together_end(save);
        vv_save_plan_clear(save->save_plan);
    }
    return status;
}

void vv_save_together_end(struct vv_save_together *save)
{
    if (save->has_share)
        vv_share_clear(&save->share);
    save->has_share = false;
    if (save->privates.allocator)
        vv_private_parts_clear(&save->privates);
}

/* --- Rank 0 --------------------------------------------------------------- */

/* The data of rank 0 from the second step to the fourth. */
struct publishing {
    const struct vv_save_plan *save_plan;
    const char *path;
    int flags;
    struct vv_merge merge;
    bool is_merged;
    struct vv_spill spill; /* used if shards are sent in rounds */
    struct vv_data_files files;
    struct vv_publication index;
    bool is_open;
};

static varve_status open_files(
    struct publishing *p, struct vv_buffer *orders, varve_error *error)
{
    p->is_merged = true;
    VV_TRY(vv_merge_make(&p->merge, error));
    VV_TRY(vv_publish_begin(&p->index, &p->save_plan->context, p->path,
        p->flags | VV_PUBLISH_NO_LINK, error));
    varve_status status = vv_data_files_begin(&p->files, &p->merge, p->flags,
        vv_publish_access(&p->index), orders, error);
    p->is_open = !status;
    return status ? vv_publish_end(&p->index, status, error) : VARVE_OK;
}

/* The first part of open_files if shards are sent in rounds. Opens the spill
 * file next to the index. */
static varve_status open_spill(struct publishing *p, varve_error *error)
{
    p->is_merged = true;
    VV_TRY(vv_merge_begin(&p->merge, error));
    VV_TRY(vv_publish_begin(&p->index, &p->save_plan->context, p->path,
        p->flags | VV_PUBLISH_NO_LINK, error));
    varve_status status = vv_spill_begin(&p->spill, &p->save_plan->context,
        p->index.directory, p->index.name, p->path,
        vv_publish_access(&p->index) != NULL, error);
    if (status)
        return vv_publish_end(&p->index, status, error);
    p->merge.spill = &p->spill;
    return VARVE_OK;
}

static varve_status open_behind(struct publishing *p, varve_status status,
    struct vv_buffer *orders, varve_error *error)
{
    if (!p->merge.spill)
        return status;
    if (!status)
        status = vv_data_files_begin(&p->files, &p->merge, p->flags,
            vv_publish_access(&p->index), orders, error);
    p->is_open = !status;
    if (!status)
        return VARVE_OK;
    vv_spill_end(&p->spill);
    p->merge.spill = NULL;
    return vv_publish_end(&p->index, status, error);
}

static varve_status save_together_write_index(
    struct publishing *p, varve_error *error)
{
    struct vv_index index;
    VV_TRY(vv_data_files_end(&p->files, p->flags, error));
    VV_TRY(vv_merge_index(&p->merge, &index, error));
    return vv_data_out_bare(
        &p->save_plan->context, p->index.file, p->path, &index, error);
}

/* Publishes the checkpoint, or deletes its files after a failure. Then
 * deletes the data files of a checkpoint that was replaced, and those of
 * killed saves. */
static varve_status save_together_publish(
    struct publishing *p, varve_status status, varve_error *error)
{
    if (p->is_open) {
        if (!status)
            status = save_together_write_index(p, error);
        if (p->merge.spill)
            vv_spill_end(&p->spill);
        status = vv_publish_end(&p->index, status, error);
        bool is_named = !status || status == VARVE_UNKNOWN_OUTCOME;
        vv_data_files_clear(&p->files, is_named);
        bool has_left =
            p->files.has_left || !(p->flags & VV_PUBLISH_NO_REPLACE);
        /* Without a sync the next save deletes them: a crash might restore the
         * older index. */
        if (!status && has_left && !(p->flags & VV_PUBLISH_NO_SYNC))
            vv_prune_layers(&p->save_plan->context, p->path, NULL);
    }
    if (p->is_merged)
        vv_merge_clear(&p->merge);
    return status;
}

/* --- All ranks ------------------------------------------------------------ */

static uint64_t most_at_once(const struct vv_save_together *save)
{
    return save->most_at_once ? save->most_at_once : VV_MOST_AT_ONCE;
}

/* Returns true if shards are sent in rounds. The result is the same on all
 * ranks whose graphs do not differ. */
static bool needs_rounds(const struct vv_save_together *save)
{
    const struct vv_rounds rounds = { .save_plan = save->save_plan,
        .ranks = save->comm->size,
        .most = most_at_once(save) };
    return vv_needs_rounds(&rounds);
}

static varve_status save_together_send(struct vv_save_together *save,
    varve_status status, const char *path, struct vv_gathered *all,
    varve_error *error)
{
    struct vv_buffer message;
    vv_buffer_init(&message, all->bytes.allocator);
    if (!status)
        status = vv_contribution_add(&message, save->comm, path,
            save->save_plan, &save->share, !needs_rounds(save), error);
    status = vv_comm_gatherv(save->comm, status, &message, all, error);
    vv_buffer_clear(&message);
    return status;
}

/* The second step if shards are sent in rounds. */
static varve_status order_by_rounds(struct vv_save_together *save,
    struct publishing *p, struct vv_buffer *orders, varve_error *error)
{
    varve_status status =
        save->comm->rank == 0 ? open_spill(p, error) : VARVE_OK;
    status = vv_merge_by_rounds(&p->merge, most_at_once(save), status, error);
    bool is_given_up = status != VARVE_OK;
    if (save->comm->rank == 0)
        status = open_behind(p, status, orders, error);
    return is_given_up
               ? status
               : vv_comm_bcast_buffer(save->comm, status, orders, error);
}

/* The second step: compares the ranks, then creates files. */
static varve_status order(struct vv_save_together *save, struct publishing *p,
    struct vv_buffer *orders, varve_error *error)
{
    varve_status status = VARVE_OK;
    VV_TRY(
        vv_compare_all(save->comm, &p->merge, &save->has_same_request, error));
    if (needs_rounds(save))
        return order_by_rounds(save, p, orders, error);
    if (save->comm->rank == 0)
        status = open_files(p, orders, error);
    return vv_comm_bcast_buffer(save->comm, status, orders, error);
}

/* --- Data that was assumed to be unchanged -------------------------------- */

static struct vv_save_plan *save_plan_at(
    struct vv_save_together *save, size_t number)
{
    if (number == 0)
        return save->save_plan;
    return number <= save->privates.count
               ? &save->privates.all[number - 1].save_plan
               : NULL;
}

static void keep_digests(struct vv_save_together *save)
{
    struct vv_save_plan *save_plan;
    for (size_t i = 0; (save_plan = save_plan_at(save, i)) != NULL; i++)
        vv_recall_keep(save_plan);
}

static void drop_digests(struct vv_save_together *save)
{
    struct vv_save_plan *save_plan;
    for (size_t i = 0; (save_plan = save_plan_at(save, i)) != NULL; i++)
        vv_recall_drop(save_plan);
}

static varve_status recompute_digests(
    struct vv_save_together *save, varve_error *error)
{
    struct vv_save_plan *save_plan;
    for (size_t i = 0; (save_plan = save_plan_at(save, i)) != NULL; i++)
        VV_TRY(vv_save_plan_digest(save_plan, NULL, error));
    return VARVE_OK;
}

static varve_status save_together_write_once(struct vv_save_together *save,
    varve_status status, const char *path, varve_error *error)
{
    const varve_allocator allocator = vv_allocator_or_default(NULL);
    const varve_comm *comm = save->comm;
    const varve_write_options *o = &save->save_plan->options;
    struct vv_gathered all = { .sizes = NULL };
    struct vv_buffer orders;
    vv_buffer_init(&orders, &allocator);
    vv_buffer_init(&all.bytes, &allocator);
    struct publishing p = { .save_plan = save->save_plan,
        .path = path,
        .flags = (o->no_sync ? VV_PUBLISH_NO_SYNC : 0) |
                 (o->no_replace ? VV_PUBLISH_NO_REPLACE : 0),
        .merge = { .comm = comm,
            .path = path,
            .save_plan = save->save_plan,
            .share = &save->share,
            .all = &all } };
    const struct vv_filling filling = { .save_plan = save->save_plan,
        .share = &save->share,
        .comm = comm,
        .path = path,
        .orders = &orders,
        .merge = &p.merge };
    status = save_together_send(save, status, path, &all, error);
    if (!status) {
        status = order(save, &p, &orders, error);
        if (!status)
            status = vv_data_files_fill(&filling, error);
        bool is_given_up = status != VARVE_OK;
        status = save_together_publish(&p, status, error);
        if (!is_given_up)
            status = vv_agree(comm, status, error);
        vv_gathered_clear(&all);
    }
    vv_buffer_clear(&orders);
    return status;
}

/* A program may fail to mark changed data as dirty, or mark replicated data on
 * some ranks only. That is detected if ranks differ, or if a layer does not
 * have the data any more. Then all ranks compute all digests again, once. They
 * have the same options and the same status at that point. */
varve_status vv_save_together_write(struct vv_save_together *save,
    varve_status status, const char *path, varve_error *error)
{
    save->has_same_request = false;
    status = save_together_write_once(save, status, path, error);
    bool is_noticed = status == VARVE_MISUSE && save->has_same_request;
    if (is_noticed)
        drop_digests(save);
    if (is_noticed && save->may_recompute) {
        save->may_recompute = false;
        if (error)
            *error = (varve_error){ .status = VARVE_OK };
        status = save_together_write_once(
            save, recompute_digests(save, error), path, error);
    }
    if (!status || status == VARVE_UNKNOWN_OUTCOME)
        keep_digests(save);
    return status;
}

/* --- Saves -----------------------------------------------------------------
 */

static varve_status write_all_agree(
    void *user, varve_status status, uint64_t *number, varve_error *error)
{
    const struct vv_save_together *save = user;
    VV_TRY(vv_agree(save->comm, status, error));
    return vv_comm_bcast_u64(save->comm, number, error);
}

static varve_status write_all_write(
    void *user, varve_status status, const char *path, varve_error *error)
{
    return vv_save_together_write(user, status, path, error);
}

struct vv_saving vv_saving_together(
    struct vv_save_together *save, const char *target, bool is_numbered)
{
    static const struct vv_collective_write way = { write_all_agree,
        write_all_write };
    return (struct vv_saving){
        .save_plan = save->save_plan,
        .target = target,
        .is_numbered = is_numbered,
        .is_follower = save->comm->rank != 0,
        .way = &way,
        .user = save,
    };
}

varve_status vv_save_now_together(const varve_comm *comm, varve_status status,
    const struct vv_save_request *r, varve_error *error)
{
    struct vv_save_plan save_plan = { .counter = 0 };
    struct vv_save_together save = { .comm = comm, .save_plan = &save_plan };
    if (vv_is_alone(comm))
        return status ? status : vv_save_now(r, error);
    if (!status)
        status = vv_save_together_begin(&save, r, error);
    bool is_gathered = save.has_share;
    struct vv_saving saving =
        vv_saving_together(&save, r->target, r->is_numbered);
    saving.root = is_gathered ? r->root : NULL;
    saving.sets_counter = r->sets_counter;
    status = vv_saving_write(&saving, status, error);
    vv_save_together_end(&save);
    if (is_gathered)
        vv_save_plan_clear(&save_plan);
    return status;
}

static varve_status write_all_now(const varve_comm *comm,
    const struct vv_save_request *request, varve_error *error)
{
    varve_error reason = { 0 };
    VV_TRY(vv_check_comm(comm, error));
    varve_status status =
        vv_save_now_together(comm, VARVE_OK, request, &reason);
    if (status && error)
        *error = reason;
    return status;
}

varve_status varve_write_all(const varve_comm *comm, varve_node *root,
    const char *path, const varve_write_options *options, varve_error *error)
{
    const struct vv_save_request r = vv_write_request(root, path, options);
    return write_all_now(comm, &r, error);
}

varve_status varve_save_all(const varve_comm *comm, varve_node *root,
    const char *prefix, const varve_write_options *options, varve_error *error)
{
    const struct vv_save_request r = vv_numbered_request(root, prefix, options);
    return write_all_now(comm, &r, error);
}

varve_status varve_agree(
    const varve_comm *comm, varve_status status, varve_error *error)
{
    VV_TRY(vv_check_comm(comm, error));
    return vv_agree(comm, status, error);
}

bool varve_any(const varve_comm *comm, bool wanted)
{
    if (!comm)
        return wanted;
    uint64_t number = wanted;
    return comm->agree(comm->self, &number) || number > 0;
}
