// SPDX-License-Identifier: BSD-2-Clause
/*
 * A reader answers one request after the other. Any of them may hang (a page of userfaultfd, a dead file system), and
 * any file may exploit a bug here. So the caller has a timeout and trusts no answer.
 */
#include "target/reader/reader_protocol.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/io/open_in_root.h"
#include "base/io/read_at.h"
#include "base/process/side_process.h"
#include "target/image/image_build.h"

#define LOWEST_ADDRESS 4096 /* nothing can be mapped below */
#define SMALL_GAP 1024
#define READ_AHEAD (64u << 20)

struct job {
	struct reader_area *area;
	int given;   /* the descriptor that came with the request, or -1 */
	int back[2]; /* descriptors for the answer */
	size_t back_count;
};

static inline void pause_a_little(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

bool reader_look(struct reader_spin *spin, const _Atomic uint32_t *number, uint32_t value, bool is_equal)
{
	int most = spin->looks ? spin->looks : READER_MAX_LOOKS;

	for (int i = 0; i < most; i++) {
		if ((atomic_load(number) == value) == is_equal) {
			spin->looks = most * 2 < READER_MAX_LOOKS ? most * 2 : READER_MAX_LOOKS;
			return true;
		}
		pause_a_little();
	}
	spin->looks = most / 2 > READER_MIN_LOOKS ? most / 2 : READER_MIN_LOOKS;
	return false;
}

/* Memory. */

/*
 * The input of one system call. The kernel looks up the pages of each range anew, which costs more than copying the gap
 * between two close pieces. So close pieces become one range. A gap is smaller than a page, so it adds no page that has
 * no part of a piece.
 */
struct gathering {
	struct iovec local[READER_MAX_PIECES], remote[READER_MAX_PIECES];
	size_t locals, remotes;
	unsigned char between[SMALL_GAP];
};

/* Bytes between the previous piece and this one, or -1 if they cannot be one range. */
static long gap_before(const struct reader_piece *piece)
{
	uint64_t end = piece[-1].address + piece[-1].size;

	return piece->address >= end && piece->address - end < SMALL_GAP ? (long)(piece->address - end) : -1;
}

static void gather_piece(struct gathering *g, const struct reader_piece *piece, unsigned char *to, long gap)
{
	if (gap > 0)
		g->local[g->locals++] = (struct iovec){ g->between, (size_t)gap };
	g->local[g->locals++] = (struct iovec){ to, piece->size };
	if (gap >= 0)
		g->remote[g->remotes - 1].iov_len += (size_t)gap + piece->size;
	else
		g->remote[g->remotes++] = (struct iovec){ (void *)(uintptr_t)piece->address, piece->size };
}

/* Most schedulers of a large machine are idle: their process has the address 0. */
static bool is_somewhere(const struct reader_piece *piece)
{
	return piece->address >= LOWEST_ADDRESS;
}

/* Returns how many pieces are done: those that were read, and the first that cannot be read. */
static size_t gather_some(pid_t pid, struct reader_piece *pieces, unsigned char *to, size_t count, uint32_t *failed)
{
	static struct gathering g;
	size_t left = 0, n = 0;
	ssize_t got;

	g.locals = g.remotes = 0;
	for (; n < count && g.locals + 2 <= READER_MAX_PIECES; n++) {
		if (is_somewhere(&pieces[n]))
			gather_piece(&g, &pieces[n], to, n ? gap_before(&pieces[n]) : -1);
		to += pieces[n].size;
	}
	got = process_vm_readv(pid, g.local, g.locals, g.remote, g.remotes, 0);
	left = got > 0 ? (size_t)got : 0;
	for (size_t i = 0; i < n; i++) {
		long gap = i ? gap_before(&pieces[i]) : 0;
		size_t needed = pieces[i].size + (gap > 0 ? (size_t)gap : 0);

		if (!is_somewhere(&pieces[i]))
			continue;
		pieces[i].is_read = left >= needed;
		if (!pieces[i].is_read) {
			++*failed;
			return i + 1;
		}
		left -= needed;
	}
	return n;
}

static int read_memory(struct job *job, const struct reader_request *r, struct reader_answer *answer)
{
	struct reader_piece *pieces = job->area->pieces;
	unsigned char *to = job->area->data;
	uint64_t sum = 0;

	if (r->count > READER_MAX_PIECES)
		return -EINVAL;
	for (size_t i = 0; i < r->count; i++) {
		pieces[i].is_read = 0;
		sum += pieces[i].size;
	}
	if (sum > READER_DATA)
		return -EINVAL;
	for (size_t at = 0; at < r->count && answer->failed < r->calls;) {
		size_t done = gather_some(r->pid, pieces + at, to, r->count - at, &answer->failed);

		for (size_t i = at; i < at + done; i++)
			to += pieces[i].size;
		at += done;
	}
	return 0;
}

/* Files. */

#define IN_ROOT "root/"

/* A file of /proc/PID, or one below its root, which no link may leave. */
static int open_file(const struct reader_request *r)
{
	_cleanup_close_ int found = -1;
	char path[READER_PATH + 32];
	int fd;

	if (!strncmp(r->path, IN_ROOT, strlen(IN_ROOT))) {
		snprintf(path, sizeof(path), "/proc/%d/" IN_ROOT, r->pid);
		fd = open_in_root(path, r->path + strlen(IN_ROOT));
	} else {
		snprintf(path, sizeof(path), "/proc/%d/%s", r->pid, r->path);
		found = open(path, O_PATH | O_CLOEXEC);
		fd = found < 0 ? -1 : open_regular(found);
	}
	return fd < 0 ? -errno : fd;
}

static int read_file(struct job *job, const struct reader_request *r, struct reader_answer *answer)
{
	_cleanup_close_ int fd = open_file(r);
	size_t want = r->size < READER_DATA ? r->size : READER_DATA;
	ssize_t n = 1;

	if (fd < 0)
		return fd;
	if (r->offset && lseek(fd, (off_t)r->offset, SEEK_SET) < 0)
		return -errno;
	while (n > 0 && answer->size < want) {
		n = read(fd, job->area->data + answer->size, want - answer->size);
		answer->size += n > 0 ? (uint64_t)n : 0;
	}
	/* A partial read is an answer. The next request for the rest returns the error. */
	return n < 0 && !answer->size ? -errno : 0;
}

static int tell_file(const struct stat *st, struct reader_answer *answer)
{
	answer->device = st->st_dev;
	answer->inode = st->st_ino;
	answer->user = st->st_uid;
	answer->is_socket = S_ISSOCK(st->st_mode);
	answer->changed_s = (uint64_t)st->st_ctim.tv_sec;
	answer->changed_ns = (uint64_t)st->st_ctim.tv_nsec;
	return 0;
}

static int give_file(struct job *job, const struct reader_request *r, struct reader_answer *answer)
{
	int fd = open_file(r);
	struct stat st;

	if (fd < 0)
		return fd;
	job->back[job->back_count++] = fd;
	return fstat(fd, &st) ? -errno : tell_file(&st, answer);
}

static int stat_file(const struct reader_request *r, struct reader_answer *answer)
{
	char path[READER_PATH + 32];
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%d/%s", r->pid, r->path);
	return stat(path, &st) ? -errno : tell_file(&st, answer);
}

static int read_bytes(struct job *job, const struct reader_request *r, struct reader_answer *answer)
{
	size_t want = r->size < READER_DATA ? r->size : READER_DATA;
	int err = read_at(job->given, r->offset, job->area->data, want);

	answer->size = err ? 0 : want;
	return err;
}

/* Images. */

static int hand_over(struct job *job, const void *flat, size_t size)
{
	int fd = memfd_create("image", MFD_CLOEXEC);
	void *map = MAP_FAILED;

	if (fd >= 0 && !ftruncate(fd, (off_t)size))
		map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED) {
		if (fd >= 0)
			close(fd);
		return -ENOMEM;
	}
	memcpy(map, flat, size);
	munmap(map, size);
	job->back[job->back_count++] = fd;
	return 0;
}

