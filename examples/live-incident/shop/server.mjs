/** A shop that quotes prices over HTTP. It writes lines of JSON, and has metrics. */
import { appendFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { quoteOf } from './quote.mjs';

const [port, log] = process.argv.slice(2);
const orders = { 200: 0, 500: 0 };

createServer((request, response) => {
  if (request.url === '/metrics') {
    const lines = Object.entries(orders).map(([code, n]) => `shop_orders_total{code="${code}"} ${n}`);
    response.setHeader('content-type', 'text/plain; version=0.0.4');
    response.end(`# TYPE shop_orders_total counter\n${lines.join('\n')}\n`);
    return;
  }
  const { searchParams: asked } = new URL(request.url, 'http://shop');
  try {
    const quote = quoteOf({ net: Number(asked.get('net')), country: asked.get('country') });
    orders[200] += 1;
    response.end(JSON.stringify(quote));
  } catch (error) {
    orders[500] += 1;
    say('error', error.stack);
    response.writeHead(500).end();
  }
}).listen(Number(port), '127.0.0.1', () => say('info', 'shop is open'));

function say(level, message) {
  const line = { timestamp: new Date().toISOString(), service: 'shop', level, message };
  appendFileSync(log, `${JSON.stringify(line)}\n`);
}
