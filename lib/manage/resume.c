/* resume.c - Finds and restores the newest intact checkpoint, and implements
 * pruning on request.
 *
 * SPDX-License-Identifier: MIT
 */
#include "resume.h"

#include <inttypes.h>
#include <string.h>

#include <varve/prune.h>

#include "at_risk.h"
#include "comm_collectives.h"
#include "failure.h"
#include "lineage.h"
#include "manager_look.h"
#include "manager_save.h"
#include "manager_together.h"
#include "prune.h"
#include "read_all.h"
#include "reader.h"
#include "restoration.h"
#include "resume_file.h"
#include "resume_match.h"
#include "resume_sets.h"
#include "set_levels.h"
#include "system.h"
#include "try.h"

enum { MOST_LISTINGS = 100 }; /* for what is gone when it is opened */

void vv_note_good_origin(varve_manager *m, const struct vv_origin *origin)
{
    struct vv_entry *entry = vv_origin_entry(origin);
    entry->is_damaged = false;
    if (origin->level == 0)
        vv_manager_note_good(m, entry->number);
}

varve_status vv_verify_alone(
    varve_manager *m, const char *path, varve_error *error)
{
    varve_reader *reader = vv_reader_open_in(&m->context, path, error);
    if (!reader)
        return error->status;
    varve_status status = varve_reader_verify(reader, NULL, error);
    varve_reader_free(reader);
    return status;
}

/* Verifies an entry. Sets *is_damaged if the failure is a fault of its file. */
typedef varve_status examine_function(varve_manager *m,
    const struct vv_origin *origin, bool *is_damaged, varve_error *error);

static varve_status resume_verify(varve_manager *m,
    const struct vv_origin *origin, bool *is_damaged, varve_error *error)
{
    const char *path;
    varve_status status = vv_origin_path(origin, &path, error);
    if (!vv_is_alone(m->options.comm))
        status = vv_manager_verify(m, path, status, error);
    else if (!status)
        status = vv_verify_alone(m, path, error);
    if (!status)
        vv_note_good_origin(m, origin);
    *is_damaged = vv_blames_file(status);
    return status;
}

/* Fails if a file could not be read. It may be intact, and a new run beside it
 * would eventually delete it. */
static varve_status end_without(const varve_error *unread, varve_error *error)
{
    if (unread->status && error)
        *error = *unread;
    return unread->status;
}

static void forget_passed_over(varve_manager *m)
{
    m->passed_over.size = 0;
    m->passed_over.failed = false;
}

/* Reads again after a pause, because the error may be temporary, as after a
 * failover of an NFS server. */
static varve_status resume_examine_again(varve_manager *m,
    examine_function *examine, const struct vv_origin *origin, bool *is_damaged,
    varve_error *error)
{
    const struct vv_system *system = m->context.system;
    varve_status status = examine(m, origin, is_damaged, error);
    for (int i = 0; i < VV_MOST_READS && status == VARVE_IO; i++) {
        system->sleep(system->state, VV_FIRST_PAUSE << i);
        *is_damaged = false;
        *error = (varve_error){ 0 };
        status = examine(m, origin, is_damaged, error);
    }
    return status;
}

/* Lists the directory again after a listed checkpoint was not found: another
 * process deleted it, or the listing was stale. */
static varve_status resume_list_again(
    varve_manager *m, struct vv_origin *origin, varve_error *error)
{
    varve_status status =
        vv_manager_leads(m) ? vv_manager_look(m, error) : VARVE_OK;
    VV_TRY(vv_manager_broadcast(m, status, error));
    status = vv_levels_look(&m->levels, error);
    VV_TRY(vv_manager_broadcast_levels(m, status, error));
    *origin = (struct vv_origin){ .levels = origin->levels };
    m->passed_over.size = 0;
    return VARVE_OK;
}

/* A newer checkpoint that may be intact is not skipped unless the program
 * permits it. */
