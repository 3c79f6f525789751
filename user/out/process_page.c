// SPDX-License-Identifier: BSD-2-Clause
#include "out/process_page.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "node/memory/erlid.h"
#include "node/terms/terms.h"
#include "out/cell.h"

struct page {
	struct processes *processes;
	struct naming *names;
	struct panel_line *lines;
	size_t count;
};

void process_page_add(struct panel_line *lines, size_t *count, const char *title, const char *text)
{
	char *copy = *count < PROCESS_PAGE_LINES ? strdup(text) : NULL;

	if (copy)
		lines[(*count)++] = (struct panel_line){ .title = title, .text = copy };
}

static void add(struct page *page, const char *title, const char *text)
{
	process_page_add(page->lines, &page->count, title, text);
}

const char *process_page_who(struct processes *processes, uint64_t id, char text[PROCESS_PAGE_WHO])
{
	char name[NAME_SIZE], pid[ERLID_SIZE];

	if (!id || naming_of_process(processes_naming(processes), id, name))
		name[0] = '\0';
	snprintf(text, PROCESS_PAGE_WHO, "%s %s", id ? erlid_format(id, pid) : "-", name);
	return text;
}

static void add_process(struct page *page, const char *title, uint64_t id)
{
	char text[PROCESS_PAGE_WHO];

	add(page, title, process_page_who(page->processes, id, text));
}

static void add_function(struct page *page, const char *title, uint64_t function)
{
	char text[NAME_SIZE];

	if (naming_of_id(page->names, function, text))
		add(page, title, text);
}

/* The first one is where a process goes on that waits. */
static void add_stack(struct page *page, const struct call_stack *stack)
{
	for (size_t i = 0; i < stack->count; i++)
		add_function(page, i ? "" : "stack", stack->functions[i]);
}

static void add_relation(struct page *page, uint64_t term)
{
	uint64_t id = processes_id_of_term(page->processes, term);
	char text[NAME_SIZE];

	if (id)
		add_process(page, "", id);
	else if (terms_show_live(naming_terms(page->names), term, text, sizeof(text)))
		add(page, "", text);
}

/* How many there are, and a line for each of the first ones. */
static void add_relations(struct page *page, const char *title, const struct relation_list *list)
{
	char text[CELL_SIZE];

	snprintf(text, sizeof(text), "%zu", list->count);
	add(page, title, text);
	for (size_t i = 0; i < list->count && i < RELATIONS_MAX; i++)
		add_relation(page, list->terms[i]);
	if (list->count > RELATIONS_MAX)
		add(page, "", "...");
}

size_t process_page_make(struct processes *processes, const struct process_details *details,
			 struct panel_line lines[PROCESS_PAGE_LINES])
{
	struct page page = { .processes = processes, .names = processes_naming(processes), .lines = lines };
	const struct process *process = &details->look.process;

	add_process(&page, "parent", process->parent);
	add_stack(&page, &details->stack);
	return page.count;
}

size_t process_page_relate(struct processes *processes, const struct process_details *details,
			   struct panel_line lines[PROCESS_PAGE_LINES], size_t count)
{
	struct page page = { processes, processes_naming(processes), lines, count };

	if (details->has_relations) {
		add_relations(&page, "links", &details->relations.links);
		add_relations(&page, "monitors", &details->relations.monitors);
		add_relations(&page, "monitored_by", &details->relations.monitored_by);
	}
	return page.count;
}

void process_page_free(struct panel_line *lines, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(lines[i].text);
}
