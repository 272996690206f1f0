/* exchange.h - staged values and the variables' memory change places, on all
 * cores.
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
    size_t size;      /* of what is staged */
    unsigned threads; /* as the options have it */
    bool is_last;     /* nobody wants the variables' older bytes any more, and
                         the staging has what it likes afterwards */
    bool is_undone;   /* the other way around */
};

/* Exchanges the bytes of all staged moves with those of their variables, which
 * may share memory. Cannot fail. */
void vv_exchange(const struct vv_exchange *exchange);

#endif
