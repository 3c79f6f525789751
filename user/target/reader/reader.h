/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Foreign files and foreign memory are read by a process of ours that can do nothing else (reader_keeper.c), since what
 * is read may be made to harm the one who reads: to take its memory, or its time. A question that is not answered in
 * time costs this reader its life, and the process that it was about is left alone for a while (quarantine.h).
 */
#ifndef ERLBPF_TARGET_READER_READER_H
#define ERLBPF_TARGET_READER_READER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Fork the keeper of readers: early, while we are small. What reads does so if nobody has. */
void reader_start(void);

/* In a side process, which has none of our descriptors: its first reader is one of its own. */
void reader_forget(void);

/* The agent answers others while it looks at nodes: its readers have little time, and images are made beside. */
void reader_hurry(void);

struct procfs_piece;

/* Pieces of a process's memory. 0, -ETIMEDOUT if it did not answer in time or did not lately, or another -errno. */
int reader_memory(pid_t pid, struct procfs_piece *pieces, size_t count);

/* A file of /proc/PID from that place on, at most `room` bytes and a MiB: how many, 0 at its end, or -errno. */
ssize_t reader_file(pid_t pid, const char *name, uint64_t offset, void *buf, size_t room);

/* Which file it is that /proc/PID/NAME leads to, in this version. */
struct reader_identity {
	uint64_t device, inode, changed_s, changed_ns;
	uint32_t user; /* whose it is */
	bool is_socket;
};

/* The same file, maybe in another version: names and links change it, too, and what runs cannot be written. */
bool reader_is_same(const struct reader_identity *a, const struct reader_identity *b);
int reader_identify(pid_t pid, const char *name, struct reader_identity *identity);

/* The file behind it, opened to be read: a descriptor or -errno. */
int reader_open(pid_t pid, const char *name, struct reader_identity *identity);

/* Bytes of an open file: all, or -errno. */
int reader_bytes(int fd, uint64_t offset, void *buf, size_t size);

struct image;

struct reader_image {
	struct image *image;
	int fd; /* of its file */
	struct reader_identity identity;
	uint64_t took_ns;
	char why[128]; /* not: a text of ours, in letters that can be printed */
};

/*
 * An image of the file that /proc/PID/NAME leads to, which is that one; `needed` as for image_build(), or NULL. 0,
 * -ENOEXEC (why), or another -errno: -EAGAIN, in a hurry, if it or another is being made or it is another's turn
 * (turns.h); -ETIMEDOUT if it took too long.
 */
int reader_make_image(pid_t pid, const char *name, const struct reader_identity *file, const char *const *needed,
		      struct reader_image *made);

/* The same of a file of the process that is open, and stays the caller's. */
int reader_make_image_of(pid_t pid, int fd, struct reader_image *made);

#endif
