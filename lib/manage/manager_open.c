/* manager_open.c - Opens and frees a manager, refreshes its listing, and pins
 * checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/manager.h>

#include <math.h>
#include <string.h>

#include "allocator.h"
#include "background.h"
#include "comm_collectives.h"
#include "failure.h"
#include "file.h"
#include "hand_over.h"
#include "lease.h"
#include "manager.h"
#include "manager_look.h"
#include "manager_save.h"
#include "manager_together.h"
#include "restoration.h"
#include "run_identity.h"
#include "selection.h"
#include "store.h"
#include "system.h"
#include "try.h"

/* --- The program goes away ---------------------------------------------- */

static void manager_graph_freed(struct vv_observer *self)
{
    varve_manager *m = (varve_manager *)self;
    m->graph = NULL;
    m->root = NULL;
}

static void manager_node_removed(struct vv_observer *self, varve_node *node)
{
    varve_manager *m = (varve_manager *)self;
    if (node == m->root)
        m->root = NULL;
}

/* --- Making ------------------------------------------------------------- */

static varve_status manager_check_names(
    const char *directory, const varve_manager_options *o, varve_error *error)
{
    if (!directory || !*directory)
        return vv_fail(
            error, VARVE_MISUSE, "manager: directory is NULL or empty");
    if (o->prefix && (!*o->prefix || strchr(o->prefix, '/')))
        return vv_fail(error, VARVE_BAD_NAME,
            "%s: `prefix` must be a non-empty name without '/', found \"%s\"",
            directory, o->prefix);
    VV_TRY(vv_interval_check(
        directory, "interval_steps", o->interval_steps, error));
    VV_TRY(vv_interval_check(
        directory, "interval_seconds", o->interval_seconds, error));
    VV_TRY(vv_interval_check(
        directory, "keep_every_steps", o->keep_every_steps, error));
    VV_TRY(vv_interval_check(
        directory, "keep_every_seconds", o->keep_every_seconds, error));
    if (o->metric && !*o->metric)
        return vv_fail(error, VARVE_BAD_NAME, "%s: `metric` is an empty string",
            directory);
    return VARVE_OK;
}

/* Returns the policy of the options, completed by the recorded one. */
static struct vv_policy policy_of(
    const varve_manager_options *o, const struct vv_policy *noted)
{
#define GIVEN(field) (o->field ? o->field : noted->field)
    return (struct vv_policy){
        .keep_last = GIVEN(keep_last),
        .keep_every_steps = GIVEN(keep_every_steps),
        .keep_every_seconds = GIVEN(keep_every_seconds),
        .keep_best = GIVEN(keep_best),
        .best_is_larger = GIVEN(best_is_larger),
        .keep_bytes = GIVEN(keep_bytes),
        .keep_damaged = GIVEN(keep_damaged),
    };
#undef GIVEN
}

static bool keeps_all(const varve_manager_options *o)
{
    return !o->keep_last && !o->keep_every_steps && !o->keep_every_seconds &&
           !o->keep_best && !o->keep_bytes;
}

static const char *manager_open_direction(const struct vv_policy *policy)
{
    return policy->best_is_larger ? "largest" : "smallest";
}

/* Fails if an earlier manager has kept its best checkpoints by another metric,
 * or by the same in the other direction: `keep_best` would not keep them. */
static varve_status manager_open_check_best(
    const varve_manager *m, const struct vv_policy *earlier, varve_error *error)
{
    const struct vv_listing *l = &m->listing;
    const char *metric = l->other_metric ? l->other_metric : l->metric;
    bool has_best = false;
    if (!m->policy.keep_best || !earlier->keep_best ||
        m->options.may_change_metric || m->options.read_only ||
        m->options.retention_from_ledger ||
        (!l->other_metric &&
            m->policy.best_is_larger == earlier->best_is_larger))
        return VARVE_OK;
    for (size_t i = 0; i < l->count && !has_best; i++)
        has_best = l->entries[i].is_ours && !isnan(l->entries[i].metric);
    return has_best ? vv_fail(error, VARVE_MISUSE,
                          "%s: keep_best keeps the %s \"%s\", but earlier "
                          "checkpoints were kept for the %s \"%s\", and would "
                          "be deleted: use the earlier `metric` and "
                          "`best_is_larger`, or pin the best checkpoints and "
                          "set may_change_metric",
                          l->directory, manager_open_direction(&m->policy),
                          l->metric, manager_open_direction(earlier), metric)
                    : VARVE_OK;
}

