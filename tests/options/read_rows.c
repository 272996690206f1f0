/* read_rows.c - Defines each read option: how it is set, and how its effect is
 * observed.
 *
 * SPDX-License-Identifier: MIT
 */
#include "reads.h"

#include <varve/variable.h>

/* --- What the program has ------------------------------------------------- */

double first_of(const struct reading *r, const char *path)
{
    varve_node *node = varve_find_path(r->root, path);
    const varve_tensor *value = node ? varve_value(node) : NULL;
    if (!value || !value->dtype || varve_state_of(node) == VARVE_DECLARED)
        return -2;
    double wide = -2;
    float narrow = -2;
    if (value->memory) { /* not a value that stays in its file */
        varve_status status = value->memory->copy_out(
            value->memory->self, 0, &narrow, sizeof narrow);
        return status ? -2 : (double)narrow;
    }
    if (!value->data)
        return -2;
    if (value->dtype == VARVE_FLOAT64)
        memcpy(&wide, value->data, sizeof wide);
    else
        memcpy(&narrow, value->data, sizeof narrow);
    return value->dtype == VARVE_FLOAT64 ? wide : (double)narrow;
}

struct search {
    const char *path;
    bool is_found;
};

static varve_status look_at(void *user, const varve_finding *finding)
{
    struct search *search = user;
    search->is_found |= finding->program_path &&
                        strcmp(finding->program_path, search->path) == 0;
    return VARVE_OK;
}

static bool has_finding(
    const struct reading *r, varve_finding_kind kind, const char *path)
{
    struct search search = { .path = path };
    varve_error error = { 0 };
    return r->restoration &&
           !varve_each_finding(
               r->restoration, kind, look_at, &search, &error) &&
           search.is_found;
}

bool has_come(const struct reading *r, const char *path)
{
    return r->trial->call->is_dry ? has_finding(r, VARVE_FINDING_MATCHED, path)
                                  : first_of(r, path) > 0;
}

/* --- What is chosen ------------------------------------------------------- */

#define SET(function, field, what)                                             \
    static void function(varve_read_options *o, struct read_trial *t)          \
    {                                                                          \
        (void)t;                                                               \
        o->field = what;                                                       \
    }

SET(set_subtree, subtree, "sub")
SET(set_only, only, "a")
SET(set_except, except, "b")
SET(set_resize, resize, "a")
SET(set_reshape, reshape, true)
SET(set_copy_shared, copy_shared, true)
SET(set_no_verify, no_verify, true)
SET(set_map, map, true)
SET(set_passes, passes, VARVE_TWO_PASSES)
SET(set_cast, cast, VARVE_CAST_WIDEN)
SET(set_cast_only, cast_only, "b")
SET(set_rename_file, rename.file, "names.txt")
SET(set_missing, expect.missing, "extra")
SET(set_unused, expect.unexpected, "extra")
SET(set_dots, foreign.dots, true)
SET(set_no_hdf5, foreign.no_hdf5, true)
SET(set_follow, foreign.follow_links, true)
SET(set_salvage, salvage.on, true)
SET(set_staging, resources.staging_size, SMALL_STAGING)
SET(set_threads, resources.threads, 1)

static bool is_subtree(struct reading *r, varve_status status)
{
    if (status)
        return false;
    if (r->trial->call->makes_graph)
        return has_come(r, "sub/a") && !has_come(r, "a");
    if (r->trial->call->is_dry)
        return has_come(r, "a") && varve_finding_count(r->restoration,
                                       VARVE_FINDING_UNEXPECTED) == 0;
    return first_of(r, "a") == 11;
}

static bool has_a_without_b(struct reading *r, varve_status status)
{
    return !status && has_come(r, "a") && !has_come(r, "b");
}

/* Returns true if `a` was restored. */
static bool has_a(struct reading *r, varve_status status)
{
    return !status && has_come(r, "a");
}

static bool is_not_cast(struct reading *r, varve_status status)
{
    return status ? status == VARVE_MISMATCH : !has_come(r, "a");
}

static bool has_both(struct reading *r, varve_status status)
{
    return !status && has_come(r, "x") && has_come(r, "y");
}

/* --- How it is read ------------------------------------------------------- */

static bool is_not_verified(struct reading *r, varve_status status)
{
    return !status &&
           (r->trial->call->makes_graph || has_come(r, "large"));
}

