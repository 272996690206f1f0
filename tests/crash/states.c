/* states.c - Enumerates the disks a power failure may leave: a version of each
 * name, then of each file that has a name.
 *
 * Names below a missing directory are not varied, so no disk is generated twice
 * because of them.
 *
 * SPDX-License-Identifier: MIT
 */
#include "crash/states.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "support/memory_system.h"
#include "system.h"

enum { BLANKS = 2, TORN_BITS = 10 };

struct disk {
    const struct history *history;
    long time;
    size_t names[CRASH_NAMES]; /* the selected version of each name */
    const struct crash_node *files[CRASH_NODES]; /* files that have a name */
    /* the selected content of each file */
    size_t contents[CRASH_NODES];
    size_t file_count;
};

/* --- Content -------------------------------------------------------------- */

static size_t sectors_in(size_t size)
{
    return (size + CRASH_SECTOR - 1) / CRASH_SECTOR;
}

static struct crash_window content_window(
    const struct disk *disk, const struct crash_node *file)
{
    return history_window(&file->content, file, disk->time);
}

/* Counts the contents of a file: every version as it was written; zeros or
 * random bytes; truncated at each half sector; each set of sectors (TORN_BITS
 * of them, repeated) missing or random. */
static size_t count_contents(
    const struct disk *disk, const struct crash_node *file)
{
    struct crash_window window = content_window(disk, file);
    if (window.first == window.last)
        return 1;
    size_t sectors = sectors_in(file->content.versions[window.last].size);
    size_t bits = sectors < TORN_BITS ? sectors : TORN_BITS;
    return window.last - window.first + 1 + BLANKS + 2 * sectors +
           ((size_t)2 << bits);
}

/* Replaces the sectors of a set by their last synced content, or by zeros if
 * there is none; by random bytes if the lowest bit of the set is 1. */
static void tear(unsigned char *bytes, size_t size,
    const struct crash_version *synced, size_t set)
{
    bool is_rubbish = set & 1;
    set >>= 1;
    for (size_t at = 0; at < size; at += CRASH_SECTOR) {
        if (!(set >> at / CRASH_SECTOR % TORN_BITS & 1))
            continue;
        size_t end = at + CRASH_SECTOR < size ? at + CRASH_SECTOR : size;
        for (size_t i = at; i < end; i++)
            bytes[i] = is_rubbish ? 0xA5
                     : i < synced->size ? synced->bytes[i] : 0;
    }
}

/* Returns content number `choice`; the caller frees it. */
static unsigned char *make_content(const struct disk *disk,
    const struct crash_node *file, size_t choice, size_t *size)
{
    struct crash_window window = content_window(disk, file);
    const struct crash_version *versions = file->content.versions;
    size_t whole_count = window.last - window.first + 1;
    const struct crash_version *from = choice < whole_count
        ? &versions[window.last - choice] : &versions[window.last];
    unsigned char *bytes = malloc(from->size + 1);
    cr_assert(bytes, "the machine is out of memory");
    memcpy(bytes, from->bytes, from->size);
    *size = from->size;
    if (choice < whole_count)
        return bytes;
    choice -= whole_count;
    size_t cuts = 2 * sectors_in(*size);
    if (choice < BLANKS)
        memset(bytes, choice ? 0xFF : 0, *size);
    else if (choice - BLANKS < cuts)
        *size = (choice - BLANKS) * CRASH_SECTOR / 2 < *size
            ? (choice - BLANKS) * CRASH_SECTOR / 2 : *size;
    else
        tear(bytes, *size, &versions[window.first], choice - BLANKS - cuts);
    return bytes;
}

/* --- Names ---------------------------------------------------------------- */

static const struct crash_node *chosen_node(const struct disk *disk, size_t i)
{
    return disk->history->names[i].line.versions[disk->names[i]].node;
}

/* Writes the path of a name. Returns false if a parent directory does not
 * exist. */
static bool path_of(const struct disk *disk, size_t i, char *path, size_t size)
{
    const struct crash_node *parent = disk->history->names[i].parent;
    const char *name = disk->history->names[i].name;
    if (parent == disk->history->nodes[0]) {
        snprintf(path, size, "%s", name);
        return true;
    }
    for (size_t j = 0; j < disk->history->name_count; j++) {
        if (chosen_node(disk, j) != parent || !path_of(disk, j, path, size))
            continue;
        size_t used = strlen(path);
        snprintf(path + used, size - used, "/%s", name);
        return true;
    }
    return false;
}

static void note_file(struct disk *disk, const struct crash_node *node)
{
    bool is_known = !node || node->is_directory;
    for (size_t j = 0; j < disk->file_count && !is_known; j++)
        is_known = disk->files[j] == node;
    if (!is_known)
        disk->files[disk->file_count++] = node;
}

/* Collects the files that are reachable. */
static void find_files(struct disk *disk)
{
    char path[1024];
    disk->file_count = 0;
    for (size_t i = 0; i < disk->history->name_count; i++)
        if (path_of(disk, i, path, sizeof path))
            note_file(disk, chosen_node(disk, i));
}

/* Returns true if this is the first of the selections that differ only in
 * unreachable names. Collects the reachable files. */
static bool is_new(struct disk *disk)
{
    disk->file_count = 0;
    for (size_t i = 0; i < disk->history->name_count; i++) {
        const struct crash_name *name = &disk->history->names[i];
        char path[1024];
        if (!path_of(disk, i, path, sizeof path)) {
            if (disk->names[i] !=
                history_window(&name->line, name->parent, disk->time).first)
                return false;
            continue;
        }
        note_file(disk, chosen_node(disk, i));
    }
    return true;
}

