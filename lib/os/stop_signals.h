/* stop_signals.h - Sets a flag when SIGTERM or SIGINT arrives.
 *
 * Signals are global to the process, so these functions do not use struct
 * vv_system.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_STOP_SIGNALS_H
#define VV_STOP_SIGNALS_H

#include <stdatomic.h>
#include <stdbool.h>

/* Installs handlers that set the flag, for each of SIGTERM and SIGINT whose
 * action is the default. Signals that the program ignores or handles are left
 * alone. A second SIGINT ends the process, as by default. Returns false without
 * a change if another flag is installed in this process. */
bool vv_stop_signals_heed(atomic_bool *flag);

/* Restores the default actions, unless they were changed meanwhile. Call it
 * only after vv_stop_signals_heed returned true. */
void vv_stop_signals_leave(void);

#endif
