/* recorder.c - Wraps the system functions that change a disk and records the
 * changes.
 *
 * All other functions are those of the memory system itself. Their state
 * argument is the memory system, so the recorder is found through a static
 * variable.
 *
 * SPDX-License-Identifier: MIT
 */
#include "crash/recorder.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "support/memory_system.h"
#include "system.h"

enum { MOST_OPEN = 64 };

struct descriptor {
    int number;
    struct crash_node *node;
};

static struct {
    struct vv_system system;
    const struct vv_system *under;
    struct memory *memory;
    enum crash_mistake mistake;
    struct history *history;
    pthread_mutex_t lock;
    struct descriptor open[MOST_OPEN];
    size_t open_count;
    int late_file; /* synced and closed after the rename; or -1 */
    bool is_late_closed;
} recorder = { .lock = PTHREAD_MUTEX_INITIALIZER };

static struct descriptor *find_open(int number)
{
    for (size_t i = 0; i < recorder.open_count; i++)
        if (recorder.open[i].number == number)
            return &recorder.open[i];
    return NULL;
}

static void remember(int number, struct crash_node *node)
{
    cr_assert_lt(recorder.open_count, MOST_OPEN, "too many are open");
    recorder.open[recorder.open_count++] =
        (struct descriptor){ number, node };
}

static struct crash_node *directory_of(int number)
{
    return number == VV_WORKING_DIRECTORY ? recorder.history->nodes[0]
                                          : find_open(number)->node;
}

/* Advances the time after a successful call and returns the history. */
static struct history *changed(void)
{
    recorder.history->time++;
    return recorder.history;
}

static int open_directory(void *state, int directory, const char *name)
{
    pthread_mutex_lock(&recorder.lock);
    int result = recorder.under->open_directory(state, directory, name);
    if (result >= 0)
        remember(result, history_find(recorder.history,
            directory_of(directory), name, NULL));
    pthread_mutex_unlock(&recorder.lock);
    return result;
}

static int open_to_write(void *state, int directory, const char *path)
{
    pthread_mutex_lock(&recorder.lock);
    int result = recorder.under->open_to_write(state, directory, path);
    if (result >= 0)
        remember(result, history_find(recorder.history,
            directory_of(directory), path, NULL));
    pthread_mutex_unlock(&recorder.lock);
    return result;
}

static void make(int directory, const char *path, int file)
{
    struct history *history = changed();
    char name[256];
    struct crash_node *parent =
        history_find(history, directory_of(directory), path, name);
    struct crash_node *node = history_add(history, file < 0);
    history_name(history, parent, name, node);
    if (file >= 0)
        remember(file, node);
}

static int create_file(void *state, int directory, const char *name)
{
    pthread_mutex_lock(&recorder.lock);
    int result = recorder.under->create_file(state, directory, name);
    if (result >= 0)
        make(directory, name, result);
    pthread_mutex_unlock(&recorder.lock);
    return result;
}

static int make_directory(void *state, int directory, const char *name)
{
    pthread_mutex_lock(&recorder.lock);
    int result = recorder.under->make_directory(state, directory, name);
    if (result == 0)
        make(directory, name, -1);
    pthread_mutex_unlock(&recorder.lock);
    return result;
}

static int close_now(void *state, int number)
{
    struct descriptor *found = find_open(number);
    if (found)
        *found = recorder.open[--recorder.open_count];
    return recorder.under->close(state, number);
}

static int close_descriptor(void *state, int number)
{
    int result = 0;
    pthread_mutex_lock(&recorder.lock);
    if (number == recorder.late_file)
        recorder.is_late_closed = true;
    else
        result = close_now(state, number);
    pthread_mutex_unlock(&recorder.lock);
    return result;
}

static void record_write(
    int file, const void *bytes, size_t size, uint64_t offset)
{
    struct crash_node *node = find_open(file)->node;
    const struct crash_version *old = history_newest(node);
    size_t end = (size_t)offset + size;
    size_t whole = end > old->size ? end : old->size;
    unsigned char *content = calloc(1, whole + 1);
    cr_assert(content, "the machine is out of memory");
    memcpy(content, old->bytes, old->size);
    memcpy(content + offset, bytes, size);
    history_content(changed(), node, content, whole);
    free(content);
}

static int64_t write_at(
    void *state, int file, const void *bytes, size_t size, uint64_t offset)
{
    pthread_mutex_lock(&recorder.lock);
    int64_t result =
        recorder.under->write_at(state, file, bytes, size, offset);
    if (result > 0)
        record_write(file, bytes, (size_t)result, offset);
    pthread_mutex_unlock(&recorder.lock);
    return result;
}

