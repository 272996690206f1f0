/* write.c - Implements varve_write and varve_save: gathers a save plan, then
 * writes it.
 *
 * All steps that can fail without writing (callbacks, memory for the index)
 * come before the first byte is written.
 *
 * SPDX-License-Identifier: MIT
 */
#include "write.h"

#include "background.h"
#include "save_plan_write.h"
#include "failure.h"
#include "graph.h"
#include "overlap.h"
#include "save.h"
#include "store.h"
#include "struct_look.h"
#include "try.h"
#include "write_options.h"

static varve_status check_root(
    varve_node *root, const char *path, const char *what, varve_error *error)
{
    if (root)
        VV_TRY(varve_graph_check(root->graph, error));
    if (!root || vv_is_nil(root) || !path)
        return vv_fail(error, VARVE_MISUSE, "node or %s is NULL", what);
    return VARVE_OK;
}

static varve_status write_look(varve_node *root, varve_error *error)
{
    VV_TRY(vv_structs_look(root, error));
    VV_TRY(varve_graph_check(root->graph, error));
    return vv_overlap_check(root, error);
}

varve_status vv_check_call(
    varve_node *root, const char *path, const char *what, varve_error *error)
{
    VV_TRY(check_root(root, path, what, error));
    return write_look(root, error);
}

varve_status vv_begin_save(
    varve_node *root, const char *path, const char *what, varve_error *error)
{
    VV_TRY(check_root(root, path, what, error));
    VV_TRY(vv_store_refuse(path, error));
    VV_TRY(vv_background_settle(root->graph, error));
    return write_look(root, error);
}

/* --- Requests ------------------------------------------------------------- */

struct vv_save_request vv_write_request(
    varve_node *root, const char *path, const varve_write_options *options)
{
    bool keeps = root && options && options->keep_counter;
    return (struct vv_save_request){
        .root = root,
        .target = path,
        .options = options,
        .counter = keeps ? varve_save_counter(root) : 0,
    };
}

struct vv_save_request vv_numbered_request(
    varve_node *root, const char *prefix, const varve_write_options *options)
{
    return (struct vv_save_request){
        .root = root,
        .target = prefix,
        .options = options,
        .is_numbered = true,
        .sets_counter = true,
    };
}

/* Reserves memory for the counter first, as nothing may fail once the file is
 * in place. */
varve_status vv_request_gather(const struct vv_save_request *r,
    struct vv_save_plan *save_plan, varve_error *error)
{
    if (r->is_numbered)
        VV_TRY(vv_check_numbered(r->options, "format", r->target, error));
    if (r->sets_counter && !vv_reserve_save_counter(r->root))
        return vv_fail_memory(error, "the counter of a checkpoint");
    VV_TRY(
        vv_save_plan_gather_of(save_plan, r->root, r->of, r->options, error));
    save_plan->options.no_replace |= r->is_numbered;
    save_plan->is_swept = r->is_swept;
    save_plan->counter = r->is_numbered ? vv_save_counter(r->root) : r->counter;
    return VARVE_OK;
}

/* --- Writing -------------------------------------------------------------- */

varve_status vv_saving_write_to(const struct vv_saving *s, varve_status status,
    const char *path, varve_error *error)
{
    if (s->way)
        return s->way->write(s->user, status, path, error);
    return status ? status : vv_save_plan_write(s->save_plan, path, error);
}

static varve_status write_named(
    const struct vv_saving *s, varve_status status, varve_error *error)
{
    if (s->path) {
        vv_buffer_add_string(s->path, s->target);
        vv_buffer_string(s->path);
        if (!status && s->path->failed)
            status = vv_fail_memory(error, "the name of a checkpoint");
    }
    return vv_saving_write_to(s, status, s->target, error);
}

varve_status vv_saving_write(
    const struct vv_saving *s, varve_status status, varve_error *error)
{
    /* The progress callback must not move or remove values. */
    enum vv_hold older = s->root ? vv_graph_hold(s->root->graph, VV_HOLDS_ALL)
                                 : VV_HOLDS_NOTHING;
    status = s->is_numbered ? vv_save_numbered(s, status, error)
                            : write_named(s, status, error);
    if (!s->root)
        return status;
    vv_graph_let_go(s->root->graph, older);
    /* The number may be in use, even if the outcome is unknown. */
    if (s->sets_counter && (!status || status == VARVE_UNKNOWN_OUTCOME))
        vv_set_save_counter(s->root, s->save_plan->counter);
    return status;
}

varve_status vv_save_now(const struct vv_save_request *r, varve_error *error)
{
    struct vv_save_plan save_plan;
    const struct vv_saving saving = {
        .save_plan = &save_plan,
        .target = r->target,
        .is_numbered = r->is_numbered,
        .sets_counter = r->sets_counter,
        .root = r->root,
    };
    VV_TRY(vv_begin_save(
        r->root, r->target, r->is_numbered ? "prefix" : "path", error));
    VV_TRY(vv_request_gather(r, &save_plan, error));
    varve_status status = vv_saving_write(&saving, VARVE_OK, error);
    vv_save_plan_clear(&save_plan);
    return status;
}

varve_status varve_write(varve_node *root, const char *path,
    const varve_write_options *options, varve_error *error)
{
    const struct vv_save_request r = vv_write_request(root, path, options);
    return vv_save_now(&r, error);
}

varve_status varve_save(varve_node *root, const char *prefix,
    const varve_write_options *options, varve_error *error)
{
    const struct vv_save_request r = vv_numbered_request(root, prefix, options);
    return vv_save_now(&r, error);
}
