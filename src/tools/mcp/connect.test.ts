import { afterEach, describe } from 'vitest';
import { checkToolClient } from '../client.contract.ts';
import { connectHttp, connectInMemory, serveHttp } from './connect.ts';
import { openGrants } from './grants.ts';
import type { HttpServer } from './http.ts';

describe('in memory', () => checkToolClient((host, connection) => connectInMemory(host, connection)));

describe('over HTTP', () => {
  const servers: HttpServer[] = [];
  afterEach(async () => {
    for (const server of servers.splice(0)) await server.close();
  });
  checkToolClient(async (host, connection) => {
    const grants = openGrants();
    const token = grants.issue(connection);
    const server = await serveHttp({ host, grants, version: '0' });
    servers.push(server);
    return connectHttp({ url: server.url, token });
  });
});
