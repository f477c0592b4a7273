/** `task()`: the only way in which a planner delegates work. */
import { isGraphBubbleUp } from '@langchain/langgraph';
import { z } from 'zod';
import { isSondeError, messageOf, SondeError } from '../core/index.ts';
import type { NestedTask, TaskContext, TaskErrorCode, TaskOutcome, TaskRequest, TaskShape } from './shape.ts';
import { subThreadOf } from './sub-thread.ts';

/** The description of a shape that a planner may choose. */
export interface ShapeNote {
  readonly key: string;
  readonly description: string;
  /** JSON Schema. */
  readonly params: unknown;
}

export interface Tasks {
  readonly shapes: readonly ShapeNote[];
  /**
   * Runs the work and returns its checked result. Returns a `failed` outcome for an unknown shape, for parameters or an
   * output that don't fit their schema, and for a handler that throws; rethrows only a graph's interrupt and
   * `lease_lost`.
   */
  task(shape: string | undefined, params: unknown, request: TaskRequest): Promise<TaskOutcome>;
}

export interface ShapeRegistry {
  /**
   * Throws `bad_argument` for an invalid or taken key or a missing schema, `run_state` once the registry is closed.
   */
  register(shape: TaskShape): void;
  /** Ends the registration, and returns what dispatches to the shapes. */
  close(): Tasks;
}

export const defaultShape = 'subagent-subgraph';

/** Filled when the program starts, then closed: nothing that runs can add to it. */
export function createShapeRegistry(): ShapeRegistry {
  const shapes = new Map<string, TaskShape>();
  let isOpen = true;
  return {
    register(shape) {
      if (!isOpen)
        throw new SondeError('run_state', {
          message: `The shape ${shape.key} comes after the registry was closed`,
          remedy: 'Register it where the program starts.',
        });
      if (!/^[a-z][a-z0-9-]{0,63}$/.test(shape.key) || shapes.has(shape.key))
        throw new SondeError('bad_argument', {
          message: shapes.has(shape.key)
            ? `There is a shape ${shape.key} already`
            : `${JSON.stringify(shape.key)} is not a key for a shape`,
          remedy: 'Use another key of up to 64 lower-case letters, digits and hyphens.',
        });
      if (!(shape.paramSchema instanceof z.ZodType && shape.outputSchema instanceof z.ZodType))
        throw new SondeError('bad_argument', {
          message: `The shape ${shape.key} does not say what it takes and what it gives`,
          remedy: 'Declare a schema of its parameters and one of its output.',
        });
      shapes.set(shape.key, Object.freeze({ ...shape }));
    },
    close() {
      isOpen = false;
      return createTasks(shapes);
    },
  };
}

function createTasks(shapes: ReadonlyMap<string, TaskShape>): Tasks {
  async function task(key = defaultShape, params: unknown, request: TaskRequest): Promise<TaskOutcome> {
    const failedOutcome = (code: TaskErrorCode, message: string, details: object = {}): TaskOutcome =>
      Object.freeze({ kind: 'failed', shape: key, error: { code, message, details: { ...details } } });
    const shape = shapes.get(key);
    if (shape === undefined)
      return failedOutcome(
        'unknown_shape',
        `There is no shape ${key}; there are ${[...shapes.keys()].join(', ')}`,
        {
          shapes: [...shapes.keys()],
        },
      );
    const parsedParams = shape.paramSchema.safeParse(params);
    if (!parsedParams.success) {
      const issues = issuesOf(parsedParams.error);
      return failedOutcome('bad_params', `Parameters of ${key} don't fit: ${issues.join('; ')}`, { issues });
    }
    const capabilities = grantedCapabilities(request);
    const missingCapability = shape.needs?.(parsedParams.data).find((each) => !capabilities.has(each));
    if (missingCapability !== undefined)
      return failedOutcome(
        'capability',
        `${key} needs the capability ${missingCapability}, which the caller lacks`,
        {
          capability: missingCapability,
        },
      );
    const context = contextOf(shape, request, task);
    if (context.signal.aborted) return failedOutcome('cancelled', `${key} was cancelled before it began`);
    let output: unknown;
    try {
      output = await shape.handler(parsedParams.data, context);
    } catch (thrown) {
      if (isGraphBubbleUp(thrown) || isSondeError(thrown, 'lease_lost')) throw thrown;
      if (context.signal.aborted) return failedOutcome('cancelled', `${key} was cancelled`);
      const code = isSondeError(thrown) ? thrown.code : null;
      return failedOutcome('failed', `${key} failed: ${messageOf(thrown)}`, code === null ? {} : { code });
    }
    const parsedOutput = shape.outputSchema.safeParse(output);
    if (!parsedOutput.success)
      return failedOutcome('bad_output', `The result of ${key} doesn't fit`, {
        issues: issuesOf(parsedOutput.error),
      });
    const outcome: TaskOutcome = {
      kind: 'done',
      shape: key,
      subThread: context.subThread,
      output: parsedOutput.data,
    };
    return Object.freeze(outcome);
  }

  const shapeNotes = [...shapes.values()].map(({ key, description, paramSchema }) =>
    Object.freeze({
      key,
      description,
      params: describeParams(paramSchema),
    }),
  );
  return Object.freeze({ shapes: Object.freeze(shapeNotes), task });
}

/** A short description of the parameters, for the planner; errors explain the rest. */
function describeParams(schema: z.ZodType): unknown {
  const { $schema: _dialect, ...shortSchema } = z.toJSONSchema(schema, {
    io: 'input',
    unrepresentable: 'any',
    override({ jsonSchema }) {
      for (const name of ['minLength', 'maxLength', 'additionalProperties', 'propertyNames'] as const)
        delete jsonSchema[name];
    },
  });
  return shortSchema;
}

/** The caller's capabilities, restricted to `only` if it is given. */
function grantedCapabilities({ only, capabilities }: TaskRequest): TaskRequest['capabilities'] {
  return new Set(only === undefined ? capabilities : only.filter((each) => capabilities.has(each)));
}

function contextOf(shape: TaskShape, request: TaskRequest, task: Tasks['task']): TaskContext {
  const { thread, attempt = 0, clients, role = null, config = {} } = request;
  const subThread = subThreadOf(request, shape.key, shape.recovery === 'restart' ? attempt : 0);
  const capabilities = grantedCapabilities(request);
  const signal = request.signal ?? new AbortController().signal;
  const pool = request.pool.child(subThread);
  return Object.freeze({
    thread,
    subThread,
    clients,
    pool,
    capabilities,
    role,
    signal,
    attempt,
    config: {
      ...config,
      signal,
      configurable: { ...config.configurable, thread_id: thread, checkpoint_ns: subThread },
    },
    task: (nested: string | undefined, params: unknown, options: NestedTask) =>
      task(nested, params, {
        clients,
        config,
        signal,
        ...options,
        thread,
        namespace: subThread,
        pool,
        capabilities,
      }),
  });
}

function issuesOf(error: z.ZodError): readonly string[] {
  return error.issues.slice(0, 8).map(({ path, message }) => `${path.join('.') || 'the value'}: ${message}`);
}
