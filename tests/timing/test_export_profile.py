"""A profile of the agent has the shares of what burns, and what waits; others are answered at once meanwhile."""
import threading
import time

from lib import STOCK, Node, unique
from test_export import Agent, node_name
from test_export_profile import ask, ask_until_free, begin, share, stacks_of


def test_profiles_have_the_shares_of_what_burns_and_others_are_answered_at_once():
    own = unique("export_profile")
    with Node(STOCK, "-sname", own) as node, Agent("--tools", "gc", node=own) as agent:
        begin(node)
        answer = []
        asking = threading.Thread(target=lambda: answer.append(ask_until_free(
            agent, "/profile?seconds=2&hz=997&format=folded&node=" + node_name(own))))
        asking.start()
        answers = 0
        while asking.is_alive():
            assert agent.get("/-/healthy") == b"healthy\n"
            answers += 1
            time.sleep(0.1)
        # If it did not answer before the profile is made, there was one.
        assert answers >= 5, answers
        asking.join()
        status, _, body = answer[0]
        assert status == 200, body
        burning = {f: w for f, w in stacks_of(body).items() if "shares:shares/0" in f}
        for function, wanted in (("sixty/1", 60), ("thirty/1", 30), ("ten/1", 10)):
            assert abs(share(burning, function) - wanted) < 5, (function, burning)
        status, _, body = ask(agent, "/profile?seconds=1&mode=off-cpu&format=folded&node=" + node_name(own))
        stacks = {f: w for f, w in stacks_of(body).items() if "shares:wait/1" in f}
        assert status == 200 and sum(stacks.values()) > 0.3e9, stacks
        agent.stop()
