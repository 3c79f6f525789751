// SPDX-License-Identifier: BSD-2-Clause
#include "probe/sites/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "probe/code/entry.h"
#include "probe/code/flow.h"

/* All operands that the site's program reads. */
struct operands {
	struct erl_operand *all[ERL_SAVED_ARGS + ERL_MAX_ARGS + 2 * ERL_MAX_GUARDS];
	size_t count;
};

static void add_operand(struct operands *operands, struct erl_operand *op)
{
	operands->all[operands->count++] = op;
}

static struct operands operands_of(struct erl_config *config)
{
	struct operands operands = {};

	for (size_t i = 0; i < ERL_MAX_ARGS; i++)
		add_operand(&operands, &config->args[i].operand);
	for (size_t i = 0; i < ERL_MAX_GUARDS; i++) {
		add_operand(&operands, &config->guards[i].left);
		add_operand(&operands, &config->guards[i].right);
	}
	return operands;
}

static struct operands saves_of(struct site *site)
{
	struct operands operands = {};

	for (size_t i = 0; i < ERL_SAVED_ARGS; i++)
		add_operand(&operands, &site->save[i]);
	return operands;
}

static bool is_plain(void)
{
	const char *sites = getenv("ERLBPF_SITES");

	return sites && !strcmp(sites, "plain");
}

/* Entries. */

static bool loads(const struct erl_operand *op)
{
	return op->steps > 1 || (op->steps == 1 && !op->address_of);
}

/* Changes the operands for that place instead of the function's first byte. False: one is lost there, or may be. */
static bool move_to_entry(const struct operands *operands, const struct entry_place *place)
{
	for (size_t i = 0; i < operands->count; i++) {
		struct erl_operand *op = operands->all[i];

		if (op->base != ERL_BASE_REG)
			continue;
		if (op->reg >= ENTRY_REGISTERS || op->has_index || place->now[op->reg] == ENTRY_LOST ||
		    (place->stores && loads(op)))
			return false;
		op->reg = place->now[op->reg];
	}
	return true;
}

void place_at_entry(const struct image *image, uint64_t address, uint64_t size, struct site *site)
{
	struct site moved = *site;
	struct operands operands = site->at_return ? saves_of(&moved) : operands_of(&moved.config);
	struct entry_place place;

	if (is_plain() || !entry_find_cheap(image, address, size, &place) || !move_to_entry(&operands, &place))
		return;
	/* The kernel replaces the return address at the stack pointer. */
	if (site->at_return && place.stack)
		return;
	moved.config.stack = place.stack;
	moved.offset += place.offset;
	moved.place = place.offset;
	*site = moved;
}

/* Returns. */

/* Does the operand's value change between the place and the return? */
static bool changes(const struct erl_operand *op, const struct flow_exit *exit)
{
	if (!loads(op))
		return false;
	/* The pointer's target may be the memory that is written. */
	if (op->steps > 1)
		return exit->store_count || exit->stores_elsewhere;
	return flow_exit_stores(exit, op->disp[0], op->size);
}

/* Changes the operands for that place instead of the return, with the register that holds the return value. */
static bool move_to_exit(const struct operands *operands, const struct flow_exit *exit)
{
	for (size_t i = 0; i < operands->count; i++) {
		struct erl_operand *op = operands->all[i];

		if (op->base == ERL_BASE_NONE || op->base == ERL_BASE_CONST)
			continue;
		if (op->base != ERL_BASE_REG || op->reg != X86_RAX || op->has_index || exit->value == X86_NOWHERE ||
		    changes(op, exit))
			return false;
		op->reg = exit->value;
	}
	return true;
}

static bool make_exit(const struct flow_exit *exit, const struct site *site, struct site *moved)
{
	struct operands operands;

	*moved = *site;
	operands = operands_of(&moved->config);
	moved->at_return = false;
	moved->before_return = true;
	moved->offset += exit->at;
	moved->place = exit->at;
	return move_to_exit(&operands, exit);
}

static int read_constants(void *data, uint64_t address, void *buf, size_t size)
{
	return image_read(data, address, buf, size);
}

static bool find_exits(const struct image *image, uint64_t address, uint64_t size, struct flow_exits *exits)
{
	_cleanup_free_ unsigned char *bytes = size && size <= FLOW_LONGEST ? malloc(size) : NULL;
	struct flow_code code = {
		.bytes = bytes,
		.size = size,
		.address = address,
		.read = read_constants,
		.data = (void *)(uintptr_t)image,
	};
	struct flow flow;
	bool is_found;

	if (image_arch(image) != ARCH_X86_64 || !bytes || image_read_code(image, address, bytes, size) ||
	    flow_make(&code, &flow))
		return false;
	is_found = flow_find_exits(&flow, exits);
	flow_free(&flow);
	return is_found;
}

size_t place_before_return(const struct image *image, uint64_t address, uint64_t size, const struct site *site,
			   struct site moved[FLOW_EXITS])
{
	struct flow_exits exits;

	/* Saved values are found by the stack pointer, which is only right at the return. */
	if (is_plain() || site->config.flags & ERL_CONFIG_USES_SAVED || !find_exits(image, address, size, &exits))
		return 0;
	for (size_t i = 0; i < exits.count; i++) {
		if (!make_exit(&exits.exits[i], site, &moved[i]))
			return 0;
	}
	return exits.count;
}