/* Reads the ledger and, if requested, its policy. */
static varve_status take_options(
    varve_manager *m, const varve_manager_options *o, varve_error *error)
{
    struct vv_policy earlier = { 0 }, noted = { 0 };
    m->options = *o;
    m->options.prefix = m->listing.prefix;
    m->options.levels = NULL; /* they are copied */
    if (vv_has_nodes(&m->nodes))
        m->options.comm = &vv_comm_alone; /* each rank uses its own directory */
    if (vv_manager_leads(m))
        VV_TRY(vv_manager_read_ledger(m, &earlier, error));
    if (o->retention_from_ledger)
        noted = earlier;
    if (!m->listing.metric)
        m->listing.metric = vv_copy_string(&m->context.allocator, "metric");
    if (!m->listing.metric)
        return vv_fail_memory(error, "the name of a metric");
    m->options.metric = m->listing.metric;
    m->listing.policy = noted;
    if (!keeps_all(o))
        noted = (struct vv_policy){ .best_is_larger = noted.best_is_larger };
    m->policy = policy_of(o, &noted);
    if (!o->retention_from_ledger)
        m->listing.policy = m->policy;
    return manager_open_check_best(m, &earlier, error);
}

static varve_status manager_lock_first(
    varve_manager *m, const varve_manager_options *o, varve_error *error)
{
    varve_error reason = { 0 };
    m->has_own_run = o->run != NULL;
    if (o->run)
        strcpy(m->run, o->run);
    else
        VV_TRY(vv_run_identity_make(&m->context, m->run, error));
    VV_TRY(vv_manager_lock_check_path(&m->listing, error));
    if (o->must_resume)
        VV_TRY(vv_manager_lock_check(&m->listing, error));
    if (o->read_only)
        return VARVE_OK;
    m->options.write = o->write;
    VV_TRY(vv_manager_lock(m, o->lock_seconds, error));
    if (!m->lock.is_absent)
        return VARVE_OK;
    vv_fail(&reason, VARVE_IO,
        "%s: %s: a second program that manages %s-N%s at the same time will "
        "not be detected",
        m->listing.directory,
        vv_is_of_store(m->listing.directory)
            ? "this store has no conditional requests, and so no locks"
            : "this file system has no locks",
        m->listing.prefix, VARVE_SUFFIX);
    vv_manager_warn(m, &reason);
    return VARVE_OK;
}

static varve_status manager_begin(varve_manager *m, const char *directory,
    const varve_manager_options *o, varve_error *error)
{
    const char *metric = o->metric                  ? o->metric
                         : o->retention_from_ledger ? NULL
                                                    : "metric";
    if (o->redundancy) {
        vv_buffer_add_string(&m->latest, directory);
        VV_TRY(vv_nodes_begin(&m->nodes, &m->context, o, &m->latest, error));
        directory = (const char *)m->latest.data;
    }
    VV_TRY(vv_listing_begin(&m->listing, &m->context, directory,
        o->prefix ? o->prefix : "ckpt", metric, error));
    if (o->comm->rank == 0 || o->redundancy)
        VV_TRY(manager_lock_first(m, o, error));
    VV_TRY(take_options(m, o, error));
    if (vv_manager_leads(m))
        VV_TRY(vv_manager_look(m, error));
    m->levels.is_of_sets = vv_has_nodes(&m->nodes);
    m->levels.rank = o->comm->rank;
    m->levels.follows = !vv_manager_leads(m);
    m->levels.numbers_say = !o->number_by_step;
    m->levels.best_is_larger = m->policy.best_is_larger;
    memcpy(m->levels.run, m->run, sizeof m->run);
    return vv_levels_begin(
        &m->levels, o->levels, o->level_count, &m->listing, error);
}

