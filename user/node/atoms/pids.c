// SPDX-License-Identifier: BSD-2-Clause
/*
 * The term of a local pid is (pixdata << 4 | 3). In OTP 25, its low half is the data itself: 15 bits of number, 13 of
 * serial. In OTP 27, it is an index into the process table, and masks that depend on the table's size (+P) give the
 * data. The release is not used to decide: the masks are read from both places and must fit together.
 *
 * Source: struct ErtsPTabReadOnlyData in erl_ptab.h, `ptype /o ErtsPTab` in OTP 25.2.3, 27.3.4.1 and 29.1.1.
 */
#include "node/atoms/pids.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "node/memory/fields.h"
#include "target/reader/procfs.h"

/* Offsets in erts_proc.r.o: 64-bit masks in OTP 27, 32-bit masks in OTP 25. */
#define WIDE_MASKS 216	 /* pix_mask, pix_cl_mask, pix_cli_mask; then the shifts, 32 bits each */
#define NARROW_MASKS 212 /* pix_mask, pix_cl_mask, pix_cl_shift, pix_cli_mask, pix_cli_shift */
#define TABLE 192	 /* in both: address of the array of process addresses */

static bool is_mask(uint64_t mask)
{
	return (mask & (mask + 1)) == 0;
}

/* The bits of the index are two parts, each shifted by the width of the other. */
static bool makes_sense(uint64_t pix, uint64_t cl, uint64_t cli, uint32_t cl_shift, uint32_t cli_shift)
{
	return pix && is_mask(pix) && is_mask(cl) && is_mask(cli) && pix < 1ULL << 28 &&
	       __builtin_popcountll(cl) + __builtin_popcountll(cli) == __builtin_popcountll(pix) &&
	       cl_shift == (uint32_t)__builtin_popcountll(cli) && cli_shift == (uint32_t)__builtin_popcountll(cl);
}

static bool read_wide(const unsigned char *table, struct erl_pid_layout *layout)
{
	uint64_t masks[3];
	uint32_t shifts[2];

	memcpy(masks, table + WIDE_MASKS, sizeof(masks));
	memcpy(shifts, table + WIDE_MASKS + sizeof(masks), sizeof(shifts));
	if (!makes_sense(masks[0], masks[1], masks[2], shifts[0], shifts[1]))
		return false;
	*layout = (struct erl_pid_layout){
		.data_bits = 60,
		.number_bits = ERL_ID_NUMBER_BITS,
		.has_places = 1,
		.pix_mask = masks[0],
		.cl_mask = masks[1],
		.cli_mask = masks[2],
		.cl_shift = shifts[0],
		.cli_shift = shifts[1],
	};
	return true;
}

static bool read_narrow(const unsigned char *table, struct erl_pid_layout *layout)
{
	uint32_t v[5];

	memcpy(v, table + NARROW_MASKS, sizeof(v));
	if (!makes_sense(v[0], v[1], v[3], v[2], v[4]))
		return false;
	*layout = (struct erl_pid_layout){
		.data_bits = 28,
		.number_bits = 15,
		.pix_mask = v[0],
		.cl_mask = v[1],
		.cl_shift = v[2],
		.cli_mask = v[3],
		.cli_shift = v[4],
	};
	return true;
}

int pid_layout_of_table(const unsigned char *table, struct erl_pid_layout *layout)
{
	if (!read_wide(table, layout) && !read_narrow(table, layout)) {
		*layout = (struct erl_pid_layout){};
		return -ENOENT;
	}
	memcpy(&layout->table, table + TABLE, sizeof(layout->table));
	return 0;
}

static int read_layout(const struct target *target, const char *name, struct erl_pid_layout *layout)
{
	unsigned char table[PID_TABLE_SIZE];
	uint64_t address;
	int err = target_symbol(target, name, &address);

	if (!err)
		err = procfs_memory(target->pid, address, table, sizeof(table));
	return err ? err : pid_layout_of_table(table, layout);
}

/* Ports have a table of the same form. */
static void read_ports(const struct target *target, struct erl_places *ports)
{
	struct erl_pid_layout layout;

	if (read_layout(target, "erts_port", &layout))
		return;
	*ports = (struct erl_places){
		.pix_mask = layout.pix_mask,
		.cl_mask = layout.cl_mask,
		.cli_mask = layout.cli_mask,
		.cl_shift = layout.cl_shift,
		.cli_shift = layout.cli_shift,
	};
}

