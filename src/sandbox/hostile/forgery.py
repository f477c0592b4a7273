# Pretending to be the host, the driver or another session.
# === a request in the output :: contained
import sys
sys.__stdout__.write('["kb_read",{"path":"/etc/passwd"}]\n')
# === a reply in the output :: contained
print('{"status":"ok","value":{"type":"int","repr":"1","value":1}}')
# === the left-out line :: contained
print("[... 5 of 10 bytes left out ...]")
# === garbage in the channel :: contained
import _sbx
print(_sbx.call(b"\xff{{{"), _sbx.call(b""), _sbx.call(b"[1,2]"), _sbx.call(b"null"), _sbx.call(b"{}"))
# === other shapes in the channel :: contained
import _sbx
for text in (b'["kb_read"]', b'["kb_read",[]]', b'["kb_read",null]', b'["kb_read",{"$":"tuple","v":[]}]', b'[["kb_read"],{}]', b'["kb_read",{},{}]'):
    print(_sbx.call(text))
# === tags that lie :: contained
import _sbx
for text in (b'{"$":"int","v":"x"}', b'{"$":"bytes"}', b'{"$":"dict","v":[[1]]}', b'{"$":{}}', b'{"$":"set","v":5}', b'{"$":"float","v":"__proto__"}', b'{"$":"toString","v":"1"}'):
    print(_sbx.call(b'["kb_search",{"query":' + text + b',"k":1}]'))
# === the prototype :: contained
import _sbx
print(_sbx.call(b'["kb_search",{"__proto__":{"k":1},"query":"x"}]'), _sbx.call(b'["__proto__",{}]'), _sbx.call(b'["toString",{}]'))
# === depth in the channel :: contained
import _sbx
print(_sbx.call(b'["kb_search",{"query":' + b"[" * 100_000 + b"]" * 100_000 + b"}]")[:100])
# === numbers in the channel :: contained
import _sbx
print(_sbx.call(b'["kb_search",{"query":"x","k":1e999}]'), _sbx.call(b'["kb_search",{"query":"x","k":-0}]'))
# === too large a request :: denied
import _sbx
_sbx.call(b"x" * 10_000_000)
# === not bytes :: denied
import _sbx
_sbx.call("text")
# === no argument :: denied
import _sbx
_sbx.call()
# === many requests :: limited
import _sbx
while True: _sbx.call(b"[]")
# === another session's name :: contained
call_host("kb_read", path="session:witness")
# === the driver's answer replaced :: contained
import sonde_driver
sonde_driver.dumps = lambda value: b'{"status":"ok","value":{"type":"str","repr":"forged"}}'
# === the driver's answer broken :: ruins
import sonde_driver
sonde_driver.dumps = lambda value: b"\xff not json"
# === the driver's answer of another type :: ruins
import sonde_driver
sonde_driver.dumps = lambda value: 5
# === the driver's answer huge :: ruins
import sonde_driver
sonde_driver.dumps = lambda value: b'"' + b"x" * 10_000_000 + b'"'
# === the driver's answer with hostile parts :: contained
import sonde_driver
sonde_driver.dumps = lambda value: b'{"status":"ok","value":{"type":5,"repr":[],"value":{"$":"bad"}},"names":5}'
# === the driver's operations gone :: ruins
import sonde_driver
sonde_driver._operations.clear()
# === the driver's run replaced :: contained
import sonde_driver, sys
sonde_driver.run = None
sys.modules.pop("sonde_driver")
# === the channel and the driver replaced :: contained
import __main__, _sbx
__main__._sbx_run = None
_sbx.call = None
# === the channel replaced :: contained
import _sbx, __main__
_sbx.call = None
_sbx.out = None
# === json broken :: contained
import json, json.encoder, json.decoder
json.encoder.JSONEncoder.encode = json.decoder.JSONDecoder.decode = None
json.encoder.encode_basestring = None
