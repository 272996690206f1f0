/* page_out.h - numbers and strings as JSON that is at home in HTML.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_PAGE_OUT_H
#define TOOL_PAGE_OUT_H

#include <stdint.h>
#include <stdio.h>

/* A comma but for the first of a list. */
void page_out_comma(FILE *to, size_t index);

void page_out_number(FILE *to, uint64_t number);

/* A number that reads back as the same; `null` for what is not finite. */
void page_out_real(FILE *to, double number);

/* A JSON string; 0 for NULL. What means something to HTML, steers a terminal or
 * turns the direction of writing is escaped; bytes that are not UTF-8 become
 * U+FFFD. */
void page_out_text(FILE *to, const char *text);

#endif
