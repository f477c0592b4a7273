/** A command-line agent that is installed and logged in on this machine. `auto` uses one only if the user allows it. */
import type { Model } from '../model.ts';
import type { ModelPorts } from '../settings.ts';
import { defineProvider, type Provider } from './provider.ts';

export interface CliProvider {
  readonly name: string;
  readonly rank: number;
  /** The name of the program on the PATH. */
  readonly program: string;
  open(id: string | undefined, connection: CliAccess): Promise<Model>;
}

export interface CliAccess extends Pick<ModelPorts, 'env' | 'learned'> {
  readonly command: string;
  readonly contextWindow?: number;
  readonly maxOutput?: number;
}

export const cliProvider = ({ name, rank, program, open }: CliProvider): Provider =>
  defineProvider({
    name,
    form: `${name}[:MODEL]`,
    meaning: 'an installed command-line agent with its own login',
    autoOrder: rank,
    settings: {},
    whyAuto: ({ agents }, { which }) =>
      agents === true && which(program) !== undefined ? `${program} is installed and allowed` : null,
    open: async ({ id }, { contextWindow, maxOutput }, { env, learned, which }) =>
      open(id, {
        command: which(program) ?? program,
        env,
        ...(contextWindow !== undefined && { contextWindow }),
        ...(maxOutput !== undefined && { maxOutput }),
        ...(learned && { learned }),
      }),
    check({ agents }, { which }) {
      const [shown, path] = [`${program} (command-line agent)`, which(program)];
      if (path === undefined)
        return {
          kind: 'off',
          name: shown,
          found: 'not installed',
          remedy: `Install it to use --model ${name}.`,
        };
      const use = agents === true ? 'auto may use it' : `used only as --model ${name}`;
      return { kind: 'ok', name: shown, found: `${path}; ${use}` };
    },
  });
