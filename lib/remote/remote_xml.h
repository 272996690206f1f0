/* remote_xml.h - Parses the small part of XML that responses of stores use.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_XML_H
#define VV_REMOTE_XML_H

#include <stdbool.h>
#include <stddef.h>

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