int pid_layout_read(const struct target *target, struct erl_pid_layout *layout)
{
	static const char *const queues[] = {
		"process.queue_len",
		"process.in_queue_len",
		"process.queue_rest",
	};
	int64_t offset;
	int err = read_layout(target, "erts_proc", layout);

	if (!err)
		read_ports(target, &layout->ports);
	if (!err && !field_offset(target->vm, "process.state", &offset))
		layout->state_offset = (uint64_t)offset;
	if (!err && !field_offset(target->vm, "process.scheduler", &offset))
		layout->scheduler_offset = (uint64_t)offset;
	for (size_t i = 0; !err && i < sizeof(queues) / sizeof(*queues); i++) {
		if (!field_offset(target->vm, queues[i], &offset))
			layout->queue_offsets[i] = (uint64_t)offset;
	}
	return err;
}

bool pid_layout_is_ready(const struct target *target)
{
	struct erl_pid_layout layout;

	return !image_symbol(target->vm->image, "erts_proc") || (!pid_layout_read(target, &layout) && layout.table);
}

uint64_t pid_of_term(const struct erl_pid_layout *layout, uint64_t term)
{
	uint64_t data = term >> 4;

	if ((term & 0xf) != 0x3 || !layout->data_bits)
		return 0;
	data &= (1ULL << layout->data_bits) - 1;
	if (layout->has_places)
		data = (data & ~layout->pix_mask) | (data >> layout->cl_shift & layout->cl_mask) |
		       (data & layout->cli_mask) << layout->cli_shift;
	return erl_id_make(ERL_ID_LOCAL, data & ((1ULL << layout->number_bits) - 1), data >> layout->number_bits);
}

uint64_t port_of_term(const struct erl_pid_layout *layout, uint64_t term)
{
	const struct erl_places *ports = &layout->ports;
	uint64_t data = term >> 4;

	if ((term & 0xf) != 0x7 || !layout->data_bits)
		return 0;
	if (!layout->has_places)
		return erl_id_make(ERL_ID_PORT, data & ((1u << ERL_ID_NUMBER_BITS) - 1), 0);
	if (!ports->pix_mask)
		return 0;
	data = (data & ~ports->pix_mask) | (data >> ports->cl_shift & ports->cl_mask) |
	       (data & ports->cli_mask) << ports->cli_shift;
	return erl_id_make(ERL_ID_PORT, data, data >> ERL_ID_NUMBER_BITS);
}

uint64_t pid_place(const struct erl_pid_layout *layout, uint64_t id)
{
	uint64_t number = id & ((1ULL << ERL_ID_NUMBER_BITS) - 1);
	uint64_t serial = id << 4 >> 4 >> ERL_ID_NUMBER_BITS;
	uint64_t data = number | serial << layout->number_bits;

	return ((data & layout->cl_mask) << layout->cl_shift) + (data >> layout->cli_shift & layout->cli_mask);
}

uint64_t pid_process(const struct target *target, const struct erl_pid_layout *layout, uint64_t id)
{
	uint64_t address, term;

	if (!layout->table ||
	    procfs_memory(target->pid, layout->table + pid_place(layout, id) * 8, &address, sizeof(address)) ||
	    procfs_memory(target->pid, address, &term, sizeof(term)) || pid_of_term(layout, term) != id)
		return 0;
	return address;
}

uint32_t pid_state(const struct target *target, const struct erl_pid_layout *layout, uint64_t id)
{
	uint64_t process = layout->state_offset ? pid_process(target, layout, id) : 0;
	uint32_t state;

	return process && !procfs_memory(target->pid, process + layout->state_offset, &state, sizeof(state)) ? state
													     : 0;
}

bool pid_has_ended(const struct target *target, const struct erl_pid_layout *layout, uint64_t id)
{
	uint64_t address, term;

	if (!layout->table ||
	    procfs_memory(target->pid, layout->table + pid_place(layout, id) * 8, &address, sizeof(address)))
		return false;
	/* An empty slot is 0, or points to an invalid process. */
	return !address ||
	       (!procfs_memory(target->pid, address, &term, sizeof(term)) && pid_of_term(layout, term) != id);
}
