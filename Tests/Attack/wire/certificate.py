"""Certificates that nobody has signed."""
from __future__ import annotations

import subprocess


def make_certificate(directory: str) -> tuple[str, str]:
    """Files of a certificate and its key."""
    files = f"{directory}/certificate.pem", f"{directory}/key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-subj", "/CN=attack",
                    "-days", "2", "-out", files[0], "-keyout", files[1]], check=True, capture_output=True)
    return files
