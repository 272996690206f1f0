/* plan_answer.h - Prints the result of varve plan.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PLAN_ANSWER_H
#define TOOL_PLAN_ANSWER_H

#include <varve/reader.h>

#include "renames.h"
#include "settings.h"
#include "suggest.h"
#include "trial.h"

struct plan_options {
    struct settings settings;
    const char *into;
    struct rename_options rename;
    struct text_list allow_missing;
    struct text_list allow_unexpected;
    const char *map;  /* or NULL */
    const char *page; /* or NULL */
    bool any_type;
    bool verbose;
};

struct plan_facts {
    const struct settings *settings;
    const struct plan_options *options;
    const varve_reader *source;
    const char *source_path;
    /* the file that describes the program, its format, and the path in it */
    const char *program;
    const char *program_format;
    const char *program_path;
    const struct trial *before; /* without suggestions */
    const struct trial *after;  /* with suggestions */
    const struct suggestions *suggestions;
};

/* Return a description of a few words, and one of one word. */
const char *how_text(enum how how);
const char *how_word(enum how how);

/* Returns true if a suggestion is based on type and shape only, and on no name
 * that both sides have. */
bool how_is_guess(enum how how);

/* Prints the result unless --quiet. Returns true if nothing is missing. */
bool plan_answer(const struct plan_facts *facts);

#endif
