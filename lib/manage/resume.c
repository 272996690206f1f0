/* resume.c - verifying from the newest on, restoring, and pruning by hand,
 * which must know what is good.
 *
 * SPDX-License-Identifier: MIT
 */
#include "resume.h"

#include <string.h>

#include "failure.h"
#include "manager_save.h"
#include "reader.h"
#include "restoration.h"
#include "system.h"
#include "try.h"

/* Whether it is the file that is to blame, so that an older one may do. */
static bool is_damage(varve_status status)
{
    return status == VARVE_CORRUPT || status == VARVE_TRUNCATED ||
           status == VARVE_EMPTY_FILE || status == VARVE_NOT_A_CHECKPOINT ||
           status == VARVE_IO || status == VARVE_LIMIT ||
           status == VARVE_NOT_FOUND;
}

static varve_status pass_over(varve_manager *m, struct vv_entry *entry,
    const varve_error *reason, varve_error *error)
{
    vv_buffer_add_string(&m->passed_over, reason->message);
    vv_buffer_add8(&m->passed_over, 0);
    entry->is_damaged = true;
    if (m->passed_over.failed)
        return vv_fail_memory(error, "what was passed over");
    return VARVE_OK;
}

static varve_status verify(
    varve_manager *m, const struct vv_entry *entry, varve_error *error)
{
    const char *path =
        vv_listing_path(&m->listing, &entry->number, VARVE_SUFFIX);
    if (m->listing.path.failed)
        return vv_fail_memory(error, "the name of a checkpoint");
    varve_reader *reader = vv_reader_open_in(&m->context, path, error);
    if (!reader)
        return error->status;
    varve_status status = varve_reader_verify(reader, NULL, error);
    varve_reader_free(reader);
    return status;
}

/* That none is good is only known where each could be read: beginning anew
 * beside what a failing disk hides would in the end delete it. */
static varve_status end_without(const varve_error *unread, varve_error *error)
{
    if (unread->status && error)
        *error = *unread;
    return unread->status;
}

/* *index: the number of entries where none is good; *unread says then whether
 * one could not be read. */
static varve_status find_good(
    varve_manager *m, size_t *index, varve_error *unread, varve_error *error)
{
    *unread = (varve_error){ 0 };
    m->passed_over.size = 0;
    m->passed_over.failed = false;
    *index = m->listing.count;
    for (size_t i = m->listing.count; i-- > 0;) {
        struct vv_entry *entry = &m->listing.entries[i];
        varve_error reason = { 0 };
        varve_status status = verify(m, entry, &reason);
        if (!status) {
            entry->is_damaged = false;
            *index = i;
            vv_manager_note_good(m, entry->number);
            return VARVE_OK;
        }
        if (!is_damage(status)) {
            if (error)
                *error = reason;
            return status;
        }
        /* That may be a good one: if no other is, this is the failure that is
         * told. */
        if (status == VARVE_IO && !unread->status)
            *unread = reason;
        VV_TRY(pass_over(m, entry, &reason, error));
    }
    return VARVE_OK;
}

varve_status vv_find_good(varve_manager *m, size_t *index, varve_error *error)
{
    varve_error unread;
    VV_TRY(find_good(m, index, &unread, error));
    return *index == m->listing.count ? end_without(&unread, error) : VARVE_OK;
}

static varve_status decide(varve_manager *m, varve_error *error)
{
    return vv_decide_listing(&m->decision, &m->policy, &m->listing,
        m->has_good ? &m->good : NULL, error);
}

/* --- Resuming ----------------------------------------------------------- */

static varve_status restore(
    varve_manager *m, const struct vv_entry *entry, varve_error *error)
{
    const struct vv_system *system = m->context.system;
    struct vv_opening opening = {
        .path = vv_listing_path(&m->listing, &entry->number, VARVE_SUFFIX),
        .options = m->options.read,
        .is_save = true,
    };
    if (m->listing.path.failed)
        return vv_fail_memory(error, "the name of a checkpoint");
    varve_error reason = { 0 };
    m->restoration = vv_restoration_open(m->root, &opening, &reason);
    if (!m->restoration) {
        if (error)
            *error = reason;
        return reason.status;
    }
    m->restoration->is_lent = true;
    m->has_last = entry->step >= 0;
    m->last_step = entry->step;
    m->last_uptime = system->uptime(system->state);
    return VARVE_OK;
}

static varve_status start_fresh(varve_manager *m, varve_error *error)
{
    if (!m->options.initialize)
        return VARVE_OK;
    varve_status status = m->options.initialize(m->options.initialize_user);
    if (status)
        return vv_fail(error, vv_status_of_callback(status),
            "%s: expected the program to initialize itself, found %s",
            m->listing.directory, varve_status_name(status));
    return VARVE_OK;
}

/* With none good, and where the program asks for it: what is left of the newest
 * that can be opened. */
static varve_status salvage(varve_manager *m, varve_error *error)
{
    for (size_t i = m->listing.count; i-- > 0;) {
        varve_error reason = { 0 };
        varve_status status = restore(m, &m->listing.entries[i], &reason);
        if (!status)
            return VARVE_OK;
        if (!is_damage(status)) {
            if (error)
                *error = reason;
            return status;
        }
    }
    return VARVE_OK;
}

static varve_status begin_anew(
    varve_manager *m, const varve_error *unread, varve_error *error)
{
    if (m->options.read && m->options.read->salvage)
        VV_TRY(salvage(m, error));
    if (m->restoration)
        return VARVE_OK;
    VV_TRY(end_without(unread, error));
    return start_fresh(m, error);
}

varve_status varve_manager_resume(varve_manager *m, varve_error *error)
{
    size_t index;
    varve_error unread;
    if (!m || !m->root)
        return vv_fail(error, VARVE_MISUSE,
            "manager: expected the graph that it was made for, found none");
    VV_TRY(varve_graph_check(m->graph, error));
    vv_manager_land(m);
    VV_TRY(vv_manager_look(m, error));
    VV_TRY(find_good(m, &index, &unread, error));
    VV_TRY(decide(m, error));
    vv_restoration_free(m->restoration);
    m->restoration = NULL;
    if (index == m->listing.count)
        return begin_anew(m, &unread, error);
    return restore(m, &m->listing.entries[index], error);
}

varve_restoration *varve_manager_restoration(const varve_manager *m)
{
    return m ? m->restoration : NULL;
}

varve_status varve_manager_settle(varve_manager *m, varve_error *error)
{
    if (!m)
        return vv_fail(
            error, VARVE_MISUSE, "manager: expected one, found NULL");
    return m->restoration ? vv_restoration_settle(m->restoration, error)
                          : VARVE_OK;
}

const char *varve_manager_passed_over(const varve_manager *m, size_t index)
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

varve_status varve_manager_prune(varve_manager *m, varve_error *error)
{
    size_t index;
    if (!m)
        return vv_fail(
            error, VARVE_MISUSE, "manager: expected one, found NULL");
    m->warning.status = VARVE_OK;
    vv_manager_land(m);
    VV_TRY(vv_manager_lock(m, error));
    VV_TRY(vv_manager_look(m, error));
    if (!m->has_good)
        VV_TRY(vv_find_good(m, &index, error));
    VV_TRY(decide(m, error));
    vv_manager_tidy(m, true);
    vv_manager_prune_layers(m);
    return VARVE_OK;
}
