/* saver_save.h - saving and restoring by name are public (varve/saver.h).
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_SAVER_SAVE_H
#define VV_SAVER_SAVE_H

#include <varve/saver.h>

#endif
