"""Runs a program on a pseudo terminal of 60 columns. Its output goes to standard output; from standard input come
lines of JSON: [wait for this text, then type this]."""
import codecs
import fcntl
import json
import os
import pty
import select
import struct
import sys
import termios

steps = [json.loads(line) for line in sys.stdin if line.strip()]
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[1], sys.argv[1:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 30, 60, 0, 0))
seen = ""
# A character may come in two pieces.
decoder = codecs.getincrementaldecoder("utf-8")("replace")
while True:
    if select.select([terminal], [], [], 0.05)[0]:
        try:
            data = os.read(terminal, 65536)
        except OSError:
            break
        if not data:
            break
        sys.stdout.buffer.write(data)
        sys.stdout.buffer.flush()
        seen += decoder.decode(data)
    if steps and steps[0][0] in seen:
        seen = seen[seen.index(steps[0][0]) + len(steps[0][0]) :]
        os.write(terminal, steps.pop(0)[1].encode())
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) & 255)
