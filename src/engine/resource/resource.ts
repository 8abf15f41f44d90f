import type { z } from "zod";
import type { ProblemItem } from "../../ground/problem/index.js";
import type { CollectionModel } from "../../ground/storage/model.js";
import type { Views } from "../../language/fields/view.js";
import type { QueryTable } from "../../language/query/table.js";
import type { FieldAccess, GuardedField } from "../../language/schema/access.js";
import type { KeepUndeclared } from "../../language/schema/declared.js";
import type { FieldModel } from "../../language/schema/field.js";
import type { Convert } from "../../language/schema/wire.js";
import type { RowEvent } from "../operation/write/rowEvents.js";
import type { Generator } from "./generators.js";
import type { BodyFormat, CreateCall, OperationName, ResourceBatchOptions, ResourceCache, ResourceOptions } from "./options.js";
import type { Relation } from "./relations/relation.js";
import type { ResourceTypes } from "./resourceTypes.js";

/** A field of a resource. */
export interface ResourceField extends FieldModel {
  readonly generator?: Generator | undefined;
  readonly access?: FieldAccess | undefined;
  readonly heavy: boolean;
  /** Whether clients may send it only with its current value. */
  readonly readOnly: boolean;
  /** Whether `stamp` sets it; it is then read-only too. */
  readonly isStamped: boolean;
  readonly toInput?: Convert | undefined;
  readonly toRow?: Convert | undefined;
  readonly toOutput?: Convert | undefined;
  /** Leaves out of a stored value what the schema does not declare. */
  readonly declared?: Convert | undefined;
  /** Puts it back into the value that replaces the stored one. */
  readonly keepUndeclared?: KeepUndeclared | undefined;
  /** Whether its instants in the store may have microseconds. */
  readonly holdsMicros?: GuardedField["holdsMicros"];
  /** Validates one value of this field. */
  readonly validate: Validate;
}

/** The result of a validation: the parsed value, or all faults. */
export type Validation = { readonly ok: true; readonly value: unknown } | { readonly ok: false; readonly items: readonly ProblemItem[] };

export type Validate = (value: unknown, path?: readonly (string | number)[]) => Validation | Promise<Validation>;

/** @param row the row that the value was made from, or a copy of it with changes */
export type ValidateWhole = (value: unknown, path: readonly [], row: Readonly<Record<string, unknown>>) => Validation | Promise<Validation>;

/** Runs an effect elsewhere and returns the members that it sets. */
export type CreateEffect = (row: Readonly<Record<string, unknown>>, call: CreateCall) => Promise<Readonly<Record<string, unknown>> | undefined>;

/** Only explicit options; the service provides the rest. */
export interface ResourceBatch extends ResourceBatchOptions {
  /** Batches are disabled. */
  readonly none?: true;
}

/** The import options of a collection. */
export interface ResourceImport {
  /** Names of generated fields that files may set. */
  readonly generated: ReadonlySet<string>;
}

/** A compiled collection. Made by `defineResource`; everything in it is fixed at start-up. */
export interface Resource<Name extends string = string, S extends z.ZodObject = z.ZodObject, T extends ResourceTypes = ResourceTypes> {
  readonly name: Name;
  readonly schema: S;
  /** For the compiler only: always absent. */
  readonly types?: T;
  /** The options that it was defined with. */
  readonly options: ResourceOptions<z.ZodObject>;
  /** The field with the id. For a composite id it is a text of the parts, outside the schema. */
  readonly id: ResourceField;
  /** Names of the fields that the id is made of: one, or several of a composite id. */
  readonly idNames: readonly string[];
  readonly fields: ReadonlyMap<string, ResourceField>;
  /** Validates the fields that a client may write, as one object with its defaults. */
  readonly validateWrite: Validate;
  /** Refinements over the whole object, if the schema has any. */
  readonly validateWhole?: ValidateWhole | undefined;
  readonly relations: ReadonlyMap<string, Relation>;
  readonly views: Views;
  readonly queryTable: QueryTable;
  readonly model: CollectionModel;
  /** Whether PUT may create and POST contains the id. */
  readonly clientIds: boolean;
  readonly operations: ReadonlySet<OperationName>;
  /** Formats of bodies in addition to JSON. */
  readonly accepts: ReadonlySet<BodyFormat>;
  /** The developer's effect of a create. */
  readonly create: CreateEffect | undefined;
  /** Events that writes cause, by their type. */
  readonly events: ReadonlyMap<string, RowEvent>;
  /** The batch options of the collection; `undefined` if there are none. */
  readonly batch: ResourceBatch | undefined;
  /** The import options; `undefined` if imports are disabled. */
  readonly import: ResourceImport | undefined;
  /** Whether its lists can be exported. */
  readonly canExport: boolean;
  /** How caches may keep its rows and lists; `cache()` checks it. */
  readonly cache: ResourceCache | undefined;
  /** Whether callers without credentials may list and read it. */
  readonly isOpenToRead: boolean;
  /** Options of the definition that a capability must take care of, each with the line that adds it. */
  readonly capabilityOptions: ReadonlyMap<string, string>;
  readonly requireIfMatch: boolean;
  readonly requireIdempotencyKey: boolean;
  readonly acceptWeakIfMatch: boolean;
  readonly strictPatchTypes: boolean;
  readonly missingDelete: 204 | 404;
}

/** A row of the resource as application code sees it. */
export type ResourceRow<R extends Resource> = z.output<R["schema"]>;
