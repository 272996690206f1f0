/* test_fuzz.c - Runs the corpus and a number of its mutations as a plain test,
 * without a fuzzer or test framework.
 *
 *     test_fuzz CORPUS [FILE...]
 *
 * CORPUS has a folder for each target. FILEs are passed to every target.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "fuzz/fuzz.h"
#include "fuzz/mutate.h"
#include "support/proof.h"

enum { MOST_BYTES = 64 * 1024, USUAL = 20000, LONGER = 1000000 };

struct input {
    uint8_t *bytes;
    size_t size;
};

static const struct {
    const char *name;
    fuzz_target *run;
} targets[] = {
    { "bundle", fuzz_bundle },
    { "bundle_entries", fuzz_bundle_entries },
    { "dcp", fuzz_dcp },
    { "flax", fuzz_flax },
    { "gguf", fuzz_gguf },
    { "index", fuzz_index },
    { "keras", fuzz_keras },
    { "layers", fuzz_layers },
    { "npy", fuzz_npy },
    { "npz", fuzz_npz },
    { "onnx", fuzz_onnx },
    { "reader", fuzz_reader },
    { "restore", fuzz_restore },
    { "rewrite", fuzz_rewrite },
    { "safetensors", fuzz_safetensors },
    { "safetensors_index", fuzz_safetensors_index },
    { "torch", fuzz_torch },
};

enum { TARGETS = sizeof targets / sizeof *targets };

static struct input inputs[TARGETS * 4096];
static size_t input_count;
static uint64_t ran;

/* The message of a crashing target does not contain the name of the input; this
 * text does. */
static char running[512];
static uint64_t running_seed;

static void run(size_t target, const struct input *input)
{
    fuzz_run(targets[target].run, input->bytes, input->size);
    ran++;
}

static struct input read_input(const char *path)
{
    struct input input = { .bytes = malloc(1) };
    FILE *file = fopen(path, "rb");
    FUZZ_CHECK(file && fseek(file, 0, SEEK_END) == 0, "%s", path);
    input.size = (size_t)ftell(file);
    input.bytes = realloc(input.bytes, input.size + !input.size);
    rewind(file);
    FUZZ_CHECK(fread(input.bytes, 1, input.size, file) == input.size, "%s",
        path);
    fclose(file);
    return input;
}

static void run_file(size_t target, const char *path)
{
    struct input input = read_input(path);
    snprintf(running, sizeof running, "%s", path);
    run(target, &input);
    FUZZ_CHECK(input_count < sizeof inputs / sizeof *inputs, "too many files");
    inputs[input_count++] = input;
}

static void run_folder(size_t target, const char *corpus)
{
    char folder[2048], path[4096];
    snprintf(folder, sizeof folder, "%s/%s", corpus, targets[target].name);
    struct dirent **entries;
    int count = scandir(folder, &entries, NULL, alphasort);
    FUZZ_CHECK(count > 2, "%s: there is no corpus", folder);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
        if (entries[i]->d_name[0] != '.')
            run_file(target, path);
        free(entries[i]);
    }
    free(entries);
}

/* Each mutation starts from a file of any target and may be mutated again. */
static void run_mutations(size_t target, uint64_t count)
{
    static uint8_t bytes[MOST_BYTES];
    size_t size = 0;
    uint64_t random = proof_seed() + target;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t seed = running_seed = proof_next(&random);
        const struct input *from = &inputs[seed % input_count];
        if ((size == 0 || seed >> 32 & 3) && from->size <= MOST_BYTES / 2) {
            size = from->size;
            memcpy(bytes, from->bytes, size);
        }
        size = mutate(bytes, size, sizeof bytes, seed, mutate_plainly);
        /* allocated exactly, so that reads past the end are detected */
        uint8_t *exactly = malloc(size + !size);
        memcpy(exactly, bytes, size);
        struct input input = { exactly, size };
        run(target, &input);
        free(exactly);
        if (size > MOST_BYTES / 4)
            size = 0;
    }
}

static void tell(int signal)
{
    char text[640];
    int size = snprintf(text, sizeof text, "signal %d at %s, seed %#llx\n",
        signal, running, (unsigned long long)running_seed);
    if (write(STDERR_FILENO, text, (size_t)size) < 0)
        _exit(3);
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int main(int argc, char **argv)
{
    struct sigaction action = {
        .sa_handler = tell, .sa_flags = (int)SA_RESETHAND
    };
    if (argc < 2) {
        fprintf(stderr, "usage: test_fuzz CORPUS [FILE...]\n");
        return 2;
    }
    sigaction(SIGABRT, &action, NULL);
    sigaction(SIGSEGV, &action, NULL);
    for (size_t t = 0; t < TARGETS; t++) {
        run_folder(t, argv[1]);
        for (int i = 2; i < argc; i++)
            run_file(t, argv[i]);
    }
    proof_count("fuzz.corpus", ran);
    ran = 0;
    for (size_t t = 0; t < TARGETS; t++) {
        double begin = now();
        uint64_t count = proof_size(USUAL, LONGER);
        snprintf(running, sizeof running, "mutations, %s", targets[t].name);
        run_mutations(t, count);
        fprintf(stderr, "%s: %llu mutations, %.0f a second\n", targets[t].name,
            (unsigned long long)count, (double)count / (now() - begin));
    }
    proof_count("fuzz.plain", ran);
    for (size_t i = 0; i < input_count; i++)
        free(inputs[i].bytes);
    return 0;
}
