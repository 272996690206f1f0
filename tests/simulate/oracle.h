/* oracle.h - Declares the oracle: it records what was reported as saved,
 * pinned, leased and copied, and checks what must hold for the disks.
 *
 * Each save has a unique number, which is one of the values that it writes,
 * beside the number of the save or resume that it continues. So every file
 * identifies its save and its lineage.
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

/* The metadata of an incremental checkpoint: this text and the number of the
 * save with this many digits. */
#define ORACLE_METADATA "simulated save "
enum { ORACLE_DIGITS = 20 };

/* Checkpoints of one prefix: "shared/run/ckpt" on a disk. */
struct series {
    const struct disk *disk;
    const char *prefix;
};

void oracle_begin(bool replaces_steps);

struct series oracle_series(
    const struct process *process, const char *prefix);

/* Sets the values of a program that starts from the beginning. */
void oracle_initial(int64_t values[VALUES]);

/* Begins a save: sets its values and returns its number. */
uint64_t oracle_begins_save(int64_t values[VALUES]);

/* Records a save that was reported as durable, with the path `path` (or
 * NULL). */
void oracle_saved(const struct process *process,
    struct series series, uint64_t save, const char *path);

/* Returns the number of reports up to now. */
size_t oracle_moment(void);

/* Checks the values of a successful resume from several prefixes, which began
 * at a moment. `is_new`: it started from the beginning. */
void oracle_resumed(const struct process *process,
    const struct series *all, size_t count, size_t moment,
    const int64_t values[VALUES], bool is_new);

/* Returns true if a save was reported before the moment and is not lost. */
bool oracle_has(struct series series, size_t moment);

/* Checks that nothing was reported when a reader found nothing. */
void oracle_found_nothing(const struct process *process,
    struct series series, size_t moment, const char *call);

/* Checks the values that a reader got as the latest. */
void oracle_read(const struct process *process,
    struct series series, size_t moment,
    const int64_t values[VALUES], const char *call);

/* Checks a path that a reader got as the latest. */
void oracle_named(const struct process *process,
    struct series series, size_t moment, const char *path,
    const char *call);

/* Record a pin that was reported, and one that is about to be removed. */
void oracle_pinned(const struct process *process, const char *path);
void oracle_unpins(const struct process *process, const char *path);

/* Records a lease that was reported, and returns its number; oracle_lease_ends
 * is called before its end. */
size_t oracle_leased(const struct process *process, const char *path);
void oracle_lease_ends(size_t lease);

/* Checks a tier that was flushed by a run with this last save. */
void oracle_drained(const struct process *process, struct series level,
    uint64_t save, const char *latest);

/* Checks the change of a name from `older` to `newer`, which may be NULL. */
void oracle_name_changed(const struct process *process,
    const struct inode *directory, const char *name, struct inode *older,
    struct inode *newer);

/* Returns the save of a file according to its values, or 0. oracle_is_from
 * returns true if a save equals or continues another one. */
uint64_t oracle_save_of(struct inode *file);
bool oracle_is_from(uint64_t save, uint64_t older);

/* Return the inode of a path, and the directory of a prefix, or NULL. */
struct inode *oracle_file_at(const struct process *process, const char *path);
const struct inode *oracle_directory_of(struct series series);

/* The content of a disk is lost: its saves are no longer required. */
void oracle_lose(const struct disk *disk);

/* Numbers of reported saves and of resumes. */
extern uint32_t oracle_saves, oracle_resumes;

#endif
