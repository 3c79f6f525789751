# shellcheck shell=sh
# To be sourced: packages of another suite of Debian, without a change of the machine's apt configuration.
#
#   suite_open FOLDER deb|deb-src SUITE    a configuration of its own in FOLDER, derived from the machine's
#   suite_apt ARGUMENTS                    apt-get by that configuration

# The archive that this machine takes its packages from, with the wanted suite. The suite's own archive only: a
# security archive may list a package before it can be had.
suite_open() {
	suite_folder=$1
	mkdir -p "$suite_folder/lists/partial" "$suite_folder/cache/archives/partial"
	keyring=/usr/share/keyrings/debian-archive-keyring.gpg
	# shellcheck disable=SC2016  # the format is apt-get's
	apt-get indextargets --format '$(REPO_URI) $(RELEASE)' \
		'Created-By: Packages' 'Component: main' 'Origin: Debian' |
	while read -r uri machine_suite; do
		case $machine_suite in
		*-*) ;;
		*) echo "$2 [signed-by=$keyring] $uri $3 main" ;;
		esac
	done | sort -u > "$suite_folder/sources.list"
	[ -s "$suite_folder/sources.list" ] || { echo "no Debian archive in the machine's apt configuration" >&2; return 1; }
}

# Lists of unstable suites are valid for a week; a mirror may be later than that.
suite_apt() {
	apt-get -q -o Dir::Etc::sourcelist="$suite_folder/sources.list" -o Dir::Etc::sourceparts=/dev/null \
		-o Dir::State::lists="$suite_folder/lists" -o Dir::Cache="$suite_folder/cache" \
		-o APT::Sandbox::User=root -o Acquire::Check-Valid-Until=false "$@"
}
