# SPDX-License-Identifier: Apache-2.0
"""Runs a command until it says on standard error that it is in a stage, sends it a signal, and ends with its status.

press.py SIGNAL[,SIGNAL...] STAGE[+PAUSE] COMMAND...

The command is given `--progress json`; what else it says is passed on. No time is measured: however slow the
machine is, the signal comes after the stage began, and PAUSE in seconds after that where it is given.
"""
import signal
import subprocess
import sys
import time

signals = [signal.Signals["SIG" + name] for name in sys.argv[1].split(",")]
stage, _, pause = sys.argv[2].partition("+")


def default():  # a shell has SIGINT ignored in what runs in the background
    for one in signals:
        signal.signal(one, signal.SIG_DFL)


command = subprocess.Popen(sys.argv[3:] + ["--progress", "json"], stderr=subprocess.PIPE, text=True, preexec_fn=default)
sent = False
for line in command.stderr:
    if not line.startswith('{"stage"'):
        sys.stderr.write(line)
    elif not sent and line.startswith(f'{{"stage": "{stage}"'):
        sent = True
        time.sleep(float(pause or 0))
        for one in signals:
            command.send_signal(one)
status = command.wait()
if not sent:
    sys.stderr.write(f"it ended before its stage {stage}\n")
sys.exit(status if status >= 0 else 128 - status)
