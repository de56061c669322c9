#!/usr/bin/env python3
"""Stands in for `braid-engine serve`: what it does with a capture is said by the prompt."""
import json
import os
import signal
import sys
import threading
import time

lock = threading.Lock()
cancelled = set()


def send(message):
    with lock:
        sys.stdout.write(json.dumps(dict(message, jsonrpc="2.0")) + "\n")
        sys.stdout.flush()


def refuse(number, kind, text):
    send({"id": number, "error": {"code": -32000, "message": text, "data": {"kind": kind, "path": "", "hint": "Hint."}}})


def capture(number, params):
    prompt = params.get("prompt", "")
    if prompt == "crash":
        print("braid-engine: something went badly wrong", file=sys.stderr, flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
    if prompt == "refuse":
        return refuse(number, "invalid_input", "heads: must be from 0.0 to 2.1, got 9.9")
    if prompt == "long" and not params.get("allow_long"):
        return refuse(number, "invalid_input", "takes about 40 min; --allow-long to capture it all the same")
    steps = 200 if prompt in ("slow", "stubborn") else 3
    for step in range(steps):
        send({"method": "progress", "params": {"id": number, "fraction": step / steps, "text": f"layer {step} of {steps}"}})
        time.sleep(0.02)
        if number in cancelled and prompt != "stubborn":
            return refuse(number, "interrupted", "interrupted")
    send({"id": number, "result": {"folder": "/captures/" + params["checkpoint"], "seconds": 0.1, "params": params}})


def main():
    print("not JSON at all", flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        number, method, params = request["id"], request["method"], request.get("params", {})
        if method == "capture":
            threading.Thread(target=capture, args=(number, params), daemon=True).start()
        elif method == "cancel":
            cancelled.add(params["id"])
            send({"id": number, "result": True})
        else:
            send({"id": number, "result": "pong"})


main()
