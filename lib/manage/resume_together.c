/* resume_together.c - Broadcasts the index from rank 0; each rank verifies a
 * part.
 *
 * SPDX-License-Identifier: MIT
 */
#include "resume_together.h"

#include "comm_collectives.h"
#include "read_all.h"
#include "reader.h"
#include "index_broadcast.h"

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
