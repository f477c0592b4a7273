"""Packs the standard library, compiled, into a zip without compression: `pack_stdlib.py LIB OUT`.

Left out: what needs an operating system, a terminal, a network or a compiler, and what is only documentation.
Paths, times and contents follow from the source alone, so that the zip is the same wherever it is built.
"""

import importlib._bootstrap_external as bootstrap
import os
import sys
import zipfile

LEFT_OUT = set(
    """
    __hello__.py __phello__ _aix_support.py _android_support.py _apple_support.py _ios_support.py
    _osx_support.py _pydecimal.py _pyrepl antigravity.py asynchat.py asyncore.py bdb.py cProfile.py crypt.py
    ctypes curses dbm distutils doctest.py ensurepip ftplib.py idlelib imaplib.py lib2to3 mailbox.py msilib
    multiprocessing nis.py nntplib.py ntpath.py nturl2path.py pdb.py pickletools.py poplib.py profile.py
    pstats.py pty.py pydoc.py pydoc_data site-packages smtplib.py socketserver.py sqlite3 ssl.py telnetlib.py
    test this.py tkinter trace.py tty.py turtle.py turtledemo unittest venv webbrowser.py wsgiref xmlrpc zipapp.py
    """.split()
)


def compiled(path, name):
    with open(path, "rb") as file:
        code = compile(file.read(), f"/lib/{name}", "exec", optimize=2, dont_inherit=True)
    return bootstrap._code_to_hash_pyc(code, bytes(8), False)


def pack(source, target):
    with zipfile.ZipFile(target, "w", zipfile.ZIP_STORED) as archive:
        for folder, folders, files in os.walk(source):
            inside = os.path.relpath(folder, source)
            left_out = LEFT_OUT if inside == "." else set()
            folders[:] = sorted(set(folders) - left_out - {"__pycache__", "tests"})
            for file in sorted(set(files) - left_out):
                if file.endswith(".py"):
                    name = os.path.normpath(os.path.join(inside, file))
                    entry = zipfile.ZipInfo(f"{name}c", (1980, 1, 1, 0, 0, 0))
                    archive.writestr(entry, compiled(os.path.join(folder, file), name))


pack(*sys.argv[1:])
