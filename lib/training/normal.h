/* normal.h - Computes the inverse of the normal distribution function.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_NORMAL_H
#define VV_NORMAL_H

/* Returns the number of standard deviations from the mean below which a normal
 * random number is with probability `p`, where 0 < p < 1. Accurate to sixteen
 * digits, and equal to the last bit on every machine with IEEE doubles: the
 * only C library function it uses is sqrt, which is exact. */
double vv_normal_quantile(double p);

#endif
