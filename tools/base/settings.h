/* settings.h - what the options of a command said, and how the program ends.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_SETTINGS_H
#define TOOL_SETTINGS_H

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

/* How an answer is printed. */
enum form { FORM_PEOPLE, FORM_JSON, FORM_JSONL, FORM_MARKDOWN, FORM_TSV };

/* Destination formats, in the order of varve_format. */
#define FORMAT_WORDS                                                           \
    "varve|tensorflow|tensorflow-names|safetensors|npy|npz|torch|gguf|hdf5"

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
    enum form form; /* what these four say */
    bool json;      /* also with --jsonl: errors are told as JSON */
    bool jsonl;
    bool markdown;
    bool tsv;
    bool flat;
    bool ascii;
    bool slots;
    bool force;
    bool quiet;
    bool salvage;
    bool dot;
    bool dots;
    bool no_hdf5;
    bool html;
    bool mermaid;
    bool values;
    bool strict;
    bool equal;
    bool any_type;
    bool nan_differs;
    bool all;
    bool full;
    bool statistics;
    bool histogram;
    unsigned svg;
    unsigned units;
    unsigned sort;
    unsigned color;
    unsigned progress;
    unsigned names;
    uint64_t limit; /* UINT64_MAX: none */
    uint64_t depth; /* UINT64_MAX: not given */
    uint64_t threads;
    uint64_t bins;      /* 0: not given */
    uint64_t width;     /* 0: not given */
    uint64_t precision; /* UINT64_MAX: not given */
    bool verbose;
    unsigned format; /* one more than the varve_format; 0: not given */
    uint64_t shard_size;
    uint64_t max_memory; /* 0: what the system gives */
    uint64_t compress;   /* a level; 0: not */
    const char *output;
    const char *page;
    const char *notes;
    const char *title;
    const char *slice;
    const char *tolerance;
    const char *into;
    const char *relative;
    const char *only;
    const char *except;
    const char *rename_file;
    const char *metric;
    bool greatest;
    bool noted;
    bool dry_run;
    uint64_t keep_last;
    uint64_t keep_best;
    uint64_t keep_every_steps;
    uint64_t keep_every_seconds;
    uint64_t keep_bytes;
    struct text_list renames;
    struct text_list casts;
    struct text_list allow_unfilled;
    struct text_list allow_unclaimed;
    struct pattern_list patterns;
};

#endif
