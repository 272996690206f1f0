/* read_calls.c - Defines each public call that reads, and how its file is
 * written.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reads.h"

#include "run.h"
#include "structure.h"

/* The path of a file of any format. */
#define FILE_PATH "run/a"
#define PREFIX "run/ckpt"

/* --- Files ---------------------------------------------------------------- */

/* Returns the path. A name that ends in .varve never denotes another format;
 * the prefix itself may. */
const char *read_path(const struct read_call *c, const struct read_row *row)
{
    bool is_other = row->file & (FILE_FOREIGN | FILE_HDF5 | FILE_LINKED);
    bool is_managed = strstr(c->name, "manager") != NULL;
    bool is_numbered = strcmp(c->path, FILE_PATH) != 0;
    return is_other && is_numbered && !is_managed ? PREFIX : c->path;
}

static varve_status write_file(const struct read_call *c, struct reading *r)
{
    unsigned file = r->trial->row->file;
    varve_write_options o = { .format = VARVE_FORMAT_VARVE };
    if (file & FILE_FOREIGN)
        o.format = VARVE_FORMAT_NPZ;
    if (file & FILE_LINKED) {
        o.format = VARVE_FORMAT_SAFETENSORS;
        o.foreign.shard_size = 256;
    }
    return varve_write(r->root, read_path(c, r->trial->row), &o, &r->error);
}

static varve_manager_options options_of(const struct read_call *c,
    const struct reading *r, const varve_read_options *o)
{
    static const varve_level levels[] = { { .directory = "far" } };
    static const varve_level incremental[] = {
        { .directory = "far", .incremental = true }
    };
    static const varve_write_options write = { .incremental = true };
    bool is_linked = r->trial->row->file & FILE_LINKED && !c->has_nodes;
    static const varve_redundancy redundancy = { .scheme = VARVE_XOR,
        .group_size = 2 };
    return (varve_manager_options){ .read = o,
        .comm = r->comm,
        .redundancy = c->has_nodes ? &redundancy : NULL,
        .write = is_linked ? &write : NULL,
        .levels = !c->has_levels ? NULL : is_linked ? incremental : levels,
        .level_count = c->has_levels };
}

/* Renames a file of another format to the name of a checkpoint. */
static varve_status put_by_hand(const struct read_call *c, struct reading *r)
{
    struct memory *memory = r->trial->disk.memory;
    const struct read_call other = { .name = c->name, .path = FILE_PATH };
    size_t size;
    varve_status status = write_file(&other, r);
    if (!status) {
        const unsigned char *bytes = memory_bytes(memory, FILE_PATH, &size);
        memory_put(memory, c->path, bytes, size);
    }
    return status;
}

static varve_status write_managed(const struct read_call *c, struct reading *r)
{
    const varve_manager_options options = options_of(c, r, NULL);
    if (r->trial->row->file & FILE_FOREIGN)
        return !r->comm || r->comm->rank == 0 ? put_by_hand(c, r) : VARVE_OK;
    varve_manager *m = varve_manager_new(r->root, "run", &options, &r->error);
    varve_status status =
        m ? varve_manager_save(m, 1, &r->error) : r->error.status;
    if (!status && c->has_levels)
        status = varve_manager_drain(m, 10, &r->error);
    varve_manager_free(m);
    return status;
}

/* --- Functions ------------------------------------------------------------ */

static varve_status keep(struct reading *r, varve_restoration *restoration)
{
    r->restoration = restoration;
    r->owns_restoration = true;
    return restoration ? VARVE_OK : r->error.status;
}

static varve_status by_read(
    const struct read_call *c, struct reading *r, const varve_read_options *o)
{
    (void)c;
    return keep(r, r->comm ? varve_read_all(r->comm, r->root, FILE_PATH, o,
                                 &r->error)
                           : varve_read(r->root, FILE_PATH, o, &r->error));
}

static varve_status by_restore(
    const struct read_call *c, struct reading *r, const varve_read_options *o)
{
    (void)c;
    return keep(r, r->comm ? varve_restore_all(r->comm, r->root, PREFIX, o,
                                 &r->error)
                           : varve_restore(r->root, PREFIX, o, &r->error));
}

static varve_status by_plan(
    const struct read_call *c, struct reading *r, const varve_read_options *o)
{
    (void)c;
    return keep(r, varve_dry_run(r->root, FILE_PATH, o, &r->error));
}

static varve_status by_snapshot(
    const struct read_call *c, struct reading *r, const varve_read_options *o)
{
    (void)c;
    varve_snapshot *s = varve_snapshot_new(r->root, &r->error);
    varve_status status = r->error.status;
    r->trial->log_begin = faulty_log_size(r->trial->disk.faulty);
    if (s)
        status = varve_snapshot_read(s, FILE_PATH, o, &r->error);
    struct disk *d = &r->trial->disk;
    long before = disk_calls(
        d, FAULTY_START_THREAD | FAULTY_PROCESSORS, r->trial->log_begin);
    if (!status)
        status = varve_snapshot_restore(s, &r->error);
    r->trial->own_calls =
        disk_calls(d, FAULTY_START_THREAD | FAULTY_PROCESSORS,
            r->trial->log_begin) -
        before;
    varve_snapshot_free(s);
    return status;
}

