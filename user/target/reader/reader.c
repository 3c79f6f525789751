// SPDX-License-Identifier: BSD-2-Clause
/*
 * There are two readers: one for memory and small files, whose answers we wait for, and one for images, which take
 * longer. The keeper forks each when it is first needed, and again after it was killed.
 */
#include "target/reader/reader.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "base/io/read_at.h"
#include "base/io/shortage.h"
#include "base/log.h"
#include "base/process/side_process.h"
#include "base/process/yield.h"
#include "target/reader/fair_share.h"
#include "target/image/image.h"
#include "target/image/image_build.h"
#include "target/reader/proc_stat.h"
#include "target/reader/procfs.h"
#include "target/reader/quarantine.h"
#include "target/reader/reader_protocol.h"

#define MAKING_MS 5000 /* for a fork on a busy machine */
#define BUSY_TIMES 20  /* the timeout is so many times longer for a reader that has CPU time */
#define FAILED_CALLS 20000
#define SLOW_NS (2 * NS_PER_MS)
#define UNCLAIMED_NS (5 * NS_PER_S) /* an image whose caller does not come back for it */

/* Timeouts and sizes of requests. */
struct timeouts {
	uint64_t memory_ns, image_ns;
	uint64_t image_pause_ns; /* then the caller serves others */
	struct image_limits limits;
};

static const struct timeouts usual_timeouts = {
	.memory_ns = 2 * NS_PER_S,
	.image_ns = 10 * NS_PER_S,
	.image_pause_ns = UINT64_MAX,
	.limits = { IMAGE_MAX_SYMBOLS, IMAGE_MAX_NAMES },
};

static const struct timeouts short_timeouts = {
	.memory_ns = 50 * NS_PER_MS,
	.image_ns = 2 * NS_PER_S,
	.image_pause_ns = 50 * NS_PER_MS,
	.limits = { IMAGE_MAX_SYMBOLS / 4, IMAGE_MAX_NAMES / 2 },
};

struct lane {
	struct reader_area *area; /* NULL: no reader */
	int fd;
	pid_t pid;
	uint32_t number; /* of the last request */
	struct reader_spin spin;
	uint64_t waited_ns; /* for a CPU, until the last slow answer */
	/* The image that is being made. */
	bool is_busy;
	pid_t about;
	int about_fd;
	struct fair_share_owner owner;
	uint64_t asked_ns;
};

static struct {
	struct side_process keeper;
	bool is_started, is_lost;
	bool in_a_hurry;
	struct lane small, images;
	struct reader_piece pieces[READER_MAX_PIECES]; /* of the request */
} reader = { .keeper = { .fd = -1 } };

static const struct timeouts *timeouts(void)
{
	return reader.in_a_hurry ? &short_timeouts : &usual_timeouts;
}

void reader_start(void)
{
	if (reader.is_started)
		return;
	reader.is_started = true;
	reader.is_lost = side_process_start(&reader.keeper, "erlbpf-reader", reader_keeper) != 0;
}

void reader_forget(void)
{
	reader.is_started = reader.is_lost = false;
	reader.keeper.fd = -1;
	reader.small = reader.images = (struct lane){};
}

void reader_hurry(void)
{
	reader.in_a_hurry = true;
}

/* Lanes. */

/*
 * The keeper ends the reader, because it may only signal readers. We do not wait for the end: a read that hangs may
 * never return.
 */
static void lane_close(struct lane *lane)
{
	const struct reader_command command = { .ended = lane->pid };

	if (!lane->area)
		return;
	side_send(reader.keeper.fd, &command, sizeof(command), NULL, 0);
	munmap(lane->area, sizeof(*lane->area));
	close(lane->fd);
	*lane = (struct lane){};
}

static void close_all(int *fds, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (fds[i] >= 0)
			close(fds[i]);
	}
}

static int take_made(struct lane *lane, const struct reader_made *made, const int fds[READER_FDS])
{
	void *area = MAP_FAILED;

	if (made->err)
		return is_shortage(made->err) || made->err == -EFBIG ? made->err : -EIO;
	area = mmap(NULL, sizeof(*lane->area), PROT_READ | PROT_WRITE, MAP_SHARED, fds[READER_AREA], 0);
	if (area == MAP_FAILED)
		return -errno;
	*lane = (struct lane){ .area = area, .fd = fds[READER_SOCKET], .pid = made->pid };
	close(fds[READER_AREA]);
	return 0;
}

