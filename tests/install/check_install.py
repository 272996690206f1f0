#!/usr/bin/env python3
"""check_install.py - Tests that the installed library is complete and works.

    tests/install/check_install.py MESON SOURCE BUILD SONAME

Installs into a temporary directory. Checks headers, soname, exported names,
flags, command and manual. Then compiles a consumer with pkg-config, with the
shared and the static library, in C and C++, and with CMake, and runs it.

SPDX-License-Identifier: MIT
"""
import functools
import glob
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile

COMMENT = re.compile(r'/\*.*?\*/', re.S)
DECLARED = re.compile(r'^VARVE_API\b[^;(]*?\b(\w+)\s*\(', re.M)
MARK = re.compile(r'^VARVE_API\b', re.M)
# Each module with a symbol that it defines, and the library that it needs.
MODULES = {'varve/varve-hdf5.so': ('vv_hdf5_calls', 'hdf5'),
           'varve/varve-remote.so': ('vv_store_calls', 'libcurl')}
MPI_HEADER = 'mpi.h'


class Trouble(Exception):
    """A failed check."""


def run(*command, **options):
    result = subprocess.run(command, capture_output=True, text=True,
                            check=False, **options)
    if result.returncode:
        raise Trouble(f'{shlex.join(command)}:\n{result.stdout}{result.stderr}')
    return result.stdout


def only(pattern):
    found = glob.glob(pattern, recursive=True)
    if len(found) != 1:
        raise Trouble(f'{pattern}: expected one, found {found}')
    return found[0]


class Installation:
    def __init__(self, meson, source, build, place):
        self.source = source
        self.place = place
        run(*shlex.split(meson), 'install', '-C', build, '--no-rebuild',
            '--destdir', place)
        description = only(f'{place}/**/pkgconfig/varve.pc')
        self.description = description
        self.libraries = os.path.dirname(os.path.dirname(description))
        self.include = os.path.dirname(only(f'{place}/**/varve/varve.h'))
        system = run('pkg-config', '--variable', 'pc_path', 'pkg-config')
        self.environment = dict(
            os.environ, PKG_CONFIG_SYSROOT_DIR=place, PKG_CONFIG_PATH='',
            PKG_CONFIG_LIBDIR=os.path.dirname(description) + ':'
            + system.strip())

    def has(self, name):
        """Returns true if this build has the library of that kind."""
        return os.path.exists(os.path.join(self.libraries, name))

    def flags(self, *arguments, package='varve'):
        return shlex.split(run('pkg-config', *arguments, package,
                               env=self.environment))

    def consume(self, name, compiler, flags, environment, source='consumer.c'):
        """Compiles a consumer and runs it."""
        program = os.path.join(self.place, name)
        consumer = os.path.join(self.source, 'tests/install', source)
        cxx = '++' in compiler
        run(compiler, '-x', 'c++' if cxx else 'c',
            '-std=c++17' if cxx else '-std=c11', '-Wall', '-Wextra', '-Werror',
            consumer, '-x', 'none', '-o', program, *flags)
        run(program, os.path.join(self.place, name + '.varve'),
            env=environment)


def check_headers(installed):
    """Checks that all headers are installed; one of an optional library
    only with that library."""
    here = {os.path.basename(p) for p in
            glob.glob(f'{installed.source}/include/varve/*.h')
            + glob.glob(f'{installed.source}/include/varve/*.hpp')}
    if not glob.glob(f'{installed.libraries}/libvarve-mpi.*'):
        here.remove(MPI_HEADER)
    there = set(os.listdir(installed.include))
    if here != there:
        raise Trouble(f'headers installed, or not installed: {here ^ there}')


def check_soname(installed, soname):
    library = f'{installed.libraries}/{soname[:soname.index(".so")]}.so'
    text = run('readelf', '-d', library)
    if f'soname: [{soname}]' not in text:
        raise Trouble(f'expected the soname {soname}, found:\n{text}')
    if not os.path.exists(f'{installed.libraries}/{soname}'):
        raise Trouble(f'{soname} is not installed')


def check_needed(installed):
    """Checks that the shared library does not need a C++ library. Relocating
    one takes more instructions than the rest of a program's start."""
    needed = run('readelf', '-d', f'{installed.libraries}/libvarve.so')
    if re.search(r'\[lib(snappy|stdc\+\+|c\+\+)\.', needed):
        raise Trouble(f'the library needs a C++ library:\n{needed}')


def declared_names(paths):
    names = set()
    for path in paths:
        with open(path, encoding='utf-8') as stream:
            text = COMMENT.sub('', stream.read())
        found = DECLARED.findall(text)
        if len(found) != len(MARK.findall(text)):
            raise Trouble(f'{path}: a VARVE_API without a recognized name')
        names.update(found)
    return names