static varve_status may_pass(
    const varve_manager *m, const varve_error *reason, varve_error *error)
{
    if (m->options.may_resume_older)
        return VARVE_OK;
    return vv_fail_like(error, reason,
        "%s (it may be intact: try again, or set may_resume_older)",
        reason->message);
}

/* Lists a checkpoint again that could not be opened before and can be read now,
 * to determine its run and its step. */
static varve_status list_what_was_unread(varve_manager *m,
    struct vv_origin *origin, unsigned *listings, varve_error *error)
{
    const char *path;
    if (++*listings < MOST_LISTINGS)
        return resume_list_again(m, origin, error);
    VV_TRY(vv_origin_path(origin, &path, error));
    return vv_fail(error, VARVE_IO,
        "%s: it could not be opened while its directory was listed, but can be "
        "read now; try again",
        path);
}

/* Fails if a checkpoint of the manager's directory could not be opened, because
 * it is unknown if a checkpoint of a level descends from it. */
static varve_status list_own_again(varve_manager *m, struct vv_origin *origin,
    int *reads, bool *is_listed, varve_error *error)
{
    const struct vv_system *system = m->context.system;
    const struct vv_entry *own = vv_manager_own_unread(m);
    varve_error reason = { 0 };
    if (*reads < VV_MOST_READS) {
        system->sleep(system->state, VV_FIRST_PAUSE << (*reads)++);
        return resume_list_again(m, origin, error);
    }
    vv_fail(&reason, VARVE_IO,
        "%s: it cannot be opened, so it is unknown whether checkpoints of "
        "levels continue it",
        vv_listing_entry_path(&m->listing, own, VARVE_SUFFIX));
    VV_TRY(may_pass(m, &reason, error));
    *is_listed = true;
    *origin = (struct vv_origin){ .levels = origin->levels };
    return vv_manager_pass_over(m, &reason, error);
}

/* Finds the first intact checkpoint from an origin on. The origin has no
 * listing if none is intact. *unread is then set if a file could not be
 * read. */
static varve_status find_good(varve_manager *m, examine_function *examine,
    struct vv_origin *origin, varve_error *unread, varve_error *error)
{
    unsigned listings = 0;
    int reads = 0;
    bool is_listed = false;
    while (vv_origin_next(m, origin)) {
        varve_error reason = { 0 };
        bool is_damaged = false, is_foreign;
        if (origin->level && vv_manager_own_unread(m) && !is_listed) {
            VV_TRY(list_own_again(m, origin, &reads, &is_listed, error));
            continue;
        }
        VV_TRY(vv_manager_pass_foreign(m, origin, &is_foreign, error));
        if (is_foreign)
            continue;
        bool was_read = vv_origin_entry(origin)->is_read;
        varve_status status = resume_examine_again(m,
            was_read ? examine : resume_verify, origin, &is_damaged, &reason);
        if (!status && was_read)
            return VARVE_OK;
        if (!status) {
            VV_TRY(list_what_was_unread(m, origin, &listings, error));
            continue;
        }
        if (status == VARVE_NOT_FOUND && ++listings < MOST_LISTINGS) {
            VV_TRY(resume_list_again(m, origin, error));
            continue;
        }
        if (!is_damaged) {
            if (error)
                *error = reason;
            return status;
        }
        if (status == VARVE_IO)
            VV_TRY(may_pass(m, &reason, error));
        /* The checkpoint may be intact: if no other is, this failure is
         * returned. */
        if (status == VARVE_IO && !unread->status)
            *unread = reason;
        vv_origin_entry(origin)->is_damaged = true;
        VV_TRY(vv_manager_agree(
            m, vv_manager_pass_over(m, &reason, error), error));
    }
    return VARVE_OK;
}

/* Searches the manager's own directory only. */
static varve_status find_own_good(varve_manager *m, varve_error *error)
{
    varve_error unread = { 0 };
    struct vv_origin origin = { 0 };
    forget_passed_over(m);
    if (vv_has_nodes(&m->nodes))
        VV_TRY(vv_find_set(m, &origin, &unread, error));
    else
        VV_TRY(find_good(m, resume_verify, &origin, &unread, error));
    return origin.listing ? VARVE_OK : end_without(&unread, error);
}

