/* remote_text.c - A growing text, and percent-encoding.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_text.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static bool remote_text_has_room(struct vv_remote_text *t, size_t more)
{
    if (t->failed || more > SIZE_MAX / 4 - t->size)
        t->failed = true;
    if (t->failed || t->size + more < t->room)
        return !t->failed;
    size_t room = 2 * (t->size + more) + 64;
    char *at = realloc(t->at, room);
    t->failed = !at;
    if (at) {
        t->at = at;
        t->room = room;
    }
    return at != NULL;
}

void vv_remote_add_bytes(
    struct vv_remote_text *t, const char *text, size_t size)
{
    if (!remote_text_has_room(t, size))
        return;
    memcpy(t->at + t->size, text, size);
    t->size += size;
    t->at[t->size] = '\0';
}

void vv_remote_add(struct vv_remote_text *t, const char *text)
{
    vv_remote_add_bytes(t, text, strlen(text));
}

void vv_remote_add_encoded(
    struct vv_remote_text *t, const char *text, bool whole)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    static const char digits[] = "0123456789ABCDEF";
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        char coded[3] = { '%', digits[c >> 4], digits[c & 15] };
        if (strchr(plain, *text) || (*text == '/' && !whole))
            vv_remote_add_bytes(t, text, 1);
        else
            vv_remote_add_bytes(t, coded, sizeof coded);
    }
}

char *vv_remote_copy(const char *text)
{
    struct vv_remote_text copy = { .at = NULL };
    vv_remote_add(&copy, text);
    return vv_remote_take(&copy);
}

char *vv_remote_take(struct vv_remote_text *t)
{
    vv_remote_add_bytes(t, "", 0);
    char *at = t->at;
    if (t->failed) {
        free(at);
        at = NULL;
    }
    *t = (struct vv_remote_text){ .at = NULL };
    return at;
}