def check_names(installed, library, is_its):
    declared = declared_names(
        path for path in glob.glob(f'{installed.include}/*.h')
        if is_its(os.path.basename(path)))
    lines = run('nm', '-D', '--defined-only',
                f'{installed.libraries}/{library}').splitlines()
    # Compares the exported names. An absolute symbol is the name of a version.
    exported = {name.split('@')[0] for _, kind, name in map(str.split, lines)
                if kind != 'A'}
    trouble = [f'{name} is declared but not exported'
               for name in sorted(declared - exported)]
    trouble += [f'{name} is exported but not declared'
                for name in sorted(exported - declared)]
    if trouble:
        raise Trouble('\n'.join(trouble))


def check_flags(installed):
    """Checks that users of the shared library do not need its dependencies."""
    flags = installed.flags('--libs')
    if [f for f in flags if f.startswith('-l')] != ['-lvarve']:
        raise Trouble(f'pkg-config --libs varve: {flags}')


def check_requirements(installed):
    """Checks that each library occurs once, and none is a C++ library."""
    with open(installed.description, encoding='utf-8') as stream:
        text = stream.read()
    wanted = re.findall(r'(?:^Requires[.\w]*:|,) *([\w-]+)', text, re.M)
    if not wanted or len(wanted) != len(set(wanted)):
        raise Trouble(f'expected each once: {wanted}')
    flags = ' '.join(re.findall(r'^Libs[.\w]*:(.*)', text, re.M)).split()
    if {'-lsnappy', '-lstdc++', '-lc++'} & set(flags):
        raise Trouble(f'a C++ library: {flags}')


def check_tool(installed):
    """Checks that the installed tool starts and has a manual page."""
    tool = glob.glob(f'{installed.place}/**/bin/varve', recursive=True)
    if not tool:
        print('install: the command is not built')
        return
    environment = dict(os.environ)
    environment.pop('LD_LIBRARY_PATH', None)  # the build sets it
    run(tool[0], 'version', env=environment)
    only(f'{installed.place}/**/man1/varve.1*')
    only(f'{installed.place}/**/man1/varve-ls.1*')
    only(f'{installed.place}/**/bash-completion/completions/varve')


def check_manual(installed):
    """Checks the manual pages of the functions, if this machine can build
    them."""
    pages = glob.glob(f'{installed.place}/**/man3/*.3', recursive=True)
    if not pages:
        print('install: manual pages of the functions are not built')
        return
    names = {os.path.basename(page).removesuffix('.3') for page in pages}
    declared = declared_names(glob.glob(f'{installed.include}/*.h'))
    if declared - names:
        raise Trouble(f'no manual page of {sorted(declared - names)}')
    has_mpi = os.path.exists(f'{installed.include}/{MPI_HEADER}')
    if ('varve-mpi' in names) != has_mpi:
        raise Trouble('the manual page of mpi.h must be installed if and only '
                      'if that header is')


def check_shared(installed):
    flags = installed.flags('--cflags', '--libs')
    environment = dict(os.environ, LD_LIBRARY_PATH=installed.libraries)
    installed.consume('shared', 'cc', flags, environment)
    if shutil.which('c++'):
        installed.consume('shared-cxx', 'c++', flags, environment)
        installed.consume('shared-cpp', 'c++', flags, environment,
                          'consumer.cpp')
    else:
        print('install: no C++ compiler is installed, tested as C only')


def check_module(installed, module):
    """Checks that the module is installed and the library does not depend
    on its libraries."""
    name, needs = MODULES[module]
    needed = run('readelf', '-d', f'{installed.libraries}/libvarve.so')
    if needs in needed:
        raise Trouble(f'the library itself needs {needs}:\n{needed}')
    names = run('nm', '-D', '--defined-only',
                f'{installed.libraries}/{module}').split()[2::3]
    if names != [name]:
        raise Trouble(f'{module} exports {names}')


