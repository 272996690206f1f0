/* ahead.c - Measures reading records of an uncached file while a device
 * computes.
 *
 *     ahead DIRECTORY RECORD_SIZE RECORDS BATCH MILLISECONDS [ROUNDS]
 *
 * Compares reads by the program, with hints for the next records
 * (posix_fadvise), by a separate thread, and with `prefetch`, which is a thread
 * with hints. The device computes for MILLISECONDS after each batch. Eight
 * batches are read ahead. Prints the median time of the plain program in order
 * and shuffled, and the others' times as fractions of it.
 *
 * SPDX-License-Identifier: MIT
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <varve/varve.h>

#include "measure.h"

enum { BATCHES_AHEAD = 8 };

struct data {
    char path[PATH_SIZE];
    int file;
    size_t record_size, batch;
    uint64_t count;
    double pause; /* seconds of computation after each batch */
    unsigned char *bytes;
};

enum way { ALONE, HINTS, THREAD, PREFETCH, WAYS };

struct reading {
    struct data *data;
    enum way way;
    bool shuffle;
};

static varve_status read_record(
    void *self, uint64_t index, varve_sink *sink, varve_error *error)
{
    struct data *d = self;
    (void)error;
    if (pread(d->file, d->bytes, d->record_size,
            (off_t)(index * d->record_size)) != (ssize_t)d->record_size)
        return VARVE_IO;
    varve_put(sink, d->bytes, d->record_size);
    return VARVE_OK;
}

/* A source that gives a hint for each record; it runs ahead of the real one. */
static varve_status give_hint(
    void *self, uint64_t index, varve_sink *sink, varve_error *error)
{
    struct data *d = self;
    (void)sink;
    (void)error;
    posix_fadvise(d->file, (off_t)(index * d->record_size),
        (off_t)d->record_size, POSIX_FADV_WILLNEED);
    return VARVE_OK;
}

static varve_records *open_records(
    const struct reading *r, bool hints, varve_error *error)
{
    const struct data *d = r->data;
    const varve_source source = { .name = "data",
        .count = d->count,
        .read = hints ? give_hint : read_record,
        .self = r->data };
    const varve_records_options options = { .shuffle = r->shuffle,
        .seed = 1,
        .batch = d->batch,
        .epochs = 1,
        .no_content = true,
        .prefetch = r->way >= THREAD ? BATCHES_AHEAD * d->batch : 0 };
    varve_records *records = r->way == PREFETCH
                                 ? varve_records_open_fixed(d->path, 0,
                                       d->record_size, &options, error)
                                 : varve_records_open(&source, &options, error);
    must(records ? VARVE_OK : error->status, error);
    return records;
}

/* Simulates a device that computes; the processor is idle. */
static void compute(double seconds)
{
    struct timespec time = { .tv_sec = (time_t)seconds };
    time.tv_nsec = (long)((seconds - (double)time.tv_sec) * 1e9);
    nanosleep(&time, NULL);
}

static size_t take(varve_records *records)
{
    varve_error error;
    varve_batch batch;
    must(varve_records_next(records, &batch, &error), &error);
    return batch.count;
}

static double run_through(void *user)
{
    struct reading *r = user;
    varve_error error;
    varve_records *records = open_records(r, false, &error);
    varve_records *hints =
        r->way == HINTS ? open_records(r, true, &error) : NULL;
    must_system(posix_fadvise(r->data->file, 0, 0, POSIX_FADV_DONTNEED) == 0,
        "posix_fadvise");
    double begin = now();
    for (int i = 0; hints && i < BATCHES_AHEAD; i++)
        take(hints);
    do {
        if (hints)
            take(hints);
        compute(r->data->pause);
    } while (take(records) > 0);
    double time = now() - begin;
    varve_records_free(hints);
    varve_records_free(records);
    return time;
}

static void make_file(struct data *d)
{
    d->file = open(d->path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    must_system(d->file >= 0, d->path);
    d->bytes = malloc(d->record_size);
    must_system(d->bytes != NULL, "malloc");
    for (uint64_t i = 0; i < d->count; i++) {
        memset(d->bytes, (int)i, d->record_size);
        must_system(
            write(d->file, d->bytes, d->record_size) == (ssize_t)d->record_size,
            d->path);
    }
    must_system(fsync(d->file) == 0, d->path);
}

static void compare(struct data *d, bool shuffle, unsigned rounds)
{
    static const char *const names[WAYS] = { "alone", "hints", "thread",
        "prefetch" };
    struct reading readings[WAYS];
    struct contender contenders[WAYS] = { { .name = NULL } };
    for (int i = 0; i < WAYS; i++) {
        readings[i] = (struct reading){ d, (enum way)i, shuffle };
        contenders[i].name = names[i];
        contenders[i].run = run_through;
        contenders[i].user = &readings[i];
    }
    race(contenders, WAYS, rounds);
    double whole = median(&contenders[ALONE]);
    printf("%-9s alone %.3f s", shuffle ? "shuffled" : "in order", whole);
    for (int i = HINTS; i < WAYS; i++)
        printf(", %s %.2f", names[i], median(&contenders[i]) / whole);
    printf("\n");
}

int main(int argc, char **argv)
{
    struct data d = { .file = -1 };
    if (argc < 6) {
        fprintf(stderr, "ahead DIRECTORY RECORD_SIZE RECORDS BATCH "
                        "MILLISECONDS [ROUNDS]\n");
        return 2;
    }
    unsigned rounds = argc > 6 ? (unsigned)atoi(argv[6]) : 5;
    snprintf(d.path, sizeof d.path, "%s/ahead.data", argv[1]);
    d.record_size = (size_t)atol(argv[2]);
    d.count = (uint64_t)atol(argv[3]);
    d.batch = (size_t)atol(argv[4]);
    d.pause = atof(argv[5]) / 1000;
    make_file(&d);
    compare(&d, false, rounds);
    compare(&d, true, rounds);
    unlink(d.path);
    close(d.file);
    free(d.bytes);
    return 0;
}
