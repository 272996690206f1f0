/* text.c - Reads a text and makes batches of its windows.
 *
 * SPDX-License-Identifier: MIT
 */
#include "text.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NOISE = 50 }; /* one of this many characters is replaced */

static bool grow(struct text *text, size_t *capacity)
{
    size_t larger = *capacity ? *capacity * 2 : 65536;
    unsigned char *codes = realloc(text->codes, larger);
    if (!codes)
        return false;
    text->codes = codes;
    *capacity = larger;
    return true;
}

static bool read_all(struct text *text, FILE *file)
{
    size_t capacity = 0;
    int character;
    while ((character = getc(file)) != EOF) {
        if (text->size == capacity && !grow(text, &capacity))
            return false;
        text->codes[text->size++] = text_code(character);
    }
    if (!ferror(file) && text->size <= CONTEXT)
        errno = EINVAL;
    return !ferror(file) && text->size > CONTEXT;
}

bool text_load(struct text *text, const char *path)
{
    *text = (struct text){ 0 };
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    bool good = read_all(text, file);
    int number = errno;
    fclose(file);
    if (!good)
        text_free(text);
    errno = number;
    return good;
}

void text_free(struct text *text)
{
    free(text->codes);
    *text = (struct text){ 0 };
}

unsigned char text_code(int character)
{
    if (character == '\n')
        return 0;
    if (character < 32 || character > 126)
        return 1;
    return (unsigned char)(character - 31);
}

char text_character(unsigned char code)
{
    return code == 0 ? '\n' : (char)(code + 31);
}

uint64_t text_hash(const struct text *text)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t i = 0; i < text->size; i++)
        hash = (hash ^ text->codes[i]) * 0x100000001b3u;
    return hash;
}

void batch_fill(
    struct batch *batch, const unsigned char *windows, varve_random *noise)
{
    for (size_t row = 0; row < BATCH; row++, windows += WINDOW) {
        unsigned char *context = batch->context + row * CONTEXT;
        memcpy(context, windows, CONTEXT);
        batch->next[row] = windows[CONTEXT];
        for (size_t i = 0; i < CONTEXT; i++) {
            if (varve_random_below(noise, NOISE) == 0)
                context[i] = (unsigned char)varve_random_below(noise, CODES);
        }
    }
}
