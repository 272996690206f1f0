/* units.h - Formats sizes and times.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_UNITS_H
#define TOOL_UNITS_H

#include <stdbool.h>
#include <stdint.h>

enum { UNITS_TEXT_SIZE = 32 };

/* Writes "784.0 KiB", "802.8 kB" or "802816", depending on the setting (default
 * UNITS_IEC); returns `text`. */
const char *size_text(
    unsigned units, uint64_t size, char text[UNITS_TEXT_SIZE]);

/* Parses "4096", "784 KiB", "2GiB" or "500MB". Returns false for any other
 * text, for 0 and for more than 64 bits. */
bool size_parse(const char *text, uint64_t *size);

/* Writes "2025-11-20T23:41:07Z" for seconds since 1970; returns `text`. */
const char *time_text(int64_t seconds, char text[UNITS_TEXT_SIZE]);

#endif
