/* store_path.h - Handles paths of remote stores (varve/remote.h), which system
 * calls do not support.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_STORE_PATH_H
#define TOOL_STORE_PATH_H

#include <stdbool.h>

/* Returns true if a path begins with s3://, https:// or http://. */
bool is_in_store(const char *path);

/* Returns true for a path of a web server, to which nothing can be written. */
bool is_on_web(const char *path);

/* Returns the part after bucket or host, which can contain a ':' too; the whole
 * path if it is local. */
const char *behind_host(const char *path);

/* Returns a path for output: without user and query if it is a URL, because
 * they can contain secrets. The result is valid until a few further calls.
 * Returns NULL for NULL. */
const char *shown_path(const char *path);

/* Like shown_path, for all URLs in a text. */
const char *shown_text(const char *text);

#endif
