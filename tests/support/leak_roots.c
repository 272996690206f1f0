/* leak_roots.c - Keeps LeakSanitizer from scanning the static arrays of large
 * test programs at the end of each test.
 *
 * Some programs have 240 MB of static arrays, and each test is a process. The
 * scan took half of the time of such tests. Memory that is referenced only by a
 * static variable of such a program is reported as a leak.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/leak_roots.h"

#include "support/leaks.h"

#ifdef HAS_LSAN
#include <link.h>

/* LeakSanitizer calls this function before main(). */
const char *__lsan_default_options(void);
const char *__lsan_default_options(void)
{
    return "use_globals=0";
}

enum { LARGEST = 8 << 20 }; /* bytes of a segment that is scanned */

static int add_roots_of(struct dl_phdr_info *object, size_t size, void *data)
{
    (void)size;
    (void)data;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &object->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_W) &&
            part->p_memsz <= LARGEST)
            __lsan_register_root_region(
                (const void *)(object->dlpi_addr + part->p_vaddr),
                part->p_memsz);
    }
    return 0;
}

void add_leak_roots(void)
{
    dl_iterate_phdr(add_roots_of, NULL);
}
#else
void add_leak_roots(void)
{
}
#endif
