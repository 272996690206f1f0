/* stop_signals.h - what asks a program to end, as a flag: SIGTERM and SIGINT.
 *
 * Signals are the whole process's, so it calls no table of functions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STOP_SIGNALS_H
#define VV_STOP_SIGNALS_H

#include <stdatomic.h>
#include <stdbool.h>

/* From now on SIGTERM and SIGINT set the flag, each where it is as by default:
 * who ignores or handles one has said what it means. A second SIGINT ends the
 * process, as by default. False, and nothing happens, where somebody else in
 * the process has a flag set; one at a time. */
bool vv_stop_signals_heed(atomic_bool *flag);

/* As by default again, but for what somebody has changed since. Only by who
 * heeds. */
void vv_stop_signals_leave(void);

#endif
