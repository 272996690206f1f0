/* lineage.c - Compares the lineages of checkpoints, and records the lineage of
 * a run in the metadata of its checkpoints.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lineage.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <varve/restoration.h>

#include "allocator.h"
#include "failure.h"
#include "run_identity.h"

/* --- Passing over ------------------------------------------------------- */

/* Returns the newest checkpoint of the manager's own directory that is not
 * known to be damaged. */
static const struct vv_entry *lineage_newest_own(const varve_manager *m)
{
    for (size_t i = m->listing.count; i-- > 0;)
        if (m->listing.entries[i].is_ours && !m->listing.entries[i].is_damaged)
            return &m->listing.entries[i];
    return NULL;
}

struct vv_own_run vv_manager_own_run(const varve_manager *m)
{
    const struct vv_entry *newest = lineage_newest_own(m);
    struct vv_own_run times = { 0 };
    if (newest)
        times.newest = vv_run_identity_time(newest->run);
    for (size_t i = 0; i < m->listing.count; i++) {
        const struct vv_entry *e = &m->listing.entries[i];
        uint64_t time = e->is_ours ? vv_run_identity_time(e->run) : 0;
        if (time > times.youngest)
            times.youngest = time;
    }
    return times;
}

const struct vv_entry *vv_manager_own_unread(const varve_manager *m)
{
    const struct vv_entry *newest = lineage_newest_own(m);
    for (size_t i = m->listing.count; i-- > 0;) {
        const struct vv_entry *e = &m->listing.entries[i];
        /* Without opening a file, a number that is a step gives no order. */
        if (e == newest && !m->options.number_by_step)
            return NULL;
        if (e->is_unread)
            return e;
    }
    return NULL;
}

/* Fails, unless the program permits older checkpoints, because neither of two
 * checkpoints is known to descend from the other. The program or the user must
 * decide which one to discard. */
static varve_status lineage_pass_unrecorded(varve_manager *m,
    const struct vv_origin *origin, bool *is_foreign, varve_error *error)
{
    varve_error reason = { 0 };
    const struct vv_entry *entry = vv_origin_entry(origin);
    const struct vv_entry *own = lineage_newest_own(m);
    const char *path =
        vv_listing_entry_path(origin->listing, entry, VARVE_SUFFIX);
    *is_foreign = true;
    vv_fail(&reason, VARVE_EXISTS,
        "%s: this run was resumed more than %d times since %s-%" PRIu64
        "%s of %s can have been saved, so it is unknown whether it continues "
        "that checkpoint",
        path, VV_MOST_ANCESTORS, m->listing.prefix, own->number, VARVE_SUFFIX,
        m->listing.directory);
    if (m->options.may_resume_older)
        return vv_manager_pass_over(m, &reason, error);
    return vv_fail(error, VARVE_EXISTS,
        "%s: move one of them away, or set may_resume_older to resume from the "
        "latter",
        reason.message);
}

/* Checkpoints at a level that do not descend from those in the directory are
 * skipped while the directory has some. */
varve_status vv_manager_pass_foreign(varve_manager *m,
    const struct vv_origin *origin, bool *is_foreign, varve_error *error)
{
    const struct vv_entry *own = origin->level ? lineage_newest_own(m) : NULL;
    const struct vv_entry *entry = vv_origin_entry(origin);
    varve_error reason = { 0 };
    enum vv_descent descent =
        own ? vv_listing_descent(origin->listing, own, entry) : VV_DESCENDS;
    *is_foreign = descent == VV_DESCENDS_NOT;
    if (descent == VV_DESCENT_UNRECORDED)
        return lineage_pass_unrecorded(m, origin, is_foreign, error);
    if (!*is_foreign)
        return VARVE_OK;
    const char *path =
        vv_listing_entry_path(origin->listing, entry, VARVE_SUFFIX);
    vv_fail(&reason, VARVE_EXISTS,
        "%s: skipped: it belongs to run %s, which does not continue run %s of "
        "%s",
        path, entry->run, own->run, m->listing.directory);
    return vv_manager_pass_over(m, &reason, error);
}

bool vv_manager_goes_on_from(
    const varve_manager *m, const struct vv_entry *entry)
{
    struct vv_entry newest = { .counter = UINT64_MAX };
    vv_entry_set_run(&newest, m->run, m->parent);
    return vv_listing_is_before(&m->listing, entry, &newest);
}

varve_status vv_manager_check_resumed(
    const varve_manager *m, varve_error *error)
{
    if (m->has_saved || m->has_resumed || m->options.may_start_new_run)
        return VARVE_OK;
    for (size_t i = m->listing.count; i-- > 0;) {
        const struct vv_entry *e = &m->listing.entries[i];
        if (e->is_ours && !e->is_damaged)
            return vv_fail(error, VARVE_EXISTS,
                "%s: %s-%" PRIu64 "%s was saved by an earlier run (%s), from "
                "which this manager did not resume: resume before the first "
                "save, use another directory, or set may_start_new_run",
                m->listing.directory, m->listing.prefix, e->number,
                VARVE_SUFFIX, *e->run ? e->run : "unknown");
    }
    return VARVE_OK;
}

