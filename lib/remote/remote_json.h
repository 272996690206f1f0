/* remote_json.h - Reads the part of JSON that responses with credentials need.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_JSON_H
#define VV_REMOTE_JSON_H

/* The text of the first member of a name whose value is a string, to be freed.
 * NULL where there is none, it has characters other than ASCII, or the text
 * before it is no JSON. */
char *vv_remote_json_text(const char *json, const char *name);

#endif
