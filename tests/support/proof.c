/* proof.c - Implements sizes and counts of long tests.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "support/proof.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool proof_is_long(void)
{
    const char *size = getenv("VARVE_PROOF");
    return size && strcmp(size, "long") == 0;
}

uint64_t proof_size(uint64_t usual, uint64_t longer)
{
    return proof_is_long() ? longer : usual;
}

uint64_t proof_seed(void)
{
    const char *seed = getenv("VARVE_PROOF_SEED");
    return seed ? strtoull(seed, NULL, 0) : 20261121;
}

/* Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
 * OOPSLA 2014. */
uint64_t proof_next(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

/* Appends with a single write, since tests are separate processes. */
void proof_count(const char *name, uint64_t count)
{
    const char *path = getenv("VARVE_PROOF_COUNTS");
    char line[128];
    int size = snprintf(line, sizeof line, "%s %" PRIu64 "\n", name, count);
    fputs(line, stderr);
    if (!path || !*path)
        return;
    int file = open(path, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
    if (file < 0 || write(file, line, (size_t)size) != size) {
        perror(path);
        abort();
    }
    close(file);
}
