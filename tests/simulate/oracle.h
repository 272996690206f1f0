/* oracle.h - what was said to be saved, pinned, leased and copied, and what
 * must hold of the disks then.
 *
 * Each save has a number of its own, which is among the values that it writes,
 * with that of the save or resume before it: so every file tells which save it
 * is, and whose work it goes on with.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_ORACLE_H
#define SIMULATE_ORACLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct disk;
struct inode;
struct process;

/* The values of a program. */
enum { VALUE_MARK, VALUE_MARK_2, VALUE_SAVE, VALUE_PARENT, VALUE_STEP, VALUES };

/* The metadata of a checkpoint in layers: this and so many digits, the save. */
#define ORACLE_METADATA "simulated save "
enum { ORACLE_DIGITS = 20 };

/* Checkpoints of one prefix: "shared/run/ckpt" on a disk. */
struct indexed_pool {
    const struct disk *disk;
    const char *prefix;
};

void oracle_begin(bool replaces_steps);

struct indexed_pool oracle_indexed_pool(
    const struct process *process, const char *prefix);

/* Fills in the values of a program that has begun anew. */
void oracle_initial(int64_t values[VALUES]);

/* A save begins: the values are those that it is to write. Which it is. */
uint64_t oracle_begins_save(int64_t values[VALUES]);

/* It was reported as saved, durable, as the file `path` (or NULL). */
void oracle_saved(const struct process *process,
    struct indexed_pool indexed_pool, uint64_t save, const char *path);

/* A moment: what was reported up to it. */
size_t oracle_moment(void);

/* A resume from these places has returned VARVE_OK with such values; it began
 * at a moment. `is_new`: it began anew. */
void oracle_resumed(const struct process *process,
    const struct indexed_pool *shelves, size_t count, size_t moment,
    const int64_t values[VALUES], bool is_new);

/* Something was reported before the moment and is not lost. */
bool oracle_has(struct indexed_pool indexed_pool, size_t moment);

/* A reader was told that there is nothing. */
void oracle_found_nothing(const struct process *process,
    struct indexed_pool indexed_pool, size_t moment, const char *call);

/* What a reader has got, for a call that names the latest. */
void oracle_read(const struct process *process,
    struct indexed_pool indexed_pool, size_t moment,
    const int64_t values[VALUES], const char *call);

/* A path that a reader was told as the latest. */
void oracle_named(const struct process *process,
    struct indexed_pool indexed_pool, size_t moment, const char *path,
    const char *call);

/* A pin was reported; is about to be taken back. */
void oracle_pinned(const struct process *process, const char *path);
void oracle_unpins(const struct process *process, const char *path);

/* A lease was reported: which; it is about to end. */
size_t oracle_leased(const struct process *process, const char *path);
void oracle_lease_ends(size_t lease);

/* A level was drained by a run whose last save was this. */
void oracle_drained(const struct process *process, struct indexed_pool level,
    uint64_t save, const char *latest);

/* A name of a directory has led to `older`, and now leads to `newer`; each may
 * be NULL. */
void oracle_name_changed(const struct process *process,
    const struct inode *directory, const char *name, struct inode *older,
    struct inode *newer);

/* Which save a file is, by the values in it; 0: none. Whether one save is
 * another, or goes on with it. */
uint64_t oracle_save_of(struct inode *file);
bool oracle_is_from(uint64_t save, uint64_t older);

/* What a path leads to; the directory of a place. NULL: nothing. */
struct inode *oracle_file_at(const struct process *process, const char *path);
const struct inode *oracle_directory_of(struct indexed_pool indexed_pool);

/* What is on a disk is lost: nothing of it is asked for any more. */
void oracle_lose(const struct disk *disk);

/* How many saves were reported, and resumes. */
extern uint32_t oracle_saves, oracle_resumes;

#endif
