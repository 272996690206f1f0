"""build_native.py - Compiles varve._native against the library.

The library is the one that pkg-config finds. If it finds none, the library is
built from the sources and linked into the module. All declarations are taken
from the headers of the library.

SPDX-License-Identifier: MIT
"""
import os
import shlex
import subprocess
import sys

import cffi

HERE = os.path.dirname(os.path.abspath(__file__))
# The sources of the library: a folder beside this file in a source
# distribution, the parent folder in a checkout.
SOURCES = os.path.join(HERE, 'library')
CHECKOUT = SOURCES if os.path.isdir(SOURCES) else os.path.dirname(HERE)
sys.path.insert(0, HERE)

from declarations import declarations  # noqa: E402

OPTIONS = ['--buildtype=release', '-Ddefault_library=static', '-Dmpi=disabled',
           '-Dtests=disabled', '-Dtool=disabled', '-Dexamples=false',
           '-Dbench=false', '-Dmanual=disabled']

# The library calls these functions, which varve/callbacks.py defines.
CALLBACKS = '''
extern "Python" int varve_python_progress(void *user, uint64_t done,
    uint64_t total, const char *what);
extern "Python" void varve_python_loss(void *user, const char *path,
    const char *what);
extern "Python" varve_status varve_python_make_room(void *user,
    varve_node *node, const varve_tensor *coming, void **room);
extern "Python" void varve_python_settle(void *user, varve_node *node,
    void *room, bool is_taken);
extern "Python" varve_status varve_python_flush(void *self);
extern "Python" varve_status varve_python_seek(void *self, uint64_t length);
extern "Python" varve_status varve_python_agree(void *self, uint64_t *value);
extern "Python" varve_status varve_python_gather(void *self, const void *bytes,
    size_t size, void *all);
extern "Python" varve_status varve_python_gather_varied(void *self,
    const void *bytes, size_t size, void *all, const uint64_t *sizes);
extern "Python" varve_status varve_python_broadcast(void *self, void *bytes,
    size_t size);
extern "Python" varve_status varve_python_barrier(void *self);
'''

# Defined in native.c.
FUNCTIONS = '''
int varve_python_run_signal_handlers(void *user, uint64_t done, uint64_t total,
    const char *what);
varve_node **varve_python_nodes_of(uint64_t *at, size_t count);
void varve_python_add_numbers(varve_node *parent, const char *names,
    const char *dtypes, size_t count, uint64_t *at, varve_node **old,
    size_t old_count);
void varve_python_add_all_numbers(varve_node **parents,
    const uint32_t *counts, size_t parent_count, const char *names,
    const char *dtypes, uint64_t *at);
void varve_python_add_arrays(varve_node *parent, const char *names,
    size_t count, const uint64_t *at, const char *dtypes, const char *ranks,
    const uint64_t *extents, varve_node **nodes);
varve_node *varve_python_add_array(varve_node *parent, const char *name,
    uintptr_t at, int dtype, int rank, const uint64_t *extents);
'''


def pkg_config(*arguments, **environment):
    """Returns the words that pkg-config prints. Returns None if it is not
    installed or does not find the library."""
    command = [os.environ.get('PKG_CONFIG', 'pkg-config'), *arguments, 'varve']
    try:
        result = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            universal_newlines=True, env={**os.environ, **environment},
            check=False)
    except OSError:
        return None
    return shlex.split(result.stdout) if result.returncode == 0 else None


def build_library():
    """Builds a static library, and returns the flags of the compiler and the
    linker."""
    if not os.path.exists(os.path.join(CHECKOUT, 'include/varve/varve.h')):
        sys.exit('varve: pkg-config does not find the library, and its sources '
                 f'are not in {CHECKOUT}; install the library, or build in a '
                 'checkout of it')
    build = os.path.join(HERE, 'build', 'library')
    try:
        if not os.path.exists(os.path.join(build, 'build.ninja')):
            subprocess.run(
                ['meson', 'setup', build, CHECKOUT, *OPTIONS,
                 f'-Dc_args=-ffile-prefix-map={CHECKOUT}=varve'], check=True)
        subprocess.run(['ninja', '-C', build], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        sys.exit(f'varve: building the library failed: {error}')
    libs = pkg_config(
        '--static', '--libs',
        PKG_CONFIG_PATH=os.path.join(build, 'meson-uninstalled'))
    return ['-I' + os.path.join(CHECKOUT, 'include')], libs


def find_library():
    """Returns the flags of the compiler and of the linker, and the folders for
    the run path, which is empty if the library is linked into the module."""
    libs = pkg_config('--libs')
    if libs is None:
        return (*build_library(), [])
    return pkg_config('--cflags'), libs, [
        flag[2:] for flag in libs if flag.startswith('-L')]


def compiled(declared):
    """Returns the declarations without inline functions, whose bodies cffi
    cannot parse."""
    return [line for line in declared if not line.startswith('static inline')]


def builder():
    cflags, libs, folders = find_library()
    made = cffi.FFI()
    made.cdef('\n'.join(compiled(declarations(cflags))) + CALLBACKS
              + FUNCTIONS)
    with open(os.path.join(HERE, 'native.c'), encoding='utf-8') as stream:
        source = stream.read()
    made.set_source(
        'varve._native', source,
        extra_compile_args=cflags + ['-g0'],  # debug sections contain paths
        extra_link_args=libs + [f'-Wl,-rpath,{path}' for path in folders])
    return made


ffi = builder()
