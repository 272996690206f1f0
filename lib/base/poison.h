/* poison.h - Marks memory as inaccessible for AddressSanitizer.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef VV_POISON_H
#define VV_POISON_H

#include <stddef.h>

#if defined(__SANITIZE_ADDRESS__)
#define VV_HAS_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define VV_HAS_ASAN 1
#endif
#endif
#ifdef VV_HAS_ASAN
void __asan_poison_memory_region(const volatile void *address, size_t size);
void __asan_unpoison_memory_region(const volatile void *address, size_t size);
#else
#define __asan_poison_memory_region(address, size) ((void)(address))
#define __asan_unpoison_memory_region(address, size) ((void)(address))
#endif

#endif
