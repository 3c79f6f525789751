// SPDX-License-Identifier: BSD-2-Clause
#include "serve/node_view/process_table.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/duration.h"
#include "node/memory/erlid.h"
#include "node/memory/limits.h"
#include "node/atoms/pids.h"
#include "node/processes/process_details.h"
#include "out/json_line.h"
#include "out/process_page.h"
#include "out/view.h"
#include "serve/node_view/node_view.h"
#include "serve/node_view/process_senders.h"

#define LEAST_NS (1500 * NS_PER_MS) /* minimum interval between readings... */
#define READ_SHARE 25		    /* ... which take at most 1/25 of a CPU */
#define IDLE_NS (10 * NS_PER_S)
#define DEFAULT_ROWS 20

struct process_table {
	const struct node_view *view;
	/* The node of the last request. It is opened again, because the agent may free its own target at any time. */
	struct target *target; /* NULL: none */
	struct erl_pid_layout pids;
	struct processes *processes;
	struct process_senders *senders;     /* of the process of the last request; NULL: none */
	uint64_t page_ns;		     /* when it was */
	uint64_t asked_ns, read_ns, next_ns; /* time of the last request, the last reading, and the earliest next one */
	uint64_t between_ns;		     /* between the last two readings; 0: only one */
};

struct process_table *process_table_new(const struct node_view *view)
{
	struct process_table *table = calloc(1, sizeof(*table));

	if (table)
		table->view = view;
	return table;
}

static void let_go(struct process_table *table)
{
	process_senders_free(table->senders);
	processes_free(table->processes);
	target_free(table->target);
	*table = (struct process_table){ .view = table->view };
}

void process_table_free(struct process_table *table)
{
	if (!table)
		return;
	let_go(table);
	free(table);
}

void process_table_tick(struct process_table *table)
{
	uint64_t now = duration_now();

	if (table->senders && now - table->page_ns > IDLE_NS) {
		process_senders_free(table->senders);
		table->senders = NULL;
	}
	if (table->target && now - table->asked_ns > IDLE_NS)
		let_go(table);
}

/* Reading. */

static uint64_t used_ns(void)
{
	struct timespec used;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
	return (uint64_t)used.tv_sec * NS_PER_S + (uint64_t)used.tv_nsec;
}

struct node_query {
	const char *os_pid, *node; /* NULL: not given */
};

static bool matches(void *to, const struct target *target)
{
	const struct node_query *query = to;
	char text[16];

	snprintf(text, sizeof(text), "%d", target->pid);
	return query->os_pid ? !strcmp(text, query->os_pid) : query->node && !strcmp(target->node, query->node);
}

static const struct target *find(const struct process_table *table, const struct http_request *request)
{
	struct node_query query = { http_argument(request, "os_pid"), http_argument(request, "node") };

	return node_view_search(table->view, matches, &query);
}

static int open_processes(struct process_table *table)
{
	const struct name_style style = { .is_elixir = false };
	int err = pid_layout_read(table->target, &table->pids);

	if (err)
		return err;
	table->processes = processes_new(table->target, &table->pids, style);
	return table->processes ? 0 : -errno;
}

static int open_node(struct process_table *table, const struct target *target)
{
	const char *why;
	int err;

	if (table->target && table->target->pid == target->pid && table->target->start_time == target->start_time)
		return 0;
	let_go(table);
	err = target_open(target->pid, &table->target, &why);
	if (!err)
		err = open_processes(table);
	if (err)
		let_go(table);
	return err;
}

static int read_node(struct process_table *table)
{
	uint64_t now = duration_now(), began = used_ns(), cost;
	struct node_limits limits;
	int err;

	table->asked_ns = now;
	if (now < table->next_ns)
		return 0;
	node_limits_read(table->target, &limits);
	if (limits.processes.used > PROCESS_TABLE_MOST)
		return -E2BIG;
	err = processes_read(table->processes);
	/* The reader process uses about as much. */
	cost = (used_ns() - began) * 2 * READ_SHARE;
	table->next_ns = duration_now() + (cost > LEAST_NS ? cost : LEAST_NS);
	table->between_ns = table->read_ns ? now - table->read_ns : 0;
	table->read_ns = now;
	return err;
}

