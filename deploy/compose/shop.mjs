// A service that answers, and counts: POST /break makes it fail, POST /mend ends that.
import { createServer } from 'node:http';

const port = Number(process.argv[2] ?? 8080);
const counts = { ok: 0, failed: 0 };
let broken = false;
setInterval(() => (counts[broken ? 'failed' : 'ok'] += 10), 1_000);

createServer(({ method, url }, response) => {
  if (method === 'POST' && (url === '/break' || url === '/mend')) broken = url === '/break';
  response.setHeader('content-type', 'text/plain; version=0.0.4');
  response.end(
    url === '/metrics'
      ? `# TYPE shop_requests_total counter\nshop_requests_total{code="200"} ${counts.ok}\nshop_requests_total{code="500"} ${counts.failed}\n`
      : broken
        ? 'broken\n'
        : 'well\n',
  );
}).listen(port, () => console.log(`shop listens at ${port}`));
