/* store_path.h - paths of stores (varve/remote.h), which the machine's own
 * calls know nothing of.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_STORE_PATH_H
#define TOOL_STORE_PATH_H

#include <stdbool.h>

/* Whether a path begins with s3://, https:// or http://. */
bool is_in_store(const char *path);

/* One of a web server, where nothing is written. */
bool is_on_web(const char *path);

/* What is behind bucket or host, where there may be a ':' too; of a path of
 * this machine all of it. */
const char *behind_host(const char *path);

/* A path as it is printed: of a URL without user and query, which may be as
 * good as a password. Valid until a few calls later. NULL of NULL. */
const char *shown_path(const char *path);

/* The same of all URLs in a text. */
const char *shown_text(const char *text);

#endif
