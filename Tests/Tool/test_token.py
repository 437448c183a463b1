"""msdk token: what is printed, verified with the standard library, and where the secret comes from."""
from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
import unittest
from typing import Any, Optional

from tool import Result, ToolTest, environment

KEY, SECRET = "APIkey", "a-secret-of-thirty-two-characters"
ANNA = ("--room", "lobby", "--user", "anna")


def verified(token: str, secret: str = SECRET) -> dict[str, Any]:
    """The claims of a JSON Web Token that is signed with HS256 (RFC 7515, section 5.2)."""
    def decoded(part: str) -> bytes:
        return base64.b64decode(part + "=" * (-len(part) % 4), altchars=b"-_", validate=True)
    head, claims, signature = token.split(".")
    assert json.loads(decoded(head))["alg"] == "HS256", head
    assert decoded(signature) == hmac.new(secret.encode(), f"{head}.{claims}".encode(), hashlib.sha256).digest()
    found: dict[str, Any] = json.loads(decoded(claims))
    return found


class TokenTest(ToolTest):
    MEMBER = {"room": "lobby", "roomJoin": True, "canPublish": True, "canSubscribe": True, "canPublishData": True}

    def token(self, *arguments: str, env: Optional[dict[str, str]] = None) -> Result:
        env = {"MSDK_API_KEY": KEY, "MSDK_API_SECRET": SECRET} if env is None else env
        return self.msdk("token", *arguments, plugins=False, env=environment(**env))

    def claims(self, *arguments: str) -> dict[str, Any]:
        result = self.token(*arguments)
        self.assertEqual((result.code, result.errors), (0, ""))
        self.assertEqual(result.output.count("\n"), 1)
        return verified(result.output.strip())

    def refused(self, code: int, words: str, *arguments: str, env: Optional[dict[str, str]] = None) -> None:
        with self.subTest(arguments=arguments, env=env):
            result = self.token(*arguments, env=env)
            self.assertEqual((result.code, result.output), (code, ""), result.errors)
            self.assertIn(words, result.errors)
            self.assertNotIn("secret-of", result.errors)

    def test_a_member(self) -> None:
        before = int(time.time())
        claims = self.claims(*ANNA)
        self.assertIn(claims["nbf"], range(before, int(time.time()) + 1))
        self.assertEqual(claims["exp"] - claims.pop("nbf"), 6 * 3600)
        del claims["exp"]
        self.assertEqual(claims, {"iss": KEY, "sub": "anna", "video": self.MEMBER})
        self.assertEqual(self.claims("--room", "lobby", "--identity", "anna")["sub"], "anna")

    def test_options(self) -> None:
        claims = self.claims(*ANNA, "--name", "Anna Ü", "--metadata", "{}", "--attribute", "role=host", "--attribute", "sum=1+1=2",
                             "--attribute", "empty=")
        self.assertEqual([claims["name"], claims["metadata"]], ["Anna Ü", "{}"])
        self.assertEqual(claims["attributes"], {"role": "host", "sum": "1+1=2", "empty": ""})
        for option, change in (("--no-publish", {"canPublish": False, "canPublishData": False}), ("--no-subscribe", {"canSubscribe": False}),
                               ("--admin", {"roomAdmin": True}), ("--hidden", {"hidden": True})):
            self.assertEqual(self.claims(*ANNA, option)["video"], {**self.MEMBER, **change}, option)
        for text, seconds in (("1s", 1), ("90m", 5400), ("6h", 21_600), ("365d", 31_536_000)):
            claims = self.claims(*ANNA, "--for", text)
            self.assertEqual(claims["exp"] - claims["nbf"], seconds, text)

    def test_a_file_has_the_key(self) -> None:
        for text in (f"{KEY}: {SECRET}\n", f"{KEY} {SECRET}", f"\n  {KEY}:\t{SECRET}\r\n\n"):
            (self.directory / "key.txt").write_text(text)
            result = self.token(*ANNA, "--api-key", "key.txt", env={"MSDK_API_KEY": "other", "MSDK_API_SECRET": "x" * 32})
            self.assertEqual(result.code, 0, result.errors)
            self.assertEqual(verified(result.output.strip())["iss"], KEY)
        for text in ("", KEY, f"{KEY} a {SECRET}", f"a: {SECRET}\nb: {SECRET}\n"):
            (self.directory / "key.txt").write_text(text)
            self.refused(1, "key.txt is not one line of the form KEY: SECRET", *ANNA, "--api-key", "key.txt")
        self.refused(1, "none.txt cannot be read", *ANNA, "--api-key", "none.txt")

    def test_no_key(self) -> None:
        for env, missing in (({}, "MSDK_API_KEY"), ({"MSDK_API_KEY": KEY}, "MSDK_API_SECRET"), ({"MSDK_API_SECRET": SECRET}, "MSDK_API_KEY"),
                             ({"MSDK_API_KEY": "", "MSDK_API_SECRET": SECRET}, "MSDK_API_KEY")):
            self.refused(1, f"{missing} is not set in the environment; accepted:", *ANNA, env=env)
        self.refused(1, "31 bytes; accepted: at least 32", *ANNA, env={"MSDK_API_KEY": KEY, "MSDK_API_SECRET": "s" * 31})

    def test_what_is_refused(self) -> None:
        self.refused(2, "--room", "--user", "anna")
        self.refused(2, "--user", "--room", "lobby")
        self.refused(2, "--room has 0 bytes; accepted: 1..255", "--room", "", "--user", "anna")
        self.refused(2, "--user has 256 bytes; accepted: 1..255", "--room", "lobby", "--user", "u" * 256)
        self.refused(2, "--name has 256 bytes; accepted: up to 255", *ANNA, "--name", "n" * 256)
        self.refused(1, "accepted: at most 4095", *ANNA, "--metadata", "m" * 3100)
        for text in ("role", "=host", "k" * 64 + "=v", "k=" + "v" * 1024):
            self.refused(2, "accepted: NAME=VALUE", *ANNA, "--attribute", text)
        self.refused(2, "--attribute a is given twice", *ANNA, "--attribute", "a=1", "--attribute", "a=2")
        self.refused(2, "--attribute is given 33 times; accepted: up to 32", *ANNA, *(f"--attribute=k{number}=" for number in range(33)))
        for text in ("6", "h", "0h", "-1h", "6.5h", "6w", "366d", "9223372036854775807d", "31536001s"):
            self.refused(2, "accepted: a whole number with s, m, h or d", *ANNA, f"--for={text}")


if __name__ == "__main__":
    unittest.main()
