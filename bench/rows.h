/* rows.h - Declares the benchmarks, each of which prints one or more rows.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef BENCH_ROWS_H
#define BENCH_ROWS_H

#include "measure.h"

void bench_save(const struct wishes *wishes);       /* P1 */
void bench_restore(const struct wishes *wishes);    /* P3, P4 */
void bench_background(const struct wishes *wishes); /* P5 */
void bench_changed(const struct wishes *wishes);    /* P6 */
void bench_small(const struct wishes *wishes);      /* P7 */
void bench_nodes(const struct wishes *wishes);      /* P8 */
void bench_snapshot(const struct wishes *wishes);   /* P9 */
void bench_memory(const struct wishes *wishes);     /* P11 */
void bench_cold(const struct wishes *wishes);       /* P12 */
void bench_compressed(const struct wishes *wishes); /* P13 */
void bench_views(const struct wishes *wishes);      /* P14 */
void bench_foreign(const struct wishes *wishes);    /* P15 */
void bench_resume(const struct wishes *wishes);     /* P16 */
void bench_structs(const struct wishes *wishes);    /* P17 */
void bench_levels(const struct wishes *wishes);     /* P18 */
void bench_growth(const struct wishes *wishes);     /* G */

#endif
