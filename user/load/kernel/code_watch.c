// SPDX-License-Identifier: BSD-2-Clause
#include "load/kernel/code_watch.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/array.h"

#define RING_PAGES 8 /* a power of two: some hundreds of records */
#define MAX_CPUS 8192

struct ring {
	int fd;
	struct perf_event_mmap_page *head; /* the data is behind it */
};

struct code_watch {
	struct ring *rings;
	size_t count, page;
};

/* What PERF_RECORD_MMAP has, as far as it is of interest. */
struct mapped_record {
	struct perf_event_header header;
	__u32 pid, tid;
	__u64 address, length, offset;
	char file[2];
};

void code_watch_free(struct code_watch *watch)
{
	if (!watch)
		return;
	for (size_t i = 0; i < watch->count; i++) {
		munmap(watch->rings[i].head, (RING_PAGES + 1) * watch->page);
		close(watch->rings[i].fd);
	}
	free(watch->rings);
	free(watch);
}

/* An event that never happens, whose ring has what else happens on the CPU. */
static int open_event(int cpu)
{
	struct perf_event_attr attr;
	int fd;

	memset(&attr, 0, sizeof(attr));
	attr.size = sizeof(attr);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.mmap = 1;
	attr.watermark = 1;
	attr.wakeup_watermark = UINT32_MAX; /* nobody is woken */
	fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int add_ring(struct code_watch *watch, int fd)
{
	void *head;

	if (!array_has_room(watch->rings, watch->count))
		return -ENOMEM;
	head = mmap(NULL, (RING_PAGES + 1) * watch->page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (head == MAP_FAILED)
		return -errno;
	watch->rings[watch->count++] = (struct ring){ fd, head };
	return 0;
}

/* One that is not online says ENODEV. */
static int add_cpu(struct code_watch *watch, int cpu)
{
	int fd = open_event(cpu), err;

	if (fd < 0)
		return fd == -ENODEV ? 0 : fd;
	err = add_ring(watch, fd);
	if (err)
		close(fd);
	return err;
}

struct code_watch *code_watch_new(void)
{
	struct code_watch *watch = calloc(1, sizeof(*watch));
	int cpus, err = 0;

	if (!watch)
		return NULL;
	cpus = libbpf_num_possible_cpus();
	watch->page = (size_t)sysconf(_SC_PAGESIZE);
	for (int cpu = 0; !err && cpu < cpus && cpu < MAX_CPUS; cpu++)
		err = add_cpu(watch, cpu);
	if (!err && watch->count)
		return watch;
	code_watch_free(watch);
	errno = err ? -err : ENODEV;
	return NULL;
}

/* Bytes of a ring, which may go on at its beginning. */
static void copy_out(const unsigned char *data, size_t size, __u64 at, void *to, size_t n)
{
	size_t from = at & (size - 1), first = n < size - from ? n : size - from;

	memcpy(to, data + from, first);
	memcpy((char *)to + first, data, n - first);
}

static void take_record(const struct mapped_record *record, size_t size, void (*visit)(void *data, pid_t pid),
			void *data)
{
	if (record->header.type == PERF_RECORD_LOST)
		visit(data, 0);
	/* A JIT's code is of "//anon". */
	if (record->header.type == PERF_RECORD_MMAP && size >= sizeof(*record) && record->file[0] == '/' &&
	    record->file[1] != '/')
		visit(data, (pid_t)record->pid);
}

static void take(const struct code_watch *watch, const struct ring *ring, void (*visit)(void *data, pid_t pid),
		 void *data)
{
	const unsigned char *start = (const unsigned char *)ring->head + watch->page;
	__u64 head = __atomic_load_n(&ring->head->data_head, __ATOMIC_ACQUIRE), tail = ring->head->data_tail;
	size_t size = RING_PAGES * watch->page;

	while (head - tail >= sizeof(struct perf_event_header)) {
		struct mapped_record record = {};

		copy_out(start, size, tail, &record.header, sizeof(record.header));
		if (record.header.size < sizeof(record.header))
			break;
		copy_out(start, size, tail, &record,
			 record.header.size < sizeof(record) ? record.header.size : sizeof(record));
		take_record(&record, record.header.size, visit, data);
		tail += record.header.size;
	}
	__atomic_store_n(&ring->head->data_tail, head, __ATOMIC_RELEASE);
}

void code_watch_take(struct code_watch *watch, void (*visit)(void *data, pid_t pid), void *data)
{
	for (size_t i = 0; i < watch->count; i++)
		take(watch, &watch->rings[i], visit, data);
}
