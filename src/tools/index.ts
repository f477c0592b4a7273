export {
  type CapabilitySetName,
  capabilitySet,
  capabilitySets,
  intersectCapabilities,
  parseSetName,
} from './capability-sets.ts';
export type { ToolClient, ToolRequest } from './client.ts';
export {
  connectHttp,
  connectInMemory,
  loadHostServer,
  mcpHandler,
  serveHttp,
} from './mcp/connect.ts';
export { type Connection, externalConnection, stdioConnection } from './mcp/connection.ts';
export { type Grants, newToken, openGrants } from './mcp/grants.ts';
export type { HttpOptions, HttpServer, TokenLookup } from './mcp/http.ts';
export { memoryTools } from './memory/memory-tools.ts';
export { openToolHost, type ToolHostOptions } from './open-host.ts';
export { pageTools } from './pages/page-entries.ts';
export { pythonTools } from './run-python.ts';
export type { RunTrails } from './run-trails.ts';
export { toTool } from './to-tool.ts';
export { resultBytes, type ToolHost, type ToolListing } from './tools.ts';