/* Rows. */

enum { PID, NAME, REDS, QUEUE, HEAP, BINARIES, STATUS, COLUMNS };

static const struct column columns[COLUMNS] = {
	[PID] = { "pid", COLUMN_PID },	      [NAME] = { "name", COLUMN_TEXT },
	[REDS] = { "reds", COLUMN_NUMBER },   [QUEUE] = { "queue", COLUMN_NUMBER },
	[HEAP] = { "heap", COLUMN_NUMBER },   [BINARIES] = { "binaries", COLUMN_NUMBER },
	[STATUS] = { "status", COLUMN_TEXT },
};

static bool has_row(void *data, size_t row)
{
	const struct process_table *table = data;

	return processes_has(table->processes, row);
}

static struct value reds_per_s(const struct process_table *table, const struct process *process)
{
	uint64_t reds = process->reds > process->reds_before ? process->reds - process->reds_before : 0;

	if (!table->between_ns)
		return (struct value){ .is_null = true };
	return (struct value){ .number = (uint64_t)((double)reds * NS_PER_S / (double)table->between_ns) };
}

static struct value cell(void *data, size_t row, size_t column, char buf[VIEW_TEXT_SIZE])
{
	struct process_table *table = data;
	struct process *process = processes_row(table->processes, row);

	switch (column) {
	case PID: return (struct value){ .number = process->id };
	case NAME: return value_of_text(process_description(table->processes, process, buf));
	case REDS: return reds_per_s(table, process);
	case QUEUE: return (struct value){ .number = process->queue };
	case HEAP: return (struct value){ .number = process->heap };
	case BINARIES: return (struct value){ .number = process->binaries };
	default: return value_of_text(process_status(process));
	}
}

static struct json_object *cell_json(enum column_type type, const struct value *value)
{
	char pid[ERLID_SIZE];

	if (value->is_null)
		return NULL;
	if (type == COLUMN_TEXT)
		return json_text(value->text);
	return type == COLUMN_PID ? json_text(erlid_format(value->number, pid)) : json_number(value->number);
}

static struct json_object *row_json(struct process_table *table, size_t row)
{
	struct json_object *object = json_new();

	processes_refresh_name(table->processes, processes_row(table->processes, row));
	for (size_t column = 0; column < COLUMNS; column++) {
		char buf[VIEW_TEXT_SIZE];
		struct value value = cell(table, row, column, buf);

		json_add(object, columns[column].name, cell_json(columns[column].type, &value));
	}
	return object;
}

/* Invalid arguments are ignored. */
static struct view view_of(const struct http_request *request)
{
	const char *sort = http_argument(request, "sort"), *filter = http_argument(request, "filter");
	const char *rows = http_argument(request, "rows");
	unsigned long wanted = rows ? strtoul(rows, NULL, 10) : 0;
	struct view view = { .sort = REDS };

	view.is_reversed = sort && *sort == '-';
	if (sort)
		view_find_column(columns, COLUMNS, sort + (*sort == '-'), &view.sort);
	snprintf(view.filter, sizeof(view.filter), "%s", filter ? filter : "");
	view.rows = !wanted ? DEFAULT_ROWS : wanted > PROCESS_TABLE_ROWS ? PROCESS_TABLE_ROWS : wanted;
	return view;
}

static void add_node(const struct process_table *table, struct json_object *object)
{
	json_add_text(object, "node", table->target->node);
	json_add(object, "os_pid", json_signed(table->target->pid));
	json_add(object, "age_s", json_real((double)(duration_now() - table->read_ns) / NS_PER_S));
}

