// Sends thirty grey frames in a room of this process, and receives them, by cgo.
//
//	go run .
//
// pkg-config finds the headers and the library; see README.md.
package main

/*
#cgo pkg-config: mediasdk
#include <mediasdk/mediasdk.h>
#include <stdlib.h>
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"unsafe"
)

const timeoutMS = 5000

// call runs a function of the SDK and returns its error text. The text belongs to the thread that failed, and without the lock Go may
// continue on another one before it is read.
func call(function func() C.msdk_result) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	if result := function(); result < 0 {
		return errors.New(C.GoString(C.msdk_status_string(result)) + ": " + C.GoString(C.msdk_last_error()))
	}
	return nil
}

// join connects a session. The options and their strings are in C's memory: Go's may not contain pointers to Go's when C gets it.
func join(engine *C.msdk_engine, user string) (*C.msdk_session, error) {
	url, id := C.CString("loopback:lobby"), C.CString(user)
	defer C.free(unsafe.Pointer(url))
	defer C.free(unsafe.Pointer(id))
	options := C.msdk_session_options{struct_size: C.sizeof_msdk_session_options, url: url, user_id: id}
	var session *C.msdk_session
	if err := call(func() C.msdk_result { return C.msdk_session_create(engine, &options, &session) }); err != nil {
		return nil, err
	}
	return session, call(func() C.msdk_result { return C.msdk_session_connect(session) })
}

// await returns the next event of a type. Cgo renames the member `type`, a word of Go's.
func await(session *C.msdk_session, kind C.uint32_t) (*C.msdk_event, error) {
	for {
		event := C.msdk_event{struct_size: C.sizeof_msdk_event}
		if err := call(func() C.msdk_result { return C.msdk_session_next_event(session, timeoutMS, &event) }); err != nil {
			return nil, err
		}
		if event._type == kind {
			return &event, nil
		}
	}
}

// publish offers video of one format, and returns the sender of its frames.
func publish(engine *C.msdk_engine, session *C.msdk_session) (*C.msdk_frame_sender, error) {
	format := (*C.msdk_video_format)(C.calloc(1, C.sizeof_msdk_video_format))
	defer C.free(unsafe.Pointer(format))
	format.struct_size = C.sizeof_msdk_video_format
	format.pixel_format = C.MSDK_PIXEL_NV12
	format.width, format.height, format.fps_num, format.fps_den = 640, 360, 30, 1
	options := C.msdk_outgoing_video_options{
		struct_size: C.sizeof_msdk_outgoing_video_options, codec: C.MSDK_CODEC_VP8, formats: format, format_count: 1,
	}
	var stream *C.msdk_outgoing_video
	if err := call(func() C.msdk_result { return C.msdk_outgoing_video_create(engine, &options, &stream) }); err != nil {
		return nil, err
	}
	if err := call(func() C.msdk_result { return C.msdk_session_start_video(session, stream) }); err != nil {
		return nil, err
	}
	event, err := await(session, C.MSDK_EVENT_FRAME_SENDER_CHANGED)
	if err != nil {
		return nil, err
	}
	return event.sender, nil
}

// send draws a frame of one grey into the sender's memory, without a copy.
func send(sender *C.msdk_frame_sender, grey byte) error {
	var frame *C.msdk_video_frame
	if err := call(func() C.msdk_result { return C.msdk_frame_sender_acquire(sender, 1000, &frame) }); err != nil {
		return err
	}
	defer C.msdk_video_frame_unref(frame)
	for index, plane := range frame.plane[:frame.plane_count] {
		pixels := unsafe.Slice((*byte)(plane.data), int(plane.size))
		for at := range pixels {
			pixels[at] = 128
			if index == 0 {
				pixels[at] = grey
			}
		}
	}
	return call(func() C.msdk_result { return C.msdk_frame_sender_send(sender, frame, 0, nil, nil) }) // 0: captured now
}

func run() error {
	var engine *C.msdk_engine
	if err := call(func() C.msdk_result { return C.msdk_engine_create(nil, &engine) }); err != nil {
		return err
	}
	defer C.msdk_engine_destroy(engine) // and all that was made from it
	alice, err := join(engine, "alice")
	if err != nil {
		return err
	}
	bob, err := join(engine, "bob")
	if err != nil {
		return err
	}
	sender, err := publish(engine, alice)
	if err != nil {
		return err
	}
	event, err := await(bob, C.MSDK_EVENT_INCOMING_VIDEO_ADDED)
	if err != nil {
		return err
	}
	video := event.incoming_video
	if err := call(func() C.msdk_result { return C.msdk_incoming_video_start(video, nil) }); err != nil {
		return err
	}
	if _, err := await(alice, C.MSDK_EVENT_KEY_FRAME_REQUESTED); err != nil { // somebody receives
		return err
	}
	received := 0
	for number := 0; number < 30; number++ {
		if err := send(sender, byte(16+7*number)); err != nil {
			return err
		}
		var frame *C.msdk_video_frame
		for C.msdk_incoming_video_read(video, 1000/30, &frame) >= 0 { // until the next one is due
			C.msdk_video_frame_unref(frame)
			received++
		}
	}
	if received == 0 {
		return errors.New("no frame was received")
	}
	fmt.Printf("received %d frames\n", received)
	return nil
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "mediasdk:", err)
		os.Exit(1)
	}
}
