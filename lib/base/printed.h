/* printed.h - the one function through which texts come into messages.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_PRINTED_H
#define VV_PRINTED_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

/* As vsnprintf, of flags, width and precision in digits, "%.*s", the lengths l,
 * ll, h, hh, z, j and t, and the conversions d i u o x X c s e f g a p and %;
 * texts have no width. Each text among the arguments that begins with a scheme
 * is cleaned first (vv_url_clean) unless it is a message that was cleaned,
 * which begins with "scheme://host/path?: "; the result is cleaned as a
 * message. Returns whether `room` held all of it. */
bool vv_print(char *to, size_t room, const char *format, va_list arguments);

#endif
