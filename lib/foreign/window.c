/* window.c - Moves the window when it contains too few of the requested bytes.
 *
 * SPDX-License-Identifier: MIT
 */
#include "window.h"

#include "try.h"

varve_status vv_window_look(
    struct vv_window *w, uint64_t at, const unsigned char **bytes, size_t *size)
{
    uint64_t left = w->foreign->files[0].size - at;
    size_t wanted = left < VV_WINDOW_SIGHT ? (size_t)left : VV_WINDOW_SIGHT;
    /* If `at` is before the window, this wraps around to a large number. */
    uint64_t ahead = at - w->begin;
    if (ahead > w->size || w->size - ahead < wanted) {
        size_t room = left < sizeof w->bytes ? (size_t)left : sizeof w->bytes;
        w->size = 0;
        VV_TRY(vv_foreign_read(w->foreign, 0, w->bytes, room, at, w->error));
        w->begin = at;
        w->size = room;
        ahead = 0;
    }
    *bytes = w->bytes + ahead;
    *size = w->size - (size_t)ahead;
    return VARVE_OK;
}
