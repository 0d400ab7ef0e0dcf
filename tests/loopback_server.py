"""A server on the loopback for test_fetch_shakespeare.sh: writes its port into PORT_FILE and serves until killed.

usage: loopback_server.py PORT_FILE [GOOD_FILE]
/good is GOOD_FILE, /wrong has its length and other bytes, /short ends early and says so in Content-Length, /cut ends
early against its Content-Length, /empty is empty, /moved redirects to /good; all else is 404.
"""
import http.server
import os
import sys

SIZE = 1115394
good = open(sys.argv[2], "rb").read() if len(sys.argv) > 2 else b"a" * SIZE
answers = {"/good": good, "/wrong": b"x" * SIZE, "/short": good[:700000], "/cut": good[:700000], "/empty": b""}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        if self.path == "/moved":
            self.send_response(302)
            self.send_header("Location", "/good")
            self.send_header("Content-Length", "0")  # or wget may take the connection's end for a failure
            self.send_header("Connection", "close")
            self.end_headers()
        elif self.path in answers:
            body = answers[self.path]
            self.send_response(200)
            self.send_header("Content-Length", str(SIZE if self.path == "/cut" else len(body)))
            self.end_headers()
            self.wfile.write(body)
        else:
            self.send_error(404)

    def log_message(self, *arguments):
        pass


server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
with open(sys.argv[1] + ".new", "w") as port_file:
    port_file.write(str(server.server_address[1]))
os.rename(sys.argv[1] + ".new", sys.argv[1])
server.serve_forever()
