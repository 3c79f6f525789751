// SPDX-License-Identifier: BSD-2-Clause
/*
 * Rows of top that are shown together: those of a node, or of a family, which are the processes below the nearest
 * ancestor that is registered and has started others, such as the supervisor of an application. The family of which
 * most is in the column that rows are sorted by comes first.
 */
#include "top_parts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "node/atoms/atoms.h"
#include "node/memory/erlid.h"
#include "out/cell.h"
#include "out/view.h"

#define MOST_ANCESTORS 32 /* that are asked; what is read while it changes might go in a circle */
#define NO_HEAD SIZE_MAX

/* While groups are made: rows are counted over all nodes. */
struct grouping {
	struct run *run;
	struct top_groups *groups;
	uint32_t *group_of_head; /* by the row of the head, then one of each node for who has none; 0: not yet */
	bool *is_parent;	 /* by row */
	size_t first;		 /* row of the node that is gone through */
};

static size_t row_in(struct traced_node *node, const struct process *process)
{
	return (size_t)(process - processes_row(node->processes, 0));
}

static const struct process *parent_of(struct traced_node *node, const struct process *process)
{
	return process->parent ? processes_find(node->processes, process->parent) : NULL;
}

/* The ancestor of its family, which may be itself; NULL: none is alive. */
static const struct process *head_of(const struct grouping *g, struct traced_node *node, const struct process *process)
{
	const struct process *at = process;

	for (int i = 0; i < MOST_ANCESTORS; i++) {
		const struct process *parent = parent_of(node, at);

		if (!parent || (at->name.registered != ATOM_NONE && g->is_parent[g->first + row_in(node, at)]))
			break;
		at = parent;
	}
	return at != process || g->is_parent[g->first + row_in(node, at)] ? at : NULL;
}

/* The number of the group plus one; 0: no memory. */
static uint32_t group_number(struct grouping *g, size_t place, size_t head, size_t node)
{
	struct top_groups *groups = g->groups;

	if (g->group_of_head[place])
		return g->group_of_head[place];
	if (!array_has_room(groups->list, groups->count))
		return 0;
	groups->list[groups->count++] = (struct top_group){ .head = head, .node = node };
	g->group_of_head[place] = (uint32_t)groups->count;
	return g->group_of_head[place];
}

static double weight_of(struct run *run, size_t row)
{
	size_t column = run_view(run)->sort;
	char buf[VIEW_TEXT_SIZE];
	struct value value;

	if (top_columns[column].type == COLUMN_TEXT || top_columns[column].type == COLUMN_PID)
		return 0;
	value = top_cell(run, row, column, buf);
	return value.is_null ? 0 : (double)value.number;
}

static int put_row(struct grouping *g, size_t number, struct traced_node *node, size_t row)
{
	const struct process *process = processes_row(node->processes, row);
	bool by_family = run_view(g->run)->grouping == VIEW_BY_FAMILY;
	const struct process *head = by_family ? head_of(g, node, process) : NULL;
	size_t head_row = head ? g->first + row_in(node, head) : NO_HEAD;
	uint32_t found = group_number(g, head ? head_row : g->groups->rows + number, head_row, number);
	struct top_group *group;

	if (!found)
		return -ENOMEM;
	group = &g->groups->list[found - 1];
	g->groups->of_row[g->first + row] = found;
	group->processes++;
	group->reds += top_reds(process);
	group->heap += process->heap;
	group->queue += process->queue;
	if (by_family)
		group->weight += weight_of(g->run, g->first + row);
	return 0;
}

static void mark_parents(struct grouping *g, struct traced_node *node)
{
	for (size_t row = 0; row < processes_rows(node->processes); row++) {
		const struct process *parent = processes_has(node->processes, row)
						       ? parent_of(node, processes_row(node->processes, row))
						       : NULL;

		if (parent)
			g->is_parent[g->first + row_in(node, parent)] = true;
	}
}

static int put_node(struct grouping *g, size_t number)
{
	struct traced_node *node = &((struct top *)run_state(g->run))->nodes[number];
	size_t rows = node->processes ? processes_rows(node->processes) : 0;
	int err = 0;

	if (top_is_readable(node)) {
		mark_parents(g, node);
		for (size_t row = 0; !err && row < rows && row < node->room; row++)
			err = processes_has(node->processes, row) ? put_row(g, number, node, row) : 0;
	}
	g->first += rows;
	return err;
}

/* The heaviest first; others in the order in which they were met, as nodes are. */
static int compare_groups(const void *a, const void *b)
{
	const struct top_group *x = *(const struct top_group *const *)a, *y = *(const struct top_group *const *)b;

	if (x->weight != y->weight)
		return x->weight > y->weight ? -1 : 1;
	return x < y ? -1 : x > y;
}