static varve_status take_graph(struct reading *r, varve_graph *graph)
{
    if (!graph)
        return r->error.status;
    varve_graph_free(r->graph);
    r->graph = graph;
    r->root = varve_graph_root(graph);
    return VARVE_OK;
}

static varve_status by_graph_from(
    const struct read_call *c, struct reading *r, const varve_read_options *o)
{
    (void)c;
    return take_graph(r, vv_graph_from_in(&r->trial->disk.context, FILE_PATH, o,
                             &r->error));
}

static varve_status by_graph_over(
    const struct read_call *c, struct reading *r, const varve_read_options *o)
{
    (void)c;
    return take_graph(r, vv_graph_over_in(&r->trial->disk.context, FILE_PATH, o,
                             &r->error));
}

/* --- Handles -------------------------------------------------------------- */

/* If the file was skipped as damaged, copies that message and returns the
 * status of the restore. */
static varve_status note_passed_over(
    struct reading *r, const varve_manager *m, varve_status status)
{
    const char *line = varve_manager_skipped(m, 0);
    if (status || !line)
        return status;
    snprintf(r->error.message, sizeof r->error.message, "%s", line);
    return varve_manager_restoration(m) ? VARVE_OK : VARVE_CORRUPT;
}

static varve_status by_manager(
    const struct read_call *c, struct reading *r, const varve_read_options *o)
{
    static varve_read_options kept[RANKS];
    kept[r->comm ? r->comm->rank : 0] = *o;
    const varve_manager_options options =
        options_of(c, r, &kept[r->comm ? r->comm->rank : 0]);
    r->manager = varve_manager_new(r->root, "run", &options, &r->error);
    if (!r->manager)
        return r->error.status;
    varve_status status = varve_manager_resume(r->manager, &r->error);
    r->restoration = varve_manager_restoration(r->manager);
    return note_passed_over(r, r->manager, status);
}

static varve_status by_run(
    const struct read_call *c, struct reading *r, const varve_read_options *o)
{
    static varve_read_options kept;
    kept = *o;
    varve_run_options options = { .manager = options_of(c, r, &kept),
        .skip_final_save = true };
    varve_run_open(r->run, "run", &options);
    varve_manager *m = varve_run_manager(r->run);
    if (varve_run_should_continue(r->run)) {
        r->restoration = varve_manager_restoration(m);
        return note_passed_over(r, m, VARVE_OK);
    }
    varve_status status = varve_run_end(r->run, &r->error);
    r->run = NULL;
    r->graph = NULL;
    return status;
}

static varve_status make_saver(struct reading *r)
{
    varve_saver_options options = { .comm = r->comm };
    r->saver = varve_saver_new(r->graph, &options, &r->error);
    if (!r->saver)
        return r->error.status;
    return varve_saver_add_under(r->saver, "", r->root, &r->error);
}

static varve_status by_saver(
    const struct read_call *c, struct reading *r, const varve_read_options *o)
{
    varve_status status = make_saver(r);
    (void)c;
    r->owns_restoration = true;
    return status ? status
                  : varve_saver_restore(r->saver, FILE_PATH, o, &r->restoration,
                        &r->error);
}

/* --- All of them ---------------------------------------------------------- */

#define BY(function) .taker = #function, .path = FILE_PATH, .write = write_file
#define NUMBERED(function)                                                     \
    .taker = #function, .path = PREFIX "-1.varve", .write = write_file
#define MANAGER                                                                \
    .taker = "varve_manager_options.read", .path = PREFIX "-1.varve",          \
    .write = write_managed, .read = by_manager

const struct read_call read_calls[] = {
    { "varve_read", BY(varve_read), .read = by_read },
    { "varve_restore", NUMBERED(varve_restore), .read = by_restore },
    { "varve_dry_run", BY(varve_dry_run), .read = by_plan, .is_dry = true },
    { "varve_read_all", BY(varve_read_all), .read = by_read,
        .is_of_many = true },
    { "varve_restore_all", NUMBERED(varve_restore_all), .read = by_restore,
        .is_of_many = true },
    { "manager", MANAGER },
    { "manager, levels", MANAGER, .has_levels = true },
    { "manager, comm", MANAGER, .is_of_many = true },
    { "manager, comm, levels", MANAGER, .is_of_many = true,
        .has_levels = true },
    { "manager, redundancy", MANAGER, .is_of_many = true, .has_nodes = true },
    { "manager, run", .taker = "varve_manager_options.read",
        .path = PREFIX "-1.varve", .write = write_managed, .read = by_run,
        .is_run = true },
    { "saver", BY(varve_saver_restore), .read = by_saver },
    { "saver, comm", BY(varve_saver_restore), .read = by_saver,
        .is_of_many = true },
    /* varve_golden passes its options to varve_dry_run and to this function. */
    { "varve_snapshot_read",
        .taker = "varve_snapshot_read varve_golden_options.read",
        .path = FILE_PATH, .write = write_file, .read = by_snapshot },
    { "varve_graph_from_part", BY(varve_graph_from_part),
        .read = by_graph_from, .makes_graph = true },
    { "varve_graph_from_lazy", BY(varve_graph_from_lazy), .read = by_graph_over,
        .makes_graph = true },
};
const size_t read_call_count = sizeof read_calls / sizeof *read_calls;
