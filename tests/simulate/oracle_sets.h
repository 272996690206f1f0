/* oracle_sets.h - Declares the oracle for ranks with a directory each: it
 * records what was reported as saved and checks what must hold for these
 * directories.
 *
 * A set consists of the files of one save, one for each rank. A resume must use
 * the newest reported set for which at most one rank lacks its file; of several
 * lineages the one with the highest number, and for equal numbers the later
 * one.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_ORACLE_SETS_H
#define SIMULATE_ORACLE_SETS_H

#include "simulate/communicator.h"
#include "simulate/oracle.h"

struct life_of_ranks {
    const char *name;
    unsigned number; /* in order of their starts */
    uint32_t size;
    /* the disks of the ranks' directories */
    const struct disk *disks[MOST_RANKS];
    unsigned lost; /* mask of ranks whose disks were lost since the start */
};

void sets_begin(void);

/* The common directory; each rank has a subdirectory "rank-R". */
#define SETS_DIRECTORY "fast/run"

/* Begins a save of a run. Later runs have higher numbers. */
void sets_note_save(uint64_t save, unsigned run);

/* Records that a rank reported a save as complete, with the file `path`. */
void sets_saved(const struct process *process,
    const struct life_of_ranks *life, uint32_t rank, uint64_t save,
    const char *path);

/* Records that all ranks reported that lost files of the resumed set were
 * rebuilt. */
void sets_rebuilt(const struct life_of_ranks *life, uint64_t save);

/* Records that all ranks reported a complete copy at a tier, with the prefix of
 * one rank. */
void sets_drained(const struct process *process,
    const struct life_of_ranks *life, uint32_t rank, uint64_t save,
    const char *prefix, const char *latest);

/* Returns the number of reports up to now. */
size_t sets_moment(void);

/* Checks the resume of a rank that began at a moment. */
void sets_resumed(const struct life_of_ranks *life, uint32_t rank,
    size_t moment, uint64_t save, bool is_new);

/* Returns true if a reported set must be found by a resume. */
bool sets_can_be_resumed(const struct life_of_ranks *life, size_t moment);

/* Like oracle_name_changed, for any directory. */
void sets_name_changed(const struct process *process,
    const struct inode *directory, const char *name, const struct inode *older,
    const struct inode *newer);

/* The content of a disk is lost. */
void sets_lose(const struct disk *disk);

/* Number of resumed sets in which the file of a rank was missing, and of files
 * of abandoned sets that were renamed. */
extern uint32_t sets_repaired, sets_aside;

#endif
