/* shrink.h - a schedule that fails loses what it can lose and still fail.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_SHRINK_H
#define SIMULATE_SHRINK_H

#include "simulate/run.h"

/* Runs a schedule in a child process: with the choices that are there, or,
 * where `draws`, with those of a seed, which are there then. What it found. */
enum finding_kind shrink_try(const struct schedule *schedule,
    struct choices *choices, bool draws, uint64_t seed, bool traces);

/* Makes a schedule smaller that fails with its own seed, and prints it with all
 * that happens in it to standard error. */
void shrink_and_print(const struct schedule *schedule);

#endif
