// SPDX-License-Identifier: BSD-2-Clause
/*
 * Reads code function by function, from start to end: compilers put no data in between. Features do not depend on the
 * compiler's choice of instructions: texts, library functions, numbers, structure offsets.
 */
#include "match/graph/scan.h"

#include <errno.h>
#include <stdlib.h>

#include "match/graph/registers.h"
#include "match/graph/scan_code.h"

static void scan_function(struct scanner *s, uint32_t number)
{
	const struct binary_function *f = &s->binary->functions[number];
	size_t left;
	const unsigned char *code = binary_bytes(s->binary, f->start, &left);

	s->function = number;
	s->start = f->start;
	s->end = f->start + f->size;
	s->place = s->taken.count = s->said.count = 0;
	if (code)
		s->machine->read(s, code, f->size);
	s->graph->instructions[number] = s->place < UINT16_MAX ? (uint16_t)s->place : UINT16_MAX;
	s->graph->registers[number] = registers_used(s->binary, f, s->effort);
}

static int make_relations(struct scanner *s)
{
	int err = 0;

	for (size_t i = 0; !err && i < RELATIONS; i++) {
		if (i != CALLED_BY && i != TOUCHES)
			err = relation_make(&s->relations[i], s->graph->count, &s->graph->relations[i]);
	}
	if (!err)
		err = relation_make_in_order(&s->relations[TOUCHES], s->graph->count, &s->graph->relations[TOUCHES]);
	return err ? err : graph_reverse(s->graph);
}

static int scan_all(struct scanner *s)
{
	int err;

	for (uint32_t i = 0; i < s->graph->count && !s->err; i++)
		scan_function(s, i);
	err = s->err ? s->err : make_relations(s);
	for (size_t i = 0; i < RELATIONS; i++)
		free(s->relations[i].pairs);
	return err ? err : anchors_find(s->binary, s->tables, s->effort, s->graph);
}

int scan(const struct binary *binary, const struct anchors_tables *tables, struct effort *effort, struct graph *graph)
{
	struct scanner s = {
		.binary = binary,
		.tables = tables,
		.machine = binary->arch == ARCH_X86_64 ? &scan_x86 : &scan_a64,
		.effort = effort,
		.graph = graph,
	};

	*graph = (struct graph){ .count = binary->function_count };
	if (graph->count > GRAPH_MAX_FUNCTIONS)
		return -ENOEXEC;
	graph->instructions = calloc(graph->count + 1, sizeof(*graph->instructions));
	graph->registers = calloc(graph->count + 1, sizeof(*graph->registers));
	return graph->instructions && graph->registers ? scan_all(&s) : -ENOMEM;
}
