#!/bin/sh
# Measures MediaSDK against its peers and prints one table, and writes it to $BUILD_DIR/results.json, of which `make docs` makes plots. Nothing
# that comes out slow fails the run.
#
#   Tests/Bench/run.sh [PART...]      PART: start handles commands lifetime conversions passage sending encoding mixing resampling opus
#                                     latency capture feeding fanning isolation scanning rtp streams
#                                     webrtc whip forwarding badlink; none: all, in about half an hour
#
# Environment, with the defaults
#   MSDK_LIB_DIR     directory of libmediasdk.so        .build/out
#   MSDK_PLUGIN_DIR  directory of the plugins           $MSDK_LIB_DIR/plugins
#   BUILD_DIR        where the programs are compiled     .build/bench
#   VENV             Python environment of the peers     .build/bench-venv
#   CC               compiler                            gcc
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
BUILD_DIR=${BUILD_DIR:-$root/.build/bench}
MSDK_LIB_DIR=${MSDK_LIB_DIR:-$root/.build/out}
MSDK_PLUGIN_DIR=${MSDK_PLUGIN_DIR:-$MSDK_LIB_DIR/plugins}
VENV=${VENV:-$root/.build/bench-venv}
CC=${CC:-gcc}

if [ ! -f "$MSDK_LIB_DIR/libmediasdk.so" ]; then
  echo "there is no libmediasdk.so in $MSDK_LIB_DIR; build it first, or set MSDK_LIB_DIR" >&2
  exit 1
fi
mkdir -p "$BUILD_DIR/lib"
BUILD_DIR=$(cd "$BUILD_DIR" && pwd)
MSDK_LIB_DIR=$(cd "$MSDK_LIB_DIR" && pwd)
# The programs ask for the soname, which the build directory may not have.
ln -sf "$MSDK_LIB_DIR/libmediasdk.so" "$BUILD_DIR/lib/libmediasdk.so"
ln -sf "$MSDK_LIB_DIR/libmediasdk.so" "$BUILD_DIR/lib/libmediasdk.so.1"
ln -sf "$MSDK_LIB_DIR/libmediasdk-feeder.so" "$BUILD_DIR/lib/libmediasdk-feeder.so"
ln -sf "$MSDK_LIB_DIR/libmediasdk-feeder.so" "$BUILD_DIR/lib/libmediasdk-feeder.so.1"

echo "peers:"
missing=$BUILD_DIR/missing-peers
sh "$here/peers.sh" "$VENV" 3>"$missing"

# Where NAME.c is in the folders of C.
source_of() { find "$here/C" -name "$1.c"; }
# Compiles NAME.c and the parts it is made of: compile NAME "PARTS" FLAGS...
compile() {
  program=$1 sources=$(source_of "$1")
  for part in $2; do sources="$sources $(source_of "$part")"; done
  shift 2
  # shellcheck disable=SC2086
  "$CC" -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -pedantic -Werror -I"$root/Include" -iquote "$here/C" $sources -o "$BUILD_DIR/$program" "$@" -pthread
}
# The same for a peer's program; the peer is left out when it does not compile: compile_peer PEER NAME "PARTS" PKG-CONFIG-NAMES FLAGS...
compile_peer() {
  peer=$1 name=$2 parts=$3 libraries=$4
  shift 4
  grep -q "^$peer=" "$missing" && return
  # shellcheck disable=SC2046
  compile "$name" "$parts" $(pkg-config --cflags "$libraries" | sed 's/-I/-isystem /g') "$@" $(pkg-config --libs "$libraries") ||
    echo "$peer=its benchmark program $name does not compile" >>"$missing"
}

