/* version.c - which library is running.
 *
 * SPDX-License-Identifier: MIT
 */
#include <varve/version.h>

const char *varve_version(void)
{
    return VARVE_VERSION;
}
