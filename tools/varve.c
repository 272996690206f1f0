/* varve.c - The command line tool: selects the command, and prints help and
 * version.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include <varve/format.h>
#include <varve/remote.h>
#include <varve/version.h>

#include "command.h"
#include "complaint.h"
#include "edit_distance.h"
#include "interruption.h"
#include "manual.h"
#include "memory.h"
#include "store_path.h"

#define ADDRESS(name) &name##_command,
static const struct command *const commands[] = { EACH_COMMAND(ADDRESS) };

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    }
    return NULL;
}

/* Returns the most similar command, or NULL. */
static const char *nearest_command(const char *name)
{
    const char *nearest = NULL;
    size_t best = 3;
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        size_t distance = edit_distance(name, commands[i]->name, best);
        if (distance < best && distance < strlen(name)) {
            best = distance;
            nearest = commands[i]->name;
        }
    }
    return nearest;
}

static int complain_unknown(const struct settings *settings, const char *name)
{
    const char *nearest = nearest_command(name);
    return nearest ? complain_usage(settings,
                         "unknown command \"%s\"; did you mean \"%s\"?", name,
                         nearest)
                   : complain_usage(settings, "unknown command \"%s\"", name);
}

static void print_help(FILE *to)
{
    fputs("varve - inspect, verify, compare and convert checkpoints\n"
          "\n"
          "usage: varve COMMAND [options] FILE ...\n"
          "\n",
        to);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    fputs("  help       show the help of a command: varve help COMMAND\n"
          "  version    print the version\n"
          "\n"
          "Formats: varve, TensorFlow, Keras, safetensors, npy, npz, PyTorch, "
          "GGUF, HDF5; only\n"
          "read: ONNX, Flax, torch.distributed.\n"
          "\n"
          "Exit status: 0 success; 1 damage, differences or no match; 2 wrong "
          "usage; 3 cannot\n"
          "read or write; 4 not a checkpoint, or too damaged; 5 made by a "
          "newer varve.\n",
        to);
}

static int help(const struct settings *settings, const char *name)
{
    const struct command *command = name ? find_command(name) : NULL;
    if (command)
        print_command_help(command);
    else if (!name)
        print_help(stdout);
    else if (strcmp(name, "help") == 0)
        puts("varve help - show the help of a command\n"
             "\n"
             "usage: varve help [--man] [COMMAND]\n"
             "\n"
             "--man prints the manual page, for man -l -.");
    else if (strcmp(name, "version") == 0)
        puts("varve version - print the version\n\nusage: varve version");
    else
        return complain_unknown(settings, name);
    return OUTCOME_DONE;
}

/* Prints a manual page. */
static int manual(const struct settings *settings, const char *name)
{
    const struct command *command = name ? find_command(name) : NULL;
    if (name && !command)
        return complain_unknown(settings, name);
    if (command)
        print_manual(command);
    else
        print_manual_of_all(commands, COMMAND_COUNT);
    return OUTCOME_DONE;
}

static int version(void)
{
    printf("varve %s\n", VARVE_VERSION);
    if (strcmp(varve_version(), VARVE_VERSION) != 0)
        printf("library %s\n", varve_version());
    printf("built with %s\n", varve_built_with());
    return OUTCOME_DONE;
}

/* Limits writable private memory; mapped files do not count. */
static bool limit_memory(uint64_t size)
{
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit))
        return false;
    limit.rlim_cur =
        (rlim_t)size < limit.rlim_max ? (rlim_t)size : limit.rlim_max;
    return setrlimit(RLIMIT_DATA, &limit) == 0;
}

/* Loads the module for remote stores only if an argument is a path of one. */
static int reach_stores(
    const struct settings *settings, int count, char **words)
{
    varve_error error;
    bool is_asked = false;
    for (int i = 0; i < count; i++) {
        const char *value = strchr(words[i], '=');
        is_asked |= is_in_store(words[i]) ||
                    (*words[i] == '-' && value && is_in_store(value + 1));
    }
    if (!is_asked || !varve_remote_enable(NULL, &error))
        return OUTCOME_DONE;
    return complain_status(settings, "cannot read", NULL, &error);
}

static int run(const struct command *command, int argc, char **argv)
{
    int first;
    struct settings *settings = memory_allocate(1, command->options_size);
    int outcome = parse_options(command, argc, argv, settings, &first);
    if (outcome == OUTCOME_DONE && settings->help)
        outcome = help(settings, command->name);
    else if (outcome == OUTCOME_DONE && settings->max_memory &&
             !limit_memory(settings->max_memory))
        outcome = complain_usage(settings, "--max-memory: %s", strerror(errno));
    else if (outcome == OUTCOME_DONE)
        outcome = reach_stores(settings, argc, argv);
    if (settings->no_hdf5)
        varve_forbid_hdf5();
    if (outcome == OUTCOME_DONE && !settings->help)
        outcome = command->run(settings, argc - first, argv + first);
    free(settings);
    return outcome;
}

static bool is_one_of(const char *name, const char *const words[])
{
    for (; *words; words++) {
        if (strcmp(name, *words) == 0)
            return true;
    }
    return false;
}

static int dispatch(const struct settings *settings, int argc, char **argv)
{
    static const char *const helps[] = { "help", "--help", "-h", NULL };
    static const char *const versions[] = { "version", "--version", "-V",
        NULL };
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        print_help(stderr);
        return OUTCOME_USAGE;
    }
    bool wants_help = argc > 2 && is_one_of(argv[2], helps);
    if (is_one_of(name, helps) && argc > 2 && strcmp(argv[2], "--man") == 0)
        return manual(settings, argc > 3 ? argv[3] : NULL);
    if (is_one_of(name, helps))
        return help(settings, argc > 2 ? argv[2] : NULL);
    if (is_one_of(name, versions))
        return wants_help ? help(settings, "version") : version();
    const struct command *command = find_command(name);
    if (!command)
        return complain_unknown(settings, name);
    return run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    catch_interruption();
    const struct settings settings = { .json = requests_json(argc, argv) };
    int outcome = dispatch(&settings, argc, argv);
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return outcome;
    return complain(&settings,
        &(struct complaint){ .outcome = OUTCOME_FILE,
            .code = "SYSTEM",
            .what = "cannot write",
            .file = "standard output",
            .why = errno ? strerror(errno) : "an earlier write failed" });
}
