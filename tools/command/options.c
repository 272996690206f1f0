/* options.c - Parses options and prints help from the table of a command.
 *
 * SPDX-License-Identifier: MIT
 */
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "command.h"
#include "complaint.h"
#include "pattern.h"
#include "units.h"

enum { MOST_OPTIONS = 32, FIRST_LONG = 256, NAMES_WIDTH = 31 };

struct parser {
    char letters[2 * MOST_OPTIONS + 2];
    struct option longs[MOST_OPTIONS + 1];
};

static int argument_of(const struct option_row *row)
{
    if (!row->argument)
        return no_argument;
    return row->argument[0] == '[' ? optional_argument : required_argument;
}

static void build_parser(struct parser *p, const struct option_row *rows)
{
    char *letter = p->letters;
    *letter++ = ':';
    int i = 0;
    for (; rows[i].name && i < MOST_OPTIONS; i++) {
        p->longs[i] = (struct option){ .name = rows[i].name,
            .has_arg = argument_of(&rows[i]),
            .val = FIRST_LONG + i };
        if (!rows[i].letter)
            continue;
        *letter++ = rows[i].letter;
        if (rows[i].argument)
            *letter++ = ':';
    }
    *letter = '\0';
    p->longs[i] = (struct option){ .name = NULL };
}

static const struct option_row *row_of(const struct option_row *rows, int value)
{
    if (value >= FIRST_LONG)
        return &rows[value - FIRST_LONG];
    while (rows->letter != value)
        rows++;
    return rows;
}

static bool parse_number(const char *text, uint64_t *number)
{
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    unsigned long long value = strtoull(text, &end, 10);
    *number = value;
    return *end == '\0' && errno == 0;
}

/* Returns the position, from 1, of a word in "one|two|three"; 0 if it is not
 * there. */
static unsigned word_position(const char *words, const char *word)
{
    words += strspn(words, "[=");
    for (unsigned position = 1;; position++) {
        size_t size = strcspn(words, "|]");
        if (strlen(word) == size && memcmp(words, word, size) == 0)
            return position;
        if (words[size] != '|')
            return 0;
        words += size + 1;
    }
}

static void *field_of(const struct option_row *row, void *options)
{
    return (char *)options + row->place;
}

static bool add_text(struct text_list *list, const char *text)
{
    if (list->count == MOST_TEXTS)
        return false;
    list->items[list->count++] = text;
    return true;
}

/* Sets the defaults that are not 0. */
static void set_defaults(const struct option_row *rows, void *options)
{
    for (; rows->name; rows++) {
        if (rows->kind == OPTION_MOST)
            *(uint64_t *)field_of(rows, options) = UINT64_MAX;
    }
}

static bool apply(
    const struct option_row *row, const char *argument, void *options)
{
    void *field = field_of(row, options);
    switch (row->kind) {
    case OPTION_FLAG: *(bool *)field = true; return true;
    case OPTION_NUMBER:
        return parse_number(argument, field) && *(uint64_t *)field > 0;
    case OPTION_MOST: return parse_number(argument, field);
    case OPTION_TEXT: *(const char **)field = argument; return true;
    case OPTION_TEXTS: return add_text(field, argument);
    case OPTION_SIZE:
        return size_parse(argument, field) && *(uint64_t *)field > 0;
    case OPTION_WORD:
        *(unsigned *)field =
            argument ? word_position(row->argument, argument) : 1;
        return *(unsigned *)field != 0;
    case OPTION_INCLUDE: return pattern_add(field, argument, true);
    case OPTION_EXCLUDE: return pattern_add(field, argument, false);
    }
    return false;
}

