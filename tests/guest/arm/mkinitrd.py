#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
# mkinitrd.py - an initramfs from unpacked packages: busybox, programs, libraries, modules
"""Usage: mkinitrd.py TREE OUT INIT [--programs PATH...] [--libraries-of FILE...]
                   [--modules NAME...]

TREE holds a kernel package and the packages of the programs, of any architecture. PATH is
a program below it; the libraries that it and each FILE need come along. Modules are loaded
in the order given, each after what it depends on; the list is /modules/order. A module
that is built in is left out, one that the kernel does not have is an error. The archive is
not compressed: an emulated processor takes longer to unpack than to copy.
"""
import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

DIRECTORIES = ('bin', 'sbin', 'usr/bin', 'usr/sbin', 'proc', 'sys', 'dev', 'etc', 'lib',
               'run', 'tmp', 'var/lib', 'modules')


def module_name(path):
    """The name that the kernel gives to a module file."""
    return re.sub(r'\.ko(\.xz|\.zst)?$', '', os.path.basename(path)).replace('-', '_')


def module_order(tree, release, names):
    """The files of the modules and of what they depend on, in loading order."""
    base = os.path.join(tree, 'lib/modules', release)
    if not os.path.getsize(os.path.join(base, 'modules.dep')):
        sys.exit(f'{base}: depmod has not run')
    needs, by_name = {}, {}
    with open(os.path.join(base, 'modules.dep'), encoding='ascii') as file:
        for line in file:
            path, _, rest = line.partition(':')
            needs[path] = rest.split()
            by_name[module_name(path)] = path
    with open(os.path.join(base, 'modules.builtin'), encoding='ascii') as file:
        builtin = {module_name(line.strip()) for line in file}
    order = []
    for name in names:
        name = name.replace('-', '_')
        if name in builtin:
            continue
        if name not in by_name:
            sys.exit(f'{release}: no module {name}')
        path = by_name[name]
        # modules.dep lists what is needed last first
        for one in needs[path][::-1] + [path]:
            if one not in order:
                order.append(one)
    return [os.path.join(base, path) for path in order]


def find_library(tree, soname):
    """The file of a library below the tree."""
    for place in ('lib/*', 'usr/lib/*', 'lib', 'usr/lib'):
        for path in sorted(glob.glob(os.path.join(tree, place, soname))):
            return os.path.realpath(path)
    return None


def needed(path):
    """The sonames that a program or library asks for, its interpreter included."""
    text = subprocess.run(['readelf', '-dl', path], capture_output=True, text=True,
                          check=True).stdout
    names = re.findall(r'\(NEEDED\).*\[(.*)\]', text)
    return names + re.findall(r'interpreter: .*/(.*)\]', text)


def copy_libraries(tree, root, programs):
    """Everything goes to /lib, where each architecture's loader looks last."""
    wanted, done = list(programs), set()
    while wanted:
        for soname in needed(wanted.pop()):
            if soname in done:
                continue
            done.add(soname)
            path = find_library(tree, soname)
            if not path:
                sys.exit(f'{soname} is in no unpacked package')
            shutil.copy(path, os.path.join(root, 'lib', soname))
            wanted.append(path)


def write_archive(root, out):
    """All of root as a cpio archive, owned by root."""
    names = subprocess.run(['find', '.', '-print0'], cwd=root, capture_output=True,
                           check=True).stdout
    with open(out, 'wb') as file:
        subprocess.run(['cpio', '-0', '-o', '-H', 'newc', '-R', '0:0', '--quiet'],
                       cwd=root, input=names, stdout=file, check=True)


def parse_arguments():
    """The command line, see above."""
    parser = argparse.ArgumentParser()
    parser.add_argument('tree')
    parser.add_argument('out')
    parser.add_argument('init')
    parser.add_argument('--programs', nargs='*', default=[])
    parser.add_argument('--libraries-of', nargs='*', default=[])
    parser.add_argument('--modules', nargs='*', default=[])
    return parser.parse_args()


def main():
    """Build the directory, pack it, remove it."""
    args = parse_arguments()
    release = os.listdir(os.path.join(args.tree, 'lib/modules'))[0]
    programs = [os.path.join(args.tree, path) for path in args.programs]
    modules = module_order(args.tree, release, args.modules)
    with tempfile.TemporaryDirectory(prefix='boardtune-initrd-') as root:
        for name in DIRECTORIES:
            os.makedirs(os.path.join(root, name))
        shutil.copy(os.path.join(args.tree, 'bin/busybox'), os.path.join(root, 'bin'))
        for path in programs:
            shutil.copy(path, os.path.join(root, 'usr/bin'))
        copy_libraries(args.tree, root, programs + args.libraries_of)
        with open(os.path.join(root, 'modules/order'), 'w', encoding='ascii') as file:
            for path in modules:
                shutil.copy(path, os.path.join(root, 'modules'))
                file.write(os.path.basename(path) + '\n')
        shutil.copy(args.init, os.path.join(root, 'init'))
        os.chmod(os.path.join(root, 'init'), 0o755)
        write_archive(root, args.out + '.new')
    os.rename(args.out + '.new', args.out)


if __name__ == '__main__':
    main()
