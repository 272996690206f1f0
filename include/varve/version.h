/* version.h - which Varve this is.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VARVE_VERSION_H
#define VARVE_VERSION_H

#include <varve/types.h>

VARVE_BEGIN_DECLS

/* The version of these headers. */
#define VARVE_VERSION_MAJOR 0
#define VARVE_VERSION_MINOR 2
#define VARVE_VERSION_PATCH 0
#define VARVE_VERSION "0.2.0"

/* The version of the library that is running. */
VARVE_API const char *varve_version(void);

/* What it was built with: options of the build and libraries, by their names
 * there, each followed by ',' but the last. A format that is not among them is
 * refused with VARVE_TOO_NEW, and the functions of `training`, `events`,
 * `manage` and `processes` are not there to be linked. */
VARVE_API const char *varve_built_with(void);

VARVE_END_DECLS

#endif
