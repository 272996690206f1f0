#!/usr/bin/env python3
"""check_compilers.py - every C++ compiler here takes the headers as they are
used, and refuses what must not be saved, in words.

    tests/cpp/check_compilers.py SOURCE

SPDX-License-Identifier: MIT
"""
import concurrent.futures
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Wconversion',
            '-Wsign-conversion', '-Wold-style-cast', '-Werror']
WAYS = [['-std=c++17'], ['-std=c++20', '-fno-exceptions', '-fno-rtti']]

ERROR = re.compile(r'^.*: error: .*$', re.M)

# What is a mistake, and what the compiler says of it: in one error each, which
# stands in the headers and is in words.
REFUSED = [
    ('node.add("name", std::vector<float>(3))', 'would be gone before it is'),
    ('node.add("name", std::string("text"))', 'would be gone before it is'),
    ('node.add("name", std::vector<float>(3), { 3 })', 'would be gone before'),
    ('node.add("name", constant)', 'must not be const'),
    ('node.add("name", constant, { 3 })', 'must not be const'),
    ('node.add("name", "text")', 'must not be const'),
    ('node.add("name", held)', 'must not be const'),
    ('node.add("name", view)', 'must not be const'),
    ('node.add("name", bits)', 'have no addresses'),
    ('node.add("name", bits, { 3 })', 'have no addresses'),
    ('node.add("name", many_bits)', 'have no addresses'),
    ('node.add("name", named_bits)', 'have no addresses'),
    ('node.add("name", flagged)', 'have no addresses'),
    ('node.add_fixed("name", bits)', 'have no addresses'),
    ('node.add_slot(node, "name", bits)', 'have no addresses'),
    ('node.rebind(bits)', 'have no addresses'),
    ('node.add("name", letters)', 'characters may be text or numbers'),
    ('node.add("name", line)', 'characters may be text or numbers'),
    ('node.add_fixed("name", line)', 'characters may be text or numbers'),
    ('node.add("name", owned)', 'a pointer does not say'),
    ('node.add("name", raw)', 'a pointer does not say'),
    ('node.add("name", pointers)', 'a pointer does not say'),
    ('node.add("name", unordered)', 'whether it lies by rows'),
    ('node.rebind(unordered)', 'whether it lies by rows'),
    ('node.add("name", rows)', 'not known to lie one behind the other'),
    ('node.add("name", column)', 'not known to lie one behind the other'),
    ('node.add("name", column, { 3 })', 'not known to lie one behind'),
    ('node.add("name", part)', 'not known to lie one behind the other'),
    ('node.add("name", others)', 'not known to lie one behind the other'),
    ('node.rebind(column)', 'not known to lie one behind the other'),
    ('node.add_fixed("name", plain_pool)', 'not known to lie one behind'),
    ('node.add_slot(node, "name", column)', 'not known to lie one behind'),
    ('node.add("name", unknown)', 'neither numbers'),
    ('node.add("name", precise)', 'differs between machines'),
    ('node.add("name", perhaps)', 'a std::optional may hold no value'),
    ('node.add("name", heir)', 'inherits its varve_fields'),
    ('node.add("name", heirs)', 'inherits its varve_fields'),
    ('node.add("name", several)', 'several elements may have one key'),
    ('node.add("name", by_place)', 'are std::string or integers'),
    ('node.add("name", by_flag)', 'are std::string or integers'),
    ('node.add("name", once)', 'into the elements of a set'),
    ('node.add("name", owned_array)', 'a pointer does not say'),
    ('node.add("name", weak)', 'may point to nothing'),
    ('node.add("name", referring)', 'add what it refers to'),
    ('node.add("name", one_of_two)', 'one of several types'),
    ('node.add("name", whatever)', 'may hold any type'),
    ('node.add("name", both)', 'no names for its members'),
    ('node.add("name", many_pairs)', 'no names for its members'),
    ('node.add("name", named_pairs)', 'no names for its members'),
    ('node.add("name", paired)', 'no names for its members'),
    ('node.add_fixed("name", both)', 'no names for its members'),
    ('node.add("name", three)', 'no names for its members'),
    ('node.add("name", flag_set)', 'have no addresses'),
    ('node.add("name", wait)', 'would not be in the file'),
    ('node.add("name", moment)', 'would not be in the file'),
    ('node.add("name", line_up)', 'does not show its elements'),
    ('node.add("name", pile)', 'does not show its elements'),
    ('node.add("name", place)', 'is no text of one encoding'),
    ('node.add("name", pointed)', 'expected a pointer to numbers'),
    ('node.add("name", miscounted)', 'the member that counts is not an integer'),
    ('node.add_migrating("name", nullptr, words)', 'structs with varve_fields'),
    ('node.add_migrating("name", nullptr, pairings)', 'numbers, and arrays of'),
    ('varve::records::open_array(words.data(), 3)', 'copied byte by byte'),
    ('node.add_fixed("name", words)', 'not a number, an array'),
    ('node.add_slot(node, "name", unknown)', 'not a number, an array'),
    ('node.add_resizable("name", fixed)', 'nor like one'),
    ('node.add_resizable("name", words)', 'nor like one'),
    ('node.add_resizable("name", bits)', 'nor like one'),
    ('node.add_allocated<nothing>("name", { 3 })', 'not the type of an'),
    ('node.values_as<const float>()', 'must not be const'),
    ('varve::strided(&constant[0], { 8 }, { 2 })', 'must not be const'),
    ('reader.read("name", bits)', 'have no addresses'),
    ('reader.read("name", std::vector<float>(3))', 'would be gone before'),
]
BEFORE = """#include <any>
#include <bitset>
#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <set>
#include <stack>
#include <tuple>
#include <variant>
#include <varve/varve.hpp>
struct nothing { int x; };
struct flags { std::vector<bool> all; };
constexpr auto varve_fields(const flags *)
{
    return varve::fields(varve::field("all", &flags::all));
}
struct pairs { std::pair<int, float> p; };
constexpr auto varve_fields(const pairs *)
{
    return varve::fields(varve::field("p", &pairs::p));
}
struct strings { std::string *all; int count; double amount; float *x; };
template <int> struct wrong_strings : strings { };
template <int I> constexpr auto varve_fields(const wrong_strings<I> *)
{
    if constexpr (I == 0)
        return varve::fields(
            varve::field("all", &strings::all, &strings::count));
    else
        return varve::fields(varve::field("x", &strings::x, &strings::amount));
}
struct base { double x; };
constexpr auto varve_fields(const base *)
{
    return varve::fields(varve::field("x", &base::x));
}
struct derived : base { double charge; };
struct multi_array { /* its size() is that of the first dimension */
    using value_type = double *;
    double m[3][4];
    double *data() { return m[0]; }
    std::size_t size() const { return 3; }
    double (*begin())[4] { return m; }
    double (*end())[4] { return m + 3; }
};
struct every_fourth { /* its elements lie apart */
    struct step {
        double *p;
        double &operator*() const { return *p; }
        step &operator++() { p += 4; return *this; }
        bool operator!=(const step &o) const { return p != o.p; }
    };
    double *p;
    double *data() const { return p; }
    std::size_t size() const { return 3; }
    step begin() const { return { p }; }
    step end() const { return { p + 12 }; }
};
struct subview { /* as of Armadillo: a range, and no word of its memory */
    unsigned n_rows, n_cols, n_elem;
    double *begin() const { return nullptr; }
    double *end() const { return nullptr; }
};
struct of_other_type {
    double *data() { return nullptr; }
    std::size_t size() const { return 0; }
    std::vector<float>::iterator begin() { return {}; }
};
struct untold {
    double cells[3];
    double *data() { return cells; }
    std::size_t size() const { return 3; }
};
struct half_matrix {
    double values[4];
    double *data() { return values; }
    int rows() const { return 2; }
    int cols() const { return 2; }
};
struct const_matrix : half_matrix {
    static constexpr bool IsRowMajor = false;
    const double *data() const { return values; }
};
"""
PROGRAM = """
void f(varve::node node, varve::reader &reader)
{{
    const std::vector<float> constant(3);
    const std::unique_ptr<int> held;
    std::array<std::vector<bool>, 2> many_bits;
    std::map<std::string, std::vector<bool>> named_bits;
    std::map<std::pair<int, int>, float> by_place;
    std::map<bool, float> by_flag;
    std::set<int> once;
    std::unique_ptr<float[]> owned_array;
    std::weak_ptr<float> weak;
    float number = 0;
    std::reference_wrapper<float> referring(number);
    std::variant<int, float> one_of_two;
    std::any whatever;
    std::pair<int, float> both;
    std::vector<std::pair<int, float>> many_pairs;
    std::map<std::string, std::pair<int, float>> named_pairs;
    pairs paired;
    std::vector<pairs> pairings;
    std::tuple<int, int, float> three;
    std::bitset<8> flag_set;
    std::chrono::milliseconds wait(3);
    std::chrono::system_clock::time_point moment;
    std::queue<int> line_up;
    std::stack<int> pile;
    std::filesystem::path place;
    wrong_strings<0> pointed{{}};
    wrong_strings<1> miscounted{{}};
    std::vector<bool> bits(3);
    std::vector<char> letters(3);
    std::vector<std::string> words(3);
    std::vector<float *> pointers(3);
    std::array<float, 3> fixed;
    std::unique_ptr<float> owned;
    std::optional<float> perhaps;
    derived heir{{}};
    std::vector<derived> heirs;
    std::multimap<std::string, float> several;
    float *raw = nullptr;
    char line[80];
    long double precise = 0;
    nothing unknown{{}};
    flags flagged;
    multi_array rows{{}};
    every_fourth column{{}};
    subview part{{}};
    of_other_type others{{}};
    untold plain_pool{{}};
    half_matrix unordered;
    const_matrix view;
    (void){};
}}
"""


