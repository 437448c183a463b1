#!/usr/bin/env bash
# Builds the part of FFmpeg that the recorder plugin uses, from Debian's source package: the WebM and Ogg muxers, and the encoders of libvpx and
# libopus. Debian's own build brings 130 libraries, some under the GPL; this one is under the LGPL 2.1, and takes 2 MB.
# usage: packaging/wheel/ffmpeg.sh FOLDER      leaves FOLDER/lib/libav*.so.*; does nothing when they are there
set -euo pipefail
folder=${1:?usage: ffmpeg.sh FOLDER}
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
if ls "$folder"/lib/libavformat.so.* > /dev/null 2>&1; then exit; fi

mkdir -p "$folder/source" "$folder/lists"
cd "$folder/source"
# The sources of this release, without a change to the machine's own list.
. /etc/os-release
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian $VERSION_CODENAME main" > ../sources.list
apt=(apt-get -qq -o "Dir::Etc::sourcelist=$folder/sources.list" -o Dir::Etc::sourceparts=- -o "Dir::State::lists=$folder/lists")
"${apt[@]}" update
"${apt[@]}" -o APT::Sandbox::User=root source --download-only ffmpeg
rm -rf unpacked
dpkg-source -x ffmpeg_*.dsc unpacked > unpack.log
cd unpacked
echo "== building FFmpeg's muxers"
./configure --prefix="$folder" --enable-shared --disable-static --disable-everything --disable-autodetect --disable-programs --disable-doc \
  --disable-network --disable-avdevice --disable-swscale --disable-swresample --disable-postproc --disable-avfilter --disable-x86asm \
  --enable-libopus --enable-libvpx --enable-encoder=libopus,libvpx_vp8 --enable-muxer=webm,matroska,opus,ogg --enable-protocol=file \
  --extra-cflags=-ffile-prefix-map="$PWD"=ffmpeg > configure.log
make -s -j2 > make.log 2>&1 || { tail -n 20 make.log >&2; exit 1; }
make -s install-libs > install.log 2>&1
cp COPYING.LGPLv2.1 "$folder"
