/* check.cpp - Runs the tests of this program in a temporary folder and removes
 * it.
 *
 * SPDX-License-Identifier: MIT
 */
#include "check.hpp"

#include <cstring>
#include <filesystem>

static std::string folder;

std::vector<test> &tests()
{
    static std::vector<test> list;
    return list;
}

void does_not_hold(
    const char *file, int line, const char *what, const char *why)
{
    std::printf("%s:%d: %s does not hold: %s\n", file, line, what, why);
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
    std::exit(1);
}

void misuse(const char *file, int line, const char *what,
    const varve::result<void> &result, const char *words)
{
    const char *message = result.error().message;
    if (result.status() != VARVE_MISUSE || !std::strstr(message, words))
        does_not_hold(file, line, what, message);
}

std::string place(const char *name)
{
    return folder + "/" + name;
}

int main()
{
    const char *temporary = std::getenv("TMPDIR");
    folder = std::string(temporary ? temporary : "/tmp") + "/varve-XXXXXX";
    if (!mkdtemp(folder.data()))
        return 1;
    for (const test &each : tests()) {
        std::printf("%s\n", each.name);
        std::fflush(stdout);
        each.run();
    }
    std::filesystem::remove_all(folder);
    std::printf("%zu tests\n", tests().size());
    return 0;
}