static int ask_keeper(struct lane *lane)
{
	const struct reader_command command = {};
	int fds[READER_FDS] = { -1, -1 };
	struct reader_made made;
	int err = side_send(reader.keeper.fd, &command, sizeof(command), NULL, 0);

	if (!err)
		err = yield_wait(reader.keeper.fd, MAKING_MS)
			      ? side_receive(reader.keeper.fd, &made, sizeof(made), fds, READER_FDS)
			      : -EPIPE;
	if (!err)
		err = take_made(lane, &made, fds);
	if (err)
		close_all(fds, READER_FDS);
	return err;
}

static int lane_open(struct lane *lane)
{
	int err;

	if (lane->area)
		return 0;
	reader_start();
	err = reader.is_lost ? -EPIPE : ask_keeper(lane);
	if (err == -EPIPE && !reader.is_lost) {
		pr_err("the reader process has ended; restart erlbpf");
		reader.is_lost = true;
	}
	/* The shared area is a memory file, and RLIMIT_FSIZE applies to it. */
	if (err == -EFBIG) {
		pr_err("cannot read nodes: the hard limit on file sizes (`ulimit -Hf`) is too low; raise it");
		reader.is_lost = true;
	}
	return err;
}

/* Requests. */

static int ask(struct lane *lane, const struct reader_request *request, int given)
{
	memcpy(&lane->area->request, request, sizeof(*request));
	memcpy(lane->area->pieces, reader.pieces, request->count * sizeof(*reader.pieces));
	atomic_store(&lane->area->asked, ++lane->number);
	if (given < 0 && !atomic_load(&lane->area->reader_sleeps))
		return 0;
	return side_send(lane->fd, "", 1, &given, given >= 0);
}

static bool is_answered(const struct lane *lane)
{
	return atomic_load(&lane->area->answered) == lane->number;
}

/* A reader that runs is not blocked: then the machine is slow. */
static bool is_late(const struct lane *lane, uint64_t waited_ns, uint64_t most_ns)
{
	return waited_ns >= most_ns && (waited_ns / BUSY_TIMES >= most_ns || proc_stat_state(lane->pid) != 'R');
}

/* Sleeps for at most `most_ns`. Without a pause, sleeps until the reader is late. */
static int sleep_for_answer(struct lane *lane, uint64_t most_ns, bool is_pause)
{
	uint64_t start = duration_now(), waited = 0, turn_ms = most_ns / NS_PER_MS / 4 + 1;
	char byte;
	int err = 0;

	while (!err && !is_answered(lane)) {
		/* The byte may belong to an answer that is ready, with descriptors: leave it. */
		if (yield_wait(lane->fd, (int)turn_ms) && !is_answered(lane))
			err = side_receive(lane->fd, &byte, 1, NULL, 0);
		waited = duration_now() - start;
		if (!err && !is_answered(lane) && (is_pause ? waited >= most_ns : is_late(lane, waited, most_ns)))
			err = -ETIMEDOUT;
	}
	return err;
}

static int await(struct lane *lane, uint64_t most_ns, bool is_pause)
{
	int err;

	if (reader_look(&lane->spin, &lane->area->answered, lane->number, true))
		return 0;
	atomic_store(&lane->area->owner_sleeps, 1);
	err = sleep_for_answer(lane, most_ns, is_pause);
	atomic_store(&lane->area->owner_sleeps, 0);
	return err;
}

/* Sends a request. Starts a reader if there is none, or if the last one has ended. */
static int ask_anew(struct lane *lane, const struct reader_request *request, int given)
{
	int err = lane_open(lane);

	if (!err)
		err = ask(lane, request, given);
	if (err != -EPIPE || reader.is_lost)
		return err;
	lane_close(lane);
	err = lane_open(lane);
	return err ? err : ask(lane, request, given);
}

/*
 * Sends a request to the first reader and waits for the answer. 0 or -errno, also that of the answer: -EPIPE if the
 * request ended the reader, or no reader can be made.
 */
static int question(const struct reader_request *request, int given, struct reader_answer *answer)
{
	struct lane *lane = &reader.small;
	int err = -EPIPE;

	/* A reader that ended before it saw the request did not end because of it. */
	for (int i = 0; i < 2 && err == -EPIPE && !reader.is_lost; i++) {
		err = ask_anew(lane, request, given);
		if (!err)
			err = await(lane, timeouts()->memory_ns, false);
		if (err)
			lane_close(lane);
	}
	if (err)
		return err == -ETIMEDOUT || err == -EPIPE || is_shortage(err) ? err : -EIO;
	memcpy(answer, &lane->area->answer, sizeof(*answer));
	if (answer->size > READER_DATA)
		answer->size = 0;
	return answer->err < 0 ? answer->err : 0;
}

