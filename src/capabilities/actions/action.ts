import type { z } from "zod";
import type { ConcurrencyOptions } from "../../engine/resource/hooks.js";
import type { Resource } from "../../engine/resource/resource.js";
import type { ReadRow } from "../../language/schema/rowReader.js";
import type { ActionInput } from "./input.js";
import type { ActionOutput } from "./output.js";

/** What an action says of one of its problems, for documents. */
export type DeclaredProblem = number | string;

/** The options of one action, as the developer writes them. */
export interface ActionOptions extends ConcurrencyOptions {
  /** Whether it acts on one row, or on the collection. */
  readonly on: "row" | "collection";
  /** Defaults to `POST`. A GET action only reads. */
  readonly method?: "POST" | "GET" | undefined;
  /** A zod object: the body of a POST, the query of a GET. */
  readonly input?: z.ZodType | undefined;
  /** Validates what the action responds. */
  readonly output?: z.ZodType | undefined;
  /** Types of events that it may emit. */
  readonly events?: readonly string[] | undefined;
  /** Codes of its own problems, for documents and types of clients; with a status or a description each, if it is a record. */
  readonly problems?: readonly string[] | Readonly<Record<string, DeclaredProblem>> | undefined;
  /** Whether `POST /orders/cancel` runs it for many rows (false). Needs `batch()`. */
  readonly batch?: boolean | undefined;
  /** Runs the action; what it returns is the answer. */
  run(call: never): unknown;
}

/** An action of a collection, compiled. */
export interface CompiledAction extends ConcurrencyOptions {
  readonly name: string;
  /** The collection, as the schema has it. */
  readonly resource: Resource;
  readonly on: "row" | "collection";
  readonly method: "POST" | "GET";
  /** The options that it was defined with, for documents; absent for an action of this library. */
  readonly options?: ActionOptions | undefined;
  /** The row as the schema has it, for the developer's function. */
  readonly readRow: ReadRow;
  readonly input: ActionInput;
  readonly output: ActionOutput;
  readonly events: ReadonlySet<string>;
  readonly problems: ReadonlyMap<string, DeclaredProblem | undefined>;
  readonly hasBatch: boolean;
  run(call: object): unknown;
  /** Whether it is about a deleted row, which it restores. */
  readonly restores?: true | undefined;
  /** For messages: `orders: the action "cancel"`. */
  readonly place: string;
}
