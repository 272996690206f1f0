"""c_rules.py - Checks single C and C++ files, and a few rules for scripts.

SPDX-License-Identifier: MIT
"""
import re

LINE_LIMIT = 80
FUNCTION_LIMIT = 60
FILE_LIMIT = 600
FILE_QUESTION = 400
HEADER_LIMIT = 400
SPDX = 'SPDX-License-Identifier: MIT'

LAYER_WITH_SYSTEM = 'lib/os'
STANDARD = set('''assert complex ctype errno fenv float inttypes iso646 limits
    locale math setjmp signal stdalign stdarg stdatomic stdbool stddef stdint
    stdio stdlib stdnoreturn string tgmath time uchar wchar wctype'''.split())
SYSTEM = set('''aio cpio dirent dlfcn err error fcntl fmtmsg fnmatch ftw getopt
    glob grp iconv langinfo libgen libintl malloc memory monetary mqueue ndbm
    netdb nl_types poll pthread pwd regex sched search semaphore spawn stdlib
    strings stropts syslog tar termios threads trace ucontext ulimit unistd
    utime utmpx values wordexp'''.split())
LIBRARIES = {'cbor': 'lib/format', 'xxhash': 'lib/base',
             'xxh_x86dispatch': 'lib/base', 'emmintrin': 'lib/base',
             'nmmintrin': 'lib/base', 'arm_acle': 'lib/base',
             'zstd': 'lib/format', 'zstd_errors': 'lib/format',
             'mpi': 'lib/mpi', 'mpi-ext': 'lib/mpi', 'hdf5': 'lib/hdf5',
             'H5FDdevelop': 'lib/hdf5',
             'curl': 'lib/remote', 'openssl': 'lib/remote',
             # Decompression for other formats.
             'zlib': 'lib/base'}

FORBIDDEN_CALL = re.compile(
    r'\b(v?f?printf|f?puts|f?putc|putchar|perror|abort|_?exit|_Exit|quick_exit)'
    r'\s*\(')
FORBIDDEN_STREAM = re.compile(r'\b(stdout|stderr|stdin)\b')
FEATURE = re.compile(r'\b_(GNU|DEFAULT|BSD|XOPEN|POSIX_C)_SOURCE\b')
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.M)
TYPE_T = re.compile(r'\b(?:struct|enum|union)\s+(\w+_t)\b'
                    r'|\btypedef\b[^;{]*\b(\w+_t)\s*;'
                    r'|\}\s*(\w+_t)\s*;')
# Other C++ constructs whose brace is in the first column.
NO_FUNCTION = re.compile(r'(namespace|class)\b')
SKIPPED_TEST = re.compile(r'\bcr_skip\w*\s*\(|\.disabled\s*=')


def check(tree):
    for f in tree.files:
        if f.is_c or f.suffix in ('.py', '.sh'):
            check_lines(tree, f)
            check_file_size(tree, f)
            check_opening(tree, f)
    for f in tree.c_files():
        check_functions(tree, f)
        check_comments(tree, f)
        check_types(tree, f)
    for f in tree.c_files('lib'):
        check_includes(tree, f)
        check_calls(tree, f)
    for f in tree.c_files('tests'):
        for match in SKIPPED_TEST.finditer(f.code):
            tree.report('skip', f.path, f.line_of(match.start()),
                         'a test skipped inside Criterion is not counted')


def check_lines(tree, f):
    for number, line in enumerate(f.lines, 1):
        if len(line) > LINE_LIMIT:
            tree.report('line', f.path, number,
                         f'{len(line)} columns exceed {LINE_LIMIT}')
        if line != line.rstrip() or '\t' in line:
            tree.report('space', f.path, number,
                         'a tab or trailing white space')


def check_file_size(tree, f):
    size = len(f.lines)
    public = f.within('include')
    limit = HEADER_LIMIT if public else FILE_LIMIT
    if size > limit:
        tree.report('file', f.path, size,
                     f'{size} lines exceed {limit}')
    elif size > FILE_QUESTION:
        tree.warning('file', f.path, size,
                     f'{size} lines: consider splitting the file')


def check_opening(tree, f):
    """Checks that the first comment contains the file name, its purpose and
    SPDX."""
    if f.is_c:
        comment = re.match(r'/\*.*?\*/', f.text, re.S)
        begin = f'/* {f.name} - '
    elif f.suffix == '.py':
        comment = re.match(r'(#![^\n]*\n)?""".*?"""', f.text, re.S)
        begin = f'"""{f.name} - '
    else:
        comment = re.match(r'(#[^\n]*\n)+', f.text)
        begin = f'# {f.name} - '
    if not comment or begin not in comment.group():
        tree.report('opening', f.path, 1,
                     f'the first comment must begin with "{begin}"')
    elif SPDX not in comment.group():
        tree.report('opening', f.path, 1, f'no "{SPDX}" in the first comment')


def check_functions(tree, f):
    """Checks function lengths. A body begins and ends with a brace in
    column 1."""
    begin, above = None, ''
    for number, line in enumerate(f.code.split('\n'), 1):
        if line.startswith('{') and not NO_FUNCTION.match(above):
            begin = number
        elif line.startswith('}') and begin:
            size = number - begin + 1
            if size > FUNCTION_LIMIT:
                tree.report('function', f.path, begin,
                             f'{size} lines exceed {FUNCTION_LIMIT}')
            begin = None
        above = line


def check_comments(tree, f):
    for number in f.line_comments:
        tree.report('comment', f.path, number, 'a // comment')


def check_types(tree, f):
    for match in TYPE_T.finditer(f.code):
        name = next(filter(None, match.groups()))
        tree.report('type', f.path, f.line_of(match.start()),
                     f'{name}: names in _t are reserved for POSIX')


def check_includes(tree, f):
    """Checks includes: standard C everywhere, each library in its layer,
    system headers in os."""
    for match in INCLUDE.finditer(f.text):
        form, name = match.groups()
        stem = name.removesuffix('.h')
        if form == '"' and '/' in name and f.within('lib'):
            tree.report('include', f.path, f.line_of(match.start()),
                         f'"{name}": relative includes bypass the layers')
        if form == '"' or name.startswith('varve/') or stem in STANDARD:
            continue
        stem = stem.split('/')[0]
        home = LIBRARIES.get(stem, LAYER_WITH_SYSTEM)
        if not f.within(home):
            tree.report('include', f.path, f.line_of(match.start()),
                         f'<{name}> may be included only in {home}')
    for match in FEATURE.finditer(f.code):
        if not f.within(LAYER_WITH_SYSTEM):
            tree.report('include', f.path, f.line_of(match.start()),
                         f'{match.group()} is only for {LAYER_WITH_SYSTEM}')


def check_calls(tree, f):
    for pattern in FORBIDDEN_CALL, FORBIDDEN_STREAM:
        for match in pattern.finditer(f.code):
            tree.report('call', f.path, f.line_of(match.start()),
                         f'{match.group(1)}: the library must not print, '
                         'abort or exit')
