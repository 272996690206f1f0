/* normal.h - the inverse of the normal distribution function.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NORMAL_H
#define VV_NORMAL_H

/* How many standard deviations from the mean a normal number is that has the
 * probability `p` below it; p is above 0 and below 1. Sixteen digits, and the
 * same bits on every machine of IEEE doubles: no function of the C library but
 * sqrt is used, which is exact. */
double vv_normal_quantile(double p);

#endif
