/* leak_roots.h - Keeps LeakSanitizer from scanning the static arrays of
 * large test programs.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_LEAK_ROOTS_H
#define SUPPORT_LEAK_ROOTS_H

/* Called at the start of a test program, and before its end for libraries that
 * were loaded meanwhile. A library may be added twice. */
void add_leak_roots(void);

#endif
