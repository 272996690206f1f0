/* restore_flags.h - Declares the meaning of the flags of an input for
 * fuzz_restore.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef FUZZ_RESTORE_FLAGS_H
#define FUZZ_RESTORE_FLAGS_H

enum restore_flag {
    RESTORE_STREAMING = 1 << 0,
    RESTORE_MAP = 1 << 1,
    RESTORE_NO_VERIFY = 1 << 2,
    RESTORE_CAST_WIDEN = 1 << 3,
    RESTORE_CAST_ANY = 1 << 4,
    RESTORE_RESHAPE = 1 << 5,
    RESTORE_RESIZE = 1 << 6,
    RESTORE_ONLY = 1 << 7,
    RESTORE_EXCEPT = 1 << 8,
    RESTORE_RENAMES = 1 << 9,
    RESTORE_SUBTREE = 1 << 10,
    RESTORE_LATE = 1 << 11, /* the program is built after the read */
    RESTORE_PLAN = 1 << 12,
    RESTORE_NO_STAGING = 1 << 13, /* values exceed the staging buffer */
    RESTORE_REGRET = 1 << 14,     /* edges change while values are pending */
    RESTORE_TWICE = 1 << 15,      /* two restorations at the same time */
    RESTORE_EXPECT = 1 << 16,
    /* drops pending values, by patterns and then all */
    RESTORE_DROP = 1 << 17,
    RESTORE_NUMBERED = 1 << 18,
    RESTORE_OUTLIVES = 1 << 19, /* the graph is freed first */
};

enum { RESTORE_FLAG_COUNT = 20 };

#endif
