/* printed.h - Formats messages. All texts in messages pass through this
 * function.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PRINTED_H
#define VV_PRINTED_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* Like vsnprintf, for flags, width and precision in digits, "%.*s", the lengths
 * l, ll, h, hh, z, j and t, and the conversions d i u o x X c s e f g a p and
 * %; strings have no width. Removes secrets (vv_url_clean) from each string
 * argument that begins with a scheme, unless it is a message that was cleaned
 * already, which begins with "scheme://host/path?: "; then cleans the result as
 * a message. Returns true if the result fits in `room`. */
bool vv_print(char *to, size_t room, const char *format, va_list arguments);

#endif
