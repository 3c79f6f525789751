/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A side process: a child with a task of its own, and a socket between parent and child. It is forked early, while the
 * parent is small, keeps no other descriptor, has its own session and blocks all signals: signals to the parent, its
 * process group or terminal do not reach it, only SIGKILL by pid. It ends when its socket is closed.
 */
#ifndef ERLBPF_BASE_PROCESS_SIDE_PROCESS_H
#define ERLBPF_BASE_PROCESS_SIDE_PROCESS_H

#include <stddef.h>
#include <sys/types.h>

#define SIDE_MAX_FDS 4

struct side_process {
	pid_t pid;
	int fd; /* a stream; readable when the process has ended, or as its protocol says */
};

/*
 * Starts a side process. `run` gets the other end of the socket and runs until the process ends; `name` is shown in
 * ps(1). Call it before any thread is started. 0 or -errno.
 */
int side_process_start(struct side_process *side, const char *name, void (*run)(int fd));

/* For `run`: limits the data segment, and makes it the first process that the OOM killer ends. */
void side_process_limit(size_t data);

/* Closes the socket and waits for the end of the process. */
void side_process_end(struct side_process *side);

/* Sends all bytes, and the descriptors with the first one. 0 or -errno: -EPIPE if the peer is gone. */
int side_send(int fd, const void *data, size_t size, const int *fds, size_t fd_count);

/*
 * Receives exactly `size` bytes, and up to fd_count descriptors, which the caller then owns; -1 for missing ones. 0 or
 * -errno: -EPIPE if the peer is gone; -EMFILE if the bytes arrived, but descriptors were lost because the table is
 * full.
 */
int side_receive(int fd, void *data, size_t size, int *fds, size_t fd_count);

#endif
