/* write_all.c - Implements varve_write_all and varve_save_all.
 *
 * SPDX-License-Identifier: MIT
 */
#include "write_all.h"

#include "comm_collectives.h"
#include "default_allocator.h"
#include "failure.h"
#include "graph.h"
#include "save.h"
#include "save_together.h"
#include "try.h"

enum {
    MOST_RACES = 1000
}; /* numbers lost to other jobs that save under
      this prefix */

/* Forbids changes of the graph while values are written, as callbacks run
 * meanwhile. */
static enum vv_hold write_all_hold(
    struct vv_save_together *save, varve_node *root)
{
    return save->has_share ? vv_graph_hold(root->graph, VV_HOLDS_ALL)
                           : VV_HOLDS_NOTHING;
}

static void write_all_let_go(
    struct vv_save_together *save, varve_node *root, enum vv_hold older)
{
    if (save->has_share)
        vv_graph_let_go(root->graph, older);
}

static void write_all_end(struct vv_save_together *save)
{
    bool has_save_plan = save->has_share;
    vv_save_together_end(save);
    if (has_save_plan)
        vv_save_plan_clear(save->save_plan);
}

varve_status vv_write_together(const varve_comm *comm, varve_status status,
    const struct vv_write_request *request, varve_error *error)
{
    struct vv_save_plan save_plan = { .counter = 0 };
    struct vv_save_together save = { .comm = comm, .save_plan = &save_plan };
    varve_node *root = request->root;
    if (!status)
        status = vv_save_together_begin(
            &save, root, request->path, request->options, error);
    save_plan.counter = request->counter;
    enum vv_hold older = write_all_hold(&save, root);
    status = vv_save_together_write(&save, status, request->path, error);
    write_all_let_go(&save, root, older);
    write_all_end(&save);
    return status;
}

varve_status varve_write_all(const varve_comm *comm, varve_node *root,
    const char *path, const varve_write_options *options, varve_error *error)
{
    varve_error reason = { 0 };
    bool keeps = root && options && options->keep_counter;
    VV_TRY(vv_check_comm(comm, error));
    varve_status status = vv_write_together(comm, VARVE_OK,
        &(struct vv_write_request){ .root = root,
            .path = path,
            .counter = keeps ? varve_save_counter(root) : 0,
            .options = options },
        &reason);
    if (status && error)
        *error = reason;
    return status;
}

/* --- Numbers -------------------------------------------------------------- */

struct numbering {
    const char *prefix;
    const char *base; /* set by the program; or NULL */
    struct vv_buffer *path;
    struct vv_buffer other; /* path of the base */
};

/* Called on rank 0 only, which also chooses the base of an incremental save. */
static varve_status write_all_find_next(struct vv_save_together *save,
    struct numbering *n, uint64_t *number, varve_error *error)
{
    uint64_t before;
    varve_write_options *options = &save->save_plan->options;
    VV_TRY(vv_next_number(
        &save->save_plan->context, n->prefix, *number, number, &before, error));
    if (!options->incremental || n->base || before == *number)
        return VARVE_OK;
    vv_set_numbered_path(&n->other, n->prefix, before);
    options->increment.base = vv_buffer_string(&n->other);
    return n->other.failed ? vv_fail_memory(error, "the name of a checkpoint")
                           : VARVE_OK;
}

/* Chooses the number on rank 0, as a network file system may show different
 * files on different machines for a while. */
static varve_status choose_number(struct vv_save_together *save,
    varve_status status, struct numbering *n, uint64_t *number,
    varve_error *error)
{
    if (!status && save->comm->rank == 0)
        status = write_all_find_next(save, n, number, error);
    VV_TRY(vv_agree(save->comm, status, error));
    return vv_comm_bcast_u64(save->comm, number, error);
}

/* If another job takes the number first, tries the next one. */
static varve_status save_numbered(struct vv_save_together *save,
    varve_status status, struct numbering *n, varve_error *error)
{
    struct vv_save_plan *save_plan = save->save_plan;
    for (int i = 0; i < MOST_RACES; i++) {
        VV_TRY(choose_number(save, status, n, &save_plan->counter, error));
        vv_set_numbered_path(n->path, n->prefix, save_plan->counter);
        if (n->path->failed)
            status = vv_fail_memory(error, "the name of a checkpoint");
        status = vv_save_together_write(
            save, status, vv_buffer_string(n->path), error);
        if (status != VARVE_EXISTS)
            return status;
        status = VARVE_OK;
    }
    return vv_fail(error, VARVE_EXISTS,
        "%s: no free number: another job took each one", n->prefix);
}

varve_status vv_save_numbered_together(struct vv_save_together *save,
    varve_status status, const char *prefix, struct vv_buffer *path,
    varve_error *error)
{
    const varve_allocator allocator = vv_allocator_or_default(NULL);
    struct numbering n = { .prefix = prefix,
        .base = save->save_plan->options.increment.base,
        .path = path };
    bool is_first = save->comm->rank == 0;
    vv_buffer_init(&n.other, &allocator);
    if (!status && is_first)
        status = vv_check_prefix(&save->save_plan->context, prefix, error);
    status = save_numbered(save, status, &n, error);
    if (!status && is_first)
        vv_note_latest(
            &save->save_plan->context, prefix, vv_buffer_string(path));
    save->save_plan->options.increment.base = n.base;
    vv_buffer_clear(&n.other);
    return status;
}

static varve_status write_all_prepare(struct vv_save_together *save,
    varve_node *root, const char *prefix, const varve_write_options *options,
    varve_error *error)
{
    VV_TRY(vv_save_together_begin(save, root, prefix, options, error));
    if (!vv_reserve_save_counter(root))
        return vv_fail_memory(error, "the counter of a checkpoint");
    save->save_plan->options.no_replace = true;
    save->save_plan->counter = vv_save_counter(root);
    return VARVE_OK;
}

varve_status varve_save_all(const varve_comm *comm, varve_node *root,
    const char *prefix, const varve_write_options *options, varve_error *error)
{
    const varve_allocator allocator = vv_allocator_or_default(NULL);
    varve_error reason = { 0 };
    struct vv_save_plan save_plan = { .counter = 0 };
    struct vv_save_together save = { .comm = comm, .save_plan = &save_plan };
    struct vv_buffer path;
    VV_TRY(vv_check_comm(comm, error));
    vv_buffer_init(&path, &allocator);
    varve_status status =
        write_all_prepare(&save, root, prefix, options, &reason);
    enum vv_hold older = write_all_hold(&save, root);
    status = vv_save_numbered_together(&save, status, prefix, &path, &reason);
    write_all_let_go(&save, root, older);
    if (!status || (status == VARVE_UNKNOWN_OUTCOME && save.has_share))
        vv_set_save_counter(root, save_plan.counter);
    write_all_end(&save);
    vv_buffer_clear(&path);
    if (status && error)
        *error = reason;
    return status;
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
