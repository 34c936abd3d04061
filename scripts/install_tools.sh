#!/usr/bin/env bash
# Installs the tools that the tests need and that are not on PATH yet, from Debian's packages.
# Usage: scripts/install_tools.sh [check]   (check: only say what is missing, exit 4)
set -euo pipefail

# command:package
wanted="verilator:verilator yosys:yosys yosys-abc:yosys iverilog:iverilog g++:g++ make:make ccache:ccache
  openssl:openssl python3:python3 git:git"

missing=""
for pair in $wanted; do
  command -v "${pair%%:*}" >/dev/null 2>&1 || missing="$missing ${pair##*:}"
done
# the pinned FPGA tools live in a Python environment of their own
python3 -c 'import ensurepip, venv' >/dev/null 2>&1 || missing="$missing python3-venv"
[ -n "$missing" ] || exit 0

if [ "${1:-}" = check ]; then
  echo "missing tools:$missing" >&2
  echo "install them with: apt-get install$missing" >&2
  exit 4
fi
if ! command -v apt-get >/dev/null 2>&1; then
  echo "missing tools:$missing; there is no apt-get here: install them and put them on PATH" >&2
  exit 4
fi
sudo=""
if [ "$(id -u)" -ne 0 ]; then
  command -v sudo >/dev/null 2>&1 || { echo "missing tools:$missing; run as root, or install sudo" >&2; exit 4; }
  sudo="sudo"
fi
echo "installing:$missing" >&2
export DEBIAN_FRONTEND=noninteractive
$sudo apt-get update -qq
# each package is a word of its own
# shellcheck disable=SC2086
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null
