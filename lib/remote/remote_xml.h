/* remote_xml.h - as little of XML as the answers of a store have.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_XML_H
#define VV_REMOTE_XML_H

#include <stdbool.h>
#include <stddef.h>

/* The text of the next element of a name, "<Key>", cut off in place; NULL:
 * there is none. *at goes on behind it. */
char *vv_remote_next_element(char **at, const char *name);

/* The same of an element that has others in it: all of them, as one text. */
char *vv_remote_next_group(char **at, const char *name);

/* Copies the text of the only element of a name, with its entities decoded.
 * `text` stays as it is. False where there is no such element, or several, or
 * its text does not fit into `room` bytes or cannot be decoded. */
bool vv_remote_copy_element(
    const char *text, const char *name, char *to, size_t room);

/* Entities, in place. False where it has what a name of a file cannot. */
bool vv_remote_decode(char *text);

#endif
