/* coroutine.c - Implements coroutines with ucontext.h for the start and then
 * longjmp, which needs no system call.
 *
 * AddressSanitizer requires an annotation of each change of the stack and
 * supports swapcontext only.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#undef _FORTIFY_SOURCE /* its longjmp refuses to switch to another stack */
#include "simulate/coroutine.h"

#include <setjmp.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#define HAS_FIBERS 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_FIBERS 1
#endif
#endif
#ifdef HAS_FIBERS
#include <sanitizer/common_interface_defs.h>
#endif

enum { STACK = 512 << 10, GUARD = 64 << 10 };

struct coroutine {
    struct coroutine *next; /* list of free coroutines */
    void (*function)(void *);
    void *argument;
    char *stack;
    bool has_begun;
#ifdef HAS_FIBERS
    ucontext_t context, outer;
    void *fake, *outer_fake;
    const void *outer_stack;
    size_t outer_size;
#else
    jmp_buf inside, outside;
#endif
};

static struct coroutine *unused;

static void stop(const char *what)
{
    perror(what);
    exit(2);
}

static struct coroutine *make(void)
{
    struct coroutine *c = calloc(1, sizeof *c);
    if (!c)
        stop("simulate: a coroutine");
    c->stack = mmap(NULL, STACK + GUARD, PROT_READ | PROT_WRITE,
        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (c->stack == MAP_FAILED || mprotect(c->stack, GUARD, PROT_NONE))
        stop("simulate: a stack");
    return c;
}

struct coroutine *coroutine_new(void (*function)(void *), void *argument)
{
    struct coroutine *c = unused ? unused : make();
    unused = c->next;
    c->next = NULL;
    c->function = function;
    c->argument = argument;
    c->has_begun = false;
    return c;
}

void coroutine_free(struct coroutine *c)
{
    if (!c)
        return;
    c->next = unused;
    unused = c;
}

/* makecontext only passes arguments of type int. */
static void begin(unsigned high, unsigned low)
{
    struct coroutine *c =
        (struct coroutine *)((uintptr_t)high << 16 << 16 | (uintptr_t)low);
#ifdef HAS_FIBERS
    __sanitizer_finish_switch_fiber(NULL, &c->outer_stack, &c->outer_size);
#endif
    c->function(c->argument);
    abort();
}

static void prepare(struct coroutine *c, ucontext_t *context)
{
    uintptr_t self = (uintptr_t)c;
    if (getcontext(context))
        stop("simulate: getcontext");
    context->uc_stack.ss_sp = c->stack + GUARD;
    context->uc_stack.ss_size = STACK;
    context->uc_link = NULL;
    makecontext(context, (void (*)(void))begin, 2,
        (unsigned)(self >> 16 >> 16), (unsigned)self);
}

#ifdef HAS_FIBERS

void coroutine_enter(struct coroutine *c)
{
    if (!c->has_begun) {
        c->has_begun = true;
        c->fake = NULL;
        prepare(c, &c->context);
    }
    __sanitizer_start_switch_fiber(&c->outer_fake, c->stack + GUARD, STACK);
    swapcontext(&c->outer, &c->context);
    __sanitizer_finish_switch_fiber(c->outer_fake, NULL, NULL);
}

void coroutine_leave(struct coroutine *c)
{
    __sanitizer_start_switch_fiber(&c->fake, c->outer_stack, c->outer_size);
    swapcontext(&c->context, &c->outer);
    __sanitizer_finish_switch_fiber(c->fake, &c->outer_stack, &c->outer_size);
}

#else

void coroutine_enter(struct coroutine *c)
{
    ucontext_t context;
    if (_setjmp(c->outside))
        return;
    if (c->has_begun)
        _longjmp(c->inside, 1);
    c->has_begun = true;
    prepare(c, &context);
    setcontext(&context);
}

void coroutine_leave(struct coroutine *c)
{
    if (!_setjmp(c->inside))
        _longjmp(c->outside, 1);
}

#endif
