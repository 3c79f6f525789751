"""The alert of a stuck mailbox as it is: after half a minute, and not before."""
import tempfile

from lib import unique
from test_deploy import RULES, ages_in, check_the_alert, scrape_a_stuck_node


def test_the_alert_of_a_stuck_mailbox_fires_on_what_the_agent_serves_of_a_stuck_node():
    node, scrapes = scrape_a_stuck_node(unique("deploy_stuck"), lambda age, before: not before or age > max(30, before[-1]))
    ages = [ages_in(one)[0] for one in scrapes]
    assert ages[0] < 30 < ages[1] and ages == sorted(set(ages)), ages
    with tempfile.TemporaryDirectory() as folder:
        check_the_alert(folder, node, scrapes, RULES)
