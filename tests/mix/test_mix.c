/* test_mix.c - Tests thousands of random programs. A failing one is reduced and
 * printed.
 *
 *     test_mix [CORPUS] [--without NAME,...] [--seed NUMBER] [--count NUMBER]
 *     test_mix --program BYTES
 *
 * Each file of CORPUS is a program too.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "mix/place.h"
#include "mix/program.h"
#include "support/proof.h"

enum {
    USUAL = 1000,
    LONGER = 2000000,
    BATCH = 500,
    MOST_FAILURES = 4,
    TRIES = 20 /* retries of a failure that may depend on thread timing */
};

struct options {
    const char *corpus;
    const char *program;
    bool without[MIX_MOST_OPERATIONS];
    uint64_t seed;
    uint64_t count;
};

static char place[64];

/* Skips the named operations, or all others. */
static void leave_out(struct options *options, const char *names, bool others)
{
    char text[1024];
    for (unsigned i = 0; i < mix_operation_count; i++)
        options->without[i] |= others;
    snprintf(text, sizeof text, "%s", names);
    for (char *name = strtok(text, ","); name; name = strtok(NULL, ","))
        for (unsigned i = 0; i < mix_operation_count; i++)
            if (mix_operations[i].name &&
                strcmp(mix_operations[i].name, name) == 0)
                options->without[i] = !others;
}

static struct mix_program program_of(
    const struct options *options, const uint8_t *bytes, size_t size)
{
    return (struct mix_program){ bytes, size, place, false, options->without };
}

static bool run_one(const struct options *options, const char *what,
    uint8_t bytes[MIX_PROGRAM], size_t size, bool has_failed)
{
    struct mix_program program = program_of(options, bytes, size);
    bool passes = mix_passes(&program);
    for (int i = 1; i < TRIES && passes && has_failed; i++)
        passes = mix_passes(&program);
    if (passes && has_failed)
        fprintf(stderr, "%s failed once, and then no more\n", what);
    if (passes)
        return !has_failed;
    fprintf(stderr, "%s fails; reduced to:\n", what);
    mix_shrink(bytes, size, &program);
    return false;
}

/* --- Random programs ------------------------------------------------------ */

/* Runs a batch in a child, which records its current seed. Returns the number
 * of completed programs. */
static uint64_t run_batch(const struct options *options, uint64_t first,
    uint64_t count, volatile uint64_t *at)
{
    int status = 0;
    *at = 0;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (!freopen("/dev/null", "w", stderr))
            _exit(3);
        for (; *at < count; ++*at) {
            uint8_t bytes[MIX_PROGRAM];
            size_t size =
                mix_random_program(first + *at, bytes, options->without);
            struct mix_program program = program_of(options, bytes, size);
            alarm(60);
            mix_run(&program);
        }
        _exit(0);
    }
    if (child < 0 || waitpid(child, &status, 0) != child)
        abort();
    mix_place_empty(place);
    return *at;
}

static int run_random(const struct options *options)
{
    uint64_t *at = mmap(NULL, sizeof *at, PROT_READ | PROT_WRITE,
        MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int failures = 0;
    uint64_t done = 0;
    while (done < options->count && failures < MOST_FAILURES) {
        uint64_t count = options->count - done;
        if (count > BATCH)
            count = BATCH;
        uint64_t ran = run_batch(options, options->seed + done, count, at);
        done += ran;
        if (ran == count)
            continue;
        uint8_t bytes[MIX_PROGRAM];
        char what[64];
        size_t size =
            mix_random_program(options->seed + done, bytes, options->without);
        snprintf(what, sizeof what, "seed %llu",
            (unsigned long long)(options->seed + done));
        failures += !run_one(options, what, bytes, size, true);
        done++;
    }
    munmap(at, sizeof *at);
    proof_count("mix.programs", done);
    return failures;
}

/* --- Stored programs ------------------------------------------------------ */

static int run_kept(const struct options *options)
{
    struct dirent **entries;
    int failures = 0;
    int count = scandir(options->corpus, &entries, NULL, alphasort);
    for (int i = 0; i < count; i++) {
        char path[4096];
        uint8_t bytes[MIX_PROGRAM];
        snprintf(
            path, sizeof path, "%s/%s", options->corpus, entries[i]->d_name);
        FILE *file = entries[i]->d_name[0] == '.' ? NULL : fopen(path, "rb");
        free(entries[i]);
        if (!file)
            continue;
        size_t size = fread(bytes, 1, sizeof bytes, file);
        fclose(file);
        failures += !run_one(options, path, bytes, size, false);
    }
    if (count >= 0)
        free(entries);
    return failures;
}

static int run_given(const struct options *options)
{
    uint8_t bytes[MIX_PROGRAM];
    size_t size = 0;
    unsigned byte;
    for (const char *at = options->program; size < MIX_PROGRAM; size++) {
        at += strspn(at, " ");
        if (sscanf(at, "%2x", &byte) != 1)
            break;
        bytes[size] = (uint8_t)byte;
        at += 2;
    }
    struct mix_program program = program_of(options, bytes, size);
    program.traces = true;
    mix_run(&program);
    return 0;
}

static struct options options_of(int argc, char **argv)
{
    struct options options = { .seed = proof_seed(),
        .count = proof_size(USUAL, LONGER) };
    for (int i = 1, taken; i < argc; i += taken) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        taken = 2;
        if (strcmp(argv[i], "--without") == 0)
            leave_out(&options, value, false);
        else if (strcmp(argv[i], "--only") == 0)
            leave_out(&options, value, true);
        else if (strcmp(argv[i], "--seed") == 0)
            options.seed = strtoull(value, NULL, 0);
        else if (strcmp(argv[i], "--count") == 0)
            options.count = strtoull(value, NULL, 0);
        else if (strcmp(argv[i], "--program") == 0)
            options.program = value;
        else
            options.corpus = argv[i], taken = 1;
    }
    return options;
}

int main(int argc, char **argv)
{
    struct options options = options_of(argc, argv);
    int failures = 0;
    mix_place_make(place, sizeof place);
    if (options.program)
        failures = run_given(&options);
    else if (options.corpus)
        failures = run_kept(&options);
    if (!options.program)
        failures += run_random(&options);
    mix_place_remove(place);
    return failures != 0;
}
