/* remote_xml.h - as little of XML as the answers of a store have.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_XML_H
#define VV_REMOTE_XML_H

#include <stdbool.h>

/* The text of the next element of a name, "<Key>", cut off in place; NULL:
 * there is none. *at goes on behind it. */
char *vv_remote_next_element(char **at, const char *name);

/* Entities, in place. False where it has what a name of a file cannot. */
bool vv_remote_decode(char *text);

#endif