static int rank_groups(struct top_groups *groups, bool is_reversed)
{
	_cleanup_free_ struct top_group **order = calloc(groups->count + 1, sizeof(struct top_group *));

	if (!order)
		return -ENOMEM;
	for (size_t i = 0; i < groups->count; i++)
		order[i] = &groups->list[i];
	qsort(order, groups->count, sizeof(*order), compare_groups);
	for (size_t i = 0; i < groups->count; i++)
		order[i]->rank = is_reversed ? groups->count - i : i;
	return 0;
}

static size_t count_rows(const struct top *top)
{
	size_t rows = 0;

	for (size_t i = 0; i < top->node_count; i++)
		rows += top->nodes[i].processes ? processes_rows(top->nodes[i].processes) : 0;
	return rows;
}

int top_groups_make(struct run *run)
{
	struct top *top = run_state(run);
	struct grouping g = { .run = run, .groups = &top->groups };
	_cleanup_free_ uint32_t *group_of_head = NULL;
	_cleanup_free_ bool *is_parent = NULL;
	int err = 0;

	top_groups_free(&top->groups);
	if (run_view(run)->grouping == VIEW_UNGROUPED)
		return 0;
	top->groups.rows = count_rows(top);
	top->groups.of_row = calloc(top->groups.rows + 1, sizeof(*top->groups.of_row));
	g.group_of_head = group_of_head = calloc(top->groups.rows + top->node_count + 1, sizeof(*group_of_head));
	g.is_parent = is_parent = calloc(top->groups.rows + 1, sizeof(*is_parent));
	if (!top->groups.of_row || !group_of_head || !is_parent)
		err = -ENOMEM;
	if (!err && run_view(run)->grouping == VIEW_BY_FAMILY)
		top_read_names(top);
	for (size_t i = 0; !err && i < top->node_count; i++)
		err = put_node(&g, i);
	if (!err)
		err = rank_groups(&top->groups, run_view(run)->is_reversed && run_view(run)->grouping != VIEW_BY_NODE);
	if (err)
		top_groups_free(&top->groups);
	return err;
}

void top_groups_free(struct top_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		free(groups->list[i].title);
	free(groups->list);
	free(groups->of_row);
	*groups = (struct top_groups){};
}

static struct top_group *group_of(struct top *top, size_t row)
{
	if (row >= top->groups.rows || !top->groups.of_row[row])
		return NULL;
	return &top->groups.list[top->groups.of_row[row] - 1];
}

uint64_t top_group_rank(void *run, size_t row)
{
	const struct top_group *group = group_of(run_state(run), row);

	return group ? group->rank : 0;
}

/* "node one@host", "kernel_sup <0.47.0>", and of which node if there are several. */
static void describe_head(struct run *run, const struct top_group *group, char *text, size_t size)
{
	struct top *top = run_state(run);
	struct traced_node *node = &top->nodes[group->node];
	const char *name = run_node(run, node->target.os_id);
	char own[VIEW_TEXT_SIZE], pid[ERLID_SIZE], pid_of_os[32];
	struct process *process;

	snprintf(pid_of_os, sizeof(pid_of_os), "%d", node->target.target->pid);
	name = *name ? name : pid_of_os;
	if (run_view(run)->grouping == VIEW_BY_NODE)
		snprintf(text, size, "node %s", name);
	else if (group->head != NO_HEAD && top_find_row(top, group->head, &node, &process))
		snprintf(text, size, "%s %s%s%s", process_name(node->processes, process, own),
			 erlid_format(process->id, pid), top->node_count > 1 ? " on " : "",
			 top->node_count > 1 ? name : "");
	else
		snprintf(text, size, "parent has exited%s%s", top->node_count > 1 ? " on " : "",
			 top->node_count > 1 ? name : "");
}

const char *top_group_title(struct run *run, size_t row)
{
	struct top_group *group = group_of(run_state(run), row);
	char head[2 * VIEW_TEXT_SIZE], text[3 * VIEW_TEXT_SIZE], numbers[3][CELL_SIZE];

	if (!group)
		return "";
	if (group->title)
		return group->title;
	describe_head(run, group, head, sizeof(head));
	snprintf(text, sizeof(text), "%s   %zu process%s   reds %s   queue %s   heap %s", head, group->processes,
		 group->processes == 1 ? "" : "es", cell_human(group->reds, false, numbers[0]),
		 cell_human(group->queue, false, numbers[1]), cell_human(group->heap, true, numbers[2]));
	group->title = strdup(text);
	return group->title ? group->title : "";
}
