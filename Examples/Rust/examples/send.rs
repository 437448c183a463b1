//! Sends thirty grey frames in a room of this process, and receives them.
//!
//!     cargo run --example send
//!
//! What a safe crate would add is visible here: handles and frames as types with Drop, and text as &str.

use mediasdk_sys::*;
use std::ffi::CString;
use std::ptr::{null, null_mut};

/// A frame of which this program has one reference.
struct Frame(*mut msdk_video_frame);

impl Drop for Frame {
    fn drop(&mut self) {
        unsafe { msdk_video_frame_unref(self.0) };
    }
}

fn join(engine: *mut msdk_engine, user: &str) -> Result<*mut msdk_session, String> {
    let (url, user) = (CString::new("loopback:lobby").unwrap(), CString::new(user).unwrap());
    let mut options = init!(msdk_session_options);
    options.url = url.as_ptr(); // borrowed for the call
    options.user_id = user.as_ptr();
    let mut session = null_mut();
    check(unsafe { msdk_session_create(engine, &options, &mut session) })?;
    check(unsafe { msdk_session_connect(session) })?;
    Ok(session)
}

/// The next event of a type.
fn wait_for(session: *mut msdk_session, kind: u32) -> Result<msdk_event, String> {
    loop {
        let mut event = init!(msdk_event);
        check(unsafe { msdk_session_next_event(session, 5000, &mut event) })?;
        if event.type_ == kind {
            return Ok(event);
        }
    }
}

fn call(engine: *mut msdk_engine) -> Result<u32, String> {
    let (alice, bob) = (join(engine, "alice")?, join(engine, "bob")?);
    let mut format = init!(msdk_video_format);
    format.pixel_format = MSDK_PIXEL_NV12;
    (format.width, format.height) = (640, 360);
    (format.fps_num, format.fps_den) = (30, 1);
    let mut options = init!(msdk_outgoing_video_options);
    options.formats = &format;
    options.format_count = 1;
    options.codec = MSDK_CODEC_VP8;
    let mut stream = null_mut();
    check(unsafe { msdk_outgoing_video_create(engine, &options, &mut stream) })?;
    check(unsafe { msdk_session_start_video(alice, stream) })?;
    let sender = wait_for(alice, MSDK_EVENT_FRAME_SENDER_CHANGED)?.sender;
    let video = wait_for(bob, MSDK_EVENT_INCOMING_VIDEO_ADDED)?.incoming_video;
    check(unsafe { msdk_incoming_video_start(video, null()) })?;
    wait_for(alice, MSDK_EVENT_KEY_FRAME_REQUESTED)?; // somebody receives

    let mut received = 0;
    for number in 0..30u8 {
        let mut frame = null_mut();
        check(unsafe { msdk_frame_sender_acquire(sender, 1000, &mut frame) })?;
        let frame = Frame(frame);
        let planes = unsafe { &(&(*frame.0).plane)[..(*frame.0).plane_count as usize] };
        for (index, plane) in planes.iter().enumerate() {
            let pixels = unsafe { std::slice::from_raw_parts_mut(plane.data, plane.size as usize) };
            pixels.fill(if index == 0 { 16 + 7 * number } else { 128 });
        }
        check(unsafe { msdk_frame_sender_send(sender, frame.0, 0, None, null_mut()) })?; // 0: captured now
        loop {
            let mut came = null_mut();
            if unsafe { msdk_incoming_video_read(video, 1000 / 30, &mut came) } < 0 {
                break; // the next one is due
            }
            drop(Frame(came));
            received += 1;
        }
    }
    Ok(received)
}

fn main() -> Result<(), String> {
    let mut engine = null_mut();
    check(unsafe { msdk_engine_create(null(), &mut engine) })?;
    let result = call(engine);
    unsafe { msdk_engine_destroy(engine) }; // and all that was made from it
    match result? {
        0 => Err("no frame was received".into()),
        received => Ok(println!("received {received} frames")),
    }
}
