// SPDX-License-Identifier: (GPL-2.0-only OR BSD-2-Clause)
/*
 * How long do the queues of the async pool become, and how long does a job take from the driver that
 * queues it until that driver is told? The VM has no counter: the length is jobs that were queued
 * without those that were done, or whose port is gone. One that had been queued before we came is
 * in neither.
 */
#include "aio.h"
#include "operation.bpf.h"

struct aio_key {
	u64 id; /* of the port, or the address of a job's data */
	u64 os_id;
};

/* Jobs by what the driver knows them by. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, AIO_JOBS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct aio_key);
	__type(value, struct measure_event);
} jobs SEC(".maps");

/* How many jobs a port has in the queues. */
struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, AIO_PORTS);
	__uint(map_flags, BPF_F_NO_PREALLOC);
	__type(key, struct aio_key);
	__type(value, u64);
} jobs_of_port SEC(".maps");

struct {
	__uint(type, BPF_MAP_TYPE_HASH);
	__uint(max_entries, AIO_NODES);
	__type(key, u32);
	__type(value, u64);
} length_of_node SEC(".maps");

/* Adds to the count of the key; what it is then, 0 if there is no room for it. */
static __always_inline u64 count_add(void *map, const void *key, u64 number)
{
	u64 *count = bpf_map_lookup_elem(map, key), fresh = 0;

	if (!count) {
		bpf_map_update_elem(map, key, &fresh, BPF_NOEXIST);
		count = bpf_map_lookup_elem(map, key);
	}
	return count ? __sync_fetch_and_add(count, number) + number : 0;
}

SEC("usdt/vm:async-ready")
int async_ready(void *ctx)
{
	struct aio_key job_key, port_key;
	struct measure_event *c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit);

	if (!id)
		return 0;
	erl_count(&hit);
	job_key = (struct aio_key){ .id = erl_arg(ctx, &hit, 2), .os_id = hit.os_id };
	c = bpf_map_lookup_elem(&jobs, &job_key);
	if (!c) {
		measure_account(MEASURE_UNSEEN);
		return 0;
	}
	port_key = (struct aio_key){ .id = erl_arg_id(ctx, &hit, 1), .os_id = hit.os_id };
	count_add(&jobs_of_port, &port_key, -1ULL);
	count_add(&length_of_node, &hit.os_id, -1ULL);
	account_add(AIO_READY, 1);
	c->end_ns = bpf_ktime_get_ns();
	if (measure_counts(c)) {
		hist_add(operation_key(c, 0), measure.by ? c->os_id : 0, c->end_ns - c->start_ns, 1);
		measure_print(c);
	}
	bpf_map_delete_elem(&jobs, &job_key);
	return 0;
}

SEC("usdt/vm:port-gone")
int port_gone(void *ctx)
{
	struct aio_key key;
	struct erl_hit hit;
	u64 *left;

	if (!erl_enter(ctx, &hit))
		return 0;
	erl_count(&hit);
	key = (struct aio_key){ .id = erl_arg_id(ctx, &hit, 0), .os_id = hit.os_id };
	left = bpf_map_lookup_elem(&jobs_of_port, &key);
	if (!left)
		return 0;
	account_add(AIO_DROPPED, *left);
	count_add(&length_of_node, &hit.os_id, -*left);
	bpf_map_delete_elem(&jobs_of_port, &key);
	return 0;
}

SEC("usdt/vm:async-queued")
int async_queued(void *ctx)
{
	struct counter_key counter_key = {};
	struct aio_key job_key, port_key;
	struct measure_event c;
	struct erl_hit hit;
	u64 id = measure_enter(ctx, &hit), length;

	if (!id)
		return 0;
	c = measure_case(&hit, id);
	c.what = name_of_user_text(erl_arg(ctx, &hit, 2));
	port_key = (struct aio_key){ .id = erl_arg_id(ctx, &hit, 1), .os_id = hit.os_id };
	job_key = (struct aio_key){ .id = erl_arg(ctx, &hit, 3), .os_id = hit.os_id };
	c.amounts[OPERATION_THING] = port_key.id;
	length = count_add(&length_of_node, &hit.os_id, 1);
	count_add(&jobs_of_port, &port_key, 1);
	c.amounts[AIO_QUEUE] = length;
	c.has = 1 << AIO_QUEUE;
	if (bpf_map_update_elem(&jobs, &job_key, &c, BPF_ANY)) {
		count_add(&length_of_node, &hit.os_id, -1ULL);
		count_add(&jobs_of_port, &port_key, -1ULL);
		erl_count_lost(&hit);
		return 0;
	}
	erl_count(&hit);
	account_add(AIO_QUEUED, 1);
	counter_key.os_id = hit.os_id;
	counter_add(&counter_key, length, 1);
	return 0;
}
