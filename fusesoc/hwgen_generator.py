# SPDX-License-Identifier: Apache-2.0
"""FuseSoC generator: its argument is the YAML file that FuseSoC writes; the output goes to the current folder."""
import os
import re
import subprocess
import sys

import yaml


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        task = yaml.safe_load(f)
    config = (task.get("parameters") or {}).get("config")
    if not config:
        sys.exit("hwgen generator: parameter config is missing: the path of a TOML file")
    config = os.path.join(task["files_root"], config)
    hwgen = os.environ.get("HWGEN", "hwgen")
    try:
        run = subprocess.run([hwgen, "-config", config, "-out", "."], check=False)
    except OSError as e:
        sys.exit(f"hwgen generator: {hwgen}: {e.strerror}; put hwgen on PATH, or its path into the variable HWGEN")
    if run.returncode:
        sys.exit(run.returncode)
    (core,) = [f for f in os.listdir(".") if f.endswith(".core")]
    with open(core, encoding="utf-8") as f:
        text = f.read()
    # FuseSoC looks for the name that it has chosen
    text, n = re.subn(r'(?m)^name: .*$', f'name: "{task["vlnv"]}"', text)
    if n != 1:
        sys.exit(f"hwgen generator: {core} has {n} names")
    with open(core, "w", encoding="utf-8") as f:
        f.write(text)


if __name__ == "__main__":
    main()
