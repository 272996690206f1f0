/* page_out.h - Prints numbers and strings as JSON that is safe in HTML.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_OUT_H
#define TOOL_PAGE_OUT_H

#include <stdint.h>
#include <stdio.h>

/* Prints a comma unless `index` is 0. */
void page_out_comma(FILE *to, size_t index);

void page_out_number(FILE *to, uint64_t number);

/* Prints a number that reads back as the same; `null` if it is not finite. */
void page_out_real(FILE *to, double number);

/* Prints a JSON string; 0 for NULL. Escapes characters with a meaning in HTML,
 * terminal control characters, and those that change the direction of text.
 * Replaces invalid UTF-8 by U+FFFD. */
void page_out_text(FILE *to, const char *text);

#endif
