import { declareSetting } from '../../core/setting.ts';
import { defineSystem } from '../system.ts';

export const system = defineSystem({
  name: 'mcp',
  title: 'Any MCP server',
  offers: 'those of its tools that say that they only read, and those allowed',
  settings: {
    mcp_servers: declareSetting(
      'mcp servers',
      'MCP servers to look at in an investigation; of their tools those that say that they only read, and those allowed.',
      'JSON, by name: {"NAME": {"command": ["PROGRAM", ...] or "url": ADDRESS, "allow": [TOOL, ...], "env": [VARIABLE, ...], "token_file": PATH, "header_files": {HEADER: PATH}}}',
      'SONDE_MCP_SERVERS',
    ),
  },
  open: async ({ mcp_servers: servers }, ports) =>
    Object.keys(servers).length === 0 ? null : ports.mcpServers(servers),
});
