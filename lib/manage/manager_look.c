/* manager_look.c - Lists the directory of a manager and decides which
 * checkpoints to keep.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manager_look.h"

#include <math.h>

#include "comm_collectives.h"
#include "data_sizes.h"
#include "failure.h"
#include "lineage.h"
#include "listing_refresh.h"
#include "resume_match.h"
#include "saved_entry.h"
#include "try.h"

static varve_status manager_look(
    varve_manager *m, varve_status status, varve_error *error)
{
    if (m->has_good && !vv_listing_find(&m->listing, m->good))
        m->has_good = false;
    return status ? status : vv_manager_decide(m, error);
}

varve_status vv_manager_look(varve_manager *m, varve_error *error)
{
    return manager_look(m, vv_listing_refresh(&m->listing, error), error);
}

varve_status vv_manager_look_at_names(varve_manager *m, varve_error *error)
{
    varve_status status = m->lock.is_absent
                              ? vv_listing_refresh(&m->listing, error)
                              : vv_listing_refresh_names(&m->listing, error);
    return manager_look(m, status, error);
}

varve_status vv_manager_look_after(varve_manager *m,
    const struct vv_manager_saving *saving, varve_error *error)
{
    struct vv_entry entry = saving->entry;
    if (saving->has_entry && vv_saved_entry_add(&entry, &m->listing)) {
        VV_TRY(manager_look(m, VARVE_OK, error));
        if (!vv_prune_has_work(&m->listing, &m->decision))
            return VARVE_OK;
    }
    return vv_manager_look_at_names(m, error);
}

/* Keeps checkpoints of other lineages and does not count them. */
static varve_status decide_about_own(varve_manager *m, varve_error *error)
{
    struct vv_listing *l = &m->listing;
    for (size_t i = 0; i < l->count; i++) {
        struct vv_entry *e = &l->entries[i];
        e->is_there = e->is_ours && !vv_manager_goes_on_from(m, e);
        e->is_ours = e->is_ours && !e->is_there;
    }
    varve_status status = vv_decide_listing(
        &m->decision, &m->policy, l, m->has_good ? &m->good : NULL, error);
    for (size_t i = 0; i < l->count; i++)
        l->entries[i].is_ours |= l->entries[i].is_there;
    return status;
}

varve_status vv_manager_decide(varve_manager *m, varve_error *error)
{
    const varve_comm *comm = m->options.comm;
    if (!vv_is_alone(comm) && comm->rank == 0 && m->policy.keep_bytes)
        VV_TRY(vv_data_sizes_find(&m->listing, m->policy.keep_bytes, error));
    vv_nodes_note_weights(&m->nodes, &m->listing);
    if (vv_manager_keeps_others(m))
        VV_TRY(decide_about_own(m, error));
    else
        VV_TRY(vv_decide_listing(&m->decision, &m->policy, &m->listing,
            m->has_good ? &m->good : NULL, error));
    vv_resume_match_keep(m);
    return VARVE_OK;
}

void vv_manager_check_best(varve_manager *m)
{
    varve_error warning = { 0 };
    bool has_one = !m->policy.keep_best;
    for (size_t i = 0; i < m->decision.count && !has_one; i++)
        has_one = !isnan(m->decision.facts[i].metric);
    if (has_one || !vv_prune_has_work(&m->listing, &m->decision))
        return;
    vv_fail(&warning, VARVE_NOT_FOUND,
        "%s: keep_best keeps none: no checkpoint has the metric \"%s\"",
        m->listing.directory, varve_manager_metric(m));
    vv_manager_warn(m, &warning);
}
