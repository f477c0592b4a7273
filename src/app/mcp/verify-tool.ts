/** The tool `verify_answer`: checks what an agent says against the lines that it cites, before it is passed on. */
import type { CallToolResult, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { plain, shortLine } from '../../core/index.ts';
import { claimFlags, claimVerdicts, isRefused, isSupported, type VerifiedAnswer } from '../../gate/index.ts';
import { failureResult } from './run-tools.ts';

const input = z.strictObject({
  answer: z
    .string()
    .min(1)
    .max(65_536)
    .describe('Markdown. A sentence cites by [1], the number of a citation, or by path:start-end.'),
  citations: z
    .array(
      z.object({
        path: z.string().min(1).describe('Relative to the folder.'),
        start: z.int().min(1),
        end: z.int().min(1),
        quote: z.string().optional().describe('Text that must stand in the lines.'),
      }),
    )
    .max(200),
  question: z.string().optional().describe('Its terms count as known.'),
  reader: z
    .boolean()
    .default(false)
    .describe('Let the model of the server read what code leaves open, where it has one.'),
  max_tokens: z.int().min(1).optional().describe('Most tokens of that model, within what the server allows.'),
  max_usd: z
    .number()
    .min(0)
    .optional()
    .describe('Most US dollars of that model, within what the server allows.'),
});

const output = z.looseObject({
  status: z.enum(['verified', 'partial', 'unverified']).describe('verified: every claim is carried.'),
  claims: z.array(
    z.looseObject({
      text: z.string(),
      verdict: z.enum(claimVerdicts),
      why: z.string().optional(),
      citations: z.array(z.int()).describe('Numbers of what it was held against; empty: all.'),
      flags: z.array(z.enum(claimFlags)),
    }),
  ),
  citations: z.array(z.looseObject({ status: z.string(), reason: z.string().optional() })),
  note: z.string().optional().describe('Why a reader did not look at every claim that code left open.'),
});

const description =
  'Takes an answer apart into its claims and says of each whether the lines it cites say so: shown, unclear, contradicted or not shown, and why. Re-reads each citation. By code; with reader: true the model of the server reads what code leaves open, and may say supported.';

export interface VerifyToolOptions {
  readonly root: string;
  /** As the flags of the server give them. */
  readonly settings: { readonly model?: string };
  readonly redact: (text: string) => string;
}

export function registerVerifyTool(server: McpServer, options: VerifyToolOptions): void {
  const { redact } = options;
  server.registerTool(
    'verify_answer',
    {
      title: 'Verify an answer',
      description,
      inputSchema: input,
      outputSchema: output,
      annotations: { readOnlyHint: true, destructiveHint: false, openWorldHint: false },
    },
    async (given, { mcpReq }): Promise<CallToolResult> => {
      try {
        const verified = await verify(given, options, mcpReq.signal);
        const text = redact(plain(lines(verified).join('\n')));
        return { content: [{ type: 'text', text }], structuredContent: clean(verified, redact) };
      } catch (thrown) {
        return failureResult(thrown, redact);
      }
    },
  );
}

async function verify(
  { answer, citations, question, reader, max_tokens, max_usd }: z.output<typeof input>,
  { root, settings }: VerifyToolOptions,
  signal: AbortSignal,
): Promise<VerifiedAnswer> {
  const [{ verifyShown }, { verifyPorts }] = await Promise.all([
    import('../verify/verify-answers.ts'),
    import('../verify/verify-ports.ts'),
  ]);
  const cited = citations.map(({ quote, ...rest }) => ({ ...rest, ...(quote !== undefined && { quote }) }));
  const asked = { answer, citations: cited, ...(question !== undefined && { question }) };
  const ports = await verifyPorts(root);
  if (!reader) return verifyShown(asked, ports);
  const { openConfiguredReader } = await import('../verify/verify-models.ts');
  const max = { ...(max_tokens !== undefined && { max_tokens }), ...(max_usd !== undefined && { max_usd }) };
  const { read } = await openConfiguredReader({ root, settings, max, tier: 'analyst', signal });
  return verifyShown(asked, { ...ports, readClaims: read });
}

function lines({ status, claims, citations, note }: VerifiedAnswer): readonly string[] {
  const refused = claims.filter(isRefused);
  const carried = claims.filter(isSupported).length;
  return [
    `${status}: ${carried} of ${claims.length} claims are carried, ${refused.length} are contradicted or not shown.`,
    ...claims.flatMap(({ text, verdict, why, flags }) => {
      const flagged = flags.length === 0 ? '' : ` [${flags.join(', ')}]`;
      return verdict === 'shown' && flags.length === 0
        ? []
        : [`- ${verdict}: ${shortLine(text, 200)}${why === undefined ? '' : ` (${why})`}${flagged}`];
    }),
    ...citations.flatMap(({ status: found, reason }, index) =>
      found === 'valid'
        ? []
        : [`- citation ${index + 1}: ${found}${reason === undefined ? '' : ` (${reason})`}`],
    ),
    ...(note === undefined ? [] : [note]),
  ];
}

function clean(
  { status, claims, citations, note }: VerifiedAnswer,
  redact: (text: string) => string,
): Record<string, unknown> {
  const formatClaim = (text: string): string => redact(plain(text));
  return {
    status,
    claims: claims.map(({ text, why, ...rest }) => ({
      ...rest,
      text: formatClaim(text),
      ...(why !== undefined && { why: formatClaim(why) }),
    })),
    citations: citations.map(({ status: found, reason }) => ({
      status: found,
      ...(reason !== undefined && { reason: formatClaim(reason) }),
    })),
    ...(note !== undefined && { note: formatClaim(note) }),
  };
}