/* Adds the variable. Returns true if it was mapped from the file. */
static bool is_mapped(struct reading *r, varve_status status)
{
    if (status || r->trial->call->makes_graph)
        return false;
    varve_add_allocated_variable(r->root, "large", VARVE_FLOAT32,
        VARVE_SHAPE(LARGE), NULL, NULL);
    return disk_calls(&r->trial->disk, FAULTY_MAP, r->trial->log_begin) > 0;
}

static uint64_t bytes_read(const struct reading *r)
{
    uint64_t sum = 0;
    const struct faulty *f = r->trial->disk.faulty;
    size_t size = faulty_log_size(f);
    for (size_t i = r->trial->log_begin;
         (i = faulty_log_find(f, FAULTY_READ, i)) < size; i++)
        sum += faulty_log_at(f, i)->size;
    return sum;
}

/* Returns true if each rank has read the value more than once. */
static bool is_read_twice(struct reading *r, varve_status status)
{
    uint64_t once = (uint64_t)LARGE * sizeof *r->large;
    uint64_t wanted = 2 * once * (r->comm ? r->comm->size : 1);
    if (!status && r->restoration && r->trial->row->set == set_passes)
        return varve_restoration_passes(r->restoration) == VARVE_TWO_PASSES;
    return !status && bytes_read(r) >= wanted;
}

SET(make_small, resources.staging_size, SMALL_STAGING)
SET(make_two_passes, passes, VARVE_TWO_PASSES)

static int on_read_progress(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    struct read_trial *t = user;
    (void)done;
    (void)total;
    (void)what;
    atomic_fetch_add(&t->progress_calls, 1);
    return atomic_load(&t->cancels);
}

static void set_progress(varve_read_options *o, struct read_trial *t)
{
    o->progress = on_read_progress;
    o->progress_user = t;
}

static void set_cancelling(varve_read_options *o, struct read_trial *t)
{
    set_progress(o, t);
    atomic_store(&t->cancels, true);
}

static bool has_progressed(struct reading *r, varve_status status)
{
    return !status && atomic_load(&r->trial->progress_calls) > 0;
}

static bool is_cancelled(struct reading *r, varve_status status)
{
    return status == VARVE_CANCELLED &&
           atomic_load(&r->trial->progress_calls) > 0;
}

static bool has_one_thread(struct reading *r, varve_status status)
{
    return !status && disk_calls(&r->trial->disk,
                          FAULTY_START_THREAD | FAULTY_PROCESSORS,
                          r->trial->log_begin) == r->trial->own_calls;
}

/* --- What is called otherwise, or is not there ---------------------------- */

static void set_renames(varve_read_options *o, struct read_trial *t)
{
    static const varve_rename renames[] = { { "c", "a" } };
    (void)t;
    o->rename.list = renames;
    o->rename.count = 1;
}

static bool is_renamed(struct reading *r, varve_status status)
{
    return !status && has_come(r, "c");
}

static bool is_missing_excused(struct reading *r, varve_status status)
{
    varve_error error;
    if (status || !r->restoration || !has_come(r, "a"))
        return false;
    return r->trial->call->is_dry
               ? !has_finding(r, VARVE_FINDING_MATCHED, "extra")
               : !varve_assert_existing_objects_matched(
                     r->restoration, &error);
}

static bool is_unused_excused(struct reading *r, varve_status status)
{
    varve_error error;
    return !status && r->restoration && has_come(r, "a") &&
           !varve_assert_consumed(r->restoration, &error);
}

static bool has_dots(struct reading *r, varve_status status)
{
    return !status && has_come(r, "u/v");
}

/* Returns true if the error is about the HDF5 module, which was not loaded. */
static bool is_hdf5_refused(struct reading *r, varve_status status)
{
    return status && strstr(r->error.message, "no_hdf5");
}

/* --- What is damaged ------------------------------------------------------ */

static bool is_salvaged(struct reading *r, varve_status status)
{
    return !status && has_come(r, "a") && !has_come(r, "large");
}

static void on_read_loss(void *user, const char *path, const char *what)
{
    struct read_trial *t = user;
    (void)what;
    atomic_fetch_add(&t->loss_calls, strcmp(path, "large") == 0);
}

