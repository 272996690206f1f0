/* command.h - Describes commands. The options of a command are one table, which
 * both the parser and the help use.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_COMMAND_H
#define TOOL_COMMAND_H

#include <stddef.h>

#include "settings.h"

enum option_kind {
    OPTION_FLAG,   /* bool */
    OPTION_NUMBER, /* uint64_t of at least 1; 0: not given */
    OPTION_MOST,   /* uint64_t; UINT64_MAX: not given */
    OPTION_TEXT,   /* const char * */
    OPTION_TEXTS,  /* struct text_list */
    OPTION_SIZE,   /* uint64_t: a number with a unit, more than 0 */
    /* unsigned: one more than the index of the word in `argument`, or 0. If
     * `argument` begins with "[", the word can be omitted, which selects the
     * first */
    OPTION_WORD,
    OPTION_INCLUDE, /* a pattern, added to a struct pattern_list */
    OPTION_EXCLUDE
};

struct option_row {
    const char *name;
    char letter; /* 0: none */
    enum option_kind kind;
    size_t place;         /* offset in the options of the command */
    const char *argument; /* NULL: none */
    const char *help;
};

#define OPTION_OF(options, name, letter, kind, field, argument, help)          \
    {                                                                          \
        name, letter, kind, offsetof(options, field), argument, help           \
    }

/* For a command, which defines OPTIONS as its struct of options. */
#define OPTION(...) OPTION_OF(OPTIONS, __VA_ARGS__)
#define OPTION_SHARED(...) OPTION_OF(struct settings, __VA_ARGS__)

/* Options of several commands. */
#define OPTION_FOLLOW_LINKS                                                    \
    OPTION_SHARED("follow-links", 0, OPTION_FLAG, opening.follow_links, NULL,  \
        "follow symbolic links that leave the directory")
#define OPTION_FOREIGN                                                         \
    OPTION_SHARED("dots", 0, OPTION_FLAG, opening.dots, NULL,                  \
        "treat dots in names of other formats as path separators"),            \
        OPTION_FOLLOW_LINKS
#define OPTION_JSON                                                            \
    OPTION_SHARED("json", 0, OPTION_FLAG, json, NULL, "print JSON")
#define OPTION_FORMS                                                           \
    OPTION_JSON,                                                               \
        OPTION_SHARED("jsonl", 0, OPTION_FLAG, jsonl, NULL,                    \
            "print one JSON object per item and line"),                        \
        OPTION_SHARED("markdown", 0, OPTION_FLAG, markdown, NULL,              \
            "print a Markdown table"),                                         \
        OPTION_SHARED(                                                         \
            "tsv", 0, OPTION_FLAG, tsv, NULL, "print a tab-separated table")
#define OPTION_PARENTS                                                         \
    OPTION_SHARED("parents", 0, OPTION_FLAG, parents, NULL,                    \
        "create the directory of the output")
#define OPTION_OUTPUT(path)                                                    \
    OPTION("output", 'o', OPTION_TEXT, path, "FILE", "write to FILE"),         \
        OPTION_PARENTS
#define OPTION_DEPTH                                                           \
    OPTION("depth", 0, OPTION_MOST, view.depth, "N",                           \
        "at most N levels below the root")
#define OPTION_PATTERNS(patterns)                                              \
    OPTION("include", 'I', OPTION_INCLUDE, patterns, "PAT",                    \
        "only paths that match PAT, and everything below them"),               \
        OPTION("exclude", 'X', OPTION_EXCLUDE, patterns, "PAT",                \
            "exclude these; the last matching pattern decides")
#define OPTION_SLOTS                                                           \
    OPTION("slots", 0, OPTION_FLAG, view.slots, NULL,                          \
        "show each slot variable in the tree")
#define OPTION_VALUES                                                          \
    OPTION("values", 0, OPTION_FLAG, view.values, NULL,                        \
        "only nodes with a value or with values below")
#define OPTION_ALL                                                             \
    OPTION("all", 'a', OPTION_FLAG, view.all, NULL,                            \
        "show TensorFlow bookkeeping nodes too")