/*
 * How long the process delayed the reader, without the time for which the reader waited for a CPU. All such time after
 * the last slow answer is attributed to this one.
 */
static uint64_t held_up(struct lane *lane, uint64_t ns)
{
	uint64_t waited = 0, since;

	if (ns < SLOW_NS || proc_stat_waited(lane->pid, &waited))
		return ns;
	since = waited - lane->waited_ns;
	lane->waited_ns = waited;
	return ns > since ? ns - since : 0;
}

/* A request about a process. On a timeout, or if the reader ended, the process goes into quarantine. */
static int question_about(const struct reader_request *request, struct reader_answer *answer)
{
	int err;

	if (quarantine_holds(request->pid))
		return -ETIMEDOUT;
	err = question(request, -1, answer);
	yield_now();
	if (err == -ETIMEDOUT)
		quarantine_add(request->pid, "reading its memory or files timed out");
	else if (err == -EPIPE && !reader.is_lost)
		quarantine_add(request->pid, "reading it crashed the reader process");
	else if (!err && reader.in_a_hurry)
		quarantine_charge(request->pid, held_up(&reader.small, answer->ns), answer->failed);
	return err == -EPIPE ? -EIO : err;
}

/* Memory. */

/* Returns how many pieces fit into the area. 0: the first is too large. */
static size_t put_pieces(const struct procfs_piece *pieces, size_t count)
{
	size_t n = 0, sum = 0;

	for (; n < count && n < READER_MAX_PIECES && pieces[n].size <= READER_DATA - sum; n++) {
		reader.pieces[n] = (struct reader_piece){ pieces[n].address, (uint32_t)pieces[n].size, 0 };
		sum += pieces[n].size;
	}
	return n;
}

static void take_pieces(struct procfs_piece *pieces, size_t count)
{
	const struct reader_area *area = reader.small.area;
	const unsigned char *from = area->data;

	for (size_t i = 0; i < count; i++) {
		pieces[i].is_read = area->pieces[i].is_read;
		if (pieces[i].is_read)
			memcpy(pieces[i].to, from, pieces[i].size);
		from += pieces[i].size;
	}
}

static int read_together(pid_t pid, struct procfs_piece *pieces, size_t *count)
{
	struct reader_request request = { .what = READER_MEMORY, .pid = pid, .calls = FAILED_CALLS };
	struct reader_answer answer;
	int err;

	*count = put_pieces(pieces, *count);
	request.count = (uint32_t)*count;
	err = question_about(&request, &answer);
	if (!err)
		take_pieces(pieces, *count);
	return err;
}

static int read_large(pid_t pid, struct procfs_piece *piece)
{
	size_t done = 0;
	int err = 0;

	while (!err && done < piece->size) {
		size_t left = piece->size - done, one = 1;
		struct procfs_piece part = {
			.address = piece->address + done,
			.to = (char *)piece->to + done,
			.size = left < READER_DATA ? left : READER_DATA,
		};

		err = read_together(pid, &part, &one);
		if (!err && !part.is_read)
			return 0;
		done += part.size;
	}
	piece->is_read = !err;
	return err;
}

int reader_memory(pid_t pid, struct procfs_piece *pieces, size_t count)
{
	int err = 0;

	for (size_t i = 0; i < count; i++)
		pieces[i].is_read = false;
	while (!err && count) {
		size_t n = count;

		if (pieces->size > READER_DATA) {
			err = read_large(pid, pieces);
			n = 1;
		} else {
			err = read_together(pid, pieces, &n);
		}
		pieces += n;
		count -= n;
	}
	return err;
}

/* Files. */

/* A truncated name would be the name of another file. */
static int put_path(struct reader_request *request, const char *name)
{
	int length = snprintf(request->path, sizeof(request->path), "%s", name);

	return length < (int)sizeof(request->path) ? 0 : -ENAMETOOLONG;
}

static int take_fds(const struct lane *lane, size_t count, int fds[2])
{
	int err = 0;
	char byte;

	fds[0] = fds[1] = -1;
	/* Bytes of earlier answers may arrive first. */
	while (!err && count && fds[0] < 0)
		err = yield_wait(lane->fd, MAKING_MS) ? side_receive(lane->fd, &byte, 1, fds, count) : -EIO;
	if (err) {
		close_all(fds, 2);
		fds[0] = fds[1] = -1;
	}
	return err;
}

