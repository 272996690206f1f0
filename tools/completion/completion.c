/* completion.c - Implements varve completion: prints completion scripts for
 * shells, made from the tables of the commands.
 *
 * SPDX-License-Identifier: MIT
 */
#include <stdio.h>
#include <string.h>

#include "command.h"
#include "complaint.h"

static const struct option_row options[] = { OPTION_HELP, OPTION_END };

#define ADDRESS(name) &name##_command,
static const struct command *const commands[] = { EACH_COMMAND(ADDRESS) };

enum { COMMAND_COUNT = sizeof commands / sizeof *commands };

static bool is_word(const struct option_row *row)
{
    return row->kind == OPTION_WORD;
}

static bool wants_file(const struct option_row *row)
{
    return row->argument &&
           (strstr(row->argument, "FILE") || strstr(row->argument, "OUT"));
}

/* Prints the words of an option, separated by `between`. */
static void put_words(const struct option_row *row, char between)
{
    for (const char *at = row->argument + strspn(row->argument, "[=");
         *at && *at != ']'; at++)
        putchar(*at == '|' ? between : *at);
}

/* Prints text for the inside of '...' in a shell. */
static void put_quoted(const char *text, const char *escaped)
{
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", stdout);
        else if (strchr(escaped, *text))
            printf("\\%c", *text);
        else
            putchar(*text);
    }
}

/* --- bash --------------------------------------------------------------- */

static void put_bash_words(void)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        for (const struct option_row *row = commands[i]->options; row->name;
             row++) {
            if (!is_word(row))
                continue;
            printf("    '%s --%s') words='", commands[i]->name, row->name);
            put_words(row, ' ');
            fputs("' ;;\n", stdout);
        }
    }
}

static void put_bash_options(void)
{
    for (int i = 0; i < COMMAND_COUNT; i++) {
        printf("    %s) words='", commands[i]->name);
        for (const struct option_row *row = commands[i]->options; row->name;
             row++)
            printf("%s--%s", row == commands[i]->options ? "" : " ", row->name);
        fputs("' ;;\n", stdout);
    }
}

static void print_bash(void)
{
    fputs("# Completion of varve for bash, made by: varve completion bash\n"
          "_varve()\n{\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} option= words=\n"
          "    COMPREPLY=()\n"
          "    if [ \"$COMP_CWORD\" = 1 ]; then\n"
          "        COMPREPLY=($(compgen -W '",
        stdout);
    for (int i = 0; i < COMMAND_COUNT; i++)
        printf("%s ", commands[i]->name);
    fputs("help version' -- \"$word\"))\n"
          "        return\n    fi\n"
          "    if [ \"$word\" = = ]; then\n"
          "        option=${COMP_WORDS[COMP_CWORD-1]} word=\n"
          "    elif [ \"${COMP_WORDS[COMP_CWORD-1]}\" = = ]; then\n"
          "        option=${COMP_WORDS[COMP_CWORD-2]}\n"
          "    fi\n"
          "    case \"${COMP_WORDS[1]} $option\" in\n",
        stdout);
    put_bash_words();
    fputs("    esac\n"
          "    [[ -z $option && $word == -* ]] && case ${COMP_WORDS[1]} in\n",
        stdout);
    put_bash_options();
    fputs("    esac\n"
          "    [ -z \"$words\" ] || "
          "COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
          "}\ncomplete -o default -o bashdefault -F _varve varve\n",
        stdout);
}

/* --- zsh ---------------------------------------------------------------- */

static void put_zsh_option(const struct option_row *row)
{
    bool is_optional = row->argument && row->argument[0] == '[';
    if (row->letter)
        printf("'-%c[", row->letter);
    for (int i = row->letter ? 0 : 1; i < 2; i++) {
        if (i)
            printf("'--%s%s[", row->name,
                !row->argument ? ""
                : is_optional  ? "=-"
                               : "=");
        put_quoted(row->help, "[]:");
        putchar(']');
        if (row->argument && (i || !is_optional)) {
            fputs(is_optional ? "::" : ":", stdout);
            put_quoted(row->name, "");
            fputs(is_word(row)      ? ":("
                  : wants_file(row) ? ":_files"
                                    : ": ",
                stdout);
            if (is_word(row)) {
                put_words(row, ' ');
                putchar(')');
            }
        }
        fputs("' ", stdout);
    }
}

