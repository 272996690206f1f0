/* repack.c - Implements varve repack: merges a checkpoint with its data files
 * (layers) into one file.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <stdlib.h>

#include <varve/incremental.h>
#include <varve/reader.h>

#include "temporary_output.h"
#include "command.h"
#include "complaint.h"
#include "interruption.h"
#include "progress_bar.h"
#include "run.h"
#include "store_path.h"
#include "style.h"

struct repack_options {
    struct settings settings;
    const char *output; /* NULL: replace the file */
    bool force;
};

#define OPTIONS struct repack_options
static const struct option_row option_rows[] = {
    OPTION("output", 'o', OPTION_TEXT, output, "OUT",
        "write to OUT, and do not change FILE"),
    OPTION("force", 'f', OPTION_FLAG, force, NULL,
        "replace an existing checkpoint"),
    OPTION_PARENTS,
    OPTION_SHARED(
        "quiet", 'q', OPTION_FLAG, quiet, NULL, "print nothing but errors"),
    OPTION_PROGRESS,
    OPTION_HELP,
    OPTION_END,
};

static int complain_taken(const struct settings *settings, const char *output)
{
    return complain(settings, &(struct complaint){ .outcome = OUTCOME_FILE,
                                  .code = varve_status_name(VARVE_EXISTS),
                                  .what = "cannot write",
                                  .file = output,
                                  .why = "the file already exists",
                                  .hint = "use --force to replace it" });
}

/* Prints the written file. `path` can be a prefix; then its newest file is
 * used. */
static int print_written(const struct settings *settings, const char *path)
{
    varve_error error = { 0 };
    varve_reader *reader = varve_reader_open(path, NULL, &error);
    if (!reader)
        return complain_status(settings, "cannot open", path, &error);
    fputs("wrote ", stdout);
    print_clean(stdout, shown_path(varve_reader_path(reader)));
    putchar('\n');
    varve_reader_free(reader);
    return OUTCOME_DONE;
}

static int on_progress(
    void *user, uint64_t done, uint64_t total, const char *what)
{
    return interrupted() ? 1 : progress_bar_update(user, done, total, what);
}

static int repack_file(const struct repack_options *options, const char *file)
{
    const struct settings *settings = &options->settings;
    varve_error error = { 0 };
    const char *output = options->output;
    if (is_on_web(output ? output : file))
        return complain_store(settings, output ? output : file);
    if (output &&
        temporary_output_check_folder(settings, output) != OUTCOME_DONE)
        return OUTCOME_FILE;
    struct progress_bar bar;
    const varve_write_options write = { .no_replace = output && !options->force,
        .progress = on_progress,
        .progress_user = &bar };
    progress_bar_begin(&bar, settings);
    varve_status status = varve_repack(file, output, &write, &error);
    progress_bar_clear(&bar);
    if (status == VARVE_EXISTS && output)
        return complain_taken(settings, output);
    if (status)
        return complain_status(settings, "cannot repack", file, &error);
    return settings->quiet ? OUTCOME_DONE
                           : print_written(settings, output ? output : file);
}

static int run(const void *given, int count, char **operands)
{
    const struct repack_options *options = given;
    const struct settings *settings = &options->settings;
    int worst = OUTCOME_DONE;
    if (options->output && count > 1)
        return complain_usage(settings, "-o takes one FILE");
    for (int i = 0; i < count; i++) {
        int outcome;
        char *file = run_find_file(settings, operands[i], &outcome);
        interruption_waits(true);
        if (file)
            outcome = repack_file(options, file);
        interruption_waits(false);
        free(file);
        worst = outcome > worst ? outcome : worst;
    }
    return worst;
}

const struct command repack_command = {
    .name = "repack",
    .operands = "FILE...",
    .summary = "turn an incremental checkpoint into a single file",
    .details = "Rewrites each FILE that is incremental or compressed as a "
               "single uncompressed file,\n"
               "identical byte for byte to a full save. Every value is "
               "verified. varve prune then\n"
               "deletes data files that are no longer referenced.\n"
               "\n"
               "To compress values (--compress), leave some out (--except) or "
               "rename them (--rename),\n"
               "use varve convert FILE OUT.varve.\n",
    .options = option_rows,
    .options_size = sizeof(OPTIONS),
    .least_operands = 1,
    .most_operands = 1 << 20,
    .run = run,
};
