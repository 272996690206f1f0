/* convert.h - a conversion as a part of other commands.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_CONVERT_H
#define TOOL_CONVERT_H

#include "settings.h"

/* From operands[0] to operands[1], as the settings say, told under the name of
 * their command; an outcome. */
int convert_file(const struct settings *settings, char **operands);

#endif
