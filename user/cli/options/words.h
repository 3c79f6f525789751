/* SPDX-License-Identifier: BSD-2-Clause */
/* A command on a command line: the words of -c. */
#ifndef ERLBPF_CLI_OPTIONS_WORDS_H
#define ERLBPF_CLI_OPTIONS_WORDS_H

/*
 * Split a text at blanks, in place; quotes keep blanks together. `words` has room for half as many as the
 * text has characters, and one more. The number of words, or -EINVAL if a quote is not closed.
 */
int words_split(char *text, char **words);

#endif
