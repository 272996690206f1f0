/* place.c - Creates and removes temporary directories.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "guest/place.h"

#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

bool place_enter(const char *base, char place[PLACE_SIZE])
{
    const char *there = base ? base : getenv("TMPDIR");
    snprintf(place, PLACE_SIZE, "%s/guest.XXXXXX", there ? there : "/tmp");
    return mkdtemp(place) && chdir(place) == 0;
}

static int remove_one(
    const char *path, const struct stat *status, int type, struct FTW *ftw)
{
    (void)status;
    (void)type;
    (void)ftw;
    return remove(path);
}

bool place_leave(const char *base, const char *place)
{
    return chdir(base ? base : "/") == 0 &&
           nftw(place, remove_one, 4, FTW_DEPTH | FTW_PHYS) == 0;
}
