/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader processes read foreign files and foreign memory, which may be made to exhaust the memory or the time of their
 * reader, or to exploit a bug in it. A reader has no rights but these (reader_keeper.c). If a request is not answered
 * in time, its reader is killed, and the traced process goes into quarantine (quarantine.h).
 */
#ifndef ERLBPF_TARGET_READER_READER_H
#define ERLBPF_TARGET_READER_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Fork the keeper of readers early, while our process is small. The first read does so too. */
void reader_start(void);

/* For a side process, which inherits no descriptors: its first read starts a reader of its own. */
void reader_forget(void);

/* For the agent, which must serve others meanwhile: use short timeouts, and make images in the background. */
void reader_hurry(void);

struct procfs_piece;

/* Reads pieces of a process's memory. 0, -ETIMEDOUT on a timeout or in quarantine, or another -errno. */
int reader_memory(pid_t pid, struct procfs_piece *pieces, size_t count);

/* Reads /proc/PID/NAME from `offset`, at most `room` bytes and 1 MiB. The number of bytes, 0 at the end, or -errno. */
ssize_t reader_file(pid_t pid, const char *name, uint64_t offset, void *buf, size_t room);

/* The identity of the file behind /proc/PID/NAME, and of its version. */
struct reader_identity {
	uint64_t device, inode, changed_s, changed_ns;
	uint32_t user; /* owner */
	bool is_socket;
};

/* Compares device and inode only: renames and links change the time too, and a running executable cannot be written. */
bool reader_is_same(const struct reader_identity *a, const struct reader_identity *b);
int reader_identify(pid_t pid, const char *name, struct reader_identity *identity);

/* Opens the file behind /proc/PID/NAME for reading. A descriptor or -errno. */
int reader_open(pid_t pid, const char *name, struct reader_identity *identity);

/* Reads bytes of an open file: all, or -errno. */
int reader_bytes(int fd, uint64_t offset, void *buf, size_t size);

struct image;

struct reader_image {
	struct image *image;
	int fd; /* its file */
	struct reader_identity identity;
	uint64_t took_ns;
	char why[128]; /* not a constant; printable */
};

/*
 * Makes an image of the file behind /proc/PID/NAME, which must be `file`; `needed` as for image_build(), or NULL. 0,
 * -ENOEXEC (why), -ETIMEDOUT, or another -errno. After reader_hurry() also -EAGAIN: an image is being made, or it is
 * another owner's turn (fair_share.h).
 */
int reader_make_image(pid_t pid, const char *name, const struct reader_identity *file, const char *const *needed,
		      struct reader_image *made);

/* Makes an image of an open file of the process. The descriptor stays the caller's. */
int reader_make_image_of(pid_t pid, int fd, struct reader_image *made);

#endif