/* --- Resuming ----------------------------------------------------------- */

static void adopt(varve_manager *m, const struct vv_origin *origin)
{
    const struct vv_entry *entry = vv_origin_entry(origin);
    m->restoration->is_lent = true;
    vv_resume_match_begin(m, entry->number, origin->level);
    vv_interval_begin(&m->interval, entry->step, m->context.system);
    m->interval.has_last = entry->step >= 0;
    vv_manager_begin_run(m, entry);
}

static varve_status resume_restore(
    varve_manager *m, const struct vv_origin *origin, varve_error *error)
{
    struct vv_opening opening = {
        .options = m->options.read,
        .is_save = true,
        .is_resume = true,
    };
    varve_status status = vv_origin_path(origin, &opening.path, error);
    m->restoration =
        vv_read_together(m->options.comm, m->root, status, &opening, error);
    if (!m->restoration)
        return error->status;
    adopt(m, origin);
    return VARVE_OK;
}

static varve_status start_fresh(varve_manager *m, varve_error *error)
{
    varve_status status = VARVE_OK;
    if (m->options.initialize)
        status = m->options.initialize(m->options.initialize_user);
    else if (m->half_restored.status)
        return vv_report_half_restored(m, VARVE_CORRUPT, error);
    if (m->options.initialize && !status)
        vv_forget_half(m->graph);
    if (status)
        status = vv_fail(error, vv_status_of_callback(status),
            "%s: the `initialize` callback returned %s", m->listing.directory,
            varve_status_name(status));
    return vv_manager_agree(m, status, error);
}

/* If no checkpoint is intact and the program requests it, restores the intact
 * values of the newest one that can be opened. */
static varve_status salvage(varve_manager *m, varve_error *error)
{
    struct vv_origin origin = { .levels = m->levels.count };
    while (vv_origin_next(m, &origin)) {
        varve_error reason = { 0 };
        varve_status status = resume_restore(m, &origin, &reason);
        if (!status)
            return VARVE_OK;
        if (!vv_blames_file(status)) {
            if (error)
                *error = reason;
            return status;
        }
    }
    return VARVE_OK;
}

static varve_status resume_begin_anew(varve_manager *m,
    const varve_error *unread, const varve_error *unseen, varve_error *error)
{
    uint64_t salvages = m->options.read && m->options.read->salvage.on;
    VV_TRY(vv_comm_bcast_u64(m->options.comm, &salvages, error));
    if (salvages)
        VV_TRY(salvage(m, error));
    if (m->restoration)
        return VARVE_OK;
    varve_status status = end_without(unread, error);
    if (!status && vv_manager_leads(m))
        status = vv_resume_check_nothing(m, unseen, error);
    status = vv_manager_agree(m, status, error);
    return status ? vv_report_half_restored(m, status, error)
                  : start_fresh(m, error);
}

/* Files take precedence over the ledger. */
static void warn_of_missing(varve_manager *m)
{
    const struct vv_listing *l = &m->listing;
    varve_error error = { 0 };
    if (l->count == 0 || !l->noted || vv_listing_find(l, l->noted))
        return;
    vv_fail(&error, VARVE_NOT_FOUND,
        "%s: %s%s lists %s-%" PRIu64 "%s, which no longer exists", l->directory,
        l->prefix, VV_LEDGER_ENDING, l->prefix, l->noted, VARVE_SUFFIX);
    vv_manager_warn(m, &error);
}