static int sync_now(void *state, int number, struct crash_node *node)
{
    int result = recorder.under->sync(state, number);
    if (result == 0)
        history_sync(changed(), node);
    return result;
}

static int sync_descriptor(void *state, int number)
{
    int result = 0;
    pthread_mutex_lock(&recorder.lock);
    struct crash_node *node = find_open(number)->node;
    enum crash_mistake skipped =
        node->is_directory ? CRASH_NO_DIRECTORY_SYNC : CRASH_NO_FILE_SYNC;
    if (recorder.mistake == CRASH_RENAME_FIRST && !node->is_directory)
        recorder.late_file = number;
    else if (recorder.mistake != skipped && recorder.mistake != CRASH_NO_SYNC)
        result = sync_now(state, number, node);
    pthread_mutex_unlock(&recorder.lock);
    return result;
}

static void sync_late_file(void *state)
{
    int file = recorder.late_file;
    if (file < 0)
        return;
    sync_now(state, file, find_open(file)->node);
    if (recorder.is_late_closed)
        close_now(state, file);
    recorder.late_file = -1;
    recorder.is_late_closed = false;
}

static void move_name(int directory, const char *from, const char *to)
{
    struct history *history = changed();
    char old_name[256], new_name[256];
    struct crash_node *start = directory_of(directory);
    struct crash_node *node = history_find(history, start, from, NULL);
    struct crash_node *old_parent =
        history_find(history, start, from, old_name);
    struct crash_node *new_parent = history_find(history, start, to, new_name);
    history_name(history, new_parent, new_name, node);
    history_name(history, old_parent, old_name, NULL);
}

static int rename_either(void *state, int directory, const char *from,
    const char *to, bool may_replace)
{
    pthread_mutex_lock(&recorder.lock);
    const struct vv_system *under = recorder.under;
    int result = may_replace ? under->rename(state, directory, from, to)
                             : under->rename_new(state, directory, from, to);
    if (result == 0) {
        move_name(directory, from, to);
        sync_late_file(state);
    }
    pthread_mutex_unlock(&recorder.lock);
    return result;
}

static int rename_file(
    void *state, int directory, const char *from, const char *to)
{
    return rename_either(state, directory, from, to, true);
}

static int rename_new(
    void *state, int directory, const char *from, const char *to)
{
    return rename_either(state, directory, from, to, false);
}

static int remove_name(void *state, int directory, const char *path)
{
    pthread_mutex_lock(&recorder.lock);
    int result = recorder.under->remove(state, directory, path);
    if (result == 0) {
        char name[256];
        struct crash_node *parent = history_find(
            changed(), directory_of(directory), path, name);
        history_name(recorder.history, parent, name, NULL);
    }
    pthread_mutex_unlock(&recorder.lock);
    return result;
}

const struct vv_system *recorder_begin(
    struct memory *memory, enum crash_mistake mistake)
{
    recorder.memory = memory;
    recorder.under = memory_system(memory);
    recorder.mistake = mistake;
    recorder.history = history_new();
    recorder.open_count = 0;
    recorder.late_file = -1;
    recorder.system = *recorder.under;
    recorder.system.open_directory = open_directory;
    recorder.system.open_real_directory = open_directory;
    recorder.system.create_file = create_file;
    recorder.system.open_to_write = open_to_write;
    recorder.system.make_directory = make_directory;
    recorder.system.close = close_descriptor;
    recorder.system.write_at = write_at;
    recorder.system.sync = sync_descriptor;
    recorder.system.rename = rename_file;
    recorder.system.rename_new = rename_new;
    recorder.system.remove = remove_name;
    return &recorder.system;
}

/* Adds a file that is already synced at time 0, at most one directory deep. */
void recorder_put(const char *path, const void *bytes, size_t size)
{
    struct history *history = recorder.history;
    struct crash_node *parent = history->nodes[0];
    const char *slash = strchr(path, '/');
    if (slash) {
        char name[256];
        snprintf(name, sizeof name, "%.*s", (int)(slash - path), path);
        if (!history_has(history, parent, name))
            history_name(history, parent, name, history_add(history, true));
        parent = history_find(history, parent, name, NULL);
    }
    struct crash_node *file = history_add(history, false);
    history_content(history, file, bytes, size);
    history_name(history, parent, slash ? slash + 1 : path, file);
    memory_put(recorder.memory, path, bytes, size);
}

struct history *recorder_history(void)
{
    return recorder.history;
}

long recorder_time(void)
{
    pthread_mutex_lock(&recorder.lock);
    long time = recorder.history->time;
    pthread_mutex_unlock(&recorder.lock);
    return time;
}

void recorder_end(void)
{
    history_free(recorder.history);
    recorder.history = NULL;
}
