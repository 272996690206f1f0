/* resume_file.c - Verifies and restores one checkpoint of a manager, with one
 * process or with all ranks.
 *
 * SPDX-License-Identifier: MIT
 */
#include "resume_file.h"

#include <string.h>

#include "comm_collectives.h"
#include "failure.h"
#include "formats.h"
#include "index.h"
#include "index_broadcast.h"
#include "manager_look.h"
#include "read_all.h"
#include "reader.h"
#include "restoration.h"
#include "resume.h"
#include "transfer.h"
#include "try.h"

/* --- With several processes ----------------------------------------------- */

/* Broadcasts the index from rank 0; each rank verifies a part. */

struct trial {
    struct vv_open_all how;
    bool has_come; /* reached the collective opening of the file */
    bool is_open;
};

static varve_status resume_together_open_together(void *user,
    struct vv_opened *file, const struct vv_context *context,
    varve_error *error)
{
    struct trial *trial = user;
    trial->has_come = true;
    trial->how.context = context;
    varve_status status = vv_open_all(&trial->how, VARVE_OK, file, error);
    trial->is_open = !status;
    return status;
}

varve_status vv_manager_verify(
    varve_manager *m, const char *path, varve_status status, varve_error *error)
{
    const varve_comm *comm = m->options.comm;
    struct trial trial = { .how = {
                               .comm = comm,
                               .path = path,
                               .most_told = VV_MOST_TOLD,
                           } };
    struct vv_opened none = { 0 };
    varve_reader *reader = NULL;
    if (!status) {
        reader = vv_reader_open_by(
            &m->context, resume_together_open_together, &trial, error);
        status = reader ? VARVE_OK : error->status;
    }
    if (!trial.has_come)
        status = vv_open_all(&trial.how, status, &none, error);
    if (trial.is_open) {
        if (reader)
            status = vv_reader_verify_share(reader, comm->rank, comm->size,
                m->options.read ? m->options.read->resources.threads : 0,
                error);
        status = vv_agree(comm, status, error);
    }
    varve_reader_free(reader);
    return status;
}

/* --- With one process ----------------------------------------------------- */

/* Verifies and restores a file that is opened once. */

/* The limits for reading the indexes of older files, so that it takes less time
 * than reading the newest file twice. Above them, the newest file is verified
 * first. */
enum { INDEX_SHARE = 16, MOST_LOOKED_AT = 64 };

/* The maximum factor by which a conversion enlarges elements. */
enum { MOST_GROWTH = 16 };

bool vv_blames_file(varve_status status)
{
    return status == VARVE_CORRUPT || status == VARVE_TRUNCATED ||
           status == VARVE_EMPTY_FILE || status == VARVE_NOT_A_CHECKPOINT ||
           status == VARVE_IO || status == VARVE_LIMIT ||
           status == VARVE_NOT_FOUND;
}

/* --- Whether it may be read once ---------------------------------------- */

/* Returns true if `older` restores the same variables, or is so damaged that it
 * cannot be used instead. */
static bool is_covered_by(varve_manager *m, const struct vv_opened *file,
    const struct vv_origin *older, uint64_t *size)
{
    struct vv_opened other;
    const char *path;
    varve_status status = vv_origin_path(older, &path, NULL);
    if (!status)
        status = vv_checkpoint_open(&other, &m->context, path, NULL);
    if (status)
        return vv_blames_file(status) && status != VARVE_IO;
    bool is_alike = vv_index_is_alike(&file->parsed.index, &other.parsed.index);
    *size += other.index_size;
    vv_opened_close(&other);
    return is_alike;
}

/* All values fit into the staging buffer, so a failure changes nothing. */
static bool is_staged(const varve_manager *m, const struct vv_opened *file)
{
    const varve_read_options *o = m->options.read;
    uint64_t limit = o && o->resources.staging_size ? o->resources.staging_size
                                                    : VV_STAGING_SIZE;
    bool resizes = o && (o->resize || o->reshape);
    return !resizes && !(o && o->passes == VARVE_ONE_PASS) &&
           file->size <= limit / MOST_GROWTH;
}