static varve_status look_to_resume(varve_manager *m, varve_error *error)
{
    if (!m->root)
        return vv_fail(error, VARVE_MISUSE, "manager: its graph was freed");
    VV_TRY(varve_graph_check(m->graph, error));
    vv_manager_finish_pending_save(m);
    if (!vv_manager_leads(m))
        return VARVE_OK;
    vv_manager_lock_activate(&m->lock, &m->context, m->run);
    VV_TRY(vv_manager_read_ledger(m, NULL, error));
    VV_TRY(vv_manager_look(m, error));
    warn_of_missing(m);
    return VARVE_OK;
}

/* A level that cannot be listed, or a file that cannot be read, may be an
 * intact checkpoint. */
static varve_status look_at_levels(
    varve_manager *m, varve_error *first, varve_error *error)
{
    if (m->levels.count == 0)
        return VARVE_OK;
    varve_status status = vv_levels_look(&m->levels, error);
    VV_TRY(vv_manager_broadcast_levels(m, status, error));
    if (vv_has_nodes(&m->nodes))
        VV_TRY(vv_set_levels_see(m->comm, &m->levels, error));
    for (size_t i = 0; !status && i < m->levels.count; i++) {
        const varve_error *unseen = &m->levels.all[i].unseen;
        if (!unseen->status)
            continue;
        status = may_pass(m, unseen, error);
        if (!status)
            status = vv_manager_pass_over(m, unseen, error);
        if (!first->status)
            *first = *unseen;
    }
    return vv_manager_agree(m, status, error);
}

/* Each rank verifies a part, and then reads its own values. */
static varve_status restore_good(varve_manager *m, struct vv_origin *origin,
    varve_error *unread, varve_error *error)
{
    VV_TRY(find_good(m, resume_verify, origin, unread, error));
    varve_status status =
        vv_manager_leads(m) ? vv_manager_decide(m, error) : VARVE_OK;
    VV_TRY(vv_manager_broadcast(m, status, error));
    return origin->listing ? resume_restore(m, origin, error) : VARVE_OK;
}

static varve_status restore_first(varve_manager *m, struct vv_origin *origin,
    varve_error *unread, varve_error *error)
{
    varve_status status = find_good(m, vv_resume_from, origin, unread, error);
    if (status)
        return vv_report_half_restored(m, status, error);
    if (!origin->listing)
        return vv_manager_decide(m, error);
    m->half_restored.status =
        VARVE_OK; /* an older one restored the same graph */
    adopt(m, origin);
    return VARVE_OK;
}

/* Each rank restores its own file of a complete set. */
static varve_status restore_set(varve_manager *m, struct vv_origin *origin,
    varve_error *unread, varve_error *error)
{
    VV_TRY(vv_find_set(m, origin, unread, error));
    if (!origin->listing)
        return VARVE_OK;
    varve_status status = resume_restore(m, origin, error);
    return vv_manager_agree(m, status, error);
}

static varve_status restore_any(varve_manager *m, struct vv_origin *origin,
    varve_error *unread, varve_error *error)
{
    if (vv_has_nodes(&m->nodes))
        return restore_set(m, origin, unread, error);
    return vv_is_alone(m->options.comm)
               ? restore_first(m, origin, unread, error)
               : restore_good(m, origin, unread, error);
}

/* Queues the copies that an earlier manager did not make, of sets known to be
 * complete. */
static varve_status catch_up_set(
    varve_manager *m, const struct vv_origin *origin, varve_error *error)
{
    if (!origin->listing || origin->level > 0)
        return VARVE_OK;
    return vv_set_levels_catch_up(
        m->comm, &m->levels, &m->listing, vv_origin_entry(origin), error);
}

/* Rebuilds other lost files. A failure does not affect the restored values. */
static varve_status go_on_with_set(
    varve_manager *m, const struct vv_origin *origin, varve_error *error)
{
    varve_error reason = { 0 };
    VV_TRY(catch_up_set(m, origin, error));
    if (origin->listing && origin->level == 0 && m->nodes.was_lost &&
        vv_nodes_rebuild_rest(
            &m->nodes, &m->listing, vv_origin_entry(origin)->number, &reason))
        vv_manager_warn(m, &reason);
    return VARVE_OK;
}

