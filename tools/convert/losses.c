/* losses.c - Stores losses by kind. There are few kinds, so they are searched
 * linearly.
 *
 * SPDX-License-Identifier: MIT
 */
#include "losses.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "json_out.h"
#include "memory.h"
#include "style.h"

enum { FEW = 3, MOST_KINDS = 100 };

/* Returns the number of a kind, and adds it if it is new. After MOST_KINDS
 * kinds, all further ones are "other". */
static size_t kind_of(struct losses *l, const char *what)
{
    if (l->kind_count == MOST_KINDS)
        what = "other";
    for (size_t i = 0; i < l->kind_count; i++) {
        if (strcmp(l->kinds[i], what) == 0)
            return i;
    }
    l->kinds = memory_grow(
        l->kinds, &l->kind_capacity, l->kind_count, sizeof *l->kinds);
    l->kinds[l->kind_count] = memory_copy_text(what, strlen(what));
    return l->kind_count++;
}

void losses_add(void *user, const char *path, const char *what)
{
    struct losses *l = user;
    l->items = memory_grow(l->items, &l->capacity, l->count, sizeof *l->items);
    l->items[l->count++] =
        (struct loss){ .path = memory_copy_text(path, strlen(path)),
            .kind = kind_of(l, what) };
}

static void print_kind(const struct losses *l, size_t kind, bool all)
{
    size_t count = 0, shown = 0;
    for (size_t i = 0; i < l->count; i++)
        count += l->items[i].kind == kind;
    fputs("  ", stdout);
    print_clean(stdout, l->kinds[kind]);
    printf(" (%zu)", count);
    for (size_t i = 0; i < l->count && (all || shown < FEW); i++) {
        if (l->items[i].kind != kind)
            continue;
        fputs(all ? "\n    " : shown ? ", " : ": ", stdout);
        print_clean(stdout, *l->items[i].path ? l->items[i].path : "/");
        shown++;
    }
    puts(shown < count ? ", ..." : "");
}

void losses_print(const struct losses *l, bool all)
{
    if (l->count)
        puts("not carried over:");
    for (size_t kind = 0; kind < l->kind_count; kind++)
        print_kind(l, kind, all);
}

void losses_print_json(const struct losses *l)
{
    for (size_t i = 0; i < l->count; i++) {
        const char *what = l->kinds[l->items[i].kind];
        fputs(i ? ",\n{\"path\":" : "\n{\"path\":", stdout);
        json_print_text(stdout, l->items[i].path);
        fputs(",\"what\":", stdout);
        json_print_text(stdout, what);
        putchar('}');
    }
}

void losses_clear(struct losses *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->items[i].path);
    for (size_t i = 0; i < l->kind_count; i++)
        free(l->kinds[i]);
    free(l->items);
    free(l->kinds);
    *l = (struct losses){ .count = 0 };
}
