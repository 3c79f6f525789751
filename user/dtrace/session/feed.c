// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads the ring directly, because libbpf's reader does not tell the end of the ring from an incomplete record: later
 * records, possibly older ones, can follow it.
 */
#include "dtrace/session/feed.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <linux/bpf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "base/duration.h"
#include "d.h"
#include "dtrace/session/order.h"

#define CLOCK_SLACK_NS 1000 /* clocks of CPUs, and the kernel's fast clock, differ slightly */
#define LAST_WAIT_MS 50
#define ROOM_PARTS 16 /* parts of the ring, each of which is released when it was read */
#define WINDOW_SIZE (512UL << 10)

struct mapping {
	void *at;
	size_t size;
};

struct feed {
	int ring;
	size_t ring_size, window_size;
	struct mapping consumer, producer, window, frames;
	size_t window_at; /* of the first record in `window`, in the ring */
	size_t frame_size, frame_count;
	struct order order;
	uint64_t before; /* older records can be passed on */
};

static int map(struct mapping *mapping, int fd, size_t size, int protection, off_t at)
{
	void *mapped = mmap(NULL, size, protection, MAP_SHARED, fd, at);

	if (mapped == MAP_FAILED)
		return -errno;
	*mapping = (struct mapping){ mapped, size };
	return 0;
}

static void unmap(const struct mapping *mapping)
{
	if (mapping->at)
		munmap(mapping->at, mapping->size);
}

static size_t whole_pages(size_t size, size_t page)
{
	return (size + page - 1) / page * page;
}

static int map_frames(struct feed *feed, int frames, size_t page)
{
	struct bpf_map_info info = {};
	uint32_t size = sizeof(info);

	if (bpf_obj_get_info_by_fd(frames, &info, &size))
		return -errno;
	feed->frame_size = (info.value_size + 7) & ~7U;
	feed->frame_count = info.max_entries;
	return map(&feed->frames, frames, whole_pages(feed->frame_size * feed->frame_count, page), PROT_READ, 0);
}