static void list_needed(const struct reader_request *r, const char *needed[IMAGE_NEEDED + 1])
{
	const char *at = r->needed, *end = r->needed + sizeof(r->needed);
	size_t count = 0;

	while (at < end && *at && count < IMAGE_NEEDED) {
		needed[count++] = at;
		at += strnlen(at, (size_t)(end - at)) + 1;
	}
	needed[count] = NULL;
}

static int make_image(struct job *job, const struct reader_request *r, struct reader_answer *answer)
{
	struct image_limits limits = { r->max_symbols, r->max_names };
	const char *needed[IMAGE_NEEDED + 1], *why = "it cannot be read";
	int err = r->what == READER_IMAGE ? give_file(job, r, answer) : 0;
	int fd = r->what == READER_IMAGE ? job->back[0] : job->given;
	_cleanup_free_ void *flat = NULL;
	size_t size = 0;

	if (err)
		return err;
	list_needed(r, needed);
	err = image_build(fd, &limits, needed, &flat, &size, &why);
	snprintf(answer->why, sizeof(answer->why), "%s", why);
	if (err)
		return err;
	answer->size = size;
	/* The caller reads code and notes next: fetch them from the disk now. */
	posix_fadvise(fd, 0, READ_AHEAD, POSIX_FADV_WILLNEED);
	return hand_over(job, flat, size);
}

