/* text.h - a text as numbers, and batches of its windows to learn from.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_TEXT_H
#define SUPPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <varve/random.h>

enum {
    CODES = 96,           /* newline and printable ASCII; else a space */
    CONTEXT = 16,         /* characters seen before the next is guessed */
    WINDOW = CONTEXT + 1, /* those, and the one that follows */
    BATCH = 256           /* guesses in one step */
};

struct text {
    unsigned char *codes;
    size_t size; /* more than CONTEXT */
};

/* False if the file cannot be read or is too short; errno says why. */
bool text_load(struct text *text, const char *path);
void text_free(struct text *text);

/* A number that is another one for nearly every other text (FNV-1a). */
uint64_t text_hash(const struct text *text);

unsigned char text_code(int character);
char text_character(unsigned char code);

struct batch {
    unsigned char context[BATCH * CONTEXT];
    unsigned char next[BATCH]; /* what followed each context */
};

/* From BATCH windows that stand side by side. A few characters of the contexts
 * are replaced at random, so that the network cannot learn the text by
 * heart. */
void batch_fill(
    struct batch *batch, const unsigned char *windows, varve_random *noise);

#endif