static bool may_be_read_once(
    varve_manager *m, const struct vv_opened *file, struct vv_origin origin)
{
    uint64_t size = 0;
    unsigned count = 0;
    if (!vv_opened_has_digests(file))
        return false;
    if (is_staged(m, file))
        return true;
    if (m->options.read && m->options.read->passes == VARVE_TWO_PASSES)
        return false;
    while (vv_origin_next(m, &origin)) {
        if (size > file->size / INDEX_SHARE || ++count > MOST_LOOKED_AT ||
            !is_covered_by(m, file, &origin, &size))
            return false;
    }
    return true;
}

/* --- Reading it --------------------------------------------------------- */

/* Returns true for failures that a damaged file can also cause. */
static bool may_hide_damage(varve_status status)
{
    return status != VARVE_PARTIALLY_RESTORED && status != VARVE_NO_MEMORY &&
           status != VARVE_CALLBACK && status != VARVE_CANCELLED;
}

/* Verifies the complete file, to find all damage. */
static varve_status look_for_damage(
    varve_manager *m, const struct vv_opened *file, varve_error *error)
{
    varve_error reason = { 0 };
    varve_status status = VARVE_OK;
    varve_reader *reader = vv_reader_over(&m->context, file, &reason);
    if (reader)
        status = varve_reader_verify(reader, NULL, &reason);
    varve_reader_free(reader);
    if (vv_blames_file(status))
        *error = reason;
    return vv_blames_file(status) ? status : VARVE_OK;
}

/* Keeps the partially restored variables in one error, and the reason to skip
 * the checkpoint, in one line, in another. */
static void note_half_restored(varve_manager *m, varve_error *error)
{
    m->half_restored = *error;
    error->message[strcspn(error->message, "\n")] = '\0';
}

static varve_status read_from(varve_manager *m, const struct vv_origin *origin,
    const struct vv_opened *file, bool *is_damaged, varve_error *error)
{
    bool reads_once = may_be_read_once(m, file, *origin);
    varve_status damage = VARVE_OK;
    m->restoration = vv_restoration_open(m->root,
        &(struct vv_opening){ .path = file->path,
            .file = file,
            .hands_over_file = true,
            .options = m->options.read,
            .is_save = true,
            .is_resume = true,
            .look = reads_once ? VV_LOOK_REST : VV_LOOK_ALL,
            .read_failure = &damage },
        error);
    if (m->restoration)
        return VARVE_OK;
    *is_damaged = vv_blames_file(damage);
    if (*is_damaged && error->status == VARVE_PARTIALLY_RESTORED)
        note_half_restored(m, error);
    else if (*is_damaged || may_hide_damage(error->status))
        *is_damaged |= look_for_damage(m, file, error) != VARVE_OK;
    if (*is_damaged && error->status == VARVE_PARTIALLY_RESTORED)
        error->status = damage;
    return error->status;
}

varve_status vv_resume_from(varve_manager *m, const struct vv_origin *origin,
    bool *is_damaged, varve_error *error)
{
    struct vv_opened file;
    const char *path;
    bool had_good = m->has_good;
    uint64_t good = m->good;
    *is_damaged = false;
    VV_TRY(vv_origin_path(origin, &path, error));
    varve_status status = vv_checkpoint_open(&file, &m->context, path, error);
    *is_damaged = vv_blames_file(status);
    if (status)
        return status;
    /* Operations that can fail without the file come before any change. */
    vv_note_good_origin(m, origin);
    status = vv_manager_decide(m, error);
    if (!status)
        status = read_from(m, origin, &file, is_damaged, error);
    if (status) {
        vv_opened_close(&file);
        m->has_good = had_good;
        m->good = good;
    }
    return status;
}

varve_status vv_report_half_restored(
    const varve_manager *m, varve_status status, varve_error *error)
{
    if (!m->half_restored.status)
        return status;
    varve_error reason = error ? *error : (varve_error){ 0 };
    if (error)
        *error = m->half_restored;
    vv_error_add_line(error, "no older checkpoint could be restored%s%s",
        reason.status ? ": " : "", reason.status ? reason.message : "");
    return VARVE_PARTIALLY_RESTORED;
}
