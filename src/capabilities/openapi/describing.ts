import type { JsonSchema } from "../../engine/operation/description.js";
import type { Environment } from "../../engine/operation/environment.js";
import type { Access, Operation } from "../../engine/operation/operation.js";
import type { LinkedResource } from "../../engine/resource/relations/link.js";
import type { Gate } from "../../language/schema/access.js";
import type { Principal } from "../../parts/auth/verifier.js";
import type { Components } from "./components.js";
import type { Problems } from "./problems.js";
import type { SchemaNames } from "./schemas/names.js";

/** Who a document is for, and what `authorize` refuses to it, as {@link textOf} names it. */
export interface Caller {
  readonly principal: Principal;
  readonly refused: ReadonlySet<string>;
}

type Asking = Pick<Operation, "access" | "asksLater">;

/** What `authorize` is asked of an operation, in groups of which one must be allowed. */
export function questionsOf({ access, asksLater = [] }: Asking): readonly (readonly Access[])[] {
  return access?.collection === undefined ? asksLater : [[access], ...asksLater];
}

/** Whether every request of an operation is refused. */
export function isRefused(operation: Asking, refused: Caller["refused"]): boolean {
  return questionsOf(operation).some((group) => group.length > 0 && group.every((question) => refused.has(textOf(question))));
}

/** A question as a text: equal questions have equal ones. */
export function textOf({ action, collection }: Access): string {
  return `${action} ${collection}`;
}

/** What the parts of a document are made from. */
export interface Describing {
  readonly environment: Environment;
  readonly resources: ReadonlyMap<string, LinkedResource>;
  readonly components: Components;
  readonly problems: Problems;
  readonly names: SchemaNames;
  /** The operations that the caller may know of, by their names. */
  readonly operations: ReadonlyMap<string, Operation>;
  readonly gate: Gate;
  /** Schemas of fields that the developer gives, by `collection.field`. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Of OpenAPI. */
  readonly version: "3.1" | "3.2";
  /** How filters are declared. */
  readonly filters: "deep" | "flat";
  /** Whether requests may have an Idempotency-Key. */
  readonly takesKeys: boolean;
}

/** The collections of which the caller may know all of these operations. */
export function collectionsWith({ resources, operations }: Describing, ...names: readonly string[]): readonly string[] {
  return [...resources.keys()].filter((collection) => names.every((name) => operations.has(`${collection}.${name}`)));
}
