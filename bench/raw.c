/* raw.c - Writes files durably and copies memory without a library.
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include "raw.h"

#include <fcntl.h>
#include <libgen.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "measure.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

enum { STEP = 1 << 20, DIRECT_STEP = 4 << 20, DIRECT_DEPTH = 4, PAGE = 4096 };

unsigned char *touched_memory(size_t size)
{
    unsigned char *memory = aligned_alloc(PAGE, (size + PAGE) / PAGE * PAGE);
    must_system(memory != NULL, "memory");
    uint64_t state = 88172645463325252u;
    for (size_t i = 0; i + sizeof state <= size; i += sizeof state) {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        memcpy(memory + i, &state, sizeof state);
    }
    return memory;
}

/* --- Writing ------------------------------------------------------------ */

static int make_file(const struct raw *raw, int flags)
{
    unlink(raw->path);
    return open(raw->path, O_CREAT | O_EXCL | O_WRONLY | flags, 0666);
}

static void write_part(int file, const struct raw *raw, size_t at, size_t size)
{
    while (size > 0) {
        ssize_t moved = pwrite(file, raw->bytes + at, size, (off_t)at);
        must_system(moved > 0, "write");
        at += (size_t)moved;
        size -= (size_t)moved;
    }
}

static void sync_folder_of(const char *path)
{
    char copy[PATH_SIZE + 16];
    snprintf(copy, sizeof copy, "%s", path);
    int directory = open(dirname(copy), O_RDONLY | O_DIRECTORY);
    must_system(directory >= 0 && fsync(directory) == 0, "fsync of directory");
    close(directory);
}

static void sync_all(int file, const char *path)
{
    must_system(fsync(file) == 0, "fsync");
    sync_folder_of(path);
}

void sync_path(const char *path)
{
    int file = open(path, O_RDONLY);
    must_system(file >= 0, path);
    sync_all(file, path);
    close(file);
}

static double finish(int file, const struct raw *raw, double begin)
{
    if (!raw->no_sync)
        sync_all(file, raw->path);
    close(file);
    double time = now() - begin;
    unlink(raw->path);
    return time;
}

double raw_write(void *user)
{
    const struct raw *raw = user;
    double begin = now();
    int file = make_file(raw, 0);
    must_system(file >= 0, raw->path);
    write_part(file, raw, 0, raw->size);
    return finish(file, raw, begin);
}

double raw_write_back(void *user)
{
    const struct raw *raw = user;
    double begin = now();
    int file = make_file(raw, 0);
    must_system(file >= 0, raw->path);
    for (size_t at = 0; at < raw->size; at += STEP) {
        size_t left = raw->size - at;
        size_t part = left < STEP ? left : STEP;
        write_part(file, raw, at, part);
        sync_file_range(file, (off_t)at, (off_t)part, SYNC_FILE_RANGE_WRITE);
    }
    return finish(file, raw, begin);
}

struct direct {
    const struct raw *raw;
    int file;
    atomic_size_t next;
};

static void *write_steps(void *argument)
{
    struct direct *direct = argument;
    size_t size = direct->raw->size / PAGE * PAGE;
    size_t at;
    while ((at = atomic_fetch_add(&direct->next, DIRECT_STEP)) < size) {
        size_t left = size - at;
        write_part(direct->file, direct->raw, at,
            left < DIRECT_STEP ? left : DIRECT_STEP);
    }
    return NULL;
}

double raw_write_direct(void *user)
{
    const struct raw *raw = user;
    pthread_t threads[DIRECT_DEPTH];
    double begin = now();
    struct direct direct = { .raw = raw, .file = make_file(raw, O_DIRECT) };
    if (direct.file < 0)
        return raw_write_back(user); /* a file system without O_DIRECT */
    for (size_t i = 0; i < DIRECT_DEPTH; i++)
        must_system(
            pthread_create(&threads[i], NULL, write_steps, &direct) == 0,
            "thread");
    for (size_t i = 0; i < DIRECT_DEPTH; i++)
        pthread_join(threads[i], NULL);
    return finish(direct.file, raw, begin);
}

