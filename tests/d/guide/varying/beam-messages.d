/* Probes of a BEAM: who sends how much to whom. */

erlang$target:::message-send
{
	@[copyinstr(arg0) == copyinstr(arg1) ? "itself" : "another"] = sum(1);
}
