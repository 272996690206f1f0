/* oracle_sets.h - what was said to be saved by ranks with a directory each, and
 * what must hold of these directories then.
 *
 * A set is the files of one save, one of each rank. Who resumes has to take the
 * newest that was reported where no more than one rank is without its file; of
 * several lineages that with the highest number, and of one number the younger.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef SIMULATE_ORACLE_SETS_H
#define SIMULATE_ORACLE_SETS_H

#include "simulate/communicator.h"
#include "simulate/oracle.h"

struct life_of_ranks {
    const char *name;
    unsigned number; /* in the order of their beginnings */
    uint32_t size;
    const struct disk *disks[MOST_RANKS]; /* of the ranks' directories */
    unsigned lost; /* those that were lost since it began, as bits */
};

void sets_begin(void);

/* Of the ranks: that of a rank is "rank-R" there. */
#define SETS_DIRECTORY "fast/run"

/* A save begins, of a run: later runs have higher numbers. */
void sets_note_save(uint64_t save, unsigned run);

/* A rank was told that a save is done, as the file `path`. */
void sets_saved(const struct process *process,
    const struct life_of_ranks *life, uint32_t rank, uint64_t save,
    const char *path);

/* All ranks were told that what was lost of what they resumed is made again. */
void sets_mended(const struct life_of_ranks *life, uint64_t save);

/* All ranks were told that a level has it, in `prefix` of a process and a
 * rank. */
void sets_drained(const struct process *process,
    const struct life_of_ranks *life, uint32_t rank, uint64_t save,
    const char *prefix, const char *latest);

/* A moment: what was reported up to it. */
size_t sets_moment(void);

/* A rank has resumed, from what was reported up to a moment. */
void sets_resumed(const struct life_of_ranks *life, uint32_t rank,
    size_t moment, uint64_t save, bool is_new);

/* Returns whether something was reported that a life has to resume. */
bool sets_can_be_resumed(const struct life_of_ranks *life, size_t moment);

/* As oracle_name_changed, of any directory. */
void sets_name_changed(const struct process *process,
    const struct inode *directory, const char *name, const struct inode *older,
    const struct inode *newer);

/* What is on a disk is lost. */
void sets_lose(const struct disk *disk);

/* How many sets were resumed of which the file of a rank was missing, and how
 * many abandoned files were set aside. */
extern uint32_t sets_repaired, sets_aside;

#endif
