/* write.c - Implements varve_write: gathers a save plan, then writes it.
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
#include "store.h"
#include "struct_look.h"
#include "try.h"

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

static varve_status write_save_plan(const varve_node *root,
    struct vv_save_plan *save_plan, const char *path, varve_error *error)
{
    /* The progress callback must not move or remove values. */
    enum vv_hold older = vv_graph_hold(root->graph, VV_HOLDS_ALL);
    varve_status status = vv_save_plan_write(save_plan, path, error);
    vv_graph_let_go(root->graph, older);
    vv_save_plan_clear(save_plan);
    return status;
}

varve_status vv_write(varve_node *root, const char *path, uint64_t counter,
    const varve_write_options *options, varve_error *error)
{
    struct vv_save_plan save_plan;
    VV_TRY(vv_begin_save(root, path, "path", error));
    VV_TRY(vv_save_plan_gather(&save_plan, root, options, error));
    save_plan.counter = counter;
    return write_save_plan(root, &save_plan, path, error);
}

varve_status vv_write_parts(varve_node *root, const char *path,
    uint64_t counter, const varve_write_options *options, varve_error *error)
{
    struct vv_save_plan save_plan;
    VV_TRY(vv_begin_save(root, path, "path", error));
    VV_TRY(
        vv_save_plan_gather_of(&save_plan, root, VV_OF_PARTS, options, error));
    save_plan.counter = counter;
    return write_save_plan(root, &save_plan, path, error);
}

varve_status varve_write(varve_node *root, const char *path,
    const varve_write_options *options, varve_error *error)
{
    bool keeps = root && options && options->keep_counter;
    return vv_write(
        root, path, keeps ? varve_save_counter(root) : 0, options, error);
}
