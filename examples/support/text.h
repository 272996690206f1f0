/* text.h - Provides a text as numbers, and batches of its windows for training.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_TEXT_H
#define SUPPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include <varve/random.h>

enum {
    CODES = 96,   /* newline and printable ASCII; all others are spaces */
    CONTEXT = 16, /* characters before the predicted one */
    WINDOW = CONTEXT + 1, /* the context and the next character */
    BATCH = 256           /* predictions in one step */
};

struct text {
    unsigned char *codes;
    size_t size; /* more than CONTEXT */
};

/* Returns false and sets errno if the file cannot be read or is too short. */
bool text_load(struct text *text, const char *path);
void text_free(struct text *text);

/* Returns a hash of the text (FNV-1a). */
uint64_t text_hash(const struct text *text);

unsigned char text_code(int character);
char text_character(unsigned char code);

struct batch {
    unsigned char context[BATCH * CONTEXT];
    unsigned char next[BATCH]; /* the character after each context */
};

/* Makes a batch of BATCH windows in contiguous memory. A few characters of the
 * contexts are replaced at random, so that the network cannot memorize the
 * text. */
void batch_fill(
    struct batch *batch, const unsigned char *windows, varve_random *noise);

#endif
