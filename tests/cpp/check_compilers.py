#!/usr/bin/env python3
"""check_compilers.py - Tests that every installed C++ compiler accepts the
headers and rejects unsupported types with a readable message.

    tests/cpp/check_compilers.py SOURCE

Each standard and each wrong program is tried with one of the compilers, with
VARVE_PROOF=long with all.

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

# Wrong code, and a part of the static_assert that rejects it in a single error.
REFUSED = [
    ('node.add("name", std::vector<float>(3))',
     'temporary object: its memory'),
    ('node.add("name", std::string("text"))', 'temporary object: its memory'),
    ('node.add("name", std::vector<float>(3), { 3 })',
     'temporary object: its memory'),
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
    ('node.add("name", owned)', 'elements behind a pointer'),
    ('node.add("name", raw)', 'elements behind a pointer'),
    ('node.add("name", pointers)', 'elements behind a pointer'),
    ('node.add("name", unordered)', 'storage order of this matrix'),
    ('node.rebind(unordered)', 'storage order of this matrix'),
    ('node.add("name", rows)', 'may not be contiguous'),
    ('node.add("name", column)', 'may not be contiguous'),
    ('node.add("name", column, { 3 })', 'may not be contiguous'),
    ('node.add("name", part)', 'may not be contiguous'),
    ('node.add("name", others)', 'may not be contiguous'),
    ('node.rebind(column)', 'may not be contiguous'),
    ('node.add_fixed("name", plain_pool)', 'may not be contiguous'),
    ('node.add_slot(node, "name", column)', 'may not be contiguous'),
    ('node.add("name", unknown)', 'unsupported type: it must be'),
    ('node.add("name", precise)', 'differs between machines'),
    ('node.add("name", perhaps)', 'a std::optional may be empty'),
    ('node.add("name", heir)', 'varve_fields of its base'),
    ('node.add("name", heirs)', 'varve_fields of its base'),
    ('node.add("name", several)', 'several elements with the same key'),
    ('node.add("name", by_place)', 'unsupported key type of a map'),
    ('node.add("name", by_flag)', 'unsupported key type of a map'),
    ('node.add("name", once)', 'the elements of a set are const'),
    ('node.add("name", owned_array)', 'elements behind a pointer'),
    ('node.add("name", weak)', 'a std::weak_ptr may be empty'),
    ('node.add("name", referring)', 'add the object that it refers to'),
    ('node.add("name", one_of_two)', 'one of several types'),
    ('node.add("name", whatever)', 'may hold any type'),
    ('node.add("name", both)', 'have no names'),
    ('node.add("name", many_pairs)', 'have no names'),
    ('node.add("name", named_pairs)', 'have no names'),
    ('node.add("name", paired)', 'have no names'),
    ('node.add_fixed("name", both)', 'have no names'),
    ('node.add("name", three)', 'have no names'),
    ('node.add("name", flag_set)', 'have no addresses'),
    ('node.add("name", wait)', 'a std::chrono type is not saved'),
    ('node.add("name", moment)', 'a std::chrono type is not saved'),
    ('node.add("name", line_up)', 'no access to its elements'),
    ('node.add("name", pile)', 'no access to its elements'),
    ('node.add("name", place)', 'encoding of a std::filesystem::path'),
    ('node.add("name", pointed)', 'unsupported pointer field'),
    ('node.add("name", miscounted)', 'count of a pointer field'),
    ('node.add_migrating("name", nullptr, words)',
     'structs with varve_fields'),
    ('node.add_migrating("name", nullptr, pairings)',
     'field of a migrating struct'),
    ('varve::records::open_array(words.data(), 3)', 'trivially copyable'),
    ('node.add_fixed("name", words)', 'unsupported type of values'),
    ('node.add_slot(node, "name", unknown)', 'unsupported type of values'),
    ('node.add_resizable("name", fixed)',
     'std::vector of numbers or a similar'),
    ('node.add_resizable("name", words)',
     'std::vector of numbers or a similar'),
    ('node.add_resizable("name", bits)',
     'std::vector of numbers or a similar'),
    ('node.add_allocated<nothing>("name", { 3 })', 'unsupported element type'),
    ('node.values_as<const float>()', 'must not be const'),
    ('varve::strided(&constant[0], { 8 }, { 2 })', 'must not be const'),
    ('reader.read("name", bits)', 'have no addresses'),
    ('reader.read("name", std::vector<float>(3))',
     'temporary object: its memory'),
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
    """Finds the installed compilers, each once even if it has several
    names."""
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


def refused(source, compiler, errors):
    """Each of some errors alone must cause exactly one readable message. The
    headers are precompiled once."""
    complaints = []
    with tempfile.TemporaryDirectory() as place:
        path = os.path.join(place, 'before.hpp')
        with open(path, 'w', encoding='utf-8') as stream:
            stream.write(BEFORE)
        subprocess.run([compiler, *WAYS[0], '-I', f'{source}/include', '-x',
                        'c++-header', path, '-o', path + '.gch'], check=True)
        for what, why in errors:
            stderr = compiled(source, compiler, [*WAYS[0], '-include', path],
                              PROGRAM.format(what)).stderr
            found = ERROR.findall(stderr)
            if len(found) != 1 or why not in found[0]:
                complaints.append(f'{compiler}: {what}: must cause one error, '
                                  f'"{why}", but caused:\n{stderr}')
    return '\n'.join(complaints)


def main(source):
    source = os.path.abspath(source)
    paths = sorted(glob.glob(f'{source}/tests/cpp/*.cpp'))
    text = ''.join(f'#include "{path}"\n' for path in paths)
    here = compilers()
    every = os.environ.get('VARVE_PROOF') == 'long'
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [pool.submit(accepted, source, compiler, way, text)
                for i, compiler in enumerate(here)
                for way in (WAYS if every else WAYS[i::len(here)])]
        jobs += [pool.submit(refused, source, compiler,
                             REFUSED if every else REFUSED[i::len(here)])
                 for i, compiler in enumerate(here)]
        complaints = list(filter(None, (job.result() for job in jobs)))
    for complaint in complaints:
        print(complaint)
    print(f'cpp: {len(paths)} files and {len(REFUSED)} errors, with '
          f'{", ".join(here)}: {len(complaints)} complaints')
    return 1 if complaints or not paths else 0


sys.exit(main(*sys.argv[1:]))
