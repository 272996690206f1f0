/* leaks.h - Defines HAS_LSAN if leaks are detected, with gcc and clang.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SUPPORT_LEAKS_H
#define SUPPORT_LEAKS_H

#if defined(__SANITIZE_ADDRESS__)
#define HAS_LSAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_LSAN 1
#endif
#endif
#ifdef HAS_LSAN
#include <sanitizer/lsan_interface.h>
#endif

#endif
