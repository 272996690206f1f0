/* memory_system.c - Implements descriptors over a tree in memory, and the
 * functions of a system.
 *
 * SPDX-License-Identifier: MIT
 */
#include "support/memory_disk.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <criterion/criterion.h>

#include "support/memory_tracker.h"
#include "support/memory_tree.h"

/* Descriptors differ from real ones and are never reused, so that misuse is
 * detected. */
enum { FIRST_DESCRIPTOR = 100000 };

static struct memory_descriptor *find_descriptor(struct memory *m, int number)
{
    for (int i = 0; i < m->open_count; i++)
        if (m->open[i].number == number)
            return &m->open[i];
    return NULL;
}

/* Updates the used size when a name or descriptor is removed; bytes count until
 * the last reference is gone. */
static void account_for_leaving(
    struct memory *m, const struct memory_node *node)
{
    if (node->links + node->opens == 1)
        m->used -= node->size;
}

static int add_descriptor(
    struct memory *m, struct memory_node *node, bool is_writable)
{
    size_t count = (size_t)m->open_count + 1;
    m->open = realloc(m->open, count * sizeof *m->open);
    cr_assert(m->open, "the machine is out of memory");
    struct memory_descriptor *added = &m->open[m->open_count++];
    *added = (struct memory_descriptor){
        .number = m->next_number++, .is_writable = is_writable, .node = node };
    node->opens++;
    return added->number;
}

/* Finds the directory that a call is relative to. */
static int find_directory(
    struct memory *m, int number, struct memory_node **directory)
{
    *directory = m->root;
    if (number == VV_WORKING_DIRECTORY)
        return 0;
    struct memory_descriptor *found = find_descriptor(m, number);
    if (!found)
        return -EBADF;
    *directory = found->node;
    return found->node->is_directory ? 0 : -ENOTDIR;
}

static int look_up(struct memory *m, int directory, const char *name,
    struct memory_node **node)
{
    struct memory_node *start;
    int result = find_directory(m, directory, &start);
    return result ? result : memory_look_up(m->root, start, name, node);
}

static int look_up_parent(struct memory *m, int directory, const char *path,
    struct memory_node **parent, char name[256])
{
    struct memory_node *start;
    int result = find_directory(m, directory, &start);
    return result ? result :
        memory_look_up_parent(m->root, start, path, parent, name);
}

static struct memory *locked(void *state)
{
    struct memory *m = state;
    pthread_mutex_lock(&m->lock);
    return m;
}

static int unlocked(struct memory *m, int result)
{
    pthread_mutex_unlock(&m->lock);
    return result;
}

static int open_file(void *state, int directory, const char *name)
{
    struct memory *m = locked(state);
    struct memory_node *node;
    int result = look_up(m, directory, name, &node);
    return unlocked(m, result ? result : add_descriptor(m, node, false));
}

static int open_to_write(void *state, int directory, const char *name)
{
    struct memory *m = locked(state);
    struct memory_node *node;
    int result = look_up(m, directory, name, &node);
    if (!result && node->is_directory)
        result = -EISDIR;
    return unlocked(m, result ? result : add_descriptor(m, node, true));
}

static int open_directory(void *state, int directory, const char *name)
{
    struct memory *m = locked(state);
    struct memory_node *node;
    int result = look_up(m, directory, name, &node);
    if (!result && !node->is_directory)
        result = -ENOTDIR;
    return unlocked(m, result ? result : add_descriptor(m, node, false));
}