static int bad_argument(const struct settings *settings,
    const struct option_row *row, const char *argument)
{
    if (row->kind == OPTION_TEXTS)
        return complain_usage(
            settings, "--%s: at most %d times", row->name, (int)MOST_TEXTS);
    if (row->kind == OPTION_INCLUDE || row->kind == OPTION_EXCLUDE)
        return complain_usage(
            settings, "at most %d patterns", (int)MOST_PATTERNS);
    if (row->kind == OPTION_SIZE)
        return complain_usage(settings,
            "--%s: must be a size such as 500MB or 2GiB, found '%s'", row->name,
            argument);
    const char *words = row->argument + strspn(row->argument, "[=");
    int size = (int)strcspn(words, "]");
    return complain_usage(settings, "--%s: must be %s%.*s%s, found '%s'",
        row->name,
        row->kind == OPTION_NUMBER || row->kind == OPTION_MOST ? "a number "
                                                               : "",
        size, words, row->kind == OPTION_NUMBER ? " of at least 1" : "",
        argument);
}

/* Prints an error about an option that getopt_long rejected: the letter, or
 * else the word. */
static int bad_option(const struct settings *settings, int value, char **argv)
{
    const char *why = value == ':' ? "needs an argument" : "is not an option";
    const char *word = optind > 0 ? argv[optind - 1] : "";
    if (value != ':' && optopt >= FIRST_LONG)
        why = "takes no argument";
    if (optopt > 0 && optopt < FIRST_LONG)
        return complain_usage(settings, "-%c %s", optopt, why);
    return complain_usage(settings, "%s %s", word, why);
}

bool requests_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--json") == 0 || strcmp(argv[i], "--jsonl") == 0)
            return true;
    }
    return false;
}

/* Returns OUTCOME_DONE if at most one format was requested. */
static int choose_form(struct settings *settings)
{
    bool json = settings->json && !settings->jsonl;
    settings->form = json                 ? FORM_JSON
                     : settings->jsonl    ? FORM_JSONL
                     : settings->markdown ? FORM_MARKDOWN
                     : settings->tsv      ? FORM_TSV
                                          : FORM_PEOPLE;
    if (json + settings->jsonl + settings->markdown + settings->tsv > 1)
        return complain_usage(settings,
            "--json, --jsonl, --markdown and --tsv exclude each other");
    return OUTCOME_DONE;
}

int parse_options(const struct command *command, int argc, char **argv,
    void *options, int *first)
{
    struct settings *settings = options;
    struct parser parser;
    build_parser(&parser, command->options);
    *settings = (struct settings){ .command = command,
        .json = requests_json(argc, argv) };
    set_defaults(command->options, options);
    opterr = 0;
    for (;;) {
        int value = getopt_long(argc, argv, parser.letters, parser.longs, NULL);
        if (value == -1)
            break;
        if (value == '?' || value == ':')
            return bad_option(settings, value, argv);
        const struct option_row *row = row_of(command->options, value);
        if (!apply(row, optarg, options))
            return bad_argument(settings, row, optarg);
    }
    *first = optind;
    int count = argc - optind;
    if (settings->help)
        return OUTCOME_DONE;
    int outcome = choose_form(settings);
    if (outcome != OUTCOME_DONE)
        return outcome;
    if (count < command->least_operands)
        return complain_usage(settings, "%s is required", command->operands);
    if (count > command->most_operands)
        return complain_usage(settings, "unexpected argument: '%s'",
            argv[optind + command->most_operands]);
    return OUTCOME_DONE;
}

static void print_option(const struct option_row *row)
{
    char text[128];
    char letter[8] = "    ";
    if (row->letter)
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    const char *between = !row->argument || row->argument[0] == '[' ? ""
                          : row->kind == OPTION_WORD                ? "="
                                                                    : " ";
    snprintf(text, sizeof text, "%s--%s%s%s", letter, row->name, between,
        row->argument ? row->argument : "");
    printf(strlen(text) > NAMES_WIDTH ? "  %s\n  %*s %s\n" : "  %s%*s %s\n",
        text,
        (int)(strlen(text) > NAMES_WIDTH ? NAMES_WIDTH
                                         : NAMES_WIDTH - strlen(text)),
        "", row->help);
}

void print_command_help(const struct command *command)
{
    printf("varve %s - %s\n\nusage: varve %s [options] %s\n\n", command->name,
        command->summary, command->name, command->operands);
    for (const struct option_row *row = command->options; row->name; row++)
        print_option(row);
    if (command->details)
        printf("\n%s", command->details);
}
