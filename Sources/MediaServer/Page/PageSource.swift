/// page.html, as Tests/ABI/check_page.py --write puts it here.
enum PageSource {
  /// What the page may run (CSP, section 2.3.1).
  static let script = "sha256-9vlIQLkCuCe2M0BZAyJGZnVM6bTz3skuSzUVuLCRZ4w="
  static let style = "sha256-0mb7d1ZXZV8iRp8+yKMDblwzwQnwZ2sCIJ/2/Lb/5KU="

  static let html = #"""
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Room</title>
    <style>
    :root { color-scheme: dark; font: 16px system-ui, sans-serif; background: #15181d; color: #e9edf2; }
    body { margin: 0; height: 100vh; height: 100dvh; display: flex; flex-direction: column; }
    [hidden] { display: none !important; }
    #entry { margin: auto; display: grid; gap: .8rem; width: min(20rem, 90vw); }
    #entry label { display: grid; gap: .3rem; }
    h1 { margin: 0; overflow-wrap: anywhere; }
    input, button { font: inherit; padding: .6rem .9rem; border-radius: .5rem; border: 1px solid #46505d; background: #222831; color: inherit; }
    button { cursor: pointer; }
    button:disabled { opacity: .45; cursor: default; }
    button[aria-pressed="true"] { background: #2d6a4f; border-color: #52b788; }
    button:focus-visible, input:focus-visible { outline: 2px solid #8ecae6; outline-offset: 2px; }
    #join { background: #2d6a4f; border-color: #52b788; }
    #leave { background: #7f2630; border-color: #c1475a; }
    #room { flex: 1; min-height: 0; display: flex; flex-direction: column; }
    #grid { flex: 1; min-height: 0; overflow: auto; display: flex; flex-wrap: wrap; justify-content: safe center; align-content: safe center; gap: 8px; padding: 8px; }
    .tile { position: relative; box-sizing: border-box; width: var(--wide); height: var(--high); background: #222831; border-radius: .6rem; overflow: hidden;
      border: 2px solid transparent; }
    .tile.speaking { border-color: #52b788; }
    .tile video { position: absolute; inset: 0; width: 100%; height: 100%; object-fit: contain; }
    .tile.own video { transform: scaleX(-1); }
    .tile .face { position: absolute; inset: 0; display: grid; place-content: center; font-size: min(5rem, calc(var(--high) / 3)); color: #9fb3c8; }
    .tile .name { position: absolute; left: .5rem; bottom: .5rem; max-width: calc(100% - 1rem); box-sizing: border-box; padding: .15rem .5rem; border-radius: .4rem;
      background: #000b; overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
    .tile .mark { color: #ffd6a5; }
    .tile .mark:not(:empty)::before { content: " \00b7\00a0"; }
    #controls { display: flex; flex-wrap: wrap; gap: .5rem; justify-content: center; padding: .6rem; }
    #note { min-height: 1.4em; text-align: center; color: #ffb4a2; padding: 0 .5rem .3rem; overflow-wrap: anywhere; }
    </style>
    </head>
    <body>
    <form id="entry">
      <h1 id="title">Room</h1>
      <label>Your name <input id="name" maxlength="60" autocomplete="name"></label>
      <button id="join">Join</button>
    </form>
    <main id="room" hidden>
      <div id="grid"></div>
      <div id="controls">
        <button id="microphone" aria-pressed="false">Microphone</button>
        <button id="mute" aria-pressed="false" disabled>Mute</button>
        <button id="camera" aria-pressed="false">Camera</button>
        <button id="screen" aria-pressed="false">Share screen</button>
        <button id="leave">Leave</button>
      </div>
    </main>
    <div id="note" role="status"></div>
    <script>
    "use strict";
    const $ = id => document.getElementById(id);
    const room = location.pathname.slice(1);  // as it is escaped
    const options = new URLSearchParams(location.hash.slice(1));  // name, token: a fragment is not sent to a server
    let socket = null, ticket = "", own = "", may = new Set(), isMuted = false;
    const people = new Map();  // by user id: {name, streams, tiles, receiving}
    const sending = new Map();  // "microphone", "camera", "screen": {media, session}

    document.title = $("title").textContent = decodeURIComponent(room);
    $("name").value = options.get("name") || "";
    const note = text => { $("note").textContent = text; };
    const wait = milliseconds => new Promise(done => setTimeout(done, milliseconds));

    // ---- WHIP and WHEP

    class Session {
      constructor(path) {
        this.path = path;
        this.url = null;
        this.isOver = false;
        this.peer = new RTCPeerConnection({bundlePolicy: "max-bundle"});
      }

      // Offers what the peer has; throws what the server says.
      async open() {
        await this.peer.setLocalDescription();
        for (let time = 0; this.peer.iceGatheringState !== "complete" && time < 1000; time += 50) await wait(50);
        const response = await fetch(this.path, {method: "POST", body: this.peer.localDescription.sdp,
          headers: {"Content-Type": "application/sdp", "Authorization": "Bearer " + ticket}});
        const text = await response.text();
        if (response.status !== 201) throw new Error(text.trim() || "the server answered " + response.status);
        this.url = response.headers.get("Location");
        if (this.isOver) return this.end();
        await this.peer.setRemoteDescription({type: "answer", sdp: text});
      }

      close() {
        if (this.isOver) return;
        this.isOver = true;
        this.end();
      }

      end() {
        this.peer.close();
        if (this.url) fetch(this.url, {method: "DELETE", keepalive: true, headers: {"Authorization": "Bearer " + ticket}}).catch(() => {});
        this.url = null;
      }
    }

    // ---- What is sent

    async function startSending(kind) {
      const media = await (kind === "screen" ? navigator.mediaDevices.getDisplayMedia({video: true, audio: true})
        : navigator.mediaDevices.getUserMedia(kind === "camera" ? {video: {width: {ideal: 1280}, height: {ideal: 720}}} : {audio: true}));
      const one = {media, session: null};
      sending.set(kind, one);
      for (const track of media.getTracks()) track.onended = () => stopSending(kind);
      show(kind, media);
      for (let pause = 500; sending.get(kind) === one; pause = Math.min(2 * pause, 8000)) {
        const session = one.session = new Session("/whip/" + room + (kind === "screen" ? "?kind=screen" : ""));
        for (const track of media.getTracks()) session.peer.addTransceiver(track, {direction: "sendonly", streams: [media]});
        try {
          await session.open();
          session.peer.onconnectionstatechange = () => {
            if (session.peer.connectionState !== "failed" || sending.get(kind) !== one) return;
            session.close();
            stopSending(kind);
            note("The connection was lost. Try again.");
          };
          return;
        } catch (error) {
          session.close();
          note(error.message);
          await wait(pause);
          if (pause >= 4000) break;
        }
      }
      if (sending.get(kind) === one) stopSending(kind);
    }

    function stopSending(kind) {
      const one = sending.get(kind);
      if (!one) return;
      sending.delete(kind);
      for (const track of one.media.getTracks()) track.stop();
      if (one.session) one.session.close();
      show(kind, null);
    }

    function setMuted(muted) {
      isMuted = muted;
      const microphone = sending.get("microphone");
      if (microphone) for (const track of microphone.media.getTracks()) track.enabled = !muted;
      say({type: "mute", muted});
      follow();
    }

    // ---- Who is there

    // As large as all tiles can be, without any that is cut off.
    function arrange() {
      const grid = $("grid"), count = grid.children.length, gap = 8;
      const [wide, high] = [grid.clientWidth - gap, grid.clientHeight - gap];
      let best = 0;
      for (let columns = 1; columns <= count; columns++) {
        const rows = Math.ceil(count / columns);
        best = Math.max(best, Math.min(wide / columns - gap, (high / rows - gap) * 16 / 9));
      }
      best = Math.floor(Math.max(best, Math.min(128, wide - gap)));
      grid.style.setProperty("--wide", best + "px");
      grid.style.setProperty("--high", Math.floor(best * 9 / 16) + "px");
    }

    function tile(person, key, label) {
      let found = person.tiles.get(key);
      if (found) return found;
      const element = document.createElement("div");
      const video = document.createElement("video");
      const [face, name, mark] = ["span", "span", "span"].map(kind => document.createElement(kind));
      element.className = "tile";
      video.autoplay = video.playsInline = true;
      face.className = "face";
      face.ariaHidden = true;
      name.className = "name";
      name.textContent = label;
      mark.className = "mark";
      name.append(mark);
      element.append(face, video, name);
      $("grid").append(element);
      found = {element, video, face, mark};
      person.tiles.set(key, found);
      arrange();
      return found;
    }

    function removeTile(person, key) {
      const found = person.tiles.get(key);
      if (!found) return;
      found.video.srcObject = null;
      found.element.remove();
      person.tiles.delete(key);
      arrange();
    }

    // What is written on a tile. Without a camera it shows the first letter of their name.
    function mark(person, isSeen, isHeard, isSilent) {
      const {element, video, face, mark} = tile(person, "self", person.name);
      mark.textContent = [isSeen ? "" : "no camera", isHeard ? isSilent ? "muted" : "" : "no microphone"].filter(Boolean).join(", ");
      video.style.visibility = isSeen ? "" : "hidden";
      face.textContent = isSeen ? "" : ([...(person.name || person.user)][0] || "?").toUpperCase();
      element.classList.toggle("speaking", person.isSpeaking && isHeard && !isSilent);
    }

    function meet(user, name) {
      const person = {user, name, streams: new Map(), tiles: new Map(), receiving: null, isSpeaking: false};
      people.set(user, person);
      tile(person, "self", name || user).element.dataset.user = user;
      return person;
    }

    function part(user) {
      const person = people.get(user);
      if (!person) return;
      people.delete(user);
      if (person.receiving) person.receiving.close();
      for (const key of [...person.tiles.keys()]) removeTile(person, key);
    }

    // What a person is like now, from the streams that the room says they have.
    function render(person) {
      if (person.user === own) return;
      const streams = [...person.streams.values()];
      const microphone = streams.find(one => one.media === "audio" && !one.screen);
      mark(person, streams.some(one => one.media === "video" && !one.screen), microphone !== undefined, microphone && microphone.muted);
      const isSharing = streams.some(one => one.media === "video" && one.screen);
      if (isSharing) {
        const screen = tile(person, "screen", person.name + ", screen");
        screen.video.muted = true;
        if (person.screen && screen.video.srcObject !== person.screen) screen.video.srcObject = person.screen;
      } else {
        removeTile(person, "screen");
      }
      if (streams.length > 0 && !person.receiving && may.has("receive")) receive(person);
    }

    // One session for each person, for as long as they are there: the server sends in it what they have at the time.
    async function receive(person) {
      const session = person.receiving = new Session("/whep/" + room + "/" + encodeURIComponent(person.user));
      const [audio, video, screen] = ["audio", "video", "video"].map(kind => session.peer.addTransceiver(kind, {direction: "recvonly"}));
      tile(person, "self", person.name).video.srcObject = new MediaStream([audio.receiver.track, video.receiver.track]);
      person.screen = new MediaStream([screen.receiver.track]);
      const again = async pause => {
        session.close();
        await wait(pause);
        if (people.get(person.user) !== person || person.receiving !== session) return;
        person.receiving = null;
        render(person);
      };
      session.peer.onconnectionstatechange = () => { if (session.peer.connectionState === "failed") again(1000); };
      render(person);
      try {
        await session.open();
      } catch (error) {
        again(2000);
      }
    }

    // ---- This person

    function show(kind, media) {
      const person = people.get(own);
      if (person && kind === "camera") {
        const self = tile(person, "self", person.name);
        self.video.muted = true;
        self.video.srcObject = media;
      }
      follow();
    }

    function follow() {
      const person = people.get(own);
      for (const kind of ["microphone", "camera", "screen"]) $(kind).setAttribute("aria-pressed", sending.has(kind));
      $("microphone").disabled = !may.has("audio");
      $("camera").disabled = !may.has("video");
      $("screen").disabled = !may.has("screen") || !navigator.mediaDevices || !navigator.mediaDevices.getDisplayMedia;
      $("mute").disabled = !sending.has("microphone");
      $("mute").setAttribute("aria-pressed", isMuted);
      if (!person) return;
      tile(person, "self", person.name).element.classList.add("own");
      mark(person, sending.has("camera"), sending.has("microphone"), isMuted);
    }

    async function toggle(kind) {
      note("");
      if (sending.has(kind)) return stopSending(kind);
      if (!navigator.mediaDevices) return note("This browser uses camera and microphone over https: or on localhost only.");
      try {
        await startSending(kind);
        if (kind === "microphone") setMuted(isMuted);
      } catch (error) {
        // There is none, or it is not permitted: one can still see and hear.
        note(kind + ": " + error.message);
      }
    }

    // ---- The room's messages

    const say = message => { if (socket && socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message)); };

    const on = {
      welcome(message) {
        [own, ticket, may] = [message.user, message.ticket, new Set(message.may)];
        $("entry").hidden = true;
        $("room").hidden = false;
        meet(own, ($("name").value || own) + " (you)");
        follow();
      },
      joined(message) { render(meet(message.user, message.name)); },
      left(message) { part(message.user); },
      stream(message) {
        const person = people.get(message.user);
        if (!person) return;
        person.streams.set(message.id, message);
        render(person);
      },
      ended(message) {
        for (const person of people.values()) if (person.streams.delete(message.id)) render(person);
      },
      muted(message) {
        for (const person of people.values()) {
          const stream = person.streams.get(message.id);
          if (!stream) continue;
          stream.muted = message.muted;
          render(person);
        }
      },
      speaking(message) {
        const person = people.get(message.user);
        if (!person) return;
        person.isSpeaking = message.speaking;
        if (person.user === own) follow();
        else render(person);
      },
      moderated(message) {
        setMuted(message.muted);
        note(message.muted ? "A moderator has muted you." : "A moderator has ended your mute.");
      },
      permissions(message) {
        may = new Set(message.may);
        for (const [kind, needed] of [["microphone", "audio"], ["camera", "video"], ["screen", "screen"]]) if (!may.has(needed)) stopSending(kind);
        follow();
      },
      disconnected(message) { note(message.text); },
    };

    function join() {
      note("");
      $("join").disabled = true;
      socket = new WebSocket(location.origin.replace(/^http/, "ws") + "/ws/" + room);
      socket.onopen = () => say({type: "join", name: $("name").value, user: options.get("user") || "", token: options.get("token") || ""});
      socket.onmessage = event => {
        const message = JSON.parse(event.data);
        if (Object.hasOwn(on, message.type)) on[message.type](message);
      };
      socket.onclose = () => {
        if (!$("note").textContent) note("You have left the room.");
        for (const kind of [...sending.keys()]) stopSending(kind);
        for (const user of [...people.keys()]) part(user);
        [socket, ticket, own, isMuted] = [null, "", "", false];
        $("entry").hidden = false;
        $("room").hidden = true;
        $("join").disabled = false;
      };
    }

    new ResizeObserver(arrange).observe($("grid"));
    $("entry").onsubmit = event => {
      event.preventDefault();
      join();
    };
    for (const kind of ["microphone", "camera", "screen"]) $(kind).onclick = () => toggle(kind);
    $("mute").onclick = () => setMuted(!isMuted);
    $("leave").onclick = () => {
      say({type: "leave"});
      socket.close();
    };
    addEventListener("pagehide", () => { for (const kind of [...sending.keys()]) stopSending(kind); });
    </script>
    </body>
    </html>

    """#
}
