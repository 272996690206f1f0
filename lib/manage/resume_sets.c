/* resume_sets.c - Finds the newest set of files, and rebuilds or verifies it,
 * collectively.
 *
 * SPDX-License-Identifier: MIT
 */
#include "resume_sets.h"

#include <inttypes.h>
#include <string.h>

#include "comm_collectives.h"
#include "failure.h"
#include "lineage.h"
#include "manager_look.h"
#include "manager_together.h"
#include "resume.h"
#include "resume_file.h"
#include "system.h"
#include "try.h"

static struct vv_listing *resume_sets_place_of(varve_manager *m, size_t level)
{
    return level ? &m->levels.all[level - 1].seen : &m->listing;
}

/* Returns the next lower number that any rank has anywhere, or 0. */
static varve_status next_number(
    varve_manager *m, size_t levels, uint64_t *number, varve_error *error)
{
    uint64_t highest = 0;
    for (size_t level = 0; level <= levels; level++) {
        uint64_t one =
            vv_listing_below(resume_sets_place_of(m, level), *number);
        highest = one > highest ? one : highest;
    }
    *number = highest;
    return vv_comm_allreduce_max(m->comm, number, error);
}

static void resume_sets_stand_at(struct vv_origin *origin, struct vv_listing *l,
    size_t level, struct vv_entry *entry)
{
    origin->listing = l;
    origin->level = level;
    origin->index = (size_t)(entry - l->entries);
    entry->is_damaged = false;
}

/* --- In the directories of the ranks ------------------------------------ */

static varve_status stand_at_own(varve_manager *m, uint64_t number,
    struct vv_origin *origin, varve_error *error)
{
    VV_TRY(vv_manager_look(m, error));
    struct vv_entry *entry = vv_listing_find(&m->listing, number);
    if (!entry)
        return vv_fail(error, VARVE_NOT_FOUND, "%s: no such checkpoint",
            vv_listing_path(&m->listing, &number, VARVE_SUFFIX));
    resume_sets_stand_at(origin, &m->listing, 0, entry);
    vv_manager_note_good(m, number);
    return vv_manager_decide(m, error);
}

/* Verifies this rank's file of a set. A fault of the set counts as a fault of
 * the file of each rank. */
static varve_status examine_own(varve_manager *m, uint64_t number,
    struct vv_origin *origin, varve_error *error)
{
    bool was_lost = false;
    varve_error aside = { 0 };
    varve_status status = vv_nodes_rebuild(&m->nodes, &m->listing, number,
        m->nodes.goes_on ? &was_lost : NULL, &aside, error);
    m->nodes.was_lost |= was_lost;
    if (aside.status)
        vv_manager_warn(m, &aside);
    struct vv_entry *entry = vv_listing_find(&m->listing, number);
    if (entry && vv_blames_file(status))
        entry->is_damaged = true;
    if (status)
        return status;
    return vv_manager_agree(m, stand_at_own(m, number, origin, error), error);
}

/* --- At a level --------------------------------------------------------- */

static varve_status verify_copy(
    varve_manager *m, size_t level, uint64_t number, varve_error *error)
{
    struct vv_listing *l = resume_sets_place_of(m, level);
    const char *path = vv_listing_path(l, &number, VARVE_SUFFIX);
    if (l->path.failed)
        return vv_fail_memory(error, "the name of a checkpoint");
    if (!vv_listing_find(l, number))
        return vv_fail(error, VARVE_NOT_FOUND,
            "%s: the file of this rank is missing", path);
    return vv_verify_alone(m, path, error);
}

/* Two saves can have files of one number, if the first was not listed when the
 * second was numbered. */
static varve_status compare_copies(
    varve_manager *m, const struct vv_entry *entry, varve_error *error)
{
    const struct vv_listing *own = &m->listing;
    const uint64_t here[] = { entry->counter, (uint64_t)entry->step,
        entry->identity };
    uint64_t there[] = { here[0], here[1], here[2] };
    VV_TRY(vv_comm_bcast(m->comm, there, sizeof there, error));
    varve_status status = VARVE_OK;
    if (memcmp(here, there, sizeof here) != 0)
        status = vv_fail(error, VARVE_CORRUPT,
            "%s: the copy of %s-%" PRIu64
            " is another checkpoint (step %" PRId64
            ", run %s) than that of rank 0 (step %" PRId64 ")",
            own->directory, own->prefix, entry->number, entry->step,
            *entry->run ? entry->run : "unknown", (int64_t)there[1]);
    return vv_manager_agree(m, status, error);
}

/* Lists the sets that other ranks found to be of another lineage than their
 * own. */