def check_mpi(installed, soname):
    """Checks that the MPI library is separate and the main library does not
    use MPI."""
    check_soname(installed, soname.replace('libvarve', 'libvarve-mpi'))
    check_names(installed, 'libvarve-mpi.so', lambda name: name == MPI_HEADER)
    needed = run('readelf', '-d', f'{installed.libraries}/libvarve.so')
    if 'mpi' in needed:
        raise Trouble(f'the library itself needs MPI:\n{needed}')
    # MPI's own directories are not moved.
    flags = [f if os.path.exists(f[2:]) else f.replace(installed.place, '', 1)
             for f in installed.flags('--cflags', '--libs',
                                      package='varve-mpi')]
    # MPI's C++ interface is not needed, and causes warnings.
    flags += ['-DOMPI_SKIP_MPICXX', '-DMPICH_SKIP_MPICXX']
    environment = dict(os.environ, LD_LIBRARY_PATH=installed.libraries,
                       OMPI_ALLOW_RUN_AS_ROOT='1',
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1')
    for compiler in filter(shutil.which, ['cc', 'c++']):
        installed.consume('mpi-' + compiler, compiler, flags, environment,
                          'mpi_consumer.c')


def find_by_cmake(installed, *kinds, folder=None):
    """Builds the consumers of a project that finds the library; runs them."""
    folder = folder or f'{installed.libraries}/cmake/varve'
    package = only(f'{folder}/varve-config.cmake')
    # MPI's own pkg-config file is not moved.
    environment = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT='1',
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM='1')
    with tempfile.TemporaryDirectory(dir=installed.place) as build:
        run('cmake', '-S', f'{installed.source}/tests/install/cmake/find',
            '-B', build, f'-Dvarve_DIR={os.path.dirname(package)}',
            f'-DKINDS={";".join(kinds)}', env=environment)
        run('cmake', '--build', build)
        consumers = glob.glob(f'{build}/consumer*')
        for consumer in consumers:
            run(consumer, f'{build}/cmake.varve', env=environment)
    return len(consumers)


def check_cmake(installed, kinds):
    """Tests the CMake package, also after moving it, or only the package to
    share/ as vcpkg does."""
    if not shutil.which('cmake'):
        print('install: skipped: CMake is not installed')
        return
    built = find_by_cmake(installed, *kinds)
    if built != 1 + len(kinds) + bool(shutil.which('c++')):
        raise Trouble(f'{kinds}: {built} consumers')
    prefix = os.path.dirname(os.path.dirname(installed.include))
    moved = f'{prefix}/share/varve'
    shutil.move(f'{installed.libraries}/cmake/varve', moved)
    find_by_cmake(installed, *kinds, folder=moved)
    shutil.move(moved, f'{installed.libraries}/cmake/varve')
    try:
        find_by_cmake(installed, 'none-such')
    except Trouble as trouble:
        if 'expected the component none-such' not in str(trouble):
            raise
    else:
        raise Trouble('an unknown component was found')


def check_static(installed):
    """Runs last: it removes the shared library, so the static one is used."""
    for path in glob.glob(f'{installed.libraries}/libvarve.so*'):
        os.remove(path)
    flags = installed.flags('--static', '--cflags', '--libs')
    environment = dict(os.environ)
    environment.pop('LD_LIBRARY_PATH', None)  # the build sets it
    installed.consume('static', 'cc', flags, environment)
    if shutil.which('cmake'):
        find_by_cmake(installed, 'static')


def main(meson, source, build, soname):
    troubles = 0
    with tempfile.TemporaryDirectory() as place:
        try:
            installed = Installation(meson, source, build, place)
        except Trouble as trouble:
            sys.exit(f'install: {trouble}')
        checks = [
            ('headers', lambda: check_headers(installed)),
            ('requirements', lambda: check_requirements(installed)),
            ('command', lambda: check_tool(installed)),
            ('manual', lambda: check_manual(installed)),
        ]
        if installed.has('libvarve.so'):
            checks += [
                ('soname', lambda: check_soname(installed, soname)),
                ('needed libraries', lambda: check_needed(installed)),
                ('exported names', lambda: check_names(
                    installed, 'libvarve.so', lambda name: name != MPI_HEADER)),
                ('flags', lambda: check_flags(installed)),
                ('shared', lambda: check_shared(installed)),
            ]
        for module in MODULES:
            if installed.has(module):
                checks.append((module, functools.partial(
                    check_module, installed, module)))
            else:
                print(f'install: {module} is not built')
        if installed.has('libvarve-mpi.so'):
            checks.append(('mpi', lambda: check_mpi(installed, soname)))
        else:
            print('install: MPI is not installed, its library is not built')
        kinds = [kind for kind, name in [('static', 'libvarve.a'),
                                         ('mpi', 'libvarve-mpi.so')]
                 if installed.has(name)]
        checks.append(('CMake', lambda: check_cmake(installed, kinds)))
        if installed.has('libvarve.a'):
            checks.append(('static', lambda: check_static(installed)))
        for name, check in checks:
            try:
                check()
                print(f'install: {name}: good')
            except Trouble as trouble:
                troubles += 1
                print(f'install: {name}: {trouble}')
    return 1 if troubles else 0


sys.exit(main(*sys.argv[1:]))
