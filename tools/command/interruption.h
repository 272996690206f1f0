/* interruption.h - the end of the program by SIGINT (Ctrl-C), SIGTERM or
 * SIGHUP: what is half written is removed first, and the program then ends by
 * that signal.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_INTERRUPTION_H
#define TOOL_INTERRUPTION_H

#include <stdbool.h>

/* Handles these signals, but those that the program is to ignore (nohup). */
void catch_interruption(void);

/* The file that is removed if the program ends, by a signal or by exit; NULL:
 * none. The string is borrowed until the next call. */
void interruption_removes(char *path);

/* While it waits, the first signal is only noted, for what the library writes
 * and takes back itself; a second one ends the program. At the end of the wait
 * the program ends if one was noted. */
void interruption_waits(bool waits);
bool interrupted(void);

#endif
