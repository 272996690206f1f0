/* remote_text.h - A growing text. The first failed allocation is recorded.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_TEXT_H
#define VV_REMOTE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

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

#endif
