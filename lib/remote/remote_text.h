/* remote_text.h - A growing text, and the parts of JSON and XML that responses
 * of stores use.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_TEXT_H
#define VV_REMOTE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* --- Growing texts -------------------------------------------------------- */

/* A zeroed struct is an empty text. */
struct vv_remote_text {
    /* to read */
    char *at; /* NUL-terminated; NULL while it is empty */
    size_t size;
    size_t room;
    bool failed;
};

void vv_remote_add(struct vv_remote_text *t, const char *text);
void vv_remote_add_bytes(
    struct vv_remote_text *t, const char *text, size_t size);

/* Percent-encodes all characters except letters, digits and "-._~", and '/'
 * unless `whole`. */
void vv_remote_add_encoded(
    struct vv_remote_text *t, const char *text, bool whole);

/* Returns the text, to be freed, and empties `t`. Returns NULL if there was no
 * memory. */
char *vv_remote_take(struct vv_remote_text *t);

/* Returns a copy of a text, to be freed; NULL if there is no memory. */
char *vv_remote_copy(const char *text);

/* --- JSON ----------------------------------------------------------------- */

/* Reads the parts of JSON that responses with credentials contain. */

/* Returns the first member with the given name and a string value, to be freed.
 * Returns NULL if there is none, the value contains non-ASCII characters, or
 * the text before it is not JSON. */
char *vv_remote_json_text(const char *json, const char *name);

/* --- XML ------------------------------------------------------------------ */

/* Parses the small part of XML that responses of stores use. */

/* Returns the text of the next element with a name, such as "<Key>", terminated
 * in place; NULL if there is none. Moves *at behind it. */
char *vv_remote_next_element(char **at, const char *name);

/* Like vv_remote_next_element, for an element that contains others: returns all
 * of them as one text. */
char *vv_remote_next_group(char **at, const char *name);

/* Copies the text of the only element with a name, and decodes its entities.
 * Does not modify `text`. Returns false unless there is exactly one such
 * element, whose text can be decoded and fits in `room` bytes. */
bool vv_remote_copy_element(
    const char *text, const char *name, char *to, size_t room);

/* Decodes entities in place. Returns false if the text contains characters that
 * are invalid in file names. */
bool vv_remote_decode(char *text);

#endif
