/* remote_lock_record.c - Writes the lines of a record, and parses them in the
 * same order.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_lock_record.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool is_printable(char c)
{
    return c > ' ' && c < 127;
}

static void copy_word(char *to, size_t room, const char *word)
{
    size_t size = 0;
    for (; word[size] && size + 1 < room; size++)
        to[size] = is_printable(word[size]) ? word[size] : '_';
    if (size == 0)
        to[size++] = '_';
    to[size] = '\0';
}

size_t vv_remote_lock_record_write(const struct vv_remote_lock_record *record,
    char text[VV_REMOTE_RECORD_SIZE])
{
    char host[VV_REMOTE_HOST_SIZE], run[VV_REMOTE_RUN_SIZE],
        since[VV_REMOTE_SINCE_SIZE];
    copy_word(host, sizeof host, record->host);
    copy_word(run, sizeof run, record->run);
    copy_word(since, sizeof since, record->since);
    int size = snprintf(text, VV_REMOTE_RECORD_SIZE,
        "varve lock 1\nhost %s\npid %" PRIu64
        "\nrun %s\nsince %s\nstate %s\ntoken %s\nterm_ms %" PRIu64
        "\nrenewal %" PRIu64 "\n",
        host, record->pid, run, since, record->is_held ? "held" : "free",
        record->token, record->term_ms, record->renewal);
    return (size_t)size;
}

/* Parses the line "NAME VALUE" at *at and moves to the next line. Returns NULL
 * if the name differs, or if the value is empty, too long or unprintable. */
static const char *remote_lock_record_take_line(
    const char **at, const char *name, char *value, size_t room)
{
    size_t name_size = strlen(name);
    const char *end = strchr(*at, '\n');
    if (!end || strncmp(*at, name, name_size) != 0 || (*at)[name_size] != ' ')
        return NULL;
    const char *begin = *at + name_size + 1;
    if (end <= begin || (size_t)(end - begin) >= room)
        return NULL;
    size_t size = (size_t)(end - begin);
    for (size_t i = 0; i < size; i++)
        if (!is_printable(begin[i]))
            return NULL;
    memcpy(value, begin, size);
    value[size] = '\0';
    *at = end + 1;
    return value;
}

static bool remote_lock_record_take_number(
    const char **at, const char *name, uint64_t *number)
{
    char digits[21];
    *number = 0;
    if (!remote_lock_record_take_line(at, name, digits, sizeof digits))
        return false;
    for (const char *d = digits; *d; d++) {
        unsigned digit = (unsigned char)*d - (unsigned)'0';
        if (digit > 9 || *number > (UINT64_MAX - digit) / 10)
            return false;
        *number = *number * 10 + digit;
    }
    return true;
}

static bool remote_lock_record_take_state(const char **at, bool *is_held)
{
    char word[8];
    if (!remote_lock_record_take_line(at, "state", word, sizeof word))
        return false;
    *is_held = strcmp(word, "held") == 0;
    return *is_held || strcmp(word, "free") == 0;
}

static bool take_token(const char **at, char token[33])
{
    return remote_lock_record_take_line(at, "token", token, 33) &&
           strlen(token) == 32 && strspn(token, "0123456789abcdef") == 32;
}

bool vv_remote_lock_record_parse(
    const char *text, size_t size, struct vv_remote_lock_record *record)
{
    char copy[VV_REMOTE_RECORD_SIZE], word[8];
    const char *at = copy;
    *record = (struct vv_remote_lock_record){ .is_held = false };
    if (size >= sizeof copy || memchr(text, 0, size))
        return false;
    memcpy(copy, text, size);
    copy[size] = '\0';
    if (!remote_lock_record_take_line(&at, "varve lock", word, sizeof word) ||
        strcmp(word, "1") != 0)
        return false;
    return remote_lock_record_take_line(
               &at, "host", record->host, sizeof record->host) &&
           remote_lock_record_take_number(&at, "pid", &record->pid) &&
           remote_lock_record_take_line(
               &at, "run", record->run, sizeof record->run) &&
           remote_lock_record_take_line(
               &at, "since", record->since, sizeof record->since) &&
           remote_lock_record_take_state(&at, &record->is_held) &&
           take_token(&at, record->token) &&
           remote_lock_record_take_number(&at, "term_ms", &record->term_ms) &&
           record->term_ms && record->term_ms <= VV_REMOTE_MOST_TERM_MS &&
           remote_lock_record_take_number(&at, "renewal", &record->renewal) &&
           !*at;
}
