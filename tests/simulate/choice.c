/* choice.c - Draws choices by hashing, or finds them in a sorted list.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "simulate/choice.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "simulate/draw.h"

static uint64_t seed;
static struct choices *made;
static const struct choices *given;

static int compare(const void *left, const void *right)
{
    const struct choice *a = left, *b = right;
    if (a->task != b->task)
        return a->task < b->task ? -1 : 1;
    if (a->call != b->call)
        return a->call < b->call ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

void choices_draw(uint64_t from, struct choices *to)
{
    seed = from;
    made = to;
    made->count = 0;
    given = NULL;
}

void choices_replay(struct choices *those)
{
    if (those->count)
        qsort(those->all, those->count, sizeof *those->all, compare);
    given = those;
    made = NULL;
}

struct choices *choices_new(void)
{
    struct choices *made_here = mmap(NULL, sizeof *made_here,
        PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (made_here == MAP_FAILED) {
        perror("simulate: choices");
        exit(2);
    }
    return made_here;
}

unsigned choose(enum choice_kind kind, unsigned task, uint32_t call,
    unsigned rate, unsigned most)
{
    struct choice choice = {
        .kind = (uint8_t)kind, .task = (uint16_t)task, .call = call
    };
    if (given) {
        const struct choice *found = given->count
            ? bsearch(&choice, given->all, given->count, sizeof choice, compare)
            : NULL;
        return found && found->value <= most ? found->value : 0;
    }
    if (rate == 0 || most == 0)
        return 0;
    uint64_t hash = draw_mix(seed +
        draw_mix((uint64_t)kind << 56 | (uint64_t)task << 40 | call) +
        UINT64_C(0x9e3779b97f4a7c15));
    if ((hash & 1023) >= rate)
        return 0;
    choice.value = 1 + (uint32_t)((hash >> 32) * most >> 32);
    if (made->count < MOST_CHOICES)
        made->all[made->count++] = choice;
    return choice.value;
}
