/* numbered_name.h - Parses names of numbered files, such as "ckpt-12.varve".
 *
 * The library and the command `varve` use this parser for all such names:
 * checkpoints of a prefix, the ledger and other formats. It includes no other
 * header of the library, so that the command can compile it too.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NUMBERED_NAME_H
#define VV_NUMBERED_NAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Number of digits of a number that is padded with zeros. */
enum { VV_PADDED_DIGITS = 8 };

/* A name "STEM", a separator, "N" and an ending. */
struct vv_numbered_name {
    /* to read */
    size_t stem_size; /* bytes before the separator */
    uint64_t number;
    bool is_padded; /* with zeros, to VV_PADDED_DIGITS */
};

/* Parses a decimal without sign or leading zeros, as used for positions in
 * lists. Returns false for any other text and for numbers above 64 bits. */
bool vv_parse_decimal(const char *text, size_t size, uint64_t *value);

/* Like vv_parse_decimal; also accepts a decimal padded with zeros to
 * VV_PADDED_DIGITS. */
bool vv_parse_padded(
    const char *text, size_t size, uint64_t *value, bool *is_padded);

/* Returns true if a file name consists of a stem, which can be empty,
 * `separator`, a decimal as for vv_parse_padded, and `ending`. */
bool vv_numbered_name_parse(const char *name, char separator,
    const char *ending, struct vv_numbered_name *parsed);

#endif
