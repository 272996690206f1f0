/* manager.c - Returns the contents of a manager, and changes its lock, ledger
 * and pins.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manager.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "failure.h"
#include "file.h"
#include "hand_over.h"
#include "publish.h"
#include "restoration.h"
#include "try.h"

varve_status vv_manager_lock(
    varve_manager *m, double seconds, varve_error *error)
{
    const struct vv_lock_request request = {
        .run = m->run,
        .no_sync = m->options.write && m->options.write->no_sync,
        .seconds = seconds,
    };
    if (m->options.read_only)
        return vv_fail(error, VARVE_MISUSE,
            "%s: the manager is read-only: it cannot save or delete",
            m->listing.directory);
    return vv_manager_lock_take(&m->lock, &m->listing, &request, error);
}

const char *varve_manager_run(const varve_manager *m)
{
    return m ? m->run : NULL;
}

varve_status vv_manager_read_ledger(
    varve_manager *m, struct vv_policy *policy, varve_error *error)
{
    varve_error reason = { 0 };
    varve_status status = vv_listing_read_ledger(&m->listing, policy, &reason);
    m->unread_ledger = reason;
    return status == VARVE_NO_MEMORY ? vv_hand_over(status, &reason, error)
                                     : VARVE_OK;
}

void vv_manager_note_good(varve_manager *m, uint64_t number)
{
    const struct vv_entry *entry = vv_listing_find(&m->listing, number);
    const struct vv_entry *older =
        m->has_good ? vv_listing_find(&m->listing, m->good) : NULL;
    if (older && entry && older->counter > entry->counter)
        return;
    m->has_good = true;
    m->good = number;
}

void vv_manager_warn(varve_manager *m, const varve_error *error)
{
    if (!m->warning.status)
        m->warning = *error;
}

const char *varve_manager_warning(const varve_manager *m)
{
    return m && m->warning.status ? m->warning.message : NULL;
}

varve_status vv_manager_pass_over(
    varve_manager *m, const varve_error *reason, varve_error *error)
{
    vv_buffer_add_string(&m->passed_over, reason->message);
    vv_buffer_add8(&m->passed_over, 0);
    return m->passed_over.failed ? vv_fail_memory(error, "skipped checkpoints")
                                 : VARVE_OK;
}

/* --- Telling ------------------------------------------------------------ */

size_t varve_manager_count(const varve_manager *m)
{
    return m ? m->listing.count : 0;
}

static const char *manager_path_of(
    struct vv_buffer *to, struct vv_listing *l, const struct vv_entry *entry)
{
    to->size = 0;
    to->failed = false;
    vv_buffer_add_string(to, vv_listing_entry_path(l, entry, VARVE_SUFFIX));
    const char *path = vv_buffer_string(to);
    return to->failed || l->path.failed ? NULL : path;
}

/* The scratch memory of a manager is not part of its state. */
static varve_manager *writable(const varve_manager *m)
{
    return (varve_manager *)m;
}

const char *varve_manager_latest(const varve_manager *manager)
{
    varve_manager *m = writable(manager);
    if (!m || m->listing.count == 0)
        return NULL;
    return manager_path_of(
        &m->latest, &m->listing, &m->listing.entries[m->listing.count - 1]);
}

const char *varve_manager_metric(const varve_manager *manager)
{
    return manager ? manager->listing.metric : NULL;
}

bool varve_manager_at(
    const varve_manager *manager, size_t index, varve_checkpoint_info *managed)
{
    varve_manager *m = writable(manager);
    if (!m || index >= m->listing.count || !managed)
        return false;
    const struct vv_entry *e = &m->listing.entries[index];
    const struct vv_fact *fact =
        index < m->decision.count ? &m->decision.facts[index] : NULL;
    const char *path = manager_path_of(&m->text, &m->listing, e);
    /* An offset, because the text can move when it grows. */
    size_t reasons = m->text.size + 1;
    vv_buffer_add8(&m->text, 0);
    if (fact) {
        struct vv_buffer text;
        vv_buffer_init(&text, &m->context.allocator);
        vv_retention_describe(&m->policy, fact, m->listing.metric, &text);
        vv_buffer_add_string(&m->text, vv_buffer_string(&text));
        vv_buffer_clear(&text);
    }
    bool is_kept = !fact || fact->reasons;
    vv_buffer_string(&m->text);
    path = path && !m->text.failed ? (const char *)m->text.data : "";
    *managed = (varve_checkpoint_info){
        .path = path,
        .number = e->number,
        .counter = e->counter,
        .step = e->step,
        .time = e->time,
        .metric = e->metric,
        .size = e->size,
        .kept = !is_kept ? NULL
                : *path  ? path + reasons
                         : "",
        .is_ours = e->is_ours,
        .is_pinned = e->is_pinned,
        .is_damaged = e->is_damaged,
        .run = *e->run ? e->run : NULL,
        .identity = e->identity,
        .parent = e->parent,
        .is_leased = fact && fact->reasons & VV_KEPT_LEASED,
    };
    return true;
}

bool varve_manager_level_at(
    const varve_manager *m, size_t index, varve_level_state *state)
{
    return m && vv_levels_state(&writable(m)->levels, index, state);
}

/* --- Pins --------------------------------------------------------------- */

varve_status vv_manager_make_pin(
    varve_manager *m, uint64_t number, varve_error *error)
{
    struct vv_publication p;
    bool no_sync = m->options.write && m->options.write->no_sync;
    const char *path = vv_listing_path(&m->listing, &number, ".pin");
    if (m->listing.path.failed)
        return vv_fail_memory(error, "the name of a pin");
    VV_TRY(vv_publish_begin(
        &p, &m->context, path, no_sync ? VV_PUBLISH_NO_SYNC : 0, error));
    varve_status status = vv_publish_end(&p, VARVE_OK, error);
    if (status != VARVE_UNKNOWN_OUTCOME)
        return status;
    vv_file_remove(&m->context, VV_WORKING_DIRECTORY, path, path, NULL);
    if (error)
        error->status = VARVE_IO;
    return VARVE_IO;
}

void vv_manager_drop_pin(varve_manager *m, uint64_t number)
{
    const char *path = vv_listing_path(&m->listing, &number, ".pin");
    if (!m->listing.path.failed)
        vv_file_remove(&m->context, VV_WORKING_DIRECTORY, path, path, NULL);
}
