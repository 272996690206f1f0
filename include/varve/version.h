/* version.h - Reports the version and the build options of Varve.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_VERSION_H
#define VARVE_VERSION_H

#include <varve/types.h>

VARVE_BEGIN_DECLS

/* The version of these headers, at compile time. */
#define VARVE_VERSION_MAJOR 0
#define VARVE_VERSION_MINOR 2
#define VARVE_VERSION_PATCH 0
#define VARVE_VERSION "0.2.0"

/* Returns the version of the linked library, such as "0.2.0". The string is
 * static. */
VARVE_API const char *varve_version(void);

/* Returns the optional parts with which the library was built.
 *
 * The result is a static string of build options and libraries, by their names
 * in the build, separated by ','.
 *
 * A library that was built without `formats` returns VARVE_TOO_NEW for files in
 * other formats than Varve's own. A library that was built without `training`
 * or `manage` does not contain the functions of that part, so programs that
 * call them do not link. */
VARVE_API const char *varve_built_with(void);

VARVE_END_DECLS

#endif
