import type { Principal } from "../auth/verifier.js";
import type { JsonSchema } from "../operation/description.js";
import type { Environment } from "../operation/environment.js";
import { tryPermit } from "../operation/permit.js";
import type { LinkedResource } from "../resource/relations/link.js";
import { type Gate, gateFor } from "../schema/access.js";
import type { Components } from "./components.js";
import type { SchemaNames } from "./schemas/names.js";

/** Who a document is for. */
export interface Caller {
  readonly principal: Principal;
  /** Whether operations that `authorize` refuses are left out: for callers with credentials. */
  readonly leavesOutRefused: boolean;
}

/** What the parts of a document are made from. */
export interface Describing {
  readonly environment: Environment;
  readonly resources: ReadonlyMap<string, LinkedResource>;
  readonly components: Components;
  readonly names: SchemaNames;
  readonly gate: Gate;
  /** Schemas of fields that the developer gives, by `collection.field`. */
  readonly schemas: Readonly<Record<string, JsonSchema>>;
  /** Of OpenAPI. */
  readonly version: "3.1" | "3.2";
  /** Whether requests may have an Idempotency-Key. */
  readonly takesKeys: boolean;
}

/** The gate of a caller. */
export function gateOf({ principal }: Caller): Gate {
  return gateFor(principal);
}

/** Whether `authorize` may allow an action, as far as it says so without a row. */
export async function mayRun(
  environment: Environment,
  { principal, leavesOutRefused }: Caller,
  action: string,
  collection: string,
): Promise<boolean> {
  if (!leavesOutRefused || environment.authorize === undefined) return true;
  return (await tryPermit(environment, { principal, action, collection })) !== undefined;
}
