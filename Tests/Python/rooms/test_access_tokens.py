"""Access tokens, read and verified with the standard library alone."""
from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
import unittest
from typing import Any

from mediasdk import ACCESS_TOKEN_MAX, Grant, InvalidError, MediaSDKError, RangeError, Source, UnsupportedError, create_access_token

KEY, SECRET = "APIkey", "a secret of thirty-two characters"


def verified(token: str, secret: str = SECRET) -> dict[str, Any]:
    """The claims of a JSON Web Token that is signed with HS256 (RFC 7515, section 5.2)."""
    def decoded(part: str) -> bytes:
        return base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
    head, claims, signature = token.split(".")
    assert json.loads(decoded(head)) == {"alg": "HS256", "typ": "JWT"}, head
    expected = hmac.new(secret.encode(), f"{head}.{claims}".encode(), hashlib.sha256).digest()
    assert decoded(signature) == expected, "the signature is another one"
    found: dict[str, Any] = json.loads(decoded(claims))
    return found


def made(**changes: Any) -> str:
    return create_access_token(**{"api_key": KEY, "api_secret": SECRET, "room": "lobby", "user_id": "anna", **changes})


class AccessTokenTest(unittest.TestCase):
    MEMBER = {"room": "lobby", "roomJoin": True, "canPublish": True, "canSubscribe": True, "canPublishData": True}

    def test_a_member(self) -> None:
        before = int(time.time())
        claims = verified(made())
        self.assertEqual(claims.pop("exp") - claims["nbf"], 6 * 3600)
        self.assertIn(claims.pop("nbf"), range(before, int(time.time()) + 1))
        self.assertEqual(claims, {"iss": KEY, "sub": "anna", "video": self.MEMBER})

    def test_the_signature_is_of_the_secret(self) -> None:
        for secret in ("s" * 32, "ü" * 16, "x" * 1024):
            token = made(api_secret=secret)
            verified(token, secret)
            with self.assertRaises(AssertionError):
                verified(token, secret[::-1] + "x")

    def test_what_they_are(self) -> None:
        claims = verified(made(room="Raum 1 \"ü\" 🎥", user_id="ü" * 127, display_name="Anna\n", metadata='{"a": 1}',
                               attributes={"role": "host", "empty": "", "ü": "\\"}, lifetime=31_536_000))
        self.assertEqual([claims["sub"], claims["name"], claims["metadata"]], ["ü" * 127, "Anna\n", '{"a": 1}'])
        self.assertEqual(claims["video"]["room"], "Raum 1 \"ü\" 🎥")
        self.assertEqual(claims["attributes"], {"role": "host", "empty": "", "ü": "\\"})
        self.assertEqual(claims["exp"] - claims["nbf"], 31_536_000)

    def test_what_they_may_do(self) -> None:
        silent = {"room": "lobby", "canPublish": False, "canSubscribe": False, "canPublishData": False}
        for grants, video in [
            (Grant.JOIN, {"roomJoin": True}), (Grant.PUBLISH, {"canPublish": True}), (Grant.SUBSCRIBE, {"canSubscribe": True}),
            (Grant.PUBLISH_DATA, {"canPublishData": True}), (Grant.UPDATE_METADATA, {"canUpdateOwnMetadata": True}),
            (Grant.ADMIN, {"roomAdmin": True}), (Grant.HIDDEN, {"hidden": True}), ("member | admin", {**self.MEMBER, "roomAdmin": True}),
            (Grant.MEMBER, self.MEMBER)
        ]:
            self.assertEqual(verified(made(grants=grants))["video"], {**silent, **video}, grants)
        self.assertEqual(verified(made(user_id="", grants=Grant.ADMIN))["sub"], "")

    def test_what_they_may_send(self) -> None:
        for sources, names in [
            (Source.CAMERA, ["camera"]), (Source.MICROPHONE, ["microphone"]), (Source.SCREEN_SHARE, ["screen_share"]),
            (Source.SCREEN_SHARE_AUDIO, ["screen_share_audio"]), ("microphone|camera", ["camera", "microphone"])
        ]:
            self.assertEqual(verified(made(sources=sources))["video"], {**self.MEMBER, "canPublishSources": names})

    def test_what_is_refused(self) -> None:
        most: dict[str, str] = {f"k{number}": "" for number in range(33)}
        cases: list[tuple[dict[str, Any], type[MediaSDKError], str]] = [
            ({"api_key": ""}, InvalidError, "API key is empty"), ({"api_key": "k" * 256}, InvalidError, "api_key is longer than 255"),
            ({"api_key": 1}, InvalidError, "api_key is int"), ({"api_secret": "s" * 31}, InvalidError, "31 bytes; accepted: at least 32"),
            ({"api_secret": "s" * 1025}, InvalidError, "api_secret is longer than 1024"),
            ({"api_secret": b"s" * 32}, InvalidError, "api_secret is bytes"), ({"api_secret": "s" * 40 + "\0"}, InvalidError, "NUL"),
            ({"room": ""}, InvalidError, "room is empty"), ({"room": "r" * 256}, InvalidError, "room is longer"),
            ({"room": None}, InvalidError, "room is NoneType"), ({"user_id": ""}, InvalidError, "user id has 0 bytes"),
            ({"user_id": "u" * 256}, InvalidError, "user_id is longer"), ({"user_id": "a\0b"}, InvalidError, "user_id has a NUL"),
            ({"display_name": "n" * 256}, InvalidError, "display_name is longer"), ({"display_name": "\udcff"}, InvalidError, "UTF-8"),
            ({"metadata": "m" * 4096}, InvalidError, "metadata is longer"), ({"metadata": "m" * 3100}, InvalidError, f"at most {ACCESS_TOKEN_MAX}"),
            ({"attributes": {"": "v"}}, InvalidError, "key is empty"), ({"attributes": {"k" * 64: "v"}}, InvalidError, "longer than 63"),
            ({"attributes": {"k": "v" * 1024}}, InvalidError, "longer than 1023"), ({"attributes": {"k": 1}}, InvalidError, "value of attributes is int"),
            ({"attributes": {"k\0": "v"}}, InvalidError, "key of attributes has a NUL"), ({"attributes": most}, RangeError, "count is 33"),
            ({"lifetime": 0}, RangeError, "lifetime is 0"), ({"lifetime": -1}, RangeError, "lifetime is -1"),
            ({"lifetime": 31_536_001}, RangeError, "lifetime_s is 31536001"), ({"lifetime": 1 << 32}, RangeError, "lifetime is 4294967296"),
            ({"grants": Grant(0)}, InvalidError, "grants is empty"), ({"grants": "everything"}, InvalidError, "JOIN, PUBLISH"),
            ({"grants": 128}, UnsupportedError, "grants is 128"), ({"grants": 1 << 32}, RangeError, "grants is 4294967296"),
            ({"sources": Source(0)}, InvalidError, "sources is empty"), ({"sources": "webcam"}, InvalidError, "CAMERA"),
            ({"sources": 16}, UnsupportedError, "sources is 16"),
            ({"sources": Source.CAMERA, "grants": Grant.JOIN}, InvalidError, "without MSDK_GRANT_PUBLISH")
        ]
        for changes, kind, words in cases:
            with self.subTest(**changes):
                with self.assertRaises(kind) as caught:
                    made(**changes)
                self.assertIn(words, str(caught.exception))
                self.assertNotIn("sss", str(caught.exception))


if __name__ == "__main__":
    unittest.main()
