/* test_write_faults.c - Tests that a write that fails at any point leaves the
 * older file and no other.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fault/sweep.h"
#include "fault/writes.h"

TEST(fault, a_first_write_is_complete_or_leaves_no_file)
{
    try_all(&first_write);
}

TEST(fault, an_overwrite_is_complete_or_leaves_the_older_file)
{
    try_all(&overwrite);
}

TEST(fault, a_write_with_no_replace_is_complete_or_leaves_no_file)
{
    try_all(&write_beside);
}

TEST(fault, a_write_without_syncs_is_complete_or_leaves_the_older_file)
{
    try_all(&unsynced);
}

TEST(fault, a_numbered_save_is_complete_or_uses_no_number)
{
    try_all(&numbered_save);
}
