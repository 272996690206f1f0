/* prune.c - varve prune: checkpoints that no policy keeps, and layers that no
 * checkpoint names.
 *
 * SPDX-License-Identifier: MIT
 */
#include <inttypes.h>
#include <stdio.h>

#include <varve/layers.h>

#include "command.h"
#include "complaint.h"
#include "keep.h"
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
        "what the last manager there kept, by its ledger"),
    OPTION("dry-run", 'n', OPTION_FLAG, dry_run, NULL,
        "say what would go, and delete nothing"),
    OPTION_SHARED(
        "quiet", 'q', OPTION_FLAG, quiet, NULL, "print nothing but errors"),
    OPTION_UNITS,
    OPTION_HELP,
    OPTION_END,
};

/* What goes and what stays, of one run. */
struct account {
    size_t gone;
    size_t kept;
    uint64_t bytes; /* of what goes */
};

static void say_each(const struct settings *settings, const struct run *run,
    const char *verb, struct account *account)
{
    char size[UNITS_TEXT_SIZE];
    for (size_t i = 0; i < run->count; i++) {
        const struct run_entry *e = &run->entries[i];
        if (e->facts.kept || e->format != VARVE_FORMAT_VARVE) {
            account->kept++;
            continue;
        }
        account->gone++;
        account->bytes += e->facts.size;
        if (settings->quiet)
            continue;
        printf("%s ", verb);
        print_clean(stdout, e->facts.path);
        printf(", %s\n", size_text(settings->units, e->facts.size, size));
    }
}

/* What stayed although it was to go: somebody reads it, or it is not what the
 * ledger says. */
static size_t left_behind(const struct run *run, size_t gone)
{
    size_t there = varve_manager_count(run->manager);
    size_t before = 0;
    for (size_t i = 0; i < run->count; i++)
        before += run->entries[i].format == VARVE_FORMAT_VARVE;
    return gone - (before - there);
}

static int prune_run(const struct prune_options *options, const struct run *run)
{
    const struct settings *settings = &options->settings;
    varve_error error = { .status = VARVE_OK };
    struct account account = { 0 };
    char size[UNITS_TEXT_SIZE];
    bool is_dry = options->dry_run;
    if (!is_dry && varve_manager_prune(run->manager, &error))
        return complain_status(
            settings, "cannot prune", run->directory, &error);
    say_each(settings, run, is_dry ? "would delete" : "deleted", &account);
    size_t left = is_dry ? 0 : left_behind(run, account.gone);
    const char *warning = is_dry ? NULL : varve_manager_warning(run->manager);
    if (left)
        tell_warning(settings, run->directory, "left alone",
            warning ? warning : "some are in use by somebody else");
    else if (warning)
        tell_warning(settings, run->directory, "not all was done", warning);
    if (settings->quiet)
        return OUTCOME_DONE;
    print_clean(stdout, run->prefix);
    printf(": %s %zu, %s %s\n", is_dry ? "would keep" : "kept",
        account.kept + left, is_dry ? "would free" : "freed",
        size_text(settings->units, account.bytes, size));
    return OUTCOME_DONE;
}

static int prune_checkpoints(
    const struct prune_options *options, const char *directory)
{
    const varve_manager_options keep = keep_options(&options->keep, true);
    struct run_list list;
    int outcome = run_list_open(&options->settings, directory, &keep, &list);
    for (size_t i = 0; outcome == OUTCOME_DONE && i < list.count; i++) {
        if (list.runs[i].manager)
            outcome = prune_run(options, &list.runs[i]);
    }
    run_list_clear(&list);
    return outcome;
}

static int prune_layers(const struct settings *settings, const char *directory)
{
    varve_error error = { .status = VARVE_OK };
    if (varve_prune_layers(directory, &error))
        return complain_status(settings, "cannot prune", directory, &error);
    return OUTCOME_DONE;
}

static int run(const void *given, int count, char **operands)
{
    const struct prune_options *options = given;
    const struct settings *settings = &options->settings;
    bool has_policy = keep_is_given(&options->keep) || options->noted;
    int worst = OUTCOME_DONE;
    if (options->dry_run && !has_policy)
        return complain_usage(settings,
            "--dry-run: expected --as-noted or a --keep-... beside it");
    for (int i = 0; i < count; i++) {
        if (is_on_web(operands[i]))
            return complain_store(settings, operands[i]);
        int outcome = has_policy ? prune_checkpoints(options, operands[i])
                                 : prune_layers(settings, operands[i]);
        worst = outcome > worst ? outcome : worst;
    }
    return worst;
}

const struct command prune_command = {
    .name = "prune",
    .operands = "DIRECTORY...",
    .summary = "delete what no policy keeps, or layers that nothing names",
    .details =
        "With --keep-... or --as-noted, deletes the checkpoints of a "
        "DIRECTORY, "
        "or of\nDIRECTORY/PREFIX, that none of these policies keeps, and then "
        "layers that none\nneeds any more. What stays whatever they say: the "
        "newest good one, pinned ones,\nthose that somebody reads, damaged "
        "ones, and what no manager wrote. Refused while\na manager is at work "
        "there.\n\nWithout them it looks into every checkpoint of a DIRECTORY "
        "and deletes the files in\nits folder layers that none of them names, "
        "as "
        "after checkpoints were deleted by\nhand. If one cannot be read, "
        "nothing is deleted; nothing either while somebody\nsaves there.\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 1,
    .most_operands = 1 << 20,
    .run = run,
};
