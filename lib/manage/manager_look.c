/* manager_look.c - Lists the directory of a manager, or adds what it has just
 * saved, and decides which checkpoints to keep.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manager_look.h"

#include <math.h>
#include <string.h>

#include "comm_collectives.h"
#include "data_in.h"
#include "failure.h"
#include "lineage.h"
#include "listing_refresh.h"
#include "resume_match.h"
#include "try.h"

/* --- Sizes of data files -------------------------------------------------- */

/* Counts each data file once, from the newest checkpoint to the oldest. */

static bool is_known(const struct vv_buffer *nonces, const uint8_t *nonce)
{
    for (size_t at = 0; at < nonces->size; at += VV_NONCE_SIZE)
        if (memcmp(nonces->data + at, nonce, VV_NONCE_SIZE) == 0)
            return true;
    return false;
}

static void data_sizes_take_layers(struct vv_entry *entry,
    const struct vv_index *index, struct vv_buffer *nonces)
{
    if (vv_layer_is_inside(index))
        return;
    for (uint32_t i = 0; i < index->layer_count; i++) {
        const uint8_t *nonce = index->layer_nonces + (size_t)i * VV_NONCE_SIZE;
        if (is_known(nonces, nonce))
            continue;
        vv_buffer_add(nonces, nonce, VV_NONCE_SIZE);
        entry->data += vv_at64(index->layer_sizes, i);
    }
}

static varve_status find_one(struct vv_listing *l, struct vv_entry *entry,
    struct vv_buffer *nonces, varve_error *error)
{
    struct vv_opened opened;
    const char *path = vv_listing_path(l, &entry->number, VARVE_SUFFIX);
    varve_status status =
        l->path.failed ? VARVE_NO_MEMORY
                       : vv_data_in_open_index(&opened, l->context, path, NULL);
    if (status)
        return status == VARVE_NO_MEMORY
                   ? vv_fail_memory(error, "the layers of checkpoints")
                   : VARVE_OK;
    data_sizes_take_layers(entry, &opened.parsed.index, nonces);
    vv_opened_close(&opened);
    return nonces->failed ? vv_fail_memory(error, "the layers of checkpoints")
                          : VARVE_OK;
}

varve_status vv_data_sizes_find(
    struct vv_listing *l, uint64_t most, varve_error *error)
{
    struct vv_buffer nonces;
    uint64_t total = 0;
    varve_status status = VARVE_OK;
    for (size_t i = 0; i < l->count; i++)
        l->entries[i].data = 0;
    vv_buffer_init(&nonces, &l->context->allocator);
    for (size_t i = l->count; i-- > 0 && total <= most && !status;) {
        struct vv_entry *entry = &l->entries[i];
        if (!entry->is_ours || entry->is_damaged)
            continue;
        status = find_one(l, entry, &nonces, error);
        total += entry->size + entry->data;
    }
    vv_buffer_clear(&nonces);
    return status;
}

/* --- Entries that were just saved ----------------------------------------- */

/* Makes the entry of a checkpoint from its metadata, and adds it to the
 * listing. */

void vv_saved_entry_begin(struct vv_entry *entry, const struct vv_listing *l,
    uint64_t number, uint64_t counter, bool is_pinned,
    const varve_metadata *metadata, size_t count)
{
    *entry = (struct vv_entry){ .number = number, .counter = counter };
    vv_entry_forget(entry);
    vv_entry_take(entry, l, metadata, count);
    entry->is_pinned = is_pinned;
}

/* Removes the entry of a file that was replaced. */
static void remove_older(struct vv_listing *l, uint64_t number)
{
    size_t kept = 0;
    for (size_t i = 0; i < l->count; i++) {
        const struct vv_entry *e = &l->entries[i];
        if (e->number != number || e->is_padded)
            l->entries[kept++] = *e;
    }
    l->count = kept;
}

bool vv_saved_entry_add(struct vv_entry *entry, struct vv_listing *l)
{
    if (vv_entry_look(l, entry, NULL))
        return false;
    remove_older(l, entry->number);
    /* Entries are sorted by their counters, and this is the highest. */
    if (l->count && l->entries[l->count - 1].counter >= entry->counter)
        return false;
    if (!vv_listing_add(l, entry))
        return false;
    if (entry->number > l->highest)
        l->highest = entry->number;
    return true;
}

/* --- Listings ------------------------------------------------------------- */

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