static varve_status pass_as_others(
    varve_manager *m, const struct vv_origin *origin, varve_error *error)
{
    varve_error reason = { 0 };
    const char *path = vv_listing_entry_path(
        origin->listing, vv_origin_entry(origin), VARVE_SUFFIX);
    vv_fail(&reason, VARVE_EXISTS,
        "%s: skipped: it continues another run than the checkpoint in the "
        "directory of another rank",
        path);
    return vv_manager_pass_over(m, &reason, error);
}

/* Skips a set of another lineage than that in the directory of a rank. A rank
 * that has lost its directory has no lineage. If there are several lineages,
 * that of the youngest run counts, because a node that was away can return with
 * an abandoned set. */
static varve_status pass_foreign_copies(
    varve_manager *m, struct vv_origin *origin, varve_error *error)
{
    bool is_foreign = false;
    struct vv_own_run times = vv_manager_own_run(m);
    varve_status status = VARVE_OK;
    VV_TRY(vv_comm_allreduce_max(m->comm, &times.youngest, error));
    if (times.newest == times.youngest)
        status = vv_manager_pass_foreign(m, origin, &is_foreign, error);
    VV_TRY(vv_manager_agree(m, status, error));
    bool is_listed = is_foreign;
    VV_TRY(vv_nodes_any(&m->nodes, &is_foreign, error));
    if (is_foreign && !is_listed)
        status = pass_as_others(m, origin, error);
    VV_TRY(vv_manager_agree(m, status, error));
    if (is_foreign)
        origin->listing = NULL;
    return VARVE_OK;
}

static varve_status examine_copies(varve_manager *m, size_t level,
    uint64_t number, struct vv_origin *origin, varve_error *error)
{
    struct vv_listing *l = resume_sets_place_of(m, level);
    varve_status status = verify_copy(m, level, number, error);
    struct vv_entry *entry = vv_listing_find(l, number);
    status = vv_manager_agree(m, status, error);
    if (!status)
        status = compare_copies(m, entry, error);
    if (entry && vv_blames_file(status))
        entry->is_damaged = true;
    if (!status)
        resume_sets_stand_at(origin, l, level, entry);
    return status;
}

/* --- One after the other ------------------------------------------------ */

/* A file that cannot be read may be intact. Other failures are not faults of
 * the file. */
static varve_status pass_set_over(varve_manager *m, const varve_error *reason,
    varve_error *unread, varve_error *error)
{
    bool is_unread = reason->status == VARVE_IO;
    if ((is_unread && !m->options.may_resume_older) ||
        !vv_blames_file(reason->status)) {
        if (error)
            *error = *reason;
        return reason->status;
    }
    if (is_unread && !unread->status)
        *unread = *reason;
    return vv_manager_agree(m, vv_manager_pass_over(m, reason, error), error);
}

static varve_status examine_once(varve_manager *m, size_t level,
    uint64_t number, struct vv_origin *origin, varve_error *error)
{
    return level ? examine_copies(m, level, number, origin, error)
                 : examine_own(m, number, origin, error);
}

/* Reads again after a pause if any rank had a temporary error. All ranks have
 * the same status and make the same attempts. */
static varve_status resume_sets_examine_again(varve_manager *m, size_t level,
    uint64_t number, struct vv_origin *origin, varve_error *error)
{
    const struct vv_system *system = m->context.system;
    varve_status status = examine_once(m, level, number, origin, error);
    for (int i = 0; i < VV_MOST_READS && status == VARVE_IO; i++) {
        system->sleep(system->state, VV_FIRST_PAUSE << i);
        *error = (varve_error){ 0 };
        status = examine_once(m, level, number, origin, error);
    }
    return status;
}

static varve_status examine(varve_manager *m, uint64_t number,
    struct vv_origin *origin, varve_error *unread, varve_error *error)
{
    for (size_t level = 0; level <= origin->levels; level++) {
        varve_error reason = { 0 };
        bool is_there =
            vv_listing_find(resume_sets_place_of(m, level), number) != NULL;
        VV_TRY(vv_nodes_any(&m->nodes, &is_there, error));
        if (!is_there)
            continue;
        reason.status =
            resume_sets_examine_again(m, level, number, origin, &reason);
        if (reason.status)
            VV_TRY(pass_set_over(m, &reason, unread, error));
        else if (level)
            VV_TRY(pass_foreign_copies(m, origin, error));
        if (origin->listing)
            return VARVE_OK;
    }
    return VARVE_OK;
}

varve_status vv_find_set(varve_manager *m, struct vv_origin *origin,
    varve_error *unread, varve_error *error)
{
    uint64_t number = UINT64_MAX;
    while (!origin->listing) {
        VV_TRY(next_number(m, origin->levels, &number, error));
        if (number == 0)
            return VARVE_OK;
        VV_TRY(examine(m, number, origin, unread, error));
    }
    return VARVE_OK;
}
