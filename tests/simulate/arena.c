/* arena.c - Allocates from chunks that are filled in order, with lists of free
 * blocks by size.
 *
 * Under AddressSanitizer each block comes from malloc, so that a use after free
 * is detected.
 *
 * SPDX-License-Identifier: MIT
 */
#include "simulate/arena.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_POISON 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_POISON 1
#endif
#endif

enum { CHUNK = 1 << 20, CLASSES = 48, ALIGNMENT = 16 };

static void *must(void *memory)
{
    if (!memory) {
        perror("simulate");
        exit(2);
    }
    return memory;
}

#ifdef HAS_POISON

struct header {
    struct header *older, *newer;
};

static struct header head = { &head, &head };

void *arena_block(size_t size)
{
    struct header *h = must(calloc(1, sizeof *h + size));
    h->older = head.older;
    h->newer = &head;
    head.older->newer = h;
    head.older = h;
    return h + 1;
}

void *arena_take(size_t size)
{
    return arena_block(size);
}

void arena_give_back(void *block, size_t size)
{
    (void)size;
    struct header *h = (struct header *)block - 1;
    h->older->newer = h->newer;
    h->newer->older = h->older;
    free(h);
}

void arena_reset(void)
{
    while (head.newer != &head)
        arena_give_back(head.newer + 1, 0);
}

#else

struct chunk {
    struct chunk *next;
    size_t size;
    _Alignas(ALIGNMENT) char bytes[];
};

static struct chunk *chunks, *at;
static size_t used; /* used bytes of the current chunk */
static void *unused[CLASSES];

/* Large blocks have a chunk each, which is kept for the next schedule. */
static struct chunk *next_chunk(size_t size)
{
    struct chunk **link = at ? &at->next : &chunks;
    while (*link && (*link)->size < size)
        link = &(*link)->next;
    struct chunk *found = *link;
    if (!found) {
        size_t room = size > CHUNK ? size : CHUNK;
        found = must(malloc(sizeof *found + room));
        found->size = room;
    } else {
        *link = found->next;
    }
    struct chunk **place = at ? &at->next : &chunks;
    found->next = *place;
    *place = found;
    return found;
}

static void *take(size_t size)
{
    size = (size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!at || used + size > at->size) {
        at = next_chunk(size);
        used = 0;
    }
    void *taken = at->bytes + used;
    used += size;
    return taken;
}

void *arena_take(size_t size)
{
    return memset(take(size), 0, size);
}

/* Sizes are powers of two and the midpoints between them. */
static unsigned class_of(size_t size, size_t *room)
{
    unsigned class = 0;
    *room = 32;
    while (*room < size) {
        size_t middle = *room + *room / 2;
        if (middle >= size) {
            *room = middle;
            return class + 1;
        }
        *room *= 2;
        class += 2;
    }
    return class;
}

void *arena_block(size_t size)
{
    size_t room;
    unsigned class = class_of(size, &room);
    void *found = unused[class];
    if (!found)
        return take(room);
    memcpy(&unused[class], found, sizeof found);
    return found;
}

void arena_give_back(void *block, size_t size)
{
    size_t room;
    unsigned class = class_of(size, &room);
    memcpy(block, &unused[class], sizeof block);
    unused[class] = block;
}

void arena_reset(void)
{
    at = NULL;
    used = 0;
    memset(unused, 0, sizeof unused);
}

#endif
