/* units.h - sizes and times for people.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_UNITS_H
#define TOOL_UNITS_H

#include <stdbool.h>
#include <stdint.h>

enum { UNITS_TEXT_SIZE = 32 };

/* "784.0 KiB", "802.8 kB" or "802816" by the setting (UNITS_IEC where it was
 * not given); returns `text`. */
const char *size_text(
    unsigned units, uint64_t size, char text[UNITS_TEXT_SIZE]);

/* Reads "4096", "784 KiB", "2GiB" or "500MB"; false for any other text, for 0
 * and for more than 64 bits hold. */
bool size_parse(const char *text, uint64_t *size);

/* "2025-11-20T23:41:07Z" from seconds since 1970; returns `text`. */
const char *time_text(int64_t seconds, char text[UNITS_TEXT_SIZE]);

#endif