/* Advances to the next selection of names. Returns false after the last. */
static bool next_names(struct disk *disk)
{
    for (size_t i = 0; i < disk->history->name_count; i++) {
        const struct crash_name *name = &disk->history->names[i];
        struct crash_window window =
            history_window(&name->line, name->parent, disk->time);
        if (disk->names[i]++ < window.last)
            return true;
        disk->names[i] = window.first;
    }
    return false;
}

static void first_names(struct disk *disk)
{
    for (size_t i = 0; i < disk->history->name_count; i++) {
        const struct crash_name *name = &disk->history->names[i];
        disk->names[i] =
            history_window(&name->line, name->parent, disk->time).first;
    }
}

/* --- Disks ---------------------------------------------------------------- */

static size_t choice_of(const struct disk *disk, const struct crash_node *file)
{
    size_t i = 0;
    while (disk->files[i] != file)
        i++;
    return disk->contents[i];
}

/* Creates the directories of files with the files, and empty directories
 * here. */
static struct memory *make_disk(const struct disk *disk)
{
    struct memory *memory = memory_new();
    const struct vv_system *system = memory_system(memory);
    for (size_t i = 0; i < disk->history->name_count; i++) {
        const struct crash_node *node = chosen_node(disk, i);
        char path[1024];
        if (!node || !path_of(disk, i, path, sizeof path))
            continue;
        if (node->is_directory) {
            system->make_directory(system->state, VV_WORKING_DIRECTORY, path);
            continue;
        }
        size_t size;
        unsigned char *bytes =
            make_content(disk, node, choice_of(disk, node), &size);
        memory_put(memory, path, bytes, size);
        free(bytes);
    }
    return memory;
}

static uint64_t mixed(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

/* Returns the number of combinations of contents of the reachable files. */
static uint64_t count_all_contents(const struct disk *disk)
{
    uint64_t count = 1;
    for (size_t i = 0; i < disk->file_count; i++)
        count *= count_contents(disk, disk->files[i]);
    return count;
}

static void choose_contents(struct disk *disk, uint64_t number)
{
    for (size_t i = 0; i < disk->file_count; i++) {
        size_t count = count_contents(disk, disk->files[i]);
        disk->contents[i] = (size_t)(number % count);
        number /= count;
    }
}

static void look_at(const struct disk *disk, crash_look *look, void *user,
    struct crash_count *count)
{
    struct memory *memory = make_disk(disk);
    look(user, memory);
    memory_free(memory);
    count->states++;
}

/* Returns the number of combinations of names, reachable or not; at most
 * `limit`. */
static uint64_t count_names(const struct disk *disk, uint64_t limit)
{
    uint64_t count = 1;
    for (size_t i = 0; i < disk->history->name_count && count < limit; i++) {
        const struct crash_name *name = &disk->history->names[i];
        struct crash_window window =
            history_window(&name->line, name->parent, disk->time);
        count *= window.last - window.first + 1;
    }
    return count < limit ? count : limit;
}

/* Draws a selection of names. Selection 0 has all names as of the last syncs,
 * selection 1 the newest ones. */
static void draw_names(struct disk *disk, uint64_t number)
{
    for (size_t i = 0; i < disk->history->name_count; i++) {
        const struct crash_name *name = &disk->history->names[i];
        struct crash_window window =
            history_window(&name->line, name->parent, disk->time);
        size_t count = window.last - window.first + 1;
        size_t drawn = (size_t)(mixed(number * 4096 + i) % count);
        disk->names[i] = number == 0   ? window.first
                         : number == 1 ? window.last
                                       : window.first + drawn;
    }
}

static void draw_states(struct disk *disk, crash_look *look, void *user,
    struct crash_count *count)
{
    for (uint64_t i = 0; i < count->most; i++) {
        draw_names(disk, i);
        find_files(disk);
        choose_contents(disk, i < 2 ? 0 : mixed(mixed(i)));
        look_at(disk, look, user, count);
    }
    count->times++;
    count->cut_times++;
}

void crash_states_at(const struct history *history, long time,
    crash_look *look, void *user, struct crash_count *count)
{
    struct disk disk = { .history = history, .time = time };
    uint64_t all = 0, choices = 0, most = count->most_names;
    if (most && count_names(&disk, most + 1) > most) {
        draw_states(&disk, look, user, count);
        return;
    }
    first_names(&disk);
    do
        if (is_new(&disk)) {
            all += count_all_contents(&disk);
            choices++;
        }
    while (next_names(&disk));
    bool is_cut = all > count->most;
    /* if there are too many combinations */
    uint64_t step = choices / count->most + 1;
    uint64_t share = step > 1 ? 1 : count->most / choices;
    first_names(&disk);
    choices = 0;
    do {
        if (!is_new(&disk) || choices++ % step != 0)
            continue;
        uint64_t contents = count_all_contents(&disk);
        bool is_part = is_cut && contents > share;
        for (uint64_t i = 0; i < (is_part ? share : contents); i++) {
            choose_contents(&disk, is_part && i ? mixed(i) % contents : i);
            look_at(&disk, look, user, count);
        }
    } while (next_names(&disk));
    count->times++;
    count->cut_times += is_cut;
}
