/* units.c - Formats sizes and times.
 *
 * SPDX-License-Identifier: MIT
 */
#include "units.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "settings.h"

bool size_parse(const char *text, uint64_t *size)
{
    static const char *const units[] = { "B", "KB", "MB", "GB", "TB", "", "KIB",
        "MIB", "GIB", "TIB", "", "K", "M", "G", "T" };
    char unit[4] = { 0 };
    char *end;
    if (!isdigit((unsigned char)*text))
        return false;
    errno = 0;
    *size = strtoull(text, &end, 10);
    end += *end == ' ';
    for (size_t i = 0; i + 1 < sizeof unit && *end; i++)
        unit[i] = (char)toupper((unsigned char)*end++);
    size_t i = 0, count = sizeof units / sizeof *units;
    while (i < count && strcmp(units[i], unit) != 0)
        i++;
    if (i == count || *end || errno || *size == 0)
        return false;
    for (uint64_t step = i < 5 ? 1000 : 1024; i % 5 > 0; i--) {
        if (*size > UINT64_MAX / step)
            return false;
        *size *= step;
    }
    return true;
}

const char *size_text(unsigned units, uint64_t size, char text[UNITS_TEXT_SIZE])
{
    static const char *const iec[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB",
        "EiB" };
    static const char *const si[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
    double step = units == UNITS_SI ? 1000 : 1024;
    double value = (double)size;
    int unit = 0;
    if (units == UNITS_BYTES) {
        snprintf(text, UNITS_TEXT_SIZE, "%" PRIu64, size);
        return text;
    }
    /* a value that would be printed as 1024.0 becomes 1.00 of the next unit */
    while (value >= step - 0.05 * (unit > 0) && unit < 6) {
        value /= step;
        unit++;
    }
    int digits = unit == 0 ? 0 : unit == 1 ? 1 : 2;
    snprintf(text, UNITS_TEXT_SIZE, "%.*f %s", digits, value,
        (units == UNITS_SI ? si : iec)[unit]);
    return text;
}

const char *time_text(int64_t seconds, char text[UNITS_TEXT_SIZE])
{
    struct tm parts;
    time_t time = (time_t)seconds;
    if (time != seconds || !gmtime_r(&time, &parts) || parts.tm_year > 8099 ||
        parts.tm_year < -1900)
        snprintf(text, UNITS_TEXT_SIZE, "%" PRId64 " s", seconds);
    else
        strftime(text, UNITS_TEXT_SIZE, "%Y-%m-%dT%H:%M:%SZ", &parts);
    return text;
}
