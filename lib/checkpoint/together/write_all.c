/* write_all.c - Implements varve_write_all and varve_save_all.
 *
 * SPDX-License-Identifier: MIT
 */
#include "write_all.h"

#include "comm_collectives.h"
#include "try.h"

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
    static const struct vv_save_way way = { write_all_agree, write_all_write };
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
