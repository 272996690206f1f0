/* manual.h - Generates manual pages from the tables of the commands.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_MANUAL_H
#define TOOL_MANUAL_H

#include "command.h"

/* Prints varve-NAME.1 on standard output. */
void print_manual(const struct command *command);

/* Prints varve.1: all commands, patterns, examples and exit statuses. */
void print_manual_of_all(const struct command *const *commands, size_t count);

#endif
