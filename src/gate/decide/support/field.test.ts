import { describe, expect, test } from 'vitest';
import { checkClaims } from '../../answer/check-claims.ts';

const id = 'ev-0123456789';
const verdict = (claim: string, path: string, content: string) =>
  checkClaims({
    answer: `${claim.replace(/\.$/, '')} [${id}].`,
    sources: [{ id, path, start: 1, end: content.split('\n').length, content }],
  })[0]!.verdict;

const yaml =
  'server:\n  port: 8080\n  host: "0.0.0.0"\n  tls:\n    enabled: true\nmetrics:\n  port: 9090\n  interval_ms: 15000\nname: parcel';
const toml = '[server]\nport = 8080\n[pool]\nmax_size = 20\nidle_timeout = "30s"\n';
const json = '{\n  "retries": 3,\n  "timeoutMs": 1500,\n  "log": { "level": "debug" }\n}';
const env = 'PORT=8080\nexport DATABASE_POOL_SIZE=25\n# QUEUE_SIZE=10\nMODE=production';
const ts =
  'export const MAX_SIZE = 20;\nconst retryDelay: number = 250; // ms\nlet mode = "fast";\nstatic readonly idleTimeout = 30_000;';
const go = 'const defaultPort = 8080\nvar maxIdle int = 5\n\ttimeout := 30 * time.Second';
const py = 'class Pool:\n    max_size: int = 64\n    strict = False\nTIMEOUT = 30\n';
const notes =
  '# Berths\n\n- Depth: 12 m\n- **Crane load**: 20 tons\n\n| name | value |\n|---|---|\n| Tide gate | 3 |\n';

describe('a name with its value, said in plain words', () => {
  test.each<[string, string, string]>([
    ['The server port is 8080.', 'conf/app.yaml', yaml],
    ["The server's port is set to 8080.", 'conf/app.yaml', yaml],
    ['The metrics port is 9090.', 'conf/app.yaml', yaml],
    ['The metrics interval is 15 seconds.', 'conf/app.yaml', yaml],
    ['The name is parcel.', 'conf/app.yaml', 'name: parcel'],
    ['The port is 8080.', 'a.yaml', 'port: 8080'],
    ['The port is 8080.', 'a.yaml', 'port: 8080 # for all'],
    ['The server listens on port 8080.', 'conf/server.toml', toml],
    ['The pool has a maximum size of 20.', 'conf/server.toml', toml],
    ['The max size of the pool is 20.', 'conf/server.toml', toml],
    ['The idle timeout of the pool is 30 s.', 'conf/server.toml', toml],
    ['The number of retries is 3.', 'a.json', json],
    ['The timeout is 1500 ms.', 'a.json', json],
    ['The timeout is 1.5 seconds.', 'a.json', json],
    ['The port is 8080.', '.env', env],
    ['The database pool size is 25.', '.env', env],
    ['The mode is `production`.', '.env', env],
    ['The maximum size is 20.', 'src/a.ts', ts],
    ['The retry delay is 250.', 'src/a.ts', ts],
    ['The default port is 8080.', 'main.go', go],
    ['The timeout is 30 seconds.', 'main.go', go],
    ['The pool has a max size of 64.', 'pool.py', py],
    ['The timeout defaults to 30.', 'pool.py', py],
    ['The depth is 12 m.', 'Berths.md', notes],
    ['The crane load is 20 tons.', 'Berths.md', notes],
    ['The tide gate is 3.', 'Berths.md', notes],
    ['TLS is enabled.', 'conf/app.yaml', 'tls: true'],
    ['Keep-alive is disabled.', 'a.ini', 'keep_alive = off'],
  ])('is shown: %s', (claim, path, content) => {
    expect(verdict(claim, path, content)).toBe('shown');
  });

  test.each<[string, string, string, string]>([
    ['another key', 'The report port is 8080.', 'a.yaml', 'port: 8080\nreport_port: 8081'],
    ['a longer key', 'The port is 8081.', 'a.yaml', 'report_port: 8081'],
    ['the key of another section', 'The metrics port is 8080.', 'conf/app.yaml', yaml],
    ['one of two sections, not named', 'The port is 8080.', 'conf/app.yaml', yaml],
    ['the section of another table', 'The pool port is 8080.', 'conf/a.toml', toml],
    ['commented out', 'The queue size is 10.', '.env', env],
    ['commented out in yaml', 'The port is 8080.', 'a.yaml', '# port: 8080\nhost: x'],
    ['another value later', 'The port is 8080.', '.env', 'PORT=8080\nPORT=9090'],
    ['another unit', 'The retry delay is 250 s.', 'src/a.ts', 'const retryDelayMs = 250;'],
    ['another value', 'The maximum size is 25.', 'src/a.ts', ts],
    ['more than it', 'The maximum size is more than 20.', 'src/a.ts', ts],
    ['denied', 'The port is not 8080.', 'a.yaml', 'port: 8080'],
    ['a quantifier', 'Every port is 8080.', 'a.yaml', 'port: 8080'],
    ['a subject that is nowhere', 'The crane port is 8080.', 'a.yaml', 'port: 8080'],
    ['a predicate that is nowhere', 'The port 8080 is encrypted.', 'a.yaml', 'port: 8080'],
    ['off for on', 'TLS is disabled.', 'a.yaml', 'tls: true'],
    ['a condition', 'The port is 8080.', 'a.py', 'if port == 8080:\n    pass'],
    ['a value within another', 'The mode is `fast`.', 'a.env', 'MODE=fast-path'],
    ['a sum', 'The timeout is 30.', 'a.py', 'timeout = 30 + grace'],
    ['who has it', 'The client timeout is 30.', 'conf/a.toml', '[server]\ntimeout = 30'],
    ['an action of the name', 'The port 8080 closes the timeout 30.', 'a.yaml', 'port: 8080\ntimeout: 30'],
  ])('is not shown: %s', (_, claim, path, content) => {
    expect(verdict(claim, path, content)).not.toBe('shown');
  });
});
