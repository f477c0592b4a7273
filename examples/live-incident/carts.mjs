/** Keeps carts in Redis, as `sessions` would. It writes lines of JSON, and has metrics. */
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createConnection } from 'node:net';

const [port, redisPort, log] = process.argv.slice(2);
const saved = { ok: 0, failed: 0 };
const redis = createConnection(Number(redisPort), '127.0.0.1').setEncoding('utf8');
const waiting = [];
redis.on('data', (text) => {
  for (const reply of text.split('\r\n').filter(Boolean)) waiting.shift()?.(reply);
});
const ask = (...words) =>
  new Promise((resolve) => {
    waiting.push(resolve);
    redis.write(`*${words.length}\r\n${words.map((word) => `$${word.length}\r\n${word}\r\n`).join('')}`);
  });

let n = 0;
setInterval(async () => {
  const reply = await ask('SETEX', `cart:${n++ % 500}`, '600', 'x'.repeat(200));
  if (reply === '+OK') saved.ok += 1;
  else {
    saved.failed += 1;
    say('error', `cart not saved: redis: ${reply.slice(1)}`);
  }
}, 50);

createServer((_, response) => {
  response.setHeader('content-type', 'text/plain; version=0.0.4');
  response.end(
    `# TYPE carts_saved_total counter\ncarts_saved_total{result="ok"} ${saved.ok}\ncarts_saved_total{result="failed"} ${saved.failed}\n`,
  );
}).listen(Number(port), '127.0.0.1', () => say('info', 'carts is open'));

function say(level, message) {
  const line = { timestamp: new Date().toISOString(), service: 'carts', level, message };
  appendFileSync(log, `${JSON.stringify(line)}\n`);
}
