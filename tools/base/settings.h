/* settings.h - Values of the options that all commands share, and exit
 * statuses.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SETTINGS_H
#define TOOL_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Exit statuses. A status above 1 means that there is no answer. */
enum outcome {
    OUTCOME_DONE = 0,
    OUTCOME_NO = 1, /* the answer is no: damage, differences, no such path */
    OUTCOME_USAGE = 2,
    OUTCOME_FILE = 3,    /* cannot be read or written */
    OUTCOME_FOREIGN = 4, /* not a checkpoint, or too damaged to be opened */
    OUTCOME_NEWER = 5,   /* made by a newer Varve */
    OUTCOME_INTERRUPTED = 130
};

/* Values of options with a choice of words; 0: not given. */
enum { UNITS_IEC = 1, UNITS_SI, UNITS_BYTES };
enum { WHEN_AUTO = 1, WHEN_ALWAYS, WHEN_NEVER };

/* Output formats. */
enum form { FORM_PEOPLE, FORM_JSON, FORM_JSONL, FORM_MARKDOWN, FORM_TSV };

enum { MOST_TEXTS = 256 };

/* Values of an option that can be given several times. */
struct text_list {
    size_t count;
    const char *items[MOST_TEXTS];
};

/* Options for opening a checkpoint. */
struct opening {
    bool dots;
    bool follow_links;
    bool salvage;
};

/* The shared options. Each command has a struct with its own options after
 * it. */
struct settings {
    const struct command *command; /* NULL before one is chosen */
    bool help;
    enum form form; /* derived from the next four */
    bool json;      /* also true with --jsonl: errors are printed as JSON */
    bool jsonl;
    bool markdown;
    bool tsv;
    bool ascii;
    bool quiet;
    unsigned units;
    unsigned color;
    unsigned progress;
    bool no_hdf5;
    bool parents;        /* create the directory of the output */
    uint64_t max_memory; /* 0: unlimited */
    struct opening opening;
};

#endif
