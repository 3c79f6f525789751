/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What we and a reader say to each other. Questions, answers and data are in memory that both share; their numbers say
 * when one is there. Who waits looks at them for some microseconds, and then sleeps until a byte comes through the
 * socket; descriptors come with such a byte.
 */
#ifndef ERLBPF_TARGET_READER_READER_PROTOCOL_H
#define ERLBPF_TARGET_READER_READER_PROTOCOL_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define READER_DATA (1u << 20) /* bytes for data */
#define READER_MAX_PIECES 1024 /* UIO_MAXIOV */
#define READER_PATH 512

enum reader_question {
	READER_MEMORY,	 /* pieces of a process's memory */
	READER_FILE,	 /* a file of /proc/PID, from `offset`, as far as `size` */
	READER_OPEN,	 /* one of these: its descriptor comes back */
	READER_STAT,	 /* which file that is */
	READER_BYTES,	 /* of the file whose descriptor comes with it */
	READER_IMAGE,	 /* an image of a file of /proc/PID: its descriptor and that of the image come back */
	READER_IMAGE_OF, /* the same of the file whose descriptor comes with it */
};

struct reader_piece {
	uint64_t address;
	uint32_t size;
	uint32_t is_read;
};

struct reader_request {
	uint32_t what;
	int32_t pid;
	uint32_t count; /* pieces */
	uint32_t calls; /* how many system calls may fail */
	uint64_t offset, size;
	uint64_t max_symbols, max_names;
	char path[READER_PATH]; /* below /proc/PID */
	char needed[256];	/* names, each with its NUL; an empty one ends them */
};

struct reader_answer {
	int32_t err;
	uint32_t failed; /* system calls */
	uint64_t size;
	uint32_t fds;	    /* descriptors that come with it */
	uint32_t is_socket; /* the file is one */
	uint64_t ns;	    /* that it took */
	uint64_t device, inode, changed_s, changed_ns;
	uint32_t user;
	char why[128];
};

struct reader_area {
	_Atomic uint32_t asked, answered; /* numbers of the last ones */
	_Atomic uint32_t reader_sleeps, owner_sleeps;
	struct reader_request request;
	struct reader_answer answer;
	struct reader_piece pieces[READER_MAX_PIECES];
	unsigned char data[READER_DATA];
};

/* To the keeper: make a reader, or end that one. Only the former is answered. */
struct reader_wish {
	int32_t ended; /* its pid; 0: make one */
};

/* What the keeper says of a reader that it has made; its socket and its area come with it. */
struct reader_made {
	int32_t err;
	int32_t pid;
};

/* An image with its tables. With what else of erlbpf there is, it is less than 200 MB whatever a file is made of. */
#define READER_MAX_MEMORY (160u << 20)

enum { READER_SOCKET, READER_AREA, READER_FDS };

/* How long to look before sleeping: where it is in vain, since there is no other CPU, ever shorter. */
struct reader_spin {
	int looks; /* at first 0 */
};

#define READER_MIN_LOOKS 8
#define READER_MAX_LOOKS 512 /* some microseconds */

/* Has the number become that one, or any other than that one? */
bool reader_look(struct reader_spin *spin, const _Atomic uint32_t *number, uint32_t value, bool is_equal);

/* Runs in a side process: makes readers for whoever asks through the socket. */
void reader_keeper(int fd);

/* The reader itself. */
_Noreturn void reader_run(int fd, struct reader_area *area);

#endif
