/** The page about the tools of the host: from the catalogue itself. */

import { hostTools } from '../src/app/host/host.ts';
import { capabilities } from '../src/core/index.ts';
import { countTokens } from '../src/model/index.ts';
import { capabilitySets, openToolHost, resultBytes } from '../src/tools/index.ts';
import { memoryWorld } from '../src/world/scripted.ts';

const nothing = () => Promise.reject(new Error('the page lists tools and calls none'));

async function listed() {
  const world = memoryWorld();
  const parts = { world, pages: nothing, memory: nothing, sandbox: nothing, code: nothing };
  const host = openToolHost({ tools: await hostTools(parts), workspace: world.workspace });
  world.close();
  return host.list();
}
const tools = await listed();

const code = (text: string): string => `\`${text}\``;
const row = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
const table = (head: readonly string[], rows: readonly (readonly string[])[]): string =>
  [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');

const tokens = [
  'Each HTTP client has a token of its own, for one workspace and one set of capabilities: `sonde token add NAME --workspace W [--allow SET]` prints it, once; `sonde token ls` lists them; `sonde token rm NAME` takes one away, also from servers that run. A server for which there is none makes `default`, and says in which file it is. A token that is not known is answered with 401, one for something else with 403; `--allow` of a server is the most that any token may do there.',
  'The name of the token is the client: in the history of pages, in its idempotency keys (`_meta` `sonde/idempotency_key`), and in what it has read. A `derived_from` of a client counts for content that this server has shown it.',
  'The conversations of `sonde serve` are for tokens made with `--author`, the person’s own, and for sets that hold what the agent may (`agent`, `owner`): `GET /threads`; of `/threads/ID` `GET`, `POST` of `messages` (`{text, message_id?}`), `answers` (`{question, value}`), `continue`, `cancel`, `drop`, and `GET events`.',
].join('\n\n');

export function toolsPage(generated: string): string {
  const shown = tools.map(({ name, description, parameters }) => ({
    name,
    description,
    inputSchema: parameters,
  }));
  const setNames = Object.keys(capabilitySets) as (keyof typeof capabilitySets)[];
  const holds = (name: (typeof setNames)[number], capability: string) =>
    capabilitySets[name].some((one) => one === capability);
  return [
    '# Tools',
    generated,
    '`sonde mcp --workspace W [PATH]` serves these tools by the Model Context Protocol on standard input and output; with `--http [PORT]` on `http://127.0.0.1:PORT/mcp`, for those who send a token as `Authorization: Bearer`. A conversation is listed those that it may call. The code tools are there where a folder is named.',
    tokens,
    `The listing takes about ${Math.round(countTokens(JSON.stringify(shown)) / 100) * 100} tokens (o200k_base) of name, description and schema for ${tools.length} tools.`,
    table(
      ['tool', 'class', 'capability', 'rests on', 'cost'],
      tools.map(({ name, effect, capability, derivation, cost }) => [
        code(name),
        effect,
        capability ?? '',
        derivation === 'read_trail' ? 'what was read' : derivation === 'arguments' ? 'its arguments' : '',
        cost,
      ]),
    ),
    '## Capabilities',
    'A set says what a caller may ask for; who the caller is says what he writes. `--allow` names the set of a client, `external` where it does not. A client is never the author: what it writes is AgentProduced and a candidate until the author promotes it, whatever its set. A child never has more than its parent.',
    table(
      ['capability', ...setNames],
      capabilities.map((capability) => [
        capability,
        ...setNames.map((name) => (holds(name, capability) ? 'yes' : '')),
      ]),
    ),
    '## Results',
    `Structured content holds \`ok\`, \`data\`, \`write\` (\`write_id\`, \`applied\`, \`content_ids\`), \`deviation_ids\`, \`evidence\`, \`completeness\` (complete, partial or unknown) and \`notes\`; the text is the first block of the content. A failure has \`isError\` and \`error\` with \`code\` (tool, validation, capability, budget or cancelled), \`message\`, \`remedy\` and \`details\`. More than ${resultBytes / 1024} KB of text, data and evidence are cut, and a note says with which \`result_id\` the rest is read by \`read_result\` within 15 minutes.`,
    'A client may send `sonde/idempotency_key` in `_meta` of a call: the same key again applies a write once and returns the first result.',
  ].join('\n\n');
}
