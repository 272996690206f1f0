/* test_remote_lock_record.c - Tests the record in a lock object.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_lock_record.h"

#include <stdio.h>
#include <string.h>

#include "support/test.h"

#define TOKEN "0123456789abcdef0123456789abcdef"
#define TEXT                                                                   \
    "varve lock 1\nhost node-7\npid 4711\nrun R-1\n"                           \
    "since 2026-10-01T10:00:00Z\nstate held\ntoken " TOKEN                     \
    "\nterm_ms 60000\nrenewal 17\n"

static bool parse(const char *text, struct vv_remote_lock_record *record)
{
    return vv_remote_lock_record_parse(text, strlen(text), record);
}

TEST(remote_lock_record, is_the_documented_text)
{
    const struct vv_remote_lock_record record = { .is_held = true,
        .host = "node-7",
        .pid = 4711,
        .run = "R-1",
        .since = "2026-10-01T10:00:00Z",
        .token = TOKEN,
        .term_ms = 60000,
        .renewal = 17 };
    struct vv_remote_lock_record found;
    char text[VV_REMOTE_RECORD_SIZE];
    cr_assert_eq(vv_remote_lock_record_write(&record, text), sizeof TEXT - 1);
    cr_assert_str_eq(text, TEXT);
    cr_assert(parse(text, &found));
    cr_assert(found.is_held);
    cr_assert_str_eq(found.host, "node-7");
    cr_assert_eq(found.pid, 4711);
    cr_assert_str_eq(found.run, "R-1");
    cr_assert_str_eq(found.since, "2026-10-01T10:00:00Z");
    cr_assert_str_eq(found.token, TOKEN);
    cr_assert_eq(found.term_ms, 60000);
    cr_assert_eq(found.renewal, 17);
}

TEST(remote_lock_record, fits_its_buffer_with_any_content)
{
    struct vv_remote_lock_record record = { .pid = UINT64_MAX,
        .token = TOKEN,
        .term_ms = VV_REMOTE_MOST_TERM_MS,
        .renewal = UINT64_MAX };
    struct vv_remote_lock_record found;
    char text[VV_REMOTE_RECORD_SIZE];
    size_t size = vv_remote_lock_record_write(&record, text);
    cr_assert(vv_remote_lock_record_parse(text, size, &found));
    cr_assert_not(found.is_held);
    cr_assert_str_eq(found.host, "_");
    memset(record.host, 'm', sizeof record.host - 1);
    memset(record.run, 'r', sizeof record.run - 1);
    memset(record.since, 's', sizeof record.since - 1);
    record.host[3] = '\n';
    record.host[4] = ' ';
    size = vv_remote_lock_record_write(&record, text);
    cr_assert_lt(size, sizeof text);
    cr_assert(vv_remote_lock_record_parse(text, size, &found));
    cr_assert_eq(strncmp(found.host, "mmm__mm", 7), 0);
    cr_assert_eq(found.pid, UINT64_MAX);
    cr_assert_eq(found.renewal, UINT64_MAX);
}

/* If a byte is removed or changed, the record is invalid or has other
 * values. */
TEST(remote_lock_record, of_another_form_is_refused)
{
    static const char *const texts[] = { "", "\n", "varve lock 1\n",
        "varve lock 2\nhost node-7\n", "<html></html>" };
    struct vv_remote_lock_record found;
    char text[sizeof TEXT + 1];
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        cr_assert_not(parse(texts[i], &found), "%s", texts[i]);
    for (size_t size = 0; size < sizeof TEXT - 1; size++)
        cr_assert_not(vv_remote_lock_record_parse(TEXT, size, &found));
    cr_assert_not(parse(TEXT "x", &found));
    cr_assert_not(vv_remote_lock_record_parse(TEXT, sizeof TEXT, &found));
    for (size_t i = 0; i < sizeof TEXT - 1; i++) {
        memcpy(text, TEXT, sizeof TEXT);
        text[i] = '\x01';
        cr_assert_not(parse(text, &found), "%zu", i);
    }
}

TEST(remote_lock_record, has_values_within_bounds)
{
    static const char *const lines[] = { "term_ms 60000", "term_ms 0",
        "term_ms 60000", "term_ms 86400001", "pid 4711", "pid -1", "pid 4711",
        "pid 18446744073709551616", "renewal 17",
        "renewal ", "state held", "state gone", "token 0", "token x",
        "host node-7", "host ", "host node-7", "host a b",
        "run R-1", "run " };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i += 2) {
        struct vv_remote_lock_record found;
        char text[1024];
        const char *at = strstr(TEXT, lines[i]);
        cr_assert_not_null(at);
        snprintf(text, sizeof text, "%.*s%s%s", (int)(at - TEXT), TEXT,
            lines[i + 1], at + strlen(lines[i]));
        cr_assert_not(parse(text, &found), "%s", text);
    }
}
