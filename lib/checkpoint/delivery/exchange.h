/* exchange.h - Exchanges staged values with the memory of their variables, on
 * all processors.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_EXCHANGE_H
#define VV_EXCHANGE_H

#include "move.h"

struct vv_exchange {
    /* to fill in */
    const struct vv_context *context;
    const struct vv_move *moves;
    size_t count;
    size_t size;      /* bytes of the staged values */
    unsigned threads; /* option `threads` */
    bool is_last;     /* the previous bytes are not needed; the contents of
                         the staging are undefined afterwards */
    bool is_undone;   /* in reverse order */
};

/* Exchanges the bytes of all staged moves with those of their variables, which
 * may share memory. Cannot fail. */
void vv_exchange(const struct vv_exchange *exchange);

#endif
