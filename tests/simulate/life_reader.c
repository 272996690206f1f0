/* life_reader.c - who looks for the latest checkpoint, reads it, leases it and
 * waits for the next; and who saves under a prefix without a manager.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/life.h"

#include <inttypes.h>
#include <stdio.h>

#include <varve/checkpoint.h>
#include <varve/reader.h>
#include <varve/restoration.h>

#include "graph.h"
#include "lease.h"
#include "reader.h"
#include "save.h"
#include "simulate/finding.h"
#include "simulate/process.h"
#include "watch.h"

static struct shelf shelf_of(const struct life *life)
{
    return oracle_shelf(life->process, life_prefix(life));
}

/* Ends a call of a reader: what was said not to be there is asked for. */
static bool ended(struct life *life, const char *call, varve_status status,
    const varve_error *error, size_t moment)
{
    if (status == VARVE_NOT_FOUND)
        oracle_found_nothing(life->process, shelf_of(life), moment, call);
    return life_ended(life, call, status, error);
}

void life_latest(struct life *life)
{
    varve_error error = { 0 };
    char path[200];
    size_t moment = oracle_moment();
    varve_status status = vv_find_latest(&life->process->context,
        life_prefix(life), path, sizeof path, &error);
    ended(life, "varve_latest", status, &error, moment);
}

void life_restore(struct life *life)
{
    varve_error error = { 0 };
    size_t moment = oracle_moment();
    oracle_initial(life->values);
    varve_restoration *r =
        varve_restore(life_root(life), life_prefix(life), NULL, &error);
    if (ended(life, "varve_restore", r ? VARVE_OK : error.status, &error,
            moment))
        oracle_read(life->process, shelf_of(life), moment, life->values,
            "varve_restore");
    varve_restoration_free(r);
}

static bool read_values(varve_reader *reader, int64_t values[VALUES],
    varve_error *error)
{
    varve_saved_node node;
    return varve_reader_find(reader, "values", &node) &&
        varve_reader_read(reader, node.id, values,
            VALUES * sizeof *values, error) == VARVE_OK;
}

void life_read(struct life *life)
{
    varve_error error = { 0 };
    int64_t values[VALUES];
    size_t moment = oracle_moment();
    varve_reader *reader = vv_reader_open_in(
        &life->process->context, life_prefix(life), &error);
    if (ended(life, "varve_reader_open", reader ? VARVE_OK : error.status,
            &error, moment) &&
        read_values(reader, values, &error))
        oracle_read(life->process, shelf_of(life), moment, values,
            "varve_reader_open");
    varve_reader_free(reader);
}

void life_lease(struct life *life)
{
    varve_error error = { 0 };
    size_t moment = oracle_moment();
    life_unlease(life);
    life->lease = vv_lease_new_in(
        &life->process->context, life_prefix(life), &error);
    if (ended(life, "varve_lease_new", life->lease ? VARVE_OK : error.status,
            &error, moment))
        life->lease_number =
            oracle_leased(life->process, varve_lease_path(life->lease));
}

void life_unlease(struct life *life)
{
    if (!life->lease)
        return;
    oracle_lease_ends(life->lease_number);
    varve_lease_free(life->lease);
    life->lease = NULL;
}

void life_watch(struct life *life)
{
    varve_error error = { 0 };
    const char *path = NULL;
    size_t moment = oracle_moment();
    bool is_first = life->watch == NULL;
    if (!life->watch)
        life->watch = vv_watch_new_in(
            &life->process->context, life_prefix(life), NULL, &error);
    if (!life_ended(life, "varve_watch_new",
            life->watch ? VARVE_OK : error.status, &error))
        return;
    varve_status status =
        varve_watch_next(life->watch, 2000, &path, &error);
    if (status == VARVE_TIMEOUT && is_first)
        oracle_found_nothing(
            life->process, shelf_of(life), moment, "varve_watch_next");
    if (life_ended(life, "varve_watch_next", status, &error))
        trace("  watch: %s", path);
}

/* --- Without a manager -------------------------------------------------- */

void life_save_prefix(struct life *life)
{
    varve_error error = { 0 };
    char path[100];
    varve_node *root = life_root(life);
    if (life->values[VALUE_MARK] == 0)
        oracle_initial(life->values);
    uint64_t save = oracle_begins_save(life->values);
    trace("saves %" PRIu64, save);
    varve_status status = varve_save(root, "shared/run/p", NULL, &error);
    if (!life_ended(life, "varve_save", status, &error))
        return;
    snprintf(path, sizeof path, "shared/run/p-%" PRIu64 ".varve",
        varve_save_counter(root));
    oracle_saved(life->process, oracle_shelf(life->process, "shared/run/p"),
        save, path);
}

void life_saver(struct life *life)
{
    (void)life;
}
