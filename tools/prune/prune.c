/* prune.c - Implements varve prune: deletes checkpoints that no policy keeps,
 * and data files (layers) that no checkpoint refers to.
 *
 * The output describes what exists after the deletions, not what was decided
 * before.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <varve/prune.h>

#include "command.h"
#include "complaint.h"
#include "keep.h"
#include "layer_census.h"
#include "run.h"
#include "store_path.h"
#include "style.h"
#include "units.h"

struct prune_options {
    struct settings settings;
    struct keep keep;
    bool noted;
    bool dry_run;
};

#define OPTIONS struct prune_options
static const struct option_row option_rows[] = {
    OPTION_KEEP,
    OPTION("as-noted", 0, OPTION_FLAG, noted, NULL,
        "the policy in the ledger of the last manager"),
    OPTION("dry-run", 'n', OPTION_FLAG, dry_run, NULL,
        "print what would be deleted, and delete nothing"),
    OPTION_SHARED("quiet", 'q', OPTION_FLAG, quiet, NULL, "print only errors"),
    OPTION_UNITS,
    OPTION_HELP,
    OPTION_END,
};

static int worse(int one, int other)
{
    return one > other ? one : other;
}

/* --- One run ------------------------------------------------------------ */

/* The result for one run, or the expected result. */
struct account {
    size_t kept;
    size_t leased;  /* number of these that only a lease keeps */
    uint64_t bytes; /* size of the deleted ones */
};

/* Sets *now to the current entry of the manager for a path; returns false if it
 * no longer exists. */
static bool find_now(
    const struct run *run, const char *path, varve_checkpoint_info *now)
{
    for (size_t i = 0; varve_manager_at(run->manager, i, now); i++) {
        if (strcmp(now->path, path) == 0)
            return true;
    }
    return false;
}

static void print_line(const struct prune_options *options, bool goes,
    const struct run_entry *e, const char *why)
{
    char size[UNITS_TEXT_SIZE];
    const struct settings *settings = &options->settings;
    const char *verb = goes ? "deleted" : "kept";
    if (settings->quiet)
        return;
    if (options->dry_run)
        verb = goes ? "would delete" : "would keep";
    printf("%s ", verb);
    print_clean(stdout, shown_path(e->facts.path));
    if (goes)
        printf(", %s\n", size_text(settings->units, e->facts.size, size));
    else
        printf(": %s\n", why);
}

/* Compares an entry from before the prune with the current state. */
static void account_for(const struct prune_options *options,
    const struct run *run, const struct run_entry *e, struct account *account)
{
    varve_checkpoint_info now;
    bool is_there = find_now(run, e->facts.path, &now);
    if (options->dry_run ? is_there && !now.kept : !is_there) {
        account->bytes += e->facts.size;
        print_line(options, true, e, NULL);
        return;
    }
    account->kept++;
    account->leased += is_there && now.is_leased;
    if (is_there && !e->facts.kept)
        print_line(
            options, false, e, now.kept ? now.kept : "it was not deleted");
}

static int complain_warning(
    const struct settings *settings, const char *file, const char *why)
{
    return complain(settings, &(struct complaint){ .outcome = OUTCOME_FILE,
                                  .code = "INCOMPLETE",
                                  .what = "not everything was pruned",
                                  .file = file,
                                  .why = why });
}

static void print_total(const struct prune_options *options,
    const struct run *run, const struct account *account)
{
    char size[UNITS_TEXT_SIZE];
    const struct settings *settings = &options->settings;
    if (settings->quiet)
        return;
    print_clean(stdout, run->prefix);
    printf(": %s %zu, %s %s\n", options->dry_run ? "would keep" : "kept",
        account->kept, options->dry_run ? "would free" : "freed",
        size_text(settings->units, account->bytes, size));
}

static int prune_run(const struct prune_options *options, const struct run *run)
{
    const struct settings *settings = &options->settings;
    varve_error error = { .status = VARVE_OK };
    struct account account = { 0 };
    if ((options->dry_run ? varve_manager_prune_dry_run : varve_manager_prune)(
            run->manager, &error))
        return complain_status(
            settings, "cannot prune", run->directory, &error);
    for (size_t i = 0; i < run->count; i++) {
        if (run->entries[i].is_managed)
            account_for(options, run, &run->entries[i], &account);
        else
            account.kept++;
    }
    print_total(options, run, &account);
    const char *warning = varve_manager_warning(run->manager);
    if (warning)
        return complain_warning(settings, run->directory, warning);
    return account.leased ? OUTCOME_NO : OUTCOME_DONE;
}

/* --- Layers ------------------------------------------------------------- */

static void print_layers(const struct prune_options *options,
    const char *directory, uint64_t count, uint64_t bytes)
{
    char size[UNITS_TEXT_SIZE];
    const struct settings *settings = &options->settings;
    if (settings->quiet || count == 0)
        return;
    print_clean(stdout, shown_path(directory));
    printf(": %s %" PRIu64 " data file%s, %s %s\n",
        options->dry_run ? "would delete" : "deleted", count,
        count == 1 ? "" : "s", options->dry_run ? "would free" : "freed",
        size_text(settings->units, bytes, size));
}

static int complain_kept_layers(const struct settings *settings,
    const char *directory, const varve_data_files_pruned *result)
{
    struct complaint c = { .outcome = OUTCOME_NO,
        .code = "KEPT",
        .what = "no data files were deleted",
        .file = directory,
        .why = "a save is in progress there",
        .hint = "prune again when it has finished" };
    if (result->has_no_locks) {
        c.why =
            "its file system has no locks, so a save may be in progress there";
        c.hint = NULL;
    }
    return result->is_busy || result->has_no_locks ? complain(settings, &c)
                                                   : OUTCOME_DONE;
}