/* Requests and answers. */

static int answer_question(struct job *job, const struct reader_request *r, struct reader_answer *answer)
{
	switch (r->what) {
	case READER_MEMORY: return read_memory(job, r, answer);
	case READER_FILE: return read_file(job, r, answer);
	case READER_OPEN: return give_file(job, r, answer);
	case READER_STAT: return stat_file(r, answer);
	case READER_BYTES: return read_bytes(job, r, answer);
	case READER_IMAGE:
	case READER_IMAGE_OF: return make_image(job, r, answer);
	default: return -EINVAL;
	}
}

/* Waits for a byte and takes the descriptor that comes with it. */
static int receive(int fd, int *given)
{
	int came = -1;
	char byte;
	int err = side_receive(fd, &byte, 1, &came, 1);

	if (came < 0)
		return err;
	if (*given >= 0)
		close(*given);
	*given = came;
	return err;
}

/* Returns when a request other than *number is there, or the other end is closed. */
static int wait_for_question(int fd, struct reader_area *area, uint32_t *number, int *given)
{
	static struct reader_spin spin;
	int err = 0;

	reader_look(&spin, &area->asked, *number, false);
	while (!err && atomic_load(&area->asked) == *number) {
		atomic_store(&area->reader_sleeps, 1);
		if (atomic_load(&area->asked) == *number)
			err = receive(fd, given);
		atomic_store(&area->reader_sleeps, 0);
	}
	*number = atomic_load(&area->asked);
	return err;
}

static int give_answer(int fd, const struct job *job, uint32_t number)
{
	atomic_store(&job->area->answered, number);
	if (!job->back_count && !atomic_load(&job->area->owner_sleeps))
		return 0;
	return side_send(fd, "", 1, job->back, job->back_count);
}

static bool needs_file(const struct reader_request *r)
{
	return r->what == READER_BYTES || r->what == READER_IMAGE_OF;
}

static int next(int fd, struct reader_area *area, uint32_t *number)
{
	struct job job = { .area = area, .given = -1 };
	struct reader_request request;
	struct reader_answer answer = {};
	int err = wait_for_question(fd, area, number, &job.given);
	uint64_t begin_ns;

	memcpy(&request, &area->request, sizeof(request));
	request.path[sizeof(request.path) - 1] = '\0';
	/* The byte may belong to an earlier request that was found by polling. */
	while (!err && needs_file(&request) && job.given < 0)
		err = receive(fd, &job.given);
	if (err)
		return err;
	begin_ns = duration_now();
	answer.err = answer_question(&job, &request, &answer);
	answer.ns = duration_now() - begin_ns;
	answer.fds = (uint32_t)job.back_count;
	memcpy(&area->answer, &answer, sizeof(answer));
	err = give_answer(fd, &job, *number);
	for (size_t i = 0; i < job.back_count; i++)
		close(job.back[i]);
	if (job.given >= 0)
		close(job.given);
	return err;
}

void reader_run(int fd, struct reader_area *area)
{
	uint32_t number = 0;

	while (!next(fd, area, &number))
		;
	_exit(0);
}