#define OPTION_PROGRESS                                                        \
    OPTION_SHARED("progress", 0, OPTION_WORD, progress, "auto|always|never",   \
        "show a progress bar on standard error")
#define OPTION_UNITS                                                           \
    OPTION_SHARED(                                                             \
        "units", 0, OPTION_WORD, units, "iec|si|bytes", "how to print sizes")
#define OPTION_ASCII                                                           \
    OPTION_SHARED("ascii", 0, OPTION_FLAG, ascii, NULL, "draw with ASCII only")
#define OPTION_COLOR                                                           \
    OPTION_SHARED("color", 0, OPTION_WORD, color, "auto|always|never",         \
        "use colors (see also NO_COLOR)")
#define OPTION_KEEP                                                            \
    OPTION(                                                                    \
        "keep-last", 0, OPTION_NUMBER, keep.last, "N", "keep the newest N"),   \
        OPTION("keep-best", 0, OPTION_NUMBER, keep.best, "N",                  \
            "keep the N with the smallest metric"),                            \
        OPTION("greatest", 0, OPTION_FLAG, keep.greatest, NULL,                \
            "keep those with the greatest metric instead"),                    \
        OPTION("metric", 0, OPTION_TEXT, keep.metric, "NAME",                  \
            "name of the metric"),                                             \
        OPTION("keep-every-steps", 0, OPTION_NUMBER, keep.every_steps, "N",    \
            "keep the first at or after each multiple of N steps"),            \
        OPTION("keep-every-seconds", 0, OPTION_NUMBER, keep.every_seconds,     \
            "N", "keep one per interval of this length"),                      \
        OPTION("keep-bytes", 0, OPTION_SIZE, keep.bytes, "SIZE",               \
            "keep the newest, up to this total size")
#define OPTION_HELP                                                            \
    OPTION_SHARED(                                                             \
        "no-hdf5", 0, OPTION_FLAG, no_hdf5, NULL, "reject HDF5 files"),        \
        OPTION_SHARED("max-memory", 0, OPTION_SIZE, max_memory, "SIZE",        \
            "fail instead of using more than SIZE of memory"),                 \
        OPTION_SHARED("help", 'h', OPTION_FLAG, help, NULL, "print this help")
#define OPTION_END                                                             \
    {                                                                          \
        NULL, 0, OPTION_FLAG, 0, NULL, NULL                                    \
    }

struct command {
    const char *name;
    const char *operands;
    const char *summary;
    const char *details; /* paragraphs after the options; can be NULL */
    const struct option_row *options; /* terminated by OPTION_END */
    /* size of its struct, which begins with struct settings */
    size_t options_size;
    int least_operands;
    int most_operands;
    int (*run)(const void *options, int count, char **operands);
};

/* All commands, in the order of the help. Each is in the folder of its name. */
#define EACH_COMMAND(DO)                                                       \
    DO(log)                                                                    \
    DO(ls)                                                                     \
    DO(show)                                                                   \
    DO(stat)                                                                   \
    DO(cat)                                                                    \
    DO(verify)                                                                 \
    DO(repair)                                                                 \
    DO(repack)                                                                 \
    DO(prune)                                                                  \
    DO(pin)                                                                    \
    DO(unpin)                                                                  \
    DO(graph)                                                                  \
    DO(convert)                                                                \
    DO(diff)                                                                   \
    DO(plan)                                                                   \
    DO(completion)
#define DECLARE_COMMAND(name) extern const struct command name##_command;
EACH_COMMAND(DECLARE_COMMAND)

/* Fills `options`, zeroed memory of options_size bytes, from argv, whose first
 * element is the command's name, and moves the operands to argv[*first].
 * Returns OUTCOME_DONE, or prints an error and returns OUTCOME_USAGE. */
int parse_options(const struct command *command, int argc, char **argv,
    void *options, int *first);

/* Returns true if argv contains --json anywhere. It determines the format of
 * errors. */
bool requests_json(int argc, char **argv);

/* Prints the help for one command on standard output. */
void print_command_help(const struct command *command);

#endif
