/**
 * `call_tool()` of the sandbox: calls the tools over symbols, and the tools that were passed to this run. Each call is
 * recorded like any other operation.
 */
import { z } from 'zod';
import { symbolEntries } from '../../../catalogue/code/code-entries.ts';
import type { CodeContext, OwnTool } from '../../../catalogue/index.ts';
import { type Capability, quoteMaterial, SondeError } from '../../../core/index.ts';
import type { Value } from '../../../sandbox/index.ts';
import { collect, evidenceLines } from '../../research/material/collect.ts';
import type { Material } from '../material.ts';
import { toolCallDocs } from '../talk/helper-docs.ts';
import { type Arguments, type Helper, refuse, textArgument } from './helper.ts';
import { fromPort } from './ports.ts';

export const callTool: Helper = async (args, { runContext, place, signal }) => {
  const name = textArgument(args, 'name', 100);
  const { text } = runContext.material;
  const tools = toolsOver(runContext.material);
  const tool = tools.find((ownTool) => ownTool.name === name);
  if (tool === undefined)
    throw new SondeError('not_found', {
      message: `there is no tool ${name}`,
      remedy: tools.length === 0 ? 'There is none here.' : `There are: ${namesOf(tools)}.`,
    });
  const { capability } = tool;
  if (!runContext.capabilities.has(capability))
    throw new SondeError('bad_argument', { message: `the caller lacks the capability ${capability}` });
  const checked = tool.parameters.safeParse(dropNones(args));
  if (!checked.success) {
    const [issue] = checked.error.issues;
    return refuse(`${issue?.path.join('.') || 'the arguments'}: ${issue?.message ?? 'do not fit'}`);
  }
  const context = {
    scope: place.scope,
    pieces: 0,
    pieceLines: evidenceLines,
    held: [],
    signal,
    path: (path) => path,
    collect: (finds) => collect(text, place.scope, finds),
    ports: runContext.material,
  } satisfies CodeContext;
  const found = await fromPort(name, async () => tool.run(checked.data, context));
  if (found.kind === 'failed') return refuse(found.message, found.remedy);
  const { spans, evidence, data, lines, summary } = found;
  return {
    value: (data ?? lines.join('\n')) as Value,
    ...(spans.length + evidence.length > 0 && { gains: { reads: spans, evidence } }),
    summary: `${name}: ${summary}`,
  };
};

const namesOf = (tools: readonly OwnTool[]): string => tools.map(({ name }) => name).join(', ');

/** Words that Python takes for itself: an argument of such a name is written with `_` after it. */
const keyword =
  /^(?:and|as|assert|async|await|break|class|continue|def|del|elif|else|except|finally|for|from|global|if|import|in|is|lambda|nonlocal|not|or|pass|raise|return|try|while|with|yield)$/;
const pythonName = (field: string): string => (keyword.test(field) ? `${field}_` : field);
const fieldName = (field: string): string =>
  field.endsWith('_') && keyword.test(field.slice(0, -1)) ? field.slice(0, -1) : field;

/** Drops arguments that are None in Python. */
function dropNones({ arguments: all }: Arguments): Arguments {
  const fields = typeof all === 'object' && all !== null ? Object.entries(all) : [];
  return Object.fromEntries(
    fields.flatMap(([name, value]) => (value === null ? [] : [[fieldName(name), value] as const])),
  );
}

/** Tools that were passed to the run take precedence over built-in ones of the same name. */
const toolsOver = ({ tools = [], symbols }: Pick<Material, 'tools' | 'symbols'>): readonly OwnTool[] =>
  symbols === undefined ? tools : [...tools, ...symbolEntries];

/** Describes to the planner each tool that the caller may use, with its parameters. Empty if there is none. */
export function toolsText(
  { tools = [], symbols }: Pick<Material, 'tools' | 'symbols'>,
  granted: ReadonlySet<Capability>,
): string {
  const entries = (symbols === undefined ? [] : symbolEntries).filter(({ capability }) =>
    granted.has(capability),
  );
  const usable = tools.filter(({ capability }) => granted.has(capability));
  if (entries.length + usable.length === 0) return '';
  const lines = usable.map((tool) => `call_tool(${signature(tool)}): ${tool.description}`);
  const block = quoteMaterial(lines.join('\n'), {
    source: 'tools that were brought along',
    trust: 'untrusted',
  });
  const parts = [toolCallDocs, ...entries.map(builtInLine), ...(lines.length > 0 ? [block] : [])];
  return `\n\n# Tools\n\n${parts.join('\n')}`;
}

/** A built-in tool: its description is trusted, so it is not quoted as material. `?`: an optional parameter. */
function builtInLine({ name, parameters, description }: OwnTool): string {
  const { properties = {}, required = [] } = z.toJSONSchema(parameters, { io: 'input' });
  const fields = Object.keys(properties).map(
    (field) => `${pythonName(field)}${required.includes(field) ? '' : '?'}`,
  );
  return `- ${name}(${fields.join(', ')}): ${description}`;
}

function signature({ name, parameters }: OwnTool): string {
  const { properties = {}, required = [] } = z.toJSONSchema(parameters, {
    io: 'input',
    unrepresentable: 'any',
  });
  const fields = Object.entries(properties).map(([field, schema]) => {
    const { $schema: _, ...form } = schema as Readonly<Record<string, unknown>>;
    return `${pythonName(field)}${required.includes(field) ? '' : '?'}: ${JSON.stringify(form)}`;
  });
  return [JSON.stringify(name), ...fields].join(', ');
}
