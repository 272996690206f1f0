/* tensor_text.h - Formats shapes and digests.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_TENSOR_TEXT_H
#define TOOL_TENSOR_TEXT_H

#include <varve/slice.h>
#include <varve/tensor.h>

enum { DIGEST_TEXT_SIZE = 33 };

/* Writes for example "[784,10]"; returns `text`. */
const char *shape_text(
    const varve_tensor *tensor, char text[VARVE_TENSOR_TEXT_SIZE]);

/* Writes for example "float32 [784,10]"; returns `text`. */
const char *type_text(
    const varve_tensor *tensor, char text[VARVE_TENSOR_TEXT_SIZE]);

/* Writes for example "part of [784,10] from [98,0] on"; returns `text`. */
enum { PART_TEXT_SIZE = 2 * VARVE_TENSOR_TEXT_SIZE + 32 };
const char *part_text(const varve_slice *part, char text[PART_TEXT_SIZE]);

/* Writes 32 hexadecimal digits, or "-" if all bytes are zero, as for formats
 * without digests; returns `text`. */
const char *digest_text(const uint8_t digest[16], char text[DIGEST_TEXT_SIZE]);

#endif
