#!/bin/sh
# Installs what MediaSDK is measured against. Prints a line NAME=REASON on descriptor 3 for each peer that is not to be had; never fails.
#   peers.sh VENV
venv=$1

install_packages() { # NAME PACKAGE...
  name=$1
  shift
  missing=
  for package in "$@"; do
    dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing="$missing $package"
  done
  if [ -z "$missing" ]; then
    echo "  $name: there already"
  elif [ "$(id -u)" != 0 ]; then
    echo "$name=not installed, and only root can install it (apt-get install$missing)" >&3
  else
    echo "  $name: installing$missing"
    # shellcheck disable=SC2086
    if ! DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends $missing >"$venv.apt.log" 2>&1; then
      echo "$name=apt-get could not install$missing: $(tail -n 1 "$venv.apt.log")" >&3
    fi
  fi
}

install_wheels() { # NAME MODULES PACKAGE...
  name=$1 modules=$2
  shift 2
  if "$venv/bin/python" -c "import $modules" 2>/dev/null; then
    echo "  $name: there already"
  else
    echo "  $name: installing $*"
    if ! "$venv/bin/python" -m pip install --quiet --disable-pip-version-check "$@" >"$venv.pip.log" 2>&1; then
      echo "$name=pip could not install $*: $(tail -n 1 "$venv.pip.log")" >&3
    fi
  fi
}

install_packages gstreamer gstreamer1.0-plugins-base gstreamer1.0-plugins-good gstreamer1.0-tools libgstreamer1.0-dev \
  libgstreamer-plugins-base1.0-dev
install_packages webrtcbin gstreamer1.0-plugins-bad gstreamer1.0-nice libgstreamer-plugins-bad1.0-dev
install_packages ffmpeg ffmpeg libavcodec-dev
install_packages x11 xvfb libxcb1-dev
install_packages resamplers libspeexdsp-dev libsoxr-dev libsamplerate0-dev libswresample-dev
if [ ! -x "$venv/bin/python" ] && ! python3 -m venv "$venv" 2>/dev/null; then
  for name in livekit aiortc wrtc; do echo "$name=no Python environment at $venv" >&3; done
  exit 0
fi
install_wheels livekit livekit.rtc livekit==1.2.0
install_wheels aiortc "aiortc, numpy" aiortc av numpy
install_wheels wrtc "webrtc, av, numpy" wrtc==0.1.0 av numpy
