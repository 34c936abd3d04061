#!/usr/bin/env bash
# A Python environment with what the integrations' tests use, in build/venv; made anew when the list changes.
# Usage: scripts/venv.sh [DIR]
set -euo pipefail
here="$(cd "$(dirname "$0")" && pwd)"
dir="${1:-$here/../build/venv}"
list="$here/requirements.txt"
mkdir -p "$(dirname "$dir")"
# one at a time
exec 9>"$dir.lock"
flock 9
if cmp -s "$list" "$dir/requirements.txt"; then exit 0; fi
python="${PYTHON:-python3}"
rm -rf "$dir"
"$python" -m venv "$dir" || {
  echo "python3 -m venv failed; install it with: apt-get install python3-venv python3-dev" >&2
  exit 4
}
"$dir/bin/pip" install --quiet --disable-pip-version-check -r "$list"
cp "$list" "$dir/requirements.txt"
