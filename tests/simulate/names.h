/* names.h - Declares the calls of a simulated system that change names, list
 * them, or lock files.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_NAMES_H
#define SIMULATE_NAMES_H

#include "system.h"

int names_rename(
    void *state, int directory, const char *from, const char *to);
int names_rename_new(
    void *state, int directory, const char *from, const char *to);
int names_link(void *state, int directory, const char *from, const char *to);
int names_remove(void *state, int directory, const char *path);
int names_each(void *state, int number, vv_each_name *each, void *user);

int locks_take(void *state, int number);
int locks_share(void *state, int number);
int locks_release(void *state, int number);

#endif
