/* plan_answer.h - what varve plan says.
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
    const char *map;  /* NULL: none is written */
    const char *page; /* NULL: none */
    bool any_type;
    bool verbose;
};

struct plan_facts {
    const struct settings *settings;
    const struct plan_options *options;
    const varve_reader *source;
    const char *source_path;
    const char *program; /* the file that tells of it, its format, and the
                            path in it */
    const char *program_format;
    const char *program_path;
    const struct trial *before; /* without suggestions */
    const struct trial *after;  /* with them */
    const struct suggestions *suggestions;
};

/* In a few words, and in one. */
const char *how_text(enum how how);
const char *how_word(enum how how);

/* It rests on type and shape, and on no name that both sides have. */
bool how_is_guess(enum how how);

/* Prints it, unless it is to be quiet; whether nothing is missing. */
bool plan_answer(const struct plan_facts *facts);

#endif
