#!/usr/bin/env python3
"""A stand-in for a model, not a model: it answers a client's requests to the API of its vendor with the calls of tools that a test wants,
one after the other, and then ends the turn. It shows that the client takes a call to the server and brings the result back; what a
model would have called, it does not show. Listens on loopback alone.

Usage: tool_calls.py anthropic|gemini CALLS RESULTS       prints the base URL on its first line
CALLS is a JSON file [{"tool": SUFFIX OF THE NAME THAT THE CLIENT OFFERS, "arguments": {…}}, …]; what came back goes to RESULTS, one
JSON value a line.
"""
import http.server
import json
import sys

KIND, CALLS, RESULTS = sys.argv[1], json.load(open(sys.argv[2])), sys.argv[3]


def name_of(offered, wanted):
    """The name under which the client offers the tool of its HTTP server to its model, where it has several; None in requests for
    something else, such as a title."""
    ending = [name for name in offered if name.endswith(wanted)]
    return next((name for name in ending if "_http" in name), ending[0] if ending else None)


def of_anthropic(request):
    """(names offered, results so far)"""
    blocks = [block for message in request.get("messages", []) if isinstance(message["content"], list) for block in message["content"]]
    results = [block for block in blocks if block.get("type") == "tool_result"]
    return [tool["name"] for tool in request.get("tools", [])], results


def of_gemini(request):
    declared = [one["name"] for tool in request.get("tools", []) for one in tool.get("functionDeclarations", [])]
    parts = [part for content in request.get("contents", []) for part in content.get("parts", [])]
    return declared, [part["functionResponse"] for part in parts if "functionResponse" in part]


def anthropic_events(call, number):
    block = ({"type": "tool_use", "id": f"toolu_{number}", "name": call[0], "input": {}} if call else {"type": "text", "text": ""})
    delta = ({"type": "input_json_delta", "partial_json": json.dumps(call[1])} if call else {"type": "text_delta", "text": "done"})
    usage = {"input_tokens": 1, "output_tokens": 1}
    yield {"type": "message_start", "message": {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": "stand-in",
                                                "content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": {"stop_reason": "tool_use" if call else "end_turn", "stop_sequence": None}, "usage": usage}
    yield {"type": "message_stop"}


def gemini_answer(call):
    part = {"functionCall": {"name": call[0], "args": call[1]}} if call else {"text": "done"}
    return {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}],
            "usageMetadata": {"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2}, "modelVersion": "stand-in"}


class Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, kind, text):
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        request = json.loads(self.rfile.read(int(self.headers.get("Content-Length", 0))) or "{}")
        if "count" in self.path.lower():
            return self.answer("application/json", '{"input_tokens":1,"totalTokens":1}')
        offered, results = of_anthropic(request) if KIND == "anthropic" else of_gemini(request)
        with open(RESULTS, "w") as out:
            out.writelines(json.dumps(result) + "\n" for result in results)
        left = CALLS[len(results)] if len(results) < len(CALLS) else None
        name = name_of(offered, left["tool"]) if left else None
        call = (name, left["arguments"]) if name else None
        if KIND == "anthropic":
            return self.answer("text/event-stream", "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n"
                                                            for event in anthropic_events(call, len(results))))
        if "stream" in self.path:
            return self.answer("text/event-stream", f"data: {json.dumps(gemini_answer(call))}\r\n\r\n")
        return self.answer("application/json", json.dumps(gemini_answer(call)))

    def do_GET(self):
        self.answer("application/json", "{}")

    do_HEAD = do_GET

    def log_message(self, *_):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Api)
print(f"http://127.0.0.1:{server.server_address[1]}", flush=True)
server.serve_forever()
