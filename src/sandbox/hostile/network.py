# No way to any other machine, nor to this one.
# === socket :: denied
import socket
socket.socket().connect(("127.0.0.1", 80))
# === metadata service :: denied
import socket
socket.create_connection(("169.254.169.254", 80), 2)
# === name resolution :: denied
import socket
socket.gethostbyname("example.com")
# === http client :: denied
import http.client
http.client.HTTPConnection("127.0.0.1").request("GET", "/")
# === urllib :: denied
import urllib.request
urllib.request.urlopen("http://127.0.0.1")
# === a file by its address :: denied
import urllib.request
print(urllib.request.urlopen("file:///etc/passwd").read())
# === http server :: denied
import http.server
http.server.HTTPServer(("0.0.0.0", 8099), None)
# === the raw module :: denied
import _socket
# === select :: denied
import select
# === asyncio :: denied
import asyncio
asyncio.run(asyncio.open_connection("127.0.0.1", 80))
# === mail :: denied
import smtplib
smtplib.SMTP("127.0.0.1")
# === files over the network :: denied
import ftplib
ftplib.FTP("127.0.0.1")
# === socket from a descriptor :: denied
import socket
socket.socket(fileno=3).send(b"x")
# === another encryption :: denied
import ssl
ssl.create_default_context()
