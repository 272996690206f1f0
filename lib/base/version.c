/* version.c - Returns the version of the library.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/version.h>

const char *varve_version(void)
{
    return VARVE_VERSION;
}

const char *varve_built_with(void)
{
    return VV_BUILT_WITH;
}
