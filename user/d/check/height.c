// SPDX-License-Identifier: BSD-2-Clause
/*
 * Height and size of the tree of a checked expression, which later passes walk recursively. The parser limits the text.
 * But an inline's argument is shared by all its uses, so nested inlines make trees that are far higher and larger than
 * the text.
 */
#include "d/check/checker.h"

static void measure(struct node *node);

static void add(struct node *node, struct node *operand)
{
	if (!operand)
		return;
	if (!operand->height)
		measure(operand);
	if (operand->height >= node->height)
		node->height = operand->height + 1;
	node->weight += operand->weight;
	if (node->weight > CHECK_EXPANDED)
		node->weight = CHECK_EXPANDED + 1;
}

static void measure(struct node *node)
{
	node->height = node->weight = 1;
	add(node, node->a);
	add(node, node->b);
	add(node, node->c);
	for (struct node *arg = node->args; arg; arg = arg->next)
		add(node, arg);
}

bool check_height(struct checker *checker, struct node *node)
{
	measure(node);
	if (node->height > NESTING_MOST)
		check_error(checker, node, "D_SYNTAX", "expression nests too deeply");
	else if (node->weight > CHECK_EXPANDED)
		check_error(checker, node, "D_UNKNOWN", "inlines expand to too many nodes");
	else
		return true;
	return false;
}