static size_t lesser(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Maps the part of the ring in which the record begins, instead of the last one. */
static int map_window(struct feed *feed, size_t at)
{
	off_t first_record = (off_t)(feed->consumer.size + feed->producer.size);

	if (mmap(feed->window.at, feed->window.size, PROT_READ, MAP_SHARED | MAP_FIXED, feed->ring,
		 first_record + (off_t)at) == MAP_FAILED) {
		feed->window_at = SIZE_MAX;
		return -errno;
	}
	feed->window_at = at;
	return 0;
}

/* Reserves addresses for a window: one part, plus the longest record, which is a part of a frame. */
static int reserve_window(struct feed *feed, size_t page)
{
	size_t longest = lesser(whole_pages(feed->frame_size + BPF_RINGBUF_HDR_SZ, page), feed->ring_size);

	feed->window_size = lesser(WINDOW_SIZE, feed->ring_size);
	feed->window.size = feed->window_size + longest;
	feed->window.at = mmap(NULL, feed->window.size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (feed->window.at == MAP_FAILED) {
		feed->window.at = NULL;
		return -errno;
	}
	return map_window(feed, 0);
}

/*
 * A page with the reader's position, one with the writer's, then the records twice, so that none is split. Mapped pages
 * count as our memory, so only a window is mapped.
 */
static int map_ring(struct feed *feed, int ring, size_t page)
{
	struct bpf_map_info info = {};
	uint32_t size = sizeof(info);
	int err;

	if (bpf_obj_get_info_by_fd(ring, &info, &size))
		return -errno;
	feed->ring = ring;
	feed->ring_size = info.max_entries;
	err = map(&feed->consumer, ring, page, PROT_READ | PROT_WRITE, 0);
	if (!err)
		err = map(&feed->producer, ring, page, PROT_READ, (off_t)page);
	return err ? err : reserve_window(feed, page);
}

struct feed *feed_new(int ring, int frames)
{
	struct feed *feed = calloc(1, sizeof(*feed));
	size_t page;
	int err;

	if (!feed)
		return NULL;
	page = (size_t)sysconf(_SC_PAGESIZE);
	err = map_frames(feed, frames, page);
	if (!err)
		err = map_ring(feed, ring, page);
	if (!err)
		return feed;
	feed_free(feed);
	errno = -err;
	return NULL;
}

void feed_free(struct feed *feed)
{
	if (!feed)
		return;
	unmap(&feed->consumer);
	unmap(&feed->producer);
	unmap(&feed->window);
	unmap(&feed->frames);
	order_free(&feed->order);
	free(feed);
}

int feed_fd(const struct feed *feed)
{
	return feed->ring;
}

static const struct d_frame *frame(const struct feed *feed, size_t i)
{
	return (const struct d_frame *)(const void *)((const char *)feed->frames.at + i * feed->frame_size);
}

static bool is_busy(const struct d_frame *f)
{
	return __atomic_load_n(&f->busy, __ATOMIC_ACQUIRE) != 0;
}

/*
 * A firing marks its frame busy, then takes the time. So a firing that is not seen here has a later time than ours. One
 * that is seen may not have set its time; its frame has an older one, which is harmless.
 */
static uint64_t oldest_under_way(const struct feed *feed)
{
	uint64_t oldest = duration_now() - CLOCK_SLACK_NS;

	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	for (size_t i = 0; i < feed->frame_count; i++) {
		const struct d_frame *f = frame(feed, i);
		uint64_t time_ns = is_busy(f) ? __atomic_load_n(&f->time_ns, __ATOMIC_RELAXED) : oldest;

		if (time_ns < oldest)
			oldest = time_ns;
	}
	__atomic_thread_fence(__ATOMIC_SEQ_CST);
	return oldest;
}

static int add(struct feed *feed, const void *record, size_t size)
{
	const struct d_record *head = record;

	return size < sizeof(*head) ? 0 : order_add(&feed->order, record, size, head->time_ns);
}

static int find_record(struct feed *feed, unsigned long at, const char **record)
{
	size_t in_ring = at & (feed->ring_size - 1), window = in_ring / feed->window_size * feed->window_size;
	int err = window == feed->window_at ? 0 : map_window(feed, window);

	*record = (const char *)feed->window.at + (in_ring - window);
	return err;
}

/* Adds the record at a position and advances. -EAGAIN: incomplete. */
static int take(struct feed *feed, unsigned long *at)
{
	const char *record;
	int err = find_record(feed, *at, &record);
	uint32_t head, size;

	if (err)
		return err;
	head = __atomic_load_n((const uint32_t *)(const void *)record, __ATOMIC_ACQUIRE);
	size = head & ~(BPF_RINGBUF_BUSY_BIT | BPF_RINGBUF_DISCARD_BIT);
	if (head & BPF_RINGBUF_BUSY_BIT)
		return -EAGAIN;
	*at += (size + BPF_RINGBUF_HDR_SZ + 7) & ~7UL;
	return head & BPF_RINGBUF_DISCARD_BIT ? 0 : add(feed, record + BPF_RINGBUF_HDR_SZ, size);
}

/*
 * Reads the ring. -EAGAIN: a record is incomplete, and those after it stay. Writers read our position. Updating it
 * after each record would cost the traced thread much of the cost of a record, because the cache line moves between
 * CPUs.
 */
static int drain(struct feed *feed)
{
	unsigned long *consumer = feed->consumer.at, *producer = feed->producer.at;
	unsigned long end = __atomic_load_n(producer, __ATOMIC_ACQUIRE);
	unsigned long at = __atomic_load_n(consumer, __ATOMIC_ACQUIRE), published = at;
	int err = 0;

	while (!err && at < end) {
		err = take(feed, &at);
		if (at - published < feed->ring_size / ROOM_PARTS)
			continue;
		__atomic_store_n(consumer, at, __ATOMIC_RELEASE);
		published = at;
	}
	__atomic_store_n(consumer, at, __ATOMIC_RELEASE);
	return err;
}

int feed_read(struct feed *feed)
{
	uint64_t before;
	int err;

	if (feed_has(feed))
		return 0;
	before = oldest_under_way(feed);
	err = drain(feed);
	feed->before = err ? 0 : before;
	return err == -EAGAIN ? 0 : err;
}

static bool is_quiet(const struct feed *feed)
{
	for (size_t i = 0; i < feed->frame_count; i++) {
		if (is_busy(frame(feed, i)))
			return false;
	}
	return true;
}

int feed_read_last(struct feed *feed)
{
	static const struct timespec moment = { .tv_nsec = NS_PER_MS };
	int err = -EAGAIN;

	for (int i = 0; i < LAST_WAIT_MS && !is_quiet(feed); i++)
		nanosleep(&moment, NULL);
	for (int i = 0; i < LAST_WAIT_MS && err == -EAGAIN; i++) {
		err = drain(feed);
		if (err == -EAGAIN)
			nanosleep(&moment, NULL);
	}
	feed->before = UINT64_MAX;
	return err == -EAGAIN ? 0 : err;
}

const void *feed_next(struct feed *feed, size_t *size)
{
	return order_next(&feed->order, feed->before, size);
}

bool feed_has(const struct feed *feed)
{
	return order_has(&feed->order, feed->before);
}

uint64_t feed_firings(const struct feed *feed)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < feed->frame_count; i++)
		sum += __atomic_load_n(&frame(feed, i)->firings, __ATOMIC_RELAXED);
	return sum;
}
