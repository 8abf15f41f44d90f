import type { Gate } from "../../language/schema/access.js";
import type { JsonSchema, OperationDescription } from "../operation/description.js";
import type { Environment } from "../operation/environment.js";
import type { Operation } from "../operation/operation.js";
import type { LinkedResource } from "../resource/relations/link.js";
import type { Components } from "./components.js";
import type { SchemaNames } from "./schemaNames.js";

/** What the parts of a document are made from. */
export interface Describing {
  readonly environment: Environment;
  readonly resources: ReadonlyMap<string, LinkedResource>;
  readonly components: Components;
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

/**
 * What the document says of an operation; `undefined` for one of another capability.
 *
 * @param linked the collection that the operation is about
 */
export type DescribeOperation = (
  describing: Describing,
  operation: Operation,
  linked: LinkedResource | undefined,
) => OperationDescription | undefined;

/** Describes an operation of a collection. */
export type DescribeRows = (describing: Describing, linked: LinkedResource, operation: Operation) => OperationDescription;

/** What a capability of this library says in a document. */
export interface Descriptions {
  readonly describe: DescribeOperation;
  /** What receivers of its events get, by the types of the events; `undefined` if the caller may not register any. */
  readonly webhooks?: ((describing: Describing) => Readonly<Record<string, object>> | undefined) | undefined;
}

/** The collections of which the caller may know all of these operations. */
export function collectionsWith({ resources, operations }: Describing, ...names: readonly string[]): readonly string[] {
  return [...resources.keys()].filter((collection) => names.every((name) => operations.has(`${collection}.${name}`)));
}
