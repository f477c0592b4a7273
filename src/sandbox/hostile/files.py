# Reading and writing what is not there to be read or written.
# === password file :: denied
open("/etc/passwd").read()
# === name of the host :: denied
open("/etc/hostname").read()
# === traversal out of the library :: denied
open("/lib/../../etc/passwd").read()
# === traversal with many steps :: denied
open("../" * 40 + "etc/hostname").read()
# === traversal with dots and slashes :: denied
open("/lib/.././/./..//..///etc/./hostname").read()
# === canary file :: denied
open("@CANARY_FILE@").read()
# === canary file, bytes :: denied
import io
io.FileIO("@CANARY_FILE@").readall()
# === canary file, os.open :: denied
import os
os.read(os.open("@CANARY_FILE@", os.O_RDONLY), 100)
# === canary file, pathlib :: denied
import pathlib
pathlib.Path("@CANARY_FILE@").read_text()
# === canary file, linecache :: contained
import linecache
print(linecache.getlines("@CANARY_FILE@"))
# === canary file, fileinput :: denied
import fileinput
print(list(fileinput.input("@CANARY_FILE@")))
# === canary file, runpy :: denied
import runpy
runpy.run_path("@CANARY_FILE@")
# === canary file as a zip on the path :: denied
import sys
sys.path.insert(0, "@CANARY_FILE@")
import canary
# === canary file, tokenize :: denied
import tokenize
tokenize.open("@CANARY_FILE@").read()
# === process environment :: denied
open("/proc/self/environ", "rb").read()
# === process memory :: denied
open("/proc/self/mem", "rb").read(10)
# === process maps :: denied
open("/proc/self/maps").read()
# === process status by number :: denied
for pid in range(1, 200):
    print(open(f"/proc/{pid}/cmdline").read())
# === device :: denied
open("/dev/mem", "rb").read(1)
# === standard input of the host :: denied
open("/dev/stdin").read()
# === file descriptors :: contained
import os
for fd in range(0, 80):
    try:
        print(fd, os.fstat(fd).st_mode, os.read(fd, 10))
    except OSError as error:
        print(fd, error.errno, end=";")
# === write through a descriptor that is not there :: denied
import os
os.write(7, b"hello")
# === write through every descriptor :: contained
import os
for fd in range(3, 70):
    try:
        os.write(fd, b"x" * 100)
    except OSError:
        pass
# === list the root :: contained
import os
print(os.listdir("/"), os.listdir("/lib"), os.getcwd(), dict(os.environ))
# === list a host directory :: denied
import os
os.listdir("/etc")
# === walk from the root :: contained
import os
print([name for _, _, names in os.walk("/") for name in names])
# === glob :: contained
import glob
print(glob.glob("/**/*", recursive=True)[:5], glob.glob("/etc/*"))
# === write a file :: denied
open("/tmp/x", "w").write("x")
# === write into the library :: denied
open("/lib/evil.py", "w")
# === overwrite the library :: denied
open("/lib/python.zip", "r+b").write(b"x")
# === append to the library :: denied
open("/lib/python.zip", "ab").write(b"x")
# === truncate the library :: denied
import os
os.truncate("/lib/python.zip", 0)
# === remove the library :: denied
import os
os.remove("/lib/python.zip")
# === rename the library :: denied
import os
os.rename("/lib/python.zip", "/lib/other.zip")
# === make a directory :: denied
import os
os.mkdir("/lib/new")
# === symbolic link out :: denied
import os
os.symlink("/etc", "/lib/etc")
# === hard link out :: denied
import os
os.link("/etc/passwd", "/lib/passwd")
# === read a link :: denied
import os
os.readlink("/proc/self/exe")
# === temporary file :: denied
import tempfile
tempfile.NamedTemporaryFile().write(b"x")
# === many open files :: denied
files = [open("/lib/python.zip", "rb") for _ in range(100)]
# === seek before the start :: denied
open("/lib/python.zip", "rb").seek(-5)
# === seek far beyond the end :: contained
file = open("/lib/python.zip", "rb")
file.seek(2**62)
print(file.read(10))
# === names with null and surrogates :: denied
open("/etc/pass\0wd")
# === a name of a megabyte :: denied
open("/" + "a" * 1_000_000)
# === a name of many parts :: denied
open("/lib" + "/a/.." * 100_000 + "/nothing")
# === change the root :: denied
import os
os.chroot("/etc")
# === change the directory and read :: denied
import os
os.chdir("/etc")
print(open("passwd").read())
# === mount by ctypes :: denied
import ctypes
ctypes.CDLL(None).mount
# === mmap :: denied
import mmap
mmap.mmap(-1, 10)
# === database file :: denied
import sqlite3
sqlite3.connect("/tmp/x.db")
# === shelve :: denied
import shelve
shelve.open("/tmp/x")
