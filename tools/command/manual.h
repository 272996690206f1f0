/* manual.h - pages of the manual, made from the tables of the commands.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_MANUAL_H
#define TOOL_MANUAL_H

#include "command.h"

/* varve-NAME.1, on standard output. */
void print_manual(const struct command *command);

/* varve.1: all of them, patterns, examples, how the program ends. */
void print_manual_of_all(const struct command *const *commands, size_t count);

#endif
