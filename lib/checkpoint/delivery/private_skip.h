/* private_skip.h - what becomes of the parts of processes in a file
 * (own_part.h): those of others are left out, and where their number is another
 * one, what the options of the private node say.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_OWN_DELIVERY_STATE_H
#define VV_OWN_DELIVERY_STATE_H

#include "delivery.h"

/* Why a node of the file is not for this process. */
enum vv_private_skip {
    VV_OWN,        /* it is, as far as anybody knows */
    VV_OF_ANOTHER, /* as many processes as there are now: another has it */
    VV_LEFT,       /* another number, and dropped */
    VV_TO_FOLD,    /* another number, and handed to a callback */
    VV_FOLDED,     /* of a private node itself: that has been called */
};

/* Decides about a private node that stands for one of the file. What is below
 * others is left out by the next vv_leave_out_others, for all of them at once.
 */
void vv_decide_own(struct vv_delivery *d, varve_node *node, uint32_t file);
void vv_leave_out_others(struct vv_delivery *d);

enum vv_private_skip vv_private_skip(
    const struct vv_delivery *d, uint32_t file);

/* Why for people; NULL where it is own. */
const char *vv_not_own_text(const struct vv_delivery *d, uint32_t file);

/* Whether nothing below a private node is restored, as it says itself. */
bool vv_is_left_to_program(const struct vv_delivery *d, const varve_node *node);

/* Takes what is to be folded next; false: nothing is. `vv_put_fold` if that
 * fails; it finds room. */
bool vv_take_fold(struct vv_delivery *d, struct vv_pair *pair);
void vv_put_fold(struct vv_delivery *d, const struct vv_pair *pair);

#endif
