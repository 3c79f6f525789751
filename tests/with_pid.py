#!/usr/bin/env python3
"""Runs a command as the process with a pid that is free: with_pid.py PID COMMAND [ARGUMENT...]. Ends when it does."""
import ctypes
import os
import sys

CLONE3, SIGCHLD = 435, 17

libc = ctypes.CDLL(None, use_errno=True)
pid = ctypes.c_int(int(sys.argv[1]))
# struct clone_args: flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls, set_tid, set_tid_size, cgroup
args = (ctypes.c_uint64 * 11)(0, 0, 0, 0, SIGCHLD, 0, 0, 0, ctypes.addressof(pid), 1, 0)
child = libc.syscall(CLONE3, args, ctypes.c_size_t(ctypes.sizeof(args)))
if child < 0:
    sys.exit("with_pid: pid %d: %s" % (pid.value, os.strerror(ctypes.get_errno())))
if child == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
os.waitpid(child, 0)
