/* test_remote_json.c - Tests finding strings in JSON answers.
 *
 * SPDX-License-Identifier: MIT
 */
#include "remote_json.h"

#include <stdlib.h>
#include <string.h>

#include "support/test.h"

static bool gives(const char *json, const char *expected)
{
    char *found = vv_remote_json_text(json, "Token");
    bool is_it = found && expected ? strcmp(found, expected) == 0
                                   : !found && !expected;
    free(found);
    return is_it;
}

TEST(remote_json, gives_the_string_of_a_name)
{
    cr_assert(gives("{\"Token\":\"a\"}", "a"));
    cr_assert(gives(" {\n\"Code\" : \"Success\", \"n\": 7, \"Token\" :\t"
                    "\"a\\/b\\\\\\\"c\\u003d\" , \"x\": null}",
        "a/b\\\"c="));
    cr_assert(gives("{\"x\":\"Token\",\"Token\":\"\"}", ""));
    cr_assert(gives("{\"x\":[\"Token\",\"b\"],\"Token\":\"a\"}", "a"));
}

TEST(remote_json, gives_nothing_else)
{
    cr_assert(gives("", NULL));
    cr_assert(gives("\"Token\":\"a\"", NULL));
    cr_assert(gives("{\"Token\":7,\"x\":\"a\"}", NULL));
    cr_assert(gives("{\"Token\":null}", NULL));
    cr_assert(gives("{\"token\":\"a\"}", NULL));
    cr_assert(gives("{\"Token\":\"a", NULL));
    cr_assert(gives("{\"Token\":\"a\\", NULL));
    cr_assert(gives("{\"Token\":\"\\q\"}", NULL));
    cr_assert(gives("{\"Token\":\"\\u00e4\"}", NULL));
    cr_assert(gives("{\"Token\":\"\\u00\"}", NULL));
    cr_assert(gives("{\"Token\":\"\xc3\xa4\"}", NULL));
    cr_assert(gives("{\"Token\"", NULL));
    cr_assert(gives("{\"Token\":", NULL));
    cr_assert(gives("{\"", NULL));
}
