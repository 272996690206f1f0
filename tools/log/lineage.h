/* lineage.h - Finds the run that saved a checkpoint, and the checkpoint from
 * which that run was resumed, from the metadata of the file.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TOOL_LINEAGE_H
#define TOOL_LINEAGE_H

#include "run.h"

/* Keys in the metadata: the ID of the run, and the parent checkpoint: its
 * identity of 16 hexadecimal digits, its run ("-": unknown) and its number,
 * separated by spaces. */
#define LINEAGE_RUN_KEY "varve.run"
#define LINEAGE_PARENT_KEY "varve.parent"

enum { LINEAGE_IDENTITY_SIZE = 16, LINEAGE_SHORT_SIZE = 6 };

struct lineage {
    char *run;        /* NULL: unknown */
    char *parent;     /* the text in the file; NULL: none */
    bool has_parent;  /* the text has this form */
    char *parent_run; /* NULL: unknown */
    uint64_t parent_number;
    char parent_identity[LINEAGE_IDENTITY_SIZE + 1];
};

/* A checkpoint in the listing. */
struct log_row {
    const struct run *run;
    const struct run_entry *entry;
    size_t source; /* number of the operand */
    struct lineage lineage;
    char *id;              /* ID in the graph */
    const char *parent_id; /* borrowed from another row; or NULL */
};

/* Reads the lineage from the file of an entry. For a damaged file, or one that
 * no manager wrote, all members are unknown. */
void lineage_read(struct lineage *lineage, const struct run_entry *entry);
void lineage_clear(struct lineage *lineage);

/* Returns the end of the ID of a run, which is the part that is displayed. */
const char *lineage_short(const char *run);

/* Sorts the rows of one prefix, newest first, and sets their IDs and those of
 * their parents: the previous checkpoint of the same run, the one from which
 * the run was resumed, or, if that was deleted, the newest one before it.
 * Checkpoints of unknown runs form one lineage per directory. Returns the
 * number of rows that are not a parent, copies counted once: 1 if all are in
 * one line. */
size_t lineage_link(struct log_row *rows, size_t count);

#endif