def compilers():
    """Those that are there, each once however many names it has."""
    found = {}
    for name in ('c++', 'g++', 'clang++'):
        path = shutil.which(name)
        if path:
            found.setdefault(os.path.realpath(path), name)
    return list(found.values())


def compiled(source, compiler, flags, text):
    return subprocess.run(
        [compiler, *flags, '-fsyntax-only', '-I', f'{source}/include',
         '-x', 'c++', '-'], input=text, capture_output=True, text=True,
        check=False, cwd=f'{source}/tests/cpp')


def accepted(source, compiler, way, text):
    result = compiled(source, compiler, [*way, *WARNINGS], text)
    if result.returncode:
        return f'{compiler} {way}:\n{result.stderr}'
    return None


def refused(source, compiler):
    """What each mistake alone gets: one error, which is in words. The headers
    are compiled once for all of them."""
    complaints = []
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, 'before.hpp')
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(BEFORE)
        subprocess.run([compiler, *WAYS[0], '-I', f'{source}/include', '-x',
                        'c++-header', path, '-o', path + '.gch'], check=True)
        for what, why in REFUSED:
            stderr = compiled(source, compiler, [*WAYS[0], '-include', path],
                              PROGRAM.format(what)).stderr
            errors = ERROR.findall(stderr)
            if len(errors) != 1 or why not in errors[0]:
                complaints.append(f'{compiler}: {what}: expected one error, '
                                  f'"{why}", found:\n{stderr}')
    return '\n'.join(complaints)


def main(source):
    source = os.path.abspath(source)
    paths = sorted(glob.glob(f'{source}/tests/cpp/*.cpp'))
    text = ''.join(f'#include "{path}"\n' for path in paths)
    here = compilers()
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(accepted, source, compiler, way, text)
                for compiler in here for way in WAYS]
        jobs += [pool.submit(refused, source, compiler) for compiler in here]
        complaints = list(filter(None, (job.result() for job in jobs)))
    for complaint in complaints:
        print(complaint)
    print(f'cpp: {len(paths)} files and {len(REFUSED)} mistakes, with '
          f'{", ".join(here)}: {len(complaints)} complaints')
    return 1 if complaints or not paths else 0


sys.exit(main(*sys.argv[1:]))
