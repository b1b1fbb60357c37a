"""What the scripts of this folder have in common: the built service, which can be killed, and words about what holds.

They are called with the binary and an empty folder."""

import atexit
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import recompute_ratings

binary, scratch = sys.argv[1], sys.argv[2]
began = time.monotonic()


def say(text):
    print(f"{time.monotonic() - began:6.1f} s  {text}", flush=True)


def must(holds, text):
    if not holds:
        sys.exit(f"FAILED: {text}")
    say(text)


class Service:
    """The built service on one port, which can be killed and started again."""

    def __init__(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.address = "127.0.0.1:%d" % free.getsockname()[1]
        self.url, self.process = "http://" + self.address, None

    def start(self):
        command = [binary, "serve", "--bots", "off", "--listen", self.address, "--admin-listen", "127.0.0.1:0", "--data", scratch + "/data"]
        with open(scratch + "/log", "a") as log:
            env = {**os.environ, "BROADSIDE_RATE_LIMITS": "off"}
            self.process = subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=log, text=True)
        said = self.process.stdout.readline()
        if not said.startswith("listening on "):
            sys.exit("the service did not start:\n" + open(scratch + "/log").read()[-4000:])

    def end(self, how):
        self.process.send_signal(how)
        status = self.process.wait(60)
        self.process.stdout.close()
        return status


def command(*words):
    """What one of the service's commands says; it must succeed."""
    done = subprocess.run([binary, *words, "--data", scratch + "/data"], capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"FAILED: broadside {' '.join(words)}: {done.stdout}{done.stderr}")
    return done.stdout.strip()


def all_of(player, path):
    """Every item of a list, page by page."""
    cursor, items = "", []
    while cursor is not None:
        page = player.ask("GET", f"{path}{'&' if '?' in path else '?'}limit=100{cursor and '&cursor=' + cursor}")
        items += page["items"]
        cursor = page["next_cursor"]
    return items


def at_once(work, items):
    """Does the same for each of them in threads of their own, and returns these."""
    threads = [threading.Thread(target=work, args=(item,), daemon=True) for item in items]
    for thread in threads:
        thread.start()
    return threads


def recompute(service, changes):
    """Every rating, by a program that shares nothing with the service; there must be so many changes."""
    done = subprocess.run([sys.executable, recompute_ratings.__file__, "--all", "--url", service.url], capture_output=True, text=True)
    must(done.returncode == 0, "recomputed from outside: " + (done.stdout + done.stderr).strip().replace("\n", "; "))
    must(f"{changes} changes computed again" in done.stdout, "and none was left out")


def running_service():
    """The service, which ends with the script."""
    service = Service()

    @atexit.register
    def leave_nothing_running():
        if service.process and service.process.poll() is None:
            service.end(signal.SIGTERM)

    service.start()
    return service
