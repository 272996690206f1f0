/* common.c - Runs one save or one restore.
 *
 * SPDX-License-Identifier: MIT
 */
#include "common.h"

#include <unistd.h>

#include "measure.h"

double run_save(void *user)
{
    const struct job *job = user;
    varve_error error;
    unlink(job->path);
    double begin = now();
    varve_status status = varve_write(
        varve_graph_root(job->graph), job->path, &job->save, &error);
    double time = now() - begin;
    must(status, &error);
    return time;
}

static double time_read(const struct job *job,
    varve_restoration *(*read)(
        varve_node *, const char *, const varve_read_options *, varve_error *))
{
    varve_error error = { 0 };
    double begin = now();
    varve_restoration *restoration =
        read(varve_graph_root(job->graph), job->path, &job->restore, &error);
    must(restoration ? VARVE_OK : error.status, &error);
    varve_restoration_free(restoration);
    return now() - begin;
}

double run_restore(void *user)
{
    return time_read(user, varve_read);
}

double run_plan(void *user)
{
    return time_read(user, varve_dry_run);
}

double run_open(void *user)
{
    const struct job *job = user;
    varve_error error;
    double begin = now();
    varve_reader *reader = varve_reader_open(job->path, NULL, &error);
    double time = now() - begin;
    must(reader ? VARVE_OK : error.status, &error);
    varve_reader_free(reader);
    return time;
}