bool vv_manager_keeps_others(const varve_manager *m)
{
    return m->lock.is_absent ||
           (m->options.may_start_new_run && !m->has_resumed);
}

bool vv_manager_may_replace(const varve_manager *m, uint64_t number)
{
    const struct vv_entry *e = vv_listing_find(&m->listing, number);
    if (!vv_manager_keeps_others(m))
        return true;
    return e && (e->is_damaged || e->is_read) && vv_manager_goes_on_from(m, e);
}

/* --- A new run ---------------------------------------------------------- */

/* Continues the same run, so that the same bytes are written. */
static void lineage_keep_parent(varve_manager *m)
{
    const varve_metadata *parent =
        varve_restoration_metadata(m->restoration, VV_PARENT_KEY);
    m->parent[0] = '\0';
    if (parent && parent->kind == VARVE_METADATA_STRING &&
        strlen(parent->string) < sizeof m->parent)
        strcpy(m->parent, parent->string);
}

void vv_manager_begin_run(varve_manager *m, const struct vv_entry *parent)
{
    m->has_resumed = true;
    if (m->has_own_run && strcmp(m->run, parent->run) == 0) {
        lineage_keep_parent(m);
        return;
    }
    const char *run = *parent->run ? parent->run : "-";
    char others[VV_ANCESTRY_SIZE];
    vv_ancestry_print(&parent->ancestry, VV_MOST_ANCESTORS - 1, others);
    snprintf(m->parent, sizeof m->parent,
        "%016" PRIx64 " %s %" PRIu64 " %" PRIu64 " %016" PRIx64 "%s%s",
        parent->identity, run, parent->number, parent->counter, parent->origin,
        *others ? " " : "", others);
    if (!m->has_own_run)
        vv_run_identity_renew(&m->context, m->run, parent->identity);
}

/* --- Metadata ------------------------------------------------------------- */

/* Collects the metadata of a manager's checkpoint. */

enum { OWN_METADATA = 6 }; /* manager, step, time, metric, run, parent */

static void manager_metadata_add(struct vv_manager_metadata *metadata,
    const varve_metadata *more, size_t count)
{
    if (count)
        memcpy(metadata->all + metadata->count, more, count * sizeof *more);
    metadata->count += count;
}

static void manager_metadata_add_own(struct vv_manager_metadata *metadata,
    const varve_manager *m, const struct vv_manager_order *order)
{
    varve_metadata *own = metadata->all + metadata->count;
    *own++ = (varve_metadata){ .name = VV_MANAGER_KEY,
        .kind = VARVE_METADATA_STRING,
        .string = m->listing.prefix };
    *own++ = (varve_metadata){ .name = VV_STEP_KEY,
        .kind = VARVE_METADATA_INTEGER,
        .integer = order->step };
    if (m->options.keep_every_seconds || m->options.record_time)
        *own++ = (varve_metadata){ .name = VV_TIME_KEY,
            .kind = VARVE_METADATA_INTEGER,
            .integer = order->time };
    if (order->has_metric)
        *own++ = (varve_metadata){ .name = m->listing.metric,
            .kind = VARVE_METADATA_REAL,
            .real = order->metric };
    *own++ = (varve_metadata){
        .name = VV_RUN_KEY, .kind = VARVE_METADATA_STRING, .string = m->run
    };
    if (*m->parent)
        *own++ = (varve_metadata){ .name = VV_PARENT_KEY,
            .kind = VARVE_METADATA_STRING,
            .string = m->parent };
    metadata->count = (size_t)(own - metadata->all);
}

varve_status vv_manager_metadata_collect(const varve_manager *m,
    const struct vv_manager_order *order, const varve_write_options *write,
    const varve_manager_save_options *options,
    struct vv_manager_metadata *metadata, varve_error *error)
{
    metadata->count = 0;
    metadata->most =
        write->metadata_count + options->metadata_count + OWN_METADATA;
    metadata->all = vv_allocate_array(
        &m->context.allocator, metadata->most, sizeof *metadata->all);
    if (!metadata->all)
        return vv_fail_memory(error, "metadata");
    manager_metadata_add(metadata, write->metadata, write->metadata_count);
    manager_metadata_add(metadata, options->metadata, options->metadata_count);
    manager_metadata_add_own(metadata, m, order);
    return VARVE_OK;
}

void vv_manager_metadata_clear(
    const varve_manager *m, struct vv_manager_metadata *metadata)
{
    if (metadata->all)
        vv_release(&m->context.allocator, metadata->all,
            metadata->most * sizeof *metadata->all);
    metadata->all = NULL;
}
