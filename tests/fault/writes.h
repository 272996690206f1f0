/* writes.h - Declares the scenarios that write, for all tests that use them.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FAULT_WRITES_H
#define FAULT_WRITES_H

#include "fault/world.h"

extern const struct scenario first_write;   /* creates two directories */
extern const struct scenario overwrite;
extern const struct scenario write_beside;  /* does not replace a file */
extern const struct scenario unsynced;      /* without syncs */
extern const struct scenario numbered_save;

#endif