static varve_status manager_check_call(const varve_node *root,
    const char *directory, const varve_manager_options *o, varve_error *error)
{
    if (root)
        VV_TRY(varve_graph_check(root->graph, error));
    if (!root || vv_is_nil(root))
        return vv_fail(error, VARVE_MISUSE, "manager: node is NULL");
    VV_TRY(VV_CHECK_OPTIONS(o, error));
    VV_TRY(manager_check_names(directory, o, error));
    if (o->run)
        VV_TRY(vv_run_identity_check(o->run, error));
    VV_TRY(vv_levels_check(o->levels, o->level_count, directory, error));
    VV_TRY(vv_read_options_check(&root->graph->context, o->read, error));
    return vv_manager_check_options(o, directory, error);
}

/* Sets *made also if initialization failed. */
static varve_status manager_make(varve_node *root, const char *directory,
    const varve_manager_options *o, varve_manager **made, varve_error *error)
{
    VV_TRY(manager_check_call(root, directory, o, error));
    varve_graph *graph = root->graph;
    const varve_allocator *a = &graph->context.allocator;
    varve_manager *m = vv_allocate_zeroed(a, sizeof *m);
    if (!m)
        return vv_fail_memory(error, "a manager");
    m->context = graph->context;
    m->context.dots = o->read && o->read->foreign.dots;
    m->context.no_hdf5 = o->read && o->read->foreign.no_hdf5;
    m->context.follows_links = o->read && o->read->foreign.follow_links;
    m->graph = graph;
    m->root = root;
    m->comm = m->options.comm = o->comm;
    m->lock.file = -1;
    m->observer.graph_freed = manager_graph_freed;
    m->observer.node_removed = manager_node_removed;
    atomic_init(&m->is_requested, false);
    m->interval = (struct vv_interval){ .steps = o->interval_steps,
        .seconds = o->interval_seconds,
        .last_uptime = m->context.system->uptime(m->context.system->state) };
    m->decision.allocator = &m->context.allocator;
    vv_buffer_init(&m->saved, &m->context.allocator);
    vv_buffer_init(&m->passed_over, &m->context.allocator);
    vv_buffer_init(&m->text, &m->context.allocator);
    vv_buffer_init(&m->latest, &m->context.allocator);
    vv_graph_observe(graph, &m->observer);
    *made = m;
    return manager_begin(m, directory, o, error);
}

varve_manager *varve_manager_new(varve_node *root, const char *directory,
    const varve_manager_options *options, varve_error *error)
{
    varve_manager_options o = { 0 };
    varve_manager *m = NULL;
    varve_error reason = { 0 };
    if (options)
        o = *options;
    o.comm = vv_comm_or_alone(o.comm);
    if (vv_check_comm(o.comm, error))
        return NULL;
    varve_status status = manager_make(root, directory, &o, &m, &reason);
    status = vv_manager_check_same_options(m, o.comm, status, &reason);
    if (!status)
        return m;
    varve_manager_free(m);
    if (error)
        *error = reason;
    return NULL;
}

void varve_manager_free(varve_manager *m)
{
    if (!m)
        return;
    vv_manager_finish_pending_save(m);
    vv_manager_keep_takeover(m);
    vv_levels_end(&m->levels);
    vv_nodes_end(&m->nodes);
    vv_restoration_free(m->restoration);
    if (m->graph) {
        vv_background_keep_failure(m->graph, &m->failure);
        vv_graph_forget(m->graph, &m->observer);
    }
    vv_manager_lock_release(&m->lock, &m->context);
    vv_listing_clear(&m->listing);
    vv_decision_clear(&m->decision);
    vv_buffer_clear(&m->saved);
    vv_buffer_clear(&m->passed_over);
    vv_buffer_clear(&m->text);
    vv_buffer_clear(&m->latest);
    const varve_allocator a = m->context.allocator;
    vv_release(&a, m, sizeof *m);
}

