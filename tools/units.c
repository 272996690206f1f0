/* units.c - sizes and times as text.
 *
 * SPDX-License-Identifier: MIT
 */
#include "units.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "command.h"

const char *size_text(
    unsigned units, uint64_t size, char text[UNITS_TEXT_SIZE])
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
    /* What would be printed as 1024.0 is 1.00 of the next. */
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
