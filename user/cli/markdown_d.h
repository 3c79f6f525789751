/* SPDX-License-Identifier: BSD-2-Clause */
/* The generated part of docs/d-language.md. Apart from command.h, whose headers have types of other names. */
#ifndef ERLBPF_CLI_MARKDOWN_D_H
#define ERLBPF_CLI_MARKDOWN_D_H

void command_markdown_d(void);

#endif
