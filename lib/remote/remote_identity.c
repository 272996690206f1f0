/* remote_identity.c - Hashes the identity of an object, and parses both date
 * formats of stores.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_identity.h"

#include <string.h>
#include <time.h>

#include <curl/curl.h>

#define A_SECOND INT64_C(1000000000)
#define MOST_SECONDS (INT64_MAX / A_SECOND)

/* --- Serials ----------------------------------------------------------------
 */

/* Hashes bytes with FNV-1a. */
static uint64_t remote_identity_add_bytes(
    uint64_t sum, const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        sum = (sum ^ (unsigned char)text[i]) * UINT64_C(0x100000001b3);
    return sum;
}

uint64_t vv_remote_serial(const char *path, const char *tag, uint64_t size)
{
    size_t path_size = strlen(path), tag_size = strlen(tag);
    while (path_size && path[path_size - 1] == '/')
        path_size--;
    if (tag_size >= 2 && tag[0] == '"' && tag[tag_size - 1] == '"') {
        tag++;
        tag_size -= 2;
    }
    uint64_t sum = remote_identity_add_bytes(
        UINT64_C(0xcbf29ce484222325), path, path_size);
    sum = remote_identity_add_bytes(
        sum, "", 1); /* a NUL, which neither text contains */
    sum = remote_identity_add_bytes(sum, tag, tag_size);
    sum = remote_identity_add_bytes(sum, "", 1);
    for (int i = 0; i < 8; i++) {
        const char byte = (char)(size >> 8 * i);
        sum = remote_identity_add_bytes(sum, &byte, 1);
    }
    return sum | 1; /* 0 is not a valid serial */
}

/* --- Times ------------------------------------------------------------------
 */

static int64_t remote_identity_nanoseconds(int64_t seconds)
{
    return seconds > 0 && seconds <= MOST_SECONDS ? seconds * A_SECOND : 0;
}

int64_t vv_remote_header_time(const char *date)
{
    return *date
               ? remote_identity_nanoseconds((int64_t)curl_getdate(date, NULL))
               : 0;
}

/* Compares `text` with a pattern in which '0' matches any digit. Returns the
 * rest, or NULL. */
static const char *remote_identity_match(const char *text, const char *form)
{
    for (; *form; form++, text++) {
        bool is_digit = *text >= '0' && *text <= '9';
        if (*form == '0' ? !is_digit : *text != *form)
            return NULL;
    }
    return text;
}

static int number_at(const char *text, int digits)
{
    int number = 0;
    for (int i = 0; i < digits; i++)
        number = number * 10 + (text[i] - '0');
    return number;
}

static bool is_leap(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

/* Returns the days since 1970-01-01, or a negative number for an invalid
 * date. */
static int64_t days_of(int year, int month, int day)
{
    static const int lengths[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30,
        31 };
    if (year < 1970 || month < 1 || month > 12)
        return -1;
    int64_t days = day - 1;
    for (int i = 1970; i < year; i++)
        days += 365 + is_leap(i);
    for (int i = 1; i < month; i++)
        days += lengths[i - 1] + (i == 2 && is_leap(year));
    int length = lengths[month - 1] + (month == 2 && is_leap(year));
    return day >= 1 && day <= length ? days : -1;
}

int64_t vv_remote_list_time(const char *date)
{
    const char *at = remote_identity_match(date, "0000-00-00T00:00:00");
    if (!at)
        return 0;
    if (*at == '.') {
        size_t digits = strspn(at + 1, "0123456789");
        at += digits ? digits + 1 : 0;
    }
    int64_t days = days_of(
        number_at(date, 4), number_at(date + 5, 2), number_at(date + 8, 2));
    int hour = number_at(date + 11, 2), minute = number_at(date + 14, 2);
    int second = number_at(date + 17, 2);
    bool is_utc = strcmp(at, "Z") == 0 || strcmp(at, "+00:00") == 0;
    if (!is_utc || days < 0 || hour > 23 || minute > 59 || second > 60)
        return 0;
    return remote_identity_nanoseconds(
        days * 86400 + hour * 3600 + minute * 60 + second);
}
