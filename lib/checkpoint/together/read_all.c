/* read_all.c - a restoration of many processes: rank 0 finds the file, each
 * opens it, and none changes anything before all have what they need.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/together.h>

#include <string.h>

#include "agreement.h"
#include "default_allocator.h"
#include "failure.h"
#include "graph.h"
#include "restoration.h"
#include "save.h"
#include "try.h"
#include "write.h"

/* One rank of those that restore together. */
struct reading {
    const varve_comm *comm;
    bool is_opened; /* all were told of the file, or that there is none */
    bool is_same;   /* all have the same open */
    bool is_agreed; /* all have what they need, and change what they have */
};

/* Another checkpoint may have come to its name while ranks opened it, or a file
 * system show some of them an older one: the index tells, and with its digests
 * all values. */
static varve_status compare(struct reading *reading, varve_status status,
    const struct vv_opened *file, varve_error *error)
{
    struct vv_digest here = { { 0 } };
    uint64_t words[2], first[2];
    reading->is_opened = true;
    VV_TRY(vv_agree(reading->comm, status, error));
    here = vv_digest_of(file->index_bytes, file->index_size);
    memcpy(words, here.bytes, sizeof words);
    for (int i = 0; i < 2; i++) {
        first[i] = words[i];
        VV_TRY(vv_tell_number(reading->comm, &first[i], error));
    }
    if (memcmp(words, first, sizeof words) != 0)
        status = vv_fail(error, VARVE_MISMATCH,
            "%s: expected the checkpoint that rank 0 has open, found another: "
            "was it replaced meanwhile?",
            file->path);
    status = vv_agree(reading->comm, status, error);
    reading->is_same = !status;
    return status;
}

static varve_status opened(
    void *user, const struct vv_opened *file, varve_error *error)
{
    return compare(user, VARVE_OK, file, error);
}

static varve_status ask(void *user, varve_status status, varve_error *error)
{
    struct reading *reading = user;
    status = vv_agree(reading->comm, status, error);
    reading->is_agreed = !status;
    return status;
}

/* --- The file ------------------------------------------------------------- */

/* Whether this rank was given the path of rank 0, by a digest. */
static varve_status check_path(const varve_comm *comm, varve_status status,
    const char *path, varve_error *error)
{
    VV_TRY(vv_agree(comm, status, error));
    uint64_t here = vv_hash_of(path, strlen(path)), there = here;
    VV_TRY(vv_tell_number(comm, &there, error));
    return vv_agree(comm,
        here == there ? VARVE_OK
                      : vv_fail(error, VARVE_MISUSE,
                            "%s: expected the path that rank 0 reads, found "
                            "another",
                            path),
        error);
}

/* Rank 0 looks; file systems of many machines may show others something else
 * for a while. With a NUL. */
static varve_status find(const varve_comm *comm, const varve_node *root,
    const struct vv_opening *opening, struct vv_buffer *found,
    varve_error *error)
{
    varve_status status = VARVE_OK;
    if (comm->rank == 0) {
        status = vv_find_checkpoint(&root->graph->context, opening->path,
            opening->is_numbered, found, error);
        found->size += !status; /* its NUL */
    }
    return vv_tell_all(comm, status, found, error);
}

/* --- What has become of it ------------------------------------------------ */

/* Once others have agreed they have new values, whatever goes wrong here. */
static varve_status half_restored(varve_status status, varve_error *error)
{
    if (status == VARVE_HALF_RESTORED || status == VARVE_DISCONNECTED)
        return status;
    error->status = VARVE_HALF_RESTORED;
    vv_error_add_line(error, "other ranks have new values");
    return VARVE_HALF_RESTORED;
}

/* Each rank comes to three agreements, on the way or here: whether all have the
 * same file open, whether all can, and whether all have. */
static varve_restoration *open_all(const varve_comm *comm, varve_node *root,
    struct vv_opening *opening, varve_error *error)
{
    struct reading reading = { .comm = comm };
    struct vv_consent consent = {
        .opened = opened, .ask = ask, .user = &reading
    };
    opening->consent = &consent;
    varve_restoration *r = vv_restoration_open(root, opening, error);
    varve_status status = r ? VARVE_OK : error->status;
    if (!reading.is_opened)
        status = compare(&reading, status, NULL, error);
    if (reading.is_same && !consent.was_asked)
        status = ask(&reading, status, error);
    if (reading.is_agreed)
        status =
            vv_agree(comm, r ? VARVE_OK : half_restored(status, error), error);
    if (status && r) {
        vv_restoration_free(r);
        r = NULL;
    }
    error->status = status;
    return r;
}

static varve_restoration *read_all(const varve_comm *comm, varve_node *root,
    struct vv_opening *opening, varve_error *error)
{
    const varve_allocator allocator = vv_allocator_or_default(NULL);
    struct vv_buffer found;
    varve_error reason = { 0 };
    varve_restoration *r = NULL;
    if (vv_check_comm(comm, error))
        return NULL;
    vv_buffer_init(&found, &allocator);
    varve_status status = vv_check_call(root, opening->path, "path", &reason);
    status = check_path(comm, status, opening->path, &reason);
    if (!status)
        status = find(comm, root, opening, &found, &reason);
    if (!status) {
        opening->path = (const char *)found.data;
        opening->is_numbered = false;
        r = open_all(comm, root, opening, &reason);
    }
    vv_buffer_clear(&found);
    if (!r && error)
        *error = reason;
    return r;
}

varve_restoration *varve_read_all(const varve_comm *comm, varve_node *root,
    const char *path, const varve_read_options *options, varve_error *error)
{
    struct vv_opening opening = { .path = path, .options = options };
    return read_all(comm, root, &opening, error);
}

varve_restoration *varve_restore_all(const varve_comm *comm, varve_node *root,
    const char *path, const varve_read_options *options, varve_error *error)
{
    struct vv_opening opening = {
        .path = path, .options = options, .is_numbered = true, .is_save = true
    };
    return read_all(comm, root, &opening, error);
}
