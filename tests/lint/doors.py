#!/usr/bin/env python3
"""doors.py - Tests that nothing bypasses the table of system calls.

    tests/lint/doors.py BUILD

Reads the external functions that each object of the library calls. These files
may call functions that depend on more than their arguments:

- the system: posix_system.c, posix_access.c, posix_tracking.c, posix_sockets.c
- the heap and pages: lib/os/default_allocator.c
- waiting for threads: lib/os/monitor.c; loading modules: lib/os/module.c
- signals: lib/os/stop_signals.c; the state of random(): lib/os/libc_random.c
- streams and descriptors of the program: lib/os/output_file.c

So a system below the whole library, as in the fault tests, sees every call.

SPDX-License-Identifier: MIT
"""
import glob
import os
import re
import shutil
import subprocess
import sys

SKIP = 77

PURE = re.compile(r'''(mem(chr|cmp|cpy|move|set) | bcmp |
    str(cat|chr|cmp|cpy|cspn|error|len|ncmp|pbrk|rchr|spn|str|to[df]) |
    v?snprintf | qsort | bsearch | sqrt | __assert_fail | __errno_location |
    __error |
    cbor_(stream_decode|encode_\w+|null_\w+_callback) |
    XXH(3_(64|128)bits\w*|128_\w+|64_\w+) |
    inflate(Init2_|Copy|Reset|End)? | ZSTD_\w+)$''', re.X)
# Functions that compilers and sanitizers insert.
ADDED = re.compile(r'''(__(asan|ubsan|tsan|msan|sanitizer|gcov|llvm|sanitize|
    stack_chk|fentry|chk|aeabi|cpu_model)\w* | _GLOBAL_OFFSET_TABLE_ | mcount |
    _mcount | llvm_\w+ | __tls_get_addr | __popcountdi2)$''', re.X)
OWN = re.compile(r'(vv|varve)_')

# Objects with an exception.
HEAP = re.compile(r'(realloc|free)$')
PAGES = re.compile(r'(madvise|mmap|munmap|sysconf|__lsan_do_leak_check)$')
WAITING = re.compile(r'''(pthread_(mutex|cond|condattr)_\w+ | clock_gettime
    )$''', re.X)
SIGNALS = re.compile(r'sig(action|emptyset)$')
GENERATORS = re.compile(r'(initstate|setstate|seed48)$')
OUTPUTS = re.compile(r'''(close|fcntl|ferror|fflush|fileno|fseeko|ftruncate |
    lseek|open|pread)$''', re.X)
MODULES = re.compile(r'(dladdr|dlerror|dlopen|dlsym|secure_getenv)$')
SYSTEM = {'openat', 'pread', 'pwrite', 'fsync', 'renameat', 'unlinkat'}


def plain(name):
    """Returns a name without additions of the C library: __memcpy_chk,
    pread64."""
    name = re.sub(r'^__(\w+)_chk$', r'\1', name.split('@')[0])
    return re.sub(r'(?<=[a-z])64(_time64)?$', '', name)


def calls_of(archive):
    """Returns pairs of object and undefined name."""
    result = subprocess.run(['nm', '-P', '-u', archive], capture_output=True,
                            text=True, check=True)
    part = ''
    for line in result.stdout.splitlines():
        header = re.search(r'\[?([\w.]+\.o)\]?:$', line)
        if header:
            part = header[1]
        elif line.strip():
            yield part, line.split()[0]


def is_door(part):
    return part.endswith(('posix_system.c.o', 'posix_access.c.o',
                          'posix_tracking.c.o', 'posix_sockets.c.o'))


def may_call(part, name):
    if ADDED.match(name) or OWN.match(name) or is_door(part):
        return True
    bare = plain(name)
    if part.endswith('default_allocator.c.o') and \
            (HEAP.match(bare) or PAGES.match(bare)):
        return True
    if part.endswith('monitor.c.o') and WAITING.match(bare):
        return True
    if part.endswith('stop_signals.c.o') and SIGNALS.match(bare):
        return True
    if part.endswith('os_module.c.o') and MODULES.match(bare):
        return True
    if part.endswith('os_libc_random.c.o') and GENERATORS.match(bare):
        return True
    if part.endswith('os_output_file.c.o') and OUTPUTS.match(bare):
        return True
    return PURE.match(bare) is not None


def complaints_of(calls):
    return [f'{part} calls {name}' for part, name in calls
            if not may_call(part, name)]


def check_itself():
    """Tests that forbidden calls are reported."""
    wrong = [('buffer.c.o', 'realloc'), ('publish.c.o', 'fsync'),
             ('write.c.o', 'open64'), ('file.c.o', '__read_chk'),
             ('save.c.o', 'getenv'), ('failure.c.o', 'fopen64'),
             ('worker.c.o', 'pthread_create'),
             ('event_queue.c.o', 'pthread_mutex_lock'),
             ('monitor.c.o', 'pthread_create'), ('file.c.o', 'dlopen'),
             ('run.c.o', 'sigaction'), ('training_output.c.o', 'fflush'),
             ('training_library_random.c.o', 'setstate'),
             ('cbor_in.c.o', 'cbor_load')]
    for call in wrong:
        if not complaints_of([call]):
            sys.exit(f'doors: permits that {call[0]} calls {call[1]}')


def main(build):
    check_itself()
    if not shutil.which('nm'):
        print('doors: skipped: nm is not installed')
        return SKIP
    archives = glob.glob(os.path.join(build, 'lib', 'libvarve_*.a'))
    calls = [call for path in sorted(archives) for call in calls_of(path)]
    seen = {plain(name) for part, name in calls if is_door(part)}
    if not SYSTEM <= seen:
        sys.exit('doors: expected the calls of posix_system.c, found only '
                 + ' '.join(sorted(seen)))
    complaints = complaints_of(calls)
    for complaint in complaints:
        print(f'doors: {complaint}')
    parts = {part for part, _ in calls}
    print(f'doors: {len(calls)} calls of {len(parts)} objects checked')
    return 1 if complaints else 0


sys.exit(main(*sys.argv[1:]))
