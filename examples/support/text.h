/* text.h - a text as numbers, and batches of it to learn from.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_TEXT_H
#define SUPPORT_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "stream.h"

enum {
    CODES = 96,   /* newline and printable ASCII; all else reads as a space */
    CONTEXT = 16, /* characters the network sees before it guesses the next */
    BATCH = 256   /* guesses in one step */
};

struct text {
    unsigned char *codes;
    size_t size; /* more than CONTEXT */
};

/* False if the file cannot be read or is too short; errno says why. */
bool text_load(struct text *text, const char *path);
void text_free(struct text *text);

unsigned char text_code(int character);
char text_character(unsigned char code);

struct batch {
    unsigned char context[BATCH * CONTEXT];
    unsigned char next[BATCH]; /* what followed each context */
};

/* Takes the next BATCH places of the text. `position` jumps about in it and
 * meets every place once before it meets one twice. A few characters of the
 * contexts are replaced at random, so that the network cannot learn the text by
 * heart. */
void batch_draw(struct batch *batch, const struct text *text,
    uint64_t *position, struct stream *random);

#endif
