# shellcheck shell=bash
# Sourced by scripts: which tools the project's programs use.
#
# METAROCE_VERILATOR=pinned (default) takes the version in tools/versions.txt,
# METAROCE_VERILATOR=debian the distribution's. A VERILATOR that is already set wins.

_root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

if [[ -z ${VERILATOR:-} ]]; then
    case ${METAROCE_VERILATOR:-pinned} in
        pinned) VERILATOR=$_root/.venv/bin/verilator ;;
        debian) VERILATOR=/usr/bin/verilator ;;
        *)
            echo "METAROCE_VERILATOR must be pinned or debian, not $METAROCE_VERILATOR" >&2
            return 1
            ;;
    esac
    export VERILATOR
fi
# Last: the distribution's tools keep their names.
case :$PATH: in
    *:$_root/.venv/bin:*) ;;
    *) export PATH=$PATH:$_root/.venv/bin ;;
esac
export PYTHON=$_root/.venv/bin/python3
# Where ./setup has put YoWASP's tools as machine code.
export YOWASP_CACHE_DIR=$_root/.venv/cache
unset _root