static void set_loss(varve_read_options *o, struct read_trial *t)
{
    o->salvage.loss = on_read_loss;
    o->salvage.loss_user = t;
}

static bool has_lost(struct reading *r, varve_status status)
{
    return !status && atomic_load(&r->trial->loss_calls) > 0;
}

/* --- Of later versions ---------------------------------------------------- */

static int something;

SET(fill_room, reserved[3], &something)
SET(fill_rename_room, rename.reserved.words[3], &something)
SET(fill_expect_room, expect.reserved.words[3], &something)
SET(fill_foreign_room, foreign.reserved.words[3], &something)
SET(fill_salvage_room, salvage.reserved.words[3], &something)
SET(fill_resources_room, resources.reserved.words[3], &something)

static bool is_never_seen(struct reading *r, varve_status status)
{
    (void)r;
    (void)status;
    return false;
}

/* --- All of them ---------------------------------------------------------- */

#define ROOM(text, fill)                                                       \
    { text, "", "", .set = fill, .is_seen = is_never_seen, .is_too_new = true }

const struct read_row read_rows[] = {
    { "subtree", "", "", 0, PROGRAM_SUB, set_subtree, .is_seen = is_subtree },
    { "only", "", "", 0, 0, set_only, .is_seen = has_a_without_b },
    { "except", "", "", 0, 0, set_except, .is_seen = has_a_without_b },
    { "resize", "", "", 0, PROGRAM_LONGER, set_resize, .is_seen = has_a },
    { "reshape", "", "", 0, PROGRAM_SQUARE, set_reshape, .is_seen = has_a },
    { "copy_shared", "", "", FILE_SHARED, PROGRAM_APART, set_copy_shared,
        .is_seen = has_both },
    { "no_verify", "", "", FILE_DAMAGED, 0, set_no_verify,
        .is_seen = is_not_verified },
    { "map", "", "", 0, PROGRAM_LATE, set_map, .is_seen = is_mapped },
    { "passes", "", "", 0, 0, set_passes, make_small,
        .is_seen = is_read_twice },
    { "cast", "", "", 0, PROGRAM_DOUBLE, set_cast, .is_seen = has_a },
    { "cast_only", "", "cast", 0, PROGRAM_DOUBLE, set_cast_only, set_cast,
        .is_seen = is_not_cast },
    { "progress", "progress_user", "", 0, 0, set_progress,
        .is_seen = has_progressed },
    { "progress", "progress_user", "", 0, 0, set_cancelling,
        .is_seen = is_cancelled },
    { "rename.list", "rename.count", "", 0, PROGRAM_RENAMED, set_renames,
        .is_seen = is_renamed },
    { "rename.file", "", "", 0, PROGRAM_RENAMED, set_rename_file,
        .is_seen = is_renamed },
    { "expect.missing", "", "", 0, PROGRAM_EXTRA, set_missing,
        .is_seen = is_missing_excused },
    { "expect.unexpected", "", "", FILE_EXTRA, 0, set_unused,
        .is_seen = is_unused_excused },
    { "foreign.dots", "", "", FILE_FOREIGN, PROGRAM_DOTS, set_dots,
        .is_seen = has_dots },
    { "foreign.no_hdf5", "", "", FILE_HDF5, 0, set_no_hdf5,
        .is_seen = is_hdf5_refused },
    { "foreign.follow_links", "", "", FILE_LINKED, 0, set_follow,
        .is_seen = has_a },
    { "salvage.on", "", "", FILE_DAMAGED, 0, set_salvage,
        .is_seen = is_salvaged },
    { "salvage.loss", "salvage.loss_user", "salvage", FILE_DAMAGED, 0,
        set_loss, set_salvage, .is_seen = has_lost },
    { "resources.staging_size", "", "", 0, 0, set_staging, make_two_passes,
        .is_seen = is_read_twice },
    { "resources.threads", "", "", FILE_HUGE, 0, set_threads,
        .is_seen = has_one_thread },
    ROOM("reserved", fill_room),
    ROOM("rename.reserved", fill_rename_room),
    ROOM("expect.reserved", fill_expect_room),
    ROOM("foreign.reserved", fill_foreign_room),
    ROOM("salvage.reserved", fill_salvage_room),
    ROOM("resources.reserved", fill_resources_room),
};
const size_t read_row_count = sizeof read_rows / sizeof *read_rows;