static int write_aside(const unsigned char *bytes, size_t size, char *path)
{
    struct raw raw = { .path = path, .bytes = (unsigned char *)bytes };
    strcat(path, ".aside");
    int file = make_file(&raw, 0);
    must_system(file >= 0, path);
    for (size_t at = 0; at < size; at += STEP)
        write_part(file, &raw, at, size - at < STEP ? size - at : STEP);
    sync_file_range(file, 0, (off_t)size, SYNC_FILE_RANGE_WRITE);
    return file;
}

double raw_write_pair(void *user)
{
    const struct raw_pair *pair = user;
    char first[PATH_SIZE + 16], aside[PATH_SIZE + 16], other[PATH_SIZE + 16];
    snprintf(first, sizeof first, "%s/raw", pair->folder);
    snprintf(aside, sizeof aside, "%s/raw", pair->folder);
    snprintf(other, sizeof other, "%s", pair->path);
    double begin = now();
    int one = write_aside(pair->bytes, pair->first, aside);
    int two = write_aside(pair->bytes, pair->second, other);
    must_system(rename(aside, first) == 0, "rename");
    must_system(fsync(one) == 0, "fsync");
    must_system(fsync(two) == 0, "fsync");
    sync_folder_of(first);
    must_system(rename(other, pair->path) == 0, "rename");
    sync_folder_of(pair->path);
    close(one);
    close(two);
    double time = now() - begin;
    unlink(first);
    unlink(pair->path);
    return time;
}

/* --- Reading ------------------------------------------------------------ */

double raw_copy(void *user)
{
    const struct raw *raw = user;
    double begin = now();
    memcpy(raw->other, raw->bytes, raw->size);
    return now() - begin;
}

double raw_copy_new(void *user)
{
    /* prevents the compiler from removing the copy */
    static void *volatile seen;
    (void)seen;
    const struct raw *raw = user;
    double begin = now();
    void *memory = malloc(raw->size);
    must_system(memory != NULL, "memory");
    memcpy(memory, raw->bytes, raw->size);
    seen = memory;
    double time = now() - begin;
    free(memory);
    return time;
}

struct part {
    unsigned char *to; /* page-aligned */
    const unsigned char *from;
    size_t size;
};

static void *copy_part(void *user)
{
    const struct part *part = user;
    size_t at = 0;
#ifdef __SSE2__
    for (; part->size - at >= sizeof(__m128i); at += sizeof(__m128i))
        _mm_stream_si128((__m128i *)(void *)(part->to + at),
            _mm_loadu_si128((const __m128i *)(const void *)(part->from + at)));
    _mm_sfence();
#endif
    memcpy(part->to + at, part->from + at, part->size - at);
    return NULL;
}

double raw_copy_all(void *user)
{
    enum { MOST = 8 };
    const struct raw *raw = user;
    struct part parts[MOST];
    pthread_t threads[MOST];
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    size_t count = cores < 1 ? 1 : cores > MOST ? MOST : (size_t)cores;
    size_t each = raw->size / count / PAGE * PAGE;
    double begin = now();
    for (size_t i = 0; i < count; i++) {
        parts[i] = (struct part){ raw->other + i * each, raw->bytes + i * each,
            i + 1 < count ? each : raw->size - i * each };
        if (i > 0)
            must_system(
                pthread_create(&threads[i], NULL, copy_part, &parts[i]) == 0,
                "a thread");
    }
    copy_part(&parts[0]);
    for (size_t i = 1; i < count; i++)
        pthread_join(threads[i], NULL);
    return now() - begin;
}

double raw_map(void *user)
{
    const struct raw *raw = user;
    double begin = now();
    int file = open(raw->path, O_RDONLY);
    must_system(file >= 0, raw->path);
    void *map =
        mmap(NULL, raw->size, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
    must_system(map != MAP_FAILED, "mmap");
    double time = now() - begin;
    munmap(map, raw->size);
    close(file);
    return time;
}

void forget_file(const char *path)
{
    int file = open(path, O_RDONLY);
    must_system(file >= 0, path);
    must_system(fsync(file) == 0, "fsync");
    must_system(
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED) == 0, "posix_fadvise");
    close(file);
}