static int prune_layers(
    const struct prune_options *options, const char *directory)
{
    const struct settings *settings = &options->settings;
    varve_error error = { .status = VARVE_OK };
    varve_data_files_pruned result;
    varve_status status = varve_prune_data_files_with(
        directory, options->dry_run, &result, &error);
    print_layers(options, directory, result.count, result.bytes);
    return status ? complain_status(settings, "cannot prune", directory, &error)
                  : complain_kept_layers(settings, directory, &result);
}

/* Runs after the managers, which delete layers without counting them. Reports
 * their warnings. */
static int look_at_layers(const struct prune_options *options,
    const char *directory, const struct layer_census *census, int outcome)
{
    const struct settings *settings = &options->settings;
    varve_error error = { .status = VARVE_OK };
    varve_data_files_pruned result;
    uint64_t bytes;
    size_t gone = layer_census_gone(census, &bytes);
    varve_status status =
        varve_prune_data_files_with(directory, true, &result, &error);
    if (options->dry_run)
        print_layers(options, directory, result.count, result.bytes);
    else
        print_layers(options, directory, gone, bytes);
    if (outcome > OUTCOME_NO)
        return outcome;
    if (status)
        return complain_status(settings, "cannot prune", directory, &error);
    return worse(outcome, complain_kept_layers(settings, directory, &result));
}

/* --- A directory -------------------------------------------------------- */

static int prune_runs(
    const struct prune_options *options, const struct run_list *list)
{
    int outcome = OUTCOME_DONE;
    for (size_t i = 0; i < list->count; i++) {
        if (list->runs[i].manager)
            outcome = worse(outcome, prune_run(options, &list->runs[i]));
    }
    return outcome;
}

static int prune_directory(const struct prune_options *options,
    const char *directory, const struct run_list *list)
{
    struct layer_census census;
    if (is_in_store(directory))
        return worse(list->busy_outcome, prune_runs(options, list));
    if (options->dry_run && access(directory, W_OK | X_OK))
        return complain_system(&options->settings, "cannot prune", directory);
    layer_census_take(&census, directory);
    int outcome = look_at_layers(options, directory, &census,
        worse(list->busy_outcome, prune_runs(options, list)));
    layer_census_clear(&census);
    return outcome;
}

static int complain_no_checkpoints(
    const struct settings *settings, const char *argument)
{
    struct stat info;
    const char *why =
        "there is no such directory, and no checkpoint has this prefix";
    if (!is_in_store(argument) && stat(argument, &info) == 0)
        why = S_ISDIR(info.st_mode)
                  ? "there are no files such as ckpt-12.varve"
                  : "this is a file; a DIRECTORY or DIRECTORY/PREFIX is "
                    "required";
    return complain_not_found(settings, "no checkpoints", shown_path(argument),
        why, "varve log DIRECTORY lists the checkpoints of a directory");
}

static int prune_checkpoints(
    const struct prune_options *options, const char *argument)
{
    const varve_manager_options keep = keep_options(&options->keep, true);
    struct run_list list;
    int outcome = run_list_open(&options->settings, argument, &keep, &list);
    if (outcome == OUTCOME_DONE && list.count > 0)
        outcome = prune_directory(options, list.runs[0].directory, &list);
    else if (outcome == OUTCOME_DONE)
        outcome = complain_no_checkpoints(&options->settings, argument);
    run_list_clear(&list);
    return outcome;
}

static int run(const void *given, int count, char **operands)
{
    const struct prune_options *options = given;
    const struct settings *settings = &options->settings;
    bool has_policy = keep_is_given(&options->keep) || options->noted;
    int worst = OUTCOME_DONE;
    if (options->keep.metric && !options->keep.best)
        return complain_usage(settings, "--metric requires --keep-best");
    for (int i = 0; i < count; i++) {
        if (is_on_web(operands[i]))
            return complain_store(settings, operands[i]);
        int outcome = has_policy ? prune_checkpoints(options, operands[i])
                                 : prune_layers(options, operands[i]);
        worst = worse(outcome, worst);
    }
    return worst;
}

const struct command prune_command = {
    .name = "prune",
    .operands = "DIRECTORY...",
    .summary = "delete old checkpoints, or unreferenced data files",
    .details = "With --keep-... or --as-noted, deletes the checkpoints of a "
               "DIRECTORY, or of\n"
               "DIRECTORY/PREFIX, that none of these policies keeps, and then "
               "data files that are no\n"
               "longer referenced. These are always kept: the newest intact "
               "checkpoint, pinned ones,\n"
               "those that are being read, damaged ones, and those that no "
               "manager wrote. The\n"
               "command fails if a manager is running there.\n"
               "\n"
               "Without these options, reads every checkpoint of a DIRECTORY "
               "and deletes the files in\n"
               "its folder layers that none of them references, for example "
               "after checkpoints were\n"
               "deleted by hand. Nothing is deleted if a checkpoint cannot be "
               "read, if a save is in\n"
               "progress, or if other directories share the folder: layers is "
               "a symbolic link, or\n"
               "contains a file named shared.\n"
               "\n"
               "--dry-run checks locks and leases, and prints what would be "
               "deleted now. It does not\n"
               "count data files that would become unreferenced by these "
               "deletions. The exit status\n"
               "is 1 if something was kept only because it is in use, and 3 or "
               "higher if a deletion\n"
               "failed.\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 1,
    .most_operands = 1 << 20,
    .run = run,
};
