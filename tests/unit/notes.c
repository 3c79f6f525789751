// SPDX-License-Identifier: BSD-2-Clause
/* What tools say of their counts. */
#include "run/summary.h"

#include "check.h"
#include "tool.h"

static void expect_singular(const struct tool *tool, const struct sink_note *notes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		/* A percentage is none of a thing. */
		if (notes[i].text && notes[i].text[0] != '%')
			cr_expect(ne(ptr, check_pointer(notes[i].one), NULL), "%s: 1 %s", tool->name, notes[i].text);
	}
}

Test(notes, each_count_of_every_tool_has_words_for_one)
{
	struct sink_note notes[SUMMARY_MAX_NOTES];

	for (size_t i = 0; i < tools_count; i++) {
		expect_singular(tools[i], notes, summary_notes(tools[i], NULL, notes));
		if (tools[i]->table_notes)
			expect_singular(tools[i], notes, tools[i]->table_notes(NULL, notes));
	}
}
