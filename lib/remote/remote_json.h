/* remote_json.h - Reads the parts of JSON that responses with credentials
 * contain.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_JSON_H
#define VV_REMOTE_JSON_H

/* Returns the first member with the given name and a string value, to be freed.
 * Returns NULL if there is none, the value contains non-ASCII characters, or
 * the text before it is not JSON. */
char *vv_remote_json_text(const char *json, const char *name);

#endif
