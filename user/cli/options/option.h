/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Options of the command line. A command has a table with a row per option; what reads argv, the help, the shells'
 * completions and the OPTIONS of the man pages are all made from it (option.c, option_text.c,
 * help_json.c).
 */
#ifndef ERLBPF_CLI_OPTIONS_OPTION_H
#define ERLBPF_CLI_OPTIONS_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum option_kind {
	OPTION_CALL,   /* `take` is called */
	OPTION_FLAG,   /* a bool becomes true */
	OPTION_SET,    /* an int or enum becomes `value` */
	OPTION_MORE,   /* an int becomes one more */
	OPTION_TEXT,   /* a const char * */
	OPTION_TIME,   /* a uint64_t, in ns, more than 0 */
	OPTION_NUMBER, /* a uint64_t from `least` to `most` */
	OPTION_CHOICE, /* an int or enum: the value of one of `choices` */
};

/* Commands that have options of their own; the others are known by what they take (enum option_set). */
enum option_command {
	COMMAND_PROFILE = 1 << 0,
	COMMAND_PROFILE_FILES = 1 << 1, /* profile show, profile diff */
	COMMAND_EXPORT = 1 << 2,
	COMMAND_DTRACE = 1 << 3,
};

/* What shell completion offers for the value, besides choices. */
enum option_offer {
	OFFER_NOTHING,
	OFFER_PIDS,
	OFFER_FILES,
	OFFER_SCRIPTS,
	OFFER_FOLDERS,
	OFFER_COMMANDS,
	OFFER_D_OPTIONS
};

struct option_choice {
	const char *name; /* NULL ends the list */
	int value;
	unsigned int needs; /* as in a row */
};

/* NULL, or what is wrong with the value, to stand behind a colon; it must outlive the call. */
typedef const char *(*option_handler)(void *data, const char *value);

/* A handler for several rows; `as` tells which one. */
typedef const char *(*option_handler_as)(void *data, const char *as, const char *value);

struct option_row {
	const char *name; /* long; NULL: it has a letter only */
	char letter;
	const char *argument;  /* what its value is called; NULL: it has none */
	const char *spelled;   /* in help, where it is not what follows from these */
	unsigned int needs;    /* tools that take one of these (enum option_set) take it; 0: all */
	unsigned int commands; /* enum option_command: the commands with options of their own that take it */
	enum option_kind kind;
	size_t to; /* offset in the command's data */
	int value;
	option_handler take;
	option_handler_as take_as; /* instead of `take` */
	const char *as;
	int refused; /* the exit code when a handler refuses a value; 0: EXIT_USAGE */
	const struct option_choice *choices;
	uint64_t least, most; /* most 0: any */
	enum option_offer offer;
	void (*print_offer)(FILE *to); /* "words a b", instead of it */
	bool is_last;		       /* nothing behind it is read */
};

/*
 * Rows and their texts, an embedded file. In it, a line with the option ("--pid", or "-n" if it has no long name) is
 * followed by the help, one line, then an empty line, then the text of the man page in scdoc, which may be missing.
 * "# Targets" is a heading of the man page. A row without text is not shown.
 */
struct option_part {
	const struct option_row *rows;
	size_t count;
	const char *text;
	const size_t *text_size;
};

/* The options of one command: its own, then the common ones that it takes. */
struct option_table {
	struct option_part own;
	const struct option_part *common; /* NULL: none */
	enum option_command command;
	unsigned int takes; /* enum option_set, without a command */
};

struct option_reader {
	struct option_table table;
	void *data;
	option_handler word; /* of what is no option */
	const char *called;  /* before messages: "erlbpf: gc", "dtrace" */
	const char *help;    /* what shows the options: "erlbpf help gc" */
	FILE *errors;
};

/* Returned by a handler that is out of memory. */
extern const char option_no_memory[];

/* EXIT_OK; EXIT_USAGE or EXIT_FAILED, and why is on `errors`. Options may stand behind words; "--" ends them. */
int option_read(const struct option_reader *reader, int argc, char **argv);

/* Says what is wrong with the line as a whole. EXIT_USAGE. */
int option_problem(const struct option_reader *reader, const char *problem);

/* The rows of the table in order, also those that it does not take; NULL after the last. */
const struct option_row *option_at(const struct option_table *table, size_t i);

bool option_is_taken(const struct option_table *table, const struct option_row *row);
bool option_is_chosen(unsigned int takes, unsigned int needs);

/* "pid, name or node": the choices that are taken. */
void option_list_choices(FILE *to, const struct option_choice *choices, unsigned int takes);

#endif
