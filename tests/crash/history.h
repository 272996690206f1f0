/* history.h - what was done to a disk, and when, and what of it a power cut may
 * leave.
 *
 * Time counts the calls that change something. A name (an entry of a directory)
 * and the content of a file each have a line of versions. At a given time the
 * disk holds for each line any version between the one at the last sync (of the
 * directory, of the file) and the newest, whatever it holds for the others;
 * the content of a file that was not synced may moreover be cut, torn or blank.
 * That is weaker than what any file system in use promises.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef CRASH_HISTORY_H
#define CRASH_HISTORY_H

#include <stdbool.h>
#include <stddef.h>

struct memory;

enum {
    CRASH_NAMES = 256,    /* that ever were */
    CRASH_NODES = 256,    /* files and directories */
    CRASH_VERSIONS = 64, /* of one name or file */
    CRASH_SYNCS = 128,    /* of one node */
    CRASH_SECTOR = 512,
};

struct crash_version {
    long time;
    struct crash_node *node; /* of a name; NULL: it is not there */
    unsigned char *bytes;    /* of a file */
    size_t size;
};

struct crash_line {
    struct crash_version versions[CRASH_VERSIONS];
    size_t count;
};

struct crash_node {
    bool is_directory;
    struct crash_node *above; /* what it was made in; NULL: the root */
    struct crash_line content;
    long syncs[CRASH_SYNCS];
    size_t sync_count;
};

struct crash_name {
    struct crash_node *parent;
    char name[256];
    struct crash_line line;
};

struct history {
    struct crash_node *nodes[CRASH_NODES]; /* the root is the first */
    size_t node_count;
    struct crash_name names[CRASH_NAMES];
    size_t name_count;
    long time; /* of the newest change */
};

struct history *history_new(void);
void history_free(struct history *history);

/* Changes, at the present time. A node NULL takes the name away; content is
 * what the file holds from then on. */
struct crash_node *history_add(struct history *history, bool is_directory);
void history_name(struct history *history, struct crash_node *parent,
    const char *name, struct crash_node *node);
void history_content(struct history *history, struct crash_node *file,
    const void *bytes, size_t size);
void history_sync(struct history *history, struct crash_node *node);

/* The newest of a file's content. */
const struct crash_version *history_newest(const struct crash_node *file);

/* Whether a name was ever made in a directory. */
bool history_has(
    struct history *history, struct crash_node *parent, const char *name);

/* The node at a path from a directory; `name` is the last part of it, which is
 * not followed where it is not NULL. */
struct crash_node *history_find(struct history *history,
    struct crash_node *from, const char *path, char name[256]);

/* Which versions the disk may hold of a line: first to last. */
struct crash_window {
    size_t first, last;
};

struct crash_window history_window(const struct crash_line *line,
    const struct crash_node *synced, long time);

#endif
