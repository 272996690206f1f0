/* command.h - what a command is. Its options are one table, from which both
 * parsing and help are made.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_COMMAND_H
#define TOOL_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "pattern.h"

/* How the program ends; more than 1 means that it could not answer. */
enum outcome {
    OUTCOME_DONE = 0,
    OUTCOME_NO = 1, /* the answer is no: damaged, no such path */
    OUTCOME_USAGE = 2,
    OUTCOME_FILE = 3,    /* cannot be read or written */
    OUTCOME_FOREIGN = 4, /* not a checkpoint, or too damaged to look into */
    OUTCOME_NEWER = 5,   /* made by a newer Varve */
    OUTCOME_INTERRUPTED = 130
};

/* Values of options that are one of several words; 0: not given. */
enum { UNITS_IEC = 1, UNITS_SI, UNITS_BYTES };
enum { SORT_PATH = 1, SORT_BYTES, SORT_OFFSET };
enum { WHEN_AUTO = 1, WHEN_ALWAYS, WHEN_NEVER };
enum { NAMES_PATH = 1, NAMES_GLOBAL };
enum { SVG_TREE = 1, SVG_ICICLE };

/* Destination formats, in the order of varve_format. */
#define FORMAT_WORDS "varve|tensorflow|tensorflow-names|safetensors|npy|npz"

enum { MOST_TEXTS = 256 };

/* An option that may be given several times. */
struct text_list {
    size_t count;
    bool overflow; /* there were more; nothing may be believed */
    const char *items[MOST_TEXTS];
};

/* What the options of a command said. */
struct settings {
    const struct command *command; /* NULL before one is chosen */
    bool help;
    bool json;
    bool flat;
    bool tsv;
    bool ascii;
    bool slots;
    bool force;
    bool quiet;
    bool dot;
    bool values;
    unsigned svg;
    unsigned units;
    unsigned sort;
    unsigned color;
    unsigned progress;
    unsigned names;
    uint64_t limit; /* UINT64_MAX: none */
    uint64_t depth; /* UINT64_MAX: not given */
    uint64_t threads;
    bool verbose;
    unsigned format; /* one more than the varve_format; 0: not given */
    uint64_t shard_size;
    const char *output;
    const char *only;
    const char *except;
    const char *rename_file;
    struct text_list renames;
    struct text_list casts;
    struct pattern_list patterns;
};

enum option_kind {
    OPTION_FLAG,    /* bool */
    OPTION_NUMBER,  /* uint64_t */
    OPTION_TEXT,    /* const char * */
    OPTION_TEXTS,   /* struct text_list */
    OPTION_SIZE,    /* uint64_t: a number, and a unit behind it */
    OPTION_WORD,    /* unsigned: one more than the position of the word in
                       `argument`, which is "[" before it if it may be left
                       out; then it is the first */
    OPTION_INCLUDE, /* a pattern */
    OPTION_EXCLUDE
};

struct option_row {
    const char *name;
    char letter; /* 0: none */
    enum option_kind kind;
    size_t place;         /* in struct settings */
    const char *argument; /* NULL: none */
    const char *help;
};

#define OPTION(name, letter, kind, field, argument, help)                      \
    {                                                                          \
        name, letter, kind, offsetof(struct settings, field), argument, help   \
    }
#define OPTION_JSON OPTION("json", 0, OPTION_FLAG, json, NULL, "print JSON")
#define OPTION_HELP                                                            \
    OPTION("help", 'h', OPTION_FLAG, help, NULL, "say what the command does")
#define OPTION_END                                                             \
    {                                                                          \
        NULL, 0, OPTION_FLAG, 0, NULL, NULL                                    \
    }

struct command {
    const char *name;
    const char *operands;
    const char *summary;
    const char *details; /* paragraphs below the options; may be NULL */
    const struct option_row *options; /* ends with OPTION_END */
    int least_operands;
    int most_operands;
    int (*run)(const struct settings *settings, int count, char **operands);
};

extern const struct command ls_command;
extern const struct command cat_command;
extern const struct command verify_command;
extern const struct command graph_command;
extern const struct command convert_command;

/* Fills `settings` from argv, whose first element is the command's name, and
 * moves operands to argv[*first]. OUTCOME_DONE, or OUTCOME_USAGE once it has
 * complained. */
int parse_options(const struct command *command, int argc, char **argv,
    struct settings *settings, int *first);

/* Whether --json is there: it decides how an error is told, wherever it
 * stands. */
bool asks_for_json(int argc, char **argv);

/* Help for one command, on standard output. */
void print_command_help(const struct command *command);

#endif
