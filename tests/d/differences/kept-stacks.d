/*
 * @language: stacks and symbols in variables
 * @dtrace: The newest of Oracle's keeps them: `v = stack(3)`.
 * @erlbpf: It is an error. They are printed, or are keys of aggregations, where they get their names.
 */

BEGIN { v = stack(3); exit(0); }
