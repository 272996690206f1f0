/* check.hpp - Declares the small test framework of the C++ tests: a list of
 * tests, a folder for files, and assertions.
 *
 * SPDX-License-Identifier: MIT
 */
#ifndef TESTS_CPP_CHECK_HPP
#define TESTS_CPP_CHECK_HPP

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <varve/varve.hpp>

struct test {
    const char *name;
    void (*run)();
};

std::vector<test> &tests();

/* Adds a test to the list. */
struct listed {
    listed(const char *name, void (*run)())
    {
        tests().push_back({ name, run });
    }
};

#define TEST(name)                                                             \
    static void name();                                                        \
    static const listed listed_##name(#name, name);                            \
    static void name()

#define CHECK(holds)                                                           \
    ((holds) ? (void)0 : does_not_hold(__FILE__, __LINE__, #holds, ""))

/* GOOD requires a successful result and prints its message otherwise. NEED also
 * returns its value. */
#define GOOD(result) good(__FILE__, __LINE__, #result, result)
#define NEED(result) need(__FILE__, __LINE__, #result, result)

[[noreturn]] void does_not_hold(
    const char *file, int line, const char *what, const char *why);

/* Requires that a result is VARVE_MISUSE and that its message has the words. */
#define MISUSE(result, words) misuse(__FILE__, __LINE__, #result, result, words)
void misuse(const char *file, int line, const char *what,
    const varve::result<void> &result, const char *words);

/* Returns the path of a file in the folder of this run. */
std::string place(const char *name);

/* Returns the type and shape of a view of the object: "float32[2,3]". */
template <class T> std::string text_of(T &object)
{
    const auto view = varve::view_of(object);
    char text[VARVE_TENSOR_TEXT_SIZE];
    return varve_tensor_text(&view, text);
}

template <class T>
void good(const char *file, int line, const char *what,
    const varve::result<T> &result)
{
    if (!result)
        does_not_hold(file, line, what, result.error().message);
}

template <class T>
T need(const char *file, int line, const char *what, varve::result<T> result)
{
    good(file, line, what, result);
    return std::move(*result);
}

#endif
