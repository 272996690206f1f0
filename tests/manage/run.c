/* run.c - Runs programs on a simulated machine and checks what they leave.
 *
 * SPDX-License-Identifier: MIT
 */
#include "manage/run.h"

#include <stdio.h>
#include <string.h>

#include "graph.h"

const varve_manager_options run_options = { .keep_last = 2 };

void run_begin_bare(struct run *run, const struct vv_system *system)
{
    *run = (struct run){ .context = test_context(system) };
    run->graph = vv_graph_new_in(&run->context);
    run->root = varve_graph_root(run->graph);
    varve_add_variable(run->root, "v", varve_scalar(&run->v));
}

void run_begin(struct run *run, const struct vv_system *system,
    const varve_manager_options *options)
{
    varve_error error = { 0 };
    varve_manager_options named = options ? *options
                                          : (varve_manager_options){ 0 };
    named.run = "run";
    named.may_start_new_run = true;
    run_begin_bare(run, system);
    run->manager = varve_manager_new(run->root, "run", &named, &error);
    cr_assert(run->manager, "%s", error.message);
}

void run_end(struct run *run)
{
    varve_manager_free(run->manager);
    varve_graph_free(run->graph);
}

varve_status run_save(struct run *run, int64_t step, varve_error *error)
{
    run->v = (int)step;
    return varve_manager_save(run->manager, step, error);
}

void run_must_save(struct run *run, int64_t step)
{
    varve_error error = { 0 };
    cr_assert_ok(run_save(run, step, &error), error);
    cr_assert_null(varve_manager_warning(run->manager), "%s",
        varve_manager_warning(run->manager));
}

void run_must_resume(struct run *run)
{
    varve_error error = { 0 };
    cr_assert_ok(varve_manager_resume(run->manager, &error), error);
}

const char *run_numbers(const struct run *run)
{
    static char text[512];
    varve_checkpoint_info at;
    text[0] = '\0';
    for (size_t i = 0; varve_manager_at(run->manager, i, &at); i++) {
        size_t size = strlen(text);
        snprintf(text + size, sizeof text - size, "%s%llu", size ? " " : "",
            (unsigned long long)at.number);
    }
    return text;
}

struct memory *run_history(const varve_manager_options *options)
{
    struct memory *disk = memory_new();
    struct run run;
    run_begin(&run, memory_system(disk), options);
    run.v = 10;
    varve_error error = { 0 };
    cr_assert_ok(varve_manager_save_with(run.manager, 10,
        &(varve_manager_save_options){ .pin = true }, &error), error);
    run_must_save(&run, 20);
    run_must_save(&run, 30);
    run_end(&run);
    return disk;
}

struct memory *run_copy(struct memory *disk)
{
    return memory_after_power_cut(disk, true, true);
}

/* --- What is left ------------------------------------------------------- */

static bool ends_in(const char *text, const char *ending)
{
    size_t size = strlen(text), more = strlen(ending);
    return size >= more && strcmp(text + size - more, ending) == 0;
}

/* Checks that there is no file that a later save would not remove. */
static void check_names(struct memory *disk, const char *where)
{
    for (size_t i = 0; i < memory_file_count(disk); i++) {
        const char *path = memory_file_path(disk, i);
        cr_assert(strcmp(path, "run/ckpt.ledger") == 0 ||
                strcmp(path, "run/.ckpt.lock") == 0 ||
                (strncmp(path, "run/ckpt-", 9) == 0 &&
                    (ends_in(path, ".varve") || ends_in(path, ".pin"))),
            "%s: %s is left", where, path);
    }
}

/* Checks that the pinned checkpoint still exists. */
static void check_pinned(const struct run *run, const char *where)
{
    varve_checkpoint_info at = { 0 };
    cr_assert(varve_manager_at(run->manager, 0, &at), "%s", where);
    cr_assert(at.is_pinned && at.step == 10, "%s: the pinned one is missing",
        where);
}

int run_survives(struct memory *disk, const varve_manager_options *options,
    const char *where)
{
    struct run run;
    varve_error error = { 0 };
    run_begin(&run, memory_system(disk), options);
    bool has_history = varve_manager_count(run.manager) > 1;
    varve_status status = varve_manager_resume(run.manager, &error);
    cr_assert_eq(status, VARVE_OK, "%s: %s", where, error.message);
    cr_assert_null(varve_manager_skipped(run.manager, 0), "%s: %s", where,
        varve_manager_skipped(run.manager, 0));
    int found = run.v;
    status = run_save(&run, 77, &error);
    cr_assert_eq(status, VARVE_OK, "%s: %s", where, error.message);
    const char *warning = varve_manager_warning(run.manager);
    cr_assert(!warning || strncmp(warning, "run/ckpt.ledger: ", 17) == 0,
        "%s: %s", where, warning);
    if (has_history) {
        check_pinned(&run, where);
        cr_assert_eq(varve_manager_count(run.manager), 3, "%s: %s", where,
            run_numbers(&run));
    }
    run_end(&run);
    check_names(disk, where);
    cr_assert_eq(memory_open_count(disk), 0, "%s", where);
    return found;
}
