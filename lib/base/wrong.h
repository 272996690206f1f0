/* wrong.h - mistakes made on purpose, so that the tests can be tested.
 *
 *     if (!status && !VV_WRONG(file_not_synced))
 *         status = sync_file(...);
 *
 * In the library, VV_WRONG is the constant 0: a compiler leaves out what it
 * stands before. tests/wrong compiles the library again, for itself alone, so
 * that one mistake at a time happens there, and demands that a test notices.
 * Its table, tests/wrong/variants.txt, says what each name stands for.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_WRONG_H
#define VV_WRONG_H

#ifdef VARVE_WRONG_VARIANTS
#include <stdbool.h>
bool vv_is_wrong(const char *name);
#define VV_WRONG(name) vv_is_wrong(#name)
#else
#define VV_WRONG(name) 0
#endif

#endif
