/* shrink.c - Reduces a failing program to a few lines. Each try runs in a child
 * process, so that crashes can be reduced too.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mix/place.h"
#include "mix/program.h"

enum { SECONDS = 20 };

static void be_silent(void)
{
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nothing >= 0)
        dup2(nothing, STDERR_FILENO);
}

static int run_in_child(const struct mix_program *program)
{
    int status = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (!program->traces)
            be_silent();
        alarm(SECONDS);
        mix_run(program);
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    mix_place_empty(program->place);
    return status;
}

bool mix_passes(const struct mix_program *program)
{
    if (!mix_failed_at)
        mix_failed_at = mmap(NULL, MIX_PLACE_SIZE, PROT_READ | PROT_WRITE,
            MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    mix_failed_at[0] = '\0'; /* a crash has no source location */
    return run_in_child(program) == 0;
}

/* Returns true if a program fails at the same location as the original. */
static char wanted[MIX_PLACE_SIZE];
static bool fails(
    const struct mix_program *how, const uint8_t *bytes, size_t size)
{
    struct mix_program program = *how;
    program.bytes = bytes;
    program.size = size;
    program.traces = false;
    return !mix_passes(&program) && strcmp(mix_failed_at, wanted) == 0;
}

/* Removes sequences of operations, long ones first. */
static size_t drop(uint8_t *bytes, size_t size, const struct mix_program *how)
{
    uint8_t fewer[MIX_PROGRAM];
    for (size_t run = size / 8 * 4; run >= 4; run = run / 8 * 4)
        for (size_t at = size / 4 * 4; at >= run;) {
            at -= run;
            if (at + run > size)
                continue;
            memcpy(fewer, bytes, at);
            memcpy(fewer + at, bytes + at + run, size - at - run);
            if (fails(how, fewer, size - run)) {
                size -= run;
                memcpy(bytes, fewer, size);
            }
        }
    return size;
}

static void simplify(uint8_t *bytes, size_t size, const struct mix_program *how)
{
    for (size_t i = 0; i < size; i++) {
        uint8_t was = bytes[i];
        if (i % 4 == 0 || was == 0)
            continue;
        bytes[i] = 0;
        if (!fails(how, bytes, size))
            bytes[i] = was;
    }
}

void mix_shrink(
    uint8_t bytes[MIX_PROGRAM], size_t size, const struct mix_program *how)
{
    size_t before;
    strcpy(wanted, mix_failed_at);
    do {
        before = size;
        size = drop(bytes, size, how);
        simplify(bytes, size, how);
    } while (size < before);
    struct mix_program program = *how;
    program.bytes = bytes;
    program.size = size;
    program.traces = true;
    run_in_child(&program);
    fputs("    bytes:", stderr);
    for (size_t i = 0; i < size; i++)
        fprintf(stderr, "%s%02x", i % 4 ? "" : " ", bytes[i]);
    fputc('\n', stderr);
}