ssize_t reader_file(pid_t pid, const char *name, uint64_t offset, void *buf, size_t room)
{
	struct reader_request request = { .what = READER_FILE, .pid = pid, .offset = offset, .size = room };
	struct reader_answer answer;
	int err = put_path(&request, name);

	if (!err)
		err = question_about(&request, &answer);
	if (err)
		return err;
	if (answer.size > room)
		return -EIO;
	memcpy(buf, reader.small.area->data, answer.size);
	return (ssize_t)answer.size;
}

static void take_identity(const struct reader_answer *answer, struct reader_identity *identity)
{
	*identity = (struct reader_identity){ answer->device,	  answer->inode, answer->changed_s,
					      answer->changed_ns, answer->user,	 answer->is_socket };
}

int reader_identify(pid_t pid, const char *name, struct reader_identity *identity)
{
	struct reader_request request = { .what = READER_STAT, .pid = pid };
	struct reader_answer answer;
	int err = put_path(&request, name);

	if (!err)
		err = question_about(&request, &answer);
	if (!err)
		take_identity(&answer, identity);
	return err;
}

bool reader_is_same(const struct reader_identity *a, const struct reader_identity *b)
{
	return a->device == b->device && a->inode == b->inode;
}

int reader_open(pid_t pid, const char *name, struct reader_identity *identity)
{
	struct reader_request request = { .what = READER_OPEN, .pid = pid };
	struct reader_answer answer;
	int fds[2] = { -1, -1 }, err = put_path(&request, name);

	if (!err)
		err = question_about(&request, &answer);
	if (err)
		return err;
	take_identity(&answer, identity);
	err = take_fds(&reader.small, 1, fds);
	return err ? err : fds[0];
}

int reader_bytes(int fd, uint64_t offset, void *buf, size_t size)
{
	size_t done = 0;

	while (done < size) {
		struct reader_request request = { .what = READER_BYTES, .offset = offset + done, .size = size - done };
		struct reader_answer answer;
		int err;

		if (request.size > READER_DATA)
			request.size = READER_DATA;
		err = question(&request, fd, &answer);
		if (err)
			return err == -EPIPE ? -EIO : err;
		if (answer.size != request.size)
			return -ENOENT;
		memcpy((char *)buf + done, reader.small.area->data, answer.size);
		done += answer.size;
	}
	return 0;
}

/* Images. */

static void put_needed(struct reader_request *request, const char *const *needed)
{
	size_t at = 0;

	for (size_t i = 0; needed && needed[i]; i++)
		at += (size_t)snprintf(request->needed + at, sizeof(request->needed) - at, "%s", needed[i]) + 1;
}

/* The file of an image: an open one, or one by name. */
struct wanted {
	pid_t pid;
	const char *name; /* NULL: `given` */
	int fd;
	struct fair_share_owner owner;
	const char *const *needed;
};

static int ask_for_image(struct lane *lane, const struct wanted *wanted)
{
	struct reader_request request = {
		.what = wanted->name ? READER_IMAGE : READER_IMAGE_OF,
		.pid = wanted->pid,
		.max_symbols = timeouts()->limits.symbols,
		.max_names = timeouts()->limits.name_bytes,
	};
	int err = put_path(&request, wanted->name ? wanted->name : "");

	if (err)
		return err;
	put_needed(&request, wanted->needed);
	err = ask_anew(lane, &request, wanted->fd);
	if (err) {
		lane_close(lane);
		return err;
	}
	lane->about = wanted->pid;
	lane->about_fd = wanted->fd;
	lane->owner = wanted->owner;
	lane->is_busy = true;
	lane->asked_ns = duration_now();
	return 0;
}

/* The reader may be compromised: its text may contain anything. */
static void take_why(const struct reader_answer *answer, char why[128])
{
	size_t n = 0;

	for (; n < sizeof(answer->why) - 1 && isprint((unsigned char)answer->why[n]); n++)
		why[n] = answer->why[n];
	why[n] = '\0';
}

static int read_flat(int fd, size_t size, void **flat)
{
	struct stat st;

	if (size > image_most_bytes(&timeouts()->limits) || fstat(fd, &st) || st.st_size < (off_t)size)
		return -EINVAL;
	*flat = malloc(size + 1);
	if (!*flat)
		return -ENOMEM;
	if (!read_at(fd, 0, *flat, size))
		return 0;
	free(*flat);
	return -EINVAL;
}

