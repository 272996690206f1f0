/* arrival.c - Matches, checks and transfers values until none is due.
 *
 * SPDX-License-Identifier: MIT
 */
#include "arrival.h"

#include "failure.h"
#include "dispatch.h"
#include "fold.h"
#include "match.h"
#include "private_skip.h"

varve_status vv_fail_run_out(
    const struct varve_restoration *r, varve_error *error)
{
    const varve_error *why =
        r->pairing.failure.status ? &r->pairing.failure : &r->delivery.failure;
    if (error)
        *error = *why;
    return why->status;
}

static bool arrival_has_more(const struct varve_restoration *r)
{
    return vv_work_queue_is_due(&r->matching.work_queue) ||
           (r->delivery.jobs.pairs.size && !r->pairing.is_dry);
}

varve_status vv_arrive(struct varve_restoration *r, varve_error *error)
{
    varve_status status = VARVE_OK;
    r->is_busy = true;
    enum vv_hold older = vv_graph_hold(r->pairing.graph, VV_HOLDS_NODES);
    do {
        vv_match_queue(&r->matching);
        vv_leave_out_others(&r->delivery);
        if (!r->is_open) /* later calls need little room */
            vv_work_queue_shrink(&r->matching.work_queue);
        if (vv_has_run_out(r) && !r->is_open)
            break; /* fails before anything is delivered */
        if (!r->pairing.is_dry)
            status = vv_deliver(&r->delivery, error);
        if (!status && !arrival_has_more(r))
            status = vv_fold(r, error);
    } while (!status && arrival_has_more(r));
    if (!status && vv_has_run_out(r))
        status = vv_fail_run_out(r, error);
    if (status)
        vv_delivery_park_failed(&r->delivery, r->is_open);
    r->delivery.has_new_mismatch = false;
    vv_graph_let_go(r->pairing.graph, older);
    r->is_busy = false;
    vv_delivery_check(&r->delivery);
    return status;
}
