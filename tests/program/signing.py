"""Signatures by other hands: DSSE's encoding and envelope in Python, keys and signatures by the `openssl` command."""
import base64
import hashlib
import json
import pathlib
import subprocess

TYPE = "application/vnd.in-toto+json"


def openssl(*words, **more):
    return subprocess.run(["openssl", *map(str, words)], check=True, capture_output=True, **more).stdout


def pae(payload):
    return f"DSSEv1 {len(TYPE)} {TYPE} {len(payload)} ".encode() + payload


def is_p256(key):
    return b"prime256v1" in openssl("pkey", "-in", key, "-noout", "-text")


def sign(key, message, folder):
    """by a private key in a file, as `openssl` signs"""
    path = pathlib.Path(folder) / "message.tmp"
    path.write_bytes(message)
    try:
        if is_p256(key):
            return openssl("dgst", "-sha256", "-sign", key, path)
        return openssl("pkeyutl", "-sign", "-rawin", "-inkey", key, "-in", path)
    finally:
        path.unlink()


def verifies(public, message, signature):
    """whether `openssl` takes the signature in one file for that of another file's content"""
    if b"prime256v1" in openssl("pkey", "-pubin", "-in", public, "-noout", "-text"):
        command = ["openssl", "dgst", "-sha256", "-verify", public, "-signature", signature, message]
    else:
        command = ["openssl", "pkeyutl", "-verify", "-rawin", "-pubin", "-inkey", public, "-in", message, "-sigfile", signature]
    return subprocess.run([str(word) for word in command], capture_output=True, check=False).returncode == 0


def keyid(key):
    return hashlib.sha256(openssl("pkey", "-in", key, "-pubout", "-outform", "DER")).hexdigest()


def manifest(folder):
    """SHA256SUMS of a folder as it is now"""
    names = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    names = [name for name in names if name != "SHA256SUMS" and not name.startswith("attest/")]
    return "".join(f"{hashlib.sha256((folder / name).read_bytes()).hexdigest()}  {name}\n" for name in sorted(names, key=str.encode))


def attest(folder, statement, key, hint=None):
    """attest/ made anew: a statement (bytes, or an object), signed by a key"""
    payload = statement if isinstance(statement, bytes) else json.dumps(statement).encode()
    signature = sign(key, pae(payload), folder.parent)
    put(folder, payload, [{"keyid": hint or keyid(key), "sig": base64.b64encode(signature).decode()}], signature)


def put(folder, payload, signatures, raw):
    envelope = {"payload": base64.b64encode(payload).decode(), "payloadType": TYPE, "signatures": signatures}
    for name, content in (("statement.json", payload), ("statement.dsse.json", json.dumps(envelope).encode()), ("pae.bin", pae(payload)),
                          ("statement.sig", raw)):
        path = folder / "attest" / name
        path.unlink(missing_ok=True)
        path.write_bytes(content)
