/* keep.h - what the options say is kept.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_KEEP_H
#define TOOL_KEEP_H

#include <varve/manager.h>

#include "settings.h"

/* For a manager; what they leave open is as its ledger has it where `as_noted`.
 */
varve_manager_options keep_options(
    const struct settings *settings, bool as_noted);

/* Whether they say anything of what is kept. */
bool keep_is_given(const struct settings *settings);

#endif
