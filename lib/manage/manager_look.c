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

varve_status vv_manager_decide(varve_manager *m, varve_error *error)
{
    const varve_comm *comm = m->options.comm;
    if (!vv_is_alone(comm) && comm->rank == 0 && m->policy.keep_bytes)
        VV_TRY(vv_data_sizes_find(&m->listing, m->policy.keep_bytes, error));
    vv_nodes_note_weights(&m->nodes, &m->listing);
    for (size_t i = 0; i < m->listing.count; i++) {
        struct vv_entry *e = &m->listing.entries[i];
        e->is_excluded =
            vv_manager_keeps_others(m) && !vv_manager_goes_on_from(m, e);
    }
    VV_TRY(vv_decide_listing(&m->decision, &m->policy, &m->listing,
        m->has_good ? &m->good : NULL, error));
    vv_resume_match_keep(m);
    return VARVE_OK;
}

varve_status vv_manager_check_best(const varve_manager *m, varve_error *error)
{
    bool has_one = !m->policy.keep_best || m->decision.count == 0;
    for (size_t i = 0; i < m->decision.count && !has_one; i++)
        has_one = !isnan(m->decision.facts[i].metric);
    return has_one ? VARVE_OK
                   : vv_fail(error, VARVE_NOT_FOUND,
                         "%s: keep_best keeps none: no checkpoint has the "
                         "metric \"%s\"",
                         m->listing.directory, varve_manager_metric(m));
}
