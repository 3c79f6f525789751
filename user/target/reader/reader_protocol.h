/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The protocol between erlbpf and a reader. Requests, answers and data are in shared memory, with sequence numbers. The
 * waiting side polls the number for some microseconds, then sleeps until a byte arrives at the socket. Descriptors are
 * sent with such a byte.
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
	READER_MEMORY,	 /* pieces of the process's memory */
	READER_FILE,	 /* a file of /proc/PID, `size` bytes from `offset` */
	READER_OPEN,	 /* a file of /proc/PID: returns a descriptor */
	READER_STAT,	 /* the identity of such a file */
	READER_BYTES,	 /* of the file whose descriptor is sent along */
	READER_IMAGE,	 /* an image of a file of /proc/PID: returns the descriptors of both */
	READER_IMAGE_OF, /* an image of the file whose descriptor is sent along */
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
	uint32_t calls; /* failed system calls that are allowed */
	uint64_t offset, size;
	uint64_t max_symbols, max_names;
	char path[READER_PATH]; /* below /proc/PID */
	char needed[256];	/* NUL-terminated names; an empty one ends the list */
};

struct reader_answer {
	int32_t err;
	uint32_t failed; /* system calls */
	uint64_t size;
	uint32_t fds;	    /* descriptors that are sent along */
	uint32_t is_socket; /* the file is a socket */
	uint64_t ns;	    /* duration */
	uint64_t device, inode, changed_s, changed_ns;
	uint32_t user;
	char why[128];
};

struct reader_area {
	_Atomic uint32_t asked, answered; /* sequence numbers */
	_Atomic uint32_t reader_sleeps, owner_sleeps;
	struct reader_request request;
	struct reader_answer answer;
	struct reader_piece pieces[READER_MAX_PIECES];
	unsigned char data[READER_DATA];
};

/* To the keeper: make a reader (answered), or end one (not answered). */
struct reader_command {
	int32_t ended; /* its pid; 0: make one */
};

/* The keeper's answer. The socket and the area of the new reader are sent along. */
struct reader_made {
	int32_t err;
	int32_t pid;
};

/* Room for an image and its tables. All processes of erlbpf together stay below 200 MB for any file. */
#define READER_MAX_MEMORY (160u << 20)

enum { READER_SOCKET, READER_AREA, READER_FDS };

/* How often to poll before sleeping. Shrinks while polling is in vain, as on a single CPU. */
struct reader_spin {
	int looks; /* initially 0 */
};

#define READER_MIN_LOOKS 8
#define READER_MAX_LOOKS 512 /* some microseconds */

/* Polls until the number is `value` (or, if !is_equal, is not). False: it timed out. */
bool reader_look(struct reader_spin *spin, const _Atomic uint32_t *number, uint32_t value, bool is_equal);

/* The main function of the keeper, a side process. */
void reader_keeper(int fd);

/* The main function of a reader. */
_Noreturn void reader_run(int fd, struct reader_area *area);

#endif
