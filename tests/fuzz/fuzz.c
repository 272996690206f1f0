/* fuzz.c - Contains inputs and checks that all targets share.
 *
 * SPDX-License-Identifier: MIT
 */
#include "fuzz/fuzz.h"

#include <string.h>

#include "bytes.h"
#include "layout.h"

enum { MOST_FLAGS = 4 };

static bool is_footer_before(const uint8_t *bytes, size_t size)
{
    return size >= VV_HEADER_SIZE + VV_FOOTER_SIZE &&
           memcmp(bytes + size - 8, VV_FOOTER_MAGIC, 8) == 0;
}

size_t fuzz_file_size(const uint8_t *bytes, size_t size)
{
    for (size_t more = 0; more <= MOST_FLAGS && more < size; more++) {
        if (is_footer_before(bytes, size - more))
            return size - more;
    }
    return size;
}

uint32_t fuzz_flags(const uint8_t *bytes, size_t size)
{
    size_t begin = fuzz_file_size(bytes, size);
    uint8_t flags[4] = { 0 };
    memcpy(flags, bytes + begin, size - begin);
    return vv_load32(flags);
}

/* Returns true for statuses that a file can cause; not for those that only the
 * program or the system can cause. */
static bool is_of_a_file(varve_status status)
{
    switch (status) {
    case VARVE_NOT_FOUND: /* no such subtree */
    case VARVE_EMPTY_FILE:
    case VARVE_NOT_A_CHECKPOINT:
    case VARVE_TOO_NEW:
    case VARVE_TRUNCATED:
    case VARVE_CORRUPT:
    case VARVE_LIMIT:
    case VARVE_BAD_NAME: /* allowed by another format, but not by this one */
    case VARVE_MISMATCH:
    case VARVE_UNMATCHED:
    case VARVE_CALLBACK:
    case VARVE_PARTIALLY_RESTORED: return true;
    default: return false;
    }
}

void fuzz_check_failure(varve_status status, const varve_error *error)
{
    FUZZ_CHECK(status == error->status, "returned %s, wrote %s",
        varve_status_name(status), varve_status_name(error->status));
    FUZZ_CHECK(is_of_a_file(status), "%s: %s", varve_status_name(status),
        error->message);
    FUZZ_CHECK(memchr(error->message, '\0', sizeof error->message),
        "a message without an end");
    /* An error message from a callback of the program comes first. */
    bool by_callback =
        status == VARVE_CALLBACK || (status == VARVE_PARTIALLY_RESTORED &&
                                        strstr(error->message, FUZZ_PATH));
    FUZZ_CHECK(by_callback ||
            strncmp(error->message, FUZZ_STEM, sizeof FUZZ_STEM - 1) == 0,
        "a message that does not name the file: %s", error->message);
    size_t size = strlen(error->message);
    FUZZ_CHECK(size > 0 && error->message[size - 1] != '\n',
        "a message without words, or with a newline at its end");
}
