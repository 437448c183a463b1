"""A worker of LiveKit's framework for voice agents, in a room that a program with MediaSDK serves: it greets everybody who joins, with a synthetic
voice.

    pip install livekit-agents            # and espeak-ng, which distributions package
    python agent.py connect --room lobby --url ws://127.0.0.1:PORT --api-key "$MSDK_API_KEY" --api-secret "$MSDK_API_SECRET"

What it says is fixed, as no model is asked.  One that listens and answers has `stt` and `llm` in its AgentSession, too.
"""
from __future__ import annotations

import asyncio

from livekit import agents, rtc
from livekit.agents import tts

RATE = 22_050  # Hz, of espeak-ng


class Voice(tts.TTS):
    def __init__(self) -> None:
        super().__init__(capabilities=tts.TTSCapabilities(streaming=False), sample_rate=RATE, num_channels=1)

    def synthesize(self, text: str, *, conn_options: agents.APIConnectOptions = agents.DEFAULT_API_CONNECT_OPTIONS) -> tts.ChunkedStream:
        return Speech(tts=self, input_text=text, conn_options=conn_options)


class Speech(tts.ChunkedStream):
    async def _run(self, output_emitter: tts.AudioEmitter) -> None:
        output_emitter.initialize(request_id=agents.utils.shortuuid(), sample_rate=RATE, num_channels=1, mime_type="audio/wav")
        espeak = await asyncio.create_subprocess_exec("espeak-ng", "--stdout", self.input_text, stdout=asyncio.subprocess.PIPE)
        wave, _ = await espeak.communicate()
        output_emitter.push(wave)
        output_emitter.flush()


async def entrypoint(context: agents.JobContext) -> None:
    await context.connect()
    session = agents.AgentSession(tts=Voice())
    await session.start(agent=agents.Agent(instructions=""), room=context.room)

    def greet(participant: rtc.RemoteParticipant) -> None:
        session.say(f"Welcome, {participant.name or participant.identity}.")

    context.room.on("participant_connected", greet)
    for participant in context.room.remote_participants.values():
        greet(participant)


if __name__ == "__main__":
    agents.cli.run_app(agents.WorkerOptions(entrypoint_fnc=entrypoint))
