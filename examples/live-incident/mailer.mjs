/** A queue of mails that always holds a few: nothing is ever wrong with it. */
import { createServer } from 'node:http';

const [port] = process.argv.slice(2);
const lengths = [5, 6, 4, 7, 5, 4, 6];
createServer((_, response) => {
  const length = lengths[Math.floor(Date.now() / 3_000) % lengths.length];
  response.setHeader('content-type', 'text/plain; version=0.0.4');
  response.end(`# TYPE mailer_queue_length gauge\nmailer_queue_length ${length}\n`);
}).listen(Number(port), '127.0.0.1');
