import { objectInput } from "../../../engine/resource/write/objectInput.js";
import { ConfigurationError, ProblemError } from "../../../ground/problem/index.js";
import type { Principal } from "../../../parts/auth/verifier.js";
import type { Tick } from "../schedules/ticks.js";
import type { JobDefinition, JobDefinitions } from "./definition.js";

/** Owns the jobs of the system: no principal has this id. */
export const systemOwner = "";

/** What is stored for a job of a handler. */
export interface OwnInput {
  readonly input?: unknown;
  readonly principal?: Principal | undefined;
  /** The time of a schedule that it is for. */
  readonly tick?: Tick | undefined;
}

/** A kind of job of the developer's, compiled. */
export interface CompiledJob {
  readonly name: string;
  readonly run: JobDefinition["run"];
  /** The input as it is stored. @throws {ProblemError} VALIDATION_FAILED @throws {ConfigurationError} if JSON does not keep it */
  stored(input: unknown): Promise<unknown>;
  /** The input of what was stored. @throws {ProblemError} VALIDATION_FAILED if the schema has changed since */
  read(stored: unknown): Promise<unknown>;
}

/** @throws {ConfigurationError} for input that is not an object */
export function compileJobs(definitions: JobDefinitions): ReadonlyMap<string, CompiledJob> {
  return new Map(Object.entries(definitions).map(([name, definition]) => [name, compileJob(name, definition)]));
}

function compileJob(name: string, { input: schema, run }: JobDefinition): CompiledJob {
  if (schema === undefined) return { name, run, stored: async (input) => requireNone(name, input), read: async () => undefined };
  const { read } = objectInput(`jobs(): the handler "${name}"`, schema);
  return {
    name,
    run,
    read,
    async stored(input) {
      const json = input === undefined ? {} : asJson(name, input);
      await read(json);
      return json;
    },
  };
}

/** The value after it was written as JSON and read again, with 64-bit integers as text. */
function asJson(name: string, input: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(input, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value)));
  } catch (cause) {
    throw new ConfigurationError(`enqueue: the input of "${name}" cannot be written as JSON.`, { cause });
  }
}

function requireNone(name: string, input: unknown): undefined {
  if (input === undefined) return undefined;
  throw new ProblemError("VALIDATION_FAILED", `The job "${name}" takes no input.`);
}
