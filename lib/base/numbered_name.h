/* numbered_name.h - Parses names of numbered files, such as "ckpt-12.varve".
 *
 * It is the one parser of such names: of the checkpoints of a prefix, of the
 * ledger, of other formats, and of the command `varve`, which compiles this
 * file too. It includes no other header of the library for that reason.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NUMBERED_NAME_H
#define VV_NUMBERED_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Digits of a number that is padded with zeros. */
enum { VV_PADDED_DIGITS = 8 };

/* A name "STEM", a separator, "N" and an ending. */
struct vv_numbered_name {
    /* to read */
    size_t stem_size; /* bytes before the separator */
    uint64_t number;
    bool is_padded; /* with zeros to VV_PADDED_DIGITS */
};

/* The value of a decimal without sign or leading zero, as positions in lists
 * are named; false for any other text, and for what 64 bits do not hold. */
bool vv_parse_decimal(const char *text, size_t size, uint64_t *value);

/* The same of a decimal that may be padded with zeros to VV_PADDED_DIGITS. */
bool vv_parse_padded(
    const char *text, size_t size, uint64_t *value, bool *is_padded);

/* Returns whether a bare name is a stem, which may be empty, `separator`, a
 * decimal as vv_parse_padded parses it, and `ending`. */
bool vv_numbered_name_parse(const char *name, char separator,
    const char *ending, struct vv_numbered_name *parsed);

#endif
