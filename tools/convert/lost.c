/* lost.c - Prints lost values with path, size and damage.
 *
 * SPDX-License-Identifier: MIT
 */
#include "lost.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_out.h"
#include "memory.h"
#include "style.h"
#include "units.h"

void lost_add(void *user, const char *path, const char *what)
{
    struct lost *l = user;
    l->items = memory_grow(l->items, &l->capacity, l->count, sizeof *l->items);
    l->items[l->count++] = (struct lost_value){
        .path = memory_copy_text(path, strlen(path)),
        .what = memory_copy_text(what, strlen(what)),
    };
}

static uint64_t size_of(const varve_reader *source, const char *path)
{
    varve_saved_node node = { .size = 0 };
    return varve_reader_find(source, path, &node) ? node.size : 0;
}

void lost_print_damage(const char *damage)
{
    if (!damage)
        return;
    fputs("DAMAGED  ", stdout);
    print_clean(stdout, damage);
    putchar('\n');
}

void lost_print(const struct lost *l, const struct settings *settings,
    const varve_reader *source)
{
    char size[UNITS_TEXT_SIZE];
    for (size_t i = 0; i < l->count; i++) {
        const struct lost_value *v = &l->items[i];
        fputs("LOST  ", stdout);
        print_clean(stdout, *v->path ? v->path : "/");
        printf("  %s  ",
            size_text(settings->units, size_of(source, v->path), size));
        print_clean(stdout, v->what);
        putchar('\n');
    }
}

void lost_print_json(const struct lost *l, const varve_reader *source)
{
    for (size_t i = 0; i < l->count; i++) {
        const struct lost_value *v = &l->items[i];
        fputs(i ? ",\n{\"path\":" : "\n{\"path\":", stdout);
        json_print_text(stdout, v->path);
        printf(",\"size\":%" PRIu64 ",\"what\":", size_of(source, v->path));
        json_print_text(stdout, v->what);
        putchar('}');
    }
}

void lost_clear(struct lost *l)
{
    for (size_t i = 0; i < l->count; i++) {
        free(l->items[i].path);
        free(l->items[i].what);
    }
    free(l->items);
    *l = (struct lost){ .count = 0 };
}
