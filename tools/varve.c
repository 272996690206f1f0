/* varve.c - the command line tool: which command, help, version.
 *
 * SPDX-License-Identifier: MIT
 */
#include <errno.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include <varve/version.h>

#include "complaint.h"
#include "output.h"

static const struct command *const commands[] = { &ls_command, &cat_command,
    &verify_command, &graph_command, &convert_command };

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < COMMAND_COUNT; i++) {
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    }
    return NULL;
}

static void print_help(FILE *to)
{
    fputs("varve - look into checkpoints, and convert them\n\n"
          "usage: varve COMMAND [options] FILE ...\n\n",
        to);
    for (size_t i = 0; i < COMMAND_COUNT; i++)
        fprintf(to, "  %-8s %s\n", commands[i]->name, commands[i]->summary);
    fputs("  help     what a command does: varve help COMMAND\n"
          "  version  which varve this is\n\n"
          "It ends with 0: done; 1: the answer is no; 2: wrong usage; 3: "
          "cannot read or\nwrite; 4: not a checkpoint, or too damaged; 5: made "
          "by a newer varve.\n",
        to);
}

static int unknown_command(const char *name)
{
    struct settings none = { .command = NULL };
    return complain_usage(&none, "'%s' is not a command", name);
}

static int help(const char *name)
{
    const struct command *command = name ? find_command(name) : NULL;
    if (name && !command)
        return unknown_command(name);
    if (command)
        print_command_help(command);
    else
        print_help(stdout);
    return OUTCOME_DONE;
}

static int version(void)
{
    printf("varve %s\n", VARVE_VERSION);
    if (strcmp(varve_version(), VARVE_VERSION) != 0)
        printf("library %s\n", varve_version());
    return OUTCOME_DONE;
}

static int run(const struct command *command, int argc, char **argv)
{
    struct settings settings;
    int first;
    int outcome = parse_options(command, argc, argv, &settings, &first);
    if (outcome != OUTCOME_DONE)
        return outcome;
    if (settings.help)
        return help(command->name);
    return command->run(&settings, argc - first, argv + first);
}

static int dispatch(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : NULL;
    if (!name) {
        print_help(stderr);
        return OUTCOME_USAGE;
    }
    if (strcmp(name, "help") == 0 || strcmp(name, "--help") == 0 ||
        strcmp(name, "-h") == 0)
        return help(argc > 2 ? argv[2] : NULL);
    if (strcmp(name, "version") == 0 || strcmp(name, "--version") == 0)
        return version();
    const struct command *command = find_command(name);
    if (!command)
        return unknown_command(name);
    return run(command, argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
    setlocale(LC_CTYPE, "");
    catch_interruption();
    int outcome = dispatch(argc, argv);
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return outcome;
    fprintf(stderr, "varve: cannot write: standard output: %s\n",
        errno ? strerror(errno) : "an earlier write failed");
    return OUTCOME_FILE;
}
