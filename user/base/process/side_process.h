/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A side process: a child of ours with a task of its own and a socket between us. It is forked early, while we are
 * small, keeps no other descriptor, has a session of its own and blocks all signals: nothing that is sent to us, our
 * process group or our terminal reaches it, only SIGKILL by its pid. It ends by itself when its socket says that we are
 * gone.
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
 * `run` gets the other end of the socket and must not return before the end of the process; `name` is what ps(1) shows.
 * To be called before any thread is started. 0 or -errno.
 */
int side_process_start(struct side_process *side, const char *name, void (*run)(int fd));

/* For `run`: it may take so many bytes of data, and where memory is short, it is the first to go. */
void side_process_limit(size_t data);

/* Closes our end and waits until it has ended. */
void side_process_end(struct side_process *side);

/* All of it, with descriptors beside the first byte. 0 or -errno: -EPIPE if the other side is gone. */
int side_send(int fd, const void *data, size_t size, const int *fds, size_t fd_count);

/*
 * Exactly so many bytes and descriptors, which the caller owns then; -1 stands for what did not come. 0 or -errno:
 * -EPIPE if the other side is gone; -EMFILE if all bytes are there, but not all descriptors, of which there can be no
 * more.
 */
int side_receive(int fd, void *data, size_t size, int *fds, size_t fd_count);

#endif
