#!/usr/bin/env bash
# Builds the documentation site, and checks it. Warnings are errors.
# usage: docs/tools/build.sh DIRECTORY [OPTION OF SPHINX...]
#
# Environment: MEDIASDK_LIBRARY, MSDK_TOOL, MSDK_PLUGIN_DIR: what was built. DOCS_VENV: the Python environment with Sphinx (.build/docs-venv).
set -euo pipefail
cd "$(dirname "$0")/../.."
to=$1
shift
export DOCS_ROOT=$PWD PYTHONDONTWRITEBYTECODE=1
python=${DOCS_VENV:-.build/docs-venv}/bin/python
DOCS_VERSION=$("$MSDK_TOOL" --version | awk '{ print $NF }')
export DOCS_VERSION
"$python" docs/tools/check_reference.py
"$python" docs/tools/stage.py .build/docs/source
# Nothing of a page that is no more stays.
rm -rf "$to"
"$python" -m sphinx -q -W --keep-going -j auto -b html -d .build/docs/doctrees "$@" .build/docs/source "$to"
rm -rf "$to/.buildinfo" "$to/objects.inv"
"$python" docs/tools/check_links.py "$to" .build/docs/external-links.txt
