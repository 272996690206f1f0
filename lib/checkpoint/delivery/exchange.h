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
    struct vv_move *moves; /* the staged ones lie in this order in `staging` */
    size_t count;
    const unsigned char *staging;
    size_t size;
    unsigned threads; /* as the options have it */
    bool is_last;     /* nobody wants the variables' older bytes any more, and
                         the staging has what it likes afterwards */
};

/* Exchanges the bytes of all staged moves with those of their variables. Doing
 * it again undoes it, unless it was the last. Cannot fail. */
void vv_exchange(const struct vv_exchange *exchange);

#endif
