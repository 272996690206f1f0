/* settings.h - what the options said that any command may have, and how the
 * program ends.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SETTINGS_H
#define TOOL_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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
enum { WHEN_AUTO = 1, WHEN_ALWAYS, WHEN_NEVER };

/* How an answer is printed. */
enum form { FORM_PEOPLE, FORM_JSON, FORM_JSONL, FORM_MARKDOWN, FORM_TSV };

enum { MOST_TEXTS = 256 };

/* An option that may be given several times. */
struct text_list {
    size_t count;
    const char *items[MOST_TEXTS];
};

/* How a checkpoint is opened. */
struct opening {
    bool dots;
    bool follow_links;
    bool salvage;
};

/* What the options of any command may say; a command has its own beside it. */
struct settings {
    const struct command *command; /* NULL before one is chosen */
    bool help;
    enum form form; /* what these four say */
    bool json;      /* also with --jsonl: errors are told as JSON */
    bool jsonl;
    bool markdown;
    bool tsv;
    bool ascii;
    bool quiet;
    unsigned units;
    unsigned color;
    unsigned progress;
    bool no_hdf5;
    bool parents;        /* makes the directory that is written to */
    uint64_t max_memory; /* 0: what the system gives */
    struct opening opening;
};

#endif
