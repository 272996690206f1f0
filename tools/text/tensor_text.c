/* tensor_text.c - Formats shapes and digests.
 *
 * SPDX-License-Identifier: MIT
 */
#include "tensor_text.h"

#include <stdio.h>
#include <string.h>

const char *shape_text(
    const varve_tensor *tensor, char text[VARVE_TENSOR_TEXT_SIZE])
{
    varve_tensor_text(tensor, text);
    const char *shape = strchr(text, '[');
    if (shape)
        memmove(text, shape, strlen(shape) + 1);
    return text;
}

const char *type_text(
    const varve_tensor *tensor, char text[VARVE_TENSOR_TEXT_SIZE])
{
    varve_tensor_text(tensor, text);
    char *shape = strchr(text, '[');
    if (shape && strlen(text) + 2 <= VARVE_TENSOR_TEXT_SIZE) {
        memmove(shape + 1, shape, strlen(shape) + 1);
        *shape = ' ';
    }
    return text;
}

const char *part_text(const varve_slice *part, char text[PART_TEXT_SIZE])
{
    char whole[VARVE_TENSOR_TEXT_SIZE], start[VARVE_TENSOR_TEXT_SIZE];
    const varve_tensor all = varve_view(NULL, VARVE_UINT8, part->shape);
    varve_tensor from = all;
    memcpy(from.shape, part->start, sizeof from.shape);
    snprintf(text, PART_TEXT_SIZE, "part of %s from %s on",
        shape_text(&all, whole), shape_text(&from, start));
    return text;
}

const char *digest_text(const uint8_t digest[16], char text[DIGEST_TEXT_SIZE])
{
    static const uint8_t none[16];
    for (int i = 0; i < 16; i++)
        sprintf(text + 2 * i, "%02x", digest[i]);
    return memcmp(digest, none, sizeof none) ? text : strcpy(text, "-");
}