/* Receives the descriptors of an answer: the file, if the reader opened it, and the image. */
static int take_image(struct lane *lane, const struct wanted *wanted, struct reader_image *made)
{
	struct image_file file = { .fd = wanted->fd, .read = reader_bytes };
	int fds[2] = { -1, -1 }, err;
	struct reader_answer answer;
	size_t opened = wanted->name ? 1 : 0;
	void *flat;

	memcpy(&answer, &lane->area->answer, sizeof(answer));
	take_why(&answer, made->why);
	take_identity(&answer, &made->identity);
	err = take_fds(lane, answer.fds <= opened + 1 ? answer.fds : 0, fds);
	if (!err)
		err = answer.err ? answer.err : fds[opened] < 0 ? -EIO : read_flat(fds[opened], answer.size, &flat);
	if (opened)
		file.fd = made->fd = fds[0];
	if (!err && opened)
		image_cache_put(&made->identity, sizeof(made->identity), flat, answer.size);
	if (!err)
		err = image_take(flat, answer.size, &file, &made->image);
	if (err == -ENOMEM)
		snprintf(made->why, sizeof(made->why), "not enough memory for the symbols of its file");
	close_all(fds + (err ? 0 : opened), 2 - (err ? 0 : opened));
	return err;
}

static void end_turn(struct lane *lane)
{
	uint64_t now = duration_now();

	fair_share_charge(&lane->owner, now - lane->asked_ns, now);
	lane->is_busy = false;
}

/* Takes over the requested image. */
static int finish(struct lane *lane, const struct wanted *wanted, uint64_t pause_ns, struct reader_image *made)
{
	uint64_t most = timeouts()->image_ns;
	bool is_pause = pause_ns < most;
	int err = await(lane, is_pause ? pause_ns : most, is_pause);

	if (err == -ETIMEDOUT && is_pause && !is_late(lane, duration_now() - lane->asked_ns, most))
		return -EAGAIN;
	if (!err)
		err = take_image(lane, wanted, made);
	made->took_ns = duration_now() - lane->asked_ns;
	end_turn(lane);
	if (err == -ETIMEDOUT || err == -EPIPE || err == -EIO || err == -EINVAL)
		lane_close(lane);
	return err;
}

/* Another image is being made. Give it up if it is late, or if its caller did not come back. */
static int wait_for_turn(struct lane *lane)
{
	uint64_t waited = duration_now() - lane->asked_ns;
	bool is_done = is_answered(lane);

	if (is_done ? waited < timeouts()->image_ns + UNCLAIMED_NS : !is_late(lane, waited, timeouts()->image_ns))
		return -EAGAIN;
	if (!is_done)
		quarantine_add(lane->about, "reading its executable timed out");
	end_turn(lane);
	lane_close(lane);
	return 0;
}

/* Is the lane free, and is it this owner's turn? */
static int take_turn(struct lane *lane, const struct fair_share_owner *owner)
{
	int err = lane->is_busy ? wait_for_turn(lane) : 0;

	if (!err && reader.in_a_hurry && !fair_share_is_next(owner, duration_now()))
		err = -EAGAIN;
	if (err == -EAGAIN)
		fair_share_wait(owner, duration_now());
	return err;
}

static int make_image(const struct wanted *wanted, struct reader_image *made)
{
	struct lane *lane = &reader.images;
	bool is_ours = lane->is_busy && lane->about == wanted->pid && lane->about_fd == wanted->fd;
	int err = 0;

	*made = (struct reader_image){ .fd = -1 };
	if (quarantine_holds(wanted->pid))
		return -ETIMEDOUT;
	if (!is_ours)
		err = take_turn(lane, &wanted->owner);
	if (!err && !is_ours)
		err = ask_for_image(lane, wanted);
	if (!err)
		err = finish(lane, wanted, is_ours ? 0 : timeouts()->image_pause_ns, made);
	if (err == -ETIMEDOUT || (err == -EPIPE && !reader.is_lost))
		quarantine_add(wanted->pid, "reading its executable timed out");
	return err == -EPIPE ? -EIO : err;
}

int reader_make_image(pid_t pid, const char *name, const struct reader_identity *file, const char *const *needed,
		      struct reader_image *made)
{
	struct wanted wanted = {
		.pid = pid,
		.name = name,
		.fd = -1,
		.owner = { file->device, file->user },
		.needed = needed,
	};

	return make_image(&wanted, made);
}

int reader_make_image_of(pid_t pid, int fd, struct reader_image *made)
{
	return make_image(&(struct wanted){ .pid = pid, .fd = fd }, made);
}
