/* path_text.h - Parses paths as text: the number in a file name, and the scheme
 * and the secrets of a URL.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PATH_TEXT_H
#define VV_PATH_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* --- Numbered names ------------------------------------------------------- */

/* Parses names of numbered files, such as "ckpt-12.varve".
 *
 * The library and the command `varve` use this parser for all such names:
 * checkpoints of a prefix, the ledger and other formats. It includes no other
 * header of the library, so that the command can compile it too. */

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

/* --- URLs ----------------------------------------------------------------- */

/* Detects paths with a scheme, such as s3://bucket/key, and removes secrets
 * from them for messages. */

/* Returns the size of the "scheme://" with which a path begins (RFC 3986, 3.1);
 * 0 for a local path. */
size_t vv_url_scheme(const char *path);

/* Removes user, password, query and fragment from a path with a scheme, in
 * place, because each can contain a secret. "https://user:pw@host/x?sig=1"
 * becomes "https://host/x?". */
void vv_url_clean(char *path);

/* Like vv_url_clean, for each URL in a message, in place. A query ends at ": "
 * or at the end of its line, and everything up to there is removed. A '?'
 * before a space, a colon or a quote is unchanged, because that path was
 * cleaned already. */
void vv_url_clean_message(char *message);

#endif