echo "compiling"
ours="-L$BUILD_DIR/lib -lmediasdk"
# shellcheck disable=SC2046,SC2086
{
  compile pass_msdk "call measure meter" $ours
  compile encode_msdk "call clip encode_meter measure" $ours -lvpx
  compile fan_msdk "call clip measure" $ours -lvpx
  compile first_msdk "call measure" $ours
  compile cycles_msdk "call measure" $ours
  compile convert_msdk "call measure" $ours -lyuv
  compile mix_msdk "sound call measure crowd" $ours -lm
  compile resample_msdk "sound call measure tone" $ours -lm
  compile opus_msdk "sound call measure opus_input" $ours -lm
  compile latency_msdk "sound call measure sound_pace" $ours -lm
  compile feed_msdk "feed call measure" $ours -lmediasdk-feeder
  "$CC" -std=c11 -O2 -shared -fPIC "$(source_of bare)" -o "$BUILD_DIR/libbare.so"
  "$CC" -std=c11 -D_GNU_SOURCE -O2 -shared -fPIC -I"$root/Include" "$(source_of scanned)" -o "$BUILD_DIR/libscanned.so"
  compile scan_msdk "call measure" $ours
  compile link_msdk "call link_meter painted clip measure" $ours -lvpx -lm
  compile forward_msdk "call forward_traffic measure" $ours
  compile rtp_msdk "webrtc_pair call rtp_meter painted clip measure" $ours -lvpx
  compile idle_msdk "webrtc_pair call measure" $ours
  compile whip_msdk "call measure" $ours
  compile lookup_msdk "call measure" $ours "$BUILD_DIR/libbare.so"
  compile command_msdk "call measure" $ours $(pkg-config --cflags --libs libffi)
}
compile isolated_msdk "call measure" "-L$BUILD_DIR/lib" -lmediasdk
"$CC" -std=c11 -O2 -Wall -Wextra -pedantic -Werror -I"$root/Include" -shared -fPIC "$(source_of isolated_plugin)" -o "$BUILD_DIR/isolated_plugin.so"
ln -sf "$MSDK_LIB_DIR/msdk-plugin-host" "$BUILD_DIR/lib/msdk-plugin-host"
compile pass_bare "measure meter"
compile feed_bare "feed measure"
compile encode_vpx "vpx_encoder clip encode_meter measure" -lvpx
compile first_vpx "vpx_encoder measure" -lvpx
compile rtp_bare "rtp_meter painted vpx_encoder clip measure" -lvpx
# shellcheck disable=SC2046
compile forward_bare "forward_traffic measure" $(pkg-config --cflags --libs libcrypto)
compile mix_bare "measure crowd" -O3 -funroll-loops -lm
for_opus=$(pkg-config --cflags --libs opus)
# shellcheck disable=SC2086
compile opus_bare "measure opus_input" $for_opus -lm
compile_peer x11 x11_capture "measure" xcb -ldl
compile_peer gstreamer pass_gst "measure meter" gstreamer-app-1.0
compile_peer gstreamer encode_gst "vp8enc clip encode_meter measure" gstreamer-app-1.0 -lvpx
compile_peer gstreamer rtp_gst "vp8enc rtp_meter painted clip measure" gstreamer-app-1.0 -lvpx
compile_peer webrtcbin webrtc_gst "vp8enc rtp_meter painted clip measure" "gstreamer-app-1.0 gstreamer-webrtc-1.0 gstreamer-sdp-1.0" -lvpx
compile_peer gstreamer link_gst "vp8enc link_meter painted clip measure" gstreamer-app-1.0 -lvpx -lm
compile_peer gstreamer mix_gst "measure crowd" gstreamer-app-1.0 -lm
compile_peer gstreamer opus_gst "measure opus_input" gstreamer-app-1.0 -lm
compile_peer gstreamer latency_gst "measure sound_pace" gstreamer-app-1.0 -lm
compile_peer ffmpeg encode_ffmpeg "clip encode_meter measure" "libavcodec libavutil" -lvpx
compile_peer ffmpeg opus_ffmpeg "measure opus_input" "libavcodec libavutil" -lm
compile_peer resamplers resample_quality "measure tone resamplers" "speexdsp soxr samplerate libswresample libavutil" -lm

set -- --build "$BUILD_DIR" --lib "$MSDK_LIB_DIR" --plugins "$MSDK_PLUGIN_DIR" --clip "$root/Tests/Media/bunny-720p25.ivf" \
  --sound "$root/Tests/Media/bunny-48k-stereo.wav" \
  --binding "$root/Bindings/Python" --json "$BUILD_DIR/results.json" "$@"
while IFS= read -r line; do
  echo "  skipped: $line"
  set -- "$@" --without "$line"
done <"$missing"
[ -x "$VENV/bin/python" ] && set -- "$@" --python "$VENV/bin/python"
echo "measuring ($(uname -m), $(nproc) processors, load $(cut -d ' ' -f 1-3 /proc/loadavg))"
cd "$here"
PYTHONDONTWRITEBYTECODE=1 exec python3 -m benchmark "$@"