static int make(struct memory *m, int directory, const char *path,
    bool is_directory, struct memory_node **made)
{
    struct memory_node *parent;
    char name[256];
    int result = look_up_parent(m, directory, path, &parent, name);
    if (result)
        return result;
    if (memory_entry_find(parent, name, strlen(name)) ||
        strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return -EEXIST;
    *made = memory_node_new(is_directory);
    memory_entry_add(parent, name, *made);
    return 0;
}

static int create_file(void *state, int directory, const char *name)
{
    struct memory *m = locked(state);
    struct memory_node *node;
    int result = make(m, directory, name, false, &node);
    return unlocked(m, result ? result : add_descriptor(m, node, true));
}

static int make_directory(void *state, int directory, const char *name)
{
    struct memory *m = locked(state);
    struct memory_node *node;
    return unlocked(m, make(m, directory, name, true, &node));
}

static int close_descriptor(void *state, int number)
{
    struct memory *m = locked(state);
    struct memory_descriptor *found = find_descriptor(m, number);
    if (!found)
        return unlocked(m, -EBADF);
    struct memory_node *node = found->node;
    *found = m->open[--m->open_count];
    account_for_leaving(m, node);
    node->opens--;
    memory_node_drop(node);
    memory_track_nothing(&m->tracked, number);
    return unlocked(m, 0);
}

static int info(void *state, int number, struct vv_file_info *info)
{
    struct memory *m = locked(state);
    const struct memory_descriptor *found = find_descriptor(m, number);
    if (!found)
        return unlocked(m, -EBADF);
    info->kind = found->node->is_directory ? VV_DIRECTORY : VV_REGULAR_FILE;
    info->size = found->node->size;
    info->modified = found->node->modified;
    info->device = 1;
    info->serial = (uintptr_t)found->node;
    info->links = (uint64_t)found->node->links;
    return unlocked(m, 0);
}

/* Returns the file of a descriptor, with the lock held, or NULL and the
 * error. */
static struct memory_node *find_file(
    struct memory *m, int number, bool for_writing, int *error)
{
    const struct memory_descriptor *found = find_descriptor(m, number);
    *error = !found || (for_writing && !found->is_writable) ? -EBADF :
        found->node->is_directory                           ? -EISDIR :
                                                              0;
    return *error ? NULL : found->node;
}

static int64_t read_at(
    void *state, int number, void *bytes, size_t size, uint64_t offset)
{
    struct memory *m = locked(state);
    int error;
    const struct memory_node *file = find_file(m, number, false, &error);
    if (!file)
        return unlocked(m, error);
    if (offset >= file->size)
        size = 0;
    else if (size > file->size - offset)
        size = file->size - (size_t)offset;
    if (size)
        memcpy(bytes, file->bytes + offset, size);
    unlocked(m, 0);
    return (int64_t)size;
}

static int64_t write_at(
    void *state, int number, const void *bytes, size_t size, uint64_t offset)
{
    struct memory *m = locked(state);
    int error;
    struct memory_node *file = find_file(m, number, true, &error);
    if (!file)
        return unlocked(m, error);
    uint64_t most = m->capacity - m->used; /* maximum growth of the file */
    if (most < UINT64_MAX - file->size && offset + size > file->size + most) {
        if (offset >= file->size + most)
            return unlocked(m, -ENOSPC);
        size = (size_t)(file->size + most - offset);
    }
    if (size && offset + size > file->size) {
        m->used += offset + size - file->size;
        memory_node_resize(file, (size_t)offset + size);
    }
    if (size)
        memcpy(file->bytes + offset, bytes, size);
    file->modified = m->now;
    unlocked(m, 0);
    return (int64_t)size;
}

static int reserve(void *state, int number, uint64_t size)
{
    struct memory *m = locked(state);
    int error;
    const struct memory_node *file = find_file(m, number, true, &error);
    if (file && size > file->size && size - file->size > m->capacity - m->used)
        error = -ENOSPC;
    return unlocked(m, error);
}

static int check_range(void *state, int number, uint64_t offset, uint64_t size)
{
    (void)offset;
    (void)size;
    struct memory *m = locked(state);
    int error;
    find_file(m, number, false, &error);
    return unlocked(m, error);
}

static int sync_descriptor(void *state, int number)
{
    struct memory *m = locked(state);
    const struct memory_descriptor *found = find_descriptor(m, number);
    if (found)
        memory_node_sync(found->node);
    return unlocked(m, found ? 0 : -EBADF);
}

static int lock_either(void *state, int number, bool is_shared)
{
    struct memory *m = locked(state);
    struct memory_descriptor *found = find_descriptor(m, number);
    if (!found)
        return unlocked(m, -EBADF);
    for (int i = 0; i < m->open_count; i++) {
        const struct memory_descriptor *other = &m->open[i];
        if (other->node == found->node && other != found &&
            (other->has_lock || (other->shares_lock && !is_shared)))
            return unlocked(m, -EWOULDBLOCK);
    }
    found->has_lock = !is_shared;
    found->shares_lock = is_shared;
    return unlocked(m, 0);
}

static int lock(void *state, int number)
{
    return lock_either(state, number, false);
}

static int share_lock(void *state, int number)
{
    return lock_either(state, number, true);
}

static int unlock(void *state, int number)
{
    struct memory *m = locked(state);
    struct memory_descriptor *found = find_descriptor(m, number);
    if (found)
        found->has_lock = found->shares_lock = false;
    return unlocked(m, found ? 0 : -EBADF);
}

static int link_file(
    void *state, int directory, const char *from, const char *to)
{
    struct memory *m = locked(state);
    struct memory_node *node, *parent;
    char name[256];
    int result = look_up(m, directory, from, &node);
    if (!result && node->is_directory)
        result = -EPERM;
    if (!result)
        result = look_up_parent(m, directory, to, &parent, name);
    if (!result && memory_entry_find(parent, name, strlen(name)))
        result = -EEXIST;
    if (!result)
        memory_entry_add(parent, name, node);
    return unlocked(m, result);
}

static int remove_entry(
    struct memory *m, struct memory_node *parent, struct memory_entry *entry)
{
    if (entry->node->list.count)
        return -ENOTEMPTY;
    char name[256];
    memcpy(name, entry->name, sizeof name);
    account_for_leaving(m, entry->node);
    memory_entry_remove(parent, name);
    return 0;
}

static int remove_name(void *state, int directory, const char *path)
{
    struct memory *m = locked(state);
    struct memory_node *parent;
    char name[256];
    int result = look_up_parent(m, directory, path, &parent, name);
    if (result)
        return unlocked(m, result);
    struct memory_entry *entry =
        memory_entry_find(parent, name, strlen(name));
    return unlocked(m, entry ? remove_entry(m, parent, entry) : -ENOENT);
}

/* Removes the target of a rename if that is allowed. */
static int make_way(struct memory *m, struct memory_node *parent,
    const char *name, const struct memory_node *node, bool may_replace)
{
    struct memory_entry *old = memory_entry_find(parent, name, strlen(name));
    if (!old)
        return 0;
    if (!may_replace)
        return -EEXIST;
    if (old->node->is_directory != node->is_directory)
        return node->is_directory ? -ENOTDIR : -EISDIR;
    return remove_entry(m, parent, old);
}

static int rename_in(struct memory *m, int directory, const char *from,
    const char *to, bool may_replace)
{
    struct memory_node *old_parent, *new_parent;
    char old_name[256], new_name[256];
    int result = look_up_parent(m, directory, from, &old_parent, old_name);
    if (!result)
        result = look_up_parent(m, directory, to, &new_parent, new_name);
    if (result)
        return result;
    const struct memory_entry *entry =
        memory_entry_find(old_parent, old_name, strlen(old_name));
    if (!entry)
        return -ENOENT;
    struct memory_node *node = entry->node;
    if (may_replace && old_parent == new_parent &&
        strcmp(old_name, new_name) == 0)
        return 0;
    result = make_way(m, new_parent, new_name, node, may_replace);
    if (!result) {
        memory_entry_add(new_parent, new_name, node);
        memory_entry_remove(old_parent, old_name);
    }
    return result;
}

static int rename_file(
    void *state, int directory, const char *from, const char *to)
{
    struct memory *m = locked(state);
    return unlocked(m, rename_in(m, directory, from, to, true));
}

static int rename_new(
    void *state, int directory, const char *from, const char *to)
{
    struct memory *m = locked(state);
    return unlocked(m, rename_in(m, directory, from, to, false));
}

/* Iterates over a copy of the names, since `each` may change the directory. */
static int each_name(
    void *state, int directory, vv_each_name *each, void *user)
{
    struct memory *m = locked(state);
    struct memory_node *node;
    int result = find_directory(m, directory, &node);
    if (result)
        return unlocked(m, result);
    size_t count = node->list.count;
    struct memory_entry *names = malloc((count + 1) * sizeof *names);
    cr_assert(names, "the machine is out of memory");
    for (size_t i = 0; i < count; i++)
        names[i] = node->list.entries[i];
    unlocked(m, 0);
    for (size_t i = 0; i < count; i++)
        if (each(user, names[i].name, NULL))
            break;
    free(names);
    return 0;
}

static int map(
    void *state, int number, uint64_t offset, size_t size, void **address)
{
    if (size == 0 || offset % 4096)
        return -EINVAL;
    void *copy = aligned_alloc(4096, (size + 4095) / 4096 * 4096);
    cr_assert(copy, "the machine is out of memory");
    memset(copy, 0, (size + 4095) / 4096 * 4096);
    int64_t moved = read_at(state, number, copy, size, offset);
    if (moved < 0) {
        free(copy);
        return (int)moved;
    }
    struct memory *m = locked(state);
    m->map_count++;
    *address = copy;
    return unlocked(m, 0);
}

static int unmap(void *state, void *address, size_t size)
{
    (void)size;
    struct memory *m = locked(state);
    m->map_count--;
    free(address);
    return unlocked(m, 0);
}

/* Opens a file without a name. */
static int open_tracker(void *state)
{
    struct memory *m = locked(state);
    return unlocked(m, add_descriptor(m, memory_node_new(false), false));
}

static int track(void *state, int tracker, void *address, size_t size)
{
    struct memory *m = locked(state);
    return unlocked(m, find_descriptor(m, tracker) ?
        memory_track(&m->tracked, tracker, address, size) : -EBADF);
}

static int untrack(void *state, int tracker, void *address, size_t size)
{
    struct memory *m = locked(state);
    return unlocked(m, memory_untrack(&m->tracked, tracker, address, size));
}

static int each_written(void *state, int tracker, void *address, size_t size,
    vv_each_run *each, void *user)
{
    struct memory *m = locked(state);
    return unlocked(m, memory_each_written(
        m->tracked, tracker, address, size, each, user));
}

static int arm(void *state, int tracker, void *address, size_t size,
    vv_each_run *each, void *user)
{
    struct memory *m = locked(state);
    return unlocked(
        m, memory_arm(m->tracked, tracker, address, size, each, user));
}

/* splitmix64 */
static int random_bytes(void *state, void *bytes, size_t size)
{
    struct memory *m = locked(state);
    for (size_t i = 0; i < size; i++) {
        uint64_t x = m->random += UINT64_C(0x9e3779b97f4a7c15);
        x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
        ((unsigned char *)bytes)[i] = (unsigned char)(x >> 32);
    }
    return unlocked(m, 0);
}

static int64_t now(void *state)
{
    struct memory *m = locked(state);
    int64_t time = m->now;
    unlocked(m, 0);
    return time;
}

static int64_t uptime(void *state)
{
    struct memory *m = locked(state);
    int64_t time = m->uptime;
    unlocked(m, 0);
    return time;
}

static void sleep_for(void *state, int64_t time)
{
    struct memory *m = locked(state);
    m->now += time;
    m->uptime += time;
    unlocked(m, 0);
}

static int64_t process(void *state, char *machine, size_t size)
{
    (void)state;
    snprintf(machine, size, "machine");
    return 1;
}

static unsigned processors(void *state)
{
    (void)state;
    return 2;
}

static int start_thread(void *state, void *(*function)(void *), void *argument,
    uintptr_t *handle)
{
    (void)state;
    return vv_posix_system.start_thread(
        vv_posix_system.state, function, argument, handle);
}

static int join_thread(void *state, uintptr_t handle)
{
    (void)state;
    return vv_posix_system.join_thread(vv_posix_system.state, handle);
}

static const struct vv_system functions = {
    .open_file = open_file,
    .create_file = create_file,
    .open_to_write = open_to_write,
    .open_directory = open_directory,
    .open_real_directory = open_directory,
    .close = close_descriptor,
    .info = info,
    .read_at = read_at,
    .write_at = write_at,
    .reserve = reserve,
    .start_write_back = check_range,
    .will_read = check_range,
    .sync = sync_descriptor,
    .lock = lock,
    .share_lock = share_lock,
    .unlock = unlock,
    .rename = rename_file,
    .rename_new = rename_new,
    .link = link_file,
    .remove = remove_name,
    .make_directory = make_directory,
    .each_name = each_name,
    .map = map,
    .unmap = unmap,
    .open_tracker = open_tracker,
    .track = track,
    .untrack = untrack,
    .each_written = each_written,
    .arm = arm,
    .random = random_bytes,
    .now = now,
    .uptime = uptime,
    .sleep = sleep_for,
    .process = process,
    .processors = processors,
    .start_thread = start_thread,
    .join_thread = join_thread,
};

struct memory *memory_new(void)
{
    struct memory *m = calloc(1, sizeof *m);
    cr_assert(m, "the machine is out of memory");
    m->system = functions;
    m->system.state = m;
    pthread_mutex_init(&m->lock, NULL);
    m->root = memory_node_new(true);
    m->root->links = 1;
    m->next_number = FIRST_DESCRIPTOR;
    m->capacity = UINT64_MAX;
    return m;
}

void memory_free(struct memory *m)
{
    if (!m)
        return;
    while (m->open_count)
        close_descriptor(m, m->open[0].number);
    memory_track_nothing(&m->tracked, -1);
    memory_node_free_all(m->root);
    pthread_mutex_destroy(&m->lock);
    free(m->open);
    free(m);
}

const struct vv_system *memory_system(struct memory *m)
{
    return &m->system;
}

void memory_set_now(struct memory *m, int64_t nanoseconds)
{
    pthread_mutex_lock(&m->lock);
    m->now = nanoseconds;
    pthread_mutex_unlock(&m->lock);
}