static void print_zsh(void)
{
    fputs("#compdef varve\n"
          "# Completion of varve for zsh, made by: varve completion zsh\n"
          "_varve() {\n  local -a names\n  names=(\n",
        stdout);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        printf("    '%s:", commands[i]->name);
        put_quoted(commands[i]->summary, ":");
        fputs("'\n", stdout);
    }
    fputs("    'help:what a command does'\n    'version:which varve this is'\n"
          "  )\n"
          "  if (( CURRENT == 2 )); then\n    _describe command names\n"
          "    return\n  fi\n"
          "  local name=$words[2]\n  shift words\n  (( CURRENT-- ))\n"
          "  case $name in\n",
        stdout);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        printf("  %s) _arguments ", commands[i]->name);
        for (const struct option_row *row = commands[i]->options; row->name;
             row++)
            put_zsh_option(row);
        fputs("'*:file:_files' ;;\n", stdout);
    }
    fputs("  *) _files ;;\n  esac\n}\n"
          "if [ \"$funcstack[1]\" = _varve ]; then\n  _varve \"$@\"\nelse\n"
          "  compdef _varve varve\nfi\n",
        stdout);
}

/* --- fish --------------------------------------------------------------- */

static void put_fish_option(const char *name, const struct option_row *row)
{
    printf("complete -c varve -n '__fish_seen_subcommand_from %s' -l %s", name,
        row->name);
    if (row->letter)
        printf(" -s %c", row->letter);
    if (is_word(row)) {
        fputs(" -x -a '", stdout);
        put_words(row, ' ');
        putchar('\'');
    } else if (row->argument) {
        fputs(wants_file(row) ? " -r -F" : " -x", stdout);
    }
    fputs(" -d '", stdout);
    put_quoted(row->help, "\\");
    fputs("'\n", stdout);
}

static void print_fish(void)
{
    fputs("# Completion of varve for fish, made by: varve completion fish\n",
        stdout);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        printf("complete -c varve -f -n __fish_use_subcommand -a %s -d '",
            commands[i]->name);
        put_quoted(commands[i]->summary, "\\");
        fputs("'\n", stdout);
    }
    fputs("complete -c varve -f -n __fish_use_subcommand -a help -d 'what a "
          "command does'\n"
          "complete -c varve -f -n __fish_use_subcommand -a version -d 'which "
          "varve this is'\n",
        stdout);
    for (int i = 0; i < COMMAND_COUNT; i++) {
        for (const struct option_row *row = commands[i]->options; row->name;
             row++)
            put_fish_option(commands[i]->name, row);
    }
}

static int run(const void *settings, int count, char **operands)
{
    static const struct {
        const char *name;
        void (*print)(void);
    } shells[] = { { "bash", print_bash }, { "zsh", print_zsh },
        { "fish", print_fish } };
    (void)count;
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
        if (strcmp(operands[0], shells[i].name) == 0) {
            shells[i].print();
            return OUTCOME_DONE;
        }
    }
    return complain_usage(settings,
        "the shell must be bash, zsh or fish, found '%s'", operands[0]);
}

const struct command completion_command = {
    .name = "completion",
    .operands = "bash|zsh|fish",
    .summary = "print a completion script for a shell",
    .details = "Prints a completion script for one shell. An installation "
               "includes the scripts;\n"
               "otherwise\n"
               "\n"
               "    source <(varve completion bash)\n"
               "    varve completion fish | source\n"
               "\n"
               "activates completion in the current shell. For zsh, write the "
               "script to a file\n"
               "_varve in a directory of $fpath.\n",
    .options = options,
    .options_size = sizeof(struct settings),
    .least_operands = 1,
    .most_operands = 1,
    .run = run,
};
