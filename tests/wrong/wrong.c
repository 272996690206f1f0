/* wrong.c - Selects the mutation of this test run.
 *
 * SPDX-License-Identifier: MIT
 */
#include "wrong.h"

#include <stdlib.h>
#include <string.h>

bool vv_is_wrong(const char *name)
{
    const char *chosen = getenv("VARVE_WRONG");
    return chosen && strcmp(chosen, name) == 0;
}
