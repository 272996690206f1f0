/* interruption.h - Handles SIGINT (Ctrl-C), SIGTERM and SIGHUP: removes
 * incomplete output, then ends the program by the signal.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_INTERRUPTION_H
#define TOOL_INTERRUPTION_H

#include <stdbool.h>

/* Installs the handlers, except for signals that the program ignores
 * (nohup). */
void catch_interruption(void);

/* Sets the file to remove if the program ends by a signal or by exit; NULL:
 * none. The string is borrowed until the next call. */
void interruption_removes(char *path);

/* While `waits` is true, the first signal is only recorded, because the library
 * cleans up its own files; a second signal ends the program. When `waits`
 * becomes false, the program ends if a signal was recorded. */
void interruption_waits(bool waits);
bool interrupted(void);

#endif
