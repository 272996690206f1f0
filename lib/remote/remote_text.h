/* remote_text.h - text that grows. The first failed allocation sticks.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_REMOTE_TEXT_H
#define VV_REMOTE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* All zero is an empty one. */
struct vv_remote_text {
    /* to read */
    char *at; /* with a NUL behind it; NULL while it is empty */
    size_t size;
    size_t room;
    bool failed;
};

void vv_remote_add(struct vv_remote_text *t, const char *text);
void vv_remote_add_bytes(
    struct vv_remote_text *t, const char *text, size_t size);

/* All but letters, digits and "-._~" as "%20"; with `whole` '/' too. */
void vv_remote_add_encoded(
    struct vv_remote_text *t, const char *text, bool whole);

/* What it came to, to be freed; NULL without memory. It is empty then. */
char *vv_remote_take(struct vv_remote_text *t);

/* Of a text, to be freed; NULL without memory. */
char *vv_remote_copy(const char *text);

#endif