varve_status varve_manager_refresh(varve_manager *m, varve_error *error)
{
    if (!m)
        return vv_fail_none(error, "manager", "varve_manager_new");
    vv_manager_finish_pending_save(m);
    varve_error reason = { 0 };
    varve_status status =
        vv_manager_leads(m) ? vv_manager_look(m, &reason) : VARVE_OK;
    return vv_hand_over(
        vv_manager_broadcast(m, status, &reason), &reason, error);
}

/* --- Pins --------------------------------------------------------------- */

static varve_status manager_find(varve_manager *m, uint64_t number,
    struct vv_entry **entry, varve_error *error)
{
    VV_TRY(vv_manager_look(m, error));
    *entry = vv_listing_find(&m->listing, number);
    if (*entry)
        return VARVE_OK;
    return vv_fail(error, VARVE_NOT_FOUND, "%s: no such checkpoint",
        vv_listing_path(&m->listing, &number, VARVE_SUFFIX));
}

/* Takes a shared lock of the file, while a deletion takes an exclusive one. So
 * either the deletion is complete before the pin is made, or it finds the pin.
 * In stores and on some file systems there are no locks: there the deletion
 * looks for the pin after it has renamed the file, and restores the name. */
static varve_status pin_lock(varve_manager *m, uint64_t number,
    struct vv_held_lease *held, varve_error *error)
{
    const char *path = vv_listing_path(&m->listing, &number, VARVE_SUFFIX);
    *held = (struct vv_held_lease){ .file = -1 };
    if (m->listing.path.failed)
        return vv_fail_memory(error, "the name of a checkpoint");
    return vv_is_of_store(path) ? VARVE_OK
                                : vv_lease_wait(&m->context, path, held, error);
}

/* Checks that the file still exists, because there may be no lock. */
static varve_status pin_check(
    varve_manager *m, uint64_t number, varve_error *error)
{
    const char *path = vv_listing_path(&m->listing, &number, VARVE_SUFFIX);
    varve_status status = m->listing.path.failed
                              ? vv_fail_memory(error, "the name of a pin")
                              : vv_file_look(&m->context, path, NULL, error);
    if (status)
        vv_manager_drop_pin(m, number);
    return status;
}

static varve_status pin(varve_manager *m, uint64_t number, varve_error *error)
{
    struct vv_entry *entry;
    struct vv_held_lease held;
    VV_TRY(manager_find(m, number, &entry, error));
    if (entry->is_pinned)
        return VARVE_OK;
    VV_TRY(pin_lock(m, number, &held, error));
    varve_status status = vv_manager_make_pin(m, number, error);
    if (!status)
        status = pin_check(m, number, error);
    vv_lease_end(&m->context, &held);
    return status ? status : vv_manager_look(m, error);
}

static varve_status unpin(varve_manager *m, uint64_t number, varve_error *error)
{
    struct vv_entry *entry;
    VV_TRY(manager_find(m, number, &entry, error));
    if (!entry->is_pinned)
        return VARVE_OK;
    const char *path = vv_listing_path(&m->listing, &number, ".pin");
    if (m->listing.path.failed)
        return vv_fail_memory(error, "the name of a pin");
    VV_TRY(
        vv_file_remove(&m->context, VV_WORKING_DIRECTORY, path, path, error));
    return vv_manager_look(m, error);
}

static varve_status change_pin(varve_manager *m, uint64_t number,
    varve_status (*change)(varve_manager *, uint64_t, varve_error *),
    varve_error *error)
{
    if (!m)
        return vv_fail_none(error, "manager", "varve_manager_new");
    varve_error reason = { 0 };
    vv_manager_finish_pending_save(m);
    varve_status status = vv_manager_compare(m, "number", number, &reason);
    if (!status) {
        if (vv_manager_leads(m))
            status = change(m, number, &reason);
        status = vv_manager_broadcast(m, status, &reason);
    }
    return vv_hand_over(status, &reason, error);
}

varve_status varve_manager_pin(
    varve_manager *m, uint64_t number, varve_error *error)
{
    return change_pin(m, number, pin, error);
}

varve_status varve_manager_unpin(
    varve_manager *m, uint64_t number, varve_error *error)
{
    return change_pin(m, number, unpin, error);
}