static varve_status resume_resume(varve_manager *m, varve_error *error)
{
    struct vv_origin origin = { .levels = m->levels.count };
    varve_error unread = { 0 }, unseen = { 0 };
    varve_status status = look_to_resume(m, error);
    VV_TRY(vv_manager_broadcast(m, status, error));
    vv_restoration_free(m->restoration);
    m->restoration = NULL;
    vv_resume_match_clear(m);
    m->half_restored.status = VARVE_OK;
    forget_passed_over(m);
    VV_TRY(look_at_levels(m, &unseen, error));
    m->nodes.goes_on = true;
    m->nodes.was_lost = false;
    status = restore_any(m, &origin, &unread, error);
    m->nodes.goes_on = false;
    VV_TRY(status);
    if (!origin.listing)
        VV_TRY(resume_begin_anew(m, &unread, &unseen, error));
    vv_levels_catch_up(&m->levels, &m->listing, NULL);
    return vv_has_nodes(&m->nodes) ? go_on_with_set(m, &origin, error)
                                   : VARVE_OK;
}

varve_status varve_manager_resume(varve_manager *m, varve_error *error)
{
    varve_error reason = { 0 };
    if (!m)
        return vv_fail_none(error, "manager", "varve_manager_new");
    return vv_hand_over(resume_resume(m, &reason), &reason, error);
}

varve_restoration *varve_manager_restoration(const varve_manager *m)
{
    return m ? m->restoration : NULL;
}

const char *varve_manager_skipped(const varve_manager *m, size_t index)
{
    size_t at = 0;
    while (m && at < m->passed_over.size) {
        const char *line = (const char *)m->passed_over.data + at;
        if (index-- == 0)
            return line;
        at += strlen(line) + 1;
    }
    return NULL;
}

/* --- Pruning by hand ---------------------------------------------------- */

static varve_status lock_to_prune(varve_manager *m, varve_error *error)
{
    VV_TRY(vv_manager_lock(m, 0, error));
    return vv_manager_look(m, error);
}

static void carry_out(varve_manager *m, bool is_trial)
{
    varve_error error = { 0 };
    if (!is_trial) {
        vv_manager_tidy(m, true);
        vv_manager_prune_layers(m);
    } else if (vv_prune_trial(&m->listing, &m->decision, &error)) {
        vv_manager_warn(m, &error);
    }
}

static varve_status resume_prune(
    varve_manager *m, bool is_trial, varve_error *error)
{
    varve_status status = VARVE_OK;
    m->warning.status = VARVE_OK;
    vv_manager_finish_pending_save(m);
    if (vv_manager_leads(m))
        status = lock_to_prune(m, error);
    VV_TRY(vv_manager_broadcast(m, status, error));
    VV_TRY(vv_resume_match_weigh(m, error));
    VV_TRY(vv_nodes_find_oldest_to_keep(
        &m->nodes, &m->listing, m->policy.keep_bytes, error));
    bool lacks_good = !m->has_good;
    VV_TRY(vv_nodes_any(&m->nodes, &lacks_good, error));
    if (lacks_good)
        VV_TRY(find_own_good(m, error));
    if (vv_manager_leads(m) && !(status = vv_manager_decide(m, error)) &&
        !(status = vv_manager_check_best(m, error)))
        carry_out(m, is_trial);
    return vv_manager_broadcast(m, status, error);
}

static varve_status prune_with(
    varve_manager *m, bool is_trial, varve_error *error)
{
    varve_error reason = { 0 };
    if (!m)
        return vv_fail_none(error, "manager", "varve_manager_new");
    return vv_hand_over(resume_prune(m, is_trial, &reason), &reason, error);
}

varve_status varve_manager_prune(varve_manager *m, varve_error *error)
{
    return prune_with(m, false, error);
}

varve_status varve_manager_prune_dry_run(varve_manager *m, varve_error *error)
{
    return prune_with(m, true, error);
}
