/* saver_together.c - Implements the collective operations of a saver.
 *
 * SPDX-License-Identifier: MIT
 */
#include "saver_together.h"

#include <string.h>

#include "comm_collectives.h"
#include "allocator.h"
#include "bytes.h"
#include "failure.h"
#include "job_together.h"
#include "try.h"

bool vv_saver_leads(const varve_saver *s)
{
    return s->options.comm->rank == 0;
}

/* --- The first meeting ---------------------------------------------------- */

varve_status vv_saver_begin_collective(varve_saver *s, const varve_comm *comm,
    varve_status status, varve_error *error)
{
    VV_TRY(vv_agree(comm, status, error));
    const varve_saver_options *o = &s->options;
    uint64_t hours;
    memcpy(&hours, &o->keep_every_hours, sizeof hours);
    const uint64_t here[] = { o->keep, hours, o->allow_empty, o->async };
    uint64_t there[] = { here[0], here[1], here[2], here[3],
        (uint64_t)s->last_kept };
    VV_TRY(vv_comm_bcast(comm, there, sizeof there, error));
    if (memcmp(here, there, sizeof here) != 0)
        status = vv_fail(error, VARVE_MISUSE,
            "the saver options differ from those of rank 0");
    s->last_kept = (int64_t)there[4];
    VV_TRY(vv_agree(comm, status, error));
    return o->async ? vv_keep_duplicate(comm, VARVE_OK, s->graph, error)
                    : VARVE_OK;
}

/* --- Calls ---------------------------------------------------------------- */

varve_status vv_saver_compare(const varve_saver *s, varve_status status,
    const char *name, uint64_t digest, int64_t *when, varve_error *error)
{
    const varve_comm *comm = s->options.comm;
    uint64_t there[] = { digest, when ? (uint64_t)*when : 0 };
    VV_TRY(vv_agree(comm, status, error));
    VV_TRY(vv_comm_bcast(comm, there, sizeof there, error));
    if (there[0] != digest)
        status = vv_fail(error, VARVE_MISUSE,
            "%s: the call differs from that of rank 0", name);
    if (when)
        *when = (int64_t)there[1];
    return vv_agree(comm, status, error);
}

varve_status vv_saver_broadcast(const varve_saver *s, varve_status status,
    struct vv_buffer *text, varve_error *error)
{
    if (!status) {
        vv_buffer_string(text);
        text->size += !text->failed; /* its NUL */
        if (text->failed)
            status = vv_fail_memory(error, "a path");
    }
    return vv_comm_bcast_buffer(s->options.comm, status, text, error);
}

/* --- Lists ---------------------------------------------------------------- */

enum { WORDS = 24 }; /* the bytes before a path */

static void saver_together_add_file(
    struct vv_buffer *bytes, const struct vv_saver_file *file)
{
    vv_buffer_add64(bytes, (uint64_t)file->when);
    vv_buffer_add64(bytes, file->number);
    vv_buffer_add64(bytes, file->has_number);
    vv_buffer_add(bytes, file->path, strlen(file->path) + 1);
}

static varve_status saver_together_take_files(const varve_saver *s,
    const struct vv_buffer *bytes, struct vv_saver_files *files,
    varve_error *error)
{
    const varve_allocator *a = &s->context.allocator;
    for (size_t at = 0; at < bytes->size;) {
        const unsigned char *words = bytes->data + at;
        const char *path = (const char *)words + WORDS;
        const struct vv_saver_file file = {
            .when = (int64_t)vv_load64(words),
            .number = vv_load64(words + 8),
            .has_number = vv_load64(words + 16) != 0,
        };
        VV_TRY(vv_saver_files_add(a, files, file, path, error));
        at += WORDS + strlen(path) + 1;
    }
    return VARVE_OK;
}

varve_status vv_saver_broadcast_list(const varve_saver *s, varve_status status,
    struct vv_saver_files *files, varve_error *error)
{
    const varve_comm *comm = s->options.comm;
    struct vv_buffer bytes;
    vv_buffer_init(&bytes, &s->context.allocator);
    for (size_t i = 0; comm->size > 1 && !status && i < files->count; i++)
        saver_together_add_file(&bytes, &files->items[i]);
    status = vv_comm_bcast_buffer(comm, status, &bytes, error);
    if (!status) {
        if (comm->rank != 0)
            status = saver_together_take_files(s, &bytes, files, error);
        status = vv_agree(comm, status, error);
    }
    vv_buffer_clear(&bytes);
    if (status)
        vv_saver_files_clear(&s->context.allocator, files);
    return status;
}
