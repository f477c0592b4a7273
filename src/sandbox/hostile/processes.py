# No other program, no other thread, no way to end this one for others.
# === os.system :: denied
import os
os.system("id")
# === subprocess :: denied
import subprocess
subprocess.run(["id"])
# === popen :: denied
import os
os.popen("id").read()
# === posix by name :: denied
import posix
posix.system("id")
# === exec :: denied
import os
os.execv("/bin/sh", ["sh", "-c", "id"])
# === spawn :: denied
import os
os.posix_spawn("/bin/id", ["id"], {})
# === fork :: denied
import os
os.fork()
# === fork bomb :: denied
import os
while True:
    os.fork()
# === kill the parent :: denied
import os, signal
os.kill(os.getppid(), signal.SIGKILL)
# === kill everyone :: denied
import os
os.kill(-1, 9)
# === kill itself :: contained
import os
os.kill(os.getpid(), 9)
# === raise a fatal signal :: killed
import signal
signal.raise_signal(9)
# === raise a segmentation fault :: contained
import signal
signal.raise_signal(11)
# === exit the process :: killed
import os
os._exit(3)
# === exit with success :: killed
import os
os._exit(0)
# === abort :: killed
import os
os.abort()
# === sys.exit :: kept
import sys
sys.exit(3)
# === quit in a finally :: kept
try:
    raise SystemExit(1)
finally:
    print("out")
# === thread :: denied
import _thread
_thread.start_new_thread(print, (1,))
# === threading :: denied
import threading
threading.Thread(target=lambda: [None for _ in iter(int, 1)]).start()
# === thread pool :: denied
import concurrent.futures
concurrent.futures.ThreadPoolExecutor().submit(print, 1).result()
# === process pool :: denied
import multiprocessing
multiprocessing.Process(target=print).start()
# === timer :: denied
import threading
threading.Timer(1, print).start()
# === alarm :: denied
import signal
signal.alarm(1)
# === interval timer :: denied
import signal
signal.setitimer(signal.ITIMER_REAL, 0.1)
# === at exit :: kept
import atexit
atexit.register(lambda: print("late"))
# === sub-interpreter :: contained
try:
    import _interpreters
    i = _interpreters.create()
    _interpreters.run_string(i, "while True: pass")
except ImportError as error:
    print(error)
# === priority and limits :: denied
import resource
resource.setrlimit(resource.RLIMIT_CPU, (1, 1))
# === user :: denied
import os
os.setuid(0)
# === environment variables :: contained
import os
print(dict(os.environ), os.getenv("SONDE_CANARY"), os.getenv("PATH"))
# === set an environment variable :: contained
import os
os.environ["X"] = "1"
print(os.environ["X"])
# === who and where :: contained
import os, platform, sys
print(sys.argv, sys.executable, sys.path, platform.uname(), os.getpid())
# === home directory :: contained
import os
print(os.path.expanduser("~"), os.path.expanduser("~root"))
