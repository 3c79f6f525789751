"""How many messages come to a process, of which `erlbpf export` shows the senders."""
import json
import urllib.parse

from lib import STOCK, Node, unique, wait_until
from test_export import PREFIX, Agent
from test_export_page import is_traced


def test_the_rate_of_messages_to_a_process_is_that_of_its_senders():
    with Node(STOCK, "+S", "1", "-sname", unique(PREFIX + "senders")) as node, Agent("--findings") as agent:
        node.eval("Full = spawn(fun() -> receive never -> ok end end)")
        node.eval("Loop = fun L(Pause) -> Full ! x, timer:sleep(Pause), L(Pause) end")
        node.eval("begin [register(N, spawn(fun() -> Loop(P) end)) || {N, P} <- [{often, 1}, {seldom, 10}]], ok end")
        full = node.eval("pid_to_list(Full)").strip('"')
        wait_until("it is traced", lambda: is_traced(agent, node.pid))

        def senders():
            lines = json.loads(agent.get("/processes?" + urllib.parse.urlencode({"os_pid": node.pid, "pid": full})))["lines"]
            titles = [line[0] for line in lines]
            return [line[1] for line in lines[titles.index("senders"):]] if "senders" in titles else []

        wait_until("how many messages", lambda: senders() and senders()[0].endswith("messages per second"))
        assert float(senders()[0].split()[0]) > 20, senders()
        agent.stop()
