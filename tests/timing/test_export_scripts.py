"""A script that costs too much is turned off at the limit that the manifests have, and comes back."""
from test_export_privileges import NEEDED, only
from test_export_scripts import check_that_it_is_turned_off_and_comes_back

LIMIT = ["--max-overhead", "2%"]


def test_a_script_that_costs_too_much_is_turned_off_and_comes_back():
    check_that_it_is_turned_off_and_comes_back(*LIMIT)


def test_with_the_daemonsets_capabilities_a_script_that_costs_too_much_is_turned_off_and_comes_back():
    """Alone: as long as an agent with all capabilities runs, the kernel measures for all, and nothing is estimated."""
    check_that_it_is_turned_off_and_comes_back(*LIMIT, prefix=only(NEEDED))
