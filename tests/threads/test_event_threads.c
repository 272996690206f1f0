/* test_event_threads.c - Tests an event file into which many threads record
 * while its own thread writes. A plain program, so that it also runs under
 * ThreadSanitizer.
 *
 *     test_event_threads [DIRECTORY]
 *
 * SPDX-License-Identifier: MIT
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <varve/varve.h>

#include "support/event_reader.h"

enum { THREADS = 4, EVENTS = 3000, SMALL_QUEUE = 20000 };

static varve_events *events;

static void demand(bool holds, const char *what, const char *message)
{
    if (holds)
        return;
    fprintf(stderr, "%s: %s\n", what, message);
    exit(1);
}

static void *record(void *argument)
{
    static const float numbers[] = { 1, 2, 3 };
    static const uint8_t pixels[48];
    int64_t number = *(int *)argument;
    for (int64_t i = 0; i < EVENTS; i++) {
        int64_t step = i * THREADS + number;
        if (i % 10 == 1)
            varve_events_histogram(events, step, "h", numbers, 3);
        else if (i % 10 == 2)
            varve_events_image(
                events, step, "i", &(varve_events_picture){ 4, 4, 3, pixels });
        else
            varve_events_scalar(events, step, "s", (double)step);
        if (i % 500 == 0)
            varve_events_flush(events, NULL);
        if (i % 700 == 0)
            (void)varve_events_dropped(events);
    }
    return NULL;
}

static size_t count_whole(const char *path)
{
    FILE *file = fopen(path, "rb");
    demand(file != NULL, "open", path);
    fseek(file, 0, SEEK_END);
    size_t size = (size_t)ftell(file);
    rewind(file);
    void *bytes = malloc(size);
    demand(bytes && fread(bytes, 1, size, file) == size, "read", path);
    fclose(file);
    struct event_list list = event_read(bytes, size);
    demand(!list.fault && !list.is_cut, "record", path);
    size_t count = list.count;
    event_list_free(&list);
    free(bytes);
    return count;
}

static void run(const char *directory, size_t queue_size)
{
    varve_error error = { 0 };
    varve_events_options options = { .queue_size = queue_size };
    pthread_t threads[THREADS];
    int numbers[THREADS];
    char path[4096];
    events = varve_events_open(directory, &options, &error);
    demand(events != NULL, "events", error.message);
    for (int i = 0; i < THREADS; i++) {
        numbers[i] = i;
        pthread_create(&threads[i], NULL, record, &numbers[i]);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    size_t dropped = varve_events_dropped(events);
    demand(queue_size || !dropped, "dropped", "with room for all");
    snprintf(path, sizeof path, "%s", varve_events_path(events));
    varve_events_free(events);
    demand(count_whole(path) == 1 + THREADS * EVENTS - dropped, "count", path);
    printf("%d events of %d threads, %zu dropped\n", THREADS * EVENTS, THREADS,
        dropped);
    remove(path);
}

int main(int argc, char **argv)
{
    char made[256];
    const char *place = getenv("TMPDIR");
    snprintf(made, sizeof made, "%s/varve-event-threads-XXXXXX",
        place ? place : "/tmp");
    const char *directory = argc > 1 ? argv[1] : mkdtemp(made);
    demand(directory != NULL, "directory", "cannot be created");
    run(directory, 0);
    run(directory, SMALL_QUEUE);
    if (argc == 1)
        rmdir(directory);
    return 0;
}