static struct json_object *table_json(struct process_table *table, const struct http_request *request)
{
	struct json_object *object = json_new(), *list = json_new_list();
	const struct view view = view_of(request);
	struct view_source source = {
		.rows = processes_rows(table->processes), .data = table, .has_row = has_row, .cell = cell
	};
	size_t picked[PROCESS_TABLE_ROWS], matching = 0;
	long count;

	if (view.filter[0] || columns[view.sort].type == COLUMN_TEXT)
		processes_read_names(table->processes);
	count = view_pick(&view, columns, COLUMNS, &source, picked, &matching);

	add_node(table, object);
	json_add_number(object, "processes", processes_live(table->processes));
	json_add_number(object, "matching", matching);
	for (long i = 0; i < count; i++)
		json_push(list, row_json(table, picked[i]));
	json_add(object, "rows", list);
	return object;
}

/* One process. */

static struct json_object *lines_json(struct process_table *table, const struct process_details *details)
{
	struct panel_line lines[PROCESS_PAGE_LINES];
	struct json_object *list = json_new_list();
	size_t count = process_page_make(table->processes, details, lines);

	count = process_page_relate(table->processes, details, lines, count);
	for (size_t i = 0; i < count; i++) {
		struct json_object *line = json_new_list();

		json_push(line, json_text(lines[i].title));
		json_push(line, json_text(lines[i].text));
		json_push(list, line);
	}
	process_page_free(lines, count);
	if (table->senders)
		process_senders_add(table->senders, list);
	return list;
}

/* Watches senders while the page is open. */
static void watch_senders(struct process_table *table, const struct process *process)
{
	table->page_ns = duration_now();
	if (process_senders_id(table->senders) == process->id)
		return;
	process_senders_free(table->senders);
	table->senders = process_senders_new(table->view->waiting, &table->pids, table->processes, process);
}

/* NULL: there is no such process. */
static struct json_object *process_json(struct process_table *table, const char *pid)
{
	struct process_details details;
	struct json_object *object;
	struct process *process;
	char name[NAME_SIZE];
	uint64_t id;

	if (erlid_parse(pid, &id))
		return NULL;
	process = processes_find(table->processes, id);
	if (!process || process_details_read(table->processes, process, &details))
		return NULL;
	watch_senders(table, process);
	processes_refresh_name(table->processes, process);
	object = json_new();
	add_node(table, object);
	json_add_text(object, "pid", pid);
	json_add_text(object, "name", process_name(table->processes, process, name));
	json_add_number(object, "queue", details.look.process.queue);
	json_add_number(object, "heap", details.look.process.heap);
	json_add_number(object, "binaries", details.look.process.binaries);
	json_add(object, "lines", lines_json(table, &details));
	return object;
}

/* Answers. */

static void refuse(struct http_reply *reply, unsigned int status, const char *why)
{
	reply->status = status;
	reply->type = "text/plain; charset=utf-8";
	reply->body = (char *)why;
	reply->size = strlen(why);
	reply->is_constant = true;
}

static void refuse_for(struct http_reply *reply, int err)
{
	if (err == -E2BIG)
		refuse(reply, 503, "the node has too many processes for this table: use erlbpf top\n");
	else if (err == -ENOENT)
		refuse(reply, 503, "the processes of this release cannot be read\n");
	else
		refuse(reply, 503, "the node cannot be read now\n");
}

void process_table_answer(struct process_table *table, const struct http_request *request, struct http_reply *reply)
{
	const char *pid = http_argument(request, "pid");
	const struct target *target = find(table, request);
	struct json_object *object;
	int err;

	if (!target) {
		refuse(reply, 404, "no such node: give os_pid=N or node=NAME of one that is traced\n");
		return;
	}
	err = open_node(table, target);
	if (!err)
		err = read_node(table);
	if (err) {
		refuse_for(reply, err);
		return;
	}
	object = pid ? process_json(table, pid) : table_json(table, request);
	if (!object) {
		refuse(reply, 404, "there is no such process\n");
		return;
	}
	reply->type = "application/json";
	reply->body = json_body(object, &reply->size);
	reply->status = reply->body ? 200 : 500;
}
