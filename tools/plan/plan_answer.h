/* plan_answer.h - what varve plan says.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PLAN_ANSWER_H
#define TOOL_PLAN_ANSWER_H

#include <varve/reader.h>

#include "settings.h"
#include "suggest.h"
#include "trial.h"

struct plan_facts {
    const struct settings *settings;
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

/* Prints it, unless it is to be quiet; whether nothing is missing. */
bool plan_answer(const struct plan_facts *facts);

#endif
