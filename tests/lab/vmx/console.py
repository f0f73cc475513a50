#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""console.py LINK COMMAND...: run an emulator whose serial line is a terminal.

LINK becomes a link to a pty, which the command opens as its serial line; this
program joins it to standard input and output.  Keys as in QEMU's multiplexed
console: C-a x ends the command, C-a C-a sends one C-a.
"""
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import tty

ESCAPE = 1


def pass_everything(fd):
    """Bochs leaves ISIG on, and then C-c never gets to the guest."""
    mode = termios.tcgetattr(fd)
    if mode[3] & termios.ISIG:
        mode[3] &= ~termios.ISIG
        termios.tcsetattr(fd, termios.TCSANOW, mode)


class Keys:
    """Splits what is typed into what goes to the guest and the wish to end."""

    def __init__(self):
        self.escaped = False
        self.quit = False

    def feed(self, data):
        out = bytearray()
        for byte in data:
            if self.escaped:
                self.escaped = False
                self.quit |= byte in b"xX"
                if byte == ESCAPE:
                    out.append(byte)
            elif byte == ESCAPE:
                self.escaped = True
            else:
                out.append(byte)
        return bytes(out)


def bridge(process, master, slave):
    keys = Keys()
    inputs = [master, sys.stdin.fileno()]
    while not keys.quit:
        ready = select.select(inputs, [], [], 0.2)[0]
        if master in ready:
            os.write(sys.stdout.fileno(), os.read(master, 65536))
        elif process.poll() is not None:
            return
        if sys.stdin.fileno() in ready:
            typed = os.read(sys.stdin.fileno(), 4096)
            if not typed:
                inputs.remove(sys.stdin.fileno())
            pass_everything(slave)
            os.write(master, keys.feed(typed))


def main():
    link, command = sys.argv[1], sys.argv[2:]
    master, slave = pty.openpty()
    if os.path.lexists(link):
        os.unlink(link)
    os.symlink(os.ttyname(slave), link)
    terminal = os.isatty(sys.stdin.fileno())
    saved = termios.tcgetattr(sys.stdin) if terminal else None
    # A session of its own: the pty must not become its controlling terminal,
    # and C-c on ours must not stop it in its debugger.
    # What Bochs's debugger says is not for the eye.
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                          start_new_session=True) as process:
        try:
            if terminal:
                tty.setraw(sys.stdin)
            bridge(process, master, slave)
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGKILL)
            if terminal:
                termios.tcsetattr(sys.stdin, termios.TCSADRAIN, saved)
            os.unlink(link)


if __name__ == "__main__":
    main()
